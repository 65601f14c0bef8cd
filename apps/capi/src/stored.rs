//! The stored form, in memory and behind file descriptors, and copies.

use std::ffi::{c_int, c_void};
use std::io::Write;
use std::ptr::{null_mut, slice_from_raw_parts_mut};
use std::time::Duration;

use cf::{Dump, Filter, Window};
use lockfree_cuckoo::{DynFilter, ReadError, SnapshotError, filter::Rotates};

use crate::cancellation::answer_uncancelled;
use crate::create::hand_over;
use crate::handle::lfcf_filter;
use crate::pointer::{array, file, place, value, wanted};
use crate::status::lfcf_status::LFCF_INVALID;
use crate::status::{Checked, failed};

/// Hands the bytes that a call makes over to the caller, who frees them. If it fails, there are
/// none.
unsafe fn answer_bytes(
    bytes: *mut *mut c_void,
    size: *mut usize,
    make: impl FnOnce() -> Checked<Vec<u8>>,
) -> c_int {
    answer_uncancelled(|| {
        let bytes = place(bytes, null_mut(), "bytes")?;
        let size = place(size, 0, "size")?;
        let made = make()?;
        *size = made.len();
        *bytes = Box::into_raw(made.into_boxed_slice()).cast();
        Ok(0)
    })
}

/// Stores the filter in memory, in `*size` bytes at `*bytes`: eight bytes a bucket, and about a
/// hundred. The form is the same on every machine, and every later release reads it. It holds every
/// item that is stored from before the call until after it, and any part of what is inserted or
/// removed meanwhile.
///
/// `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`. If it fails, `*bytes` is NULL
/// and `*size` is 0.
///
/// Threads: any. Memory: the bytes are the caller's, until `lfcf_free_bytes`. They contain the
/// seed. Cost: time linear in the size; the bytes, and a copy of the filter if other threads write
/// meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_to_bytes(
    filter: *const lfcf_filter,
    bytes: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    answer_bytes(bytes, size, || {
        Ok(value(filter, "filter")?.writer()?.to_bytes()?)
    })
}

/// Frees what `lfcf_to_bytes` or `lfcf_to_dump` returned, with the same size. NULL is no error: it
/// does nothing.
///
/// Threads: any, once. Cost: that of freeing the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_free_bytes(bytes: *mut c_void, size: usize) -> c_int {
    answer_uncancelled(|| {
        if !bytes.is_null() {
            drop(Box::from_raw(slice_from_raw_parts_mut(
                bytes.cast::<u8>(),
                size,
            )));
        }
        Ok(0)
    })
}

/// Creates the filter in `*filter` that was stored in these bytes, of any kind, with its seed; NULL
/// if it fails. The bytes may come from anywhere: they are checked. (Checksums find accidents, not
/// malice.)
///
/// `LFCF_NOT_A_FILTER`, `LFCF_TRUNCATED`, `LFCF_DAMAGED`, `LFCF_NEWER_VERSION`,
/// `LFCF_OTHER_HASHER`, `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the bytes are not kept.
/// Cost: time linear in the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_from_bytes(
    bytes: *const c_void,
    size: usize,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_uncancelled(|| {
        let filter = place(filter, null_mut(), "filter")?;
        let bytes = array(bytes.cast(), size, "bytes")?;
        hand_over(DynFilter::from_bytes(bytes)?, filter)?;
        Ok(0)
    })
}

/// Writes what `lfcf_to_bytes` returns to a file descriptor: a file, a pipe or a socket, in
/// blocking mode. It is not flushed to the disk.
///
/// As `lfcf_to_bytes`, and `LFCF_IO`: part of it may be written, and `errno` is that of the system.
/// A broken pipe raises SIGPIPE, unless the program ignores it. `LFCF_INVALID`: the descriptor is
/// negative.
///
/// Threads: any; if others write to the descriptor, the bytes mix. Memory: the descriptor stays
/// open, and is the caller's. Cost: as `lfcf_to_bytes`, and the writing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_write_fd(filter: *const lfcf_filter, fd: c_int) -> c_int {
    answer_uncancelled(|| {
        let filter = value(filter, "filter")?.writer()?;
        let mut file = file(fd)?;
        let stored = filter.to_bytes()?;
        file.write_all(&stored).map_err(ReadError::Io)?;
        Ok(0)
    })
}

/// Creates a filter in `*filter` from what `lfcf_write_fd` wrote, and reads not a byte more; NULL
/// if it fails.
///
/// Errors as `lfcf_from_bytes`; `LFCF_IO`: how much was read is unspecified; `LFCF_INVALID`: the
/// descriptor is negative.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the descriptor stays
/// open, and is the caller's. Cost: time linear in the size, and the reading, in pieces of up to 16
/// KiB.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_read_fd(fd: c_int, filter: *mut *mut lfcf_filter) -> c_int {
    answer_uncancelled(|| {
        let filter = place(filter, null_mut(), "filter")?;
        hand_over(DynFilter::read_from(&*file(fd)?)?, filter)?;
        Ok(0)
    })
}

