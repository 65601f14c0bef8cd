//! What an item costs the engine's thread, beside RedisBloom in the same engine.

use std::fs;

use crate::differential;
use crate::engine::Engine;
use crate::wire::{Client, request};

/// Items of a slice. The two modules take turns slice by slice, with the same items.
const SLICE: usize = 10_000;
const SLICES: usize = 40;

/// Commands, or items of one command, that are sent at a time.
const TOGETHER: usize = 100;

const PREFIXES: [&str; 2] = ["CF", "LF"];

/// Names a command, and its arguments for the items.
type Write = fn(prefix: &str, items: &[String]) -> Vec<u8>;

/// A command for each item. The keys of the two modules are of different types, so they have the name of the prefix.
fn each(prefix: &str, command: &str, items: &[String]) -> Vec<u8> {
    let command = format!("{prefix}.{command}");
    let words = |item| request(&[&command, prefix, item]);
    items.iter().flat_map(|item| words(item)).collect()
}

/// One command for all of them.
fn many(prefix: &str, items: &[String]) -> Vec<u8> {
    let command = format!("{prefix}.MEXISTS");
    let words = [command.as_str(), prefix].into_iter();
    let words = words.chain(items.iter().map(String::as_str));
    request(&words.collect::<Vec<_>>())
}

/// Each with the number of replies to `TOGETHER` items, and whether the items are in.
const WORKS: [(&str, Write, usize, bool); 6] = [
    (
        "ADD",
        |prefix, items| each(prefix, "ADD", items),
        TOGETHER,
        true,
    ),
    (
        "EXISTS, in",
        |prefix, items| each(prefix, "EXISTS", items),
        TOGETHER,
        true,
    ),
    (
        "EXISTS, not in",
        |prefix, items| each(prefix, "EXISTS", items),
        TOGETHER,
        false,
    ),
    ("MEXISTS of 100, in", many, 1, true),
    ("MEXISTS of 100, not in", many, 1, false),
    (
        "DEL",
        |prefix, items| each(prefix, "DEL", items),
        TOGETHER,
        true,
    ),
];

/// Nanoseconds that the engine's thread has run so far.
fn run_time(engine: &Engine) -> f64 {
    let id = engine.id();
    let times = fs::read_to_string(format!("/proc/{id}/task/{id}/schedstat")).expect("Linux");
    let ran = times.split(' ').next().and_then(|time| time.parse().ok());
    ran.expect("a number")
}

/// Nanoseconds for each item of a slice.
fn slice(engine: &Engine, client: &mut Client, requests: &[Vec<u8>], replies: usize) -> f64 {
    let before = run_time(engine);
    for request in requests {
        client.send(request);
        for _ in 0..replies {
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
        let capacity = (SLICE * SLICES * 2).to_string();
        let reserve = [
            &format!("{prefix}.RESERVE"),
            prefix,
            &capacity,
            "BUCKETSIZE",
            "4",
        ];
        assert_eq!(client.ask(&reserve), "+OK\r\n");
    }
    println!(
        "nanoseconds of the engine's thread for an item: RedisBloom, this module, one by the other"
    );
    for (name, write, replies, is_in) in WORKS {
        let (mut times, mut ratios) = ([Vec::new(), Vec::new()], Vec::new());
        for turn in 0..SLICES {
            let first = turn * SLICE;
            let word = if is_in { "item" } else { "other" };
            let items: Vec<_> = (first..first + SLICE)
                .map(|item| format!("{word}:{item}"))
                .collect();
            let mut both = [0.0; 2];
            for step in 0..2 {
                let which = (turn + step) % 2;
                let requests = items
                    .chunks(TOGETHER)
                    .map(|items| write(PREFIXES[which], items));
                let requests: Vec<_> = requests.collect();
                both[which] = slice(&engine, &mut client, &requests, replies);
                times[which].push(both[which]);
            }
            ratios.push(both[0] / both[1]);
        }
        let [redisbloom, this] = times.map(median);
        println!(
            "{name:24} {redisbloom:8.0} {this:8.0} {:8.2}",
            median(ratios)
        );
    }
    engine.check();
}
