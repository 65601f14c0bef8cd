//! Filters that grow: histories of a few items while the table doubles, and threads that stop for good in the midst of
//! that.
//!
//! Actors are items that nothing confuses, so the history of each must be linearizable. Extras make the filter
//! grow: each thread has its own, and a small table takes many of them, of all threads, for one. A thread never
//! misses its extras, and each remove of one succeeds.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::thread;

use crew::Crew;
use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::testing::hooks::{Fate, stepping, tally};
use lockfree_cuckoo::{FilterBuilder, Growing};
use model::hashers::AsGiven;
use model::history::{Call, Event, linearizable};
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::events::Sum;
use super::gate::Gate;
use super::pace::Pace;
use super::request::Clock;
use super::watchdog::Watchdog;

pub(crate) const THREADS: usize = 4;

/// Of each thread in a round.
const CALLS: usize = 10;

/// Each with a fingerprint and a head of its own: two buckets have no more classes than there are fingerprints.
const ACTORS: usize = 4;

/// Fingerprints of all extras.
const FINGERPRINTS: u64 = 12;

/// Most extras of a thread. Those of all fill the table several times.
const EXTRAS: usize = 24;

const PACE: Pace = Pace {
    one_in: 12,
    turns: 8,
};

pub(crate) const TITLE: &str = "a filter that grows";

type Filter = lockfree_cuckoo::Filter<Growing, AsGiven>;

fn tiny() -> Filter {
    let builder = FilterBuilder::with_hasher(AsGiven).capacity(8);
    builder.build().expect("memory")
}

/// A fingerprint whose head is no other one's either.
fn fingerprint(number: u64) -> u64 {
    number << 10 | number
}

fn actor(number: usize) -> u64 {
    mix(number as u64) & !0xffff | fingerprint(FINGERPRINTS + 1 + number as u64)
}

fn extra(rng: &mut SmallRng) -> u64 {
    rng.random::<u64>() & !0xffff | fingerprint(rng.random_range(1..=FINGERPRINTS))
}

/// Rounds from one emptying to the next.
const PERIOD: usize = 3;

/// What one thread saw of the actors, round by round, and how many there were after each, if it counted them.
#[derive(Default)]
struct Part {
    rounds: Vec<[Vec<Event>; ACTORS]>,
    counts: Vec<[usize; ACTORS]>,
    calls: usize,
}

/// Returns the number of calls.
pub(crate) fn batch(rounds: usize, seed: u64) -> Result<usize, String> {
    let filter = tiny();
    let clock = Clock::default();
    let pace = PACE.varied(seed);
    let parts = Crew::workers(THREADS, |crew, thread| {
        let seed = mix(seed ^ thread as u64);
        let hook = pace.hook(seed);
        let part = stepping(hook, || play(rounds, &filter, &clock, crew, thread, seed));
        part.0.expect("nobody dies")
    });
    let parts: Vec<Part> = parts.into_iter().collect::<Result<_, String>>()?;
    let mut initial = [0; ACTORS];
    for (round, counts) in parts[0].counts.iter().enumerate() {
        for (actor, &copies) in counts.iter().enumerate() {
            let threads: Vec<&[Event]> = parts
                .iter()
                .map(|part| part.rounds[round][actor].as_slice())
                .collect();
            let changes: i64 = threads
                .iter()
                .copied()
                .flatten()
                .map(|e| e.call.change())
                .sum();
            if initial[actor] + changes != copies as i64 {
                return Err(format!(
                    "round {round}: of actor {actor} there were {} copies, with changes of {changes}, and there are \
                     {copies}: {threads:?}",
                    initial[actor]
                ));
            }
            if !linearizable(&threads, initial[actor]) {
                return Err(format!(
                    "round {round}: no order explains what was seen of actor {actor}, of which there were {} \
                     copies: {threads:?}",
                    initial[actor]
                ));
            }
            initial[actor] = if is_last_of_a_period(round) {
                0
            } else {
                copies as i64
            };
        }
    }
    Ok(parts.iter().map(|part| part.calls).sum())
}

fn is_last_of_a_period(round: usize) -> bool {
    round % PERIOD == PERIOD - 1
}

