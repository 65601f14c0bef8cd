//! Faults: threads that die, or stop for good, at each step of each operation that writes.

use std::time::{Duration, Instant};

use lockfree_cuckoo::testing::hooks::tally;
use model::mix;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use super::calls::Action::{
    self, Contains, Count, Insert, InsertUnique, Relocate, Remove, Snapshot,
};
use super::calls::Request;
use super::layout;
use super::run::{Happened, Pace, Watchdog};
use super::scene::{Scene, Stop, Victim, any_request};
use super::stage::{Chain, Stage};

/// Of the scenes in which all start at once.
const PACE: Pace = Pace::of(8, 4);

/// One of the classes of a chain.
type Class = fn(&Chain) -> usize;

/// An operation that a victim is stopped in.
struct Kind {
    name: &'static str,
    /// Of the chain that the newcomer needs.
    hops: usize,
    action: Action,
    class: Class,
    /// Fewer steps would mean that it did not do what its name says.
    fewest: usize,
}

impl Kind {
    const fn of(
        name: &'static str,
        hops: usize,
        action: Action,
        class: Class,
        fewest: usize,
    ) -> Self {
        Self {
            name,
            hops,
            action,
            class,
            fewest,
        }
    }

    fn victim(&self, chain: &Chain, order: usize, stop: Stop, at_step: usize) -> Victim {
        let request = Request {
            action: self.action,
            class: (self.class)(chain),
            order,
        };
        Victim {
            requests: vec![request],
            stop,
            at_step,
        }
    }
}

const GUEST: Class = |chain| chain.guest;
const NEWCOMER: Class = |chain| chain.newcomer;
const MOVER: Class = |chain| chain.mover;
const TWINS: Class = |chain| chain.twins;

const INSERT: Kind = Kind::of("insert, with room", 1, Insert, GUEST, 4);
const KICK: Kind = Kind::of("insert, by a path of one hop", 1, Insert, NEWCOMER, 20);
const LONG_PATH: Kind = Kind::of("insert, by a path of three hops", 3, Insert, NEWCOMER, 50);
const ADMISSION: Kind = Kind::of("insert_unique, with room", 1, InsertUnique, GUEST, 18);
const OPENING: Kind = Kind::of("insert_unique, by two hops", 2, InsertUnique, NEWCOMER, 50);
const REMOVE: Kind = Kind::of("remove", 1, Remove, MOVER, 4);
const TWIN: Kind = Kind::of("remove, of one of two equal tokens", 1, Remove, TWINS, 8);
const RELOCATION: Kind = Kind::of("relocation", 1, Relocate, MOVER, 15);
const SNAPSHOT: Kind = Kind::of("snapshot", 1, Snapshot, MOVER, 256);
const LOOKUP: Kind = Kind::of("contains", 1, Contains, MOVER, 4);
const COUNT: Kind = Kind::of("count", 1, Count, MOVER, 4);

/// Those that write: the others are no danger to anybody.
const WRITING: [Kind; 9] = [
    INSERT, KICK, LONG_PATH, ADMISSION, OPENING, REMOVE, TWIN, RELOCATION, SNAPSHOT,
];

/// Those that leave frozen words behind.
const FREEZING: [Kind; 3] = [KICK, ADMISSION, RELOCATION];

/// Those that find these words in their way.
const FINDING: [Kind; 5] = [KICK, ADMISSION, REMOVE, TWIN, RELOCATION];

/// Those whose steps, any of the one with any of the other, are few enough to try all.
const SHORT: [Kind; 8] = [
    INSERT, KICK, ADMISSION, REMOVE, TWIN, RELOCATION, LOOKUP, COUNT,
];

pub(crate) fn run(time: Duration, seed: u64) -> Result<(), String> {
    layout::has_many_fingerprints()?;
    let start = Instant::now();
    let watchdog = Watchdog::new();
    for kind in &WRITING {
        every_step(kind, seed, &watchdog)?;
    }
    every_pair_of_steps(seed, &watchdog)?;
    every_overlap(seed, &watchdog)?;
    several_at_once(time.saturating_sub(start.elapsed()), seed, &watchdog)
}

