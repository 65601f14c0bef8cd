//! Atomics, fences and thread numbers: the real ones, or those of a check.
//!
//! Only this module knows of the checks. All other code is the same in every build:
//!
//! | build | chosen by | atomics |
//! |---|---|---|
//! | [`real`] | | the processor's |
//! | `stepped` | `--cfg lockfree_cuckoo_steps` | the same; a thread can be stopped before each access |
//! | `loom` | `--cfg loom` and the feature `loom` | loom's, for all schedules of a small model |
//! | `shuttle` | `--cfg lockfree_cuckoo_shuttle` | shuttle's, for random schedules of a large one |
//!
//! (loom's cfg is global and reaches every dependency of the program that sets it. Hence the feature.)

#[allow(dead_code, unreachable_pub, reason = "`testing` shows it")]
mod event;
pub(crate) use event::Event;

#[cfg(not(any(all(loom, feature = "loom"), lockfree_cuckoo_shuttle)))]
mod real;
#[cfg(not(any(
    all(loom, feature = "loom"),
    lockfree_cuckoo_shuttle,
    lockfree_cuckoo_steps
)))]
use self::real as chosen;

#[cfg(lockfree_cuckoo_steps)]
#[allow(
    dead_code,
    unreachable_pub,
    unused_imports,
    reason = "`testing` shows it"
)]
mod stepped;
#[cfg(lockfree_cuckoo_steps)]
use self::stepped as chosen;

#[cfg(all(loom, feature = "loom"))]
#[allow(dead_code, unreachable_pub, reason = "`testing` shows it")]
mod loom;
#[cfg(all(loom, feature = "loom"))]
use self::loom as chosen;

#[cfg(lockfree_cuckoo_shuttle)]
use self::shuttle as chosen;

#[allow(unreachable_pub, reason = "`testing` shows it")]
pub use chosen::hooks;
#[cfg(feature = "std")]
pub(crate) use chosen::{AtomicPtr, PLAIN};
pub(crate) use chosen::{
    AtomicU64, EXCLUSIVE, MODEL, PATIENCE, fence, happened, parallelism, thread_index, yield_now,
};
pub(crate) use core::sync::atomic::Ordering;

#[cfg(lockfree_cuckoo_shuttle)]
#[allow(unreachable_pub, unused_imports, reason = "`testing` shows it")]
mod shuttle {
    //! shuttle's atomics: one thread at a time, switched at each access, in random order.

    pub(crate) use crate::sync::event::happened;
    pub(crate) use shuttle::sync::atomic::{AtomicPtr, AtomicU64, fence};
    pub(crate) use shuttle::thread::yield_now;

    /// Hooks for the tests.
    pub mod hooks {
        pub use crate::sync::event::{Event, Tally, tally};
    }

    /// The constants are those of the shipping build: shuttle samples schedules and does not exhaust them.
    pub(crate) const MODEL: bool = false;

    pub(crate) const PATIENCE: usize = 0;

    /// Cells have a clock.
    pub(crate) const PLAIN: bool = false;

    pub(crate) fn parallelism() -> usize {
        4
    }

    /// Every thread of a test has its own number.
    pub(crate) const EXCLUSIVE: usize = 64;

    pub(crate) fn thread_index() -> usize {
        usize::from(shuttle::thread::current().id())
    }
}
