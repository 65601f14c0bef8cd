//! The exploration: visits every interleaving of a program, depth first.
//!
//! Preemptions are not bounded and no interleaving is skipped: from each state, every thread with a
//! call under way makes its next step. States are remembered by a hash of 128 bits
//! ([`state`](crate::explore) states the risk).
//!
//! **Progress.** No step waits, so a schedule ends only when all calls have returned. A state
//! includes the number of calls that each thread has finished, so a path from a state back to
//! itself is a schedule in which threads step forever and no call returns. The exploration fails if
//! there is such a path, or if it gets deeper than `DEEPEST`, as it does if the numbers of uses and
//! versions grow without end. If there is none, the states are finitely many without a cycle: every
//! schedule of the program ends, fair or not, whichever threads are stopped and whenever. So the
//! protocol is lock-free in this program, and from every state a thread that runs alone finishes
//! its call. The longest schedule is known exactly. (That each call of a finite program returns
//! does not show that a call returns among endlessly many others: none is claimed to be wait-free.)
//!
//! **Death.** A thread that stops permanently has no other effect than making no more steps. So
//! each state is also one in which any of the threads under way are dead, and a property of every
//! state holds after every death. The audits check later calls after a death. If the threads are
//! processes, others can [recover](Kind::Recover) what the dead held: the victim dies when its
//! recoverer takes its first step, so at each of its own accesses, and the others go on meanwhile.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::machine::{self, Machine, Shown, Thread, View};
use crate::monitor::{Monitor, Set, THREADS};
use crate::notation::{Answer, CallOf, Kind, Program, victim};
use crate::replay::Locals;
use crate::types::{AnswerOf, World};

/// Deeper than the exploration of any program that ends.
const DEEPEST: usize = 4_000;

/// The limits of an exploration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The number of states after which it is cut short.
    pub states: usize,
    /// Whether, in each state, all threads die and a new thread audits the table.
    pub audit: bool,
}

impl Limits {
    /// Explores this number of states, without deaths.
    pub const fn all(states: usize) -> Self {
        let audit = false;
        Self { states, audit }
    }

    /// Explores this number of states, with the death of all threads in each.
    pub const fn deaths(states: usize) -> Self {
        let audit = true;
        Self { states, audit }
    }
}

/// The result of an exploration.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// The number of distinct states.
    pub states: usize,
    /// The number of steps from one to another.
    pub transitions: usize,
    /// The number of steps of the longest schedule; of those seen, if it was cut short.
    pub longest: usize,
    /// The number of tables that a new thread audited.
    pub audits: usize,
    /// The way in which it ended.
    pub end: End,
}

/// The way in which an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All states have been seen.
    Complete,
    /// There are more states than the limit.
    CutShort,
    /// A failing schedule, as the number of the thread at each step, and the error at its end.
    Failure(Vec<u8>, String),
}

/// The visited states, by their hashes: the number of steps of the longest schedule from there, or
/// `ON_PATH`.
type Visited = HashMap<u128, u16>;

/// The mark of a state on the current path.
const ON_PATH: u16 = u16::MAX;

/// A state on the path, and the thread that steps next.
struct Frame<M: Machine> {
    state: State<M>,
    hash: u128,
    next: usize,
    /// The number of steps of the longest known schedule from here.
    ahead: u16,
}

