//! The public surface: checks traits, conversions, texts and fixed values.
//!
//! 1. Filters are `Send`, `Sync`, `UnwindSafe` and `RefUnwindSafe` if their hasher is. A panic in
//!    an item's `Hash` leaves the filter unchanged.
//! 2. Typed calls and calls by hash agree; `str`, `String`, `&str` and their like are one item.
//! 3. The hashes of the seeded state never change.
//! 4. Fixed, growing and rotating filters have the same traits and the same convenient calls.
//! 5. Debug output shows the measures and never the seed.
//! 6. Each method of a filter has an example.
//!
//! Errors are in `errors`.

use std::collections::hash_map;
use std::fmt::Debug;
use std::fs;
use std::hash::{BuildHasher, Hash, Hasher};
use std::panic::{RefUnwindSafe, UnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::thread;

use crew::Crew;
use lockfree_cuckoo::{
    BuildError, CuckooFilter, CuckooFilterBuilder, Filter, GrowingCuckooFilter, InsertError,
    RandomState, RotatingCuckooFilter, TypedHasher,
    filter::{Buildable, Fixed, Growing, Rotating},
    hash::SeededHasher,
    layout::{Lanes, Shape},
};
use model::hashers::{AsGiven, Fnv, Narrow};

use crate::door::of_each_engine;

fn assert_shareable<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}

