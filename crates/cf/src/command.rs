//! What a client asks for, checked and ready to be done.

use crate::error::Error;
use crate::filter::Filter;
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
    /// `CF.RESERVE`: make a [`Filter`] where there is none. May take long.
    Reserve(Settings),
    /// Work on the filter that is there, by [`Operation::on`], or do what [`Operation::absent`] says.
    Use(Operation<'a>),
    /// `CF.COMPACT`: make the filter that is there smaller, by [`Filter::shrink_to_fit`], which nobody else may use
    /// meanwhile. May take long.
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
    /// What is to be done if the key has a value of another type, where there are such. To look it up is to find nothing.
    ///
    /// # Errors
    ///
    /// For all that does not only look up items.
    pub fn on_other_type(&self) -> Result<Reply, Error> {
        match self {
            Self::Use(operation) => match operation.absent() {
                Absent::Create(_) | Absent::Reply(Err(Error::NoFilter)) => Err(Error::WrongType),
                Absent::Reply(reply) => reply,
            },
            Self::Compact => Err(Error::NothingToCompact),
            Self::Reserve(_) | Self::ScanDump(_) | Self::LoadChunk { .. } => Err(Error::WrongType),
        }
    }
}

/// A command that works on one filter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Operation<'a> {
    /// `CF.ADD`, and `CF.ADDNX` if only what is absent is to be added.
    Add {
        /// What to add.
        item: &'a [u8],
        /// Whether it is added only if it is absent.
        is_unique: bool,
        /// The filter to make if there is none.
        create: Settings,
    },
    /// `CF.INSERT` and `CF.INSERTNX`: the same for many.
    Insert {
        /// What to add.
        items: &'a [&'a [u8]],
        /// Whether each is added only if it is absent.
        is_unique: bool,
        /// The filter to make if there is none, unless that is an error.
        create: Option<Settings>,
    },
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
    /// `CF.DEBUG`: the same in one line.
    Debug,
}

/// What becomes of an operation if there is no filter under the key.
#[derive(Debug)]
pub enum Absent {
    /// This is all.
    Reply(Result<Reply, Error>),
    /// A filter is made like this, and the operation done on it.
    Create(Settings),
}

impl Operation<'_> {
    /// Works on the filter of the key.
    ///
    /// `caller` is a number of the connection or thread, as for [`Filter::remove`]; 0 will do.
    ///
    /// # Errors
    ///
    /// If one item cannot be added. Of many, those that cannot be have -1.
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
                // RedisBloom replies numbers to `CF.INSERTNX` in every protocol.
                let number = |answer| Reply::Integer(answer as i64);
                let reply = if is_unique { number } else { Reply::from };
                let answers = filter.insert_each(items, is_unique);
                Reply::Array(answers.into_iter().map(reply).collect())
            }
            Self::Exists(item) => Reply::Boolean(filter.contains(item)),
            Self::ManyExist(items) => {
                let answers = filter.contains_each(items);
                Reply::Array(answers.into_iter().map(Reply::Boolean).collect())
            }
            Self::Count(item) => Reply::Integer(filter.count(item) as i64),
            Self::Delete(item) => Reply::Boolean(filter.remove(item, caller)),
            Self::Info => Reply::Map(info(filter).into()),
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

    /// What is to be done if there is no filter under the key.
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
            Self::Insert { create: None, .. } | Self::Info | Self::Debug => Err(Error::NoFilter),
        })
    }

    /// Items that it is about.
    pub fn items(&self) -> usize {
        match self {
            Self::Add { .. } | Self::Exists(_) | Self::Count(_) | Self::Delete(_) => 1,
            Self::Insert { items, .. } | Self::ManyExist(items) => items.len(),
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
        // An entry with more of them is not read.
        ("Number of items deleted", filter.deleted() as i64),
        ("Bucket size", bucket_size as i64),
        ("Expansion rate", settings.expansion.into()),
        ("Max iterations", settings.max_iterations.into()),
    ]
}

/// What arguments are checked against.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// What filters are like unless a client says.
    pub defaults: Settings,
    /// Bytes that a key or an item may have.
    pub longest: usize,
}
