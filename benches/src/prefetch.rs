//! Prefetching: asking for a cache line before it is needed.

/// Asks the processor for the cache line of `target`, and does not wait for it. Nothing where there is no
/// stable interface for it.
#[inline]
#[allow(unsafe_code, reason = "the standard library has no safe prefetch")]
#[allow(unused_variables, reason = "only some architectures use it")]
pub(crate) fn prefetch<T>(target: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch is a hint. It reads nothing that the program can see, faults on no address, and
        // SSE is part of every x86-64 processor.
        unsafe { _mm_prefetch::<_MM_HINT_T0>((&raw const *target).cast()) }
    }
}
