//! Transfers: filters that are dumped and loaded chunk by chunk, with their memory, and with
//! failures.

use crate::engine::{Engine, on, on_each, on_each_pair, says, with_items};
use crate::fetch::Kind;
use crate::programs::exchange_filters;
use crate::wait::wait;
use crate::wire::{Client, Dump, chunk, request};

/// Returns the chunks of a filter of 4 MiB that held this item and some more, and is deleted.
fn chunks(client: &mut Client, item: &str) -> Dump {
    says(client, "CF.RESERVE large 2000000", "+OK");
    let more = (0..1_000).map(|number| format!("{item}{number}"));
    let insert = with_items(&format!("CF.INSERT large ITEMS {item}"), more);
    assert!(client.ask(&insert).ends_with(":1\r\n"));
    let chunks = client.dump("large", |_| {});
    assert!(chunks.len() >= 4);
    says(client, "DEL large", ":1");
    chunks
}

fn bytes_of(chunks: &Dump) -> usize {
    chunks.iter().map(|(_, bytes)| bytes.len()).sum()
}

/// Returns the memory of the only key, `f`, by the module's counts.
fn counted(engine: &Engine) -> usize {
    let (bytes, counted) = (engine.usage("f"), engine.number("cf_bytes"));
    assert!(counted.abs_diff(bytes) < 1 << 10, "{counted} of {bytes}");
    bytes
}

fn load_all(client: &mut Client, chunks: &[(i64, Vec<u8>)]) {
    for chunk in chunks {
        assert_eq!(client.load("f", chunk), "+OK\r\n");
    }
}

/// Checks that a load that does not fit is refused with its first chunk, and one that began is not
/// refused later.
#[test]
fn a_load_takes_all_its_memory_first() {
    on(Kind::Valkey9, |engine| {
        let mut client = engine.client();
        let chunks = chunks(&mut client, "a");
        let total = bytes_of(&chunks);
        let mut is_refused = || {
            let reply = client.load("f", &chunks[0]);
            assert!(reply.starts_with("-ERR not enough memory"), "{reply}");
        };
        // Either limit refuses it, and is counted.
        engine.set("cf.max-filter-bytes", 1 << 20);
        is_refused();
        engine.set("cf.max-filter-bytes", 128 << 20);
        let most = engine.number("used_memory") + total + (2 << 20);
        engine.set("maxmemory", most);
        is_refused();
        assert_eq!(engine.number("cf_refused_for_memory"), 2);
        engine.says("EXISTS f", ":0");
        // From the first chunk to the last it takes the same memory.
        engine.set("maxmemory", most + total);
        let mut used = Vec::new();
        for (at, one) in chunks.iter().enumerate() {
            load_all(&mut client, std::slice::from_ref(one));
            if at + 1 < chunks.len() {
                let bytes = counted(engine);
                let expected = total..total + (1 << 16);
                assert!(expected.contains(&bytes), "{at}: {bytes} of {total}");
                used.push(engine.number("used_memory"));
            }
        }
        let is_same = |now: &usize| now.abs_diff(used[0]) < 1 << 20;
        assert!(used.iter().all(is_same), "{used:?}");
        engine.says("CF.EXISTS f a", ":1");
    });
}

/// Checks that a half-loaded filter is counted with its size, also when it continues after a
/// snapshot.
#[test]
fn a_load_continues_after_a_snapshot() {
    on(Kind::Valkey9, |engine| {
        let mut client = engine.client();
        let chunks = chunks(&mut client, "a");
        load_all(&mut client, &chunks[..1]);
        assert_eq!(engine.number("cf_half_loaded"), 1);
        engine.says("DEBUG RELOAD", "+OK");
        assert_eq!(engine.number("cf_half_loaded"), 1);
        load_all(&mut client, &chunks[1..2]);
        counted(engine);
        load_all(&mut client, &chunks[2..]);
        assert_eq!(engine.number("cf_half_loaded"), 0);
        counted(engine);
        engine.says("CF.EXISTS f a", ":1");
    });
}

