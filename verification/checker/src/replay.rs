//! Replay: runs a machine as ordinary code, one access to shared memory per step.
//!
//! A step runs the call from its beginning, with the recorded results of earlier accesses, up to
//! the first access that it has not made. It makes that one, and runs on to the next one. Other
//! threads cannot see the code between two accesses, so this loses nothing. The knowledge of a
//! thread is the list of those results. A routine that has returned keeps one entry there, its
//! result, and each round of a loop keeps the state of the next. So states that differ only in
//! forgotten results are one state.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use crate::notation::CallOf;
use crate::types::{AnswerOf, Entry, Types, World};

/// The most bytes of a list.
const BYTES: usize = 240;

/// The results of a call that is under way.
#[derive(Clone, Copy)]
pub struct Locals {
    len: u8,
    bytes: [u8; BYTES],
}

/// The kind of an entry: the result of an access; the result of a routine, by its depth; or the
/// state of the next round of a loop.
type Tag = u8;

const ACCESS: Tag = 0;

const fn result(depth: u8) -> Tag {
    2 * depth + 1
}

const fn round(depth: u8) -> Tag {
    2 * depth + 2
}

/// One step of a thread.
pub struct Run<'a, M: Types> {
    pub world: &'a World<M>,
    pub memory: &'a mut M::Memory,
    pub call: &'a CallOf<M>,
    pub id: usize,
    locals: &'a mut Locals,
    /// The position of the next entry.
    at: usize,
    /// The number of nested routines.
    depth: u8,
    accessed: bool,
    shows: bool,
    pub made: Made,
}

/// The result of one step.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Whether it changed the memory.
    pub wrote: bool,
    /// The number of accesses of the crate that it stands for, minus one.
    pub besides: usize,
    /// The description of the access, if it is displayed.
    pub text: String,
}

/// The call goes on with the thread's next step.
#[derive(Clone, Copy, Debug)]
pub struct Pause;

/// The result of code that makes accesses.
pub(crate) type Step<T> = Result<T, Pause>;

/// The end of a round of a loop.
#[derive(Clone, Copy, Debug)]
pub enum Next<S, T> {
    Again(S),
    Done(T),
}

pub(crate) use Next::{Again, Done};

impl<'a, M: Types> Run<'a, M> {
    /// Lets a thread make its next access in the code of its call. Returns its effect, and the
    /// result of the call if that was its last access.
    pub fn step(
        world: &'a World<M>,
        memory: &'a mut M::Memory,
        locals: &'a mut Locals,
        (id, call): (usize, &'a CallOf<M>),
        shows: bool,
        code: impl FnOnce(&mut Run<'_, M>) -> Step<AnswerOf<M>>,
    ) -> (Made, Option<AnswerOf<M>>) {
        let mut run = Run {
            world,
            memory,
            call,
            id,
            locals,
            at: 0,
            depth: 0,
            accessed: false,
            shows,
            made: Made::default(),
        };
        let answer = code(&mut run).ok();
        assert!(run.accessed, "a step is one access");
        (run.made, answer)
    }

    /// Whether this piece is taken out.
    pub fn is(&self, mutant: M::Mutant) -> bool {
        self.world.mutant == Some(mutant)
    }

    /// Makes an access, unless it was made in an earlier step. The code after it runs without
    /// interruption.
    pub fn access<T: Entry>(&mut self, act: impl FnOnce(&mut Self) -> T) -> Step<T> {
        if let Some((value, end)) = self.locals.entry(self.at, ACCESS) {
            self.at = end;
            return Ok(value);
        }
        if self.accessed {
            return Err(Pause);
        }
        self.accessed = true;
        let value = act(self);
        self.at = self.locals.replace_from(self.at, ACCESS, value);
        Ok(value)
    }

    /// Describes the access for the display of a schedule.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.shows {
            self.made.text = text();
        }
    }

    /// Runs a routine, of which only the result is kept.
    pub fn routine<T: Entry>(&mut self, body: impl FnOnce(&mut Self) -> Step<T>) -> Step<T> {
        let (base, depth) = (self.at, self.depth);
        if let Some((value, end)) = self.locals.entry(base, result(depth)) {
            self.at = end;
            return Ok(value);
        }
        self.depth += 1;
        let value = body(self)?;
        self.depth = depth;
        self.at = self.locals.replace_from(base, result(depth), value);
        Ok(value)
    }

    /// Runs a loop, of which only the result is kept, and of a round only the state of the next.
    pub fn repeat<S: Entry, T: Entry>(
        &mut self,
        first: S,
        body: impl Fn(&mut Self, S) -> Step<Next<S, T>>,
    ) -> Step<T> {
        self.routine(|run| run.rounds(first, body))
    }

    /// Runs a loop that ends its routine. A first round is the same as a later one with the same
    /// state.
    pub fn rounds<S: Entry, T>(
        &mut self,
        first: S,
        body: impl Fn(&mut Self, S) -> Step<Next<S, T>>,
    ) -> Step<T> {
        let (base, depth) = (self.at, self.depth);
        let begun = self.locals.entry(base, round(depth));
        let (mut state, end) = begun.unwrap_or_else(|| {
            let end = self.locals.replace_from(base, round(depth), first);
            (first, end)
        });
        self.at = end;
        loop {
            match body(self, state)? {
                Done(value) => return Ok(value),
                Again(next) => {
                    self.at = self.locals.replace_from(base, round(depth), next);
                    state = next;
                }
            }
        }
    }
}

impl Locals {
    /// Returns the value of an entry, if it is there and of this kind, and the position of the next
    /// one.
    fn entry<T: Entry>(&self, at: usize, tag: Tag) -> Option<(T, usize)> {
        let (first, bytes) = self.bytes[..self.len.into()].get(at..)?.split_first()?;
        let (value, rest) = (*first == tag)
            .then(|| postcard::take_from_bytes(bytes).expect("what was written there"))?;
        Some((value, usize::from(self.len) - rest.len()))
    }

    /// Replaces the entries from a position on by this one. Returns the position of the next one.
    fn replace_from<T: Entry>(&mut self, at: usize, tag: Tag, value: T) -> usize {
        self.bytes[at] = tag;
        let written = postcard::to_slice(&value, &mut self.bytes[at + 1..]);
        let end = at + 1 + written.expect("room for what a thread knows").len();
        self.len = end as u8;
        end
    }
}

impl Default for Locals {
    fn default() -> Self {
        Self {
            len: 0,
            bytes: [0; BYTES],
        }
    }
}

impl Debug for Locals {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:x?}", &self.bytes[..self.len.into()])
    }
}

impl Hash for Locals {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.bytes[..self.len.into()].hash(hasher);
    }
}
