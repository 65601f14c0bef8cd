//! What replicas, copies, snapshots and logs have is the same, bit for bit, and stays so.

use std::collections::VecDeque;

use crate::engine::{Engine, ask};
use crate::fetch::{KINDS, Kind};
use crate::history::{History, Random};
use crate::wait::wait;
use crate::wire::request;

fn same(history: &History, what: &str, one: &Engine, other: &Engine) {
    for key in history.keys() {
        assert!(one.dump(key) == other.dump(key), "{what}: {key} differs");
    }
}

/// Waits for the end of a rewrite of the log.
pub(crate) fn wait_for_rewrite(engine: &Engine) {
    wait("the rewrite", || {
        let none = |name| engine.info(name).as_deref() == Some("0");
        (none("aof_rewrite_in_progress") && none("aof_rewrite_scheduled")).then_some(())
    });
    assert_eq!(
        engine.info("aof_last_bgrewrite_status").as_deref(),
        Some("ok")
    );
}

#[test]
fn replicas_copies_snapshots_and_logs_are_bit_identical() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--appendfsync", "no"];
        let Some(primary) = Engine::start(kind, &log) else {
            continue;
        };
        let options = if kind == Kind::Redis7 {
            vec![]
        } else {
            log.to_vec()
        };
        let replica = Engine::start(kind, &options).expect("as the other");
        // What the primary accepted counts, whatever the replica would allow its own clients.
        for setting in [
            "cf.max-filter-bytes 1024",
            "cf.max-item-bytes 1",
            "cf.capacity 77",
        ] {
            assert_eq!(replica.ask(&format!("CONFIG SET {setting}")), "+OK\r\n");
        }
        replica.replicate(&primary);
        let mut client = primary.client();
        let mut history = History::begin(&mut client, 1);
        for round in 0..3 {
            history.go_on(&mut client, 8_000);
            history.check(&mut client);
            primary.wait_for_replica(&replica);
            same(&history, "the replica", &primary, &replica);
            let before: Vec<_> = history.keys().iter().map(|key| primary.dump(key)).collect();
            let unchanged = |what: &str| {
                for (key, before) in history.keys().iter().zip(&before) {
                    assert!(primary.dump(key) == *before, "{what}: {key} differs");
                }
            };
            for key in history.keys() {
                assert_eq!(
                    primary.ask(&format!("COPY {key} copy-of-{key} REPLACE")),
                    ":1\r\n"
                );
                assert!(primary.dump(key) == primary.dump(&format!("copy-of-{key}")));
            }
            match round {
                0 => {
                    assert_eq!(primary.ask("DEBUG RELOAD"), "+OK\r\n");
                    unchanged("a snapshot");
                }
                1 => {
                    assert_eq!(primary.ask("DEBUG LOADAOF"), "+OK\r\n");
                    unchanged("a log");
                    assert_eq!(primary.ask("CONFIG SET aof-use-rdb-preamble no"), "+OK\r\n");
                    assert!(primary.ask("BGREWRITEAOF").starts_with('+'));
                    wait_for_rewrite(&primary);
                    assert_eq!(primary.ask("DEBUG LOADAOF"), "+OK\r\n");
                    unchanged("a rewritten log");
                }
                _ => {}
            }
            // From now on it refuses to grow, which the replica never hears of.
            if round == 0 {
                let limit = "CONFIG SET cf.max-filter-bytes 20kb";
                assert_eq!(primary.ask(limit), "+OK\r\n");
            }
        }
        let refused = primary.info("cf_refused_for_memory");
        assert_ne!(refused.as_deref(), Some("0"));
        primary.wait_for_replica(&replica);
        same(&history, "the replica at the end", &primary, &replica);
        assert_eq!(primary.ask("DEBUG DIGEST"), replica.ask("DEBUG DIGEST"));
        // It followed by the stream all the time.
        assert_eq!(primary.info("sync_full").as_deref(), Some("1"));
        primary.check();
        replica.check();
    }
}

/// By which operators compare a primary with its replica.
#[test]
fn what_differs_has_another_digest() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    let mut client = engine.client();
    assert_eq!(ask(&mut client, "CF.RESERVE f 1000000 SEED 1"), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.ADD f a"), ":1\r\n");
    let [(iterator, bytes), (next, more), ..] = &crate::commands::scan(&mut client, "f")[..] else {
        panic!("one chunk");
    };
    let mut digests = vec![engine.ask("DEBUG DIGEST-VALUE f")];
    for line in ["CF.ADD f b", "CF.DEL f b", "CF.ADD f c"] {
        assert_eq!(ask(&mut client, line), ":1\r\n");
        digests.push(engine.ask("DEBUG DIGEST-VALUE f"));
    }
    for (iterator, bytes) in [(iterator, bytes), (next, more)] {
        let reply = crate::commands::load(&mut client, "g", *iterator, bytes);
        assert_eq!(reply, "+OK\r\n");
        digests.push(engine.ask("DEBUG DIGEST-VALUE g"));
    }
    for (at, digest) in digests.iter().enumerate() {
        assert!(!digests[..at].contains(digest), "{at}: {digests:?}");
    }
    engine.check();
}

