//! Making a filter, and finding it again: by a descriptor, by a name, in another process.

use std::env;
use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::thread;
use std::time::Duration;

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::layout::{Lanes, SemiSorted};
use lockfree_cuckoo::{CuckooFilter, Filter, ReadError, SharedError, SharedFilter};

use crate::{filter, memory, spawn};

/// What one attachment inserts, all others find, and any removes.
#[test]
fn all_have_the_same_items() {
    let one = filter(1_000);
    let other = SharedFilter::<Fixed>::attach(&one).expect("the same memory");
    for item in 0..1_000u32 {
        assert_eq!(one.insert_unique(&item), Ok(true));
        assert_eq!(other.insert_unique(&item), Ok(false));
    }
    assert_eq!((one.len(), other.len()), (1_000, 1_000));
    assert_eq!(one.to_bytes(), other.to_bytes());
    assert!((0..1_000u32).all(|item| other.remove(&item)));
    assert!(one.is_empty() && !one.contains(&5u32));
}

/// It outlives whoever made it, and a copy is private.
#[test]
fn it_outlives_its_maker() {
    let one = filter(100);
    one.insert("a").expect("room");
    let other = SharedFilter::<Fixed>::attach(&one).expect("the same memory");
    drop(one);
    let copy: CuckooFilter = other.snapshot().expect("no one else");
    assert!(other.remove("a"));
    assert!(copy.contains("a") && !other.contains("a"));
    let read = CuckooFilter::from_bytes(&copy.to_bytes().expect("alone")).expect("stored");
    assert!(read.contains("a"));
}

/// As full, and with the same bytes, as a filter on the heap.
#[test]
fn it_is_the_filter_of_the_heap() {
    for items in [0, 1, 100, 3_000, (1 << 16) - 1, 1 << 16, (1 << 16) + 1] {
        let builder = || CuckooFilter::builder().capacity(items).seed(7);
        let (heap, shared) = (builder().build().expect("memory"), filter(items));
        assert_eq!(
            (heap.slots(), heap.capacity()),
            (shared.slots(), shared.capacity())
        );
        for item in 0..items as u64 + 8 {
            assert_eq!(heap.insert(&item), shared.insert(&item));
        }
        assert_eq!(heap.to_bytes(), shared.to_bytes(), "{items} items");
    }
}

/// Another process finds what this one inserted, and the other way round.
#[test]
fn another_process_has_it() {
    let filter = filter(100);
    filter.insert("parent").expect("room");
    let status = spawn("insert", &filter).wait().expect("it ends");
    assert!(status.success());
    assert!(filter.contains("child"));
}

/// The child's part of the test above.
pub(crate) fn insert() {
    let filter = SharedFilter::<Fixed>::attach(memory()).expect("a filter");
    assert!(filter.contains("parent"));
    filter.insert("child").expect("room");
}

/// A name is given to a filter that is whole, and only once.
#[test]
fn a_name_leads_to_it() {
    let path = env::temp_dir().join(format!("{}.lfcs", std::process::id()));
    let _ = fs::remove_file(&path);
    assert!(matches!(
        SharedFilter::<Fixed>::open(&path),
        Err(SharedError::Io(error)) if error.kind() == io::ErrorKind::NotFound
    ));
    let build = || CuckooFilter::builder().capacity(100).build_shared_at(&path);
    let one = match build() {
        // Some file systems have no files without a name.
        Err(SharedError::Io(error)) if error.kind() == io::ErrorKind::Unsupported => return,
        built => built.expect("a new name"),
    };
    one.insert("a").expect("room");
    assert!(matches!(
        build(),
        Err(SharedError::Io(error)) if error.kind() == io::ErrorKind::AlreadyExists
    ));
    let other = SharedFilter::<Fixed>::open(&path).expect("the file");
    assert!(other.contains("a"));
    fs::remove_file(&path).expect("its name");
    other.insert("b").expect("room");
    assert!(one.contains("b"), "without a name");
    // By a descriptor it is refused: its size is not sealed.
    assert!(matches!(
        SharedFilter::<Fixed>::attach(&one),
        Err(SharedError::NotSealed)
    ));
}

/// A filter of another layout or kind is refused.
#[test]
fn another_layout_is_refused() {
    let filter = filter(100);
    let other = SharedFilter::<Fixed<Lanes<2, 31>>>::attach(filter.as_fd());
    assert!(matches!(
        other,
        Err(SharedError::Read(ReadError::OtherLayout { .. }))
    ));
    let builder = Filter::<Fixed<SemiSorted<4, 17>>>::builder();
    let sorted = builder.capacity(100).build_shared().expect("memory");
    sorted.insert("a").expect("room");
    let again = SharedFilter::<Fixed<SemiSorted<4, 17>>>::attach(&sorted).expect("it");
    assert!(again.contains("a"));
}

/// As many processes as there are seats have it at once, and no more.
#[test]
fn there_are_as_many_seats_as_processes() {
    let filter = filter(1);
    let attach = || SharedFilter::<Fixed>::attach(&filter);
    let mut all: Vec<_> = (1..1_023).map(|_| attach().expect("a seat")).collect();
    assert!(matches!(attach(), Err(SharedError::NoSeat)));
    all.swap_remove(500);
    // Other tests start programs: between the fork and the program the child has the lock too.
    let patiently = |_| {
        let attached = attach().ok();
        attached.or_else(|| {
            thread::sleep(Duration::from_millis(10));
            None
        })
    };
    all.push(
        (0..1_000)
            .find_map(patiently)
            .expect("a seat that is free again"),
    );
    assert!(matches!(attach(), Err(SharedError::NoSeat)));
    assert!(
        all.iter()
            .all(|other| other.insert("a").is_ok() && other.remove("a"))
    );
}
