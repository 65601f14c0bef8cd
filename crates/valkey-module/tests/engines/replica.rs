//! A filter that comes in chunks while the link to the replica is cut.

use crate::commands::{load, scan};
use crate::engine::{Engine, ask};
use crate::fetch::KINDS;
use crate::history::History;

#[test]
fn a_link_that_is_cut_in_the_middle_of_a_load_loses_nothing() {
    for kind in KINDS {
        let Some(primary) = Engine::start(kind, &[]) else {
            continue;
        };
        let options = ["--repl-diskless-load", "swapdb"];
        let replica = Engine::start(kind, &options).expect("as the other");
        let mut client = primary.client();
        assert_eq!(ask(&mut client, "CF.RESERVE f 2000000"), "+OK\r\n");
        for item in 0..50 {
            assert_eq!(ask(&mut client, &format!("CF.ADD f {item}")), ":1\r\n");
        }
        let chunks = scan(&mut client, "f");
        assert!(chunks.len() >= 4);
        replica.replicate(&primary);
        for (at, (iterator, bytes)) in chunks.iter().enumerate() {
            assert_eq!(load(&mut client, "g", *iterator, bytes), "+OK\r\n");
            match at {
                // It goes on from where it was.
                0 => {
                    ask(&mut client, "CLIENT KILL TYPE replica");
                }
                // It begins anew, and gets what is half loaded in the snapshot.
                1 => {
                    assert_eq!(replica.ask("REPLICAOF NO ONE"), "+OK\r\n");
                    assert_eq!(replica.ask("FLUSHALL"), "+OK\r\n");
                    replica.replicate(&primary);
                    let reply = replica.ask("CF.EXISTS g 7");
                    assert!(reply.starts_with("-ERR the filter is not whole"), "{reply}");
                }
                // And from a snapshot or a log of its own.
                2 => {
                    assert_eq!(ask(&mut client, "DEBUG RELOAD"), "+OK\r\n");
                }
                _ => {}
            }
        }
        replica.wait_for_link();
        primary.wait_for_replica(&replica);
        assert_eq!(replica.ask("CF.EXISTS g 7"), ":1\r\n");
        assert!(primary.dump("g") == primary.dump("f"));
        assert!(replica.dump("g") == primary.dump("f"));
        primary.check();
        replica.check();
    }
}

#[test]
fn a_replica_that_takes_over_has_all_and_obeys_its_own_limits() {
    for kind in KINDS {
        let Some((primary, replica)) = Engine::start_pair(kind) else {
            continue;
        };
        assert_eq!(
            replica.ask("CONFIG SET cf.max-filter-bytes 20kb"),
            "+OK\r\n"
        );
        let mut client = primary.client();
        let mut history = History::begin(&mut client, 9);
        history.go_on(&mut client, 10_000);
        assert_eq!(ask(&mut client, "CF.RESERVE large 100000"), "+OK\r\n");
        primary.wait_for_replica(&replica);
        primary.kill();
        assert_eq!(replica.ask("REPLICAOF NO ONE"), "+OK\r\n");
        history.check(&mut replica.client());
        assert_eq!(replica.ask("CF.ADD large a"), ":1\r\n");
        let reply = replica.ask("CF.RESERVE larger 100000");
        assert!(reply.starts_with("-ERR"), "{reply}");
        replica.check();
    }
}

#[test]
fn what_transactions_and_scripts_do_is_done_by_replicas_too() {
    for kind in KINDS {
        let Some((primary, replica)) = Engine::start_pair(kind) else {
            continue;
        };
        let mut client = primary.client();
        for line in [
            "MULTI",
            "CF.INSERTNX f ITEMS a b a c",
            "CF.RESERVE g 4 EXPANSION 0",
            "CF.INSERT g ITEMS 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
            "CF.DEL f b",
            "CF.DEL f none",
            "CF.INSERT s CAPACITY ITEMS a",
        ] {
            ask(&mut client, line);
        }
        let reply = ask(&mut client, "EXEC");
        assert!(reply.contains("Bad capacity"), "{reply}");
        let script = "
            redis.call('CF.ADDNX', KEYS[1], 'a')
            redis.call('CF.ADDNX', KEYS[1], 'a')
            redis.call('CF.INSERT', KEYS[1], 'CAPACITY', '9', 'ITEMS', 'x', 'y')
            return redis.call('CF.DEL', KEYS[1], 'x')";
        assert_eq!(client.ask(&["EVAL", script, "1", "h"]), ":1\r\n");
        primary.wait_for_replica(&replica);
        for key in ["f", "g", "h"] {
            assert!(primary.dump(key).len() > 100);
            assert!(primary.dump(key) == replica.dump(key), "{kind:?}: {key}");
        }
        assert_eq!(primary.info("sync_full").as_deref(), Some("1"));
        primary.check();
        replica.check();
    }
}

/// Where a client says a bucket size, or none, or a rate, with the least capacity that it may.
#[test]
fn the_smallest_filters_are_made_by_replicas_too() {
    for kind in KINDS {
        let Some((primary, replica)) = Engine::start_pair(kind) else {
            continue;
        };
        let options = (1..=10).map(|size| format!("{} BUCKETSIZE {size}", 2 * size));
        let options = options.chain(["4".to_owned(), "4 ERROR 0.01".to_owned()]);
        let of_both_kinds = |options| [0, 2].map(|kind| format!("{options} EXPANSION {kind}"));
        let options: Vec<_> = options.flat_map(of_both_kinds).collect();
        for (key, options) in options.iter().enumerate() {
            assert_eq!(
                primary.ask(&format!("CF.RESERVE {key} {options}")),
                "+OK\r\n"
            );
            assert_eq!(primary.ask(&format!("CF.ADD {key} a")), ":1\r\n");
        }
        assert_eq!(
            primary.ask("CF.INSERT x CAPACITY 4 ITEMS a"),
            "*1\r\n:1\r\n"
        );
        assert_eq!(primary.ask("CONFIG SET cf.capacity 4"), "+OK\r\n");
        assert_eq!(primary.ask("CF.ADD y a"), ":1\r\n");
        // What is told is a rate, and not the bucket size.
        let rate = "CONFIG SET cf.max-false-positive-rate 0.001";
        assert_eq!(primary.ask(rate), "+OK\r\n");
        assert_eq!(primary.ask("CF.RESERVE z 2 BUCKETSIZE 1"), "+OK\r\n");
        assert_eq!(primary.ask("CF.ADD z a"), ":1\r\n");
        primary.wait_for_replica(&replica);
        let keys = (0..options.len()).map(|key| key.to_string());
        for key in keys.chain(["x", "y", "z"].map(str::to_owned)) {
            assert!(primary.dump(&key).len() > 30);
            assert!(primary.dump(&key) == replica.dump(&key), "{kind:?}: {key}");
        }
        primary.check();
        replica.check();
    }
}
