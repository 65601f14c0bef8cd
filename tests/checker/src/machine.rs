//! What a machine is: the protocol of one kind of filter, one access to shared memory a step. Its programs, what it has
//! to keep to, and how it shows what it does.

use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::{FromStr, SplitWhitespace};

use crate::call::{Call, Kind};
use crate::monitor::{Monitor, Role, Set, Told};
use crate::mutants::Killed;

/// What the threads do, and on what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program<M: Machine> {
    /// The shape of the tables and the bounds.
    pub shape: M::Shape,
    /// Tokens that are there from the beginning.
    pub fill: Vec<M::Token>,
    /// The calls of each thread.
    pub threads: Vec<Vec<CallOf<M>>>,
}

/// A call of a machine.
pub type CallOf<M> = Call<<M as Machine>::Item>;

/// How far a thread has come, and all that it knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Thread<Locals> {
    /// The calls that it has finished.
    pub finished: u8,
    /// Whether it has made the first access of its call.
    pub begun: bool,
    /// Whether it makes no more calls.
    pub ended: bool,
    /// What it knows of its call.
    pub locals: Locals,
}

/// What one step did.
#[derive(Clone, Copy, Debug)]
pub struct Step<M: Machine> {
    /// The access that was made.
    pub access: Option<M::Access>,
    /// Whether it changed the memory.
    pub wrote: bool,
    /// What was wrong with it.
    pub fault: Option<&'static str>,
    /// What the call returned, if this was its last step.
    pub answer: Option<M::Answer>,
}

/// A step of a schedule, for those who read it.
#[derive(Clone, Copy, Debug)]
pub struct Shown<M: Machine> {
    /// Whose step it is.
    pub thread: usize,
    /// The call, if this is its first step.
    pub begun: Option<CallOf<M>>,
    /// The access that it made.
    pub access: Option<M::Access>,
    /// What the call returned, if this was its last step.
    pub answer: Option<M::Answer>,
}

