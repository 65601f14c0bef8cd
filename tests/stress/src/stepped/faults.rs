//! Faults: threads that die, or stop for good, at each step of each operation that writes.

use std::time::{Duration, Instant};

use lockfree_cuckoo::testing::hooks::tally;
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::chain::Chain;
use super::events::Sum;
use super::growing;
use super::kind::{ALL, FINDING, FREEZING, Kind, RELOCATION, SHORT, SNAPSHOT};
use super::layout;
use super::pace::Pace;
use super::request::{Action, Request};
use super::scene::{Scene, Stop, Victim, any_request};
use super::stage::Stage;
use super::watchdog::Watchdog;

/// Of the scenes in which all start at once.
const PACE: Pace = Pace {
    one_in: 8,
    turns: 4,
};

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    layout::has_many_fingerprints()?;
    let start = Instant::now();
    let watchdog = Watchdog::new();
    for kind in &ALL {
        every_step(kind, seed, &watchdog)?;
    }
    every_pair_of_steps(seed, &watchdog)?;
    every_overlap(seed, &watchdog)?;
    growing::every_step(&watchdog)?;
    several_at_once(time.saturating_sub(start.elapsed()), seed, &watchdog)
}

/// One victim, at each step.
fn every_step(kind: &Kind, seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut steps = 0;
    for stop in [Stop::Dies, Stop::Parks] {
        steps = 0;
        loop {
            let chain = Chain::new(kind.hops, 2);
            let scene = Scene {
                stage: &chain.stage,
                victims: &[kind.victim(&chain, stop, steps)],
                at_once: None,
                others: 3,
                calls: 12,
                seed: mix(seed ^ steps as u64),
            };
            let what = format!("{}: a thread to {stop} at step {steps}", kind.name);
            let reached = watchdog
                .watch(&what, || scene.play())
                .map_err(|why| format!("{what} (seed {}): {why}", scene.seed))?;
            if reached == [false] {
                break;
            }
            steps += 1;
        }
        if steps < kind.fewest {
            return Err(format!("{} has only {steps} steps", kind.name));
        }
    }
    println!(
        "faults: {}: {steps} steps, a death and a stop at each; {}",
        kind.name,
        Sum::since(&start)
    );
    Ok(())
}

/// A second victim, which is stopped while it deals with what the first left behind.
fn every_pair_of_steps(seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut pairs = 0;
    let kinds = FREEZING
        .iter()
        .flat_map(|first| FINDING.iter().map(move |second| (first, second)));
    for ((first, second), stop) in
        kinds.flat_map(|kinds| [Stop::Dies, Stop::Parks].map(|stop| (kinds, stop)))
    {
        let mut steps = [0, 0];
        loop {
            let chain = Chain::new(1, 3);
            let scene = Scene {
                stage: &chain.stage,
                victims: &[
                    first.victim(&chain, stop, steps[0]),
                    second.victim(&chain, stop, steps[1]),
                ],
                at_once: None,
                others: 1,
                calls: 12,
                seed: mix(seed ^ mix(pairs)),
            };
            let what = format!(
                "{} and then {}: threads to {stop} at steps {steps:?}",
                first.name, second.name
            );
            let reached = watchdog
                .watch(&what, || scene.play())
                .map_err(|why| format!("{what} (seed {}): {why}", scene.seed))?;
            match reached[..] {
                [false, _] => break,
                [_, false] => steps = [steps[0] + 1, 0],
                _ => steps[1] += 1,
            }
            pairs += 1;
        }
    }
    println!(
        "faults: pairs: {pairs} pairs of steps at which a thread stopped, and then another that came by; {}",
        Sum::since(&start)
    );
    Ok(())
}

/// Two operations that overlap in each way that takes two switches: one begins, the other does, the first is
/// finished, the second is.
fn every_overlap(seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut overlaps = 0u64;
    let short = SHORT
        .iter()
        .flat_map(|first| SHORT.iter().map(move |second| (first, second)));
    let kinds = short.chain([(&RELOCATION, &SNAPSHOT)]);
    for ((first, second), flipped) in kinds.flat_map(|kinds| [false, true].map(|f| (kinds, f))) {
        let mut steps = [0, 0];
        loop {
            let chain = Chain::new(1, 3);
            let order = chain.mover_order ^ usize::from(flipped);
            let scene = Scene {
                stage: &chain.stage,
                victims: &[
                    first.victim_in_order(&chain, order, Stop::Parks, steps[0]),
                    second.victim(&chain, Stop::Parks, steps[1]),
                ],
                at_once: None,
                others: 0,
                calls: 0,
                seed,
            };
            let what = format!(
                "{} stopped at step {}, {} at step {}, then both finished; the first looks {} first",
                first.name,
                steps[0],
                second.name,
                steps[1],
                if flipped { "away" } else { "at the token" },
            );
            let reached = watchdog
                .watch(&what, || scene.play())
                .map_err(|why| format!("{what}: {why}"))?;
            match reached[..] {
                [false, _] => break,
                [_, false] => steps = [steps[0] + 1, 0],
                _ => steps[1] += 1,
            }
            overlaps += 1;
        }
    }
    println!(
        "faults: overlaps: {overlaps} of two operations, one of them finished within the other; {}",
        Sum::since(&start)
    );
    Ok(())
}

/// Many victims in a crowd, at random steps.
fn several_at_once(time: Duration, seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = (Instant::now(), tally());
    let (mut scenes, mut stopped) = (0u64, 0);
    // Some, even if the rest has used up the time.
    while scenes < 100 || start.0.elapsed() < time {
        let seed = mix(seed ^ mix(scenes));
        let mut rng = SmallRng::seed_from_u64(seed);
        let victims = rng.random_range(1..=5);
        let stage = if rng.random() {
            Stage::crowd(8, 8, 0.7, victims + 1, seed)
        } else {
            Chain::new(rng.random_range(1..=3), victims + 1).stage
        };
        let victims: Vec<Victim> = (0..victims)
            .map(|number| any_victim(&stage, number == 0, &mut rng))
            .collect();
        let scene = Scene {
            stage: &stage,
            victims: &victims,
            at_once: Some(PACE),
            others: rng.random_range(1..=3),
            calls: 12,
            seed,
        };
        let what = format!("scene {scenes}, seed {seed}: {victims:?}");
        let reached = watchdog
            .watch(&what, || scene.play())
            .map_err(|why| format!("{what}: {why}"))?;
        scenes += 1;
        stopped += reached.into_iter().filter(|&reached| reached).count();
    }
    println!(
        "faults: several at once: {scenes} scenes, {stopped} threads stopped; {}",
        Sum::since(&start.1)
    );
    Ok(())
}

fn any_victim(stage: &Stage, may_scan: bool, rng: &mut SmallRng) -> Victim {
    let mut requests: Vec<Request> = (0..6).map(|_| any_request(stage, rng)).collect();
    if may_scan && rng.random_ratio(1, 4) {
        requests[0].action = Action::Snapshot;
    }
    let steps = if requests[0].action == Action::Snapshot {
        600
    } else {
        120
    };
    Victim {
        requests,
        stop: if rng.random() {
            Stop::Dies
        } else {
            Stop::Parks
        },
        at_step: rng.random_range(0..steps),
    }
}
