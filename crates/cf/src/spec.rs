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

const fn reads(
    name: &'static str,
    arity: i64,
    verb: Verb,
    usage: &'static str,
    summary: &'static str,
) -> Spec {
    Spec {
        name,
        arity,
        writes: false,
        usage,
        summary,
        verb,
    }
}

const fn writes(
    name: &'static str,
    arity: i64,
    verb: Verb,
    usage: &'static str,
    summary: &'static str,
) -> Spec {
    Spec {
        writes: true,
        ..reads(name, arity, verb, usage, summary)
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
    writes("CF.ADD", 3, ADD, "key item", "Adds an item"),
    writes("CF.ADDNX", 3, ADD_UNIQUE, "key item", "Adds an item if it is absent"),
    writes("CF.COMPACT", 2, Verb::Compact, "key", "Makes a filter as small as its items allow"),
    reads("CF.COUNT", 3, Verb::Count, "key item", "Counts the copies of an item"),
    reads("CF.DEBUG", 2, Verb::Debug, "key", "Describes a filter in one line"),
    writes("CF.DEL", 3, Verb::Delete, "key item", "Deletes one copy of an item"),
    reads("CF.EXISTS", 3, Verb::Exists, "key item", "Returns whether an item may be in the filter"),
    reads("CF.INFO", 2, Verb::Info, "key", "Describes a filter"),
    writes("CF.INSERT", -4, INSERT, INSERT_USAGE, "Adds items"),
    writes("CF.INSERTNX", -4, INSERT_UNIQUE, INSERT_USAGE, "Adds the items that are absent"),
    writes("CF.LOADCHUNK", 4, Verb::LoadChunk, "key iterator:integer data", "Loads a chunk of a dump"),
    reads("CF.MEXISTS", -3, Verb::ManyExist, "key item..", "Returns for each item whether it may be in the filter"),
    writes("CF.RESERVE", -3, Verb::Reserve, RESERVE_USAGE, "Creates an empty filter"),
    reads("CF.SCANDUMP", 3, Verb::ScanDump, "key iterator:integer", "Returns the next chunk of a dump"),
];
