//! Replicas: cut links, takeovers, and effects that are replicated in other words.

use crate::engine::{Engine, on_each, on_each_pair, says};
use crate::history::History;

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

#[test]
fn a_replica_that_takes_over_has_all_data_and_its_own_limits() {
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
