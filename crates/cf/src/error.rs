//! What a command is refused for. The texts are those that RedisBloom's clients know, without the `ERR` before them.

use lockfree_cuckoo::{InsertError, ReadError, SnapshotError};

use crate::filter::{NotAdded, NotMade};

/// Why a command was refused. Its text has no code before it: [`line`](Self::line) has.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Too few arguments, or too many, for the command of this name.
    #[error("wrong number of arguments for '{}' command", .0.to_ascii_lowercase())]
    WrongNumber(&'static str),
    /// An option that the command does not have.
    #[error("Unknown argument received")]
    UnknownArgument,
    /// A capacity that is no number.
    #[error("Bad capacity")]
    BadCapacity,
    /// A capacity that is too small for the bucket size.
    #[error("Capacity must be at least (BucketSize * 2)")]
    CapacityTooSmall,
    /// The value of an option that is no number.
    #[error("Couldn't parse {0}")]
    NoNumber(&'static str),
    /// The value of an option that is out of bounds.
    #[error("{name}: value must be an integer between {least} and {most}, inclusive.")]
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
    /// There is something else than a filter under this key.
    #[error("Operation against a key holding the wrong kind of value")]
    WrongType,
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
    /// A filter cannot be made: it would be too large.
    #[error("Insufficient memory to create filter: {0}")]
    NoMemory(NotMade),
    /// A filter cannot be made for another reason.
    #[error(transparent)]
    NotMade(NotMade),
    /// The iterator of a dump is none that was given out, or the dump is forgotten.
    #[error("Invalid position")]
    Position,
    /// A dump on its way out or in takes more memory than there is. The words are those of whoever knows how much there is.
    #[error("{0}")]
    NoMemoryToTransfer(String),
    /// A chunk is not the next one, or not of a dump.
    #[error("Couldn't load chunk! {0}")]
    Chunk(&'static str),
    /// A dump is whole, and no filter.
    #[error("Couldn't load chunk! {0}")]
    Read(#[from] ReadError),
    /// A filter could not be dumped.
    #[error(transparent)]
    Dump(#[from] SnapshotError),
    /// What the caller refuses for reasons of its own, such as memory.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// The line that a client gets: a code if RedisBloom has one before this text, and the text.
    pub fn line(&self) -> String {
        match self.code() {
            "" => self.to_string(),
            code => format!("{code} {self}"),
        }
    }

    fn code(&self) -> &'static str {
        match self {
            Self::WrongType => "WRONGTYPE",
            Self::UnknownArgument
            | Self::BadCapacity
            | Self::CapacityTooSmall
            | Self::NoNumber(_)
            | Self::OutOfBounds { .. }
            | Self::NothingToCompact
            | Self::NothingToDelete
            | Self::Full
            | Self::CannotGrow(_)
            | Self::NoMemoryToGrow(_)
            | Self::Position
            | Self::Chunk(_)
            | Self::Read(_) => "",
            _ => "ERR",
        }
    }
}

impl From<NotMade> for Error {
    fn from(error: NotMade) -> Self {
        let is_rate = match &error {
            NotMade::Build(error) => error.requested_rate().is_some(),
            error => matches!(error, NotMade::RateOfGrowing { .. }),
        };
        if is_rate {
            Self::NotMade(error)
        } else {
            Self::NoMemory(error)
        }
    }
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
