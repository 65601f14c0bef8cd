//! The step machine: the protocol as the crate has it, one access to shared memory a step.
//!
//! Each room below is a room of the crate, cut up at its accesses. A point says which access comes next; after
//! it the thread goes on by itself until it knows the one after that. What the crate's thread does between two
//! accesses nobody else can see, so nothing is lost by that.

mod admission;
mod announcement;
mod insertion;
mod lookup;
mod path;
mod pool;
mod relocation;
mod removal;
mod scan;
mod settlement;

use std::fmt;

use model::{Fingerprint, Layout, Token, Value};

use crate::call::{self, Kind};
use crate::fixed::memory::{Access, BUMP, Control, Memory, SCAN, STRIPES, State};
use crate::fixed::mutants::Mutant;
use crate::fixed::points::{At, Caller};
use crate::fixed::program::{Item, Program, Shape};
use crate::fixed::thread::Locals;
use crate::fixed::views::{View, views};

/// What does not change in an exploration.
#[derive(Clone, Debug)]
pub struct World {
    /// The shape of the table and the bounds.
    pub shape: Shape,
    /// The classes there are.
    pub classes: Vec<Item>,
    /// The tokens there can be: the class of each, and its value.
    pub tokens: Vec<(Item, Value)>,
    /// What is watched of them.
    pub views: Vec<View>,
    /// The piece that is taken out.
    pub mutant: Option<Mutant>,
}

/// What a call returns.
pub type Answer = call::Answer<Digits>;

/// How often each token that the program knows was found, four bits each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digits(pub u64);

impl fmt::Display for Digits {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "with {:#x} tokens (a digit each)", self.0)
    }
}

/// One step under way.
#[derive(Debug)]
pub struct Run<'a> {
    world: &'a World,
    memory: &'a mut Memory,
    me: &'a mut Locals,
    /// The number of the thread.
    id: usize,
    /// Set if the call returns with this step.
    pub answer: Option<Answer>,
    /// The access that was made.
    pub access: Option<Access>,
    /// Whether it changed the memory.
    pub wrote: bool,
}

/// What routines return that return neither a bucket nor a truth.
const DONE: u64 = 1;
const NOT_DONE: u64 = 0;
const REFUSED: u64 = 2;
const ALL_COPIES: u64 = 3;

/// With a token, what an `insert_unique_value` returns that found it.
const FOUND: u64 = 1 << Token::BITS;

/// The digit of a copy that counts tokens which the program does not know.
pub(crate) const STRANGERS: usize = 15;

/// The stripe of a fingerprint.
fn stripe_of(f: Fingerprint) -> usize {
    f as usize % STRIPES
}

impl World {
    /// That of a program, or of a mutant in it.
    pub fn new(program: &Program, mutant: Option<Mutant>) -> Self {
        let (classes, tokens) = (program.classes(), program.tokens());
        Self {
            shape: program.shape,
            views: views(program, &classes, &tokens),
            classes,
            tokens,
            mutant,
        }
    }

    /// Which of the tokens that the program knows one is that lies in `bucket`.
    pub fn token_of(&self, bucket: u8, token: Token) -> Option<usize> {
        let layout = self.shape.layout;
        let class = self.class_of(bucket, layout.fingerprint_of(token))?;
        if !layout.has_values() {
            return Some(class);
        }
        let wanted = (self.classes[class], layout.value_of(token));
        self.tokens.iter().position(|&known| known == wanted)
    }

    /// Which class a token is of that lies in `bucket`.
    pub fn class_of(&self, bucket: u8, f: Fingerprint) -> Option<usize> {
        let here = |class: &Item| class.f == f && (class.first == bucket || class.second == bucket);
        self.classes.iter().position(here)
    }

    fn is(&self, mutant: Mutant) -> bool {
        self.mutant == Some(mutant)
    }
}

