//! A scene: some threads stop at a given step, for good, and others must get their work done.
//!
//! What is demanded, whatever the step:
//!
//! 1. The others finish a fixed number of calls.
//! 2. Some order explains all that they saw, with the calls of those who stopped placed somewhere or left out;
//!    so nothing is lost and nothing invented.
//! 3. Each who stopped costs one descriptor at most: with one more than there are such threads, relocations
//!    still succeed.
//! 4. `len` is wrong by one at most for each who stopped.
//! 5. A snapshot can be taken, unless one who stopped was taking one, and it holds what the table holds.
//! 6. If those who were parked go on after all, long overtaken, then all of this still holds, exactly.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use lockfree_cuckoo::SnapshotError;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::calls::{Action, Clock, Log, Pending, Request};
use super::explanation::History;
use super::run::Pace;
use super::stage::Stage;

/// How a thread stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    Dies,
    /// It is held until the verdict on the others is in.
    Parks,
}

impl fmt::Display for Stop {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Dies => "die",
            Self::Parks => "be parked",
        })
    }
}

/// A thread that stops.
#[derive(Clone, Debug)]
pub(crate) struct Victim {
    pub(crate) requests: Vec<Request>,
    pub(crate) stop: Stop,
    pub(crate) at_step: usize,
}

pub(crate) struct Scene<'a> {
    /// With one descriptor more than there are victims.
    pub(crate) stage: &'a Stage,
    pub(crate) victims: &'a [Victim],
    /// How all are preempted, if they start at once. Otherwise the victims stop one after the other, and then the
    /// others start.
    pub(crate) at_once: Option<Pace>,
    /// If there are none, those who are parked go on in the order in which they came, and nothing is judged
    /// before they are done.
    pub(crate) others: usize,
    /// Of each of the others.
    pub(crate) calls: usize,
    /// Decides what they are.
    pub(crate) seed: u64,
}

const ACTIONS: [Action; 8] = [
    Action::Insert,
    Action::Insert,
    Action::InsertUnique,
    Action::Remove,
    Action::Remove,
    Action::Contains,
    Action::Count,
    Action::Relocate,
];

/// A request for anything but a snapshot.
pub(crate) fn any_request(stage: &Stage, rng: &mut SmallRng) -> Request {
    Request {
        action: ACTIONS[rng.random_range(0..ACTIONS.len())],
        class: rng.random_range(0..stage.actors()),
        order: rng.random_range(0..2),
    }
}

