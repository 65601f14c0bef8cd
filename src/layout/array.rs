//! Arrays whose length a layout knows.

use core::fmt::Debug;

/// An array whose length a layout knows.
pub trait Array<T: Copy>: Copy + Debug {
    /// Its length.
    const LEN: usize;

    /// All elements equal.
    fn filled(value: T) -> Self;

    /// The elements.
    fn as_slice(&self) -> &[T];

    /// The elements, to change them.
    fn as_mut_slice(&mut self) -> &mut [T];
}

impl<T: Copy + Debug, const N: usize> Array<T> for [T; N] {
    const LEN: usize = N;

    #[inline]
    fn filled(value: T) -> Self {
        [value; N]
    }

    #[inline]
    fn as_slice(&self) -> &[T] {
        self
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [T] {
        self
    }
}
