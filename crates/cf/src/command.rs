//! What a client asks for, checked and ready to be done.

use crate::error::Error;
use crate::operation::Operation;
use crate::reply::Reply;
use crate::settings::Settings;

/// A command and the key that it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call<'a> {
    /// The key.
    pub key: &'a [u8],
    /// What is to be done under that key.
    pub command: Command<'a>,
}

/// What is to be done under a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command<'a> {
    /// `CF.RESERVE`: make a [`Filter`](crate::Filter) where there is none. May take long.
    Reserve(Settings),
    /// Work on the filter that is there, by [`Operation::on`], or do what [`Operation::absent`] says.
    Use(Operation<'a>),
    /// `CF.COMPACT`: make the filter that is there smaller, by [`Filter::shrink_to_fit`](crate::Filter::shrink_to_fit),
    /// which nobody else may use meanwhile. May take long.
    Compact,
    /// `CF.SCANDUMP`: give the chunk of a dump that is behind an iterator, by
    /// [`Transfers::next_chunk`](crate::Transfers::next_chunk). May take long.
    ScanDump(i64),
    /// `CF.LOADCHUNK`: take a chunk of a dump where there is no filter, by
    /// [`Transfers::take_chunk`](crate::Transfers::take_chunk). May take long.
    LoadChunk {
        /// Where the chunk ends in its dump.
        end: usize,
        /// Its bytes.
        chunk: &'a [u8],
    },
}

impl Command<'_> {
    /// What is to be done if the key has a value of another type, where there are such.
    ///
    /// # Errors
    ///
    /// As [`Operation::on_other_type`], and [`Error::NothingToCompact`].
    pub fn on_other_type(&self) -> Result<Reply, Error> {
        match self {
            Self::Use(operation) => operation.on_other_type(),
            Self::Compact => Err(Error::NothingToCompact),
            Self::Reserve(_) | Self::ScanDump(_) | Self::LoadChunk { .. } => Err(Error::WrongType),
        }
    }
}

/// What arguments are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What filters are like unless a client says.
    pub defaults: Settings,
    /// Bytes that a key or an item may have.
    pub longest: usize,
}
