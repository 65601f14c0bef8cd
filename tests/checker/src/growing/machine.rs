//! The step machine of a table: its protocol, one access to shared memory a step. Here is what a step is, and the memory that
//! threads share.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::growing::geometry::{Class, Item, Lane, Levels, WORDS, level_of};
use crate::growing::mutants::Mutant;
use crate::growing::program::{Growing, ITEMS};
use crate::machine;
use crate::monitor::THREADS;
use crate::notation::{self, Kind};
use crate::replay::{self, Step};
use crate::shared::{NOTES, STRIPES, State, Stripe};

mod growth;
mod lookup;
mod scan;
mod write;

/// What does not change in an exploration. It knows the items of a program.
pub(super) type World = machine::World<Growing>;

/// What a call returns.
pub(super) type Answer = notation::Answer<Classes>;

/// A multiset of classes: six at most, the greatest first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Classes([Class; 6]);

/// One step under way.
pub(super) type Run<'a> = replay::Run<'a, Growing>;

impl World {
    pub fn levels(&self, table: usize) -> Levels {
        self.shape.levels(table)
    }

    /// The table that a level belongs to.
    pub fn table_of(&self, level: u8) -> usize {
        usize::from(usize::from(level) > self.shape.deepest)
    }

    /// The levels of the table that a word belongs to.
    pub fn levels_at(&self, number: u8) -> Levels {
        self.levels(self.table_of(level_of(number)))
    }

    /// The table that tokens of a class lie in: the classes of the second are longer than any of the first.
    pub fn table_of_class(&self, class: Class) -> usize {
        let levels = self.shape.levels(0);
        usize::from(self.shape.several() && class.len > levels.full_length(levels.deepest))
    }

    pub fn id_of(&self, item: Item) -> u8 {
        let at = self.known.iter().position(|&other| other == item);
        at.unwrap_or(self.known.len()) as u8
    }
}

impl Run<'_> {
    pub fn make(&mut self) -> Step<Answer> {
        let (item, side) = (self.call.item, self.call.side);
        Ok(match self.call.kind {
            Kind::Insert => self.insert(item)?,
            Kind::Unique => self.unique(item)?,
            Kind::Remove => Answer::Bool(self.remove(item)?),
            Kind::Contains => Answer::Bool(self.contains(item)?),
            Kind::Count => Answer::Number(self.count(item)?.into()),
            Kind::Move => Answer::Bool(self.hop(item, side)?),
            Kind::Split => Answer::Bool(self.split_live(item, side)?),
            Kind::Sweep => Answer::Bool(self.sweep()?),
            Kind::Double => Answer::Bool(self.double()?),
            Kind::Grow => Answer::Bool(self.grow_once()?),
            Kind::Release => Answer::Bool(self.release()?),
            Kind::Append => Answer::Bool(self.append()?),
            Kind::Snapshot => self.snapshot()?,
            _ => unreachable!("a call of tokens with values"),
        })
    }

    fn show_root(&mut self, Root { level, growing }: Root) {
        let growing = if growing { ", growing" } else { "" };
        self.show(|| format!("root at level {level}{growing}"));
    }

    fn root(&mut self, table: usize) -> Step<Root> {
        self.access(|run| {
            let root = run.memory.roots[table];
            run.show_root(root);
            root
        })
    }

    /// Changes the root, if it is still this one, or whatever it is.
    fn set_root(&mut self, table: usize, old: Option<Root>, new: Root) -> Step<()> {
        self.access(|run| {
            let root = &mut run.memory.roots[table];
            if old.is_none_or(|old| *root == old) {
                *root = new;
                run.made.wrote = true;
            }
            let root = *root;
            run.show_root(root);
        })
    }

    /// One more item is in.
    fn came(&mut self, item: u8) {
        if self.world.shape.contract {
            self.memory.items[usize::from(item)] += 1;
        }
    }

    /// One item fewer is in.
    fn went(&mut self, item: u8) {
        if self.world.shape.contract {
            let items = &mut self.memory.items[usize::from(item)];
            match items.checked_sub(1) {
                Some(left) => *items = left,
                None => self.made.fault = Some("an item was removed that is not in"),
            }
        }
    }

    fn show_descriptor(&mut self, index: usize) {
        let Descriptor { uses, transfer: t } = self.memory.descriptors[index];
        self.show(|| {
            format!(
                "descriptor {index}: use {uses}, {:?} {:?}, {t:?}",
                t.kind, t.state
            )
        });
    }

    /// What a reference means; `None` if its use is over. The fields and the control in one step: whoever accepts the
    /// fields has seen a control that says that they were not changed since.
    fn resolve(&mut self, word: Word) -> Step<Option<Transfer>> {
        self.access(|run| {
            let (index, uses) = word.named();
            run.show_descriptor(index);
            let descriptor = run.memory.descriptors[index];
            let current = descriptor.uses == uses || run.is(Mutant::NumberOfUseNotChecked);
            current.then_some(descriptor.transfer)
        })
    }

    /// Begins the next use of the thread's descriptor. Returns the reference to it.
    fn publish(&mut self, transfer: Transfer) -> Step<Word> {
        let index = self.id;
        let uses = self.access(|run| {
            let descriptor = &mut run.memory.descriptors[index];
            let uses = descriptor.uses + 1;
            *descriptor = Descriptor {
                uses,
                transfer: Transfer {
                    state: State::Pending,
                    ..transfer
                },
            };
            run.made.wrote = true;
            run.show_descriptor(index);
            uses
        })?;
        Ok(Word::Reference(index, uses))
    }

    /// Decides a use, if it is not decided yet, nor over.
    fn decide_use(&mut self, reference: Word, state: State) -> Step<bool> {
        self.access(|run| {
            let (index, uses) = reference.named();
            let descriptor = &mut run.memory.descriptors[index];
            let pending = descriptor.transfer.state == State::Pending;
            let done = descriptor.uses == uses && pending;
            if done {
                descriptor.transfer.state = state;
                run.made.wrote = true;
            }
            let Transfer { placed, item, .. } = descriptor.transfer;
            run.show_descriptor(index);
            if done && state == State::Committed && placed != 0 {
                run.came(item);
            }
            done
        })
    }
}

