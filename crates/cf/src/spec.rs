//! The commands that there are.

/// A command that there is: what an engine must know to register it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spec {
    /// In capitals.
    pub name: &'static str,
    /// As Redis counts: with the name, and negative if there can be more. The key comes first in all of them.
    pub arity: i64,
    /// Whether it can change what is under the key.
    pub writes: bool,
    /// Its arguments, in words: `key` is a key, what is in capitals is given as it is, `name:integer` is a number, what is
    /// in brackets can be left out, and two points behind a value stand for one or more.
    pub usage: &'static str,
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
    /// Whether it takes so many arguments behind its name.
    pub(crate) fn takes(&self, arguments: usize) -> bool {
        let given = i64::try_from(arguments + 1).unwrap_or(i64::MAX);
        if self.arity < 0 {
            given >= -self.arity
        } else {
            given == self.arity
        }
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
    arity: i64,
    writes: bool,
    verb: Verb,
    usage: &'static str,
    summary: &'static str,
) -> Spec {
    Spec {
        name,
        arity,
        writes,
        usage,
        summary,
        verb,
    }
}

const ADD: Verb = Verb::Add { is_unique: false };
const ADD_UNIQUE: Verb = Verb::Add { is_unique: true };
const INSERT: Verb = Verb::Insert { is_unique: false };
const INSERT_UNIQUE: Verb = Verb::Insert { is_unique: true };

const INSERT_USAGE: &str = "key [CAPACITY capacity:integer] [NOCREATE] ITEMS item..";
const RESERVE_USAGE: &str = "key capacity:integer [BUCKETSIZE bucketsize:integer] [MAXITERATIONS maxiterations:integer] [EXPANSION expansion:integer] [ERROR rate:double]";

/// All commands, sorted by name.
#[rustfmt::skip]
pub static COMMANDS: [Spec; 14] = [
    spec("CF.ADD", 3, WRITES, ADD, "key item", "Adds an item"),
    spec("CF.ADDNX", 3, WRITES, ADD_UNIQUE, "key item", "Adds an item if it is absent"),
    spec("CF.COMPACT", 2, WRITES, Verb::Compact, "key", "Makes a filter as small as its items allow"),
    spec("CF.COUNT", 3, READS, Verb::Count, "key item", "Counts the copies of an item"),
    spec("CF.DEBUG", 2, READS, Verb::Debug, "key", "Describes a filter in one line"),
    spec("CF.DEL", 3, WRITES, Verb::Delete, "key item", "Deletes one copy of an item"),
    spec("CF.EXISTS", 3, READS, Verb::Exists, "key item", "Returns whether an item may be in the filter"),
    spec("CF.INFO", 2, READS, Verb::Info, "key", "Describes a filter"),
    spec("CF.INSERT", -4, WRITES, INSERT, INSERT_USAGE, "Adds items"),
    spec("CF.INSERTNX", -4, WRITES, INSERT_UNIQUE, INSERT_USAGE, "Adds the items that are absent"),
    spec("CF.LOADCHUNK", 4, WRITES, Verb::LoadChunk, "key iterator:integer data", "Loads a chunk of a dump"),
    spec("CF.MEXISTS", -3, READS, Verb::ManyExist, "key item..", "Returns for each item whether it may be in the filter"),
    spec("CF.RESERVE", -3, WRITES, Verb::Reserve, RESERVE_USAGE, "Creates an empty filter"),
    spec("CF.SCANDUMP", 3, READS, Verb::ScanDump, "key iterator:integer", "Returns the next chunk of a dump"),
];
