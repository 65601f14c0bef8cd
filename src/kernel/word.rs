//! The word: the content of a cell of the table, a bucket or a reference to a descriptor.
//!
//! A reference is a number of a [descriptor](crate::kernel::descriptor) and the number of one of
//! its uses, in the words that the layout does not use for buckets: [words](crate::design#words).
//! It freezes the word: the descriptor determines its logical content.

use core::marker::PhantomData;

use crate::kernel::layout::{Bucket, Fingerprint, Layout, Probe};

/// The raw content of one cell of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Word<L> {
    bits: u64,
    layout: PhantomData<L>,
}

/// Identifies one use of one descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reference<L> {
    index: usize,
    sequence: u64,
    layout: PhantomData<L>,
}

/// A decoded word.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Content<L: Layout> {
    Bucket(Bucket<L>),
    Reference(Reference<L>),
}

const INDEX_BITS: u32 = 10;

/// The maximum number of descriptors that a reference can distinguish. Index 0 is stored as 1, so
/// one value is lost.
pub(crate) const MAX_DESCRIPTORS: usize = (1 << INDEX_BITS) - 1;

impl<L: Layout> Reference<L> {
    /// Bits of the number of uses; 38 for 4 x 16.
    const SEQUENCE_BITS: u32 = L::REFERENCE_BITS - INDEX_BITS;

    /// The reference to this use of a descriptor. It carries the low bits of the number of uses.
    ///
    /// # Panics
    ///
    /// Panics if no reference can name this descriptor: its word would read as a bucket.
    #[inline]
    pub(crate) fn new(index: usize, uses: u64) -> Self {
        assert!(
            index < MAX_DESCRIPTORS,
            "no reference names descriptor {index}"
        );
        Self {
            index,
            sequence: Self::sequence(uses),
            layout: PhantomData,
        }
    }

    #[inline]
    fn sequence(uses: u64) -> u64 {
        uses & ((1 << Self::SEQUENCE_BITS) - 1)
    }

    /// Whether this is a reference to the use of this number, of the descriptor that it names.
    #[inline]
    pub(crate) fn names(self, uses: u64) -> bool {
        self.sequence == Self::sequence(uses)
    }

    #[inline]
    fn from_bits(bits: u64) -> Self {
        Self {
            // 0 is in no reference that this crate writes, and so names a descriptor that no pool has.
            index: ((bits >> Self::SEQUENCE_BITS) as usize).wrapping_sub(1),
            sequence: Self::sequence(bits),
            layout: PhantomData,
        }
    }

    #[inline]
    fn bits(self) -> u64 {
        (self.index as u64 + 1) << Self::SEQUENCE_BITS | self.sequence
    }

    /// The number of the descriptor.
    #[inline]
    pub(crate) fn index(self) -> usize {
        self.index
    }
}

impl<L: Layout> Word<L> {
    #[inline]
    pub(crate) fn from_bits(bits: u64) -> Self {
        Self {
            bits,
            layout: PhantomData,
        }
    }

    #[inline]
    pub(crate) fn bits(self) -> u64 {
        self.bits
    }

    /// Whether both are surely buckets. False if one is a reference, and for a few buckets. This is
    /// cheaper than checking each word, for callers that can check again.
    #[inline]
    pub(crate) fn surely_buckets(a: Self, b: Self) -> bool {
        L::surely_buckets(a.bits, b.bits)
    }

    /// The answers of both about a fingerprint, from one comparison.
    #[inline]
    pub(crate) fn probe(a: Self, b: Self, f: Fingerprint) -> Probe {
        L::probe(f.bits(), a.bits, b.bits)
    }

    /// The word as a bucket, which it must be.
    #[inline]
    pub(crate) fn as_bucket(self) -> Bucket<L> {
        Bucket::from_bits(self.bits)
    }

    #[inline]
    pub(crate) fn content(self) -> Content<L> {
        match L::referenced(self.bits) {
            Some(bits) => Content::Reference(Reference::from_bits(bits)),
            None => Content::Bucket(Bucket::from_bits(self.bits)),
        }
    }
}

impl<L: Layout> From<Bucket<L>> for Word<L> {
    #[inline]
    fn from(bucket: Bucket<L>) -> Self {
        Self::from_bits(bucket.bits())
    }
}

impl<L: Layout> From<Reference<L>> for Word<L> {
    #[inline]
    fn from(reference: Reference<L>) -> Self {
        Self::from_bits(L::reference(reference.bits()))
    }
}

/// Asks for the cache line at this address, on x86-64 and AArch64. It is a hint: any address is
/// allowed, and no memory is accessed.
#[inline]
pub(crate) fn prefetch<T>(address: *const T) {
    #[cfg(all(target_arch = "x86_64", target_feature = "sse"))]
    #[allow(unsafe_code, reason = "the intrinsic is unsafe to call")]
    {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is SSE, which the code is compiled for, and never faults.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
    #[cfg(target_arch = "aarch64")]
    line_hint!("prfm pldl1keep, [{}]", address);
    #[cfg(not(any(
        all(target_arch = "x86_64", target_feature = "sse"),
        target_arch = "aarch64"
    )))]
    let _ = address;
}

/// [`prefetch`] of a line that will be written: other processors give theirs up.
#[inline]
pub(crate) fn prefetch_to_write<T>(address: *const T) {
    // Not by the intrinsic, which becomes this instruction only if the compiler is told that the
    // processor has it.
    #[cfg(target_arch = "x86_64")]
    line_hint!("prefetchw [{}]", address);
    #[cfg(target_arch = "aarch64")]
    line_hint!("prfm pstl1keep, [{}]", address);
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = address;
}

/// A hint about the line at an address, by an instruction that stable Rust has no function for.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! line_hint {
    ($instruction:literal, $address:expr) => {
        #[allow(unsafe_code, reason = "stable Rust has no function for it")]
        // SAFETY: the instruction reads and writes no memory, and never faults. A processor that
        // does not know it does nothing.
        unsafe {
            core::arch::asm!(
                $instruction,
                in(reg) $address.addr(),
                options(nomem, nostack, preserves_flags)
            );
        }
    };
}
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use line_hint;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Lanes;

    #[test]
    fn references_live_in_the_unused_code_space() {
        let most = (1 << 38) - 1;
        for index in [0, 1, MAX_DESCRIPTORS - 1] {
            for uses in [0, 1, most, most + 7] {
                let reference = Reference::<Lanes<4, 16>>::new(index, uses);
                let read = Word::from(reference).content();
                assert!(matches!(read, Content::Reference(back) if back == reference));
            }
        }
    }
}
