//! What a machine is: the protocol of one kind of filter, one access to shared memory a step, what it has to keep
//! to, and how it shows what it does.

use std::fmt::{Debug, Display};
use std::hash::Hash;
use std::ops::RangeInclusive;

use crate::monitor::{Monitor, Role, Set, Told};
use crate::notation::{Answer, CallOf, Kind, Notation, Program};
use crate::replay::{Entry, Locals, Made, Run, Step};
use crate::shared::{STRIPES, Stripe};

/// What a call of a machine returns.
pub(crate) type AnswerOf<M> = Answer<<M as Machine>::Copied>;

/// How far a thread has come, and all that it knows.
#[derive(Clone, Copy, Debug, Hash)]
pub(crate) struct Thread {
    pub finished: u8,
    /// Whether it has made the first access of its call.
    pub begun: bool,
    /// Whether it makes no more calls.
    pub ended: bool,
    pub locals: Locals,
}

/// A step of a schedule, for those who read it.
#[derive(Clone, Debug)]
pub struct Shown<M: Machine> {
    pub thread: usize,
    /// The call, if this is its first step.
    pub begun: Option<CallOf<M>>,
    pub made: Made,
    /// What the call returned, if this was its last step.
    pub answer: Option<AnswerOf<M>>,
}

/// What does not change in an exploration.
#[derive(Clone, Debug)]
pub struct World<M: Machine> {
    pub shape: M::Shape,
    pub known: M::Known,
    pub mutant: Option<M::Mutant>,
}

impl<M: Machine> World<M> {
    /// That of a program, or of a mutant in it.
    pub fn new(program: &Program<M>, mutant: Option<M::Mutant>) -> Self {
        Self {
            shape: program.shape,
            known: M::known(program),
            mutant,
        }
    }
}

/// A machine. What is wrong with a state or a text is an error that says so.
pub trait Machine: Notation {
    /// A piece that can be taken out.
    type Mutant: Copy + Debug + Eq + Sync;
    /// What it knows of a program besides the shape.
    type Known: Clone + Debug;
    type Word: Entry + Eq;
    type Copied: Copy + Debug + Display + Eq;
    type View: View<Self>;
    type Tokens;

    const RACES: &'static str;
    /// The pieces that races show to be needed, each by what it is to be without it.
    const MUTANTS: &'static [(Self::Mutant, &'static str)];

    /// The numbers of its models: each has programs of its own.
    const MODELS: RangeInclusive<u8>;

    /// What the lines of a model begin with.
    fn name_of(model: u8) -> String;

    /// So many programs of a model made by chance, from a seed.
    fn random(model: u8, seed: u64, number: usize) -> Vec<Program<Self>>;

    fn known(program: &Program<Self>) -> Self::Known;

    /// A word that an access is made to.
    fn word<'a>(run: &'a mut Run<'_, Self>, number: u8) -> &'a mut Self::Word;

    fn show_word(world: &World<Self>, word: Self::Word) -> String;

    fn stripes(memory: &mut Self::Memory) -> &mut [Stripe; STRIPES];

    fn call(run: &mut Run<'_, Self>) -> Step<AnswerOf<Self>>;

    /// Whether a thread that is answered so makes no more calls.
    fn ends(_: &World<Self>, _: &CallOf<Self>, _: AnswerOf<Self>) -> bool {
        false
    }

    fn views(world: &World<Self>) -> &[Self::View];

    /// Whether an answer has only tokens that somebody could have inserted.
    fn is_known(_: &World<Self>, _: &CallOf<Self>, _: AnswerOf<Self>) -> bool {
        true
    }

    /// The tokens that the memory holds logically.
    fn tokens(world: &World<Self>, memory: &Self::Memory) -> Result<Self::Tokens, String>;

    /// Follows the memory from call to call in what no thread reads, after each step of a thread.
    fn follow<'a>(
        _world: &World<Self>,
        _memory: &mut Self::Memory,
        _shown: &Shown<Self>,
        _under_way: impl Iterator<Item = &'a CallOf<Self>>,
    ) -> Result<(), String>
    where
        Self::Item: 'a,
    {
        Ok(())
    }

    /// What must hold in every state, besides the numbers of tokens.
    fn check(
        world: &World<Self>,
        memory: &Self::Memory,
        tokens: &Self::Tokens,
        calls_under_way: usize,
    ) -> Result<(), String>;

    /// What must not be left when all threads have finished, and whether it is.
    fn left_on(world: &World<Self>, memory: &Self::Memory) -> [(bool, &'static str); 3];

    /// Lets all threads die. A newcomer then makes calls: each returns, and the tokens are those that some explanation
    /// allows.
    fn after_death(
        world: &World<Self>,
        memory: &Self::Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String>;

    /// The words, by their numbers.
    fn show_words(world: &World<Self>, memory: &Self::Memory) -> Vec<(usize, String)>;
}

/// What is watched of the tokens: a number of them, or which one there is.
pub trait View<M: Machine> {
    /// What a call is to it; `None` if nothing.
    fn role(&self, world: &World<M>, call: &CallOf<M>) -> Option<Role>;

    /// What a result of a call that is something to it says.
    fn told(&self, world: &World<M>, call: &CallOf<M>, answer: AnswerOf<M>) -> Told;

    /// What its monitor calls these tokens.
    fn number(&self, tokens: &M::Tokens) -> u8;

    /// Which tokens count, for those who read a failure.
    fn name(&self, world: &World<M>) -> String;
}

/// A newcomer makes a whole call while all others stand still.
pub(crate) fn alone<M: Machine>(
    world: &World<M>,
    memory: &mut M::Memory,
    thread: usize,
    call: &CallOf<M>,
    steps: usize,
) -> Result<AnswerOf<M>, String> {
    let mut locals = Locals::default();
    (0..steps)
        .find_map(|_| Run::<M>::step(world, memory, &mut locals, (thread, call), false).1)
        .ok_or_else(|| format!("a newcomer's {} never returns", call.kind.name()))
}

/// Steps within which a call must return that nobody disturbs. The longest is an insert that searches and moves, or
/// doubles, while everything is frozen.
pub(crate) const STEPS: usize = 400;

/// The audit of an item: all threads have died, and a newcomer counts, looks up and removes all there is of it, and inserts
/// one. Each call returns, and the tokens are those that some explanation allows.
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
        // The tokens of others, and of a dead owner's descriptors, may leave no room.
        let inserted = Answer::Bool(call(insert)? == Answer::Bool(true));
        if call(Kind::Contains)? != inserted || call(Kind::Remove)? != inserted {
            return Err("a newcomer cannot insert and remove".into());
        }
    }
    Ok(())
}

/// The mutants of a machine, each with what it lacks; behind them those that no race kills.
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
