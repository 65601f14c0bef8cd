//! The errors of filters that processes share.

use super::{BuildError, OutOfMemory, ReadError};

/// Why a filter that processes share was not made, or not opened. The attempt has no effects.
///
/// # Examples
///
/// ```
/// # #[cfg(not(miri))] {
/// use lockfree_cuckoo::{SharedError, SharedFilter};
/// use std::fs::File;
///
/// let file = File::open("/proc/self/exe")?;
/// let refused = <SharedFilter>::attach(&file).map(drop);
/// assert!(matches!(refused, Err(SharedError::NotSealed)));
/// # }
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum SharedError {
    /// The plan of a new filter is refused.
    Build(BuildError),
    /// The memory is not a filter that processes share, or not of this kind, layout or hasher, or
    /// of this version of its form.
    Read(ReadError),
    /// The memory is a filter of one process, stored in a file. Read it by
    /// [`read_from`](crate::Filter::read_from), and make memory that processes share of it by
    /// [`copy_to_shared_at`](crate::Filter::copy_to_shared_at). A growing filter cannot be in such
    /// memory.
    Stored,
    /// The system refused a call.
    Io(std::io::Error),
    /// A process that has the memory could make it smaller, and end every process that reads it.
    /// The memory of [`build_shared`](crate::FilterBuilder::build_shared) cannot be made smaller.
    NotSealed,
    /// The machine has gone down since the file was made, so it may have lost items. Remove it, and
    /// make the filter anew.
    OtherBoot,
    /// As many processes as there can be have the memory.
    NoSeat,
}

texts! { SharedError:
    Self::Build(error) => "{error}";
    Self::Read(ReadError::NotAFilter) => "this is not a filter that processes share: its first bytes are wrong";
    Self::Read(error) => "{error}";
    Self::Stored => "this is a stored filter, which one process reads: read it, and copy it to memory that processes share";
    Self::Io(error) => "{error}";
    Self::NotSealed =>
        "the size of this memory can change, and only sealed memory is attached to by a descriptor: open a file by its name";
    Self::OtherBoot =>
        "the machine has gone down since this file was made: it may have lost items";
    Self::NoSeat => "1,023 processes have this filter already";
}

impl From<std::io::Error> for SharedError {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

causes! {
    BuildError as Build => SharedError;
    ReadError as Read => SharedError;
}

impl From<OutOfMemory> for SharedError {
    fn from(error: OutOfMemory) -> Self {
        Self::Read(ReadError::OutOfMemory(error))
    }
}
