//! The commands that there are.

use crate::usage::{self, Argument};

/// A command that there is: what an engine must know to register it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// In capitals.
    pub name: &'static str,
    /// Its arguments, in a line. The key comes first in all of them.
    usage: &'static str,
    /// Whether it can change what is under the key.
    pub writes: bool,
    /// In a few words.
    pub summary: &'static str,
    pub(crate) verb: Verb,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Reserve,
    Add { is_unique: bool },
    Insert { is_unique: bool },
    Exists,
    ManyExist,
    Count,
    Delete,
    Info,
    Debug,
    Compact,
    ScanDump,
    LoadChunk,
}

impl Spec {
    /// Its arguments.
    pub fn arguments(&self) -> Vec<Argument> {
        usage::arguments(self.usage)
    }
}

/// The command of this name, in capitals or not.
pub fn find(name: &[u8]) -> Option<&'static Spec> {
    let mut commands = COMMANDS.iter();
    commands.find(|spec| spec.name.as_bytes().eq_ignore_ascii_case(name))
}

const READS: bool = false;
const WRITES: bool = true;

const fn spec(
    name: &'static str,
    usage: &'static str,
    writes: bool,
    verb: Verb,
    summary: &'static str,
) -> Spec {
    Spec {
        name,
        usage,
        writes,
        summary,
        verb,
    }
}

const ADD: Verb = Verb::Add { is_unique: false };
const ADD_UNIQUE: Verb = Verb::Add { is_unique: true };
const INSERT: Verb = Verb::Insert { is_unique: false };
const INSERT_UNIQUE: Verb = Verb::Insert { is_unique: true };

const ITEMS: &str = "key [CAPACITY capacity:integer] [NOCREATE] ITEMS item ...";
const RESERVE: &str = "key capacity:integer [BUCKETSIZE bucketsize:integer] [MAXITERATIONS maxiterations:integer] [EXPANSION expansion:integer] [ERROR rate:double]";

/// All commands, sorted by name.
#[rustfmt::skip]
pub static COMMANDS: [Spec; 14] = [
    spec("CF.ADD", "key item", WRITES, ADD, "Adds an item"),
    spec("CF.ADDNX", "key item", WRITES, ADD_UNIQUE, "Adds an item if it is absent"),
    spec("CF.COMPACT", "key", WRITES, Verb::Compact, "Makes a filter as small as its items allow"),
    spec("CF.COUNT", "key item", READS, Verb::Count, "Counts the copies of an item"),
    spec("CF.DEBUG", "key", READS, Verb::Debug, "Describes a filter in one line"),
    spec("CF.DEL", "key item", WRITES, Verb::Delete, "Deletes one copy of an item"),
    spec("CF.EXISTS", "key item", READS, Verb::Exists, "Returns whether an item may be in the filter"),
    spec("CF.INFO", "key", READS, Verb::Info, "Describes a filter"),
    spec("CF.INSERT", ITEMS, WRITES, INSERT, "Adds items"),
    spec("CF.INSERTNX", ITEMS, WRITES, INSERT_UNIQUE, "Adds the items that are absent"),
    spec("CF.LOADCHUNK", "key iterator:integer data", WRITES, Verb::LoadChunk, "Loads a chunk of a dump"),
    spec("CF.MEXISTS", "key item ...", READS, Verb::ManyExist, "Returns for each item whether it may be in the filter"),
    spec("CF.RESERVE", RESERVE, WRITES, Verb::Reserve, "Creates an empty filter"),
    spec("CF.SCANDUMP", "key iterator:integer", READS, Verb::ScanDump, "Returns the next chunk of a dump"),
];
