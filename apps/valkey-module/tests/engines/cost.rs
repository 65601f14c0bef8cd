//! Cost: measures the time of the engine's thread for an item, beside RedisBloom in the same
//! engine.

use std::fs;

use crate::differential;
use crate::engine::{Engine, says, with_items};
use crate::wire::{Client, request};

/// The items of a slice. The two modules take turns slice by slice, with the same items.
const SLICE: usize = 10_000;
const SLICES: usize = 40;

/// The capacities of the filters: a table that fits a cache, and one that does not.
const CAPACITIES: [usize; 2] = [40_000, 2_000_000];

/// The commands, or items of one command, that are sent at a time.
const TOGETHER: usize = 100;

const PREFIXES: [&str; 2] = ["CF", "LF"];

/// The work of each slice: a command for each item or, for the name with `M`, one for all; and
/// whether the items are stored.
const WORKS: [(&str, bool); 6] = [
    ("ADD", true),
    ("EXISTS", true),
    ("EXISTS", false),
    ("MEXISTS", true),
    ("MEXISTS", false),
    ("DEL", true),
];

/// Returns the request for the items, and the number of its replies. The keys of the two modules
/// are of different types, so they have the name of the prefix.
fn write(prefix: &str, command: &str, items: &[String]) -> (Vec<u8>, usize) {
    let line = format!("{prefix}.{command} {prefix}");
    if command.starts_with('M') {
        return (request(&with_items(&line, items)), 1);
    }
    let each = items.iter().map(|item| request(&with_items(&line, [item])));
    (each.flatten().collect(), items.len())
}

/// Returns the nanoseconds that the engine's thread has run so far.
fn run_time(engine: &Engine) -> f64 {
    let id = engine.id();
    let times = fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat")).expect("Linux");
    let ran = times.split(' ').next().and_then(|time| time.parse().ok());
    ran.expect("a number")
}

/// Returns the nanoseconds for each item of a slice.
fn slice(engine: &Engine, client: &mut Client, requests: &[(Vec<u8>, usize)]) -> f64 {
    let before = run_time(engine);
    for (request, replies) in requests {
        client.send(request);
        for _ in 0..*replies {
            client.reply_bytes();
        }
    }
    (run_time(engine) - before) / SLICE as f64
}

fn median(mut sample: Vec<f64>) -> f64 {
    sample.sort_by(f64::total_cmp);
    sample[sample.len() / 2]
}

/// Returns the nanoseconds for each item of a slice, with RedisBloom and with this module.
fn both(
    engine: &Engine,
    client: &mut Client,
    turn: usize,
    (command, is_in): (&str, bool),
) -> [f64; 2] {
    let word = if is_in { "item" } else { "other" };
    let first = turn * SLICE;
    let items: Vec<_> = (first..first + SLICE)
        .map(|item| format!("{word}:{item}"))
        .collect();
    let mut both = [0.0; 2];
    for step in 0..2 {
        let which = (turn + step) % 2;
        let requests = items.chunks(TOGETHER);
        let requests: Vec<_> = requests
            .map(|items| write(PREFIXES[which], command, items))
            .collect();
        both[which] = slice(engine, client, &requests);
    }
    both
}

/// Makes empty filters, which then get items for a quarter of their capacity.
fn prepare(client: &mut Client, capacity: usize) {
    says(client, "FLUSHALL", "+OK");
    for prefix in PREFIXES {
        let line = format!("{prefix}.RESERVE {prefix} {capacity} BUCKETSIZE 4");
        says(client, &line, "+OK");
        let line = format!("{prefix}.INSERT {prefix} ITEMS");
        for first in (0..capacity / 4).step_by(1000) {
            let items = (first..first + 1000).map(|item| format!("before:{item}"));
            client.send(&request(&with_items(&line, items)));
            client.reply_bytes();
        }
    }
}

/// Run it with `CI=true cargo test --release -p valkey-module --test engines cost -- --ignored
/// --nocapture`.
#[test]
#[ignore = "a measurement"]
fn of_an_item_beside_redisbloom() {
    let Some(engine) = differential::start() else {
        return;
    };
    let mut client = engine.client();
    println!(
        "nanoseconds of the engine's thread for an item: RedisBloom, this module, and this by that"
    );
    for capacity in CAPACITIES {
        println!("filters of {capacity} items");
        prepare(&mut client, capacity);
        let mut times = WORKS.map(|_| Vec::new());
        for turn in 0..SLICES {
            for (work, times) in WORKS.into_iter().zip(&mut times) {
                times.push(both(&engine, &mut client, turn, work));
            }
        }
        for ((command, is_in), times) in WORKS.into_iter().zip(times) {
            let [redisbloom, this] =
                [0, 1].map(|which| median(times.iter().map(|both| both[which]).collect()));
            let ratio = median(times.iter().map(|both| both[1] / both[0]).collect());
            let items = if is_in { "in" } else { "not in" };
            println!("{command:8} {items:6} {redisbloom:8.0} {this:8.0} {ratio:8.2}");
        }
    }
    engine.check();
}
