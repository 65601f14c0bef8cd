//! Filters that go out and come in chunk by chunk: what they take meanwhile, and what becomes of those that go wrong.

use crate::commands::{load, scan};
use crate::engine::{Engine, ask};
use crate::fetch::Kind;
use crate::wait::wait;
use crate::wire::{Client, chunk, request};

fn number(engine: &Engine, name: &str) -> usize {
    let value = engine.info(name).unwrap_or_else(|| panic!("no {name}"));
    value.parse().expect("a number")
}

fn set(client: &mut Client, setting: &str, value: usize) {
    let line = format!("CONFIG SET {setting} {value}");
    assert_eq!(ask(client, &line), "+OK\r\n");
}

/// The chunks of a filter of 4 MiB that holds this item and some more, and is gone.
fn chunks(client: &mut Client, item: &str) -> Vec<(i64, Vec<u8>)> {
    assert_eq!(ask(client, "CF.RESERVE large 2000000"), "+OK\r\n");
    let items: Vec<String> = (0..1_000).map(|number| format!("{item}{number}")).collect();
    let insert = ["CF.INSERT", "large", "ITEMS", item].into_iter();
    let insert: Vec<&str> = insert.chain(items.iter().map(String::as_str)).collect();
    assert!(client.ask(&insert).ends_with(":1\r\n"));
    let chunks = scan(client, "large");
    assert!(chunks.len() >= 4);
    assert_eq!(ask(client, "DEL large"), ":1\r\n");
    chunks
}

fn usage(client: &mut Client, key: &str) -> usize {
    let reply = ask(client, &format!("MEMORY USAGE {key}"));
    let number = reply.trim_start_matches(':').trim();
    number.parse().expect("a number")
}

/// The memory of the only key, `f`, which is what the module counts.
fn counted(engine: &Engine, client: &mut Client) -> usize {
    let bytes = usage(client, "f");
    let counted = number(engine, "cf_bytes");
    assert!(counted.abs_diff(bytes) < 1 << 10, "{counted} of {bytes}");
    bytes
}

fn load_all(client: &mut Client, key: &str, chunks: &[(i64, Vec<u8>)]) {
    for (iterator, bytes) in chunks {
        assert_eq!(load(client, key, *iterator, bytes), "+OK\r\n");
    }
}

/// A load that does not fit is refused with its first chunk, and one that began is not refused later.
#[test]
fn a_load_asks_for_all_its_memory_at_first() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    let mut client = engine.client();
    let chunks = chunks(&mut client, "a");
    let total: usize = chunks.iter().map(|(_, bytes)| bytes.len()).sum();
    let (iterator, first) = &chunks[0];
    // It is refused by either limit, and counted.
    set(&mut client, "cf.max-filter-bytes", 1 << 20);
    let reply = load(&mut client, "f", *iterator, first);
    assert!(reply.starts_with("-ERR not enough memory"), "{reply}");
    set(&mut client, "cf.max-filter-bytes", 128 << 20);
    let most = number(&engine, "used_memory") + total + (2 << 20);
    set(&mut client, "maxmemory", most);
    let reply = load(&mut client, "f", *iterator, first);
    assert!(reply.starts_with("-ERR not enough memory"), "{reply}");
    assert_eq!(number(&engine, "cf_refused_for_memory"), 2);
    assert_eq!(ask(&mut client, "EXISTS f"), ":0\r\n");
    // What it takes from the first chunk on is what it takes until the last.
    set(&mut client, "maxmemory", most + total);
    let mut used = Vec::new();
    for (at, (iterator, bytes)) in chunks.iter().enumerate() {
        assert_eq!(load(&mut client, "f", *iterator, bytes), "+OK\r\n", "{at}");
        if at + 1 < chunks.len() {
            let bytes = counted(&engine, &mut client);
            assert!(
                (total..total + (1 << 16)).contains(&bytes),
                "{at}: {bytes} of {total}"
            );
            used.push(number(&engine, "used_memory"));
        }
    }
    assert!(
        used.iter().all(|now| now.abs_diff(used[0]) < 1 << 20),
        "{used:?}"
    );
    assert_eq!(ask(&mut client, "CF.EXISTS f a"), ":1\r\n");
    engine.check();
}

/// What is half loaded is counted as large as it is, also when it goes on after a snapshot.
#[test]
fn a_load_goes_on_after_a_snapshot_and_is_counted() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    let mut client = engine.client();
    let chunks = chunks(&mut client, "a");
    let [first, second, rest @ ..] = &chunks[..] else {
        panic!("too few");
    };
    assert_eq!(load(&mut client, "f", first.0, &first.1), "+OK\r\n");
    assert_eq!(number(&engine, "cf_half_loaded"), 1);
    assert_eq!(ask(&mut client, "DEBUG RELOAD"), "+OK\r\n");
    assert_eq!(number(&engine, "cf_half_loaded"), 1);
    assert_eq!(load(&mut client, "f", second.0, &second.1), "+OK\r\n");
    counted(&engine, &mut client);
    load_all(&mut client, "f", rest);
    assert_eq!(number(&engine, "cf_half_loaded"), 0);
    counted(&engine, &mut client);
    assert_eq!(ask(&mut client, "CF.EXISTS f a"), ":1\r\n");
    engine.check();
}