/// Explores all interleavings of a program.
pub(crate) fn explore<M: Machine>(
    setting: &Setting<'_, M>,
    limits: Limits,
    monitor: &mut Monitor,
) -> Found {
    let mut visited = Visited::default();
    let state = setting.start(monitor);
    let hash = state.hash();
    visited.insert(hash, ON_PATH);
    let mut path = vec![Frame {
        state,
        hash,
        next: 0,
        ahead: 0,
    }];
    let mut found = Found {
        states: 0,
        transitions: 0,
        longest: 0,
        audits: 0,
        end: End::Complete,
    };
    let failure = loop {
        let Some(frame) = path.last_mut() else {
            break None;
        };
        let ready = (frame.next..THREADS).find(|&thread| frame.state.is_under_way(thread));
        let Some(thread) = ready else {
            let ahead = frame.ahead;
            visited.insert(frame.hash, ahead);
            path.pop();
            match path.last_mut() {
                Some(parent) => parent.ahead = parent.ahead.max(ahead + 1),
                None => found.longest = ahead.into(),
            }
            continue;
        };
        frame.next = thread + 1;
        let mut state = frame.state;
        let mut verdict = setting.step(&mut state, monitor, thread).1;
        found.transitions += 1;
        let hash = state.hash();
        let entry = visited.entry(hash);
        let is_new = matches!(entry, Entry::Vacant(_));
        match *entry.or_insert(ON_PATH) {
            _ if is_new => {}
            ON_PATH => {
                verdict = verdict.and(Err("threads step for ever and no call returns".into()));
            }
            ahead => frame.ahead = frame.ahead.max(ahead + 1),
        }
        if verdict.is_ok() && is_new {
            if (0..THREADS).all(|thread| !state.is_under_way(thread)) {
                verdict = setting.check_end(&state, monitor);
            } else if limits.audit {
                found.audits += 1;
                verdict = setting.after_death(&state, monitor);
            }
            if path.len() >= DEEPEST {
                verdict = verdict.and(Err(format!("no end after {DEEPEST} steps")));
            }
        }
        if let Err(why) = verdict {
            break Some((thread, why));
        }
        if is_new {
            path.push(Frame {
                state,
                hash,
                next: 0,
                ahead: 0,
            });
            if visited.len() >= limits.states {
                found.end = End::CutShort;
                found.longest = path.len() - 1;
                break None;
            }
        }
    };
    found.states = visited.len();
    if let Some((last, why)) = failure {
        // The step of each frame but the last, before its `next`, led to the frame above.
        let below = &path[..path.len() - 1];
        let steps = below.iter().map(|frame| frame.next as u8 - 1);
        found.end = End::Failure(steps.chain([last as u8]).collect(), why);
    }
    found
}

/// The most views of a program.
pub(crate) const VIEWS: usize = 31;

/// The whole state of an exploration: it determines all further steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<M: Machine> {
    pub memory: M::Memory,
    pub threads: [Thread; THREADS],
    sets: [Set; VIEWS],
    /// The hashes of the parts, each of a family of its own: a step changes only two or three.
    hashes: [u128; THREADS + 2],
}

/// A program ready to run.
#[derive(Debug)]
pub(crate) struct Setting<'a, M: Machine> {
    pub program: &'a Program<M>,
    pub world: World<M>,
    pub shows: bool,
}

const MEMORY: usize = THREADS;
const SETS: usize = THREADS + 1;

/// Returns the hash of a part, in one family. States are remembered by their hashes alone. With `n`
/// states the probability that two of them have the same hash is about `n^2 / 2^129`: for a
/// thousand million states, one in 10^20.
fn hash(family: usize, part: &impl Hash) -> u128 {
    let mut hasher = SipHasher13::new_with_keys(family as u64, 0);
    part.hash(&mut hasher);
    hasher.finish128().as_u128()
}

impl<M: Machine> State<M> {
    /// Returns the hash that identifies the state: a combination of those of its parts.
    pub(crate) fn hash(&self) -> u128 {
        self.hashes.iter().fold(0, |all, part| all ^ part)
    }

    pub(crate) fn is_under_way(&self, thread: usize) -> bool {
        !self.threads[thread].ended && !M::is_dead(&self.memory, thread)
    }
}

impl<'a, M: Machine> Setting<'a, M> {
    /// Prepares a program, on the protocol or on a mutant of it.
    pub(crate) fn new(program: &'a Program<M>, mutant: Option<M::Mutant>) -> Self {
        let world = World::new(program, mutant);
        Self {
            program,
            world,
            shows: false,
        }
    }

    pub(crate) fn start(&self, monitor: &mut Monitor) -> State<M> {
        let memory = M::memory(self.program).expect("the tokens of a program fit");
        let tokens = M::tokens(&self.world, &memory).expect("a table without references");
        let mut state = State {
            memory,
            threads: std::array::from_fn(|id| self.before(id, 0)),
            sets: [0; VIEWS],
            hashes: [0; _],
        };
        let views = M::views(&self.world);
        assert!(views.len() <= VIEWS, "the machine counts its items");
        for (set, view) in state.sets.iter_mut().zip(views) {
            *set = monitor.start(view.number(&tokens).into());
        }
        for id in 0..THREADS {
            state.hashes[id] = hash(id, &state.threads[id]);
        }
        state.hashes[MEMORY] = hash(MEMORY, &state.memory);
        state.hashes[SETS] = self.hash_of_sets(&state);
        state
    }

