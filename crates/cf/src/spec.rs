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

const fn reads(name: &'static str, arity: i64, verb: Verb, summary: &'static str) -> Spec {
    Spec {
        name,
        arity,
        writes: false,
        summary,
        verb,
    }
}

const fn writes(name: &'static str, arity: i64, verb: Verb, summary: &'static str) -> Spec {
    Spec {
        writes: true,
        ..reads(name, arity, verb, summary)
    }
}

const ADD: Verb = Verb::Add { is_unique: false };
const ADD_UNIQUE: Verb = Verb::Add { is_unique: true };
const INSERT: Verb = Verb::Insert { is_unique: false };
const INSERT_UNIQUE: Verb = Verb::Insert { is_unique: true };

/// All commands, sorted by name.
#[rustfmt::skip]
pub static COMMANDS: [Spec; 13] = [
    writes("CF.ADD", 3, ADD, "Adds an item"),
    writes("CF.ADDNX", 3, ADD_UNIQUE, "Adds an item if it is absent"),
    writes("CF.COMPACT", 2, Verb::Compact, "Frees the empty segments of a filter"),
    reads("CF.COUNT", 3, Verb::Count, "Counts the copies of an item"),
    writes("CF.DEL", 3, Verb::Delete, "Deletes one copy of an item"),
    reads("CF.EXISTS", 3, Verb::Exists, "Returns whether an item may be in the filter"),
    reads("CF.INFO", 2, Verb::Info, "Describes a filter"),
    writes("CF.INSERT", -4, INSERT, "Adds items"),
    writes("CF.INSERTNX", -4, INSERT_UNIQUE, "Adds the items that are absent"),
    writes("CF.LOADCHUNK", 4, Verb::LoadChunk, "Loads a chunk of a dump"),
    reads("CF.MEXISTS", -3, Verb::ManyExist, "Returns for each item whether it may be in the filter"),
    writes("CF.RESERVE", -3, Verb::Reserve, "Creates an empty filter"),
    reads("CF.SCANDUMP", 3, Verb::ScanDump, "Returns the next chunk of a dump"),
];
