//! The table of commands: their names, arguments and summaries.

use std::ffi::CStr;

use crate::usage::{self, Argument};

/// The name of the type of a filter, in the reply to `TYPE`: nine characters, as engines demand.
///
/// It is not RedisBloom's `MBbloomCF`. An engine finds the reader of a stored value by this name,
/// and neither can read the values of the other.
pub const TYPE: &CStr = c"lfcuckoof";

/// A command: the properties with which an engine registers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The name, in capitals.
    pub name: &'static str,
    /// The arguments, in one line. The key comes first in all of them.
    usage: &'static str,
    /// Whether it can change the value of the key.
    pub writes: bool,
    /// A short summary.
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
    Refresh,
    Rotate,
    ScanDump,
    LoadChunk,
}

impl Spec {
    /// Returns its arguments.
    pub fn arguments(&self) -> Vec<Argument> {
        usage::arguments(self.usage)
    }
}

/// Returns the command of this name, in capitals or not.
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
const RESERVE: &str = "key capacity:integer [BUCKETSIZE bucketsize:integer] [MAXITERATIONS maxiterations:integer] [EXPANSION expansion:integer] [ERROR rate:double] [WINDOW seconds:double [GENERATIONS generations:integer]]";

/// All commands, sorted by name.
#[rustfmt::skip]
pub static COMMANDS: [Spec; 16] = [
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
    spec("CF.REFRESH", "key item ...", WRITES, Verb::Refresh, "Adds items to a window, or restarts the life of those that it knows"),
    spec("CF.RESERVE", RESERVE, WRITES, Verb::Reserve, "Creates an empty filter"),
    spec("CF.ROTATE", "key [rotation:integer]", WRITES, Verb::Rotate, "Forgets the oldest items of a window"),
    spec("CF.SCANDUMP", "key iterator:integer", READS, Verb::ScanDump, "Returns the next chunk of a dump"),
];