impl<'a> Run<'a> {
    /// Lets a thread make its next access.
    pub fn step(world: &'a World, memory: &'a mut Memory, me: &'a mut Locals, id: usize) -> Self {
        let at = me.at;
        let mut run = Run {
            world,
            memory,
            me,
            id,
            answer: None,
            access: None,
            wrote: false,
        };
        match at {
            At::End => unreachable!("a thread that has finished makes no step"),
            At::Lookup(point) => run.lookup(point),
            At::Count(point) => run.count(point),
            At::Removal(point) => run.removal(point),
            At::Insertion(point) => run.insertion(point),
            At::Admission(point) => run.admission(point),
            At::Relocation(point) => run.relocation(point),
            At::Pool(point) => run.pool(point),
            At::Resolve(point) => run.resolve(point),
            At::Settle(point) => run.settle(point),
            At::Peek(point) => run.peek(point),
            At::Decide(point) => run.decide(point),
            At::Announce(point) => run.announce(point),
            At::Scan(point) => run.scan(point),
        }
        debug_assert!(run.access.is_some(), "a step is one access");
        run
    }

    fn layout(&self) -> Layout {
        self.world.shape.layout
    }

    /// The token that the call inserts, removes or replaces.
    fn token(&self) -> Token {
        self.layout().token(self.me.item.f, self.me.value)
    }

    fn is_call(&self, kinds: &[Kind]) -> bool {
        self.me.kind.is_some_and(|kind| kinds.contains(&kind))
    }

    fn go(&mut self, at: At) {
        self.me.at = at;
    }

    /// Returns from a routine.
    fn give_back(&mut self, value: u64) {
        match self.me.pop() {
            None => self.finish(value),
            Some(caller) => self.resume(caller, value),
        }
    }

    /// Returns from the call.
    fn finish(&mut self, value: u64) {
        self.answer = Some(match self.me.kind {
            Some(Kind::Insert | Kind::Unique | Kind::UniqueValue) if value == REFUSED => {
                Answer::Full
            }
            Some(Kind::Insert) if value == ALL_COPIES => Answer::TooManyCopies,
            Some(Kind::Count) => Answer::Number(value as usize),
            Some(Kind::Snapshot) if value == u64::MAX => Answer::NoCopy,
            Some(Kind::Snapshot | Kind::Values) => Answer::Copy(Digits(value)),
            Some(Kind::Contains) => Answer::Bool(value != 0),
            Some(Kind::Value) => Answer::Value(self.value_in(value)),
            Some(Kind::UniqueValue) if value == DONE => Answer::Value(None),
            Some(Kind::UniqueValue) => Answer::Value(self.value_in(value ^ FOUND)),
            _ => Answer::Bool(value == DONE),
        });
    }

    /// The value of a token, if it is one.
    fn value_in(&self, token: u64) -> Option<Value> {
        (token != 0).then(|| self.layout().value_of(token as Token))
    }

