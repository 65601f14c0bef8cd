//! What must hold of every layout of a bucket, besides the sequences of calls in `oracle` and the threads in `threads`.
//!
//! 1. What a filter can do, it can with every layout, of a fixed size, rotating and growing.
//! 2. It gets as full as its layout lets it, and is as often wrong as it tells.
//! 3. Files that were stored once are read, and written as they are, for ever.
//! 4. Bytes that nobody stored are an error, or a filter that keeps every promise.

use std::fs;
use std::path::PathBuf;

use lockfree_cuckoo::{
    CuckooFilter, Filter, Fixed, Hashed, InsertError, Lanes, Layout, ReadError,
    RotatingCuckooFilter, SemiSorted, Shape,
};
use model::geometry::Class;
use model::mix;
use model::stored;

use crate::damage::{flipped, nothing_passes};
use crate::door::{DEFAULT, Kind, fixed, geometry_of, model_of, plain};

/// Kinds of filters and their layouts: one that grows has the default one.
fn kinds() -> impl Iterator<Item = (Kind, Shape)> {
    let of = |kind| plain().map(move |shape| (kind, shape));
    let all = of(Kind::Fixed).chain(of(Kind::Rotating));
    all.chain([(Kind::Growing, DEFAULT)])
}

/// One with so many items, and their hashes.
fn filled(kind: Kind, shape: Shape) -> (Box<dyn Hashed>, Vec<u64>) {
    let filter = kind.build(shape, 1_000);
    let hashes: Vec<u64> = (0..500).map(mix).collect();
    filter.insert_many_hash(&hashes).expect("room");
    (filter, hashes)
}

fn has_all(filter: &dyn Hashed, hashes: &[u64]) -> bool {
    let mut found = vec![false; hashes.len()];
    filter.contains_many_hash(hashes, &mut found);
    filter.len() == hashes.len() && !found.contains(&false)
}

#[test]
fn items_go_in_and_out_by_every_door() {
    for (kind, shape) in kinds() {
        let (filter, hashes) = filled(kind, shape);
        // Few bits make many false positives.
        let mut others = (1 << 40..).map(mix);
        let hash = others.find(|&hash| !filter.contains_hash(hash));
        let hash = hash.expect("not every item is found");
        assert_eq!(filter.insert_unique_hash(hash), Ok(true));
        assert_eq!(filter.insert_unique_hash(hash), Ok(false));
        filter.insert_hash(hash).expect("room");
        filter.insert_many_hash(&[hash, hash]).expect("room");
        assert_eq!(
            (filter.count_hash(hash), filter.len()),
            (4, 504),
            "{filter:?}"
        );
        assert!(filter.remove_hash(hash));
        assert_eq!(filter.remove_many_hash(&[hash; 5]), 3);
        assert!(!filter.contains_hash(hash) && has_all(&*filter, &hashes));
        let mut added = [false; 3];
        let batch = [hash, hash, hashes[0]];
        filter
            .insert_unique_many_hash(&batch, &mut added)
            .expect("room");
        assert_eq!(added, [true, false, false]);
        assert_eq!(filter.contains_burst_hash(&batch), 0b111);
        assert!(filter.remove_hash(hash));
        assert!(hashes.iter().all(|&hash| filter.remove_hash(hash)));
        assert!(filter.is_empty() && !hashes.iter().any(|&hash| filter.contains_hash(hash)));
    }
}

#[test]
fn two_buckets_take_as_many_copies_as_they_have_slots() {
    for (kind, shape) in kinds() {
        let filter = kind.build(shape, 1_000);
        let (hash, slots) = (mix(1), 2 * shape.slots());
        for copies in 0..slots {
            assert_eq!(filter.count_hash(hash), copies);
            filter.insert_hash(hash).expect("both buckets are its own");
        }
        let refused = filter.insert_hash(hash).expect_err("one too many");
        let is_told =
            matches!(refused, InsertError::TooManyCopies { copies, .. } if copies == slots);
        assert!(is_told, "{refused}");
        assert_eq!(filter.count_hash(hash), slots);
        assert!((0..slots).all(|_| filter.remove_hash(hash)) && !filter.remove_hash(hash));
        filter.insert_hash(mix(2)).expect("room");
    }
}

