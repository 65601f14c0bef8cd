//! Atomics, fences and thread numbers: the real ones, or those of a check.
//!
//! Only this module knows of the checks. All other code makes the same steps in every build, with
//! one exception: in a model, the beginning of a growth does not try to pin first
//! (`growing/growth`), because a model does not run out of memory.
//!
//! Two accesses are read-modify-writes for loom, because it allows more than the memory model does
//! ([`load_crosswise`], [`store_among_exchanges`]).
//!
//! Where `MODEL` is true, fifteen constants have other values, so that every schedule of a model
//! can run. Each says so where it is defined: the stripes, the slots of a log of hints, the cells
//! of a counter, the first descriptors, the attempts of a change and of a copy, the budgets and the
//! buffers of a path search; of a table that doubles, the words of a chunk, how far claimed chunks
//! run ahead, the number of doublings, and the flushes of the epochs.
//!
//! | build | chosen by | atomics |
//! |---|---|---|
//! | [`real`] | | the processor's |
//! | `stepped` | `--cfg lockfree_cuckoo_steps` | the same; a thread can be stopped before each access |
//! | `loom` | `--cfg loom` and the feature `loom` | loom's, for all schedules of a small model |
//!
//! (loom's cfg is global and reaches every dependency of the program that sets it. Hence the
//! feature.)

#[allow(dead_code, unreachable_pub, reason = "`testing` shows it")]
mod event;
pub(crate) use event::Event;

#[cfg(not(all(loom, feature = "_loom")))]
mod real;
#[cfg(not(any(all(loom, feature = "_loom"), lockfree_cuckoo_steps)))]
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

#[cfg(all(loom, feature = "_loom"))]
#[allow(dead_code, unreachable_pub, reason = "`testing` shows it")]
mod loom;
#[cfg(all(loom, feature = "_loom"))]
use self::loom as chosen;

#[cfg(feature = "growing")]
pub(crate) use chosen::AtomicPtr;
#[cfg(any(feature = "growing", feature = "shared"))]
pub(crate) use chosen::PLAIN;
#[allow(unreachable_pub, reason = "`testing` shows it")]
pub use chosen::hooks;
#[cfg(all(feature = "std", any(test, feature = "_testing")))]
#[allow(unreachable_pub, unused_imports, reason = "`testing` shows it")]
pub use chosen::on_processors;
pub(crate) use chosen::{
    AtomicU64, Backoff, EXCLUSIVE, MODEL, OnceBox, YIELDS_BEFORE_FAILING, fence, load_crosswise,
    parallelism, store_among_exchanges, thread_index, trace, yield_now,
};
pub(crate) use core::sync::atomic::Ordering;