/// A machine.
pub trait Machine: Copy + Debug + Eq + 'static {
    /// The shape of the tables and the bounds of their operations, all of them small.
    type Shape: Copy + Debug + Display + Eq + FromStr<Err = String> + Send + Sync;
    /// What calls are made with.
    type Item: Copy + Debug + Default + Ord + Send + Sync;
    /// A token that is there from the beginning.
    type Token: Copy + Debug + Ord + Send + Sync;
    /// A piece that can be taken out.
    type Mutant: Copy + Debug + Eq + Sync;
    /// What does not change in an exploration.
    type World: Debug;
    /// What the threads share.
    type Memory: Copy + Debug + Hash;
    /// What a thread knows of its call.
    type Locals: Copy + Debug + Default + Hash;
    /// An access, for those who read a schedule.
    type Access: Copy + Debug;
    /// What a call returns.
    type Answer: Copy + Debug + Display + Eq;
    /// What is watched: a number of tokens, or which one there is.
    type View;
    /// The tokens of a memory.
    type Tokens;

    /// The kinds of calls that it knows.
    const KINDS: &'static [Kind];
    /// The programs written by hand.
    const RACES: &'static str;
    /// The mutants.
    const MUTANTS: &'static [Killed<Self::Mutant>];

    /// Tokens of one text.
    fn parse_tokens(text: &str, shape: &Self::Shape) -> Option<Vec<Self::Token>>;

    /// A token as a text.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    fn write_token(
        token: &Self::Token,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// A call of a kind, by the words behind that.
    fn parse_call(
        kind: Kind,
        words: &mut SplitWhitespace<'_>,
        shape: &Self::Shape,
    ) -> Option<CallOf<Self>>;

    /// What a call is made with, as a text.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    fn write_call(
        call: &CallOf<Self>,
        shape: &Self::Shape,
        out: &mut fmt::Formatter<'_>,
    ) -> fmt::Result;

    /// The memory before the first step; `None` if the tokens do not fit.
    fn memory(program: &Program<Self>) -> Option<Self::Memory>;

    /// Whether the program knows no more items than the machine can count.
    fn counts(program: &Program<Self>) -> bool;

    /// What a program, or a mutant in it, needs to know.
    fn world(program: &Program<Self>, mutant: Option<Self::Mutant>) -> Self::World;

    /// What a thread knows that is about to begin a call.
    fn locals(world: &Self::World, call: &CallOf<Self>) -> Self::Locals;

    /// Lets a thread make its next access.
    fn step(
        world: &Self::World,
        memory: &mut Self::Memory,
        locals: &mut Self::Locals,
        thread: usize,
        call: &CallOf<Self>,
    ) -> Step<Self>;

    /// Whether a call did what its name says, or found what it looked for.
    fn succeeded(answer: Self::Answer) -> bool;

    /// Whether a thread that is answered so makes no more calls.
    fn ends(_: &Self::World, _: &CallOf<Self>, _: Self::Answer) -> bool {
        false
    }

    /// What is watched.
    fn views(world: &Self::World) -> &[Self::View];

    /// What a call is to a view; `None` if nothing.
    fn role(world: &Self::World, view: &Self::View, call: &CallOf<Self>) -> Option<Role>;

    /// What a result of a call that is something to a view says.
    fn told(
        world: &Self::World,
        view: &Self::View,
        call: &CallOf<Self>,
        answer: Self::Answer,
    ) -> Told;

    /// Whether an answer has only tokens that somebody could have inserted.
    fn is_known(_: &Self::World, _: &CallOf<Self>, _: Self::Answer) -> bool {
        true
    }

    /// The tokens that the memory holds logically.
    ///
    /// # Errors
    ///
    /// A word that means nothing.
    fn tokens(world: &Self::World, memory: &Self::Memory) -> Result<Self::Tokens, String>;

    /// What the monitor of a view calls these tokens.
    fn number(view: &Self::View, tokens: &Self::Tokens) -> u8;

    /// Which tokens a view counts, for those who read a failure.
    fn counted(world: &Self::World, view: &Self::View) -> String;

    /// Follows the memory from call to call in what no thread reads, after each step of a thread.
    ///
    /// # Errors
    ///
    /// An answer that contradicts it.
    fn follow<'a>(
        _world: &Self::World,
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
    ///
    /// # Errors
    ///
    /// What does not.
    fn check(
        world: &Self::World,
        memory: &Self::Memory,
        tokens: &Self::Tokens,
        calls_under_way: usize,
    ) -> Result<(), String>;

    /// What must hold when all threads have finished.
    ///
    /// # Errors
    ///
    /// What does not.
    fn check_end(world: &Self::World, memory: &Self::Memory) -> Result<(), String>;

    /// Lets all threads die. A newcomer then makes calls: each returns, and the tokens are those that some explanation
    /// allows.
    ///
    /// # Errors
    ///
    /// What the newcomer found to be wrong.
    fn after_death(
        world: &Self::World,
        memory: &Self::Memory,
        sets: &[Set],
        monitor: &Monitor,
    ) -> Result<(), String>;

    /// What an item is in the words, where its text does not say.
    fn show_item(_: Self::Item) -> String {
        String::new()
    }

    /// An access of a thread that knew this, as a text.
    fn show_access(world: &Self::World, before: &Self::Locals, access: &Self::Access) -> String;

    /// The words, by their numbers.
    fn show_words(world: &Self::World, memory: &Self::Memory) -> Vec<(usize, String)>;
}

/// A newcomer makes a whole call while all others stand still.
///
/// # Errors
///
/// That it does not return in so many steps.
pub fn alone<M: Machine>(
    world: &M::World,
    memory: &mut M::Memory,
    thread: usize,
    call: &CallOf<M>,
    steps: usize,
) -> Result<M::Answer, String> {
    let mut locals = M::locals(world, call);
    (0..steps)
        .find_map(|_| M::step(world, memory, &mut locals, thread, call).answer)
        .ok_or_else(|| format!("a newcomer's {} never returns", call.kind.name()))
}
