//! A state of an exploration: the memory, the threads, and the monitors of the views.

use crate::audit;
use crate::explore::Explored;
use crate::hash::hash;
use crate::machine::{Answer, Run, World};
use crate::memory::{Access, BUCKETS, Memory, SCAN, THREADS};
use crate::monitor::{Monitor, Set};
use crate::mutants::Mutant;
use crate::points::At;
use crate::program::{Operation, Program, TOKENS};
use crate::thread::Thread;
use crate::views::{self, Numbers, VIEWS};

/// Everything that decides how an exploration can go on.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// What all share.
    pub memory: Memory,
    /// What each knows.
    pub threads: [Thread; THREADS],
    sets: [Set; VIEWS],
    /// The hashes of the parts: a step changes but two or three.
    hashes: Hashes,
}

#[derive(Clone, Copy, Debug)]
struct Hashes {
    memory: u128,
    threads: [u128; THREADS],
    sets: u128,
}

/// A program ready to run.
#[derive(Debug)]
pub struct Setting<'a> {
    /// The calls.
    pub program: &'a Program,
    /// What the machine needs to know of it.
    pub world: World,
}

/// What one step did, for those who read a schedule.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// Whose step it is.
    pub thread: usize,
    /// Where the thread stood.
    pub at: At,
    /// The call, if this is its first step.
    pub begun: Option<Operation>,
    /// The access that it made.
    pub access: Option<Access>,
    /// What the call returned, if this was its last step.
    pub answer: Option<Answer>,
}

const MEMORY: u64 = THREADS as u64;
const SETS: u64 = MEMORY + 1;

impl State {
    /// The state before the first step.
    pub fn start(setting: &Setting<'_>, monitor: &mut Monitor) -> Self {
        let Setting { program, world } = setting;
        let memory = program.memory();
        let mut threads = [Thread::default(); THREADS];
        for (thread, calls) in threads.iter_mut().zip(&program.threads) {
            *thread = Thread::before(0, calls.first(), program.shape.layout);
        }
        let mut sets = [0; VIEWS];
        let numbers = numbers(world, &memory).expect("a table without references");
        for (set, view) in sets.iter_mut().zip(&world.views) {
            *set = monitor.start(view.number(&numbers).into());
        }
        let hashes = Hashes {
            memory: hash(MEMORY, &memory),
            threads: std::array::from_fn(|id| hash(id as u64, &threads[id])),
            sets: hash_of_sets(&sets[..world.views.len()]),
        };
        Self {
            memory,
            threads,
            sets,
            hashes,
        }
    }

    /// The hash of the whole: that of its parts, each of a family of its own.
    pub fn hash(&self) -> u128 {
        let parts = self.hashes.threads.iter();
        parts.fold(self.hashes.memory ^ self.hashes.sets, |all, part| {
            all ^ part
        })
    }

    /// Whether a thread has something left to do.
    pub fn is_under_way(&self, thread: usize) -> bool {
        self.threads[thread].at != At::End
    }

    /// Lets a thread make one step.
    ///
    /// # Errors
    ///
    /// What is wrong with the state that it leads to.
    pub fn step(
        &mut self,
        setting: &Setting<'_>,
        monitor: &mut Monitor,
        id: usize,
    ) -> (Step, Result<(), String>) {
        let Setting { program, world } = setting;
        let calls = &program.threads[id];
        let thread = &mut self.threads[id];
        let call = calls[usize::from(thread.finished)];
        let sets = &mut self.sets[..world.views.len()];
        let (at, first) = (thread.at, !thread.begun);
        if first {
            views::call(world, monitor, sets, id, &call);
        }
        let run = Run::step(world, &mut self.memory, thread, id);
        let (answer, access, wrote) = (run.answer, run.access, run.wrote);
        let mut verdict = Ok(());
        if let Some(answer) = answer {
            if !views::answer(world, monitor, sets, id, &call, answer) {
                verdict = Err(format!(
                    "no order of the calls explains that {} returned {answer}",
                    call.kind.name()
                ));
            }
            if call
                .expected
                .is_some_and(|expected| (answer == Answer::Bool(true)) != expected)
            {
                let name = call.kind.name();
                verdict = Err(format!("{name} returned {answer}, which it must not here"));
            }
            let finished = thread.finished + 1;
            let next = calls.get(usize::from(finished));
            *thread = Thread::before(finished, next, world.shape.layout);
        }
        self.hashes.threads[id] = hash(id as u64, thread);
        if first || answer.is_some() {
            self.hashes.sets = hash_of_sets(&self.sets[..world.views.len()]);
        }
        if wrote {
            self.hashes.memory = hash(MEMORY, &self.memory);
            verdict = verdict.and_then(|()| self.check(world, monitor));
        }
        let step = Step {
            thread: id,
            at,
            begun: first.then_some(call),
            access,
            answer,
        };
        (step, verdict)
    }

