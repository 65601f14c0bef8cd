//! A state of an exploration of a table: the memory, the threads, and the monitors of the items.

use super::audit;
use super::geometry::{Class, level_of};
use super::machine::{Answer, Run, World};
use super::matching::matches;
use super::memory::{Access, Kind, Memory};
use super::mutants::Mutant;
use super::program::{self, Call, ITEMS, Program};
use super::thread::Thread;
use super::views;
use super::word::Word;
use crate::explore::Explored;
use crate::hash::hash;
use crate::memory::THREADS;
use crate::monitor::{Monitor, Set};

/// Everything that decides how an exploration can go on.
#[derive(Clone, Copy, Debug)]
pub struct State {
    /// What all share.
    pub memory: Memory,
    /// What each knows.
    pub threads: [Thread; THREADS],
    sets: [Set; ITEMS],
    /// How often each item has been in at each moment of the scan that is under way, by the thread that makes it.
    throughout: [[u8; ITEMS]; THREADS],
    hashes: [u128; THREADS + 2],
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
pub struct Shown {
    /// Whose step it is.
    pub thread: usize,
    /// The call, if this is its first step.
    pub begun: Option<Call>,
    /// The access that it made.
    pub access: Option<Access>,
    /// What the call returned, if this was its last step.
    pub answer: Option<Answer>,
}

const MEMORY: usize = THREADS;
const SETS: usize = THREADS + 1;

impl<'a> Setting<'a> {
    /// A program, on the protocol or on a mutant of it.
    pub fn new(program: &'a Program, mutant: Option<Mutant>) -> Self {
        let world = World::new(program, mutant);
        Self { program, world }
    }

    /// Makes a step, and says what it was.
    pub fn shown(
        &self,
        state: &mut State,
        monitor: &mut Monitor,
        id: usize,
    ) -> (Shown, Result<(), String>) {
        let world = &self.world;
        let thread = &mut state.threads[id];
        let call = self.program.threads[id][usize::from(thread.finished)];
        let sets = &mut state.sets[..world.items.len()];
        let begun = !thread.has_begun();
        if begun {
            views::call(world, monitor, sets, id, &call);
            if call.kind == program::Kind::Snapshot {
                state.throughout[id] = state.memory.items;
            }
        }
        let (run, answer) = Run::step(world, &mut state.memory, thread, id, &call);
        let (access, wrote, fault) = (run.access, run.wrote, run.fault);
        let mut verdict = fault.map_or(Ok(()), |fault| Err(fault.into()));
        if let Some(answer) = answer {
            let name = call.kind.name();
            if !views::answer(world, monitor, sets, id, &call, answer) {
                let why = format!("no order of the calls explains that {name} returned {answer}");
                verdict = verdict.and(Err(why));
            }
            let success = answer == Answer::Bool(true);
            if call.expected.is_some_and(|expected| success != expected) {
                let why = format!("{name} returned {answer}, which it must not here");
                verdict = verdict.and(Err(why));
            }
            if let (Answer::Copy(copy), true) = (answer, world.contract) {
                let copy: Vec<Class> = copy.iter().collect();
                if !matches(&world.items, &state.throughout[id], &copy) {
                    let why = "a copy has no token for an item that was in throughout";
                    verdict = verdict.and(Err(why.into()));
                }
            }
            state.throughout[id] = [0; ITEMS];
            let finished = thread.finished + 1;
            // Who is refused owns nothing that it could remove.
            let refused =
                world.contract && call.kind.has_item() && !call.kind.has_side() && !success;
            let ended = refused || usize::from(finished) == self.program.threads[id].len();
            *thread = Thread::before(finished, ended);
        }
        if world.contract {
            self.watch_what_stays(state);
        }
        state.hashes[id] = hash(id as u64, &state.threads[id]);
        if begun || answer.is_some() || wrote {
            state.hashes[SETS] = hash(SETS as u64, &(state.sets, state.throughout));
        }
        if wrote {
            state.hashes[MEMORY] = hash(MEMORY as u64, &state.memory);
            verdict = verdict.and_then(|()| self.check(state, monitor));
        }
        let shown = Shown {
            thread: id,
            begun: begun.then_some(call),
            access,
            answer,
        };
        (shown, verdict)
    }

    /// Notes for each scan which items are still in. Where a remove is under way, it may be explained as over.
    fn watch_what_stays(&self, state: &mut State) {
        let mut stays = state.memory.items;
        for (thread, calls) in state.threads.iter().zip(&self.program.threads) {
            let call = calls.get(usize::from(thread.finished));
            let removes = call.filter(|call| call.kind == program::Kind::Remove);
            if let (Some(call), true) = (removes, thread.has_begun()) {
                let stays = &mut stays[usize::from(self.world.id_of(call.item))];
                *stays = stays.saturating_sub(1);
            }
        }
        for throughout in &mut state.throughout {
            for (least, now) in throughout.iter_mut().zip(&stays) {
                *least = (*least).min(*now);
            }
        }
    }

