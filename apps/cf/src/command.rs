//! Commands: the checked request of a client, and its work on one filter.

use std::time::Duration;

use crate::error::Error;
use crate::filter::Filter;
use crate::reply::Reply;
use crate::settings::Settings;

/// A command and the key that it is about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Call<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The work to do under that key.
    pub command: Command<'a>,
}

/// The work to do under a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command<'a> {
    /// `CF.RESERVE`: makes a [`Filter`] where there is none. May take long.
    Reserve(Settings),
    /// Uses the filter under the key, by [`Operation::on`], or does what [`Operation::absent`]
    /// says.
    Use(Operation<'a>),
    /// `CF.COMPACT`: makes the filter smaller, by [`Filter::shrink_to_fit`], without other users
    /// meanwhile. May take long.
    Compact,
    /// `CF.ROTATE`: forgets the oldest items of the filter, by [`Filter::rotate`], or with a number
    /// by [`Filter::rotate_as`]. The reply is the number of rotations.
    Rotate(Option<u64>),
    /// `CF.SCANDUMP`: returns the chunk of a dump that follows an iterator, by
    /// [`Transfers::next_chunk`](crate::Transfers::next_chunk). May take long.
    ScanDump(i64),
    /// `CF.LOADCHUNK`: takes a chunk of a dump where there is no filter, by
    /// [`Transfers::take_chunk`](crate::Transfers::take_chunk). May take long.
    LoadChunk {
        /// The end of the chunk in its dump.
        end: usize,
        /// Its bytes.
        chunk: &'a [u8],
    },
}

impl Command<'_> {
    /// Returns the reply for a key that has a value of another type, where there are such. A lookup
    /// finds nothing.
    ///
    /// # Errors
    ///
    /// For every command but lookups.
    pub fn on_other_type(&self) -> Result<Reply, Error> {
        match self {
            Self::Use(operation) => match operation.absent() {
                Absent::Create(_) | Absent::Reply(Err(Error::NoFilter)) => Err(Error::WrongType),
                Absent::Reply(reply) => reply,
            },
            Self::Compact => Err(Error::NothingToCompact),
            Self::Reserve(_) | Self::Rotate(_) | Self::ScanDump(_) | Self::LoadChunk { .. } => {
                Err(Error::WrongType)
            }
        }
    }
}