impl Classes {
    pub fn iter(self) -> impl Iterator<Item = Class> + Clone {
        self.0.into_iter().filter(|class| class.head != 0)
    }

    /// These classes; `None` if there are too many.
    pub fn of(classes: impl IntoIterator<Item = Class>) -> Option<Self> {
        let mut all = [Class::default(); 6];
        for (at, class) in classes.into_iter().enumerate() {
            *all.get_mut(at)? = class;
        }
        all.sort_unstable_by(|a, b| b.cmp(a));
        Some(Self(all))
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<String> = self.iter().map(|class| class.to_string()).collect();
        write!(out, "of [{}]", classes.join(" "))
    }
}

/// Tables one after the other, at most.
pub(super) const TABLES: usize = 2;
/// Everything that threads share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    /// The number line.
    pub words: [Word; WORDS],
    /// One bit for each level that has been allocated.
    pub blocks: u8,
    pub roots: [Root; TABLES],
    /// The word that each sweep splits next.
    pub cursors: [u8; TABLES],
    pub tables: u8,
    pub stripes: [Stripe; STRIPES],
    /// One for each thread, and one for a newcomer.
    pub descriptors: [Descriptor; THREADS + 1],
    pub scan: Scan,
    pub epoch: Epoch,
    /// How often each item is in, counted at the steps that add and take tokens. No thread reads it.
    pub items: [u8; ITEMS],
    /// How often each item has been in at each moment of the scan that is under way, by the thread that makes it. No
    /// thread reads it.
    pub throughout: [[u8; ITEMS]; THREADS],
}

/// The level of a table, and whether it grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Root {
    pub level: u8,
    /// Whether words of it can be split.
    pub growing: bool,
}

/// What a scan and its writers share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Scan {
    /// Whether somebody has the right to scan.
    pub taken: bool,
    pub len: u8,
    /// Classes whose tokens changed places.
    pub notes: [Class; NOTES],
}

/// Who is pinned, and what waits for them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Epoch {
    pub pinned: u8,
    /// The level that is to be given back; 0 if there is none.
    pub level: u8,
    /// Those who were pinned when that was said, and still are.
    pub awaited: u8,
    pub given: u8,
}

/// The record that says what a frozen word means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Descriptor {
    pub uses: u8,
    pub transfer: Transfer,
}

