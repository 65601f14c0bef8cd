//! The lines of the README's table that are about how filters are made, and how large they become.

use super::many::{many, number, with};
use super::{Case, Trial};
use crate::wire::request;

/// By what the README has in the first column.
pub(super) const ALL: [Case; 11] = [
    ("`BUCKETSIZE`", bucket_size),
    ("no `BUCKETSIZE`", no_bucket_size),
    ("`ERROR`", error_rate),
    ("`MAXITERATIONS`", max_iterations),
    ("no `EXPANSION`", no_expansion),
    ("`EXPANSION 0`", expansion_0),
    ("`EXPANSION 1` and more", expansion),
    ("growth ends", growth_ends),
    ("`CF.COMPACT`", compact),
    ("default capacity", default_capacity),
    ("unknown option with a value", unknown_option),
];

fn bucket_size(trial: &mut Trial) {
    let size = |size| format!("~Bucket size\n:{size}\n~");
    for (given, this) in [
        (1, 2),
        (2, 2),
        (3, 3),
        (4, 4),
        (5, 5),
        (6, 6),
        (7, 8),
        (8, 8),
        (255, 8),
    ] {
        trial.both(
            &format!("CF.RESERVE f{given} 640 BUCKETSIZE {given}"),
            "+OK",
        );
        trial.differ(&format!("CF.INFO f{given}"), &size(given), &size(this));
        let grows = format!("CF.RESERVE g{given} 640 BUCKETSIZE {given} EXPANSION 2");
        trial.both(&grows, "+OK");
        trial.differ(&format!("CF.INFO g{given}"), &size(given), &size(4));
    }
    trial.both("CF.RESERVE g 64 BUCKETSIZE 256", "-~between 1 and 255~");
}

fn no_bucket_size(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64", "+OK");
    let (redisbloom, this) = ("~Bucket size\n:2\n~", "~Bucket size\n:4\n~");
    trial.differ("CF.INFO f", redisbloom, this);
}

fn error_rate(trial: &mut Trial) {
    // There it is an option that it does not know, and ignores.
    trial.both("CF.RESERVE f 10000 ERROR 0.05", "+OK");
    trial.both("CF.RESERVE g 10000 ERROR 1e-9", "+OK");
    let sizes = ["f", "g"].map(|key| number(&trial.client.ask(&["CF.INFO", key]), "Size"));
    assert_eq!(sizes[1] > 4 * sizes[0], !trial.is_redisbloom, "{sizes:?}");
    let refused = "-ERR ERROR: value must be a number from 0.000000001 to less than 1";
    trial.differ("CF.RESERVE h 64 ERROR 1", "+OK", refused);
    trial.both("CF.RESERVE i 64 ERROR 0.001 EXPANSION 1", "+OK");
    let lower = "CF.RESERVE j 64 ERROR 0.0001 EXPANSION 1";
    trial.differ(
        lower,
        "+OK",
        "-ERR ERROR: a filter that grows has a rate of ~",
    );
}

fn max_iterations(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64 MAXITERATIONS 1 EXPANSION 0", "+OK");
    trial.both("CF.INFO f", "~Max iterations\n:1");
    // Of a search that may move one item only, more of the first 64 find no room.
    trial
        .client
        .send(&request(&with("CF.INSERT f ITEMS", 0..64)));
    let refused = trial.client.reply().matches(":-1").count();
    assert_eq!(refused > 0, trial.is_redisbloom, "{refused} refused");
}

fn no_expansion(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64", "+OK");
    let refused = many(trial, "CF.INSERT f ITEMS", 1000);
    assert_eq!(refused == 0, trial.is_redisbloom, "{refused} refused");
    let (redisbloom, this) = ("~Expansion rate\n:1\n~", "~Expansion rate\n:0\n~");
    trial.differ("CF.INFO f", redisbloom, this);
}

fn expansion_0(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64 EXPANSION 0", "+OK");
    assert!(many(trial, "CF.INSERT f ITEMS", 1000) > 0);
    trial.both("CF.INFO f", "~Number of filters\n:1\n~");
}

fn expansion(trial: &mut Trial) {
    for (given, kept) in [(1, 1), (2, 2), (3, 4), (8, 8), (32_768, 32_768)] {
        let key = format!("f{given}");
        trial.both(&format!("CF.RESERVE {key} 64 EXPANSION {given}"), "+OK");
        let rate = format!("~Expansion rate\n:{kept}\n~");
        trial.both(&format!("CF.INFO {key}"), &rate);
        let before = buckets(trial, &key);
        assert_eq!(many(trial, &format!("CF.INSERT {key} ITEMS"), 200), 0);
        let tables = number(&trial.client.ask(&["CF.INFO", &key]), "Number of filters");
        assert_eq!(tables > 1, trial.is_redisbloom, "{tables} of {key}");
        // From 32 of them.
        let grown = buckets(trial, &key) / before;
        assert!(trial.is_redisbloom || grown == 2, "{grown} of {key}");
    }
}

fn growth_ends(trial: &mut Trial) {
    trial.both("CF.RESERVE f 4 EXPANSION 1", "+OK");
    let refused = many_one_by_one(trial, 5_000);
    let what = "-Maximum expansions reached";
    let reached = refused.iter().any(|reply| reply.starts_with(what));
    assert_eq!(reached, trial.is_redisbloom, "{:?}", refused.first());
    assert_eq!(refused.is_empty(), !trial.is_redisbloom);
}

fn compact(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64 EXPANSION 2", "+OK");
    let before = buckets(trial, "f");
    assert_eq!(many(trial, "CF.INSERT f ITEMS", 1000), 0);
    // RedisBloom says the number of its first filter.
    assert!(trial.is_redisbloom || buckets(trial, "f") > before);
    trial.each(50..1000, "CF.DEL f {}", ":1");
    trial.both("CF.COMPACT f", "+OK");
    assert_eq!(buckets(trial, "f"), before);
    trial.each(0..50, "CF.EXISTS f {}", ":1");
}

fn default_capacity(trial: &mut Trial) {
    trial.both("CF.ADD f a", ":1");
    let (redisbloom, this) = ("~Number of buckets\n:512\n~", "~Number of buckets\n:~");
    trial.differ("CF.INFO f", redisbloom, this);
    if !trial.is_redisbloom {
        trial.both("CF.RESERVE g 1000000", "+OK");
        assert_eq!(buckets(trial, "f"), buckets(trial, "g"));
    }
}

fn unknown_option(trial: &mut Trial) {
    let unknown = "-Unknown argument received";
    trial.differ("CF.RESERVE f 64 COLOUR 7", "+OK", unknown);
    trial.differ("CF.INSERT f COLOUR 7 ITEMS a", "*1\n:1", unknown);
}

fn many_one_by_one(trial: &mut Trial, items: usize) -> Vec<String> {
    let requests = (0..items).flat_map(|item| request(&["CF.ADD", "f", &item.to_string()]));
    trial.client.send(&requests.collect::<Vec<u8>>());
    let replies = (0..items).map(|_| trial.client.reply());
    replies.filter(|reply| reply.starts_with('-')).collect()
}

fn buckets(trial: &mut Trial, key: &str) -> usize {
    number(&trial.client.ask(&["CF.INFO", key]), "Number of buckets")
}