/// Its dump is several chunks of a rewritten log.
#[test]
fn a_large_filter_is_the_same_in_every_form() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--aof-use-rdb-preamble", "no"];
        let Some(engine) = Engine::start(kind, &log) else {
            continue;
        };
        assert_eq!(engine.ask("CF.RESERVE f 20000000"), "+OK\r\n");
        assert_eq!(engine.ask("CF.ADD f a"), ":1\r\n");
        let before = engine.dump("f");
        assert!(before.len() < 40 << 20, "not compressed");
        assert!(engine.ask("BGREWRITEAOF").starts_with('+'));
        wait_for_rewrite(&engine);
        assert_eq!(engine.ask("DEBUG LOADAOF"), "+OK\r\n");
        assert!(engine.dump("f") == before, "a log");
        assert_eq!(engine.ask("DEBUG RELOAD"), "+OK\r\n");
        assert!(engine.dump("f") == before, "a snapshot");
        engine.check();
    }
}

/// Also in the midst of a doubling, and whatever else their threads do.
#[test]
fn what_grows_and_is_made_smaller_is_the_same() {
    for kind in KINDS {
        let Some((primary, replica)) = Engine::start_pair(kind) else {
            continue;
        };
        let mut client = primary.client();
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.offload-items 100"),
            "+OK\r\n"
        );
        assert_eq!(ask(&mut client, "CF.RESERVE f 200 EXPANSION 2"), "+OK\r\n");
        let mut random = Random::new(3);
        let (mut there, mut next) = (VecDeque::new(), 0_usize);
        let mut smaller = 0;
        for round in 0..40 {
            let adds = random.below(3_000);
            // From some of them to all.
            let deletes = random.below(there.len() + adds + 1).max(adds / 2);
            let mut requests = Vec::new();
            for _ in 0..adds {
                requests.extend(request(&["CF.ADD", "f", &next.to_string()]));
                there.push_back(next);
                next += 1;
            }
            // Lookups that only the primary does, on its main thread and on workers.
            let lookups: Vec<String> = (0..500).map(|item| item.to_string()).collect();
            let lookup = ["CF.MEXISTS", "f"]
                .into_iter()
                .chain(lookups.iter().map(String::as_str));
            let lookup = request(&lookup.collect::<Vec<_>>());
            let mut others: Vec<_> = (0..2).map(|_| primary.client()).collect();
            for other in &mut others {
                other.send(&lookup.repeat(20));
            }
            let deletes = deletes.min(there.len());
            for item in there.drain(..deletes) {
                requests.extend(request(&["CF.DEL", "f", &item.to_string()]));
            }
            client.send(&requests);
            for _ in 0..adds + deletes {
                assert_eq!(client.reply(), ":1\r\n");
            }
            // While workers look items up.
            if round % 5 == 4 {
                let before = buckets(&primary);
                assert_eq!(ask(&mut client, "CF.COMPACT f"), "+OK\r\n");
                smaller += usize::from(buckets(&primary) < before);
            }
            for other in &mut others {
                (0..20).for_each(|_| drop(other.reply()));
            }
            // Saved by the primary alone.
            if round % 7 == 2 {
                assert_eq!(primary.ask("SAVE"), "+OK\r\n");
            }
            primary.wait_for_replica(&replica);
            assert!(
                primary.dump("f") == replica.dump("f"),
                "{kind:?}: round {round}"
            );
            if round % 7 == 3 {
                assert_eq!(primary.ask("DEBUG RELOAD"), "+OK\r\n");
                assert!(
                    primary.dump("f") == replica.dump("f"),
                    "{kind:?}: round {round}, loaded"
                );
            }
            for item in &there {
                client.send(&request(&["CF.EXISTS", "f", &item.to_string()]));
            }
            for item in &there {
                assert_eq!(client.reply(), ":1\r\n", "{item}");
            }
        }
        assert!(smaller > 0, "it was never made smaller");
        primary.check();
        replica.check();
    }
}

fn buckets(engine: &Engine) -> usize {
    let info = engine.ask("CF.INFO f");
    let mut lines = info
        .lines()
        .skip_while(|line| *line != "+Number of buckets");
    let line = lines.nth(1).expect("a number");
    line.trim_start_matches(':').parse().expect("a number")
}
