//! The exploration: every interleaving of a program, depth first.
//!
//! There is no bound on preemptions and no reduction: from each state every thread that is under way makes its
//! next step. States are remembered by a hash of 128 bits ([`state`](crate::explore) says at what risk).
//!
//! **Progress.** No step waits, so a schedule ends only when all calls have returned. A state says how many calls
//! each thread has finished, so a way from a state back to itself is a schedule in which threads step for ever
//! and no call returns: the exploration fails if there is one, or if it comes deeper than `DEEPEST`, as it does
//! if the numbers of uses and versions grow without end. If there is none, the states are finitely many and in no
//! circle: every schedule of the program ends, fair or not, whichever threads are stopped and whenever. So in it
//! the protocol is lock-free, and from every state a thread that runs alone finishes its call. The longest
//! schedule is known exactly. (That each call of a finite program returns says nothing about a call among
//! endlessly many others: none is claimed to be wait-free.)
//!
//! **Death.** A thread that stops for good leaves no trace but that it steps no more. So each state is also one in
//! which any of the threads under way are dead, and what holds in every state holds after every death. What the
//! dead leave behind for those who come later is the matter of the audits.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::machine::{AnswerOf, Machine, Shown, Thread, View, World};
use crate::monitor::{Monitor, Set, THREADS};
use crate::notation::{Answer, CallOf, Program};
use crate::replay::{Locals, Run};

/// Deeper than the exploration of any program comes that ends.
const DEEPEST: usize = 4_000;

/// How an exploration is done.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// States after which it is cut short.
    pub states: usize,
    /// Whether, in each state, all threads die and a newcomer audits the table.
    pub audit: bool,
}

impl Limits {
    /// So many states, in which nobody dies.
    pub const fn all(states: usize) -> Self {
        let audit = false;
        Self { states, audit }
    }

    /// So many states, in each of which all die.
    pub const fn deaths(states: usize) -> Self {
        let audit = true;
        Self { states, audit }
    }
}

/// What an exploration found.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Distinct states.
    pub states: usize,
    /// Steps from one to another.
    pub transitions: usize,
    /// Steps of the longest schedule; of those seen, if it was cut short.
    pub longest: usize,
    /// Tables that a newcomer audited.
    pub audits: usize,
    /// How it ended.
    pub end: End,
}

/// How an exploration ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// All states have been seen.
    Complete,
    /// There are more than it was allowed to see.
    CutShort,
    /// A schedule, as the number of the thread at each step, and what is wrong at its end.
    Failure(Vec<u8>, String),
}

/// The states that have been visited, by their hashes: the number of steps of the longest schedule from there, or `ON_PATH`.
type Visited = HashMap<u128, u16>;

/// The mark of a state on the path that is being followed.
const ON_PATH: u16 = u16::MAX;

/// A state on the path, and the thread that steps next.
struct Frame<M: Machine> {
    state: State<M>,
    hash: u128,
    next: usize,
    /// Steps of the longest schedule from here that is known.
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
        // Each frame but the last has taken the step before its `next` to the one above it.
        let below = &path[..path.len() - 1];
        let steps = below.iter().map(|frame| frame.next as u8 - 1);
        found.end = End::Failure(steps.chain([last as u8]).collect(), why);
    }
    found
}

/// Views a program has at most.
pub(crate) const VIEWS: usize = 31;

/// Everything that decides how an exploration can go on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct State<M: Machine> {
    pub memory: M::Memory,
    pub threads: [Thread; THREADS],
    sets: [Set; VIEWS],
    /// The hashes of the parts, each of a family of its own: a step changes but two or three.
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

/// The hash of a part, one of a family. States are remembered by their hashes alone. With `n` states the chance that two of
/// them are taken for one is about `n^2 / 2^129`: for a thousand million states, one in 10^20.
fn hash(family: usize, part: &impl Hash) -> u128 {
    let mut hasher = SipHasher13::new_with_keys(family as u64, 0);
    part.hash(&mut hasher);
    hasher.finish128().as_u128()
}

impl<M: Machine> State<M> {
    /// By which it is remembered: the hashes of its parts.
    pub(crate) fn hash(&self) -> u128 {
        self.hashes.iter().fold(0, |all, part| all ^ part)
    }

    pub(crate) fn is_under_way(&self, thread: usize) -> bool {
        !self.threads[thread].ended
    }
}

impl<'a, M: Machine> Setting<'a, M> {
    /// A program, on the protocol or on a mutant of it.
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

    /// A thread that has finished so many calls and goes on to the next, if there is one.
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

    /// Lets a thread make one step. What is wrong with the state that it leads to comes with it.
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
        let (made, answer) = Run::<M>::step(
            world,
            &mut state.memory,
            &mut thread.locals,
            who,
            self.shows,
        );
        let wrote = made.wrote;
        let mut verdict = made.fault.map_or(Ok(()), |fault| Err(fault.into()));
        if let Some(answer) = answer {
            *thread = self.before(id, finished + 1);
            if M::ends(world, &call, answer) {
                thread.ended = true;
            }
            verdict = verdict.and_then(|()| self.explain(state, monitor, id, &call, answer));
        }
        let shown = Shown {
            thread: id,
            begun: (!begun).then_some(call),
            made,
            answer,
        };
        let under_way = state.threads.iter().zip(&self.program.threads);
        let under_way = under_way.filter(|(thread, _)| thread.begun);
        let under_way = under_way.map(|(thread, calls)| &calls[usize::from(thread.finished)]);
        let followed = M::follow(world, &mut state.memory, &shown, under_way);
        verdict = verdict.and(followed);
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

    /// Whether some order of the calls explains an answer, and the program expects it.
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

    /// What must hold in every state: the tokens are inserts minus removes, and what the machine says besides.
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
        let left = M::left_on(&self.world, &state.memory);
        let found = left.iter().find(|(is_left, _)| *is_left);
        found.map_or(Ok(()), |(_, what)| Err((*what).into()))
    }

    pub(crate) fn after_death(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        M::after_death(&self.world, &state.memory, &state.sets, monitor)
    }
}
