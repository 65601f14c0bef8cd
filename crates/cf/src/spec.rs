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
    summary: &'static str,
) -> Spec {
    Spec {
        name,
        arity,
        writes,
        summary,
        verb,
    }
}

const ADD: Verb = Verb::Add { is_unique: false };
const ADD_UNIQUE: Verb = Verb::Add { is_unique: true };
const INSERT: Verb = Verb::Insert { is_unique: false };
const INSERT_UNIQUE: Verb = Verb::Insert { is_unique: true };

/// All commands, sorted by name.
#[rustfmt::skip]
pub static COMMANDS: [Spec; 14] = [
    spec("CF.ADD", 3, WRITES, ADD, "Adds an item"),
    spec("CF.ADDNX", 3, WRITES, ADD_UNIQUE, "Adds an item if it is absent"),
    spec("CF.COMPACT", 2, WRITES, Verb::Compact, "Makes a filter as small as its items allow"),
    spec("CF.COUNT", 3, READS, Verb::Count, "Counts the copies of an item"),
    spec("CF.DEBUG", 2, READS, Verb::Debug, "Describes a filter in one line"),
    spec("CF.DEL", 3, WRITES, Verb::Delete, "Deletes one copy of an item"),
    spec("CF.EXISTS", 3, READS, Verb::Exists, "Returns whether an item may be in the filter"),
    spec("CF.INFO", 2, READS, Verb::Info, "Describes a filter"),
    spec("CF.INSERT", -4, WRITES, INSERT, "Adds items"),
    spec("CF.INSERTNX", -4, WRITES, INSERT_UNIQUE, "Adds the items that are absent"),
    spec("CF.LOADCHUNK", 4, WRITES, Verb::LoadChunk, "Loads a chunk of a dump"),
    spec("CF.MEXISTS", -3, READS, Verb::ManyExist, "Returns for each item whether it may be in the filter"),
    spec("CF.RESERVE", -3, WRITES, Verb::Reserve, "Creates an empty filter"),
    spec("CF.SCANDUMP", 3, READS, Verb::ScanDump, "Returns the next chunk of a dump"),
];
