//! Errors: the reasons why a command is refused, in the texts that RedisBloom's clients know,
//! without the `ERR` before them.

use lockfree_cuckoo::{BuildError, InsertError, ReadError, RotateError, SnapshotError};

/// The reason why a command was refused. Its text has no code before it: [`line`](Self::line) has.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Too few or too many arguments for the command of this name.
    #[error("wrong number of arguments for '{}' command", .0.to_ascii_lowercase())]
    WrongNumber(&'static str),
    /// An option that the command does not have.
    #[error("Unknown argument received")]
    UnknownArgument,
    /// A capacity that is not a number.
    #[error("Bad capacity")]
    BadCapacity,
    /// A capacity that is too small for the bucket size.
    #[error("Capacity must be at least (BucketSize * 2)")]
    CapacityTooSmall,
    /// The same of a window, with the number: RedisBloom has no windows, and no text for them.
    #[error("Capacity must be at least (BucketSize * 2): {least} items for each period")]
    CapacityOfWindow {
        /// The lower bound.
        least: usize,
    },
    /// The value of an option that is not a number.
    #[error("Couldn't parse {0}")]
    NoNumber(&'static str),
    /// The value of an option that is out of bounds.
    #[error("{name}: value must be an integer between {least} and {most}, inclusive.")]
    OutOfBounds {
        /// The name of the option.
        name: &'static str,
        /// The lower bound.
        least: i64,
        /// The upper bound.
        most: i64,
    },
    /// A value that is not a rate of false positives, or too low.
    #[error("{0}: value must be a number from 0.000000001 to less than 1")]
    Rate(&'static str),
    /// Two options that contradict each other about the layout.
    #[error(
        "BUCKETSIZE and ERROR exclude each other: a filter of a given error rate chooses its bucket size"
    )]
    BucketSizeAndError,
    /// A value that is not the length of a window, or out of bounds.
    #[error("WINDOW: value must be a number of seconds from 0.1 to 1000000000")]
    Window,
    /// An option of a window that is given twice.
    #[error("{0} is given twice")]
    Twice(&'static str),
    /// A number of generations without a window.
    #[error("GENERATIONS: only a filter with a WINDOW has generations")]
    NoWindowToDivide,
    /// A window for a filter that grows.
    #[error("WINDOW and EXPANSION exclude each other: a filter with a window does not grow")]
    WindowAndExpansion,
    /// A window for a filter of another kind, or of another number of generations; or none for a
    /// filter that rotates.
    #[error(
        "a filter that rotates has a window of as many generations, and no other filter has a window"
    )]
    OtherWindow,
    /// A command on a window, for a filter without one.
    #[error("the filter has no window: make one with CF.RESERVE key capacity WINDOW seconds")]
    NoWindow,
    /// A rotation that is not the next one.
    #[error("rotation {asked} is not the next one: the filter has rotated {rotations} times")]
    NotTheNext {
        /// The number of the rotation that was asked for.
        asked: u64,
        /// The rotations so far.
        rotations: u64,
    },
    /// A rotation of the library failed.
    #[error(transparent)]
    NotRotated(#[from] RotateError),
    /// A key or an item is longer than [`Rules`](crate::Rules) allow.
    #[error("{length} bytes are too many: an item or a key can have at most {most}")]
    TooLong {
        /// Its length in bytes.
        length: usize,
        /// The bytes that it may have.
        most: usize,
    },
    /// The key has something else than a filter.
    #[error("Operation against a key holding the wrong kind of value")]
    WrongType,
    /// The key has a filter already.
    #[error("item exists")]
    Exists,
    /// The key has no filter.
    #[error("not found")]
    NoFilter,
    /// The key has no filter, in the words of `CF.COMPACT`.
    #[error("Cuckoo filter was not found")]
    NothingToCompact,
    /// The key has no filter, in the words of `CF.DEL`.
    #[error("Not found")]
    NothingToDelete,
    /// The filter has no room for an item, and does not grow.
    #[error("Filter is full")]
    Full,
    /// The youngest generation of a filter with a window has no room for an item.
    #[error(
        "Filter is full: its youngest generation has no room, which is made for {capacity} items of one period. Nothing \
         that it knows is lost. Reserve a larger capacity, or forget the oldest items with CF.ROTATE"
    )]
    FullGeneration {
        /// The items of one period that the filter is made for.
        capacity: usize,
    },
    /// The filter has no room for an item, and may not grow any more.
    #[error("Filter is full: {0}")]
    CannotGrow(InsertError),
    /// The filter has no room for an item, and too little memory is left to grow.
    #[error("Filter is full: to grow, the filter needs {needed} bytes more, and {left} are left")]
    NoMemoryToGrow {
        /// The bytes that it needs besides those that it has.
        needed: usize,
        /// The bytes that are left for this filter.
        left: usize,
    },
    /// An item cannot be added for another reason.
    #[error(transparent)]
    NotInserted(InsertError),
    /// A new filter would take more than is left.
    #[error(
        "Insufficient memory to create filter: what is left is {left} bytes, and this filter needs {needed}"
    )]
    NoMemory {
        /// The bytes that it needs at first.
        needed: usize,
        /// The bytes that the caller gave as left.
        left: usize,
    },
    /// A new filter would take more than a growing one may.
    #[error(
        "Insufficient memory to create filter: a filter that grows can take at most {most} bytes, and this one needs \
         {needed}"
    )]
    TooLarge {
        /// The bytes that it needs at first.
        needed: usize,
        /// The bytes that it may take.
        most: usize,
    },
    /// There is no memory for a new filter.
    #[error("Insufficient memory to create filter: {0}")]
    NotAllocated(BuildError),
    /// No layout has such a rate of false positives.
    #[error(transparent)]
    NoLayout(BuildError),
    /// A growing filter has a higher rate of false positives even before it has grown.
    #[error(
        "ERROR: a filter that grows has a rate of {least:.6} when it is full for the first time, which is more than \
         {asked}: set a higher one, or EXPANSION 0"
    )]
    RateOfGrowing {
        /// The requested rate.
        asked: f64,
        /// The rate of the filter.
        least: f64,
    },
    /// The iterator of a dump was never given out, or its dump is forgotten.
    #[error("Invalid position")]
    Position,
    /// A dump takes more memory than there is. The caller knows how much there is, and gives the
    /// text.
    #[error("{0}")]
    NoMemoryToTransfer(String),
    /// The bytes do not begin like a dump.
    #[error("Couldn't load chunk! it does not begin like a dump of this server")]
    NoDump,
    /// A chunk is not the next one, or not part of a dump.
    #[error("Couldn't load chunk! {0}")]
    Chunk(&'static str),
    /// A dump is complete, and not a filter.
    #[error("Couldn't load chunk! {0}")]
    Read(#[from] ReadError),
    /// A filter could not be dumped.
    #[error(transparent)]
    Dump(#[from] SnapshotError),
    /// A refusal by the caller, for its own reasons, such as memory.
    #[error("{0}")]
    Other(String),
}

impl Error {
    /// Returns the line for a client: the text, with a code before it if RedisBloom has one.
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
            | Self::CapacityOfWindow { .. }
            | Self::NoNumber(_)
            | Self::OutOfBounds { .. }
            | Self::NothingToCompact
            | Self::NothingToDelete
            | Self::Full
            | Self::FullGeneration { .. }
            | Self::CannotGrow(_)
            | Self::NoMemoryToGrow { .. }
            | Self::Position
            | Self::NoDump
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
            | InsertError::NoDescriptor => Self::Full,
            InsertError::CannotGrow(_) => Self::CannotGrow(error),
            error => Self::NotInserted(error),
        }
    }
}