impl Scene<'_> {
    /// Whether each victim came to its step.
    ///
    /// Those who die stay dead; those who are parked go on when the others have been judged.
    pub(crate) fn play(&self) -> Result<Vec<bool>, String> {
        let clock = Clock::default();
        let logs: Vec<Log> = (0..self.victims.len() + self.others)
            .map(|_| Log::default())
            .collect();
        let gates: Vec<Arc<Gate>> = self.victims.iter().map(|_| Arc::default()).collect();
        let (of_victims, of_others) = logs.split_at(self.victims.len());
        let (reached, verdict) = thread::scope(|scope| {
            let mut victims = Vec::new();
            for ((victim, log), gate) in self.victims.iter().zip(of_victims).zip(&gates) {
                let clock = &clock;
                victims.push(scope.spawn(move || self.suffer(victim, log, clock, gate)));
                if self.at_once.is_none() {
                    gate.wait();
                }
            }
            let others: Vec<_> = of_others
                .iter()
                .enumerate()
                .map(|(number, log)| {
                    let clock = &clock;
                    scope.spawn(move || self.work(number, log, clock))
                })
                .collect();
            let panics: Vec<_> = others.into_iter().filter_map(|o| o.join().err()).collect();
            gates.iter().for_each(|gate| gate.wait());
            let verdict = if !panics.is_empty() {
                Err("a thread panicked".into())
            } else if self.others > 0 {
                self.judge(&logs)
            } else {
                Ok(())
            };
            // Whatever the verdict: the end of the scope waits for them.
            if self.at_once.is_some() {
                gates.iter().for_each(|gate| gate.open());
            }
            let released = victims.into_iter().zip(&gates).map(|(victim, gate)| {
                gate.open();
                victim.join().ok()
            });
            let reached: Option<Vec<bool>> = released.collect();
            (reached, verdict)
        });
        verdict?;
        let reached = reached.ok_or("a victim panicked")?;
        let parked = |(victim, &reached): (&Victim, &bool)| reached && victim.stop == Stop::Parks;
        if self.victims.iter().zip(&reached).any(parked) {
            self.judge(&logs)
                .map_err(|why| format!("after those who were parked went on: {why}"))?;
        }
        Ok(reached)
    }

    fn suffer(&self, victim: &Victim, log: &Log, clock: &Clock, gate: &Arc<Gate>) -> bool {
        let reached = Rc::new(Cell::new(false));
        // Also if this thread panics: nobody is to wait for it.
        let _still = Stillness {
            gate,
            parked: (victim.stop == Stop::Parks).then(|| Rc::clone(&reached)),
        };
        let hook = {
            let (reached, gate) = (Rc::clone(&reached), Arc::clone(gate));
            let (at_step, stop) = (victim.at_step, victim.stop);
            let mut preempt = self.at_once.map(|pace| pace.hook(self.seed));
            move |step| {
                if step != at_step {
                    return preempt.as_mut().map_or(Fate::Goes, |hook| hook(step));
                }
                reached.set(true);
                match stop {
                    Stop::Dies => Fate::Dies,
                    Stop::Parks => {
                        gate.park();
                        Fate::Goes
                    }
                }
            }
        };
        let requests = victim.requests.iter();
        stepping(hook, || {
            requests.for_each(|&request| log.perform(self.stage, clock, request));
        });
        reached.get()
    }

    fn work(&self, number: usize, log: &Log, clock: &Clock) {
        let seed = mix(self.seed ^ mix(number as u64));
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut work = || {
            for _ in 0..self.calls {
                let mut request = any_request(self.stage, &mut rng);
                // One of them, because one at a time can.
                if number == 0 && rng.random_ratio(1, 8) {
                    request.action = Action::Snapshot;
                }
                log.perform(self.stage, clock, request);
            }
        };
        match self.at_once {
            Some(pace) => drop(stepping(pace.hook(seed), work)),
            None => work(),
        }
    }

    /// Looks at everything while all are still.
    fn judge(&self, logs: &[Log]) -> Result<(), String> {
        let stage = self.stage;
        let entries: Vec<_> = logs.iter().map(Log::read).collect();
        let history = History {
            stage,
            initial: &stage.initial,
            threads: entries.iter().map(|e| e.returned.as_slice()).collect(),
            pending: entries
                .iter()
                .filter_map(|entries| entries.pending)
                .collect(),
        };
        let stopped = history.pending.len();
        let found = stage.audit(&history.explain()?, stopped)?;
        let scanning = |pending: &Pending| pending.request.action == Action::Snapshot;
        match stage.filter.copy() {
            Ok(copy) => {
                let copies = |class| copy.count_hash(stage.hash(class, 0));
                let copied: Vec<usize> = (0..stage.classes()).map(copies).collect();
                if copied != found || copy.len() != found.iter().sum::<usize>() {
                    return Err(format!("there are {found:?}, and the copy has {copied:?}"));
                }
            }
            Err(SnapshotError::Busy) if history.pending.iter().any(scanning) => {}
            Err(error) => return Err(format!("no snapshot with all threads still: {error}")),
        }
        if !stage.can_relocate() {
            return Err(format!(
                "no descriptor is left: {stopped} threads that stopped took more than one each"
            ));
        }
        Ok(())
    }
}

/// Says, at the end, that a thread is still, unless it has been said when it was parked.
struct Stillness<'a> {
    gate: &'a Gate,
    parked: Option<Rc<Cell<bool>>>,
}

impl Drop for Stillness<'_> {
    fn drop(&mut self) {
        if !self.parked.as_ref().is_some_and(|parked| parked.get()) {
            self.gate.arrive();
        }
    }
}

/// Where a thread is parked, and where another waits until it is.
#[derive(Debug, Default)]
struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the thread has stopped, or come to its end.
    still: bool,
    open: bool,
}

impl Gate {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says that the thread is still.
    fn arrive(&self) {
        self.state().still = true;
        self.changed.notify_all();
    }

    /// Stays here until the gate is opened.
    fn park(&self) {
        self.arrive();
        let open = |state: &mut State| !state.open;
        drop(self.changed.wait_while(self.state(), open));
    }

    /// Waits until the thread is still.
    fn wait(&self) {
        let moving = |state: &mut State| !state.still;
        drop(self.changed.wait_while(self.state(), moving));
    }

    /// Lets the thread go on.
    fn open(&self) {
        self.state().open = true;
        self.changed.notify_all();
    }
}
