//! Real atomics, and threads with the standard library or without it.

#[cfg(feature = "std")]
mod hosted;
#[cfg(feature = "std")]
pub(crate) use self::hosted::*;

#[cfg(not(feature = "std"))]
mod bare;
#[cfg(not(feature = "std"))]
pub(crate) use self::bare::*;

pub(crate) use atomic::fence;

/// A 64-bit atomic cell.
pub(crate) type AtomicU64 = atomic::Atomic<u64>;

/// An atomic cell for a pointer.
#[cfg(feature = "std")]
pub(crate) use core::sync::atomic::AtomicPtr;

/// Whether a cell is nothing but its value, so that fresh memory is cells of 0.
pub(crate) const PLAIN: bool = true;

// Without native 64-bit atomics the filter could not be lock-free.
#[cfg(not(target_has_atomic = "64"))]
compile_error!(
    "lockfree-cuckoo needs a target with native 64-bit atomics (`target_has_atomic = \"64\"`): \
     a bucket is one 64-bit word, and every operation exchanges whole words"
);
#[cfg(target_has_atomic = "64")]
const _: () = assert!(
    AtomicU64::is_lock_free(),
    "lockfree-cuckoo needs a target that aligns 64-bit integers to 8 bytes, as 64-bit atomics are"
);

/// Hooks for checks; this build has none.
#[cfg(not(lockfree_cuckoo_steps))]
pub mod hooks {}

/// Counts nothing in this build.
#[cfg(not(lockfree_cuckoo_steps))]
#[inline(always)]
pub(crate) fn happened(_: super::Event) {}

/// Whether this is the model checker's build, which has smaller constants.
pub(crate) const MODEL: bool = false;

/// How often a thread leaves the processor to others before what it waits for counts as not to be had. Never where each access
/// is a step, because a checker decides there who goes on.
pub(crate) const PATIENCE: usize = if cfg!(lockfree_cuckoo_steps) { 0 } else { 64 };
