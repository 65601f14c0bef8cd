//! The other lines of the README's table.

use std::sync::Barrier;
use std::thread;

use super::many::{many, number, with};
use super::{Case, Trial};
use crate::wire::{Client, request};

/// By what the README has in the first column.
pub(super) const ALL: [Case; 10] = [
    ("copies of one item", copies),
    ("`CF.ADDNX`", addnx),
    ("`CF.INSERT` and transactions", insert_and_transactions),
    (
        "`CF.INSERT` in RESP3, no room for an item",
        refused_in_resp3,
    ),
    ("`CF.SCANDUMP`", scandump),
    ("an iterator that was not given out", iterators),
    ("`CF.LOADCHUNK`", loadchunk),
    (
        "`CF.LOADCHUNK`, the filter exists",
        loadchunk_of_an_existing_filter,
    ),
    ("`CF.LOADCHUNK`, a chunk is wrong", wrong_chunk),
    ("expiry, replication, append-only log, ACLs, Lua", others),
];

fn copies(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64 EXPANSION 2", "+OK");
    trial.each(0..8, "CF.ADD f same", ":1");
    trial.differ("CF.ADD f same", ":1", "-ERR~");
    let grown = "~Number of filters\n:3\n~";
    trial.differ("CF.INFO f", grown, "~Number of buckets\n:32\n~");
    trial.differ("CF.COUNT f same", ":9", ":8");
}

fn addnx(trial: &mut Trial) {
    const CLIENTS: usize = 4;
    let (address, start) = (trial.address, Barrier::new(CLIENTS));
    let race = || -> Vec<usize> {
        let mut client = Client::connect(address);
        let items = 0..200;
        let won = items.filter(|item| {
            start.wait();
            client.ask(&["CF.ADDNX", "f", &item.to_string()]) == ":1\r\n"
        });
        won.collect()
    };
    let won: Vec<usize> = thread::scope(|scope| {
        let racers: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(race)).collect();
        let won = racers.into_iter();
        won.flat_map(|racer| racer.join().expect("a racer"))
            .collect()
    });
    // One of the clients adds an item, but for those few that pass for others.
    let mut each = won.clone();
    each.sort_unstable();
    each.dedup();
    assert_eq!(each.len(), won.len(), "two clients added one item");
    assert!(each.len() > 190, "{} items", each.len());
    trial.each(0..200, "CF.EXISTS f {}", ":1");
}

/// Whether others see a part of what one transaction adds.
fn insert_and_transactions(trial: &mut Trial) {
    let insert = request(&with("CF.INSERT f ITEMS", 0..100_000));
    let mut other = Client::connect(trial.address);
    let mut between = 0;
    // On a busy machine it can be over before the other looks.
    for _ in 0..if trial.is_redisbloom { 5 } else { 500 } {
        trial.both("FLUSHALL", "+OK");
        trial.both("CF.RESERVE f 200000", "+OK");
        trial.both("MULTI", "+OK");
        trial.client.send(&insert);
        assert_eq!(trial.client.reply(), "+QUEUED\r\n");
        trial.both("CF.ADD f last", "+QUEUED");
        trial.client.send(b"EXEC\r\n");
        let mut seen = 0;
        while seen < 100_001 {
            seen = number(&other.ask(&["CF.INFO", "f"]), "Number of items inserted");
            between += usize::from(seen > 0 && seen < 100_001);
        }
        trial.client.reply();
        if between > 0 {
            break;
        }
    }
    assert_eq!(between == 0, trial.is_redisbloom, "{between} times");
}

fn refused_in_resp3(trial: &mut Trial) {
    trial.both("CF.RESERVE f 4 EXPANSION 0", "+OK");
    many(trial, "CF.INSERT f ITEMS", 1000);
    trial.both("CF.INSERT f ITEMS late", "*1\n:-1");
    trial.speak_resp3();
    trial.differ("CF.INSERT f ITEMS late", "*1\n#f", "*1\n:-1");
    trial.both("CF.INSERTNX f ITEMS late", "*1\n:-1");
}

fn scandump(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64 EXPANSION 2", "+OK");
    trial.both("CF.ADD f a", ":1");
    let chunks = trial.dump_after_first("f", "CF.ADD f late");
    for (iterator, bytes) in chunks {
        assert_eq!(trial.load("copy", iterator, &bytes), "+OK\r\n");
    }
    trial.both("CF.EXISTS copy a", ":1");
    trial.differ("CF.EXISTS copy late", ":1", ":0");
}

fn iterators(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64", "+OK");
    trial.both("CF.ADD f a", ":1");
    trial.differ("CF.SCANDUMP f 7", "*2\n:~", "-Invalid position");
}

fn loadchunk(trial: &mut Trial) {
    trial.both("CF.RESERVE f 1000000", "+OK");
    trial.both("CF.ADD f a", ":1");
    let chunks = trial.dump("f", |_| {});
    let last = chunks.len() - 1;
    assert!(last > 0);
    for (index, (iterator, bytes)) in chunks.iter().enumerate() {
        assert_eq!(trial.load("copy", *iterator, bytes), "+OK\r\n");
        if index == last {
            trial.both("EXISTS copy", ":1");
        } else {
            trial.differ("EXISTS copy", ":1", ":0");
        }
    }
    trial.both("CF.EXISTS copy a", ":1");
    // The header of a filter of RedisBloom: an item, a bucket, a filter.
    let mut header = [0; 38];
    for at in [12, 24, 32, 34, 36] {
        header[at] = 1;
    }
    let reply = trial.load("other", 1, &header);
    assert_eq!(reply == "+OK\r\n", trial.is_redisbloom, "{reply}");
}

fn loadchunk_of_an_existing_filter(trial: &mut Trial) {
    trial.both("CF.RESERVE f 64", "+OK");
    trial.both("CF.ADD f a", ":1");
    let chunks = trial.dump("f", |_| {});
    let (iterator, bytes) = chunks.last().expect("a chunk");
    let reply = trial.load("f", *iterator, bytes);
    let expected = if trial.is_redisbloom {
        "+OK\r\n"
    } else {
        "-ERR item exists\r\n"
    };
    assert_eq!(reply, expected);
}

fn wrong_chunk(trial: &mut Trial) {
    let this = "-Couldn't load chunk! it does not begin like a dump of this server";
    trial.differ("CF.LOADCHUNK f 3 abc", "-ERR not found", this);
    trial.both("CF.RESERVE f 64", "+OK");
    let exists = "-ERR item exists";
    trial.differ("CF.LOADCHUNK f 3 abc", "-Couldn't load chunk!", exists);
}

fn others(trial: &mut Trial) {
    trial.both("CF.ADD f a", ":1");
    let unknown = "-ERR unknown command~";
    trial.differ("EXPIRE f 100", ":1", unknown);
    trial.differ("REPLICAOF no one", "+OK", unknown);
    trial.differ("BGREWRITEAOF", "+Background~", unknown);
    trial.differ("ACL WHOAMI", "$7\ndefault", unknown);
    trial.differ("EVAL return(1) 0", ":1", unknown);
}

impl Trial {
    /// A dump of a filter to which something is done behind its first chunk.
    fn dump_after_first(&mut self, key: &str, then: &str) -> super::dumps::Dump {
        let asked = std::cell::Cell::new(0);
        self.dump(key, |trial| {
            asked.set(asked.get() + 1);
            if asked.get() == 2 {
                trial.both(then, ":1");
            }
        })
    }
}