/// Takes out all that is left.
fn remove_actors(filter: &Filter, counts: &[usize]) -> Result<(), String> {
    for (number, &copies) in counts.iter().enumerate() {
        let removed = (0..).take_while(|_| filter.remove_hash(actor(number)));
        if removed.count() != copies {
            return Err(format!(
                "there were not {copies} copies of actor {number}: {filter:?}"
            ));
        }
    }
    if filter.is_empty() {
        Ok(())
    } else {
        Err(format!("nothing is in, but {filter:?}"))
    }
}

fn play(
    rounds: usize,
    filter: &Filter,
    clock: &Clock,
    crew: &Crew,
    thread: usize,
    seed: u64,
) -> Result<Part, String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut part = Part::default();
    let mut own = Vec::new();
    let mut verdict = Ok(());
    for round in 0..rounds {
        crew.meet();
        let mut seen: [Vec<Event>; ACTORS] = Default::default();
        if thread == 0 {
            filter.begin_to_double();
        }
        for _ in 0..CALLS {
            part.calls += 1;
            if rng.random_ratio(1, 4) {
                verdict = verdict.and(move_extras(filter, &mut own, &mut rng));
            } else {
                let number = rng.random_range(0..ACTORS);
                seen[number].push(call(filter, clock, actor(number), &mut rng));
            }
        }
        if is_last_of_a_period(round) {
            verdict = verdict.and(remove_extras(filter, &mut own, 0));
        }
        crew.meet();
        if thread == 0 {
            let counts = std::array::from_fn(|number| filter.count_hash(actor(number)));
            if is_last_of_a_period(round) {
                verdict = verdict.and(remove_actors(filter, &counts));
            }
            part.counts.push(counts);
        }
        part.rounds.push(seen);
    }
    verdict = verdict.and(remove_extras(filter, &mut own, 0));
    verdict.map(|()| part)
}

fn call(filter: &Filter, clock: &Clock, hash: u64, rng: &mut SmallRng) -> Event {
    let began = clock.now();
    let call = match rng.random_range(0..8) {
        0 | 1 => Call::Insert(filter.insert_hash(hash).is_ok()),
        2 => Call::InsertUnique(filter.insert_unique_hash(hash).ok()),
        3..=5 => Call::Remove(filter.remove_hash(hash)),
        _ => Call::Contains(filter.contains_hash(hash)),
    };
    Event {
        call,
        began,
        ended: clock.now(),
    }
}

/// Some come, or some go.
fn move_extras(filter: &Filter, own: &mut Vec<u64>, rng: &mut SmallRng) -> Result<(), String> {
    let wanted = rng.random_range(0..=EXTRAS);
    while own.len() < wanted {
        let hash = extra(rng);
        // Refused only if its class is full of copies: then it is not one of them.
        if filter.insert_hash(hash).is_err() {
            break;
        }
        own.push(hash);
    }
    remove_extras(filter, own, wanted)
}

fn remove_extras(filter: &Filter, own: &mut Vec<u64>, wanted: usize) -> Result<(), String> {
    while own.len() > wanted {
        // The oldest first.
        let hash = own.remove(0);
        if !filter.contains_hash(hash) || !filter.remove_hash(hash) {
            return Err(format!("{hash:#x}, which is in, was missed: {filter:?}"));
        }
    }
    match own.iter().find(|&&hash| !filter.contains_hash(hash)) {
        Some(hash) => Err(format!("{hash:#x}, which is in, was missed: {filter:?}")),
        None => Ok(()),
    }
}

/// Fewer steps would mean that the insert did not make the filter grow.
const FEWEST: usize = 16;

/// What happens while a thread stands still in an insert that makes the filter grow.
#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    /// It never comes back. Others make the table double several times.
    Dies,
    /// Others make the table double several times, and empty it.
    Fills,
    /// Others take out all there is.
    Empties,
}