    /// Goes on with what a routine has returned.
    fn resume(&mut self, caller: Caller, value: u64) {
        match caller {
            Caller::Nobody => unreachable!("somebody began the routine"),
            Caller::CountFirst => self.count_first(value),
            Caller::CountSecond => self.count_second(value),
            Caller::RemovalFirst => self.removal_first(value),
            Caller::RemovalSecond => self.removal_second(value),
            Caller::RemovalBump => self.removal_bumped(),
            Caller::InsertionOpen => self.insertion_opened(value),
            Caller::InsertionFirst => self.insertion_first(value),
            Caller::InsertionSecond => self.insertion_second(value),
            Caller::OpenFirst => self.open_first(value),
            Caller::OpenSecond => self.open_second(value),
            Caller::OpenNear => self.open_near(value),
            Caller::SearchFirst => self.search_first(value),
            Caller::SearchSecond => self.search_second(value),
            Caller::SearchSlot => self.search_slot(value),
            Caller::RefusalFirst => self.refusal_first(value),
            Caller::RefusalSecond => self.refusal_second(value),
            Caller::PathClaim => self.path_claimed(value),
            Caller::PathHop => self.path_hopped(value),
            Caller::PathRelease => self.path_released(value),
            Caller::MovePeek => self.move_peeked(value),
            Caller::MoveClaim => self.move_claimed(value),
            Caller::MoveHop => self.move_hopped(value),
            Caller::MoveRelease => self.give_back(value),
            Caller::RelocationSource => self.relocation_source(value),
            Caller::RelocationDestination => self.relocation_destination(value),
            Caller::RelocationPublish => self.relocation_published(),
            Caller::RelocationEarlyBump => self.relocation_publish(),
            Caller::RelocationMiddleBump => self.relocation_half_frozen(),
            Caller::RelocationBump => self.relocation_bumped(),
            Caller::RelocationLateBump => self.relocation_decided(),
            Caller::AdmissionLook => self.admission_looked(value),
            Caller::AdmissionFirst => self.admission_first(value),
            Caller::AdmissionSecond => self.admission_second(value),
            Caller::AdmissionOpen => self.admission_opened(value),
            Caller::AdmissionClaim => self.admission_claimed(value),
            Caller::AdmissionPublish => self.admission_published(),
            Caller::AdmissionDecide => self.admission_decided(),
            Caller::AdmissionRelease => self.admission_released(value),
            Caller::SettleDecide => self.settle_decided(),
            Caller::ScanWord => self.scan_word(value),
            Caller::ScanCount => self.scan_counted(value),
        }
    }

    fn record(&mut self, access: Access) {
        debug_assert!(self.access.is_none(), "a step is one access");
        self.access = Some(access);
    }

    fn load(&mut self, bucket: u8) -> u64 {
        let word = self.memory.words[usize::from(bucket)];
        self.record(Access::Load(bucket, word));
        word
    }

    fn exchange(&mut self, bucket: u8, current: u64, new: u64) -> bool {
        let word = &mut self.memory.words[usize::from(bucket)];
        let done = *word == current;
        if done {
            *word = new;
            self.wrote = true;
        }
        self.record(Access::Exchange(bucket, current, new, done));
        done
    }

    fn read_version(&mut self, f: Fingerprint) -> u16 {
        let stripe = stripe_of(f);
        let version = self.memory.stripes[stripe];
        self.record(Access::Stripe(stripe as u8, version));
        version
    }

    /// Whether the stripe is as it was when the version was read.
    fn unchanged(&mut self, f: Fingerprint) -> bool {
        let before = self.me.version;
        self.read_version(f) == before
    }

    /// True: a scan is on.
    fn bump(&mut self, f: Fingerprint) -> bool {
        let stripe = stripe_of(f);
        let before = self.memory.stripes[stripe];
        self.set_stripe(stripe, before + BUMP);
        before & SCAN != 0
    }

    fn set_stripe(&mut self, stripe: usize, value: u16) {
        self.memory.stripes[stripe] = value;
        self.wrote = true;
        self.record(Access::Stripe(stripe as u8, value));
    }

    fn read_control(&mut self, reference: u64) -> Control {
        let (index, _) = self.layout().named(reference);
        let control = self.memory.descriptors[index].control;
        self.record(Access::Control(index as u8, control));
        control
    }

    /// Decides the use that was `pending`; false if it is decided already, or over.
    fn decide_use(&mut self, index: usize, pending: Control, state: State) -> bool {
        let control = &mut self.memory.descriptors[index].control;
        let done = *control == pending;
        if done {
            control.state = state;
            self.wrote = true;
        }
        let control = *control;
        self.record(Access::Control(index as u8, control));
        done
    }

    /// The index of the descriptor that the thread owns.
    fn owned(&self) -> usize {
        usize::from(self.me.claim) - 1
    }

    /// The reference to the use that the thread has begun last.
    fn reference(&self) -> u64 {
        self.layout()
            .reference(self.owned(), self.me.pending.uses.into())
    }
}
