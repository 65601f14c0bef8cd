//! Prefetch: asks for a cache line that will be needed soon.

/// Asks for the line at this address, where stable Rust has an instruction for it; else does nothing. A hint:
/// any address will do, and none is touched.
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