    /// What must hold in every state: the words are buckets or references to uses that are not over, and the
    /// tokens are inserts minus removes.
    fn check(&self, world: &World, monitor: &Monitor) -> Result<(), String> {
        let numbers = numbers(world, &self.memory)?;
        for (view, &set) in world.views.iter().zip(&self.sets) {
            let tokens = view.number(&numbers);
            if !monitor.allows(set, tokens.into()) {
                return Err(format!(
                    "{tokens} tokens of {} are not inserts minus removes",
                    view.name(world)
                ));
            }
        }
        let owned = self.memory.descriptors[..world.shape.descriptors].iter();
        let under_way = self.threads.iter().filter(|t| t.begun).count();
        if owned.filter(|descriptor| descriptor.owned).count() > under_way {
            return Err("a descriptor was not given back".into());
        }
        Ok(())
    }

    /// What must hold when all threads have finished.
    pub fn check_end(&self, world: &World, monitor: &Monitor) -> Result<(), String> {
        self.check(world, monitor)?;
        let layout = world.shape.layout;
        let frozen = self.memory.words.iter().any(|&w| layout.is_reference(w));
        let scanned = self.memory.stripes.iter().any(|stripe| stripe & SCAN != 0);
        match (frozen, scanned, self.memory.scanning) {
            (true, ..) => Err("a word is left frozen".into()),
            (_, true, _) => Err("a stripe still says that a scan is on".into()),
            (_, _, true) => Err("the right to scan was not given back".into()),
            _ => Ok(()),
        }
    }

    /// The monitors of the views.
    pub fn sets(&self) -> &[Set] {
        &self.sets
    }
}

fn hash_of_sets(sets: &[Set]) -> u128 {
    hash(SETS, &sets)
}

/// How many of each token that the program knows the words hold logically.
fn numbers(world: &World, memory: &Memory) -> Result<Numbers, String> {
    let layout = world.shape.layout;
    let mut numbers = [0; TOKENS];
    for number in 0..BUCKETS.min(world.shape.buckets) {
        let content = memory
            .content(layout, number)
            .ok_or_else(|| format!("word {number} is frozen by a use that is over"))?;
        if !layout.is_packed(content) {
            return Err(format!(
                "word {number} is no packed bucket: {content:#018x}"
            ));
        }
        for token in layout.tokens(content) {
            let known = world
                .token_of(number as u8, token)
                .ok_or_else(|| format!("word {number} holds {token:x}, which nobody inserted"))?;
            numbers[known] += 1;
        }
    }
    Ok(numbers)
}

impl<'a> Setting<'a> {
    /// A program, on the protocol or on a mutant of it.
    pub fn new(program: &'a Program, mutant: Option<Mutant>) -> Self {
        let world = World::new(program, mutant);
        Self { program, world }
    }
}

impl Explored for Setting<'_> {
    type State = State;

    fn start(&self, monitor: &mut Monitor) -> State {
        State::start(self, monitor)
    }

    fn hash(&self, state: &State) -> u128 {
        state.hash()
    }

    fn is_under_way(&self, state: &State, thread: usize) -> bool {
        state.is_under_way(thread)
    }

    fn step(&self, state: &mut State, monitor: &mut Monitor, thread: usize) -> Result<(), String> {
        state.step(self, monitor, thread).1
    }

    fn check_end(&self, state: &State, monitor: &Monitor) -> Result<(), String> {
        state.check_end(&self.world, monitor)
    }

    fn after_death(&self, state: &State, monitor: &Monitor) -> Result<(), String> {
        audit::after_death(&self.world, state, monitor)
    }
}

/// Runs one schedule.
pub fn replay(program: &Program, mutant: Option<Mutant>, schedule: &[u8]) -> (Vec<Step>, State) {
    let setting = Setting::new(program, mutant);
    let monitor = &mut Monitor::default();
    let mut state = State::start(&setting, monitor);
    let step = |&thread: &u8| state.step(&setting, monitor, thread.into()).0;
    let steps = schedule.iter().map(step).collect();
    (steps, state)
}
