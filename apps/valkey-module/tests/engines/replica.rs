//! Replicas: cut links, takeovers, and effects that are replicated in other words.

use crate::engine::{Engine, on_each, on_each_pair, says, with_items};
use crate::fetch::KINDS;
use crate::history::History;
use crate::wire::Client;

#[test]
fn a_cut_link_during_a_load_loses_nothing() {
    on_each(|kind, primary| {
        let options = ["--repl-diskless-load", "swapdb"];
        let replica = Engine::start(kind, &options).expect("as the other");
        let mut client = primary.client();
        says(&mut client, "CF.RESERVE f 2000000", "+OK");
        for item in 0..50 {
            says(&mut client, &format!("CF.ADD f {item}"), ":1");
        }
        let chunks = client.dump("f", |_| {});
        assert!(chunks.len() >= 4);
        replica.replicate(primary);
        for (at, chunk) in chunks.iter().enumerate() {
            assert_eq!(client.load("g", chunk), "+OK\r\n");
            match at {
                // It continues where it was.
                0 => says(&mut client, "CLIENT KILL TYPE replica", ":~"),
                // It begins again, and gets the half-loaded filter in the snapshot.
                1 => {
                    replica.says("REPLICAOF NO ONE", "+OK");
                    replica.says("FLUSHALL", "+OK");
                    replica.replicate(primary);
                    replica.says("CF.EXISTS g 7", "-ERR the filter is not whole~");
                }
                // It loads a snapshot or a log of its own.
                2 => says(&mut client, "DEBUG RELOAD", "+OK"),
                _ => {}
            }
        }
        replica.wait_for_link();
        primary.wait_for_replica(&replica);
        replica.says("CF.EXISTS g 7", ":1");
        assert!(primary.dump("g") == primary.dump("f"));
        assert!(replica.has_the_same(primary, "g"));
        replica.check();
    });
}

/// A replica that takes over has all data, and its own limits.
#[test]
fn a_replica_takes_over() {
    on_each(|kind, replica| {
        let primary = Engine::start(kind, &[]).expect("as the other");
        replica.replicate(&primary);
        replica.set("cf.max-filter-bytes", "20kb");
        let mut client = primary.client();
        let mut history = History::begin(&mut client, 9);
        history.go_on(&mut client, 10_000);
        says(&mut client, "CF.RESERVE large 100000", "+OK");
        primary.wait_for_replica(replica);
        primary.kill();
        replica.says("REPLICAOF NO ONE", "+OK");
        history.check(&mut replica.client());
        replica.says("CF.ADD large a", ":1");
        replica.says("CF.RESERVE larger 100000", "-ERR~");
    });
}

#[test]
fn replicas_repeat_transactions_and_scripts() {
    on_each_pair(|kind, primary, replica| {
        let mut client = primary.client();
        client.converse(
            "MULTI -> +OK
            CF.ADD f -> -ERR wrong number~
            EXEC -> -EXECABORT~
            MULTI -> +OK
            CF.INSERTNX f ITEMS a b a c -> +QUEUED
            CF.RESERVE g 4 EXPANSION 0 -> +QUEUED
            CF.INSERT g ITEMS [1..21] -> +QUEUED
            CF.DEL f b -> +QUEUED
            CF.DEL f none -> +QUEUED
            CF.MEXISTS f a b -> +QUEUED
            CF.INSERT s CAPACITY ITEMS a -> +QUEUED
            EXEC -> *7 *4 :1 :1 :0 :1 +OK *20 ~:-1 ~ :1 :0 *2 :1 :0 -Bad capacity",
        );
        let script = "
            redis.call('CF.ADDNX', KEYS[1], 'a')
            redis.call('CF.ADDNX', KEYS[1], 'a')
            redis.call('CF.INSERT', KEYS[1], 'CAPACITY', '9', 'ITEMS', 'x', 'y')
            return redis.call('CF.DEL', KEYS[1], 'x')";
        assert_eq!(client.ask(&["EVAL", script, "1", "h"]), ":1\r\n");
        primary.wait_for_replica(replica);
        for key in ["f", "g", "h"] {
            assert!(primary.has_the_same(replica, key), "{kind:?}: {key}");
        }
        assert_eq!(primary.number("sync_full"), 1);
    });
}

/// A filter that grows, its acknowledged items, and what was refused.
struct Grown {
    key: &'static str,
    items: Vec<String>,
    refused: usize,
}

impl Grown {
    /// Adds an item, and makes calls that fail before and after it.
    fn go_on(&mut self, client: &mut Client, number: usize) {
        let key = self.key;
        let item = number.to_string();
        let added = client.say(&format!("CF.ADD {key} {item}"));
        if self.note(&added, item) {
            says(client, &format!("CF.ADDNX {key} {number}"), ":0");
        }
        // Otherwise it could take the place of another item.
        let absent = format!("absent-{number}");
        let found = client.say(&format!("CF.EXISTS {key} {absent}"));
        if found == ":0\r\n" {
            says(client, &format!("CF.DEL {key} {absent}"), ":0");
        }
        if number.is_multiple_of(64) {
            self.add_copies(client, number);
        }
        // Where growth has ended.
        if self.refused > 0 {
            let three = ["a", "b", "c"].map(|suffix| format!("{suffix}-{number}"));
            let line = format!("CF.INSERT {key} ITEMS");
            let answers = client.ask(&with_items(&line, &three));
            for (item, answer) in three.into_iter().zip(answers.lines().skip(1)) {
                self.note(answer, item);
            }
        }
    }

