//! What an item costs the engine's thread, beside RedisBloom in the same engine.

use std::fs;

use crate::differential;
use crate::engine::{Engine, says, with_items};
use crate::wire::{Client, request};

/// Items of a slice. The two modules take turns slice by slice, with the same items.
const SLICE: usize = 10_000;
const SLICES: usize = 40;

/// Commands, or items of one command, that are sent at a time.
const TOGETHER: usize = 100;

const PREFIXES: [&str; 2] = ["CF", "LF"];

/// What is asked: a command for each item or, of the name with `M`, one for all; and whether the items are in.
const WORKS: [(&str, bool); 6] = [
    ("ADD", true),
    ("EXISTS", true),
    ("EXISTS", false),
    ("MEXISTS", true),
    ("MEXISTS", false),
    ("DEL", true),
];

/// What is sent for the items, and how many replies come. The keys of the two modules are of different types, so they have
/// the name of the prefix.
fn write(prefix: &str, command: &str, items: &[String]) -> (Vec<u8>, usize) {
    let line = format!("{prefix}.{command} {prefix}");
    if command.starts_with('M') {
        return (request(&with_items(&line, items)), 1);
    }
    let each = items.iter().map(|item| request(&with_items(&line, [item])));
    (each.flatten().collect(), items.len())
}

/// Nanoseconds that the engine's thread has run so far.
fn run_time(engine: &Engine) -> f64 {
    let id = engine.id();
    let times = fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat")).expect("Linux");
    let ran = times.split(' ').next().and_then(|time| time.parse().ok());
    ran.expect("a number")
}

/// Nanoseconds for each item of a slice.
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

/// `CI=true cargo test --release -p valkey-module --test engines cost -- --ignored --nocapture`
#[test]
#[ignore = "a measurement"]
fn of_an_item_beside_redisbloom() {
    let Some(engine) = differential::start() else {
        return;
    };
    let mut client = engine.client();
    for prefix in PREFIXES {
        let capacity = SLICE * SLICES * 2;
        let line = format!("{prefix}.RESERVE {prefix} {capacity} BUCKETSIZE 4");
        says(&mut client, &line, "+OK");
    }
    println!(
        "nanoseconds of the engine's thread for an item: RedisBloom, this module, one by the other"
    );
    for (command, is_in) in WORKS {
        let word = if is_in { "item" } else { "other" };
        let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
        for turn in 0..SLICES {
            let first = turn * SLICE;
            let items: Vec<_> = (first..first + SLICE)
                .map(|item| format!("{word}:{item}"))
                .collect();
            let mut both = [0.0; 2];
            for step in 0..2 {
                let which = (turn + step) % 2;
                let prefix = PREFIXES[which];
                let requests = items.chunks(TOGETHER);
                let requests: Vec<_> = requests
                    .map(|items| write(prefix, command, items))
                    .collect();
                both[which] = slice(&engine, &mut client, &requests);
                times[which].push(both[which]);
            }
            ratios.push(both[0] / both[1]);
        }
        let [redisbloom, this] = times.map(median);
        let ratio = median(ratios);
        println!("{command:8} {word:6} {redisbloom:8.0} {this:8.0} {ratio:8.2}");
    }
    engine.check();
}
