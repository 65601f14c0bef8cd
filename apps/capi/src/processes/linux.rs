//! Where there is such memory.

use std::ffi::c_int;
use std::io;
use std::io::ErrorKind;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;

use lockfree_cuckoo::filter::{AnyLayout, Dyn, Kind};
use lockfree_cuckoo::{DynFilter, FilterBuilder, ReadError, SharedError, layout::Shape};

use crate::status::lfcf_status::{
    self, LFCF_DAMAGED, LFCF_FILE_EXISTS, LFCF_INVALID, LFCF_IO, LFCF_NO_FILE, LFCF_NO_SEAT,
    LFCF_NOT_A_FILTER, LFCF_NOT_SEALED, LFCF_OTHER_BOOT, LFCF_OUT_OF_MEMORY,
};
use crate::status::{Checked, failed};

pub(crate) use lockfree_cuckoo::filter::Shareable;

pub(crate) type Shared = lockfree_cuckoo::SharedFilter<Dyn>;
pub(crate) type Reader = lockfree_cuckoo::SharedReader<Dyn>;

/// Builds a filter in new memory, which has this name if there is one.
pub(crate) fn build<E: AnyLayout + Shareable>(
    builder: FilterBuilder<E>,
    shape: Shape,
    path: Option<&Path>,
) -> Checked<Shared> {
    Ok(match path {
        None => builder.build_shared_shape(shape)?,
        Some(path) => named(path, builder.build_shared_shape_at(shape, path))?,
    })
}

/// Builds the smallest filter with this rate.
pub(crate) fn build_smallest<E: AnyLayout + Shareable>(
    builder: FilterBuilder<E>,
    rate: f64,
    path: Option<&Path>,
) -> Checked<Shared> {
    Ok(match path {
        None => builder.build_shared_smallest(rate)?,
        Some(path) => named(path, builder.build_shared_smallest_at(rate, path))?,
    })
}

/// Copies a filter of this process into new memory, which has this name if there is one.
pub(crate) fn copy(filter: &mut DynFilter, path: Option<&Path>) -> Checked<Shared> {
    if filter.kind() == Kind::Growing {
        let details = "a filter that grows cannot be in memory that processes share";
        return Err(failed(LFCF_INVALID, details));
    }
    Ok(match path {
        None => filter.copy_to_shared()?,
        Some(path) => named(path, filter.copy_to_shared_at(path))?,
    })
}

pub(crate) fn attach(file: impl AsFd) -> Checked<Shared> {
    Ok(Shared::attach(file)?)
}

pub(crate) fn open(path: &Path) -> Checked<Shared> {
    named(path, Shared::open(path))
}

pub(crate) fn attach_reader(file: impl AsFd) -> Checked<Reader> {
    Ok(Reader::attach(file)?)
}

pub(crate) fn open_reader(path: &Path) -> Checked<Reader> {
    named(path, Reader::open(path))
}

/// The number of the descriptor of the memory. It stays the filter's.
pub(crate) fn descriptor(filter: &Shared) -> c_int {
    filter.as_fd().as_raw_fd()
}

/// What came of a call for a file with a name. If the system refused it, the details say the name.
fn named<T>(path: &Path, made: Result<T, SharedError>) -> Checked<T> {
    made.map_err(|error| match error {
        SharedError::Io(error) => {
            let status = match error.kind() {
                ErrorKind::NotFound => LFCF_NO_FILE,
                ErrorKind::AlreadyExists => LFCF_FILE_EXISTS,
                _ => of_system(&error),
            };
            failed(status, format_args!("{}: {error}", path.display()))
        }
        error => error.into(),
    })
}

fn of_system(error: &io::Error) -> lfcf_status {
    match error.kind() {
        ErrorKind::OutOfMemory | ErrorKind::StorageFull => LFCF_OUT_OF_MEMORY,
        _ => LFCF_IO,
    }
}

impl From<SharedError> for lfcf_status {
    fn from(error: SharedError) -> Self {
        let status = match error {
            SharedError::Build(error) => return error.into(),
            SharedError::Read(ReadError::NotAFilter) | SharedError::Stored => LFCF_NOT_A_FILTER,
            SharedError::Read(error) => return error.into(),
            SharedError::Io(ref error) => of_system(error),
            SharedError::NotSealed => LFCF_NOT_SEALED,
            SharedError::OtherBoot => LFCF_OTHER_BOOT,
            SharedError::NoSeat => LFCF_NO_SEAT,
            // The memory is not to be used, whatever the reason.
            _ => LFCF_DAMAGED,
        };
        failed(status, error)
    }
}
