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

use std::fmt;
use std::thread;

use lockfree_cuckoo::SnapshotError;
use lockfree_cuckoo::testing::hooks::stepping;
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use step_tests::{At, Led};

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
        let (of_victims, of_others) = logs.split_at(self.victims.len());
        let clock = &clock;
        let (reached, verdict) = thread::scope(|scope| {
            let mut victims = Vec::new();
            for (victim, log) in self.victims.iter().zip(of_victims) {
                let requests = victim.requests.iter();
                let suffer =
                    move || requests.for_each(|&request| log.perform(self.stage, clock, request));
                let mut led = Led::hooked(scope, self.hook(victim), suffer);
                if self.at_once.is_none() {
                    led.wait();
                }
                victims.push(led);
            }
            let others = (0..).zip(of_others);
            let others: Vec<_> = others
                .map(|(number, log)| scope.spawn(move || self.work(number, log, clock)))
                .collect();
            let panics = others.into_iter().filter_map(|other| other.join().err());
            let panics = panics.count();
            if self.at_once.is_some() {
                victims.iter_mut().for_each(Led::wait);
            }
            let verdict = match (panics, self.others) {
                (0, 0) => Ok(()),
                (0, _) => self.judge(&logs),
                _ => Err("a thread panicked".into()),
            };
            // Whatever the verdict: the end of the scope waits for them.
            let ended = victims.into_iter().map(|victim| {
                let parked = victim.has_stopped();
                victim.result().is_none() || parked
            });
            (ended.collect::<Vec<bool>>(), verdict)
        });
        verdict?;
        let parked = |(victim, &reached): (&Victim, &bool)| reached && victim.stop == Stop::Parks;
        if self.victims.iter().zip(&reached).any(parked) {
            self.judge(&logs)
                .map_err(|why| format!("after those who were parked went on: {why}"))?;
        }
        Ok(reached)
    }

    /// What becomes of a victim.
    fn hook(&self, victim: &Victim) -> impl FnMut(usize) -> At + Send + 'static {
        let (at_step, stop) = (victim.at_step, victim.stop);
        let mut preempt = self.at_once.map(|pace| pace.hook(self.seed));
        move |step| match stop {
            _ if step != at_step => {
                preempt.as_mut().map(|hook| hook(step));
                At::Goes
            }
            Stop::Dies => At::Dies,
            Stop::Parks => At::Stops,
        }
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
        match stage.filter.snapshot() {
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
