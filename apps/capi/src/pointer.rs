//! What callers pass, checked as far as it can be: null, misaligned, too long. The rest is
//! promised: that pointers point to what their types say, for the time of the call, and that no
//! other thread uses what is written.
//!
//! Each `name` is what the header calls the pointer.

use std::ffi::{CStr, OsStr, c_char, c_int};
use std::fs::File;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::slice;

use crate::status::lfcf_status::{LFCF_INVALID, LFCF_MISALIGNED, LFCF_NULL, LFCF_OUT_OF_MEMORY};
use crate::status::{Checked, failed};

#[inline]
fn check<T>(pointer: *const T, count: usize, name: &str) -> Checked<()> {
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

/// A value to read.
#[inline]
pub(crate) unsafe fn value<'a, T>(pointer: *const T, name: &str) -> Checked<&'a T> {
    check(pointer, 1, name)?;
    Ok(&*pointer)
}

/// A value to change.
pub(crate) unsafe fn change<'a, T>(pointer: *mut T, name: &str) -> Checked<&'a mut T> {
    check(pointer, 1, name)?;
    Ok(&mut *pointer)
}

/// This many values to read. If there are none, the pointer may be anything.
#[inline]
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize, name: &str) -> Checked<&'a [T]> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer, count, name)?;
    Ok(slice::from_raw_parts(pointer, count))
}

/// The place of an answer. It has this value from now on: what was there before need not be one of
/// the type.
#[inline]
pub(crate) unsafe fn place<'a, T>(pointer: *mut T, start: T, name: &str) -> Checked<&'a mut T> {
    check(pointer, 1, name)?;
    pointer.write(start);
    Ok(&mut *pointer)
}

/// The place of a number that the caller may not want: then the pointer is null.
#[inline]
pub(crate) unsafe fn wanted<'a, T: Default>(
    pointer: *mut T,
    name: &str,
) -> Checked<Option<&'a mut T>> {
    if pointer.is_null() {
        return Ok(None);
    }
    place(pointer, T::default(), name).map(Some)
}

/// The places of this many answers. Each has this value from now on: what was there before need not
/// be one of the type.
#[inline]
pub(crate) unsafe fn places<'a, T: Copy>(
    pointer: *mut T,
    count: usize,
    start: T,
    name: &str,
) -> Checked<&'a mut [T]> {
    if count == 0 {
        return Ok(&mut []);
    }
    check(pointer, count, name)?;
    for index in 0..count {
        pointer.add(index).write(start);
    }
    Ok(slice::from_raw_parts_mut(pointer, count))
}

/// The name of a file: a text that ends with 0.
pub(crate) unsafe fn path<'a>(pointer: *const c_char, name: &str) -> Checked<&'a Path> {
    check(pointer, 1, name)?;
    let text = CStr::from_ptr(pointer);
    Ok(Path::new(OsStr::from_bytes(text.to_bytes())))
}

/// The file of a descriptor, which stays open.
pub(crate) fn file(descriptor: c_int) -> Checked<ManuallyDrop<File>> {
    if descriptor < 0 {
        let details = format_args!("{descriptor} is not a file descriptor");
        return Err(failed(LFCF_INVALID, details));
    }
    // SAFETY: the caller lends it for the time of the call. It is not closed.
    Ok(ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) }))
}

/// The size of a struct of any version, as it says itself in its first field: not less than in this
/// version, and a number that some version may have.
pub(crate) unsafe fn size_of_struct<T>(pointer: *const T, name: &str) -> Checked<usize> {
    check(pointer, 1, name)?;
    let size = pointer.cast::<usize>().read();
    if (size_of::<T>()..=4096).contains(&size) {
        return Ok(size);
    }
    let details = format_args!("`{name}->size` is {size}: set it to the size of the struct");
    Err(failed(LFCF_INVALID, details))
}

/// A value that the caller owns from now on. `Box::from_raw` takes it back.
pub(crate) fn owned<T>(value: T) -> Checked<*mut T> {
    let mut one = Vec::new();
    one.try_reserve_exact(1).map_err(|_| {
        let details = format_args!("{} bytes could not be allocated", size_of::<T>());
        failed(LFCF_OUT_OF_MEMORY, details)
    })?;
    one.push(value);
    Ok(Box::into_raw(one.into_boxed_slice()).cast())
}
