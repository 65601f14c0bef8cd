//! Prefetch: asks for a cache line that will be needed soon.

/// Asks for the cache line at this address, if stable Rust has an instruction for it on this target. Otherwise it
/// does nothing. It is a hint: any address is allowed, and no memory is accessed.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    #[allow(unsafe_code, reason = "the intrinsic is unsafe to call")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is SSE, which the code is compiled for, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[cfg(not(all(target_arch = "x86_64", target_feature = "sse")))]
    let _ = address;
}