/// Plays a scene on a chain that is not what an earlier one has left. Returns which victims came to their steps.
fn play(
    (chain, victims): (&Chain, &[Victim]),
    others: usize,
    seed: u64,
    watchdog: &Watchdog,
    what: &str,
) -> Result<Vec<bool>, String> {
    let scene = Scene {
        stage: &chain.stage,
        victims,
        at_once: None,
        others,
        calls: 12,
        seed,
    };
    watchdog
        .watch(what, || scene.play())
        .map_err(|why| format!("{what} (seed {seed}): {why}"))
}

/// One victim, at each step.
fn every_step(kind: &Kind, seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut steps = 0;
    for stop in [Stop::Dies, Stop::Parks] {
        steps = 0;
        loop {
            let chain = Chain::new(kind.hops, 2);
            let victim = kind.victim(&chain, chain.mover_order, stop, steps);
            let what = format!("{}: a thread to {stop} at step {steps}", kind.name);
            let seed = mix(seed ^ steps as u64);
            if play((&chain, &[victim]), 3, seed, watchdog, &what)? == [false] {
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
        Happened::since(&start)
    );
    Ok(())
}

/// Two victims, at each step of the first, and for it at each of the second. Returns the number of pairs.
fn every_two_steps(
    victims: impl Fn(&Chain, [usize; 2]) -> [Victim; 2],
    others: usize,
    seed: u64,
    watchdog: &Watchdog,
    what: &str,
) -> Result<u64, String> {
    let (mut pairs, mut steps) = (0, [0, 0]);
    loop {
        let chain = Chain::new(1, 3);
        let victims = victims(&chain, steps);
        let what = format!("{what}, at steps {steps:?}");
        let seed = mix(seed ^ mix(pairs));
        match play((&chain, &victims), others, seed, watchdog, &what)?[..] {
            [false, _] => return Ok(pairs),
            [_, false] => steps = [steps[0] + 1, 0],
            _ => steps[1] += 1,
        }
        pairs += 1;
    }
}

/// A second victim, which is stopped while it deals with what the first left behind.
fn every_pair_of_steps(seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut pairs = 0;
    for first in &FREEZING {
        for second in &FINDING {
            for stop in [Stop::Dies, Stop::Parks] {
                let what = format!("{} and then {}: threads to {stop}", first.name, second.name);
                let victims = |chain: &Chain, steps: [usize; 2]| {
                    let victim = |kind: &Kind, at| kind.victim(chain, chain.mover_order, stop, at);
                    [victim(first, steps[0]), victim(second, steps[1])]
                };
                pairs += every_two_steps(victims, 1, seed ^ pairs, watchdog, &what)?;
            }
        }
    }
    println!(
        "faults: pairs: {pairs} pairs of steps at which a thread stopped, and then another that came by; {}",
        Happened::since(&start)
    );
    Ok(())
}

/// Two operations that overlap in each way that takes two switches: one begins, the other does, the first is
/// finished, the second is. The first looks at its token, or away, first.
fn every_overlap(seed: u64, watchdog: &Watchdog) -> Result<(), String> {
    let start = tally();
    let mut overlaps = 0;
    let short = SHORT
        .iter()
        .flat_map(|first| SHORT.iter().map(move |second| (first, second)));
    for (first, second) in short.chain([(&RELOCATION, &SNAPSHOT)]) {
        for flip in [0, 1] {
            let what = format!(
                "{} stopped, {} stopped, both finished; {flip}",
                first.name, second.name
            );
            let victims = |chain: &Chain, steps: [usize; 2]| {
                let order = chain.mover_order;
                [
                    first.victim(chain, order ^ flip, Stop::Parks, steps[0]),
                    second.victim(chain, order, Stop::Parks, steps[1]),
                ]
            };
            overlaps += every_two_steps(victims, 0, seed, watchdog, &what)?;
        }
    }
    println!(
        "faults: overlaps: {overlaps} of two operations, one of them finished within the other; {}",
        Happened::since(&start)
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
        Happened::since(&start.1)
    );
    Ok(())
}

fn any_victim(stage: &Stage, may_scan: bool, rng: &mut SmallRng) -> Victim {
    let mut requests: Vec<Request> = (0..6).map(|_| any_request(stage, rng)).collect();
    if may_scan && rng.random_ratio(1, 4) {
        requests[0].action = Snapshot;
    }
    let steps = if requests[0].action == Snapshot {
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