/// What a use does to its words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Transfer {
    pub kind: Change,
    pub state: State,
    /// The token that goes from source to destination.
    pub moved: Lane,
    /// The token that is new in the source, or 0.
    pub placed: Lane,
    /// The item that `placed` is stored of.
    pub item: u8,
    /// The word that is left, added to or split.
    pub source: u8,
    /// The word that `moved` goes to.
    pub destination: u8,
    pub old_source: Word,
    pub old_destination: Word,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Change {
    /// A token goes to its other word.
    #[default]
    Relocation,
    /// A token is added if the other word has none.
    Admission,
    /// The tokens of a word go to its children. It is not decided: it is over when the reference is gone.
    Split,
}

impl Transfer {
    pub fn before(&self, number: u8) -> Word {
        if number == self.source {
            self.old_source
        } else {
            self.old_destination
        }
    }

    pub fn after(&self, number: u8) -> Word {
        let old = self.before(number);
        let slots = SLOTS;
        if number != self.source {
            return old.with(self.moved, slots).unwrap_or(old);
        }
        let left = match self.kind {
            Change::Relocation => old.without(self.moved).unwrap_or(old),
            _ => old,
        };
        match self.placed {
            0 => left,
            placed => left.with(placed, slots).unwrap_or(left),
        }
    }

    /// What a word holds, as far as it has come.
    pub fn content(&self, number: u8) -> Word {
        match self.state {
            State::Committed => self.after(number),
            State::Pending | State::Aborted => self.before(number),
        }
    }
}

/// A word of the number line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Word {
    /// No bucket yet, or no more.
    #[default]
    Unborn,
    /// Split: its tokens are in its children.
    Gone,
    /// A bucket: its tokens, the greatest first, then vacant slots.
    Tokens([Lane; SLOTS]),
    /// The descriptor, and the number of the use.
    Reference(usize, u8),
}

/// Slots that a word has at most.
pub(super) const SLOTS: usize = 3;

impl Word {
    /// A bucket without tokens.
    pub const EMPTY: Self = Self::Tokens([0; SLOTS]);

    pub fn named(self) -> (usize, u8) {
        match self {
            Self::Reference(index, uses) => (index, uses),
            other => unreachable!("{other} is no reference"),
        }
    }

    pub const fn is_plain(self) -> bool {
        matches!(self, Self::Tokens(_))
    }

    pub const fn is_reference(self) -> bool {
        matches!(self, Self::Reference(..))
    }

    fn slots(self) -> [Lane; SLOTS] {
        match self {
            Self::Tokens(lanes) => lanes,
            _ => [0; SLOTS],
        }
    }

    pub fn lanes(self) -> impl Iterator<Item = Lane> + Clone {
        self.slots().into_iter().filter(|&lane| lane != 0)
    }

    pub fn tokens(self) -> usize {
        self.lanes().count()
    }

    /// With a token added, if there is room.
    pub fn with(self, lane: Lane, slots: usize) -> Option<Self> {
        (self.tokens() < slots).then(|| self.replacing(0, lane))?
    }

    /// With one of its tokens taken out.
    pub fn without(self, lane: Lane) -> Option<Self> {
        self.replacing(lane, 0)
    }

    fn replacing(self, old: Lane, new: Lane) -> Option<Self> {
        let mut lanes = self.slots();
        *lanes.iter_mut().find(|lane| **lane == old)? = new;
        lanes.sort_unstable_by(|a, b| b.cmp(a));
        Some(Self::Tokens(lanes))
    }

    /// The two children; `None` if a token has no tail.
    pub fn split(self, levels: &Levels, number: u8) -> Option<[Self; 2]> {
        let mut children = [Self::EMPTY; 2];
        for lane in self.lanes() {
            let (child, lane) = levels.split(lane, number)?;
            let child = &mut children[usize::from(child)];
            *child = child.with(lane, SLOTS)?;
        }
        Some(children)
    }

    pub fn classes(self, levels: Levels, number: u8) -> impl Iterator<Item = Class> + Clone {
        self.lanes().map(move |lane| levels.class_of(number, lane))
    }
}

impl fmt::Display for Word {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Unborn => write!(out, "0"),
            Self::Gone => write!(out, "GONE"),
            Self::Tokens(_) => {
                let lanes: Vec<String> = self.lanes().map(|lane| format!("{lane:o}")).collect();
                write!(out, "[{}]", lanes.join(" "))
            }
            Self::Reference(index, uses) => write!(out, "<descriptor {index}, use {uses}>"),
        }
    }
}
