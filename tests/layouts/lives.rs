//! What a filter can do, it can with every layout: one life of each.
//!
//! 1. Items go in and out by every door: one by one, in batches, by hash, from iterators, and through a trait object.
//! 2. A class takes as many copies as two buckets have slots, and one more is refused.
//! 3. The limits of a builder are kept, and its size.
//! 4. A clone, a snapshot and what is read from the stored form answer as the filter did, and share nothing with it. An
//!    empty one like it has its size and its hasher.
//! 5. What was stored with one layout is an error to another.

use lockfree_cuckoo::{
    AnyLayout, Engine, Filter, Fixed, Hashed, InsertError, Lanes, Layout, Rotating, SemiSorted,
};

const ITEMS: u64 = 500;

fn seeded<E: Engine>() -> Filter<E> {
    let builder = Filter::<E>::builder().capacity(1_000).seed(7);
    builder.build().expect("memory")
}

fn filled<E: Engine>() -> Filter<E> {
    let mut filter = seeded();
    filter.extend(0..ITEMS);
    filter
}

fn has_all<E: Engine>(filter: &Filter<E>) -> bool {
    let items: Vec<u64> = (0..ITEMS).collect();
    let each = filter.contains_each(&items).into_iter();
    filter.len() as u64 == ITEMS
        && each
            .zip(&items)
            .all(|(found, item)| found && filter.contains(item))
}

/// An item that is not taken for one of those: few bits make many false positives.
fn absent<E: Engine>(filter: &Filter<E>) -> u64 {
    let others = (1 << 40..).find(|item| !filter.contains(item));
    others.expect("not every item is found")
}

fn goes_in_and_out<E: Engine>() {
    let filter = filled::<E>();
    let item = absent(&filter);
    assert_eq!(filter.insert_unique(&item), Ok(true));
    assert_eq!(filter.insert_unique(&item), Ok(false));
    filter.insert(&item).expect("room");
    filter.insert_many(&[item, item]).expect("room");
    assert_eq!((filter.count(&item), filter.len() as u64), (4, ITEMS + 4));
    assert!(filter.remove(&item));
    assert_eq!(filter.remove_many(&[item; 5]), 3);
    assert!(!filter.contains(&item) && has_all(&filter));
    let mut added = [false; 3];
    let both = [item, item, 0];
    filter.insert_unique_many(&both, &mut added).expect("room");
    assert_eq!(added, [true, false, false]);
    assert!(filter.remove(&item));
    assert!((0..ITEMS).all(|item| filter.remove(&item)));
    assert!(filter.is_empty() && (0..ITEMS).all(|item| !filter.contains(&item)));
}

fn goes_through_a_trait_object<E: Engine>()
where
    Filter<E>: Hashed,
{
    let filter = filled::<E>();
    let hash = filter.hash_one(&absent(&filter));
    let object: &dyn Hashed = &filter;
    assert_eq!(object.insert_unique_hash(hash), Ok(true));
    object.insert_many_hash(&[hash]).expect("room");
    assert_eq!(
        (object.count_hash(hash), object.len() as u64),
        (2, ITEMS + 2)
    );
    assert_eq!(object.remove_many_hash(&[hash; 3]), 2);
    assert_eq!(object.slots(), filter.slots());
    assert_eq!(object.load_factor(), filter.load_factor());
    assert_eq!(object.false_positive_rate(), filter.false_positive_rate());
    assert_eq!(format!("{object:?}"), format!("{filter:?}"));
}

fn takes_so_many_copies<L: Layout, E: Engine>() {
    let filter = seeded::<E>();
    let slots = 2 * L::SLOTS;
    for copies in 0..slots {
        assert_eq!(filter.count(&1u64), copies);
        filter.insert(&1u64).expect("both buckets are its own");
    }
    match filter.insert(&1u64) {
        Err(InsertError::TooManyCopies { copies, .. }) => assert_eq!(copies, slots),
        other => panic!("{other:?}"),
    }
    assert_eq!(filter.count(&1u64), slots);
    assert!((0..slots).all(|_| filter.remove(&1u64)) && !filter.remove(&1u64));
    // Another item of these buckets is refused by nobody.
    filter.insert(&2u64).expect("room");
}

