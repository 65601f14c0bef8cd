//! Errors: each cause has a distinct error, whose text says what to do.
//!
//! The unit tests of the protocol and the models have inserts that find no descriptor.

use std::error::Error;
use std::io::{self, ErrorKind};

use lockfree_cuckoo::{
    CuckooFilter, GrowingCuckooFilter, InsertError, InsertManyError, OutOfMemory, SnapshotError,
};

const HINT: &str = "the hasher does not mix";

/// Returns the first error, and the number of inserts before it.
fn first_refusal(mut insert: impl FnMut(u64) -> Result<(), InsertError>) -> (u64, InsertError) {
    let refused = (0..1 << 20).find_map(|item| Some((item, insert(item).err()?)));
    refused.expect("offered more than fits")
}

#[test]
fn a_full_filter_says_that_it_is_full() {
    for buckets in [2, 1 << 8, 1 << 14] {
        // The shortest search refuses at the lowest load.
        for budget in [2, 4_096] {
            let builder = CuckooFilter::builder().buckets(buckets).seed(3);
            let filter = builder.search_budget(budget).build().expect("possible");
            let (item, error) = first_refusal(|item| filter.insert(&item));
            assert!(matches!(error, InsertError::Full { .. }), "{error}");
            assert!(!error.is_transient());
            assert!(!error.suggests_poor_hashing(), "{error}");
            assert_eq!(filter.insert_unique(&item), Err(error.clone()));
            let text = error.to_string();
            let told = format!("with {} of {} slots in use", filter.len(), filter.slots());
            assert!(
                text.starts_with("the filter is full: ") && text.contains(&told),
                "{text}"
            );
            assert!(!text.contains(HINT), "{text}");
        }
    }
}

#[test]
fn a_poor_hasher_is_suspected() {
    // Numbers as hashes: the high bits, which select the buckets, are 0.
    let filter = CuckooFilter::with_capacity(10_000);
    let (_, error) = first_refusal(|item| filter.insert_hash(item));
    assert!(matches!(error, InsertError::Full { .. }), "{error}");
    assert!(error.suggests_poor_hashing(), "{error}");
    assert!(error.to_string().contains(HINT), "{error}");
    // In a growing filter the high bits are most of the fingerprint too: these items are copies of
    // 63.
    let filter = GrowingCuckooFilter::with_capacity(10_000);
    let (_, error) = first_refusal(|item| filter.insert_hash(item));
    assert!(
        matches!(error, InsertError::TooManyCopies { .. }),
        "{error}"
    );
    assert!(filter.memory_usage() < 100_000);
}

/// Seven copies and another item are a full filter. One slot holds another item, whose removal
/// makes room for the eighth copy.
#[test]
fn full_with_seven_copies() {
    let filter = CuckooFilter::builder().buckets(2).seed(3).build();
    let filter = filter.expect("possible");
    filter.insert("another").expect("room");
    for _ in 0..7 {
        filter.insert("item").expect("room");
    }
    let full = InsertError::Full { len: 8, slots: 8 };
    assert_eq!(filter.insert("item"), Err(full));
    assert!(filter.remove("another"));
    filter.insert("item").expect("room");
    let copies = InsertError::TooManyCopies { copies: 8 };
    assert_eq!(filter.insert("item"), Err(copies));
}

#[test]
fn each_cause_has_a_text_of_its_own() {
    // A test of a program that uses the crate would make them in this way.
    let full = InsertError::Full {
        len: 1_000,
        slots: 1_024,
    };
    let disturbed = InsertError::Disturbed { attempts: 64 };
    let starved = InsertError::NoDescriptor;
    let copies = InsertError::TooManyCopies { copies: 8 };
    for error in [&full, &copies] {
        assert!(!error.is_transient(), "{error}");
        assert_eq!(*error, error.clone());
        let error: Box<dyn Error + Send + Sync> = error.clone().into();
        assert!(error.source().is_none() && error.is::<InsertError>());
    }
    assert!(full.to_string().contains("1000 of 1024 slots"), "{full}");
    assert!(copies.to_string().contains('8'), "{copies}");
    for error in [&disturbed, &starved] {
        assert!(error.is_transient(), "{error}");
        assert!(error.to_string().contains("try again"), "{error}");
        assert!(!error.to_string().contains("full"), "{error}");
    }
    assert!(starved.to_string().contains("descriptors"), "{starved}");
    assert_ne!(disturbed, starved);

    let stopped = InsertManyError::new(7, full.clone());
    assert_eq!((stopped.inserted(), stopped.error()), (7, &full));
    let memory = SnapshotError::OutOfMemory(OutOfMemory::new(4_096));
    assert!(memory.to_string().contains("4096 bytes"), "{memory}");
    for (error, kind) in [
        (SnapshotError::Busy, ErrorKind::ResourceBusy),
        (SnapshotError::Disturbed, ErrorKind::ResourceBusy),
        (memory, ErrorKind::OutOfMemory),
    ] {
        let error = io::Error::from(error);
        assert_eq!(error.kind(), kind);
        let inner = error.get_ref();
        assert!(inner.is_some_and(|inner| inner.is::<SnapshotError>()));
    }
}
