//! What a command is refused for. The texts are those that RedisBloom's clients know, without the `ERR` before them.

use lockfree_cuckoo::{BuildError, InsertError, ReadError, SnapshotError};

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
    /// The filter has no room for an item, and to grow takes more than what is left.
    #[error("Filter is full: to grow, the filter needs {needed} bytes more, and {left} are left")]
    NoMemoryToGrow {
        /// Bytes that it needs besides those that it has.
        needed: usize,
        /// What is left for this filter.
        left: usize,
    },
    /// An item cannot be added for another reason.
    #[error(transparent)]
    NotInserted(InsertError),
    /// A new filter would take more than there is left.
    #[error(
        "Insufficient memory to create filter: what is left is {left} bytes, and this filter needs {needed}"
    )]
    NoMemory {
        /// To begin with.
        needed: usize,
        /// What was said to be left.
        left: usize,
    },
    /// It would take more than one that grows may.
    #[error(
        "Insufficient memory to create filter: a filter that grows can take at most {most} bytes, and this one needs \
         {needed}"
    )]
    TooLarge {
        /// To begin with.
        needed: usize,
        /// What it may take.
        most: usize,
    },
    /// There is no memory for it.
    #[error("Insufficient memory to create filter: {0}")]
    NotAllocated(BuildError),
    /// No layout has such a rate of false positives.
    #[error(transparent)]
    NoLayout(BuildError),
    /// One that grows has a higher rate of false positives before it has grown.
    #[error(
        "ERROR: a filter that grows has a rate of {least:.6} when it is full for the first time, which is more than \
         {asked}: set a higher one, or EXPANSION 0"
    )]
    RateOfGrowing {
        /// What was asked for.
        asked: f64,
        /// What it has.
        least: f64,
    },
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
            | Self::NoMemoryToGrow { .. }
            | Self::Position
            | Self::Chunk(_)
            | Self::Read(_) => "",
            _ => "ERR",
        }
    }
}

impl From<InsertError> for Error {
    fn from(error: InsertError) -> Self {
        match error {
            InsertError::Full { .. }
            | InsertError::Disturbed { .. }
            | InsertError::NoDescriptor { .. } => Self::Full,
            InsertError::CannotGrow(_) => Self::CannotGrow(error),
            error => Self::NotInserted(error),
        }
    }
}
