//! The public surface: traits, conversions, texts, and what must never change.
//!
//! 1. Filters are `Send`, `Sync`, `UnwindSafe` and `RefUnwindSafe`, with any hasher that is; a panic in an
//!    item's `Hash` leaves the filter as it was.
//! 2. A clone answers as the original; `clear` makes a filter as good as new; `Extend` takes items and
//!    references and panics with the text of the refusal.
//! 3. Typed calls and calls by hash agree; `str`, `String`, `&str` and their like are one item.
//! 4. The hashes of the seeded state are the same for ever.
//! 5. Errors are `Error`s, can be compared, and their texts hold the numbers.
//! 6. Debug output tells the measures and never the seed.

use std::collections::hash_map;
use std::error::Error;
use std::hash::{BuildHasher, Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::{
    BuildError, CuckooFilter, CuckooFilterBuilder, Engine, Filter, GrowingCuckooFilter,
    InsertError, RandomState, RotatingCuckooFilter, SeededHasher, hash_bytes,
};
use model::hashers::{AsGiven, Narrow};

use crate::door::of_each_engine;

fn assert_shareable<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}

#[test]
fn everything_can_be_shared_between_threads_and_across_panics() {
    assert_shareable::<CuckooFilter>();
    assert_shareable::<CuckooFilter<hash_map::RandomState>>();
    assert_shareable::<CuckooFilter<AsGiven>>();
    assert_shareable::<Arc<CuckooFilter>>();
    assert_shareable::<CuckooFilterBuilder>();
    assert_shareable::<GrowingCuckooFilter>();
    assert_shareable::<GrowingCuckooFilter<AsGiven>>();
    assert_shareable::<RotatingCuckooFilter>();
    assert_shareable::<RandomState>();
    assert_shareable::<SeededHasher>();
    assert_shareable::<BuildError>();
    assert_shareable::<InsertError>();
}

/// An item whose hash panics.
struct Bad;

impl Hash for Bad {
    fn hash<H: Hasher>(&self, _: &mut H) {
        panic!("a bad item");
    }
}

#[test]
fn a_panic_in_a_hash_leaves_the_filter_as_it_was() {
    fn check<E: Engine>() {
        let filter = Filter::<E>::with_capacity(100);
        filter.insert("a").expect("room");
        // No AssertUnwindSafe: a filter may be used after a panic by design.
        assert!(catch_unwind(|| filter.insert(&Bad)).is_err());
        assert!(catch_unwind(|| filter.insert_unique(&Bad)).is_err());
        assert!(catch_unwind(|| filter.contains(&Bad)).is_err());
        assert!(catch_unwind(|| filter.remove(&Bad)).is_err());
        assert!(filter.contains("a"));
        assert_eq!(filter.len(), 1);
    }
    of_each_engine!(check);
}

/// The one that drops it need not be the one that made it.
#[test]
fn the_last_owner_drops_a_filter() {
    fn check<E: Engine>() {
        let filter = Arc::new(Filter::<E>::with_capacity(2_000));
        let workers = [0, 1].map(|worker| {
            let filter = Arc::clone(&filter);
            thread::spawn(move || {
                for item in 0..1_000 {
                    filter.insert(&(worker, item)).expect("sized for it");
                }
                filter.len()
            })
        });
        drop(filter);
        for worker in workers {
            assert!(worker.join().expect("no panic") >= 1_000);
        }
    }
    of_each_engine!(check);
}

#[test]
fn a_filter_needs_no_hasher_that_hashes_to_be_measured() {
    // The calls by hash, and the measures, ask nothing of the hasher's type.
    fn measured<S>(filter: &CuckooFilter<S>) -> (usize, bool) {
        assert!(filter.insert_hash(1 << 60 | 5).is_ok());
        (filter.len(), filter.contains_hash(1 << 60 | 5))
    }
    assert_eq!(measured(&CuckooFilter::with_capacity(10)), (1, true));
}

#[test]
fn extends_by_items_and_by_references() {
    let mut filter = CuckooFilter::with_capacity(100);
    filter.extend(0..10u32);
    filter.extend(&[10u32, 11]);
    filter.extend([0u32]);
    filter.extend(["a", "b"]);
    filter.extend(vec![String::from("c")]);
    assert!((0..12u32).all(|item| filter.contains(&item)));
    assert_eq!((filter.count(&0u32), filter.len()), (2, 16));
    assert!(["a", "b", "c"].iter().all(|item| filter.contains(item)));
}

fn calls_agree<S: BuildHasher>(filter: &CuckooFilter<S>, item: &(impl Hash + ?Sized)) {
    let hash = filter.hash_one(item);
    assert_eq!(hash, filter.hasher().hash_one(item));
    filter.insert(item).expect("room");
    filter.insert_hash(hash).expect("room");
    assert_eq!((filter.count(item), filter.count_hash(hash)), (2, 2));
    assert_eq!(filter.insert_unique(item), Ok(false));
    assert_eq!(filter.insert_unique_hash(hash), Ok(false));
    assert!(filter.remove(item) && filter.remove_hash(hash));
    assert!(!filter.contains(item) && !filter.contains_hash(hash));
    assert!(!filter.remove(item) && !filter.remove_hash(hash));
    assert_eq!(filter.insert_unique_hash(hash), Ok(true));
    assert!(filter.contains(item) && filter.remove(item));
    assert!(filter.is_empty());
}

