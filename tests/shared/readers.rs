//! A process that cannot write.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::{SharedError, SharedFilter, SharedReader};

use crate::filter;

#[test]
fn a_reader_finds_what_others_insert() {
    let filter = filter(1_000);
    let path = format!("/proc/self/fd/{}", filter.as_fd().as_raw_fd());
    let file = File::open(path).expect("to read");
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
