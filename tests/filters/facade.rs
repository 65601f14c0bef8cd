//! What one filter can do, all can: the same life for the fixed, the growing and the rotating filters.
//!
//! 1. Each has every constructor and every option that they share.
//! 2. Each takes items one by one, in batches, by hash, from iterators, and through a trait object.
//! 3. An empty filter like it has its size, hasher and limits, and nothing of its content.
//! 4. A clone, a snapshot and what is read from the stored form answer as the filter did.

use std::hash::{BuildHasherDefault, DefaultHasher};

use lockfree_cuckoo::{
    CuckooFilter, GrowingCuckooFilter, Hashed, InsertError, RandomState, ReadError,
    RotatingCuckooFilter,
};

/// The same tests for one kind of filter, which takes `u64`, and has this number of tables.
macro_rules! tests_of {
    ($module:ident: $filter:ident, $grows:expr, $tables:expr) => {
        mod $module {
            use super::*;

            type Filter<S = RandomState> = $filter<S>;
            type Fixed = BuildHasherDefault<DefaultHasher>;

            fn seeded(capacity: usize) -> Filter {
                let builder = Filter::builder().capacity(capacity).seed(7);
                builder.build().expect("memory")
            }

            fn filled() -> Filter {
                let mut filter = seeded(1_000);
                filter.extend(0..500u64);
                filter
            }

            fn has_all(filter: &Filter) -> bool {
                filter.len() == 500 && (0..500u64).all(|item| filter.contains(&item))
            }

            #[test]
            fn every_constructor_makes_the_same_size() {
                let hasher = || RandomState::with_seed(7);
                let filters = [
                    Filter::with_capacity(1_000),
                    Filter::try_with_capacity(1_000).expect("memory"),
                    Filter::with_capacity_and_hasher(1_000, hasher()),
                    Filter::try_with_capacity_and_hasher(1_000, hasher()).expect("memory"),
                    seeded(1_000),
                    Filter::builder()
                        .hasher(hasher())
                        .capacity(1_000)
                        .build()
                        .expect("memory"),
                ];
                for filter in filters {
                    assert!(filter.is_empty() && filter.capacity() >= 1_000);
                    assert_eq!(filter.slots(), seeded(1_000).slots());
                }
                assert!(Filter::try_with_capacity(usize::MAX).is_err());
                let error = Filter::builder().buckets(127).build().unwrap_err();
                assert_eq!(error.possible(), Some(128));
                let slots = Filter::builder()
                    .buckets(128)
                    .build()
                    .expect("memory")
                    .slots();
                // A table that is spare holds nothing.
                assert_eq!(slots, [512, 2 * 512][usize::from($tables > 2)]);
            }

            #[test]
            fn the_limits_of_a_builder_are_kept() {
                let error = Filter::builder().search_budget(1).build().unwrap_err();
                assert_eq!(error.possible(), Some(2));
                let least = seeded(1_000).memory_usage();
                let limited = |bytes| Filter::builder().capacity(1_000).max_memory_usage(bytes);
                assert_eq!(
                    limited(least).build().expect("enough").memory_usage(),
                    least
                );
                let error = limited(least - 1).build().unwrap_err();
                assert_eq!(
                    (error.requested(), error.possible()),
                    (least - 1, Some(least))
                );
            }

            #[test]
            fn items_go_in_and_out_by_every_door() {
                let filter = seeded(1_000);
                filter.insert(&1u64).expect("room");
                filter.insert_many(&[2u64, 3]).expect("room");
                (&filter).extend([4, 5u64]);
                filter.insert_hash(filter.hash_one(&6u64)).expect("room");
                let mut added = [false; 3];
                filter
                    .insert_unique_many(&[6u64, 7, 7], &mut added)
                    .expect("room");
                assert_eq!(added, [false, true, false]);
                let mut found = [false; 9];
                filter.contains_many(&[0u64, 1, 2, 3, 4, 5, 6, 7, 8], &mut found);
                assert_eq!(found, [0, 1, 1, 1, 1, 1, 1, 1, 0].map(|bit| bit == 1));
                assert_eq!((filter.len(), filter.count(&7u64)), (7, 1));
                assert!(filter.remove(&1u64) && !filter.remove(&1u64));
                assert_eq!(filter.remove_many(&[2u64, 3, 3]), 2);
                assert_eq!(filter.len(), 4);
            }

            #[test]
            fn a_trait_object_is_the_filter() {
                let filter = filled();
                let hash = |item: u64| filter.hash_one(&item);
                let (inside, outside) = (hash(3), hash(1 << 40));
                let object: &dyn Hashed = &filter;
                assert!(object.contains_hash(inside) && !object.contains_hash(outside));
                assert!(object.insert_unique_hash(outside).expect("room"));
                object.insert_hash(outside).expect("room");
                assert_eq!(object.count_hash(outside), 2);
                assert!(object.remove_hash(outside));
                assert_eq!(object.remove_many_hash(&[outside, outside]), 1);
                object.insert_many_hash(&[outside]).expect("room");
                let mut bits = [false; 2];
                object
                    .insert_unique_many_hash(&[inside, outside], &mut bits)
                    .expect("room");
                assert_eq!(bits, [false; 2]);
                object.contains_many_hash(&[inside, outside], &mut bits);
                assert_eq!(bits, [true; 2]);
                assert_eq!((object.len(), object.is_empty()), (501, false));
                assert_eq!(object.capacity(), filter.capacity());
                assert_eq!(object.slots(), filter.slots());
                assert_eq!(object.load_factor(), filter.load_factor());
                assert_eq!(object.memory_usage(), filter.memory_usage());
                assert_eq!(object.false_positive_rate(), filter.false_positive_rate());
                assert_eq!(format!("{object:?}"), format!("{filter:?}"));
            }

            #[test]
            fn an_empty_filter_like_it_is_like_it() {
                let filter = filled();
                let fresh = filter.fresh().expect("memory");
                assert!(fresh.is_empty() && has_all(&filter));
                assert_eq!(fresh.capacity(), seeded(1_000).capacity());
                assert_eq!(fresh.memory_usage(), seeded(1_000).memory_usage());
                assert_eq!(fresh.hasher().seed(), 7);
                assert!((0..500u64).all(|item| !fresh.contains(&item)));
            }

            #[test]
            fn limits_go_over_to_what_is_made_of_a_filter() {
                let start = seeded(8).memory_usage();
                let builder = Filter::builder()
                    .capacity(8)
                    .seed(7)
                    .max_memory_usage(start);
                let mut filter = builder.build().expect("enough");
                let stored = filter.snapshot().expect("memory").to_bytes();
                let others = [
                    filter.fresh().expect("memory"),
                    filter.try_clone().expect("memory"),
                    filter.snapshot().expect("memory"),
                    Filter::from_bytes(&stored).expect("valid"),
                ];
                for other in others {
                    let error = (0..1_000u64).find_map(|item| other.insert(&item).err());
                    match error.expect("a limit") {
                        InsertError::CannotGrow { .. } => assert!($grows),
                        InsertError::Full { .. } => assert!(!$grows),
                        error => panic!("{error}"),
                    }
                    assert!(other.memory_usage() <= start);
                }
            }

            #[test]
            fn copies_answer_as_the_filter_did() {
                let mut filter = filled();
                let bytes = filter.to_bytes();
                let mut written = Vec::new();
                filter.write_to(&mut written).expect("memory");
                assert_eq!(written, bytes);
                for copy in [
                    filter.try_clone().expect("memory"),
                    filter.snapshot().expect("memory"),
                    Filter::from_bytes(&bytes).expect("valid"),
                    Filter::read_from(bytes.as_slice()).expect("valid"),
                ] {
                    assert!(has_all(&copy));
                    assert!(copy.remove(&0u64) && filter.contains(&0u64));
                }
            }

            #[test]
            fn a_custom_hasher_is_recognized() {
                let mut filter = Filter::with_capacity_and_hasher(100, Fixed::default());
                filter.insert(&1u64).expect("room");
                let bytes = filter.to_bytes();
                let again = Filter::from_bytes_with_hasher(&bytes, Fixed::default());
                assert!(again.expect("the same").contains(&1u64));
                let reader = bytes.as_slice();
                let again = Filter::read_from_with_hasher(reader, Fixed::default());
                assert!(again.expect("the same").contains(&1u64));
                assert!(matches!(
                    Filter::from_bytes(&bytes),
                    Err(ReadError::HasherNeeded)
                ));
            }

            #[test]
            fn a_set_is_collected() {
                let filter: Filter = (0..10_000u64).map(|item| item % 5_000).collect();
                assert_eq!(filter.len(), 5_000);
                assert!((0..5_000u64).all(|item| filter.contains(&item)));
                let bits = 8.0 * filter.memory_usage() as f64 / 5_000.0;
                assert!(bits < 32.0 * f64::from($tables), "{bits} bits an item");
            }

            #[test]
            fn clear_leaves_nothing_and_goes_on() {
                let mut filter = filled();
                filter.clear();
                assert!(filter.is_empty() && !filter.contains(&1u64));
                filter.insert(&1u64).expect("room");
                assert_eq!((filter.len(), filter.contains(&1u64)), (1, true));
            }

            #[test]
            fn threads_share_it_whatever_they_do() {
                let filter = seeded(4_000);
                std::thread::scope(|scope| {
                    for thread in 0..4u64 {
                        let filter = &filter;
                        scope.spawn(move || {
                            let own = thread * 1_000..(thread + 1) * 1_000;
                            own.clone()
                                .for_each(|item| filter.insert(&item).expect("room"));
                            assert!(own.clone().all(|item| filter.contains(&item)));
                            assert!(own.step_by(2).all(|item| filter.remove(&item)));
                        });
                    }
                });
                assert_eq!(filter.len(), 2_000);
            }
        }
    };
}

tests_of!(fixed: CuckooFilter, false, 1);
// Half of the words may be new, and those before are given back when all threads have left them.
tests_of!(growing: GrowingCuckooFilter, true, 2);
tests_of!(rotating: RotatingCuckooFilter, false, 3);