#[test]
fn typed_calls_and_calls_by_hash_agree() {
    fn with<S: BuildHasher>(filter: &CuckooFilter<S>) {
        calls_agree(filter, &7u64);
        calls_agree(filter, "seven");
        calls_agree(filter, &(7u8, "seven", [7u16; 7]));
        calls_agree(filter, &[7u8, 7][..]);
        calls_agree(filter, &());
    }
    with(&CuckooFilter::with_capacity(10));
    with(&CuckooFilter::with_capacity_and_hasher(
        10,
        hash_map::RandomState::new(),
    ));
    with(&CuckooFilter::with_capacity_and_hasher(
        10,
        Narrow { mask: u64::MAX },
    ));
}

#[test]
fn borrowed_and_owned_forms_are_one_item() {
    let filter = CuckooFilter::with_capacity(100);
    filter.insert("flow").expect("room");
    assert!(filter.contains(&"flow"));
    assert!(filter.contains(&String::from("flow")));
    assert!(filter.contains(&Box::<str>::from("flow")));
    assert_eq!(filter.hash_one("flow"), filter.hash_one(&&&"flow"));
    filter.insert(&vec![1u8, 2, 3]).expect("room");
    assert!(filter.contains(&[1u8, 2, 3][..]));
    assert!(!filter.contains(&[1u8, 2][..]));
    assert!(filter.remove(&[1u8, 2, 3][..]));
}

#[test]
fn seeds_decide_everything() {
    let of = |seed| CuckooFilter::builder().seed(seed).build().expect("memory");
    assert_eq!(of(1).hash_one("a"), of(1).hash_one("a"));
    assert_eq!(of(1).hash_one("a"), RandomState::with_seed(1).hash_one("a"));
    assert_ne!(of(1).hash_one("a"), of(2).hash_one("a"));
    assert_eq!(RandomState::with_seed(9).seed(), 9);
    // Without one, no two filters agree.
    let random: Vec<u64> = (0..8)
        .map(|_| CuckooFilter::with_capacity(1).hash_one("a"))
        .collect();
    for (at, hash) in random.iter().enumerate() {
        assert!(!random[..at].contains(hash), "a seed came twice");
    }
    assert_ne!(RandomState::new().seed(), RandomState::default().seed());
}

/// Widths are part of the value: 7u8 and 7u64 are different items, while sizes are 64 bits everywhere.
#[test]
fn integers_hash_by_width() {
    let state = RandomState::with_seed(5);
    assert_ne!(state.hash_one(7u8), state.hash_one(7u16));
    assert_ne!(state.hash_one(7u32), state.hash_one(7u64));
    assert_eq!(state.hash_one(7usize), state.hash_one(7u64));
    assert_eq!(state.hash_one(-7isize), state.hash_one(-7i64));
    assert_eq!(
        state.hash_one(-7i32),
        state.hash_one((-7i32).cast_unsigned())
    );
}

/// Filters are stored and sent: these values must never change, in no release and on no machine.
#[test]
fn the_seeded_hashes_never_change() {
    let text = "The quick brown fox jumps over the lazy dog, and again, and again, until the hash has seen \
                more than one block of one hundred and twelve bytes.";
    let golden = |seed: u64| {
        let state = RandomState::with_seed(seed);
        [
            state.hash_one(0x12u8),
            state.hash_one(0x1234u16),
            state.hash_one(0x1234_5678u32),
            state.hash_one(0x1234_5678_9abc_def0u64),
            state.hash_one(0x1234_5678_9abc_def0_0fed_cba9_8765_4321u128),
            state.hash_one(0x1234_5678usize),
            state.hash_one(-0x12i8),
            state.hash_one(-0x1234i16),
            state.hash_one(-0x1234_5678i32),
            state.hash_one(-0x1234_5678_9abc_def0i64),
            state.hash_one(-0x1234_5678_9abc_def0_0fed_cba9_8765_4321i128),
            state.hash_one(-0x1234_5678isize),
            state.hash_one(""),
            state.hash_one("flow"),
            state.hash_one(text),
            state.hash_one(&b""[..]),
            state.hash_one(&b"flow"[..]),
            state.hash_one(text.as_bytes()),
            state.hash_one((1u8, 2u32, "three")),
        ]
    };
    // The same for byte strings without `Hash`, of which others decide.
    for (seed, golden) in [(0, GOLDEN_0), (0x0123_4567_89ab_cdef, GOLDEN_1)] {
        let state = RandomState::with_seed(seed);
        for (bytes, hash) in [&b""[..], b"flow", text.as_bytes()]
            .into_iter()
            .zip(&golden[15..])
        {
            assert_eq!(hash_bytes(seed, bytes), *hash);
            assert_eq!(state.hash_bytes(bytes), *hash);
        }
    }
    assert_eq!(golden(0), GOLDEN_0);
    assert_eq!(golden(0x0123_4567_89ab_cdef), GOLDEN_1);
}