    fn hash_of_sets(&self, state: &State<M>) -> u128 {
        hash(SETS, &&state.sets[..M::views(&self.world).len()])
    }

    /// Returns a thread that has finished this number of calls and continues with the next, if
    /// there is one.
    fn before(&self, id: usize, finished: u8) -> Thread {
        let calls = self.program.threads.get(id);
        let next = calls.and_then(|calls| calls.get(usize::from(finished)));
        Thread {
            finished,
            begun: false,
            ended: next.is_none(),
            locals: Locals::default(),
        }
    }

    /// Lets a thread make one step. Returns an error if the new state is wrong.
    pub(crate) fn step(
        &self,
        state: &mut State<M>,
        monitor: &mut Monitor,
        id: usize,
    ) -> (Shown<M>, Result<(), String>) {
        let world = &self.world;
        let Thread {
            finished, begun, ..
        } = state.threads[id];
        let call = self.program.threads[id][usize::from(finished)];
        if !begun {
            self.begin(state, monitor, id, &call);
        }
        let thread = &mut state.threads[id];
        thread.begun = true;
        let who = (id, &call);
        let (made, answer) = machine::step(
            world,
            &mut state.memory,
            &mut thread.locals,
            who,
            self.shows,
        );
        let wrote = made.wrote;
        let mut verdict = Ok(());
        if let Some(answer) = answer {
            *thread = self.before(id, finished + 1);
            verdict = self.explain(state, monitor, id, &call, answer);
            if call.kind == Kind::Recover {
                for set in &mut state.sets[..M::views(world).len()] {
                    monitor.over(set, victim(id));
                }
            }
        }
        let shown = Shown {
            begun: (!begun).then_some(call),
            made,
            answer,
        };
        state.hashes[id] = hash(id, &state.threads[id]);
        let told = !begun || answer.is_some();
        if told {
            state.hashes[SETS] = self.hash_of_sets(state);
        }
        if told || wrote {
            state.hashes[MEMORY] = hash(MEMORY, &state.memory);
        }
        if wrote {
            verdict = verdict.and_then(|()| self.check(state, monitor));
        }
        (shown, verdict)
    }

    pub(crate) fn begin(
        &self,
        state: &mut State<M>,
        monitor: &mut Monitor,
        id: usize,
        call: &CallOf<M>,
    ) {
        for (view, set) in M::views(&self.world).iter().zip(&mut state.sets) {
            if let Some(role) = view.role(&self.world, call) {
                monitor.call(set, id, role);
            }
        }
    }

    /// Checks that some order of the calls explains an answer, and that the program expects it.
    pub(crate) fn explain(
        &self,
        state: &mut State<M>,
        monitor: &mut Monitor,
        id: usize,
        call: &CallOf<M>,
        answer: AnswerOf<M>,
    ) -> Result<(), String> {
        let world = &self.world;
        let mut views = M::views(world).iter().zip(&mut state.sets);
        let explained = M::is_known(world, call, answer)
            && views.all(|(view, set)| {
                view.role(world, call).is_none()
                    || monitor.answer(set, id, view.told(world, call, answer))
            });
        if !explained {
            return Err(format!(
                "no order of the calls explains that {} returned {answer}",
                call.kind.name()
            ));
        }
        if call
            .expected
            .is_some_and(|expected| (answer == Answer::Bool(true)) != expected)
        {
            let name = call.kind.name();
            return Err(format!("{name} returned {answer}, which it must not here"));
        }
        Ok(())
    }

    /// Checks the properties of every state: the tokens are inserts minus removes, and the
    /// machine's own properties.
    fn check(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        let world = &self.world;
        let tokens = M::tokens(world, &state.memory)?;
        for (view, &set) in M::views(world).iter().zip(&state.sets) {
            let number = view.number(&tokens);
            if !monitor.allows(set, number.into()) {
                let counted = view.name(world);
                return Err(format!(
                    "{number} tokens {counted} are not inserts minus removes"
                ));
            }
        }
        let under_way = state.threads.iter().filter(|thread| thread.begun).count();
        M::check(world, &state.memory, &tokens, under_way)
    }

    pub(crate) fn check_end(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        self.check(state, monitor)?;
        machine::check_left_on::<M>(&self.world, &state.memory)
    }

    pub(crate) fn after_death(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        M::after_death(&self.world, &state.memory, &state.sets, monitor)
    }
}
