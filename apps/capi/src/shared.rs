//! Filters in memory that processes share.

use std::ffi::{c_char, c_int};
use std::ops::Deref;
use std::path::Path;
use std::ptr::null_mut;

use lockfree_cuckoo::filter::{AnyLayout, Growing};
use lockfree_cuckoo::{FilterBuilder, ReadError, layout::Shape};

use crate::cancellation::answer_uncancelled;
use crate::create::{Use, hand_over, invalid, lfcf_options};
use crate::handle::lfcf_filter;
use crate::pointer::{self, change, file, place, value};
use crate::processes::{self, Shareable, Shared};
use crate::status::{Checked, answer};

/// Builds the filter in memory that processes share, with this name if there is one.
struct BuildShared<'a>(Option<&'a Path>);

impl Use for BuildShared<'_> {
    type Made = Shared;

    fn growing(self, _: FilterBuilder<Growing>) -> Checked<Shared> {
        Err(invalid(
            "a filter that grows cannot be in memory that processes share: create a fixed one, or one that rotates",
        ))
    }

    fn with_shape<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        shape: Shape,
    ) -> Checked<Shared> {
        processes::build(builder, shape, self.0)
    }

    fn smallest<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        rate: f64,
    ) -> Checked<Shared> {
        processes::build_smallest(builder, rate, self.0)
    }
}

/// A call that makes or finds a filter, which is the caller's from then on.
unsafe fn answer_filter<F: Into<lfcf_filter>>(
    filter: *mut *mut lfcf_filter,
    make: impl FnOnce() -> Checked<F>,
) -> c_int {
    answer_uncancelled(|| {
        let filter = place(filter, null_mut(), "filter")?;
        hand_over(make()?, filter)?;
        Ok(0)
    })
}

/// The file behind a descriptor, if there is one.
fn open_file(descriptor: c_int) -> Checked<impl Deref<Target = std::fs::File>> {
    let file = file(descriptor)?;
    file.metadata().map_err(ReadError::Io)?;
    Ok(file)
}

/// Creates an empty filter in `*filter`, in new memory that processes share; NULL if it fails. All
/// calls for filters take it, but for `lfcf_clear` and `lfcf_shrink_to_fit`. A process that is
/// killed, at whatever instruction, blocks no other, loses nothing and invents nothing.
///
/// Children of a fork use the filter as it is; each destroys it for itself. A child takes a seat of
/// its own at its first `lfcf_insert_unique`, or insert that must move other items. For this it
/// opens a file in `/proc`. So let it insert an item before it gives up rights. Other programs get
/// the memory by `lfcf_shared_fd`.
///
/// Errors as `lfcf_create`; `LFCF_INVALID`, too: the filter is one that grows. `LFCF_IO`: `errno`
/// is that of the system. `LFCF_NO_SEAT`. `LFCF_UNSUPPORTED`: this is not Linux.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the options are not
/// kept. The memory lasts as long as a process has it, or its descriptor. Cost: as `lfcf_create`.
/// Besides what that takes, each table has from the start 64 KiB for the filter's own descriptors and
/// a sixteenth for snapshots: `lfcf_measure` tells all of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_create(
    options: *const lfcf_options,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(filter, || {
        lfcf_options::of(options)?.make(BuildShared(None))
    })
}

/// `lfcf_shared_create` in a new file of this name. Other processes find it whole or not at all.
/// Take a name below `/dev/shm` or `/run`, which are memory: a file on a disk loses items when the
/// machine goes down, and is refused from then on. The file has the mode 600. Whoever may write to
/// it is trusted not to make it smaller.
///
/// Errors as `lfcf_shared_create`. `LFCF_FILE_EXISTS`. `LFCF_NO_FILE`: there is no such directory.
/// `LFCF_IO`: also if the file system has no files without a name (`O_TMPFILE`).
///
/// Threads: any. Memory: as `lfcf_shared_create`, and it lasts as long as the file. Cost: as
/// `lfcf_shared_create`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_create_at(
    options: *const lfcf_options,
    path: *const c_char,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(filter, || {
        let path = pointer::path(path, "path")?;
        lfcf_options::of(options)?.make(BuildShared(Some(path)))
    })
}

/// Copies a filter of this process into new memory that processes share, as `*copy`; NULL if it
/// fails. So what was read by `lfcf_from_bytes`, or copied by `lfcf_snapshot`, comes into such
/// memory.
///
/// Errors as `lfcf_shared_create`. `LFCF_INVALID`: the filter is one that grows. `LFCF_SHARED`,
/// `LFCF_READ_ONLY`: it is in such memory: call `lfcf_snapshot` first.
///
/// Threads: alone. Memory: the copy is the caller's, until `lfcf_destroy`; the filter stays as it
/// is. Cost: time linear in the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_copy(
    filter: *mut lfcf_filter,
    copy: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(copy, || {
        processes::copy(change(filter, "filter")?.alone()?, None)
    })
}

