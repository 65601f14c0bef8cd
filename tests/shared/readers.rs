//! A process that cannot write.

use std::fs::File;

use lockfree_cuckoo::filter::{Dyn, Fixed, Kind};
use lockfree_cuckoo::layout::{Lanes, Shape};
use lockfree_cuckoo::{
    CuckooFilter, RotatingCuckooFilter, SharedError, SharedFilter, SharedReader,
};

use crate::{filter, path_of};

#[test]
fn a_reader_finds_what_others_insert() {
    let filter = filter(1_000);
    let file = File::open(path_of(&filter)).expect("to read");
    let reader = SharedReader::<Fixed>::attach(&file).expect("a filter");
    for item in 0..1_000u32 {
        assert!(!reader.contains(&item) || filter.contains(&item));
        filter.insert(&item).expect("room");
        assert!(reader.contains(&item));
    }
    assert_eq!((reader.len(), reader.capacity()), (1_000, 1_000));
    let (items, mut found) = ([1u32, 2, 5_000], [false; 3]);
    reader.contains_many(&items, &mut found);
    assert_eq!(found[..2], [true, true]);
    // It cannot be written to by this descriptor.
    assert!(matches!(
        SharedFilter::<Fixed>::attach(&file),
        Ok(_) | Err(SharedError::Io(_))
    ));
}

/// A reader of any filter has its measures, and looks up what only some have.
#[test]
fn a_reader_has_the_measures_of_the_filter() {
    fn alike(filter: &SharedFilter<Dyn>, reader: &SharedReader<Dyn>) {
        assert_eq!(
            (reader.kind(), reader.shape()),
            (filter.kind(), filter.shape())
        );
        let sizes = (reader.slots(), reader.capacity(), reader.memory_usage());
        assert_eq!(
            sizes,
            (filter.slots(), filter.capacity(), filter.memory_usage())
        );
        let rates = (reader.load_factor(), reader.false_positive_rate());
        assert_eq!(rates, (filter.load_factor(), filter.false_positive_rate()));
        assert_eq!(
            (reader.len(), reader.is_full()),
            (filter.len(), filter.is_full())
        );
    }
    let valued = Shape::of::<Lanes<3, 13, 8>>();
    let fixed = || CuckooFilter::builder().capacity(10);
    let rotating = || RotatingCuckooFilter::builder().capacity(10).generations(3);
    for filter in [
        fixed().build_shared_shape(valued),
        fixed().build_shared_smallest(0.01),
        rotating().build_shared_shape(Shape::of::<Lanes<2, 31>>()),
        rotating().build_shared_smallest(0.01),
    ] {
        let filter = filter.expect("memory");
        let reader = SharedReader::<Dyn>::attach(&filter).expect("a filter");
        alike(&filter, &reader);
        for item in 0..10u32 {
            filter.insert(&item).expect("room");
        }
        assert!(reader.is_full());
        alike(&filter, &reader);
        let hash = filter.hash_one(&5u32);
        let absent = hash ^ 1 << 63 ^ 1;
        let mut values = [Some(9); 2];
        reader.value_many_hash(&[hash, absent], &mut values);
        match filter.valued() {
            Some(filter) => {
                assert_eq!(
                    (reader.value_hash(hash), values),
                    (Some(0), [Some(0), None])
                );
                assert_eq!(filter.replace_value_hash(hash, 0, 17), Ok(true));
                assert_eq!(reader.value_hash(hash), Some(17));
                assert_eq!(reader.value_hash(absent), None);
            }
            None => assert_eq!((reader.value_hash(hash), values), (None, [None; 2])),
        }
        match filter.rotating() {
            Some(filter) => {
                assert_eq!(
                    (reader.kind(), reader.rotations()),
                    (Kind::Rotating, Some(0))
                );
                assert_eq!(reader.generations(), Some(3));
                for age in 0..3 {
                    assert_eq!(reader.age_hash(hash), Some(age));
                    filter.rotate().expect("alone");
                }
                assert_eq!((reader.age_hash(hash), reader.rotations()), (None, Some(3)));
            }
            None => {
                let all = (
                    reader.rotations(),
                    reader.generations(),
                    reader.age_hash(hash),
                );
                assert_eq!(all, (None, None, None));
            }
        }
    }
}
