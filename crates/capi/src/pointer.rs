//! What callers pass, checked as far as it can be: null, misaligned, too long.
//!
//! The rest is promised when a value of these types is made, as the header asks of callers: that it points to what its type
//! says, for the time of the call.

use std::ffi::c_void;
use std::slice;

use crate::status::failed;
use crate::status::lfcf_status::{self, LFCF_INVALID, LFCF_MISALIGNED, LFCF_NULL};

/// A pointer to a value or to an array that nobody changes meanwhile, but by atomics.
pub(crate) struct In<T>(*const T);

/// A pointer to a place for answers, or to a value to change, that nobody else uses meanwhile.
pub(crate) struct Out<T>(*mut T);

/// `name` is what the header calls the pointer.
#[inline]
fn check<T>(pointer: *const T, count: usize, name: &str) -> Result<(), lfcf_status> {
    let most = isize::MAX as usize / size_of::<T>();
    if pointer.is_null() {
        Err(failed(LFCF_NULL, format_args!("`{name}` is null")))
    } else if !pointer.is_aligned() {
        let details = format_args!("`{name}` is not a multiple of {}", align_of::<T>());
        Err(failed(LFCF_MISALIGNED, details))
    } else if count > most {
        let details = format_args!("`{name}` cannot have {count} elements: at most {most}");
        Err(failed(LFCF_INVALID, details))
    } else {
        Ok(())
    }
}

impl<T> In<T> {
    /// # Safety
    ///
    /// The caller promises what the type says, unless the pointer is null or misaligned.
    #[inline]
    pub(crate) unsafe fn of(pointer: *const T) -> Self {
        Self(pointer)
    }

    #[inline]
    pub(crate) fn value<'a>(self, name: &str) -> Result<&'a T, lfcf_status> {
        check(self.0, 1, name)?;
        // SAFETY: checked, and promised.
        Ok(unsafe { &*self.0 })
    }

    #[inline]
    pub(crate) fn array<'a>(self, count: usize, name: &str) -> Result<&'a [T], lfcf_status> {
        if count == 0 {
            return Ok(&[]);
        }
        check(self.0, count, name)?;
        // SAFETY: checked, and promised.
        Ok(unsafe { slice::from_raw_parts(self.0, count) })
    }

    /// The value of a struct that begins with its size: `size` is the least. The bytes behind this version are returned
    /// too.
    pub(crate) fn sized<'a>(self, name: &str) -> Result<(&'a T, &'a [u8]), lfcf_status> {
        check(self.0, 1, name)?;
        let size = read_size(self.0, name)?;
        // SAFETY: it has so many bytes, as it says itself.
        let bytes = unsafe { slice::from_raw_parts(self.0.cast(), size) };
        Ok((self.value(name)?, &bytes[size_of::<T>()..]))
    }
}

impl In<c_void> {
    #[inline]
    pub(crate) fn bytes<'a>(self, size: usize, name: &str) -> Result<&'a [u8], lfcf_status> {
        In(self.0.cast()).array(size, name)
    }
}

impl<T> Out<T> {
    /// # Safety
    ///
    /// As for `In::of`.
    #[inline]
    pub(crate) unsafe fn of(pointer: *mut T) -> Self {
        Self(pointer)
    }

    /// For an answer that nobody wants.
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    pub(crate) fn value<'a>(self, name: &str) -> Result<&'a mut T, lfcf_status> {
        check(self.0, 1, name)?;
        // SAFETY: checked, and promised.
        Ok(unsafe { &mut *self.0 })
    }

    /// The place of an answer. It has this value from now on: what was there before need not be one of the type.
    #[inline]
    pub(crate) fn place<'a>(self, value: T, name: &str) -> Result<&'a mut T, lfcf_status> {
        check(self.0, 1, name)?;
        // SAFETY: checked, and promised.
        unsafe { self.0.write(value) };
        self.value(name)
    }

    /// The place of an answer that the caller wants, if it is not null.
    #[inline]
    pub(crate) fn wanted<'a>(self, value: T, name: &str) -> Result<Option<&'a mut T>, lfcf_status> {
        if self.0.is_null() {
            return Ok(None);
        }
        self.place(value, name).map(Some)
    }

    /// The place of a struct that begins with its size, which the caller has set.
    pub(crate) fn sized<'a>(self, name: &str) -> Result<&'a mut T, lfcf_status> {
        check(self.0, 1, name)?;
        read_size(self.0, name)?;
        self.value(name)
    }

    /// The value that the caller gives back, if it is not null.
    pub(crate) fn taken(self, name: &str) -> Result<Option<Box<T>>, lfcf_status> {
        if self.0.is_null() {
            return Ok(None);
        }
        check(self.0, 1, name)?;
        // SAFETY: promised: it came from `Box::into_raw`, and nobody uses it any more.
        Ok(Some(unsafe { Box::from_raw(self.0) }))
    }
}

impl Out<bool> {
    /// Places of answers, all false.
    pub(crate) fn array<'a>(self, count: usize, name: &str) -> Result<&'a mut [bool], lfcf_status> {
        if count == 0 {
            return Ok(&mut []);
        }
        check(self.0, count, name)?;
        // SAFETY: checked, and promised; 0 is false.
        unsafe { self.0.write_bytes(0, count) };
        // SAFETY: and they have values now.
        Ok(unsafe { slice::from_raw_parts_mut(self.0, count) })
    }
}

impl Out<c_void> {
    /// Bytes that the caller gives back.
    pub(crate) fn taken_bytes(self, size: usize) -> Option<Box<[u8]>> {
        let bytes = std::ptr::slice_from_raw_parts_mut(self.0.cast(), size);
        // SAFETY: promised: they came from `Box::into_raw`, and nobody uses them any more.
        (!self.0.is_null()).then(|| unsafe { Box::from_raw(bytes) })
    }
}

/// What a struct says that it has, in its first field: at least the bytes of this version. No later one is so large that
/// any number would do.
fn read_size<T>(pointer: *const T, name: &str) -> Result<usize, lfcf_status> {
    // SAFETY: the size is the first field in every version, and the struct is at least as aligned.
    let size = unsafe { pointer.cast::<usize>().read() };
    if (size_of::<T>()..=4096).contains(&size) {
        return Ok(size);
    }
    let details = format_args!("`{name}->size` is {size}: set it to the size of the struct");
    Err(failed(LFCF_INVALID, details))
}