/// `lfcf_shared_copy` into a new file of this name, as `lfcf_shared_create_at`.
///
/// Errors as `lfcf_shared_copy`, and as `lfcf_shared_create_at`.
///
/// Threads, memory and cost: as `lfcf_shared_copy`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_copy_at(
    filter: *mut lfcf_filter,
    path: *const c_char,
    copy: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(copy, || {
        let path = pointer::path(path, "path")?;
        processes::copy(change(filter, "filter")?.alone()?, Some(path))
    })
}

/// Attaches to the memory behind a descriptor, which `lfcf_shared_fd` told in this or in another
/// process: the same filter in `*filter`, of whatever kind and layout; NULL if it fails.
///
/// `LFCF_NOT_SEALED`: it is the descriptor of something else, or of a file with a name: open that
/// by `lfcf_shared_open`. `LFCF_NOT_A_FILTER`: also for a stored filter, which
/// `lfcf_shared_copy` brings into such memory. `LFCF_TRUNCATED`, `LFCF_DAMAGED`,
/// `LFCF_NEWER_VERSION`, `LFCF_OTHER_HASHER`, `LFCF_OUT_OF_MEMORY`, `LFCF_NO_SEAT`,
/// `LFCF_UNSUPPORTED`. `LFCF_INVALID`: the descriptor is negative. `LFCF_IO`: `errno` is that of
/// the system.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`. The descriptor stays the
/// caller's, who may close it as soon as the call has returned. Cost: some calls of the system; the
/// memory is mapped, not copied.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_attach(fd: c_int, filter: *mut *mut lfcf_filter) -> c_int {
    answer_filter(filter, || processes::attach(&*open_file(fd)?))
}

/// Opens the filter in `*filter` that `lfcf_shared_create_at` made in this file, of whatever kind
/// and layout; NULL if it fails. If several processes open a filter or make it: after
/// `LFCF_NO_FILE` call `lfcf_shared_create_at`, and after its `LFCF_FILE_EXISTS` begin again.
///
/// `LFCF_NO_FILE`, `LFCF_OTHER_BOOT`. Otherwise errors as `lfcf_shared_attach`, but for
/// `LFCF_NOT_SEALED`.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`. Cost: as
/// `lfcf_shared_attach`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_open(
    path: *const c_char,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(filter, || processes::open(pointer::path(path, "path")?))
}

/// `lfcf_shared_attach` for a process that only looks up: it maps the memory to read, and takes no
/// seat. The filter has the calls for one item, or many, that look up, and those that measure:
/// `lfcf_contains`, `lfcf_value`, `lfcf_age`, `lfcf_rotations`, `lfcf_hash_bytes`, `lfcf_measure`,
/// `lfcf_is_full`, with their forms for bytes, `_bulk` and `_many`. All others fail with
/// `LFCF_READ_ONLY`.
///
/// Errors as `lfcf_shared_attach`, but for `LFCF_NO_SEAT`.
///
/// Threads, memory and cost: as `lfcf_shared_attach`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_attach_reader(
    fd: c_int,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(filter, || processes::attach_reader(&*open_file(fd)?))
}

/// `lfcf_shared_open` for a process that only looks up, as `lfcf_shared_attach_reader`. It needs no
/// right to write to the file.
///
/// Errors as `lfcf_shared_open`, but for `LFCF_NO_SEAT`.
///
/// Threads, memory and cost: as `lfcf_shared_attach`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_open_reader(
    path: *const c_char,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_filter(filter, || {
        processes::open_reader(pointer::path(path, "path")?)
    })
}

/// Returns the descriptor of the memory, to hand it to another process. A program that this process
/// starts does not inherit it. Hand it over by a socket, or inherit a `dup` of it.
///
/// `LFCF_WRONG_KIND`: the filter is of one process. `LFCF_READ_ONLY`: a reader has none.
///
/// Threads: any. Memory: the descriptor is the filter's, which closes it in `lfcf_destroy`: do not
/// close it, and `dup` it to keep it for longer. Cost: none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_fd(filter: *const lfcf_filter) -> c_int {
    answer(|| Ok(processes::descriptor(value(filter, "filter")?.shared()?)))
}

/// Takes back what processes held that died in a call. Returns the number of these calls. To attach
/// or to open does the same, and so does a call that misses what they held. So nobody has to call
/// it. After it the last call of a dead process has had its whole effect, or never will.
///
/// `LFCF_WRONG_KIND`: the filter is of one process. `LFCF_READ_ONLY`.
///
/// Threads: any. Cost: 1,023 loads for each table, and a call of the system for each process that
/// is in a call.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shared_recover(filter: *const lfcf_filter) -> c_int {
    answer_uncancelled(|| Ok(value(filter, "filter")?.shared()?.recover() as c_int))
}
