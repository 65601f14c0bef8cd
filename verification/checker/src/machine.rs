//! The trait of a machine: the protocol of a filter with one access to shared memory per step, its
//! properties, and the display of its steps.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::RangeInclusive;

use crate::monitor::{Monitor, Role, Set, Told};
use crate::notation::{Answer, CallOf, Kind, Program};
use crate::replay::{Locals, Made, Run, Step};
use crate::shared::Shared;
use crate::types::{AnswerOf, World};

/// The position of a thread, and everything that it knows.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Thread {
    pub finished: u8,
    /// Whether it has made the first access of its call.
    pub begun: bool,
    /// Whether it has made all its calls.
    pub ended: bool,
    pub locals: Locals,
}

/// A step of a schedule, for display.
#[derive(Clone, Debug)]
pub(crate) struct Shown<M: Machine> {
    /// The call, if this is its first step.
    pub begun: Option<CallOf<M>>,
    pub made: Made,
    /// The result of the call, if this was its last step.
    pub answer: Option<AnswerOf<M>>,
}

impl<M: Machine> World<M> {
    /// Makes the world of a program, or of a mutant in it.
    pub fn new(program: &Program<M>, mutant: Option<M::Mutant>) -> Self {
        Self {
            shape: program.shape,
            known: M::known(program),
            mutant,
        }
    }
}

/// A machine. An error describes the defect of a state or a text.
pub trait Machine: Shared {
    type View: View<Self>;
    type Tokens;

    const RACES: &'static str;
    /// The pieces that races show to be necessary, each with a description of its absence.
    const MUTANTS: &'static [(Self::Mutant, &'static str)];

    /// The numbers of its models, each with programs of its own.
    const MODELS: RangeInclusive<u8>;

    /// Returns the first words of the lines of a model.
    fn name_of(model: u8) -> String;

    /// Returns this number of random programs of a model, from a seed.
    fn random(model: u8, seed: u64, number: usize) -> Vec<Program<Self>>;

    fn known(program: &Program<Self>) -> Self::Known;

    fn call(run: &mut Run<'_, Self>) -> Step<AnswerOf<Self>>;

    fn views(world: &World<Self>) -> &[Self::View];

    /// Whether an answer has only tokens that a thread could have inserted.
    fn is_known(world: &World<Self>, call: &CallOf<Self>, answer: AnswerOf<Self>) -> bool;

    /// Returns the tokens that the memory holds logically.
    fn tokens(world: &World<Self>, memory: &Self::Memory) -> Result<Self::Tokens, String>;

    /// Checks the properties of every state besides the numbers of tokens.
    fn check(
        world: &World<Self>,
        memory: &Self::Memory,
        tokens: &Self::Tokens,
        calls_under_way: usize,
    ) -> Result<(), String>;

    /// Whether a thread is dead.
    fn is_dead(memory: &Self::Memory, thread: usize) -> bool;

    /// Returns the flags that must be clear when all threads have finished, with their values.
    fn left_on(world: &World<Self>, memory: &Self::Memory) -> [(bool, &'static str); 4];

    /// Lets all threads die. A new thread then makes calls: each must return, and some explanation
    /// must allow the tokens.
    fn after_death(
        world: &World<Self>,
        memory: &Self::Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String>;

    /// Returns the words with their numbers.
    fn show_words(world: &World<Self>, memory: &Self::Memory) -> Vec<(usize, String)>;
}

/// A watched part of the tokens: a number of them, or which one there is.
pub trait View<M: Machine> {
    /// Returns the role of a call in it; `None` if it has none.
    fn role(&self, world: &World<M>, call: &CallOf<M>) -> Option<Role>;

    /// Returns the meaning of a result for it.
    fn told(&self, world: &World<M>, call: &CallOf<M>, answer: AnswerOf<M>) -> Told;

    /// Returns the monitor's number for these tokens.
    fn number(&self, tokens: &M::Tokens) -> u8;

    /// Returns a description of the watched tokens, for failures.
    fn name(&self, world: &World<M>) -> String;
}

/// Lets a thread make its next access. Returns its effect, and the result of the call if that was
/// its last access.
pub(crate) fn step<M: Machine>(
    world: &World<M>,
    memory: &mut M::Memory,
    locals: &mut Locals,
    call: (usize, &CallOf<M>),
    shows: bool,
) -> (Made, Option<AnswerOf<M>>) {
    Run::step(world, memory, locals, call, shows, M::call)
}

/// Lets a new thread make a whole call while all others are stopped.
pub(crate) fn alone<M: Machine>(
    world: &World<M>,
    memory: &mut M::Memory,
    thread: usize,
    call: &CallOf<M>,
    steps: usize,
) -> Result<AnswerOf<M>, String> {
    let mut locals = Locals::default();
    (0..steps)
        .find_map(|_| step(world, memory, &mut locals, (thread, call), false).1)
        .ok_or_else(|| format!("a newcomer's {} never returns", call.kind.name()))
}

/// Checks that nothing is left on that all threads, or recoveries, must have ended.
pub(crate) fn check_left_on<M: Machine>(
    world: &World<M>,
    memory: &M::Memory,
) -> Result<(), String> {
    let left = M::left_on(world, memory);
    let found = left.iter().find(|(is_left, _)| *is_left);
    found.map_or(Ok(()), |(_, what)| Err((*what).into()))
}

/// The most steps of an undisturbed call. The longest is an insert that searches and moves while
/// everything is frozen.
pub(crate) const STEPS: usize = 400;

/// Audits an item: all threads have died, and a new thread counts, looks up and removes all its
/// tokens, and inserts one. Each call must return, and some explanation must allow the tokens.
pub(crate) fn audit<Copied: PartialEq>(
    mut call: impl FnMut(Kind) -> Result<Answer<Copied>, String>,
    is_allowed: impl Fn(usize) -> bool,
    inserts: &[Kind],
) -> Result<(), String> {
    let Answer::Number(copies) = call(Kind::Count)? else {
        unreachable!("a count returns a number");
    };
    if !is_allowed(copies) {
        return Err(format!("{copies} tokens are left"));
    }
    if call(Kind::Contains)? != Answer::Bool(copies > 0) {
        return Err("a lookup contradicts the count".into());
    }
    for copy in 0..=copies {
        if call(Kind::Remove)? != Answer::Bool(copy < copies) {
            return Err("removes contradict the count".into());
        }
    }
    for &insert in inserts {
        // Other tokens, and those in the descriptor of a dead owner, may leave no room.
        let inserted = Answer::Bool(call(insert)? == Answer::Bool(true));
        if call(Kind::Contains)? != inserted || call(Kind::Remove)? != inserted {
            return Err("a newcomer cannot insert and remove".into());
        }
    }
    Ok(())
}

/// Defines the mutants of a machine, each with the missing piece; after them those that no race
/// kills.
macro_rules! mutants {
    ($($mutant:ident = $name:literal,)* $({ $besides:ident = $why:literal })?) => {
        /// One piece taken out.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Mutant {
            $(#[doc = $name] $mutant,)*
            $(#[doc = $why] $besides,)?
        }

        /// The mutants that races kill.
        pub(crate) const MUTANTS: &[(Mutant, &str)] = &[$((Mutant::$mutant, $name)),*];
    };
}

pub(crate) use mutants;
