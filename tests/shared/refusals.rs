//! Systems that cannot give the memory: each refuses by an error, and ends no process.

use std::io::ErrorKind;

use lockfree_cuckoo::{CuckooFilter, SharedError};
use nix::sys::resource::{Resource, setrlimit};
use nix::unistd::chroot;

use crate::{filter, spawn};

fn refuses(items: usize, kind: ErrorKind) {
    let refused = CuckooFilter::builder().capacity(items).build_shared();
    match refused.map(drop) {
        Err(SharedError::Io(error)) => assert_eq!(error.kind(), kind),
        refused => panic!("{refused:?}"),
    }
}

/// More memory than there is: the system would end other processes.
#[test]
fn memory_that_is_not_there_is_refused() {
    refuses(1 << 40, ErrorKind::OutOfMemory);
}

/// More than the limit on the size of files: the system would end this process by a signal.
#[test]
fn a_limit_on_files_is_kept() {
    let status = spawn("small files", &filter(1)).wait().expect("it ends");
    assert!(status.success());
}

/// The child's part of the test above.
pub(crate) fn in_small_files() {
    setrlimit(Resource::RLIMIT_FSIZE, 1 << 16, 1 << 16).expect("a lower limit");
    refuses(1_000_000, ErrorKind::FileTooLarge);
}

/// Without `/proc` the error does not say that the filter's own file is missing.
#[test]
fn a_system_without_proc_is_refused() {
    let status = spawn("another root", &filter(1)).wait().expect("it ends");
    assert!(status.success());
}

/// The child's part of the test above.
pub(crate) fn in_another_root() {
    if let Err(error) = chroot("/dev/shm") {
        eprintln!("skipped: no other root: {error}");
        return;
    }
    refuses(1, ErrorKind::Unsupported);
}
