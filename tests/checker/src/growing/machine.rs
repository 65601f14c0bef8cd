//! The step machine of a table: its protocol, one access to shared memory a step.

mod access;
mod admission;
mod growth;
mod insertion;
mod live;
mod lookup;
mod relocation;
mod removal;
mod scan;
mod split;

use std::fmt;

use super::geometry::{Class, Item, Levels};
use super::memory::{Access, Memory};
use super::mutants::Mutant;
use super::program::{Call, Program, Shape};
use super::thread::{Entry, Locals, Tag};
use crate::call::{self, Kind};

/// What does not change in an exploration.
#[derive(Clone, Debug)]
pub struct World {
    /// The levels and the bounds.
    pub shape: Shape,
    /// The items there are.
    pub items: Vec<Item>,
    /// Whether items are counted, and matched with tokens.
    pub contract: bool,
    /// The piece that is taken out.
    pub mutant: Option<Mutant>,
}

/// What a call returns.
pub type Answer = call::Answer<Classes>;

/// A multiset of classes: six at most, nine bits each, the greatest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Classes(pub u64);

/// One step under way.
#[derive(Debug)]
pub struct Run<'a> {
    world: &'a World,
    memory: &'a mut Memory,
    thread: &'a mut Locals,
    /// The number of the thread.
    id: usize,
    /// The entry that comes next.
    at: usize,
    /// Routines within routines.
    depth: u8,
    /// The access that was made.
    pub access: Option<Access>,
    /// Whether it changed the memory.
    pub wrote: bool,
    /// What was wrong with it.
    pub fault: Option<&'static str>,
}

/// The call goes on with the thread's next step.
#[derive(Clone, Copy, Debug)]
pub struct Pause;

/// What code returns that makes accesses.
pub type Step<T> = Result<T, Pause>;

/// What a round of a loop ends with.
#[derive(Clone, Copy, Debug)]
pub enum Next<S, T> {
    /// Another one.
    Again(S),
    /// The loop's result.
    Done(T),
}

pub(crate) use Next::{Again, Done};

impl World {
    /// That of a program, or of a mutant in it.
    pub fn new(program: &Program, mutant: Option<Mutant>) -> Self {
        Self {
            shape: program.shape,
            items: program.items(),
            contract: program.shape.contract,
            mutant,
        }
    }

    /// The levels of a table.
    pub fn levels(&self, table: usize) -> Levels {
        self.shape.tables[table]
    }

    /// The table that a level belongs to.
    pub fn table_of(&self, level: u8) -> usize {
        usize::from(level > self.shape.tables[0].deepest)
    }

    /// The levels of the table that a word belongs to.
    pub fn levels_at(&self, number: u8) -> Levels {
        self.levels(self.table_of(super::geometry::level_of(number)))
    }

    /// The table that tokens of a class lie in: the classes of the second are longer than any of the first.
    pub fn table_of_class(&self, class: Class) -> usize {
        let levels = self.shape.tables[0];
        usize::from(self.shape.several && class.len > levels.full_length(levels.deepest))
    }

    /// The number of an item.
    pub fn id_of(&self, item: Item) -> u8 {
        let at = self.items.iter().position(|&other| other == item);
        at.unwrap_or(self.items.len()) as u8
    }
}

impl<'a> Run<'a> {
    /// Lets a thread make its next access. Returns what its call returned, if that was the last one.
    pub fn step(
        world: &'a World,
        memory: &'a mut Memory,
        thread: &'a mut Locals,
        id: usize,
        call: &Call,
    ) -> (Self, Option<Answer>) {
        let mut run = Run {
            world,
            memory,
            thread,
            id,
            at: 0,
            depth: 0,
            access: None,
            wrote: false,
            fault: None,
        };
        let answer = run.call(call).ok();
        debug_assert!(run.access.is_some(), "a step is one access");
        (run, answer)
    }

