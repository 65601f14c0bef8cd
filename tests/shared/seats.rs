//! Seats and numbers: which processes are alive.

use std::ffi::c_short;
use std::fs;
use std::os::unix::fs::FileExt;

use lockfree_cuckoo::filter::Fixed;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{SharedError, SharedFilter};
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc::{F_WRLCK, SEEK_SET, flock};

use crate::golden::{bytes_of, golden_since_the_start, number};
use crate::languages::file;
use crate::{filter, open, opened};

/// A process that is not there yet, and has locked the seat of a dead one already, does not make
/// that pass for alive: opening the filter takes back what it held.
#[test]
fn the_seat_of_a_dead_process_can_be_taken() {
    let copy = file("taken");
    fs::write(&copy, golden_since_the_start("frozen")).expect("a place to write to");
    // All seats but one.
    let others = open(&copy);
    let lock = flock {
        l_type: F_WRLCK as c_short,
        l_whence: SEEK_SET as c_short,
        l_start: 1 << 62,
        l_len: 1_022,
        l_pid: 0,
    };
    fcntl(&others, FcntlArg::F_OFD_SETLK(&lock)).expect("they are free");
    let filter = SharedFilter::<Fixed>::open(&copy).expect("the last seat");
    assert_eq!(filter.claimed(), 0, "opening it has recovered");
    assert!(
        SharedFilter::<Fixed>::open(&copy).is_err(),
        "no seat is left"
    );
    fs::remove_file(&copy).expect("its name");
}

/// Whoever sets the number of processes back, or far ahead, makes no two processes one.
#[test]
fn no_two_processes_have_one_number() {
    const COUNT: usize = 4_096;
    let filter = filter(100);
    let memory = opened(&filter);
    let count = || number(&bytes_of(&filter), COUNT);
    let set = |count: u64| memory.write_all_at(&count.to_le_bytes(), COUNT as u64);
    assert_eq!(count(), 1);
    set(0).expect("within");
    let other = SharedFilter::<Fixed>::attach(&filter).expect("another number");
    assert_eq!(count(), 2);
    for ahead in [1 << 48, u64::MAX - 1, u64::MAX] {
        set(ahead).expect("within");
        let refused = SharedFilter::<Fixed>::attach(&filter).map(drop);
        assert!(matches!(refused, Err(SharedError::NoSeat)) || ahead == u64::MAX);
    }
    assert!(other.insert_unique("a").is_ok() && filter.contains("a"));
}