#[test]
fn copies_answer_as_the_filter_and_share_nothing_with_it() {
    for (kind, shape) in kinds() {
        let (mut filter, hashes) = filled(kind, shape);
        let bytes = filter.to_bytes();
        let copies = [
            filter.snapshot().expect("nobody disturbs it"),
            kind.read(&bytes).expect("just stored"),
        ];
        for mut copy in copies {
            assert_eq!((copy.shape(), copy.tables()), (shape, filter.tables()));
            assert_eq!(
                (copy.slots(), copy.capacity()),
                (filter.slots(), filter.capacity())
            );
            assert!(has_all(&*copy, &hashes) && copy.to_bytes() == bytes);
            assert!(copy.remove_hash(hashes[0]) && filter.contains_hash(hashes[0]));
            copy.clear();
            assert!(copy.is_empty());
        }
        assert!(has_all(&*filter, &hashes));
        assert_eq!(filter.snapshot_to_bytes().expect("quiet"), bytes);
        let mut streamed = [Vec::new(), Vec::new()];
        filter
            .write_to(&mut streamed[0])
            .expect("a vector takes all");
        let written = filter.snapshot_to_writer(&mut streamed[1]);
        written.expect("a vector takes all");
        assert!(streamed.iter().all(|streamed| *streamed == bytes));
    }
}