    /// Returns whether it was added.
    fn note(&mut self, answer: &str, item: String) -> bool {
        let is_in = answer.trim_end() == ":1";
        if is_in {
            self.items.push(item);
        } else {
            let is_full = answer.trim_end() == ":-1" || answer.starts_with("-Filter is full");
            assert!(is_full, "{answer}");
            self.refused += 1;
        }
        is_in
    }

    /// Adds as many copies of an item as there can be and more, in a transaction, and deletes them.
    fn add_copies(&self, client: &mut Client, number: usize) {
        let (key, copy) = (self.key, format!("copy-{number}"));
        client.say("MULTI");
        for _ in 0..10 {
            client.say(&format!("CF.ADD {key} {copy}"));
        }
        client.ask(&with_items(&format!("CF.INSERT {key} ITEMS"), [&copy; 3]));
        let replies = client.say("EXEC");
        let added = replies.lines().filter(|&reply| reply == ":1").count();
        assert!(added <= 9, "{replies}");
        for _ in 0..added {
            says(client, &format!("CF.DEL {key} {copy}"), ":1");
        }
        says(client, &format!("CF.COUNT {key} {copy}"), ":~");
    }

    fn check(&self, client: &mut Client) {
        for items in self.items.chunks(1_000) {
            let reply = client.ask(&with_items(&format!("CF.MEXISTS {}", self.key), items));
            assert!(!reply.contains(":0"), "{} misses items", self.key);
        }
    }
}

/// Commands that fail in doublings leave replicas and logs equal.
///
/// A command that fails is not replicated. In a doubling it must change nothing either, or later
/// items are in other places there, and where growth ends other items are refused: after a failover
/// or a restart from the log, acknowledged items would be missing.
#[test]
fn failures_leave_replicas_and_logs_equal() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--appendfsync", "no"];
        let Some(primary) = Engine::start(kind, &log) else {
            continue;
        };
        let replica = Engine::start(kind, &[]).expect("as the other");
        replica.replicate(&primary);
        let mut client = primary.client();
        let grown = |key| Grown {
            key,
            items: Vec::new(),
            refused: 0,
        };
        let mut filters = ["m", "e"].map(grown);
        says(&mut client, "CF.RESERVE m 100 SEED 1", "+OK");
        says(&mut client, "CF.RESERVE e 100 ERROR 0.0004 SEED 1", "+OK");
        let is_same = |filters: &[Grown; 2], number: usize| {
            primary.wait_for_replica(&replica);
            for Grown { key, .. } in filters {
                assert!(
                    primary.has_the_same(&replica, key),
                    "{kind:?}: {key}, {number}"
                );
            }
        };
        let mut number = 0;
        while filters[1].refused < 200 {
            for filter in &mut filters {
                filter.go_on(&mut client, number);
            }
            number += 1;
            if number.is_multiple_of(200) {
                is_same(&filters, number);
            }
        }
        is_same(&filters, number);
        assert_eq!(primary.ask("DEBUG DIGEST"), replica.ask("DEBUG DIGEST"));
        assert_eq!(primary.number("sync_full"), 1);
        let dumps = || filters.each_ref().map(|filter| primary.dump(filter.key));
        let before = dumps();
        primary.kill();
        replica.says("REPLICAOF NO ONE", "+OK");
        primary.start_again();
        assert!(dumps() == before, "{kind:?}: the log");
        for engine in [&primary, &replica] {
            for filter in &filters {
                filter.check(&mut engine.client());
            }
            engine.check();
        }
    }
}

/// Replicates filters with the least capacity, with a bucket size, without one, and with a rate.
#[test]
fn replicas_make_the_smallest_filters() {
    on_each_pair(|kind, primary, replica| {
        let options = (1..=10).map(|size| format!("{} BUCKETSIZE {size}", 2 * size));
        let options = options.chain(["4".to_owned(), "4 ERROR 0.01".to_owned()]);
        let of_both_kinds = |options| [0, 2].map(|kind| format!("{options} EXPANSION {kind}"));
        let options: Vec<_> = options.flat_map(of_both_kinds).collect();
        for (key, options) in options.iter().enumerate() {
            primary.says(&format!("CF.RESERVE {key} {options}"), "+OK");
            primary.says(&format!("CF.ADD {key} a"), ":1");
        }
        primary.says("CF.INSERT x CAPACITY 4 ITEMS a", "*1 :1");
        primary.set("cf.capacity", 4);
        primary.says("CF.ADD y a", ":1");
        primary.wait_for_replica(replica);
        let keys = (0..options.len()).map(|key| key.to_string());
        for key in keys.chain(["x", "y"].map(str::to_owned)) {
            assert!(primary.has_the_same(replica, &key), "{kind:?}: {key}");
        }
    });
}
