//! Equality: replicas, copies, snapshots and logs have the same data, bit for bit, and keep it.

use std::collections::VecDeque;

use crate::engine::{Engine, on, on_each_pair, says};
use crate::fetch::{KINDS, Kind};
use crate::history::{History, Random};
use crate::wire::request;

/// Replicas, copies, snapshots and logs are bit-identical.
#[test]
fn all_copies_are_bit_identical() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--appendfsync", "no"];
        let Some(primary) = Engine::start(kind, &log) else {
            continue;
        };
        let options = if kind == Kind::Redis7 { &[][..] } else { &log };
        let replica = Engine::start(kind, options).expect("as the other");
        // Commands of the primary are obeyed, whatever the replica would allow its own clients.
        replica.set("cf.max-filter-bytes", 1024);
        replica.set("cf.max-item-bytes", 1);
        replica.set("cf.capacity", 77);
        replica.replicate(&primary);
        let mut client = primary.client();
        let mut history = History::begin(&mut client, 1);
        for round in 0..3 {
            history.go_on(&mut client, 8_000);
            history.check(&mut client);
            primary.wait_for_replica(&replica);
            let dumps = || History::keys().map(|key| primary.dump(key));
            let before = dumps();
            let unchanged = |what: &str| assert!(dumps() == before, "{what}");
            for key in History::keys() {
                assert!(primary.has_the_same(&replica, key), "the replica: {key}");
                let copy = format!("copy-of-{key}");
                primary.says(&format!("COPY {key} {copy} REPLACE"), ":1");
                assert!(primary.dump(key) == primary.dump(&copy), "a copy: {key}");
            }
            match round {
                0 => {
                    primary.says("DEBUG RELOAD", "+OK");
                    unchanged("a snapshot");
                    // From now on the primary refuses to grow, which the replica is not told.
                    primary.set("cf.max-filter-bytes", "20kb");
                }
                1 => {
                    primary.says("DEBUG LOADAOF", "+OK");
                    unchanged("a log");
                    primary.set("aof-use-rdb-preamble", "no");
                    primary.rewrite_log();
                    primary.says("DEBUG LOADAOF", "+OK");
                    unchanged("a rewritten log");
                }
                _ => {}
            }
        }
        assert_ne!(primary.number("cf_refused_for_memory"), 0);
        primary.wait_for_replica(&replica);
        for key in History::keys() {
            assert!(primary.has_the_same(&replica, key), "at the end: {key}");
        }
        assert_eq!(primary.ask("DEBUG DIGEST"), replica.ask("DEBUG DIGEST"));
        // It followed by the stream all the time.
        assert_eq!(primary.number("sync_full"), 1);
        primary.check();
        replica.check();
    }
}

/// Checks digests, by which operators compare a primary with its replica.
#[test]
fn different_data_have_different_digests() {
    on(Kind::Valkey9, |engine| {
        let mut client = engine.client();
        says(&mut client, "CF.RESERVE f 1000000 SEED 1", "+OK");
        says(&mut client, "CF.ADD f a", ":1");
        let chunks = client.dump("f", |_| {});
        assert!(chunks.len() > 2);
        let mut digests = vec![engine.ask("DEBUG DIGEST-VALUE f")];
        for line in ["CF.ADD f b", "CF.DEL f b", "CF.ADD f c"] {
            says(&mut client, line, ":1");
            digests.push(engine.ask("DEBUG DIGEST-VALUE f"));
        }
        for chunk in &chunks[..2] {
            assert_eq!(client.load("g", chunk), "+OK\r\n");
            digests.push(engine.ask("DEBUG DIGEST-VALUE g"));
        }
        for (at, digest) in digests.iter().enumerate() {
            assert!(!digests[..at].contains(digest), "{at}: {digests:?}");
        }
    });
}

/// Checks a filter whose dump is several chunks of a rewritten log.
#[test]
fn a_large_filter_is_the_same_in_every_form() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--aof-use-rdb-preamble", "no"];
        let Some(engine) = Engine::start(kind, &log) else {
            continue;
        };
        engine.says("CF.RESERVE f 20000000", "+OK");
        engine.says("CF.ADD f a", ":1");
        let before = engine.dump("f");
        assert!(before.len() < 40 << 20, "not compressed");
        engine.rewrite_log();
        for form in ["DEBUG LOADAOF", "DEBUG RELOAD"] {
            engine.says(form, "+OK");
            assert!(engine.dump("f") == before, "{form}");
        }
        engine.check();
    }
}

/// Checks growth and `CF.COMPACT`, also during a doubling.
#[test]
fn growth_and_compaction_keep_equality() {
    on_each_pair(|kind, primary, replica| {
        let mut client = primary.client();
        says(&mut client, "CF.RESERVE f 200 EXPANSION 2", "+OK");
        let is_same = |what: &str, round: usize| {
            let is_same = primary.has_the_same(replica, "f");
            assert!(is_same, "{kind:?}: round {round}, {what}");
        };
        let mut random = Random::new(3);
        let (mut there, mut next) = (VecDeque::new(), 0_usize);
        let mut smaller = 0;
        for round in 0..40 {
            let adds = random.below(3_000);
            // Delete some of them, or all.
            let deletes = random.below(there.len() + adds + 1).max(adds / 2);
            let mut requests = Vec::new();
            for item in next..next + adds {
                requests.extend(request(&["CF.ADD", "f", &item.to_string()]));
                there.push_back(item);
            }
            next += adds;
            let deletes = deletes.min(there.len());
            for item in there.drain(..deletes) {
                requests.extend(request(&["CF.DEL", "f", &item.to_string()]));
            }
            client.send(&requests);
            for _ in 0..adds + deletes {
                assert_eq!(client.reply(), ":1\r\n");
            }
            if round % 5 == 4 {
                let buckets = || primary.number_in("CF.INFO f", "+Number of buckets :");
                let before = buckets();
                says(&mut client, "CF.COMPACT f", "+OK");
                smaller += usize::from(buckets() < before);
            }
            // Only the primary saves.
            if round % 7 == 2 {
                primary.says("SAVE", "+OK");
            }
            primary.wait_for_replica(replica);
            is_same("told", round);
            if round % 7 == 3 {
                primary.says("DEBUG RELOAD", "+OK");
                is_same("loaded", round);
            }
            for item in &there {
                client.send(&request(&["CF.EXISTS", "f", &item.to_string()]));
            }
            for item in &there {
                assert_eq!(client.reply(), ":1\r\n", "{item}");
            }
        }
        assert!(smaller > 0, "it was never made smaller");
    });
}