/// Everything can be shared between threads and across panics.
#[test]
fn auto_traits() {
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
    assert_shareable::<CuckooFilter<TypedHasher<*const u8>>>();
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

/// A panic in a hash leaves the filter as it was.
#[test]
fn panic_in_a_hash() {
    fn check<E: Buildable>() {
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
    // Without a seed, no two filters agree.
    let random: Vec<u64> = (0..8)
        .map(|_| CuckooFilter::with_capacity(1).hash_one("a"))
        .collect();
    for (at, hash) in random.iter().enumerate() {
        assert!(!random[..at].contains(hash), "a seed came twice");
    }
    assert_ne!(RandomState::new().seed(), RandomState::default().seed());
}

/// The width is part of the value: 7u8 and 7u64 are different items. Sizes are 64 bits everywhere.
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
    for (at, seed) in [0, 0x0123_4567_89ab_cdef].into_iter().enumerate() {
        let golden = GOLDEN.map(|of_seeds| of_seeds[at]);
        let state = RandomState::with_seed(seed);
        let hashes = [
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
        ];
        assert_eq!(hashes, golden);
        // The same for byte strings without `Hash`: their hash is not this crate's choice.
        for (bytes, hash) in [&b""[..], b"flow", text.as_bytes()]
            .iter()
            .zip(&golden[15..])
        {
            assert_eq!(state.hash_bytes(bytes), *hash);
        }
    }
}

/// The hashes with each of the two seeds.
const GOLDEN: [[u64; 2]; 19] = [
    [0x4e74_e736_701c_cbb3, 0x4f28_fdfa_7757_167b],
    [0x1590_bdc9_e55d_4023, 0xa357_a56d_e11c_fa2d],
    [0x555e_4bf7_aab3_1eb8, 0x4ec5_fd19_2019_4e42],
    [0x54b1_2bd5_22fb_5980, 0x48e3_1b47_9c1b_5ae9],
    [0x996f_dc23_0c39_57e4, 0xf332_f2e9_4de2_b328],
    [0x4a89_58ae_f58e_7421, 0x36f7_c867_10b2_58eb],
    [0x3d41_a6c1_4da0_4d10, 0x2098_684f_57f2_d544],
    [0x6052_d4a2_bdeb_bf0e, 0xfa61_3f6a_50df_31c9],
    [0x1be2_4fdb_c51f_2bc2, 0xf008_6762_1dd9_95f5],
    [0x7fa7_dc35_856a_dc14, 0x5ba7_ffbc_069d_29d8],
    [0x8ea2_cf14_d1d5_d06b, 0x1d0e_2dd6_495e_c549],
    [0x7878_5b8e_f998_3b92, 0x35d2_018f_a48f_208d],
    [0xa373_e649_115d_f5e3, 0x5cad_2220_afda_b6b1],
    [0x6d59_eb72_a5e3_de16, 0x0f6d_bd23_5a78_7742],
    [0x48a2_5fdb_f081_b690, 0xd1b3_d3cb_761d_3b9f],
    [0xc309_44bd_d31b_97c2, 0x1c22_3180_087a_eee0],
    [0xec5b_5a3b_a5cf_ed24, 0x7581_6bc1_5a26_5bd0],
    [0x5e43_eae1_77c6_f04e, 0xd8d0_2f1e_1edf_71c3],
    [0x5fbf_a6d4_7c89_6f9c, 0xf27c_6e7f_f9c0_9b7b],
];

#[test]
fn all_filters_are_alike() {
    check::<Fixed>(1, "CuckooFilter");
    // At most half of the words are new; the old ones are given back when all threads have left
    // them.
    check::<Growing>(2, "GrowingCuckooFilter");
    check::<Rotating>(3, "RotatingCuckooFilter");
}

/// Checks filters with at most this number of tables and this name.
fn check<E: Buildable>(tables: usize, name: &str) {
    has_the_traits::<Filter<E>>();
    extends_by_items_and_by_references::<E>();
    default_has_the_size_of_a_builder::<E>();
    every_constructor_makes_the_same_size::<E>(tables);
    collects_what_extend_adds::<E>(tables);
    collects_a_set::<E>(tables);
    typed_filters_take_their_items::<E>();
    knows_when_it_is_full::<E>();
    debug_tells_the_load_and_no_seed::<E>(name);
    stores_a_snapshot_of_a_shared_filter::<E>();
}

fn has_the_traits<F>()
where
    F: Debug + Default + Extend<u64> + FromIterator<u64> + Send + Sync,
    for<'a> &'a F: Extend<u64>,
{
    let mut filter: F = (0..10).collect();
    filter.extend(10..12);
    (&filter).extend(12..13);
}

fn extends_by_items_and_by_references<E: Buildable>() {
    let mut filter = Filter::<E>::with_capacity_and_hasher(100, RandomState::with_seed(7));
    filter.extend(0..10u32);
    filter.extend(&[10u32, 11]);
    filter.extend([0u32]);
    filter.extend(["a", "b"]);
    filter.extend(vec![String::from("c")]);
    assert!((0..12u32).all(|item| filter.contains(&item)));
    assert_eq!((filter.count(&0u32), filter.len()), (2, 16));
    assert!(["a", "b", "c"].iter().all(|item| filter.contains(item)));
}

fn default_has_the_size_of_a_builder<E: Buildable>() {
    let filter = Filter::<E>::default();
    let built = Filter::<E>::builder().build();
    let built = built.expect("memory");
    assert_eq!(filter.capacity(), built.capacity());
    assert_eq!(filter.memory_usage(), built.memory_usage());
    assert!(filter.is_empty());
    assert_ne!(filter.hasher().seed(), built.hasher().seed(), "at random");
}

fn every_constructor_makes_the_same_size<E: Buildable>(tables: usize) {
    let hasher = || RandomState::with_seed(7);
    let builder = || Filter::<E>::builder();
    let seeded = builder().capacity(1_000).seed(7).build().expect("memory");
    for filter in [
        Filter::<E>::with_capacity(1_000),
        Filter::builder().capacity(1_000).build().expect("memory"),
        Filter::with_capacity_and_hasher(1_000, hasher()),
        builder()
            .hasher(hasher())
            .capacity(1_000)
            .build()
            .expect("memory"),
    ] {
        assert!(filter.is_empty() && filter.capacity() >= 1_000);
        assert_eq!(filter.slots(), seeded.slots());
    }
    assert!(builder().capacity(usize::MAX).build().is_err());
    let slots = builder().buckets(128).build().expect("memory").slots();
    // The spare table holds nothing.
    assert_eq!(slots, [512, 2 * 512][usize::from(tables > 2)]);
}

fn collects_what_extend_adds<E: Buildable>(tables: usize) {
    let items = || (0..10_000u64).map(|item| item % 5_000);
    let filter: Filter<E> = items().collect();
    assert_eq!(filter.len(), 10_000);
    assert!((0..5_000u64).all(|item| filter.count(&item) >= 2));
    let bits = 8 * filter.memory_usage() / 10_000;
    assert!(bits < 40 * tables, "{bits} bits an item");
    assert!(items().all(|item| filter.remove(&item)) && filter.is_empty());
}

fn typed_filters_take_their_items<E: Buildable>() {
    let filter = Filter::<E>::builder().capacity(100).seed(7).build();
    let untyped = filter.expect("memory");
    let hash = untyped.hash_one("a");
    let mut typed = untyped.typed::<String>();
    assert_eq!(typed.hash_one("a"), hash);
    typed.insert("a").expect("room");
    typed.insert_many(&["b".to_owned()]).expect("room");
    typed.extend(["c".to_owned()]);
    assert!(typed.contains(&"a".to_owned()) && typed.contains("b") && typed.contains("c"));
    // The type of the items is not stored.
    let bytes = typed.to_bytes().expect("memory");
    let read = Filter::<E>::from_bytes(&bytes).expect("as written");
    assert!(read.contains("a") && read.len() == 3);
    let hasher = TypedHasher::<String>::new(RandomState::with_seed(7));
    let read = Filter::<E, _>::from_bytes_with_hasher(&bytes, hasher).expect("the same hasher");
    assert!(read.remove("a") && !read.contains("a"));
    let collected: Filter<E, TypedHasher<u64>> = [1u64, 2, 2].into_iter().collect();
    assert_eq!((collected.len(), collected.count(&2)), (3, 2));
}

/// What a filter chosen at run time hands out prints no words of its tables.
#[test]
fn objects_are_printed_short() {
    let builder = RotatingCuckooFilter::builder().capacity(10_000);
    let rotating = builder.build_smallest(0.01).expect("memory");
    let text = format!("{:?}", rotating.rotating());
    assert_eq!(text, "Some(Rotates { rotations: 0, generations: 2, .. })");
    let shape = Shape::of::<Lanes<4, 12, 4>>();
    let valued = CuckooFilter::builder().build_shape(shape).expect("memory");
    let text = format!("{:?}", valued.valued());
    assert_eq!(text, "Some(StoresValues { max_value: 15, .. })");
}

fn collects_a_set<E: Buildable>(tables: usize) {
    let items = (0..10_000u64).map(|item| item % 5_000);
    let filter = Filter::<E>::collect_distinct(items);
    assert_eq!(filter.len(), 5_000);
    assert!((0..5_000u64).all(|item| filter.contains(&item)));
    let bits = 8 * filter.memory_usage() / 5_000;
    assert!(bits < 32 * tables, "{bits} bits an item");
}

fn knows_when_it_is_full<E: Buildable>() {
    let filter = Filter::<E>::with_capacity(1_000);
    let capacity = filter.capacity();
    for item in 0..capacity as u64 {
        assert!(!filter.is_full());
        filter.insert_many(&[item]).expect("sized for it");
    }
    assert!(filter.is_full());
    // There is room for a few more than the capacity, or the filter grows.
    filter.insert_many(&[1u64 << 40]).expect("room");
}

fn debug_tells_the_load_and_no_seed<E: Buildable>(name: &str) {
    let seed = 0x5eed_5eed_5eed;
    let builder = Filter::<E>::builder().seed(seed).capacity(1_000);
    let filter = builder.clone().build().expect("memory");
    (&filter).extend(0..1_000u64);
    let text = format!("{filter:?}");
    for part in [
        format!(
            "{name} {{ layout: Lanes<4, 16>, len: 1000, capacity: {}",
            filter.capacity()
        ),
        format!("slots: {}", filter.slots()),
        format!("memory_usage: {}", filter.memory_usage()),
        format!("load_factor: {:?}", filter.load_factor()),
        format!("false_positive_rate: {:?}", filter.false_positive_rate()),
    ] {
        assert!(text.contains(&part), "{text}");
    }
    let state = RandomState::with_seed(seed);
    let hasher = state.build_hasher();
    for text in [text, format!("{builder:?} {state:?} {hasher:?}")] {
        assert!(!text.contains(&seed.to_string()), "{text}");
        assert!(!text.contains("5eed"), "{text}");
    }
}

/// Stores a snapshot through an `Arc`, while another thread writes.
fn stores_a_snapshot_of_a_shared_filter<E: Buildable>() {
    let filter = Arc::new(Filter::<E>::with_capacity(2_000));
    let lasting: Vec<u64> = (0..1_000).collect();
    filter.insert_many(&lasting).expect("room");
    Crew::run(
        1,
        |_, _| {
            for _ in 0..20 {
                let mut written = Vec::new();
                filter.write_to(&mut written).expect("one at a time");
                let bytes = filter.to_bytes().expect("one at a time");
                for stored in [written, bytes] {
                    let again = Filter::<E>::from_bytes(&stored);
                    let again = again.expect("a whole filter");
                    assert!(lasting.iter().all(|item| again.contains(item)));
                }
            }
        },
        1,
        |crew, _| {
            let others: Vec<u64> = (1_000..1_500).collect();
            while crew.at_work() {
                filter.insert_many(&others).expect("room");
                assert_eq!(filter.remove_many(&others), others.len());
            }
        },
    );
    let alone = Arc::into_inner(filter).expect("no thread has it");
    // Another thread may drop the filter than the one that made it.
    let elsewhere = thread::spawn(move || drop(alone));
    elsewhere.join().expect("no panic");
}

#[test]
fn a_default_filter_has_a_default_hasher() {
    let filter: CuckooFilter<Fnv> = CuckooFilter::default();
    assert_eq!(filter.hasher().key, Fnv::default().key);
}

#[test]
fn methods_have_examples() {
    let mut methods = 0;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/filter");
    for source in fs::read_dir(sources).expect("the facade") {
        let text = fs::read_to_string(source.expect("a file").path()).expect("a text");
        let mut documentation = String::new();
        for line in text.lines() {
            let trimmed = line.trim_start();
            if let Some(method) = line.strip_prefix("    pub fn ") {
                let name = method.split(['(', '<']).next().expect("a name");
                assert!(documentation.contains("```"), "`{name}` has no example");
                methods += 1;
            }
            if trimmed.starts_with("///") {
                documentation.push_str(trimmed);
            } else if !trimmed.starts_with("#[") && !trimmed.starts_with("// ") {
                documentation.clear();
            }
        }
    }
    assert!(methods > 80, "{methods} methods are not all");
}