/// Makes a dump of the filter, in `*size` bytes at `*bytes`: what `CF.LOADCHUNK` loads, in
/// lockfree-cuckoo-server and in the module for Valkey and Redis. Cut it where you like behind the
/// first 64 bytes. The iterator of a chunk is the number of bytes of the dump up to the end of the
/// chunk. Clients find an item that was inserted with `lfcf_hash_bytes` of its bytes.
///
/// Of a filter that rotates, `window` is the time for which the server knows an item at least, from
/// 100 million to 1e18 nanoseconds, and `age` the time since the last rotation, as `lfcf_young_age`
/// stores it. The server rotates.
/// Pass 0 for both with any other filter.
///
/// As `lfcf_to_bytes`, and `LFCF_INVALID`: the filter rotates and `window` is out of range, or it
/// does not rotate and `window` is not 0.
///
/// Threads: any. Memory: the bytes are the caller's, until `lfcf_free_bytes`. They contain the
/// seed. Cost: as `lfcf_to_bytes`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_to_dump(
    filter: *const lfcf_filter,
    window: u64,
    age: u64,
    bytes: *mut *mut c_void,
    size: *mut usize,
) -> c_int {
    answer_bytes(bytes, size, || {
        let filter = &*value(filter, "filter")?.writer()?;
        let [length, age] = [window, age].map(Duration::from_nanos);
        let generations = filter.rotating().map(Rotates::generations);
        let window = (window > 0 || generations.is_some()).then(|| {
            // A filter that does not rotate has no window of any number of generations.
            Window::new(length, generations.unwrap_or(2)).ok_or_else(|| {
                let details = format_args!("`window` is {window}: it can be 100 million to 1e18");
                failed(LFCF_INVALID, details)
            })
        });
        let window = window.transpose()?;
        match Dump::of(filter, window, age)?.whole() {
            Err(cf::Error::Dump(SnapshotError::Changed)) => {
                Ok(Dump::of(&filter.snapshot()?, window, age)?.whole()?)
            }
            dump => Ok(dump?),
        }
    })
}

/// Creates the filter of a dump in `*filter`: of the chunks of `CF.SCANDUMP`, from
/// lockfree-cuckoo-server or the module for Valkey and Redis, one behind the other. NULL if it
/// fails. The hash of a client's item is `lfcf_hash_bytes`.
///
/// Of a filter with a window, stores the window in `*window` and the age of the youngest generation
/// in `*age`, in nanoseconds. With `n` generations, create a clock with the period
/// `window / (n - 1)`, and pass the age to `lfcf_catch_up`. Of any other filter both are 0. Either
/// pointer may be null.
///
/// Errors as `lfcf_from_bytes`. A filter that grows may take any memory.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the dump is not kept.
/// Cost: time linear in the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_from_dump(
    dump: *const c_void,
    size: usize,
    filter: *mut *mut lfcf_filter,
    window: *mut u64,
    age: *mut u64,
) -> c_int {
    answer_uncancelled(|| {
        let filter = place(filter, null_mut(), "filter")?;
        let window = wanted(window, "window")?;
        let age = wanted(age, "age")?;
        let mut dump = array(dump.cast(), size, "dump")?;
        let read = Filter::of_dump(&mut dump, usize::MAX)?;
        let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        if let Some(window) = window {
            let length = read.settings().window.map(|window| window.length());
            *window = length.map_or(0, nanoseconds);
        }
        if let Some(age) = age {
            *age = read.age().map_or(0, nanoseconds);
        }
        hand_over(read.into_library(), filter)?;
        Ok(0)
    })
}

/// Creates a copy of the filter in `*copy`, with its seed, while other threads use it; NULL if it
/// fails. The copy holds every item that is stored from before the call until after it, and any
/// part of what is inserted or removed meanwhile.
///
/// `LFCF_BUSY`, `LFCF_DISTURBED`: try again. `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any; writers do not wait. Memory: the copy is the caller's, until `lfcf_destroy`. Cost:
/// time linear in the size; the copy, and in the first snapshot of a filter a sixteenth of its
/// table, which it keeps.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_snapshot(
    filter: *const lfcf_filter,
    copy: *mut *mut lfcf_filter,
) -> c_int {
    answer_uncancelled(|| {
        let copy = place(copy, null_mut(), "copy")?;
        hand_over(value(filter, "filter")?.writer()?.snapshot()?, copy)?;
        Ok(0)
    })
}