/// Checks that the checksum detects a chunk of another dump, with the last chunk. The first chunk
/// begins again.
#[test]
fn a_failed_load_can_begin_again() {
    on_each_pair(|_, primary, replica| {
        let mut client = primary.client();
        let (right, wrong) = (chunks(&mut client, "a"), chunks(&mut client, "b"));
        let mut mixed = right.clone();
        mixed[1].1.clone_from(&wrong[1].1);
        let (last, others) = mixed.split_last().expect("several");
        load_all(&mut client, others);
        let reply = client.load("f", last);
        assert!(reply.starts_with("-Couldn't load chunk!"), "{reply}");
        // Neither a middle chunk nor other bytes begin a load.
        let reply = client.load("f", &right[1]);
        assert!(reply.contains("the first chunk begins anew"), "{reply}");
        assert!(
            client
                .load("f", &(3, b"abc".to_vec()))
                .starts_with("-Couldn't load chunk!")
        );
        assert_eq!(primary.number("cf_half_loaded"), 1);
        load_all(&mut client, &right);
        primary.says("CF.EXISTS f a", ":1");
        assert_eq!(primary.number("cf_half_loaded"), 0);
        // A whole filter cannot begin again.
        let reply = client.load("f", &right[0]);
        assert_eq!(reply, "-ERR item exists\r\n");
        primary.wait_for_replica(replica);
        assert!(primary.has_the_same(replica, "f"));
    });
}

#[test]
fn programs_and_clients_exchange_filters() {
    on_each(|_, engine| exchange_filters(&mut engine.client()));
}

/// Dumps are bounded, and end with their filter.
///
/// Checks that a user who may only read makes the engine keep no more than one dump of a filter,
/// and all users no more than the operator allows.
#[test]
fn dumps_end_with_their_filter() {
    on(Kind::Valkey9, |engine| {
        let dumps = || (engine.number("cf_dumps"), engine.number("cf_dump_bytes"));
        engine.says("CF.RESERVE f 2000000", "+OK");
        engine.says("CF.ADD f a", ":1");
        let total = bytes_of(&engine.client().dump("f", |_| {}));
        assert_eq!(dumps(), (0, 0));
        let used = engine.number("used_memory");
        engine.says("ACL SETUSER reader on nopass ~* +@read", "+OK");
        let reader = || {
            let mut client = engine.client();
            says(&mut client, "AUTH reader x", "+OK");
            client
        };
        let begin = |client: &mut Client| {
            client.send(&request(&["CF.SCANDUMP", "f", "0"]));
            client.reply_bytes()
        };
        let mut first = reader();
        let mut iterator = 0;
        for _ in 0..30 {
            iterator = chunk(&begin(&mut first)).0;
        }
        assert_eq!(dumps(), (1, total));
        assert!(engine.number("used_memory") < used + 2 * total);
        // Other clients have their own dumps, as long as there is memory for all of them.
        engine.set("cf.max-dump-bytes", 3 * total);
        let mut others: Vec<_> = (0..4).map(|_| reader()).collect();
        let replies = others.iter_mut().map(begin);
        let refused: Vec<_> = replies.filter(|reply| reply[0] == b'-').collect();
        assert_eq!(refused.len(), 2);
        for reply in &refused {
            let words = String::from_utf8_lossy(reply);
            assert!(words.contains("cf.max-dump-bytes"), "{words}");
        }
        assert_eq!(dumps(), (3, 3 * total));
        assert_eq!(engine.number("cf_refused_for_memory"), 2);
        // It is a dump of this filter, whatever the name of its key, and of no other one.
        engine.says("RENAME f g", "+OK");
        engine.says("CF.RESERVE f 2000000", "+OK");
        engine.says("CF.ADD f a", ":1");
        let next = format!("CF.SCANDUMP f {iterator}");
        says(&mut first, &next, "-Invalid position");
        first.send(&request(&["CF.SCANDUMP", "g", &iterator.to_string()]));
        assert!(chunk(&first.reply_bytes()).1.is_some());
        engine.says("DEL g", ":1");
        wait("the dumps of what is gone", || {
            (dumps() == (0, 0)).then_some(())
        });
        assert_eq!(first.say(&next), "-Invalid position\r\n");
    });
}