/// A command that works on one filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation<'a> {
    /// `CF.ADD`, and `CF.ADDNX`, which adds only an absent item.
    Add {
        /// The item to add.
        item: &'a [u8],
        /// Whether it is added only if it is absent.
        is_unique: bool,
        /// The filter to make if there is none.
        create: Settings,
    },
    /// `CF.INSERT` and `CF.INSERTNX`: the same for many items.
    Insert {
        /// The items to add.
        items: &'a [&'a [u8]],
        /// Whether each is added only if it is absent.
        is_unique: bool,
        /// The filter to make if there is none, unless that is an error.
        create: Option<Settings>,
    },
    /// `CF.REFRESH`: adds items to a filter with a window, or restarts the life of those that are
    /// stored.
    Refresh(&'a [&'a [u8]]),
    /// `CF.EXISTS`.
    Exists(&'a [u8]),
    /// `CF.MEXISTS`.
    ManyExist(&'a [&'a [u8]]),
    /// `CF.COUNT`.
    Count(&'a [u8]),
    /// `CF.DEL`.
    Delete(&'a [u8]),
    /// `CF.INFO`.
    Info,
    /// `CF.DEBUG`: the fields of `CF.INFO` in one line.
    Debug,
}

/// The outcome of an operation if there is no filter under the key.
#[derive(Debug)]
pub enum Absent {
    /// Reply this.
    Reply(Result<Reply, Error>),
    /// Make a filter with these settings, and do the operation on it.
    Create(Settings),
}

impl Operation<'_> {
    /// Does the operation on the filter of the key.
    ///
    /// `caller` is a number of the connection or thread, as for [`Filter::remove`]; 0 will do.
    ///
    /// # Errors
    ///
    /// If a single item cannot be added. Of many, each that cannot be added has -1.
    pub fn on(&self, filter: &Filter, caller: u64) -> Result<Reply, Error> {
        Ok(match *self {
            Self::Add {
                item, is_unique, ..
            } => Reply::Boolean(if is_unique {
                filter.insert_unique(item)?
            } else {
                filter.insert(item)?;
                true
            }),
            Self::Insert {
                items, is_unique, ..
            } => {
                // RedisBloom replies with numbers to `CF.INSERTNX` in every protocol.
                let number = |answer| Reply::Integer(answer as i64);
                let reply = if is_unique { number } else { Reply::from };
                let answers = filter.insert_each(items, is_unique);
                Reply::Array(answers.into_iter().map(reply).collect())
            }
            Self::Refresh(items) => {
                let answers = filter.refresh_each(items)?;
                Reply::Array(answers.into_iter().map(Reply::from).collect())
            }
            Self::Exists(item) => Reply::Boolean(filter.contains(item)),
            Self::ManyExist(items) => {
                let answers = filter.contains_each(items);
                Reply::Array(answers.into_iter().map(Reply::Boolean).collect())
            }
            Self::Count(item) => Reply::Integer(filter.count(item) as i64),
            Self::Delete(item) => Reply::Boolean(filter.remove(item, caller)),
            Self::Info => Reply::Map(
                info(filter)
                    .into_iter()
                    .chain(info_of_window(filter))
                    .collect(),
            ),
            Self::Debug => {
                let [
                    _,
                    buckets,
                    filters,
                    items,
                    deletes,
                    slots,
                    expansion,
                    iterations,
                ] = info(filter).map(|(_, value)| value);
                let text = format!(
                    "bktsize:{slots} buckets:{buckets} items:{items} deletes:{deletes} filters:{filters} \
                     max_iterations:{iterations} expansion:{expansion}"
                );
                Reply::Bulk(text.into_bytes())
            }
        })
    }

    /// Returns what to do if there is no filter under the key.
    pub fn absent(&self) -> Absent {
        Absent::Reply(match *self {
            Self::Add { create, .. }
            | Self::Insert {
                create: Some(create),
                ..
            } => return Absent::Create(create),
            Self::Exists(_) => Ok(Reply::Boolean(false)),
            Self::ManyExist(items) => Ok(Reply::Array(vec![Reply::Boolean(false); items.len()])),
            Self::Count(_) => Ok(Reply::Integer(0)),
            Self::Delete(_) => Err(Error::NothingToDelete),
            Self::Insert { create: None, .. } | Self::Refresh(_) | Self::Info | Self::Debug => {
                Err(Error::NoFilter)
            }
        })
    }

    /// Returns the number of its items.
    pub fn items(&self) -> usize {
        match self {
            Self::Add { .. } | Self::Exists(_) | Self::Count(_) | Self::Delete(_) => 1,
            Self::Insert { items, .. } | Self::Refresh(items) | Self::ManyExist(items) => {
                items.len()
            }
            Self::Info | Self::Debug => 0,
        }
    }
}

fn info(filter: &Filter) -> [(&'static str, i64); 8] {
    let settings = filter.settings();
    let bucket_size = filter.shape().slots();
    [
        ("Size", filter.memory_usage() as i64),
        ("Number of buckets", (filter.slots() / bucket_size) as i64),
        ("Number of filters", filter.tables() as i64),
        ("Number of items inserted", filter.items() as i64),
        // The cast is exact: an entry with more deletions is not read.
        ("Number of items deleted", filter.deleted() as i64),
        ("Bucket size", bucket_size as i64),
        ("Expansion rate", settings.expansion.into()),
        ("Max iterations", settings.max_iterations.into()),
    ]
}

/// Returns the fields that only a filter with a window has. Times are in milliseconds.
fn info_of_window(filter: &Filter) -> impl Iterator<Item = (&'static str, i64)> {
    let milliseconds = |time: Duration| i64::try_from(time.as_millis()).unwrap_or(i64::MAX);
    let window = filter.settings().window.zip(filter.age());
    window.into_iter().flat_map(move |(window, age)| {
        [
            ("Window", milliseconds(window.length())),
            ("Number of generations", window.generations() as i64),
            ("Number of rotations", filter.rotations() as i64),
            ("Age of the youngest generation", milliseconds(age)),
        ]
    })
}

/// The limits and defaults for the arguments.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// The settings of a filter, unless a client gives others.
    pub defaults: Settings,
    /// The bytes that a key or an item may have.
    pub longest: usize,
}
