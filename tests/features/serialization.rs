//! Filters stored with `serde`: as the bytes of the stored form, in formats with and without a type
//! for bytes.
//!
//! 1. Serializing gives the bytes of `to_bytes`, and the deserialized filter answers the same.
//! 2. The default hasher keeps its seed. Any other must be the default value of its type.
//! 3. Anything else is an error with the text of the `ReadError`, whatever length the format
//!    claims.

use std::iter;

use lockfree_cuckoo::{
    CuckooFilter, Filter, GrowingCuckooFilter, RandomState, RotatingCuckooFilter,
    filter::{Buildable, Fixed, Rotating},
    layout::{Lanes, SemiSorted},
};
use model::hashers::Fnv;
use serde::Serialize;
use serde::de::value::{BorrowedBytesDeserializer, BytesDeserializer, Error, SeqDeserializer};
use serde::de::{Deserialize, DeserializeOwned};

fn filter() -> CuckooFilter {
    let filter = CuckooFilter::builder()
        .capacity(100)
        .build()
        .expect("memory");
    for item in 0..100u32 {
        filter.insert(&item).expect("sized for it");
    }
    filter
}

fn custom(key: u64) -> CuckooFilter<Fnv> {
    let filter = CuckooFilter::with_capacity_and_hasher(100, Fnv { key });
    filter.insert("item 7").expect("room");
    filter
}

fn to_json<T: Serialize + ?Sized>(value: &T) -> String {
    serde_json::to_string(value).expect("serialized")
}

/// Reads a JSON text in both ways, which must agree.
fn from_json<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    let from_str = serde_json::from_str(text).map_err(|error| error.to_string());
    let from_reader = serde_json::from_reader::<_, T>(text.as_bytes());
    assert_eq!(from_reader.is_ok(), from_str.is_ok());
    from_str
}

/// Checks a filter stored as JSON, which has bytes as numbers, and as postcard, which has them as
/// they are. The filter read back is equal and passes the check.
fn is_its_bytes<E: Buildable>(written: Filter<E>, check: impl Fn(&Filter<E>)) {
    let text = to_json(&written);
    let message = postcard::to_allocvec(&written).expect("serialized");
    let bytes = written.to_bytes().expect("quiet");
    let numbers: Vec<u8> = serde_json::from_str(&text).expect("an array of numbers");
    assert!(numbers == bytes && message.ends_with(&bytes));
    // The bytes follow their number, which takes two bytes.
    assert_eq!(message.len(), bytes.len() + 2);
    let from_text: Filter<E> = from_json(&text).expect("the same text");
    let from_message = postcard::from_bytes(&message).expect("the same message");
    for read in [from_text, from_message] {
        assert_eq!(read.hasher().seed(), written.hasher().seed());
        assert!(read.to_bytes().expect("quiet") == bytes);
        check(&read);
    }
}

#[test]
fn a_filter_is_its_bytes() {
    is_its_bytes(filter(), |read| {
        assert!((0..100u32).all(|item| read.contains(&item)));
    });
    is_its_bytes(grown(RandomState::with_seed(1)), |read| {
        assert!((0..200).all(|item| read.contains(&format!("item {item}"))));
    });
    let builder = RotatingCuckooFilter::builder().capacity(100).generations(3);
    let written = builder.seed(1).build().expect("memory");
    for period in 0..5 {
        for item in 0..80 {
            written.insert(&(period, item)).expect("room");
        }
        written.rotate().expect("alone");
    }
    is_its_bytes(written, |read| {
        assert_eq!(read.rotations(), 5);
        assert!((0..80).all(|item| read.contains(&(4, item)) && read.contains(&(3, item))));
        read.rotate().expect("alone");
        assert_eq!(read.len(), 80, "it goes on as the other would have");
    });
}

#[test]
fn filters_of_other_layouts_are_serialized() {
    fn check<E: Buildable>() {
        let written: Filter<E> = (0..100u32).collect();
        let message = postcard::to_allocvec(&written).expect("serialized");
        assert!(message.ends_with(&written.to_bytes().expect("quiet")));
        let read: Filter<E> = postcard::from_bytes(&message).expect("the same message");
        assert_eq!(read.len(), written.len());
        assert!((0..100u32).all(|item| read.contains(&item)));
        let usual = postcard::from_bytes::<Filter<Fixed>>(&message);
        assert!(usual.is_err(), "another layout");
    }
    check::<Fixed<Lanes<2, 31>>>();
    check::<Fixed<Lanes<8, 8>>>();
    check::<Rotating<SemiSorted<4, 17>>>();
}

#[test]
fn a_filter_can_be_part_of_something() {
    let text = to_json(&("before", filter(), vec![custom(0)]));
    let (before, default, customs): (String, CuckooFilter, Vec<CuckooFilter<Fnv>>) =
        from_json(&text).expect("the same text");
    assert_eq!(
        (before.as_str(), default.len(), customs.len()),
        ("before", 100, 1)
    );
    assert!(customs[0].contains("item 7"));
}