    /// What must hold in every state: the tokens are inserts minus removes, and each item that is in can have one.
    fn check(&self, state: &State, monitor: &Monitor) -> Result<(), String> {
        let world = &self.world;
        let tokens = tokens(world, &state.memory)?;
        for (&item, &set) in world.items.iter().zip(&state.sets) {
            let number = views::number(item, tokens.iter().copied());
            if !monitor.allows(set, number.into()) {
                return Err(format!(
                    "{number} tokens that cover {item} are not inserts minus removes"
                ));
            }
        }
        if world.contract {
            let items = state.memory.items.iter().map(|&number| usize::from(number));
            if items.sum::<usize>() != tokens.len() {
                return Err("there are not as many tokens as items".into());
            }
            if !matches(&world.items, &state.memory.items, &tokens) {
                return Err("an item that is in has no token".into());
            }
        }
        Ok(())
    }
}

/// The classes of all tokens: those in the live words. What a split has frozen is the truth until the word is gone.
fn tokens(world: &World, memory: &Memory) -> Result<Vec<Class>, String> {
    let mut tokens = Vec::new();
    for table in 0..usize::from(memory.tables) {
        let level = memory.hints[table].level;
        let mut next: Vec<u8> = (1 << level..2 << level).collect();
        while let Some(number) = next.pop() {
            let word = memory.words[usize::from(number)];
            let content = if word.is_reference() {
                let (index, uses) = word.named();
                let descriptor = memory.descriptors[index];
                if descriptor.uses != uses {
                    return Err(format!("word {number} is frozen by a use that is over"));
                }
                match descriptor.transfer.kind {
                    Kind::Split => descriptor.transfer.old_source,
                    _ => descriptor.transfer.content(number),
                }
            } else {
                word
            };
            match content {
                Word::GONE if level_of(number) > level => {
                    return Err(format!("word {number} is split too early"));
                }
                Word::GONE => next.extend([2 * number, 2 * number + 1]),
                Word::UNBORN => return Err(format!("word {number} is live, and not there")),
                word => tokens.extend(word.classes(world.levels_at(number), number)),
            }
        }
    }
    Ok(tokens)
}

impl Explored for Setting<'_> {
    type State = State;

    fn start(&self, monitor: &mut Monitor) -> State {
        let memory = self.program.memory().expect("the tokens of a program fit");
        let calls = |id| self.program.threads.get(id).map_or(0, Vec::len);
        let threads = std::array::from_fn(|id| Thread::before(0, calls(id) == 0));
        let tokens = tokens(&self.world, &memory).expect("a table without references");
        let mut sets = [0; ITEMS];
        for (set, &item) in sets.iter_mut().zip(&self.world.items) {
            *set = monitor.start(views::number(item, tokens.iter().copied()).into());
        }
        let throughout = [[0; ITEMS]; THREADS];
        let mut hashes = [0; THREADS + 2];
        for (id, thread) in threads.iter().enumerate() {
            hashes[id] = hash(id as u64, thread);
        }
        hashes[MEMORY] = hash(MEMORY as u64, &memory);
        hashes[SETS] = hash(SETS as u64, &(sets, throughout));
        State {
            memory,
            threads,
            sets,
            throughout,
            hashes,
        }
    }

    fn hash(&self, state: &State) -> u128 {
        state.hashes.iter().fold(0, |all, part| all ^ part)
    }

    fn is_under_way(&self, state: &State, thread: usize) -> bool {
        !state.threads[thread].ended
    }

    fn step(&self, state: &mut State, monitor: &mut Monitor, thread: usize) -> Result<(), String> {
        self.shown(state, monitor, thread).1
    }

    fn check_end(&self, state: &State, monitor: &Monitor) -> Result<(), String> {
        self.check(state, monitor)?;
        let frozen = state.memory.words.iter().any(|word| word.is_reference());
        let scanned = state.memory.stripes.iter().any(|stripe| stripe.scanned);
        match (
            frozen,
            scanned || state.memory.scan.taken,
            state.memory.epoch.pinned,
        ) {
            (true, ..) => Err("a word is left frozen".into()),
            (_, true, _) => Err("a scan is left on".into()),
            (_, _, 1..) => Err("a thread is left pinned".into()),
            _ => Ok(()),
        }
    }

    fn after_death(&self, state: &State, monitor: &Monitor) -> Result<(), String> {
        audit::after_death(&self.world, &state.memory, &state.sets, monitor)
    }
}
