//! What a command is refused for. The texts are those that RedisBloom's clients know, without the `ERR` before them.

use lockfree_cuckoo::{BuildError, InsertError, ReadError};

use crate::budget::NotAdded;
use crate::filter::WriteError;

/// Why a command was refused.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too few arguments, or too many, for the command of this name.
    #[error("wrong number of arguments for '{}' command", .0.to_ascii_lowercase())]
    WrongNumber(&'static str),
    /// An option that the command does not have.
    #[error("Unknown argument received")]
    UnknownArgument,
    /// No number, or one out of bounds.
    #[error("{name}: value must be an integer between {least} and {most}, inclusive")]
    OutOfBounds {
        /// What the number is of.
        name: &'static str,
        /// The lower bound.
        least: i64,
        /// The upper bound.
        most: i64,
    },
    /// No rate of false positives, or one that is too low.
    #[error("{0}: value must be a number from 0.000000001 to less than 1")]
    Rate(&'static str),
    /// Two options that say different things of the layout.
    #[error(
        "BUCKETSIZE and ERROR exclude each other: a filter of a given error rate chooses its bucket size"
    )]
    BucketSizeAndError,
    /// A key or an item is longer than [`Rules`](crate::Rules) allow.
    #[error("{length} bytes are too many: an item or a key can have at most {most}")]
    TooLong {
        /// Its bytes.
        length: usize,
        /// The bytes it may have.
        most: usize,
    },
    /// There is a filter under this key already.
    #[error("item exists")]
    Exists,
    /// There is no filter under this key.
    #[error("not found")]
    NoFilter,
    /// The same, as `CF.COMPACT` says it.
    #[error("Cuckoo filter was not found")]
    NothingToCompact,
    /// The same, as `CF.DEL` says it.
    #[error("Not found")]
    NothingToDelete,
    /// The filter has no room for an item, and does not grow.
    #[error("Filter is full")]
    Full,
    /// The filter has no room for an item, and may not grow any more.
    #[error("Filter is full: {0}")]
    CannotGrow(InsertError),
    /// The filter has no room for an item, and there is no memory for it to grow.
    #[error("Filter is full: {0}")]
    NoMemoryToGrow(NotAdded),
    /// An item cannot be added for another reason.
    #[error(transparent)]
    NotInserted(InsertError),
    /// A filter cannot be made.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The iterator of a dump is none that was given out, or the dump is forgotten.
    #[error("Invalid position")]
    Position,
    /// A chunk is not the next one, or not of a dump.
    #[error("Couldn't load chunk! {0}")]
    Chunk(&'static str),
    /// A dump is whole, and no filter.
    #[error("Couldn't load chunk! {0}")]
    Read(#[from] ReadError),
    /// A filter could not be dumped.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// What the caller refuses for reasons of its own, such as memory.
    #[error("{0}")]
    Other(String),
}

impl From<NotAdded> for Error {
    fn from(error: NotAdded) -> Self {
        match error {
            NotAdded::Refused(
                InsertError::Full { .. }
                | InsertError::Disturbed { .. }
                | InsertError::NoDescriptor { .. },
            ) => Self::Full,
            NotAdded::Refused(error @ InsertError::CannotGrow { .. }) => Self::CannotGrow(error),
            NotAdded::Refused(error) => Self::NotInserted(error),
            NotAdded::NoMemoryToGrow { .. } => Self::NoMemoryToGrow(error),
        }
    }
}
