//! A state of an exploration: the memory, the threads, and the monitors of the views.

use std::hash::Hash;

use siphasher::sip128::{Hasher128, SipHasher13};

use crate::machine::{AnswerOf, Machine, Shown, Thread, View, World};
use crate::monitor::{Monitor, Set, THREADS};
use crate::notation::{Answer, CallOf, Program};
use crate::replay::{Locals, Run};

/// Views a program has at most.
pub(crate) const VIEWS: usize = 31;

/// Everything that decides how an exploration can go on.
#[derive(Clone, Copy, Debug)]
pub struct State<M: Machine> {
    pub memory: M::Memory,
    pub threads: [Thread; THREADS],
    sets: [Set; VIEWS],
    /// The hashes of the parts, each of a family of its own: a step changes but two or three.
    hashes: [u128; THREADS + 2],
}

/// A program ready to run.
#[derive(Debug)]
pub struct Setting<'a, M: Machine> {
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
    pub fn hash(&self) -> u128 {
        self.hashes.iter().fold(0, |all, part| all ^ part)
    }

    pub fn is_under_way(&self, thread: usize) -> bool {
        !self.threads[thread].ended
    }
}

impl<'a, M: Machine> Setting<'a, M> {
    /// A program, on the protocol or on a mutant of it.
    pub fn new(program: &'a Program<M>, mutant: Option<M::Mutant>) -> Self {
        let world = World::new(program, mutant);
        Self {
            program,
            world,
            shows: false,
        }
    }

    pub fn start(&self, monitor: &mut Monitor) -> State<M> {
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
    pub fn step(
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

    pub fn begin(&self, state: &mut State<M>, monitor: &mut Monitor, id: usize, call: &CallOf<M>) {
        for (view, set) in M::views(&self.world).iter().zip(&mut state.sets) {
            if let Some(role) = view.role(&self.world, call) {
                monitor.call(set, id, role);
            }
        }
    }

    /// Whether some order of the calls explains an answer, and the program expects it.
    pub fn explain(
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

    pub fn check_end(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        self.check(state, monitor)?;
        let left = M::left_on(&self.world, &state.memory);
        let found = left.iter().find(|(is_left, _)| *is_left);
        found.map_or(Ok(()), |(_, what)| Err((*what).into()))
    }

    pub fn after_death(&self, state: &State<M>, monitor: &Monitor) -> Result<(), String> {
        M::after_death(&self.world, &state.memory, &state.sets, monitor)
    }
}