/// Stops a thread at each step of an insert into a full filter: between finding no room, beginning to double
/// the table and splitting its words.
pub(crate) fn every_step(watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut scenes = 0;
    for meanwhile in [Meanwhile::Dies, Meanwhile::Fills, Meanwhile::Empties] {
        let mut step = 0;
        loop {
            let what = format!(
                "growth of {}: a thread stops at step {step}, meanwhile: {meanwhile:?}",
                TITLE
            );
            let stopped = watchdog
                .watch(&what, || stop_in_growth(step, meanwhile))
                .map_err(|why| format!("{what}: {why}"))?;
            if !stopped {
                break;
            }
            step += 1;
        }
        if step < FEWEST {
            return Err(format!("growth has only {step} steps"));
        }
        scenes += step;
    }
    println!(
        "faults: growth of {}: {scenes} steps at which a thread stopped; {}",
        TITLE,
        Sum::since(&start)
    );
    Ok(())
}

/// Whether the thread came to that step.
fn stop_in_growth(at_step: usize, meanwhile: Meanwhile) -> Result<bool, String> {
    let filter = tiny();
    let residents: Vec<u64> = distinct(0).take(filter.slots()).collect();
    for &hash in &residents {
        filter
            .insert_hash(hash)
            .map_err(|error| error.to_string())?;
    }
    let newcomer = actor(0);
    let gate = Arc::new(Gate::default());
    let (reached, verdict, outcome) = thread::scope(|scope| {
        let victim = scope.spawn(|| {
            let parked = Arc::clone(&gate);
            let hook = move |step| {
                if step != at_step {
                    return Fate::Goes;
                }
                if matches!(meanwhile, Meanwhile::Dies) {
                    return Fate::Dies;
                }
                parked.park();
                Fate::Goes
            };
            let (outcome, steps) = stepping(hook, || filter.insert_hash(newcomer));
            // If it has not been parked, or is no more.
            gate.arrive();
            (outcome, steps)
        });
        gate.wait();
        let others: Vec<_> = (1..=2)
            .map(|other| {
                scope.spawn({
                    let (filter, residents) = (&filter, &residents);
                    move || match meanwhile {
                        Meanwhile::Dies | Meanwhile::Fills => fill_and_empty(filter, other),
                        Meanwhile::Empties if other == 1 => take_out(filter, residents),
                        Meanwhile::Empties => Ok(()),
                    }
                })
            })
            .collect();
        let verdicts = others
            .into_iter()
            .map(|other| other.join().unwrap_or(Err("a panic".into())));
        let verdict: Result<(), String> = verdicts.collect();
        gate.open();
        let (outcome, steps) = victim.join().unwrap_or((None, 0));
        (steps > at_step, verdict, outcome)
    });
    verdict?;
    match outcome {
        None if matches!(meanwhile, Meanwhile::Dies) => {}
        None => return Err("the one who was stopped panicked".into()),
        Some(Err(error)) => return Err(format!("its insert was refused: {error}")),
        Some(Ok(())) if !filter.remove_hash(newcomer) => return Err("its item is lost".into()),
        Some(Ok(())) => {}
    }
    if !matches!(meanwhile, Meanwhile::Empties) {
        take_out(&filter, &residents)?;
    }
    Ok(reached)
}

/// Hashes with fingerprints of their own.
fn distinct(thread: u64) -> impl Iterator<Item = u64> {
    let mut seen = BTreeSet::new();
    (0..)
        .map(move |at| mix(thread << 32 | at))
        .filter(move |hash| hash & 0xffff > 64 && seen.insert(hash & 0xffff))
}

fn fill_and_empty(filter: &Filter, thread: u64) -> Result<(), String> {
    let items: Vec<u64> = distinct(thread).take(200).collect();
    for &hash in &items {
        filter
            .insert_hash(hash)
            .map_err(|error| error.to_string())?;
    }
    if filter.slots() < items.len() {
        return Err(format!("it was to grow: {filter:?}"));
    }
    take_out(filter, &items)
}

fn take_out(filter: &Filter, items: &[u64]) -> Result<(), String> {
    match items
        .iter()
        .find(|&&hash| !filter.contains_hash(hash) || !filter.remove_hash(hash))
    {
        Some(hash) => Err(format!("{hash:#x}, which is in, was missed: {filter:?}")),
        None => Ok(()),
    }
}