    fn call(&mut self, call: &Call) -> Step<Answer> {
        let Call {
            kind, item, side, ..
        } = *call;
        Ok(match kind {
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

    fn is(&self, mutant: Mutant) -> bool {
        self.world.mutant == Some(mutant)
    }

    /// Makes an access, unless it has been made. The code behind it runs for it alone.
    fn access(&mut self, act: impl FnOnce(&mut Self) -> u64) -> Step<u64> {
        if let Some(value) = self.thread.entry(self.at, Tag::Access) {
            self.at += 1;
            return Ok(value);
        }
        if self.access.is_some() {
            return Err(Pause);
        }
        let value = act(self);
        self.thread.replace_from(self.at, Tag::Access, value);
        self.at += 1;
        Ok(value)
    }

    /// A routine, of which nothing is left but what it returns.
    fn routine<T: Entry>(&mut self, body: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let (base, depth) = (self.at, self.depth);
        if let Some(value) = self.thread.entry(base, Tag::Result(depth)) {
            self.at += 1;
            return Ok(T::decode(value));
        }
        self.depth += 1;
        let value = body(self)?;
        self.depth = depth;
        self.thread
            .replace_from(base, Tag::Result(depth), value.encode());
        self.at = base + 1;
        Ok(value)
    }

    /// A loop, of which nothing is left but what it returns, and of a round nothing but what the next begins with.
    fn repeat<S: Entry, T: Entry>(
        &mut self,
        first: S,
        body: impl Fn(&mut Self, S) -> Step<Next<S, T>>,
    ) -> Step<T> {
        let (base, depth) = (self.at, self.depth);
        self.routine(|run| {
            let mut state = first;
            if let Some(value) = run.thread.entry(base, Tag::Round(depth)) {
                state = S::decode(value);
                run.at += 1;
            }
            loop {
                match body(run, state)? {
                    Done(value) => return Ok(value),
                    Again(next) => {
                        run.thread
                            .replace_from(base, Tag::Round(depth), next.encode());
                        run.at = base + 1;
                        state = next;
                    }
                }
            }
        })
    }
}

impl Classes {
    const BITS: u32 = 9;

    /// Its classes.
    pub fn iter(self) -> impl Iterator<Item = Class> + Clone {
        let codes = (0..6).map(move |at| self.0 >> (Self::BITS * at) & 0x1ff);
        codes.filter(|&code| code != 0).map(Class::decode)
    }

    /// These classes; `None` if there are too many.
    pub fn of(classes: impl IntoIterator<Item = Class>) -> Option<Self> {
        let mut codes = [0; 6];
        for (at, class) in classes.into_iter().enumerate() {
            *codes.get_mut(at)? = class.encode();
        }
        codes.sort_unstable_by(|a, b| b.cmp(a));
        let shifted = codes
            .iter()
            .zip(0..)
            .map(|(code, at)| code << (Self::BITS * at));
        Some(Self(shifted.sum()))
    }
}

impl Entry for Class {
    fn encode(self) -> u64 {
        u64::from(self.head) << 7 | u64::from(self.len) << 4 | u64::from(self.bits)
    }

    fn decode(code: u64) -> Self {
        Self {
            head: (code >> 7) as u8,
            len: (code >> 4 & 7) as u8,
            bits: (code & 0xf) as u8,
        }
    }
}

impl Entry for Classes {
    fn encode(self) -> u64 {
        self.0
    }

    fn decode(code: u64) -> Self {
        Self(code)
    }
}

impl Entry for Answer {
    fn encode(self) -> u64 {
        match self {
            Self::Bool(answer) => answer.into(),
            Self::Full => 2,
            Self::NoCopy => 3,
            _ => unreachable!("no routine returns it"),
        }
    }

    fn decode(code: u64) -> Self {
        match code {
            0 | 1 => Self::Bool(code == 1),
            2 => Self::Full,
            _ => Self::NoCopy,
        }
    }
}

impl fmt::Display for Classes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let classes: Vec<String> = self.iter().map(|class| class.to_string()).collect();
        write!(out, "of [{}]", classes.join(" "))
    }
}
