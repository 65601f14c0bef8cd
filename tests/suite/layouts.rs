//! What must hold of every layout of a bucket, besides the sequences of calls in `oracle` and the threads in `threads`.
//!
//! 1. What a filter can do, it can with every layout, of a fixed size, rotating and growing.
//! 2. It gets as full as its layout lets it, and is as often wrong as it tells.
//!
//! What was stored once is in `golden`, and bytes that nobody stored are in `damage`.

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, Fixed, Kind, Lanes, Layout, ReadError, RotatingCuckooFilter,
    SemiSorted, Shape,
};
use model::mix;

use crate::door::{Subject, empty, fixed, model_of, plain, read_as};

/// What is known of the type.
#[test]
fn a_filter_of_each_type_is_cloned_and_reads_its_own_layout() {
    fn check<L: Layout>() {
        let builder = CuckooFilter::builder().layout::<L>().capacity(300).seed(7);
        let mut filter = builder.build().expect("memory");
        filter.extend(0..200u64);
        let bytes = filter.to_bytes().expect("quiet");
        let clone = filter.snapshot().expect("memory");
        assert!(clone.to_bytes().expect("quiet") == bytes);
        assert!(clone.remove(&0u64) && filter.contains(&0u64));
        let fresh = filter.empty_like().expect("memory");
        assert!(fresh.is_empty() && fresh.hasher().seed() == 7);
        assert_eq!(fresh.memory_usage(), clone.memory_usage());
        for &shape in Shape::ALL {
            let stored = empty(Kind::Fixed, shape, 20).to_bytes().expect("quiet");
            match Filter::<Fixed<L>>::from_bytes(&stored) {
                Ok(filter) => assert_eq!(
                    (DynFilter::from(filter).shape(), Shape::of::<L>()),
                    (shape, shape)
                ),
                Err(error) => {
                    let is_told = matches!(error, ReadError::OtherLayout { shape: told, .. } if told == shape);
                    assert!(is_told && shape != Shape::of::<L>(), "{error}");
                    assert!(error.to_string().contains(&format!("`{shape}`")), "{error}");
                }
            }
        }
    }
    model::of_every_layout!(check);
}

#[test]
fn a_filter_that_rotates_forgets_with_every_layout() {
    for &shape in Shape::ALL {
        let builder = RotatingCuckooFilter::builder().capacity(1_000).seed(7);
        let filter = builder.generations(3).build_shape(shape).expect("memory");
        let rotating = filter.rotating().expect("it rotates");
        assert_eq!((rotating.generations(), rotating.rotations()), (3, 0));
        for period in 0..6u64 {
            let of = |period: u64| (period << 32..(period << 32) + 900).map(mix);
            let items: Vec<u64> = of(period).collect();
            filter.insert_many_hash(&items).expect("sized for it");
            let oldest = period.saturating_sub(2);
            assert!(of(oldest).all(|hash| filter.contains_hash(hash)));
            assert_eq!(filter.len() as u64, 900 * (period + 1).min(3));
            assert_eq!(rotating.rotate_if(period + 1), Ok(false));
            assert_eq!(rotating.rotate_if(period), Ok(true));
        }
        (0..2).for_each(|_| rotating.rotate().expect("alone"));
        assert!(filter.is_empty());
        assert_eq!(rotating.refresh_hash(mix(1)), Ok(true));
        assert_eq!(rotating.rotate(), Ok(()));
        let mut new = [true; 2];
        let refreshed = rotating.refresh_many_hash(&[mix(1), mix(2)], &mut new);
        assert_eq!((refreshed, new), (Ok(()), [false, true]), "{shape}");
        (0..2).for_each(|_| rotating.rotate().expect("alone"));
        // The first copy has left, the second one has not.
        assert_eq!((filter.count_hash(mix(1)), filter.len()), (1, 2));
        let bytes = filter.to_bytes().expect("memory");
        let read = read_as(Kind::Rotating, &bytes).expect("valid");
        assert_eq!(read.rotating().map(|read| read.rotations()), Some(11));
    }
}

