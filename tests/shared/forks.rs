//! Children of a process that has a filter.

use lockfree_cuckoo::InsertError;
use nix::sys::memfd::{MFdFlags, memfd_create};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork};

use crate::filter;

/// Starts a child. It ends with 0 if `work` returns true.
fn child(work: impl FnOnce() -> bool) -> Pid {
    #[allow(unsafe_code, reason = "a fork")]
    // SAFETY: the child only uses the filter and calls the system, which takes no lock of other
    // threads, and ends.
    match unsafe { fork() }.expect("a process") {
        ForkResult::Child => {
            let code = i32::from(!work());
            #[allow(unsafe_code, reason = "an end without destructors of the parent")]
            // SAFETY: nothing is left to be done.
            unsafe {
                nix::libc::_exit(code)
            }
        }
        ForkResult::Parent { child } => child,
    }
}

fn ends_well(child: Pid) {
    assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 0)));
}

/// Closes all descriptors but those of the streams, as daemons do.
fn close_all() {
    #[allow(unsafe_code, reason = "descriptors that others have opened")]
    // SAFETY: the caller is a child that uses no file of this program any more.
    let closed = unsafe { nix::libc::close_range(3, u32::MAX, 0) };
    assert_eq!(closed, 0);
}

/// A child uses the filter of its parent, as a process of its own.
#[test]
fn a_child_has_a_seat_of_its_own() {
    let filter = filter(10_000);
    (0..1_000u32).for_each(|item| filter.insert(&item).expect("room"));
    let work = |number: u32| {
        let items = || 10_000 * (number + 1)..10_000 * (number + 1) + 1_000u32;
        let added = items().all(|item| filter.insert_unique(&item) == Ok(true));
        let found = items().all(|item| filter.contains(&item));
        let removed = items().step_by(2).all(|item| filter.remove(&item));
        added && found && removed && filter.recover() == 0
    };
    let children: Vec<Pid> = (0..4).map(|number| child(|| work(number))).collect();
    children.into_iter().for_each(ends_well);
    assert_eq!(filter.len(), 1_000 + 4 * 500);
    assert_eq!(filter.recover(), 0);
}

/// A child whose descriptors are other files now gets no seat: it would lock those.
#[test]
fn a_child_takes_no_seat_in_another_file() {
    let filter = filter(100);
    filter.insert("a").expect("room");
    let work = || {
        close_all();
        let files: Vec<_> = (0..100)
            .map(|_| memfd_create("other", MFdFlags::empty()))
            .collect();
        let refused = filter.insert_unique("b");
        files.iter().all(Result::is_ok)
            && refused == Err(InsertError::NoDescriptor)
            && filter.contains("a")
    };
    ends_well(child(work));
    assert_eq!((filter.recover(), filter.len()), (0, 1));
}

/// A process is not taken for dead when it has closed its descriptors.
#[test]
fn a_seat_outlives_the_descriptors() {
    let filter = filter(100);
    let work = || {
        let sits = filter.insert_unique("a") == Ok(true);
        close_all();
        let closes = filter.insert("closed").is_ok();
        let mut counts = true;
        while !filter.contains("end") {
            counts &= filter.insert_unique("b") == Ok(true) && filter.remove("b");
        }
        sits && closes && counts
    };
    let writer = child(work);
    while !filter.contains("closed") {
        std::thread::yield_now();
    }
    let recovered: usize = (0..3_000).map(|_| filter.recover()).sum();
    filter.insert("end").expect("room");
    ends_well(writer);
    assert_eq!(recovered, 0, "calls of a process that lives");
}