const GOLDEN_0: [u64; 19] = [
    0x4e74_e736_701c_cbb3,
    0x1590_bdc9_e55d_4023,
    0x555e_4bf7_aab3_1eb8,
    0x54b1_2bd5_22fb_5980,
    0x996f_dc23_0c39_57e4,
    0x4a89_58ae_f58e_7421,
    0x3d41_a6c1_4da0_4d10,
    0x6052_d4a2_bdeb_bf0e,
    0x1be2_4fdb_c51f_2bc2,
    0x7fa7_dc35_856a_dc14,
    0x8ea2_cf14_d1d5_d06b,
    0x7878_5b8e_f998_3b92,
    0xa373_e649_115d_f5e3,
    0x6d59_eb72_a5e3_de16,
    0x48a2_5fdb_f081_b690,
    0xc309_44bd_d31b_97c2,
    0xec5b_5a3b_a5cf_ed24,
    0x5e43_eae1_77c6_f04e,
    0x5fbf_a6d4_7c89_6f9c,
];

const GOLDEN_1: [u64; 19] = [
    0x4f28_fdfa_7757_167b,
    0xa357_a56d_e11c_fa2d,
    0x4ec5_fd19_2019_4e42,
    0x48e3_1b47_9c1b_5ae9,
    0xf332_f2e9_4de2_b328,
    0x36f7_c867_10b2_58eb,
    0x2098_684f_57f2_d544,
    0xfa61_3f6a_50df_31c9,
    0xf008_6762_1dd9_95f5,
    0x5ba7_ffbc_069d_29d8,
    0x1d0e_2dd6_495e_c549,
    0x35d2_018f_a48f_208d,
    0x5cad_2220_afda_b6b1,
    0x0f6d_bd23_5a78_7742,
    0xd1b3_d3cb_761d_3b9f,
    0x1c22_3180_087a_eee0,
    0x7581_6bc1_5a26_5bd0,
    0xd8d0_2f1e_1edf_71c3,
    0xf27c_6e7f_f9c0_9b7b,
];

#[test]
fn refusals_tell_the_numbers() {
    let filter = CuckooFilter::builder()
        .buckets(2)
        .build()
        .expect("a possible geometry");
    for item in 0..8u32 {
        filter.insert(&item).expect("eight slots");
    }
    let full = filter.insert(&8u32).expect_err("the ninth of eight");
    assert!(matches!(
        full,
        InsertError::Full {
            len: 8,
            slots: 8,
            ..
        }
    ));
    assert!(full.to_string().contains("8 of 8 slots"), "{full}");
    assert_eq!(filter.insert_unique(&8u32), Err(full.clone()));

    let filter = CuckooFilter::with_capacity(100);
    for _ in 0..8 {
        filter.insert("copy").expect("eight copies");
    }
    let copies = filter.insert("copy").expect_err("the ninth copy");
    assert!(matches!(
        copies,
        InsertError::TooManyCopies { copies: 8, .. }
    ));
    assert!(copies.to_string().contains('8'), "{copies}");
    assert_eq!(filter.insert_unique("copy"), Ok(false));

    assert_ne!(full, copies);
    for error in [full, copies] {
        assert_eq!(error, error.clone());
        let error: Box<dyn Error + Send + Sync> = error.into();
        assert!(error.source().is_none());
        assert!(error.is::<InsertError>());
    }
}

#[test]
fn the_last_choice_of_size_holds() {
    let filter = CuckooFilter::builder().capacity(10_000).buckets(2).build();
    assert_eq!(filter.expect("a possible geometry").slots(), 8);
    let filter = CuckooFilter::builder().buckets(2).capacity(10_000).build();
    assert_eq!(filter.expect("memory").capacity(), 10_000);
    let filter = CuckooFilter::builder().build().expect("memory");
    assert_eq!(filter.capacity(), 1_024);
}

#[test]
fn debug_output_tells_the_measures_and_no_seed() {
    let seed = 0x5eed_5eed_5eed;
    let filter = CuckooFilter::builder()
        .capacity(8)
        .seed(seed)
        .build()
        .expect("memory");
    filter.insert("a").expect("room");
    let text = format!("{filter:?}");
    for part in ["CuckooFilter", "len: 1", "capacity: 8", "slots: 8"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
    let state = RandomState::with_seed(seed);
    let builder = CuckooFilter::builder().seed(seed);
    for text in [
        text,
        format!("{state:?}"),
        format!("{builder:?}"),
        format!("{:?}", state.build_hasher()),
    ] {
        assert!(!text.contains(&seed.to_string()), "{text}");
        assert!(!text.contains("5eed"), "{text}");
    }
}
