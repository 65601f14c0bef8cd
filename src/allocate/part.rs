//! A slice in memory of its own, or in a mapping that has other slices too.

use alloc::boxed::Box;
#[cfg(feature = "shared")]
use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::ops::Deref;
use core::ptr::NonNull;
use core::slice;

#[cfg(feature = "shared")]
use super::mapping::{Mapping, Plain};

/// A slice, as a box of one. Its elements may lie in a mapping instead, which stays as long as it.
/// Whoever reads or writes them does not know which.
pub(crate) struct Part<T> {
    first: NonNull<T>,
    len: usize,
    /// `None` for a box.
    #[cfg(feature = "shared")]
    mapping: Option<Arc<Mapping>>,
    owned: PhantomData<T>,
}

/// Where the elements of a part are, for one who keeps the part beside it.
#[derive(Debug)]
pub(crate) struct Alias<T> {
    first: NonNull<T>,
    #[cfg(debug_assertions)]
    len: usize,
}

#[allow(unsafe_code, reason = "it owns its elements, as a box does")]
// SAFETY: it is a box, or as good as one: nobody else drops or moves its elements.
unsafe impl<T: Send> Send for Part<T> {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: a shared reference gives shared references to the elements, and nothing else.
unsafe impl<T: Sync> Sync for Part<T> {}

#[allow(unsafe_code, reason = "it is as good as a shared reference")]
// SAFETY: it gives shared references to the elements, and nothing else.
unsafe impl<T: Sync> Send for Alias<T> {}
#[allow(unsafe_code, reason = "as above")]
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Alias<T> {}

impl<T> From<Box<[T]>> for Part<T> {
    fn from(boxed: Box<[T]>) -> Self {
        let elements = NonNull::from(Box::leak(boxed));
        Self {
            first: elements.cast(),
            len: elements.len(),
            #[cfg(feature = "shared")]
            mapping: None,
            owned: PhantomData,
        }
    }
}

impl<T> Default for Part<T> {
    fn default() -> Self {
        Box::<[T]>::default().into()
    }
}

impl<T> Part<T> {
    /// Elements in a mapping, from a byte of it on.
    ///
    /// # Panics
    ///
    /// If the mapping has no such elements.
    #[cfg(feature = "shared")]
    pub(crate) fn of_mapping(mapping: &Arc<Mapping>, at: usize, len: usize) -> Self
    where
        T: Plain,
    {
        Self {
            first: mapping.elements(at, len),
            len,
            mapping: Some(Arc::clone(mapping)),
            owned: PhantomData,
        }
    }

    /// Where the elements are.
    pub(crate) fn alias(&self) -> Alias<T> {
        Alias {
            first: self.first,
            #[cfg(debug_assertions)]
            len: self.len,
        }
    }

    /// The elements, if no other process has them too.
    #[allow(unsafe_code, reason = "it owns its elements")]
    pub(crate) fn own_mut(&mut self) -> Option<&mut [T]> {
        #[cfg(feature = "shared")]
        if self.mapping.is_some() {
            return None;
        }
        // SAFETY: this many elements are there, and nothing else has them while this is borrowed.
        Some(unsafe { slice::from_raw_parts_mut(self.first.as_ptr(), self.len) })
    }
}

impl<T> Alias<T> {
    /// An element, without a bounds check.
    ///
    /// # Safety
    ///
    /// The part has such an element, and is there as long as the reference.
    #[inline]
    #[allow(unsafe_code, reason = "it does not own the elements")]
    pub(crate) unsafe fn get(&self, index: usize) -> &T {
        #[cfg(debug_assertions)]
        assert!(index < self.len, "no element {index}");
        // SAFETY: the caller says so, and nothing moves the elements of a part.
        unsafe { self.first.add(index).as_ref() }
    }
}

impl<T> Deref for Part<T> {
    type Target = [T];

    #[inline]
    #[allow(unsafe_code, reason = "it has this many elements")]
    fn deref(&self) -> &[T] {
        // SAFETY: this many elements are there, as long as this is: `from` took them out of a box,
        // and those of a mapping are valid as long as that.
        unsafe { slice::from_raw_parts(self.first.as_ptr(), self.len) }
    }
}

impl<T> Drop for Part<T> {
    fn drop(&mut self) {
        #[cfg(feature = "shared")]
        if self.mapping.is_some() {
            return;
        }
        let elements = NonNull::slice_from_raw_parts(self.first, self.len);
        #[allow(unsafe_code, reason = "it owns its elements")]
        // SAFETY: `from` took them out of a box of a slice of this length, and this is dropped once.
        drop(unsafe { Box::from_raw(elements.as_ptr()) });
    }
}

impl<T: fmt::Debug> fmt::Debug for Part<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(&**self).finish()
    }
}
