//! How a machine runs: as ordinary code, one access to shared memory a step.
//!
//! A step runs the call from its beginning, with the results of the accesses that it has made, to the first that it has not:
//! it makes that one, and goes on to the one after it. What a thread does between two accesses nobody else can see, so
//! nothing is lost by that. So what a thread knows is the list of those results. A routine that has returned leaves one
//! entry there, what it returned, and each round of a loop leaves what it goes on with. So states that differ in what no
//! thread can know any more are one state.

use std::fmt::{self, Debug};
use std::hash::{Hash, Hasher};

use crate::machine::{AnswerOf, Machine};
use crate::notation::CallOf;

/// Bytes of a list, at most.
const BYTES: usize = 240;

/// The results of a call that is under way.
#[derive(Clone, Copy)]
pub struct Locals {
    len: u8,
    bytes: [u8; BYTES],
}

/// What an entry of the list is.
#[derive(Clone, Copy)]
enum Tag {
    /// The result of an access.
    Access,
    /// What a routine returned, by how deep within others it was.
    Result(u8),
    /// What the next round of a loop begins with.
    Round(u8),
}

/// One step under way.
pub struct Run<'a, M: Machine> {
    pub world: &'a M::World,
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
        world: &'a M::World,
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
        M::mutant(self.world) == Some(mutant)
    }

    /// Makes an access, unless it has been made. The code behind it runs for it alone.
    pub fn access<T: Entry>(&mut self, act: impl FnOnce(&mut Self) -> T) -> Step<T> {
        if let Some(value) = self.locals.entry(self.at, Tag::Access) {
            self.at += 1 + T::LEN;
            return Ok(value);
        }
        if self.accessed {
            return Err(Pause);
        }
        self.accessed = true;
        let value = act(self);
        self.at = self.locals.replace_from(self.at, Tag::Access, value);
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
        if let Some(value) = self.locals.entry(base, Tag::Result(depth)) {
            self.at += 1 + T::LEN;
            return Ok(value);
        }
        self.depth += 1;
        let value = body(self)?;
        self.depth = depth;
        self.at = self.locals.replace_from(base, Tag::Result(depth), value);
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
        let begun = self.locals.entry(base, Tag::Round(depth));
        let mut state = begun.unwrap_or(first);
        self.at = base + 1 + S::LEN;
        if begun.is_none() {
            self.locals.replace_from(base, Tag::Round(depth), first);
        }
        loop {
            match body(self, state)? {
                Done(value) => return Ok(value),
                Again(next) => {
                    self.at = self.locals.replace_from(base, Tag::Round(depth), next);
                    state = next;
                }
            }
        }
    }
}

impl Tag {
    fn code(self) -> u8 {
        match self {
            Self::Access => 0,
            Self::Result(depth) => 2 * depth + 1,
            Self::Round(depth) => 2 * depth + 2,
        }
    }
}

impl Locals {
    /// What an entry says, if it is there and is this.
    fn entry<T: Entry>(&self, at: usize, tag: Tag) -> Option<T> {
        let bytes = &self.bytes[..self.len.into()];
        (bytes.get(at) == Some(&tag.code())).then(|| T::get(&bytes[at + 1..]))
    }

    /// Forgets the entries from one on, and has this in their place. Returns where the next one begins.
    fn replace_from<T: Entry>(&mut self, at: usize, tag: Tag, value: T) -> usize {
        self.bytes[at] = tag.code();
        let end = at + 1 + T::LEN;
        value.put(&mut self.bytes[at + 1..end]);
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

/// What a list can hold.
pub trait Entry: Copy {
    const LEN: usize;
    /// Writes itself into so many bytes.
    fn put(self, to: &mut [u8]);
    /// Reads itself from their beginning.
    fn get(from: &[u8]) -> Self;
}

/// Entries that are numbers, structures of entries, or choices of a name.
macro_rules! entry {
    (number $($number:ty),*) => {$(
        impl Entry for $number {
            const LEN: usize = size_of::<Self>();

            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }

            fn get(from: &[u8]) -> Self {
                Self::from_le_bytes(std::array::from_fn(|at| from[at]))
            }
        }
    )*};
    ($name:ident { $($field:ident: $of:ty),* }) => {
        impl $crate::replay::Entry for $name {
            const LEN: usize = 0 $(+ <$of as $crate::replay::Entry>::LEN)*;

            fn put(self, to: &mut [u8]) {
                let Self { $($field),* } = self;
                $(let (here, to) = to.split_at_mut(<$of as $crate::replay::Entry>::LEN);
                <$of as $crate::replay::Entry>::put($field, here);)*
                debug_assert!(to.is_empty(), "each field has its bytes");
            }

            fn get(from: &[u8]) -> Self {
                $(let $field = <$of as $crate::replay::Entry>::get(from);
                let from = &from[<$of as $crate::replay::Entry>::LEN..];)*
                let _ = from;
                Self { $($field),* }
            }
        }
    };
    ($name:ident($of:ty)) => {
        impl $crate::replay::Entry for $name {
            const LEN: usize = <$of as $crate::replay::Entry>::LEN;

            fn put(self, to: &mut [u8]) {
                <$of as $crate::replay::Entry>::put(self.0, to);
            }

            fn get(from: &[u8]) -> Self {
                Self(<$of as $crate::replay::Entry>::get(from))
            }
        }
    };
    ($name:ident is $($choice:ident)|*) => {
        impl $crate::replay::Entry for $name {
            const LEN: usize = 1;

            fn put(self, to: &mut [u8]) {
                to[0] = self as u8;
            }

            fn get(from: &[u8]) -> Self {
                [$(Self::$choice),*][usize::from(from[0])]
            }
        }
    };
}

pub(crate) use entry;

entry!(number u8, u16, u32, u64);

impl Entry for () {
    const LEN: usize = 0;

    fn put(self, _: &mut [u8]) {}

    fn get(_: &[u8]) -> Self {}
}

impl Entry for bool {
    const LEN: usize = 1;

    fn put(self, to: &mut [u8]) {
        to[0] = self.into();
    }

    fn get(from: &[u8]) -> Self {
        from[0] != 0
    }
}

impl<T: Entry> Entry for Option<T> {
    const LEN: usize = 1 + T::LEN;

    fn put(self, to: &mut [u8]) {
        to.fill(0);
        if let Some(value) = self {
            to[0] = 1;
            value.put(&mut to[1..]);
        }
    }

    fn get(from: &[u8]) -> Self {
        (from[0] != 0).then(|| T::get(&from[1..]))
    }
}

impl<A: Entry, B: Entry> Entry for (A, B) {
    const LEN: usize = A::LEN + B::LEN;

    fn put(self, to: &mut [u8]) {
        let (first, second) = to.split_at_mut(A::LEN);
        self.0.put(first);
        self.1.put(second);
    }

    fn get(from: &[u8]) -> Self {
        (A::get(from), B::get(&from[A::LEN..]))
    }
}

impl<T: Entry, const N: usize> Entry for [T; N] {
    const LEN: usize = N * T::LEN;

    fn put(self, to: &mut [u8]) {
        for (value, to) in self.into_iter().zip(to.chunks_exact_mut(T::LEN)) {
            value.put(to);
        }
    }

    fn get(from: &[u8]) -> Self {
        std::array::from_fn(|at| T::get(&from[at * T::LEN..]))
    }
}