/// What is known of the type.
#[test]
fn a_filter_of_each_type_is_cloned_and_reads_its_own_layout() {
    fn check<L: Layout>() {
        let builder = CuckooFilter::builder().layout::<L>().capacity(300).seed(7);
        let mut filter = builder.build().expect("memory");
        filter.extend(0..200u64);
        let bytes = filter.to_bytes();
        let mut clone = filter.try_clone().expect("memory");
        assert!(clone.to_bytes() == bytes);
        assert!(clone.remove(&0u64) && filter.contains(&0u64));
        let fresh = filter.fresh().expect("memory");
        assert!(fresh.is_empty() && fresh.hasher().seed() == 7);
        assert_eq!(fresh.memory_usage(), clone.memory_usage());
        for shape in Shape::ALL {
            let stored = Kind::Fixed.build(shape, 20).to_bytes();
            match Filter::<Fixed<L>>::from_bytes(&stored) {
                Ok(filter) => assert_eq!((filter.shape(), Shape::of::<L>()), (shape, shape)),
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
    for shape in plain() {
        let builder = RotatingCuckooFilter::builder().capacity(1_000).seed(7);
        let filter = builder.generations(3).build_shape(shape).expect("memory");
        let rotating = filter.rotating().expect("it rotates");
        for period in 0..6u64 {
            let of = |period: u64| (period << 32..(period << 32) + 900).map(mix);
            let items: Vec<u64> = of(period).collect();
            filter.insert_many_hash(&items).expect("sized for it");
            let oldest = period.saturating_sub(2);
            assert!(of(oldest).all(|hash| filter.contains_hash(hash)));
            assert_eq!(filter.len() as u64, 900 * (period + 1).min(3));
            rotating.rotate().expect("alone");
        }
        (0..2).for_each(|_| rotating.rotate().expect("alone"));
        assert!(filter.is_empty());
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
fn full(shape: Shape, place: impl Fn(u64) -> u64) -> Box<dyn Hashed> {
    let filter = fixed(shape, 1 << 12, 4_096, None);
    let items = (0..filter.capacity() as u64).map(|item| place(mix(item)));
    // Few fingerprints make classes of many copies.
    items.for_each(|hash| _ = filter.insert_hash(hash));
    assert!(filter.len() * 20 > filter.capacity() * 19, "{filter:?}");
    filter
}

/// As documented, from how many values a fingerprint has and how many of them a lookup compares.
fn rate_of(filter: &dyn Hashed, values: f64) -> f64 {
    let compared = 2.0 * filter.shape().slots() as f64 * filter.load_factor();
    -((-1.0 / values).ln_1p() * compared).exp_m1()
}

/// The share of other items that are found must be near this.
#[track_caller]
fn is_found(filter: &dyn Hashed, lookups: u64, expected: f64, place: impl Fn(u64) -> u64) {
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
        let formula = rate_of(&*filter, values);
        assert!(
            (told / formula - 1.0).abs() < 1e-9,
            "{told} instead of {formula}"
        );
        // So many that chance alone is no more than three per cent.
        let lookups = (1_500.0 / told) as u64;
        if lookups < 15_000_000 {
            is_found(&*filter, lookups, told, |hash| hash);
            let third = filter.capacity() as u64 / 3;
            assert!((0..third).all(|item| filter.remove_hash(mix(item))));
            is_found(&*filter, lookups, filter.false_positive_rate(), |hash| hash);
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
            let expected = rate_of(&*filter, f64::from(1 << WINDOW));
            is_found(&*filter, 1_000_000, expected, place);
        }
    }
}

const SEED: u64 = 0x0123_4567_89ab_cdef;

/// Items of every stored filter; half of them are in twice.
const ITEMS: usize = 14;

fn path(kind: Kind, shape: Shape) -> PathBuf {
    let kind = if kind == Kind::Fixed {
        "fixed"
    } else {
        "rotating"
    };
    let name = format!("{}x{}_{kind}", shape.slots(), shape.fingerprint_bits());
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/layouts");
    PathBuf::from(directory).join(name).with_extension("lfcf")
}

fn golden(kind: Kind, shape: Shape) -> Vec<u8> {
    fs::read(path(kind, shape)).expect("it is in the repository")
}

/// The hashes of the tokens.
fn items() -> Vec<u64> {
    let hasher = lockfree_cuckoo::RandomState::with_seed(SEED);
    let hash = |item: usize| std::hash::BuildHasher::hash_one(&hasher, format!("item {item}"));
    let twice = (0..ITEMS).flat_map(|item| vec![hash(item); 1 + item % 2]);
    twice.collect()
}

/// What is stored there: three ranges, or two generations after a rotation.
fn to_store(kind: Kind, shape: Shape) -> Vec<u8> {
    let built = match kind {
        Kind::Fixed => CuckooFilter::builder()
            .buckets(48)
            .seed(SEED)
            .build_shape(shape),
        _ => RotatingCuckooFilter::builder()
            .buckets(32)
            .seed(SEED)
            .build_shape(shape),
    };
    let mut filter = built.expect("memory");
    filter.insert_many_hash(&items()).expect("room");
    if let Some(rotating) = filter.rotating() {
        rotating.rotate().expect("alone");
        filter.insert_many_hash(&items()).expect("room");
    }
    filter.to_bytes()
}

#[test]
fn stored_filters_are_read_for_ever() {
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        let bytes = golden(kind, shape);
        let mut made = to_store(kind, shape);
        // What a builder makes of a number of buckets may change.
        stored::CAPACITY.set(&mut made, stored::CAPACITY.get(&bytes));
        stored::repair(&mut made);
        assert!(bytes == made, "{kind:?}, {shape}: made again");
        let mut filter = kind.read(&bytes).expect("a filter");
        assert!(filter.to_bytes() == bytes, "written again");
        assert_eq!(filter.shape(), shape);
        let hasher = filter
            .hasher()
            .downcast_ref::<lockfree_cuckoo::RandomState>();
        assert_eq!(hasher.map(|hasher| hasher.seed()), Some(SEED));
        if kind == Kind::Fixed {
            let numbers = [stored::SLOTS, stored::FINGERPRINT_BITS].map(|field| field.get(&bytes));
            assert_eq!(
                numbers,
                [shape.slots() as u64, shape.fingerprint_bits().into()]
            );
            let (layout, geometry) = (model_of(shape), geometry_of(&*filter));
            let tokens = stored::tokens(layout, &bytes).into_iter();
            let mut classes: Vec<Class> = tokens.map(|(at, f)| geometry.class_in(at, f)).collect();
            let mut expected: Vec<Class> = items().iter().map(|&h| geometry.class(h)).collect();
            classes.sort_unstable();
            expected.sort_unstable();
            assert_eq!(classes, expected, "each token in a bucket of its class");
            let mut words = stored::words(&bytes).into_iter();
            assert!(words.all(|word| layout.is_packed(word)));
        }
        if let Some(rotating) = filter.rotating() {
            assert_eq!((rotating.rotations(), rotating.generations()), (1, 2));
            assert_eq!(filter.remove_many_hash(&items()), items().len());
        }
        assert_eq!(filter.remove_many_hash(&items()), items().len());
        assert!(filter.is_empty());
    }
}

/// Writes the files of a layout. Only for a new layout: those that exist must stay as they are.
#[test]
#[ignore = "it writes the files that the other tests rely on"]
fn write_golden_files() {
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        let path = path(kind, shape);
        if !path.exists() {
            fs::write(path, to_store(kind, shape)).expect("a place to write to");
        }
    }
}

#[test]
fn a_cut_or_a_flipped_bit_is_found() {
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        nothing_passes(kind, &golden(kind, shape));
    }
}

/// Works with what was read of `bytes`.
fn works(bytes: &[u8], mut filter: Box<dyn Hashed>) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    let len = filter.len();
    assert!(len <= filter.slots());
    let copy = filter.snapshot().expect("nobody disturbs it");
    assert_eq!(copy.len(), len);
    let mut added = Vec::new();
    for hash in (0..8).map(mix) {
        let before = filter.count_hash(hash);
        assert_eq!(filter.contains_hash(hash), before > 0);
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.count_hash(hash) > before);
            assert_eq!(filter.insert_unique_hash(hash), Ok(false));
            added.push(hash);
        }
    }
    assert_eq!(filter.len(), len + added.len());
    assert_eq!(filter.remove_many_hash(&added), added.len());
    assert_eq!(filter.len(), len);
    filter.clear();
    assert!(filter.is_empty());
}

