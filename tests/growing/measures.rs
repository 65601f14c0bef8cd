//! The measures, at one segment and at several.

use model::mix;

use crate::{as_given, short};

use super::Chain;

fn seeded(capacity: usize, factor: usize, seed: u64) -> Chain {
    let builder = Chain::builder().capacity(capacity).seed(seed);
    builder.growth_factor(factor).build().expect("memory")
}

#[test]
fn the_sums_are_right_at_every_size() {
    let filter = short(8, 2);
    let (mut segments, mut memory, mut capacity) = (1, filter.memory_usage(), 0);
    for item in 0..20_000u64 {
        assert_eq!(filter.len() as u64, item);
        assert_eq!(filter.is_empty(), item == 0);
        filter.insert(&item).expect("memory");
        if filter.segments() == segments {
            assert_eq!(filter.memory_usage(), memory, "it grows by segments only");
        } else {
            assert_eq!(filter.segments(), segments + 1, "one at a time");
            assert!(filter.memory_usage() > memory && filter.capacity() > capacity);
        }
        (segments, memory, capacity) =
            (filter.segments(), filter.memory_usage(), filter.capacity());
        if item % 100 == 0 {
            let load = filter.len() as f64 / filter.slots() as f64;
            assert!((filter.load_factor() - load).abs() < 1e-12);
            assert!(load <= 1.0 && filter.capacity() <= filter.slots());
        }
    }
    // Eight at first, and twice as many each time.
    assert_eq!(filter.slots(), 8 * ((1 << segments) - 1));
    // Words of four slots are nearly all there is.
    assert!(filter.memory_usage() > filter.slots() * 2);
    assert!(filter.memory_usage() < filter.slots() * 4 + segments * 80_000);
}

/// A segment takes what it is said to before another one comes.
#[test]
fn holds_its_capacity_in_one_segment() {
    for capacity in [8, 100, 1_000, 20_000] {
        for seed in 0..50 {
            let filter = seeded(capacity, 2, seed);
            for item in 0..capacity {
                filter.insert(&item).expect("memory");
            }
            assert_eq!(filter.segments(), 1, "capacity {capacity}, seed {seed}");
            assert!(filter.capacity() >= capacity);
        }
    }
}

/// Segments are full when the next one comes: no memory is wasted.
#[test]
fn does_not_grow_before_it_is_full() {
    let filter = as_given(1_000);
    let mut segments = 1;
    let mut growths = 0;
    for item in 0..60_000 {
        let load = filter.load_factor();
        filter.insert_hash(mix(item)).expect("memory");
        if filter.segments() > segments {
            assert!(load > 0.9, "it grew at a load of {load}");
            segments = filter.segments();
            growths += 1;
        }
    }
    assert!(growths >= 4, "{growths}");
}

/// The observed number of wrong answers is within five standard deviations of the expected one.
#[test]
fn the_false_positive_rate_is_as_told() {
    const PROBES: u64 = 1_000_000;
    for (capacity, factor, items) in [
        (60_000, 2, 60_000),
        (1_000, 2, 60_000),
        (100, 2, 100_000),
        (500, 4, 150_000),
        (8, 2, 60_000),
    ] {
        let (mut expected, mut observed, mut segments) = (0.0, 0.0, 0);
        for seed in 0..4 {
            let filter = seeded(capacity, factor, seed);
            for item in 0..items {
                filter.insert(&item).expect("memory");
            }
            segments = filter.segments();
            let rate = filter.false_positive_rate();
            assert!(rate <= segments as f64 * 0.000_122_1);
            expected += rate * PROBES as f64;
            let absent = items..items + PROBES;
            observed += absent.filter(|item| filter.contains(item)).count() as f64;
        }
        let deviation = expected.sqrt();
        assert!(
            (observed - expected).abs() < 5.0 * deviation,
            "{segments} segments: {observed} wrong answers, not {expected:.0}"
        );
    }
}

#[test]
fn an_empty_filter_is_never_wrong() {
    let filter = as_given(1_000);
    assert_eq!(filter.false_positive_rate().to_bits(), 0);
    assert_eq!(filter.load_factor().to_bits(), 0);
    assert!((0..1_000).all(|item| !filter.contains_hash(mix(item))));
}
