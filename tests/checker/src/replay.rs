//! How a machine runs: as ordinary code, one access to shared memory a step.
//!
//! A step runs the call from its beginning, with the results of the accesses that it has made, to the first that it has not:
//! it makes that one, and goes on to the one after it. What a thread does between two accesses nobody else can see, so
//! nothing is lost by that. So what a thread knows is the list of those results. A routine that has returned leaves one
//! entry there, what it returned, and each round of a loop leaves what it goes on with. So states that differ in what no
//! thread can know any more are one state.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::machine::{AnswerOf, Machine, World};
use crate::notation::CallOf;

/// Bytes of a list, at most.
const BYTES: usize = 240;

/// The results of a call that is under way.
#[derive(Clone, Copy)]
pub struct Locals {
    len: u8,
    bytes: [u8; BYTES],
}

/// What an entry of the list is: the result of an access; what a routine returned, by how deep within others it was; and
/// what the next round of a loop begins with.
type Tag = u8;

const ACCESS: Tag = 0;

const fn result(depth: u8) -> Tag {
    2 * depth + 1
}

const fn round(depth: u8) -> Tag {
    2 * depth + 2
}

/// One step under way.
pub struct Run<'a, M: Machine> {
    pub world: &'a World<M>,
    pub memory: &'a mut M::Memory,
    pub call: &'a CallOf<M>,
    pub id: usize,
    locals: &'a mut Locals,
    /// The entry that comes next.
    at: usize,
    /// Routines within routines.
    depth: u8,
    accessed: bool,
    shows: bool,
    pub made: Made,
}

/// What one step did.
#[derive(Clone, Debug, Default)]
pub struct Made {
    /// Whether it changed the memory.
    pub wrote: bool,
    /// Accesses of the crate that it stands for, less one.
    pub besides: usize,
    /// What was wrong with it.
    pub fault: Option<&'static str>,
    /// The access, if it is shown to anybody.
    pub text: String,
}

/// What an entry of a list can be.
pub trait Entry: Copy + Serialize + DeserializeOwned {}

impl<T: Copy + Serialize + DeserializeOwned> Entry for T {}

/// The call goes on with the thread's next step.
#[derive(Clone, Copy, Debug)]
pub struct Pause;

/// What code returns that makes accesses.
pub(crate) type Step<T> = Result<T, Pause>;

/// What a round of a loop ends with.
#[derive(Clone, Copy, Debug)]
pub enum Next<S, T> {
    Again(S),
    Done(T),
}

pub(crate) use Next::{Again, Done};

impl<'a, M: Machine> Run<'a, M> {
    /// Lets a thread make its next access. Returns what it did, and what its call returned, if that was the last one.
    pub fn step(
        world: &'a World<M>,
        memory: &'a mut M::Memory,
        locals: &'a mut Locals,
        (id, call): (usize, &'a CallOf<M>),
        shows: bool,
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
        let answer = M::call(&mut run).ok();
        debug_assert!(run.accessed, "a step is one access");
        (run.made, answer)
    }

    /// Whether this piece is taken out.
    pub fn is(&self, mutant: M::Mutant) -> bool {
        self.world.mutant == Some(mutant)
    }

    /// Makes an access, unless it has been made. The code behind it runs for it alone.
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

    /// What the access is to those who read a schedule.
    pub fn show(&mut self, text: impl FnOnce() -> String) {
        if self.shows {
            self.made.text = text();
        }
    }

    /// A routine, of which nothing is left but what it returns.
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

    /// A loop, of which nothing is left but what it returns, and of a round nothing but what the next begins with.
    pub fn repeat<S: Entry, T: Entry>(
        &mut self,
        first: S,
        body: impl Fn(&mut Self, S) -> Step<Next<S, T>>,
    ) -> Step<T> {
        self.routine(|run| run.rounds(first, body))
    }

    /// A loop with which the routine ends that it is in. A first round is the same as a later one that begins with the same.
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
    /// What an entry says, if it is there and is this, and where the next one begins.
    fn entry<T: Entry>(&self, at: usize, tag: Tag) -> Option<(T, usize)> {
        let (first, bytes) = self.bytes[..self.len.into()].get(at..)?.split_first()?;
        let (value, rest) = (*first == tag)
            .then(|| postcard::take_from_bytes(bytes).expect("what was written there"))?;
        Some((value, usize::from(self.len) - rest.len()))
    }

    /// Forgets the entries from one on, and has this in their place. Returns where the next one begins.
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