/// Each token that the words of a filter of a fixed size say is found and removed, and nothing is left.
fn holds_what_its_words_say(bytes: &[u8], filter: &dyn Hashed) {
    let (layout, geometry) = (model_of(filter.shape()), geometry_of(filter));
    let mut words = stored::words(bytes).into_iter();
    assert!(words.all(|word| layout.is_packed(word)));
    let tokens = stored::tokens(layout, bytes).into_iter();
    let hashes: Vec<u64> = tokens.map(|(at, f)| geometry.hash(at, f, 0)).collect();
    let emptied = filter.snapshot().expect("nobody disturbs it");
    assert!(has_all(&*emptied, &hashes));
    assert_eq!(emptied.remove_many_hash(&hashes), hashes.len());
    assert!(emptied.is_empty());
}

#[test]
fn with_repaired_checksums_it_is_an_error_or_a_filter_that_works() {
    for (kind, shape) in kinds().filter(|&(kind, _)| kind != Kind::Growing) {
        let bytes = golden(kind, shape);
        let mut passed = 0;
        for bit in 0..8 * bytes.len() {
            let mut changed = flipped(&bytes, bit);
            stored::repair(&mut changed);
            if let Ok(filter) = kind.read(&changed) {
                if kind == Kind::Fixed && filter.shape() == shape {
                    holds_what_its_words_say(&changed, &*filter);
                }
                works(&changed, filter);
                passed += 1;
            }
        }
        // Other fingerprints make another filter, so most bits of the tokens may be flipped.
        let least = items().len() * (shape.fingerprint_bits() as usize - 4) / 2;
        assert!(passed > least, "{kind:?}, {shape}: {passed}");
    }
}

/// Words of one layout under the header of another, with checksums that match.
#[test]
fn words_of_another_layout_are_refused_or_make_a_sound_filter() {
    for from in Shape::ALL {
        let filter = Kind::Fixed.build(from, 300);
        (0..200).for_each(|item| filter.insert_hash(mix(item)).expect("room"));
        let bytes = filter.snapshot_to_bytes().expect("quiet");
        for to in Shape::ALL {
            let mut relabelled = bytes.clone();
            stored::FINGERPRINT_BITS.set(&mut relabelled, to.fingerprint_bits().into());
            let slots = (to.value_bits() << 4) as u64 + to.slots() as u64;
            stored::SLOTS.set(&mut relabelled, slots);
            stored::repair(&mut relabelled);
            match Kind::Fixed.read(&relabelled) {
                Ok(filter) => {
                    assert_eq!(filter.shape(), to);
                    works(&relabelled, filter);
                }
                Err(ReadError::Malformed { .. }) => assert_ne!(from, to),
                Err(error) => panic!("{from} as {to}: {error}"),
            }
        }
    }
}

#[test]
fn a_word_is_a_bucket_or_an_error() {
    plain().for_each(a_word_of_this_layout_is_a_bucket_or_an_error);
}

fn a_word_of_this_layout_is_a_bucket_or_an_error(shape: Shape) {
    let (layout, bytes) = (model_of(shape), golden(Kind::Fixed, shape));
    let others =
        stored::tokens(layout, &bytes).len() - layout.tokens(stored::words(&bytes)[0]).count();
    let read_with = |word: u64| {
        let mut bytes = bytes.clone();
        stored::set_word(&mut bytes, 0, word);
        // Whatever number goes with it, for a reader may count a word that is no bucket in its own way.
        let counts = (0..=shape.slots()).filter(|&count| {
            let mut bytes = bytes.clone();
            stored::ITEMS.set(&mut bytes, (others + count) as u64);
            stored::repair(&mut bytes);
            match Kind::Fixed.read(&bytes) {
                Ok(filter) => {
                    holds_what_its_words_say(&bytes, &*filter);
                    true
                }
                Err(ReadError::Malformed { .. }) => false,
                Err(error) => panic!("{word:#018x}, {count} tokens: {error}"),
            }
        });
        counts.collect::<Vec<_>>()
    };
    let mut buckets = 0;
    let mut check = |word: u64| {
        let is_bucket = layout.is_packed(word);
        let expected = is_bucket.then(|| layout.tokens(word).count());
        assert_eq!(read_with(word), Vec::from_iter(expected), "{word:#018x}");
        buckets += usize::from(is_bucket);
    };
    for random in (0..300).map(mix) {
        for shift in [0, 1, 8, 31, 48] {
            check(random >> shift);
            check(random << shift);
        }
        // All values of the code and of the tag, with vacant lanes and without.
        check(random << 48);
        check(layout.reference(random as usize % 1_000, random));
        let fingerprints = (0..random as usize % (shape.slots() + 1))
            .map(|at| layout.fingerprint(mix(random ^ at as u64)));
        check(fingerprints.fold(0, |bucket, f| layout.with(bucket, f).expect("room")));
    }
    assert!(buckets > 300, "only {buckets} of them were buckets");
}