fn keeps_its_limits<L: Layout, E: Engine>() {
    let usage = seeded::<E>().memory_usage();
    let limited = |bytes| {
        let builder = Filter::<E>::builder().capacity(1_000).seed(7);
        builder.max_memory_usage(bytes).build()
    };
    assert_eq!(limited(usage).expect("enough").memory_usage(), usage);
    let error = limited(usage - 1).expect_err("too little");
    assert_eq!(
        (error.requested(), error.possible()),
        (usage - 1, Some(usage))
    );
    let buckets = |buckets| Filter::<E>::builder().buckets(buckets).build();
    assert_eq!(
        buckets(127).expect_err("no such number").possible(),
        Some(128)
    );
    let slots = buckets(128).expect("memory").slots();
    assert_eq!(slots % (128 * L::SLOTS), 0);
    let budget = Filter::<E>::builder().search_budget(1).build();
    assert_eq!(budget.expect_err("too little").possible(), Some(2));
    // In one table, or so many for each of two generations.
    let slots = seeded::<E>().slots();
    assert!(
        (1_000..4_500).contains(&slots),
        "{slots} slots for 1,000 items"
    );
}

fn is_copied<E: Engine>() {
    let mut filter = filled::<E>();
    let bytes = filter.to_bytes();
    let copies = [
        filter.try_clone().expect("memory"),
        filter.snapshot().expect("nobody disturbs it"),
        Filter::from_bytes(&bytes).expect("just stored"),
        Filter::read_from(bytes.as_slice()).expect("just stored"),
    ];
    for copy in copies {
        assert!(has_all(&copy));
        assert!(copy.remove(&0u64) && filter.contains(&0u64));
    }
    assert_eq!(filter.snapshot_to_bytes().expect("quiet"), bytes);
    let fresh = filter.fresh().expect("memory");
    assert!(fresh.is_empty() && has_all(&filter));
    assert_eq!(fresh.memory_usage(), seeded::<E>().memory_usage());
    assert_eq!(
        (fresh.capacity(), fresh.hasher().seed()),
        (seeded::<E>().capacity(), 7)
    );
    filter.clear();
    assert!(filter.is_empty() && !filter.contains(&1u64));
    filter.insert(&1u64).expect("room");
    assert_eq!(filter.len(), 1);
}

fn is_not_read_as_another<E: AnyLayout>() {
    fn is_other<E: AnyLayout, M: Layout>(bytes: &[u8]) -> bool {
        let bits = 8 * bytes.len();
        let other = Filter::<E::With<M>>::from_bytes(bytes);
        assert!(
            bits > 0
                && other
                    .as_ref()
                    .is_err_and(|error| !error.to_string().is_empty())
        );
        other.is_err()
    }
    let mut filter = filled::<E>();
    let bytes = filter.to_bytes();
    let same = |other: &Filter<E>| other.len() == filter.len();
    assert!(Filter::<E>::from_bytes(&bytes).is_ok_and(|other| same(&other)));
    let layout = (bytes[13], bytes[12]);
    let others = [
        (layout == (4, 16)) || is_other::<E, Lanes<4, 16>>(&bytes),
        (layout == (8, 8)) || is_other::<E, Lanes<8, 8>>(&bytes),
        (layout == (2, 31)) || is_other::<E, Lanes<2, 31>>(&bytes),
        (layout == (4, 17)) || is_other::<E, SemiSorted<4, 17>>(&bytes),
    ];
    assert_eq!(others, [true; 4]);
}

fn life<L: Layout, E: AnyLayout>()
where
    Filter<E>: Hashed,
{
    goes_in_and_out::<E>();
    goes_through_a_trait_object::<E>();
    takes_so_many_copies::<L, E>();
    keeps_its_limits::<L, E>();
    is_copied::<E>();
    is_not_read_as_another::<E>();
}

pub(crate) fn of_a_fixed_filter<L: Layout>() {
    life::<L, Fixed<L>>();
}

pub(crate) fn of_a_filter_that_rotates<L: Layout>() {
    life::<L, Rotating<L>>();
    let builder = Filter::<Rotating<L>>::builder().capacity(1_000).seed(7);
    let filter = builder.generations(3).build().expect("memory");
    for period in 0..6u64 {
        let items: Vec<u64> = (period * 1_000..period * 1_000 + 900).collect();
        filter.insert_many(&items).expect("sized for it");
        let old = period.saturating_sub(2) * 1_000;
        assert!((old..old + 900).all(|item| filter.contains(&item)));
        assert_eq!(filter.len() as u64, 900 * (period + 1).min(3));
        filter.rotate().expect("alone");
    }
    for _ in 0..3 {
        filter.rotate().expect("alone");
    }
    assert!(filter.is_empty());
}