/// A chunk of another dump is found by the checksum, with the last one. The first one begins anew.
#[test]
fn a_load_that_went_wrong_begins_anew() {
    let Some((primary, replica)) = Engine::start_pair(Kind::Valkey9) else {
        return;
    };
    let mut client = primary.client();
    let (right, wrong) = (chunks(&mut client, "a"), chunks(&mut client, "b"));
    let last = right.len() - 1;
    for (at, (iterator, bytes)) in right.iter().enumerate() {
        let bytes = if at == 1 { &wrong[1].1 } else { bytes };
        let reply = load(&mut client, "f", *iterator, bytes);
        if at == last {
            assert!(reply.starts_with("-Couldn't load chunk!"), "{reply}");
        } else {
            assert_eq!(reply, "+OK\r\n", "{at}");
        }
    }
    // Neither the middle nor what is no dump begins anything.
    let reply = load(&mut client, "f", right[1].0, &right[1].1);
    assert!(reply.contains("the first chunk begins anew"), "{reply}");
    assert!(load(&mut client, "f", 3, b"abc").starts_with("-Couldn't load chunk!"));
    assert_eq!(number(&primary, "cf_half_loaded"), 1);
    load_all(&mut client, "f", &right);
    assert_eq!(ask(&mut client, "CF.EXISTS f a"), ":1\r\n");
    assert_eq!(number(&primary, "cf_half_loaded"), 0);
    // Not one that is whole.
    let reply = load(&mut client, "f", right[0].0, &right[0].1);
    assert_eq!(reply, "-ERR item exists\r\n");
    primary.wait_for_replica(&replica);
    assert!(primary.dump("f") == replica.dump("f"));
    primary.check();
    replica.check();
}

/// A user who may only read makes the engine keep no more than one dump of a filter, and all users no more than the
/// operator allows.
#[test]
fn dumps_are_bounded_and_go_with_their_filter() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    let mut client = engine.client();
    assert_eq!(ask(&mut client, "CF.RESERVE f 2000000"), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.ADD f a"), ":1\r\n");
    let total: usize = scan(&mut client, "f")
        .iter()
        .map(|(_, bytes)| bytes.len())
        .sum();
    assert_eq!(
        (
            number(&engine, "cf_dumps"),
            number(&engine, "cf_dump_bytes")
        ),
        (0, 0)
    );
    let used = number(&engine, "used_memory");
    let user = "ACL SETUSER reader on nopass ~* +@read";
    assert_eq!(ask(&mut client, user), "+OK\r\n");
    let reader = || {
        let mut client = engine.client();
        assert_eq!(ask(&mut client, "AUTH reader x"), "+OK\r\n");
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
    assert_eq!(number(&engine, "cf_dumps"), 1);
    assert_eq!(number(&engine, "cf_dump_bytes"), total);
    assert!(number(&engine, "used_memory") < used + 2 * total);
    // Others have their own, as long as there is memory for all of them.
    set(&mut client, "cf.max-dump-bytes", 3 * total);
    let mut others: Vec<_> = (0..4).map(|_| reader()).collect();
    let refused = others
        .iter_mut()
        .map(begin)
        .filter(|reply| reply[0] == b'-');
    let refused: Vec<_> = refused.collect();
    let [one, other] = &refused[..] else {
        panic!("{} refused", refused.len());
    };
    let words = String::from_utf8_lossy(one);
    assert!(
        one == other && words.contains("cf.max-dump-bytes"),
        "{words}"
    );
    assert_eq!(
        (
            number(&engine, "cf_dumps"),
            number(&engine, "cf_dump_bytes")
        ),
        (3, 3 * total)
    );
    assert_eq!(number(&engine, "cf_refused_for_memory"), 2);
    // It is a dump of this filter, whatever its key is called, and of no other one.
    assert_eq!(ask(&mut client, "RENAME f g"), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.RESERVE f 2000000"), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.ADD f a"), ":1\r\n");
    let reply = ask(&mut first, &format!("CF.SCANDUMP f {iterator}"));
    assert_eq!(reply, "-Invalid position\r\n");
    first.send(&request(&["CF.SCANDUMP", "g", &iterator.to_string()]));
    assert!(chunk(&first.reply_bytes()).1.is_some());
    assert_eq!(ask(&mut client, "DEL g"), ":1\r\n");
    wait("the dumps of what is gone", || {
        (engine.info("cf_dumps")? == "0").then_some(())
    });
    assert_eq!(number(&engine, "cf_dump_bytes"), 0);
    let reply = ask(&mut first, &format!("CF.SCANDUMP f {iterator}"));
    assert_eq!(reply, "-Invalid position\r\n");
    engine.check();
}
