//! Children of a process that has a filter.

use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, fork};

use crate::filter;

/// A child uses the filter of its parent, as a process of its own: while the parent lives, and
/// after it has given it up.
#[test]
fn a_child_has_a_seat_of_its_own() {
    let filter = filter(10_000);
    (0..1_000u32).for_each(|item| filter.insert(&item).expect("room"));
    let mut children = Vec::new();
    for child in 0..4u32 {
        #[allow(unsafe_code, reason = "a fork")]
        // SAFETY: the child only uses the filter, whose calls take no lock of other threads, and
        // ends.
        match unsafe { fork() }.expect("a process") {
            ForkResult::Child => {
                let items = || 10_000 * (child + 1)..10_000 * (child + 1) + 1_000;
                let added = items().all(|item| filter.insert_unique(&item) == Ok(true));
                let found = items().all(|item| filter.contains(&item));
                let removed = items().step_by(2).all(|item| filter.remove(&item));
                let recovered = filter.recover();
                let code = i32::from(!(added && found && removed && recovered == 0));
                #[allow(unsafe_code, reason = "an end without destructors of the parent")]
                // SAFETY: nothing is left to be done.
                unsafe {
                    nix::libc::_exit(code)
                }
            }
            ForkResult::Parent { child } => children.push(child),
        }
    }
    for child in children {
        assert_eq!(waitpid(child, None), Ok(WaitStatus::Exited(child, 0)));
    }
    assert_eq!(filter.len(), 1_000 + 4 * 500);
    assert_eq!(filter.recover(), 0);
}