/// What only filters that grow have does nothing to others.
#[test]
fn a_filter_of_a_fixed_size_has_one_table_and_no_limit() {
    for &shape in Shape::ALL {
        let mut fixed = empty(Kind::Fixed, shape, 300);
        let memory = fixed.memory_usage();
        fixed.set_max_memory_usage(0);
        fixed.shrink_to_fit();
        assert!(fixed.rotating().is_none() && fixed.finish_doubling());
        assert_eq!((fixed.memory_usage(), fixed.tables()), (memory, 1));
    }
}

/// The load of a large table at the first refusal, with the default search budget. More bits change nothing about it.
#[test]
fn the_first_refusal_comes_at_the_load_of_the_table() {
    for shape in plain() {
        let expected = match shape.slots() {
            8 => 0.996,
            6 => 0.991,
            5 => 0.986,
            4 => 0.976,
            3 => 0.954,
            2 => 0.890,
            slots => unreachable!("no layout has {slots} slots"),
        };
        let filter = fixed(shape, 1 << 16, 4_096, None);
        let taken = (0..).take_while(|&item| filter.insert_hash(mix(item)).is_ok());
        assert_eq!(taken.count(), filter.len());
        let load = filter.load_factor();
        assert!(
            (load - expected).abs() < 0.006,
            "{load} instead of {expected}"
        );
    }
}

/// Nearly full, of random items that `place` makes of numbers.
fn full(shape: Shape, place: impl Fn(u64) -> u64) -> Subject {
    let filter = fixed(shape, 1 << 12, 4_096, None);
    let items = (0..filter.capacity() as u64).map(|item| place(mix(item)));
    // Few fingerprints make classes of many copies.
    items.for_each(|hash| _ = filter.insert_hash(hash));
    assert!(filter.len() * 20 > filter.capacity() * 19, "{filter:?}");
    filter
}

/// As documented, from how many values a fingerprint has and how many of them a lookup compares.
fn rate_of(filter: &Subject, values: f64) -> f64 {
    let compared = 2.0 * filter.shape().slots() as f64 * filter.load_factor();
    -((-1.0 / values).ln_1p() * compared).exp_m1()
}

/// The share of other items that are found must be near this.
#[track_caller]
fn is_found(filter: &Subject, lookups: u64, expected: f64, place: impl Fn(u64) -> u64) {
    let others = (0..lookups).map(|item| place(mix(!item)));
    let found = others.filter(|&hash| filter.contains_hash(hash)).count();
    let measured = found as f64 / lookups as f64;
    let share = measured / expected;
    assert!(
        (0.9..1.1).contains(&share),
        "{measured} instead of {expected}: {filter:?}"
    );
}

#[test]
fn the_rate_is_the_one_that_the_filter_tells() {
    for shape in plain() {
        let filter = full(shape, |hash| hash);
        let told = filter.false_positive_rate();
        let values = f64::from(*model_of(shape).fingerprints().end());
        let formula = rate_of(&filter, values);
        assert!(
            (told / formula - 1.0).abs() < 1e-9,
            "{told} instead of {formula}"
        );
        // So many that chance alone is no more than three per cent.
        let lookups = (1_500.0 / told) as u64;
        if lookups < 15_000_000 {
            is_found(&filter, lookups, told, |hash| hash);
            let third = filter.capacity() as u64 / 3;
            assert!((0..third).all(|item| filter.remove_hash(mix(item))));
            is_found(&filter, lookups, filter.false_positive_rate(), |hash| hash);
        }
    }
}

/// Of items that agree in all bits of the fingerprint but twelve, the rate is that of fingerprints of twelve bits,
/// whichever twelve. So each bit is stored and compared, in each slot, and the rate is the product.
#[test]
fn every_part_of_a_fingerprint_counts() {
    const WINDOW: u32 = 12;
    for shape in plain() {
        let Some(most) = shape.fingerprint_bits().checked_sub(WINDOW) else {
            continue;
        };
        for shift in [0, most / 2, most] {
            let window = ((1 << WINDOW) - 1) << shift;
            // All other bits of the fingerprint are ones, so that none is 0.
            let ones = u64::from(*model_of(shape).fingerprints().end()) & !window;
            let place = |hash: u64| hash & !ones | ones;
            let filter = full(shape, place);
            let expected = rate_of(&filter, f64::from(1 << WINDOW));
            is_found(&filter, 1_000_000, expected, place);
        }
    }
}
