//! Every layout of a bucket: tests besides the sequences of calls in `oracle` and the threads in
//! `threads`.
//!
//! 1. Every operation works with every layout, in fixed, rotating and growing filters.
//! 2. The load and the rate of false positives are those that the layout promises.
//!
//! `golden` has files of earlier versions, and `damage` has damaged bytes.

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, Filter, ReadError, RotatingCuckooFilter,
    filter::{Fixed, Kind},
    layout::{Lanes, Layout, SemiSorted, Shape},
};
use model::mix;

use crate::door::{Subject, empty, fixed, model_of, plain, read_as};

/// A filter of each type is cloned, and reads its own layout, which is known from the type.
#[test]
fn typed_filters() {
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

/// A filter that rotates forgets with every layout.
#[test]
fn rotating_filters_forget() {
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
        // The first copy has expired, the second one has not.
        assert_eq!((filter.count_hash(mix(1)), filter.len()), (1, 2));
        let bytes = filter.to_bytes().expect("memory");
        let read = read_as(Kind::Rotating, &bytes).expect("valid");
        assert_eq!(read.rotating().map(|read| read.rotations()), Some(11));
    }
}

/// A fixed filter has values if its layout has room for them. The calls by hash give the same
/// results as the methods of a filter with its layout in its type.
#[test]
fn values_by_layout() {
    for &shape in Shape::ALL {
        let filter = empty(Kind::Fixed, shape, 300);
        assert!(empty(Kind::Rotating, shape, 300).valued().is_none());
        let Some(valued) = filter.valued() else {
            assert_eq!(shape.value_bits(), 0, "{shape}");
            continue;
        };
        let most = valued.max_value();
        assert_eq!(u32::from(most) + 1, 1 << shape.value_bits(), "{shape}");
        assert_eq!(valued.insert_value_hash(mix(1), most), Ok(()));
        assert_eq!(valued.insert_unique_value_hash(mix(1), 0), Ok(Some(most)));
        assert_eq!(valued.insert_unique_value_hash(mix(2), 3), Ok(None));
        assert_eq!(valued.replace_value_hash(mix(2), 3, 4), Ok(true));
        let mut values = [Some(0); 3];
        valued.value_many_hash(&[mix(1), mix(2), mix(3)], &mut values);
        assert_eq!(values, [Some(most), Some(4), None], "{shape}");
        assert_eq!(valued.insert_value_hash(mix(2), 5), Ok(()));
        assert_eq!(valued.values_hash(mix(2)).map(u32::from).sum::<u32>(), 9);
        assert!(valued.remove_value_hash(mix(2), 4) && !valued.remove_value_hash(mix(2), 4));
        assert_eq!(valued.value_hash(mix(2)), Some(5), "{shape}");
        assert!(valued.insert_value_hash(mix(3), most + 1).is_err());
        assert_eq!(filter.len(), 2);
        // A copy of the filter has the values too.
        let copy = filter.snapshot().expect("alone");
        let copied = copy.valued().map(|copy| copy.value_hash(mix(1)));
        assert_eq!(copied, Some(Some(most)), "{shape}");
    }
}

/// A filter of a fixed size has one table and no limit. The calls for growing filters do nothing to
/// others.
#[test]
fn fixed_size_has_no_limit() {
    for &shape in Shape::ALL {
        let mut fixed = empty(Kind::Fixed, shape, 300);
        let memory = fixed.memory_usage();
        fixed.set_max_memory_usage(0);
        fixed.shrink_to_fit();
        assert!(fixed.rotating().is_none() && fixed.finish_doubling());
        assert_eq!((fixed.memory_usage(), fixed.tables()), (memory, 1));
    }
}

/// The first refusal of a large table, with the default search budget, comes at its load, which
/// does not depend on the bits.
#[test]
fn load_at_first_refusal() {
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

/// Returns a nearly full filter of random items, which `place` derives from numbers.
fn full(shape: Shape, place: impl Fn(u64) -> u64) -> Subject {
    let filter = fixed(shape, 1 << 12, 4_096, None);
    let items = (0..filter.capacity() as u64).map(|item| place(mix(item)));
    // With few fingerprints, classes have many copies.
    items.for_each(|hash| _ = filter.insert_hash(hash));
    assert!(filter.len() * 20 > filter.capacity() * 19, "{filter:?}");
    filter
}

/// Returns the documented rate, from the number of values of a fingerprint and of compared slots.
fn rate_of(filter: &Subject, values: f64) -> f64 {
    let compared = 2.0 * filter.shape().slots() as f64 * filter.load_factor();
    -((-1.0 / values).ln_1p() * compared).exp_m1()
}

/// Checks that the share of absent items that are found is near this.
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

/// The measured rate is the one that the filter gives.
#[test]
fn measured_rate() {
    for shape in plain() {
        let filter = full(shape, |hash| hash);
        let told = filter.false_positive_rate();
        let values = f64::from(*model_of(shape).fingerprints().end());
        let formula = rate_of(&filter, values);
        assert!(
            (told / formula - 1.0).abs() < 1e-9,
            "{told} instead of {formula}"
        );
        // As many lookups as limit the random error to three per cent.
        let lookups = (1_500.0 / told) as u64;
        if lookups < 15_000_000 {
            is_found(&filter, lookups, told, |hash| hash);
            let third = filter.capacity() as u64 / 3;
            assert!((0..third).all(|item| filter.remove_hash(mix(item))));
            is_found(&filter, lookups, filter.false_positive_rate(), |hash| hash);
        }
    }
}

/// For items that agree in all bits of the fingerprint but twelve, the rate is that of 12-bit
/// fingerprints, whichever twelve. So each bit is stored and compared, in each slot, and the rate
/// is the product.
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
