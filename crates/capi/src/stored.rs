//! The stored form, in memory and behind file descriptors, and copies.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::FromRawFd;
use std::ptr::{null_mut, slice_from_raw_parts_mut};

use lockfree_cuckoo::{DynFilter, ReadError};

use crate::create::{hand_over, lfcf_filter};
use crate::pointer::{array, place, value};
use crate::status::lfcf_status::LFCF_INVALID;
use crate::status::{Checked, answer, failed};

/// The file of a descriptor, which stays open.
fn file(descriptor: c_int) -> Checked<ManuallyDrop<File>> {
    if descriptor < 0 {
        let details = format_args!("{descriptor} is not a file descriptor");
        return Err(failed(LFCF_INVALID, details));
    }
    // SAFETY: the caller lends it for the time of the call. It is not closed.
    Ok(ManuallyDrop::new(unsafe { File::from_raw_fd(descriptor) }))
}

/// Stores the filter in memory, in `*size` bytes at `*bytes`: eight bytes a bucket, and about a hundred. The form is the
/// same on every machine, and every later release reads it. It holds every item that is stored from before the call until
/// after it, and any part of what is inserted or removed meanwhile.
///
/// `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`. If it fails, `*bytes` is NULL and `*size` is 0.
///
/// Threads: any. Memory: the bytes are the caller's, until `lfcf_free_bytes`. They contain the seed. Cost: time linear in
/// the size; the bytes, and a copy of the filter if other threads write meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_to_bytes(
    filter: *const lfcf_filter,
    bytes: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    answer(|| {
        let bytes = place(bytes, null_mut(), "bytes")?;
        let size = place(size, 0, "size")?;
        let stored = value(filter, "filter")?.0.to_bytes()?;
        *size = stored.len();
        *bytes = Box::into_raw(stored.into_boxed_slice()).cast();
        Ok(0)
    })
}

/// Frees what `lfcf_to_bytes` returned, with the same size. NULL is no error: it does nothing.
///
/// Threads: any, once. Cost: that of freeing the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_free_bytes(bytes: *mut c_void, size: usize) -> c_int {
    answer(|| {
        if !bytes.is_null() {
            drop(Box::from_raw(slice_from_raw_parts_mut(
                bytes.cast::<u8>(),
                size,
            )));
        }
        Ok(0)
    })
}

/// Creates the filter in `*filter` that was stored in these bytes, of any kind, with its seed; NULL if it fails. The bytes
/// may come from anywhere: they are checked. (Checksums find accidents, not malice.)
///
/// `LFCF_NOT_A_FILTER`, `LFCF_TRUNCATED`, `LFCF_DAMAGED`, `LFCF_NEWER_VERSION`, `LFCF_OTHER_HASHER`, `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the bytes are not kept. Cost: time linear in
/// the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_from_bytes(
    bytes: *const c_void,
    size: usize,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer(|| {
        let filter = place(filter, null_mut(), "filter")?;
        let bytes = array(bytes.cast(), size, "bytes")?;
        hand_over(DynFilter::from_bytes(bytes)?, filter);
        Ok(0)
    })
}

/// Writes what `lfcf_to_bytes` returns to a file descriptor: a file, a pipe or a socket, in blocking mode. It is not
/// flushed to the disk.
///
/// As `lfcf_to_bytes`, and `LFCF_IO`: part of it may be written, and `errno` is that of the system. A broken pipe raises
/// SIGPIPE, unless the program ignores it. `LFCF_INVALID`: the descriptor is negative.
///
/// Threads: any; if others write to the descriptor, the bytes mix. Memory: the descriptor stays open, and is the
/// caller's. Cost: as `lfcf_to_bytes`, and the writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_write_fd(filter: *const lfcf_filter, fd: c_int) -> c_int {
    answer(|| {
        let filter = value(filter, "filter")?;
        let mut file = file(fd)?;
        let stored = filter.0.to_bytes()?;
        file.write_all(&stored).map_err(ReadError::Io)?;
        Ok(0)
    })
}

/// Creates a filter in `*filter` from what `lfcf_write_fd` wrote, and reads not a byte more; NULL if it fails.
///
/// Errors as `lfcf_from_bytes`; `LFCF_IO`: how much was read is unspecified; `LFCF_INVALID`: the descriptor is negative.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the descriptor stays open, and is the caller's.
/// Cost: time linear in the size, and the reading, in pieces of up to 16 KiB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_read_fd(fd: c_int, filter: *mut *mut lfcf_filter) -> c_int {
    answer(|| {
        let filter = place(filter, null_mut(), "filter")?;
        hand_over(DynFilter::read_from(&*file(fd)?)?, filter);
        Ok(0)
    })
}

/// Creates a copy of the filter in `*copy`, with its seed, while other threads use it; NULL if it fails. The copy holds
/// every item that is stored from before the call until after it, and any part of what is inserted or removed meanwhile.
///
/// `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any; writers do not wait. Memory: the copy is the caller's, until `lfcf_destroy`. Cost: time linear in the
/// size; the copy, and in the first snapshot of a filter a sixteenth of its table, which it keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_snapshot(
    filter: *const lfcf_filter,
    copy: *mut *mut lfcf_filter,
) -> c_int {
    answer(|| {
        let copy = place(copy, null_mut(), "copy")?;
        hand_over(value(filter, "filter")?.0.snapshot()?, copy);
        Ok(0)
    })
}