#[test]
fn bytes_are_taken_however_they_are_given() {
    let bytes = filter().to_bytes().expect("quiet");
    let given = [
        CuckooFilter::deserialize(BytesDeserializer::<Error>::new(&bytes)),
        CuckooFilter::deserialize(BorrowedBytesDeserializer::<Error>::new(&bytes)),
        CuckooFilter::deserialize(SeqDeserializer::<_, Error>::new(bytes.iter().copied())),
    ];
    for read in given {
        let read: CuckooFilter = read.expect("the same bytes");
        assert_eq!(read.len(), 100);
    }
}

/// The default hasher has its seed. Any other must be the default of its type, and be asked for.
#[test]
fn another_hasher_is_an_error() {
    fn check<E: Buildable>(default: &Filter<E>, custom: fn(u64) -> Filter<E, Fnv>) {
        let told = |text: &str, why| {
            let error = from_json::<Filter<E, Fnv>>(text).expect_err(why);
            assert!(error.contains("other keys"), "{error}");
        };
        told(&to_json(default), "another hasher");
        told(&to_json(&custom(1)), "other keys");
        let text = to_json(&custom(0));
        let read: Filter<E, Fnv> = from_json(&text).expect("the default keys");
        assert!(read.contains("item 7"));
        let error = from_json::<Filter<E>>(&text).expect_err("a custom hasher");
        assert!(error.contains("custom hasher"), "{error}");
    }
    check(&filter(), custom);
    check(&grown(RandomState::with_seed(1)), |key| grown(Fnv { key }));
}

#[test]
fn anything_else_is_an_error() {
    for text in [
        "", "null", "{}", "7", "[]", "[300]", "[-1]", "[\"a\"]", "\"text\"", "[137,76",
    ] {
        assert!(from_json::<CuckooFilter>(text).is_err(), "{text}");
    }
    let bytes = filter().to_bytes().expect("quiet");
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 4;
        let text = to_json(&damaged);
        assert!(from_json::<CuckooFilter>(&text).is_err(), "byte {at}");
        let message = postcard::to_allocvec(&damaged).expect("serialized");
        assert!(
            postcard::from_bytes::<CuckooFilter>(&message).is_err(),
            "byte {at}"
        );
    }
    for length in 0..bytes.len() {
        let text = to_json(&bytes[..length]);
        let error = from_json::<CuckooFilter>(&text).expect_err("cut");
        assert!(error.contains("ends early"), "{length}: {error}");
    }
}

#[test]
fn a_length_that_is_claimed_is_not_believed() {
    struct Boasting<I>(I);
    impl<I: Iterator> Iterator for Boasting<I> {
        type Item = I::Item;

        fn next(&mut self) -> Option<I::Item> {
            self.0.next()
        }

        fn size_hint(&self) -> (usize, Option<usize>) {
            (usize::MAX, Some(usize::MAX))
        }
    }
    let read = |bytes: Vec<u8>| -> Result<CuckooFilter, Error> {
        CuckooFilter::deserialize(SeqDeserializer::new(Boasting(bytes.into_iter())))
    };
    assert!(read(filter().to_bytes().expect("quiet")).is_ok());
    assert!(read(iter::repeat_n(0, 100_000).collect()).is_err());
}

fn grown<S: std::hash::BuildHasher>(hasher: S) -> GrowingCuckooFilter<S> {
    let builder = GrowingCuckooFilter::builder().capacity(20).hasher(hasher);
    let filter = builder.build().expect("memory");
    for item in 0..200 {
        filter.insert(&format!("item {item}")).expect("no limits");
    }
    assert!(filter.slots() > 128);
    filter
}

#[test]
fn a_filter_of_the_other_kind_is_an_error() {
    let growing = to_json(&grown(RandomState::with_seed(1)));
    let error = from_json::<CuckooFilter>(&growing).expect_err("it grows");
    assert!(error.contains("is a GrowingCuckooFilter"), "{error}");
    let rotating = to_json(&RotatingCuckooFilter::with_capacity(100));
    let error = from_json::<CuckooFilter>(&rotating).expect_err("it rotates");
    assert!(error.contains("is a RotatingCuckooFilter"), "{error}");
    let fixed = postcard::to_allocvec(&filter()).expect("serialized");
    assert!(postcard::from_bytes::<GrowingCuckooFilter>(&fixed).is_err());
    let bytes = grown(RandomState::with_seed(1)).to_bytes().expect("quiet");
    for length in [0, 64, 100, bytes.len() - 1] {
        let text = to_json(&bytes[..length]);
        let error = from_json::<GrowingCuckooFilter>(&text).expect_err("cut");
        assert!(error.contains("ends early"), "{length}: {error}");
    }
}
