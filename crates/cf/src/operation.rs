//! What is done with a filter that is there.

use crate::error::Error;
use crate::filter::Filter;
use crate::reply::{Answer, Reply};
use crate::settings::Settings;

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
    /// If one item cannot be added. Of many, those that cannot be have [`Answer::Refused`].
    pub fn on(&self, filter: &Filter, caller: u64) -> Result<Reply, Error> {
        Ok(match *self {
            Self::Add {
                item,
                is_unique: false,
                ..
            } => filter.insert(item).map(|()| Reply::Whether(true))?,
            Self::Add {
                item,
                is_unique: true,
                ..
            } => Reply::Whether(filter.insert_unique(item)?),
            Self::Insert {
                items,
                is_unique: false,
                ..
            } => Reply::Each(filter.insert_each(items, false)),
            Self::Insert {
                items,
                is_unique: true,
                ..
            } => Reply::Numbers(filter.insert_each(items, true)),
            Self::Exists(item) => Reply::Whether(filter.contains(item)),
            Self::ManyExist(items) => Reply::Each(filter.contains_each(items)),
            Self::Count(item) => Reply::Count(filter.count(item)),
            Self::Delete(item) => Reply::Whether(filter.remove(item, caller)),
            Self::Info => Reply::Info(info(filter)),
            Self::Debug => Reply::Text(debug(filter)),
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
            Self::Exists(_) => Ok(Reply::Whether(false)),
            Self::ManyExist(items) => Ok(Reply::Each(vec![Answer::No; items.len()])),
            Self::Count(_) => Ok(Reply::Count(0)),
            Self::Delete(_) => Err(Error::NothingToDelete),
            Self::Insert { create: None, .. } | Self::Info | Self::Debug => Err(Error::NoFilter),
        })
    }

    /// What is to be done if the key has a value of another type, where there are such. To look it up is to find nothing.
    ///
    /// # Errors
    ///
    /// For all that does not only look up items.
    pub fn on_other_type(&self) -> Result<Reply, Error> {
        match self.absent() {
            Absent::Create(_) | Absent::Reply(Err(Error::NoFilter)) => Err(Error::WrongType),
            Absent::Reply(reply) => reply,
        }
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

fn debug(filter: &Filter) -> String {
    let Settings {
        expansion,
        max_iterations,
        ..
    } = filter.settings();
    let bucket_size = filter.shape().slots();
    format!(
        "bktsize:{bucket_size} buckets:{} items:{} deletes:{} filters:{} max_iterations:{max_iterations} expansion:{expansion}",
        filter.slots() / bucket_size,
        filter.items(),
        filter.deleted(),
        filter.tables(),
    )
}

fn info(filter: &Filter) -> Vec<(&'static str, u64)> {
    let Settings {
        expansion,
        max_iterations,
        ..
    } = filter.settings();
    let bucket_size = filter.shape().slots();
    vec![
        ("Size", filter.memory_usage() as u64),
        ("Number of buckets", (filter.slots() / bucket_size) as u64),
        ("Number of filters", filter.tables() as u64),
        ("Number of items inserted", filter.items() as u64),
        ("Number of items deleted", filter.deleted()),
        ("Bucket size", bucket_size as u64),
        ("Expansion rate", expansion.into()),
        ("Max iterations", max_iterations.into()),
    ]
}
