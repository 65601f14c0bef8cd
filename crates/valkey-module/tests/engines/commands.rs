//! Every command, in both versions of the protocol, on each of the engines.

use crate::engine::{Engine, ask};
use crate::fetch::KINDS;
use crate::wire::{Client, request};

/// What is asked, and the replies in RESP2 and RESP3; none for the same reply.
type Row = (&'static str, &'static str, Option<&'static str>);

const TABLE: [Row; 43] = [
    ("CF.DEBUG f", "-ERR not found", None),
    ("CF.EXISTS f a", ":0", Some("#f")),
    ("CF.MEXISTS f a b", "*2\n:0\n:0", Some("*2\n#f\n#f")),
    ("CF.COUNT f a", ":0", None),
    ("CF.DEL f a", "-Not found", None),
    ("CF.INFO f", "-ERR not found", None),
    ("CF.INSERT f NOCREATE ITEMS a", "-ERR not found", None),
    ("CF.COMPACT f", "-Cuckoo filter was not found", None),
    ("CF.SCANDUMP f 0", "-ERR not found", None),
    ("CF.RESERVE f 1000 EXPANSION 2 SEED 7", "+OK", None),
    ("CF.RESERVE f 1000", "-ERR item exists", None),
    ("CF.ADD f a", ":1", Some("#t")),
    ("CF.ADD f a", ":1", Some("#t")),
    ("CF.ADDNX f a", ":0", Some("#f")),
    ("CF.ADDNX f b", ":1", Some("#t")),
    ("CF.COUNT f a", ":2", None),
    ("CF.INSERT f ITEMS a c", "*2\n:1\n:1", Some("*2\n#t\n#t")),
    ("CF.INSERTNX f ITEMS a d d", "*3\n:0\n:1\n:0", None),
    (
        "CF.MEXISTS f a z d",
        "*3\n:1\n:0\n:1",
        Some("*3\n#t\n#f\n#t"),
    ),
    ("CF.EXISTS f a", ":1", Some("#t")),
    ("CF.DEL f a", ":1", Some("#t")),
    ("CF.DEL f z", ":0", Some("#f")),
    ("CF.COUNT f a", ":2", None),
    ("CF.COMPACT f", "+OK", None),
    (
        "CF.INFO f",
        "*16\n+Size\n:~\n+Number of buckets\n:512\n+Number of filters\n:1\n+Number of items inserted\n:5\n+Number of items deleted\n:1\n+Bucket size\n:4\n+Expansion rate\n:2\n+Max iterations\n:20",
        Some(
            "%8\n+Size\n:~\n+Number of buckets\n:512\n+Number of filters\n:1\n+Number of items inserted\n:5\n+Number of items deleted\n:1\n+Bucket size\n:4\n+Expansion rate\n:2\n+Max iterations\n:20",
        ),
    ),
    (
        "CF.DEBUG f",
        "$~bktsize:4 buckets:512 items:5 deletes:1 filters:1 max_iterations:20 expansion:2",
        None,
    ),
    ("CF.SCANDUMP f -1", "-Invalid position", None),
    ("CF.SCANDUMP f x", "-Invalid position", None),
    ("CF.LOADCHUNK f 3 abc", "-ERR item exists", None),
    ("CF.LOADCHUNK g 3 abc", "-Couldn't load chunk! ~", None),
    ("EXISTS g", ":0", None),
    ("CF.INSERT g CAPACITY 100 ITEMS x", "*1\n:1", Some("*1\n#t")),
    ("CF.ADD h x", ":1", Some("#t")),
    ("TYPE h", "+lfcuckoof", None),
    (
        "CF.ADD f",
        "-ERR wrong number of arguments for 'cf.add' command",
        None,
    ),
    ("CF.RESERVE i x", "-Bad capacity", None),
    ("CF.RESERVE i 10 SEED x", "-ERR SEED: ~", None),
    ("CF.RESERVE i 10 ERROR 0.001 SEED 3", "+OK", None),
    ("SET s 1", "+OK", None),
    ("CF.ADD s a", "-WRONGTYPE ~", None),
    ("CF.EXISTS s a", ":0", Some("#f")),
    ("CF.RESERVE s 10", "-WRONGTYPE ~", None),
    ("GET f", "-WRONGTYPE ~", None),
];

#[test]
fn every_command_on_each_engine() {
    for kind in KINDS {
        let Some(engine) = Engine::start(kind, &[]) else {
            continue;
        };
        for is_resp3 in [false, true] {
            assert_eq!(engine.ask("FLUSHALL"), "+OK\r\n");
            let mut client = engine.client();
            if is_resp3 {
                speak_resp3(&mut client);
            }
            for (line, resp2, resp3) in TABLE {
                let expected = if is_resp3 {
                    resp3.unwrap_or(resp2)
                } else {
                    resp2
                };
                let reply = ask(&mut client, line).replace("\r\n", "\n");
                let reply = reply.trim_end();
                assert!(
                    fits(expected, reply),
                    "{kind:?}: {line}: {reply}, not {expected}"
                );
            }
        }
        engine.check();
    }
}

pub(crate) fn speak_resp3(client: &mut Client) {
    client.say("HELLO 3");
}

/// Whether a text is like a pattern, in which `~` stands for anything.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('~');
    let Some(mut rest) = text.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let mut last = "";
    let mut is_exact = true;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        (last, is_exact) = (part, false);
    }
    rest.is_empty() || !is_exact && (last.is_empty() || rest.ends_with(last))
}

#[test]
fn a_dump_is_loaded_as_the_same_filter() {
    for kind in KINDS {
        let Some(engine) = Engine::start(kind, &[]) else {
            continue;
        };
        let mut client = engine.client();
        assert_eq!(ask(&mut client, "CF.RESERVE f 1000000"), "+OK\r\n");
        for item in 0..100 {
            assert_eq!(ask(&mut client, &format!("CF.ADD f {item}")), ":1\r\n");
        }
        let chunks = scan(&mut client, "f");
        assert!(chunks.len() > 1, "{kind:?}");
        for (at, (iterator, bytes)) in chunks.iter().enumerate() {
            assert_eq!(load(&mut client, "g", *iterator, bytes), "+OK\r\n");
            let reply = ask(&mut client, "CF.EXISTS g 7");
            if at + 1 < chunks.len() {
                assert!(reply.starts_with("-ERR the filter is not whole"), "{reply}");
            } else {
                assert_eq!(reply, ":1\r\n");
            }
        }
        assert_eq!(engine.dump("f"), engine.dump("g"));
        // In the newer protocol nothing is what it is there.
        assert_eq!(ask(&mut client, "CF.ADD h a"), ":1\r\n");
        speak_resp3(&mut client);
        client.send(&request(&["CF.SCANDUMP", "h", "0"]));
        let reply = client.reply_bytes();
        let first = String::from_utf8_lossy(&reply[..40]).into_owned();
        let iterator = first
            .lines()
            .nth(1)
            .expect("a number")
            .trim_start_matches(':');
        let reply = ask(&mut client, &format!("CF.SCANDUMP h {iterator}"));
        assert_eq!(reply, "*2\r\n:0\r\n_\r\n");
        engine.check();
    }
}

/// All chunks of a filter.
pub(crate) fn scan(client: &mut Client, key: &str) -> Vec<(i64, Vec<u8>)> {
    let (mut chunks, mut iterator) = (Vec::new(), 0);
    loop {
        client.send(&request(&["CF.SCANDUMP", key, &iterator.to_string()]));
        let (next, bytes) = crate::wire::chunk(&client.reply_bytes());
        let Some(bytes) = bytes else {
            return chunks;
        };
        chunks.push((next, bytes));
        iterator = next;
    }
}

pub(crate) fn load(client: &mut Client, key: &str, iterator: i64, bytes: &[u8]) -> String {
    let iterator = iterator.to_string();
    let words: [&[u8]; 4] = [b"CF.LOADCHUNK", key.as_bytes(), iterator.as_bytes(), bytes];
    client.ask(&words)
}

#[test]
fn the_commands_have_another_prefix_if_the_operator_wants_it() {
    for kind in KINDS {
        let options = ["--appendonly", "yes", "--loadmodule"];
        let module = crate::engine::module();
        let with_prefix = [module.to_str().expect("a path"), "prefix", "LF"];
        let Some(engine) = Engine::start_with(kind, &[&options[..], &with_prefix].concat()) else {
            continue;
        };
        assert_eq!(engine.ask("LF.ADDNX f a"), ":1\r\n");
        assert!(engine.ask("CF.ADD f a").starts_with("-ERR unknown command"));
        let before = engine.dump("f");
        assert_eq!(engine.ask("DEBUG LOADAOF"), "+OK\r\n");
        assert_eq!(engine.dump("f"), before);
        assert!(engine.ask("BGREWRITEAOF").starts_with('+'));
        crate::equality::wait_for_rewrite(&engine);
        assert_eq!(engine.ask("DEBUG LOADAOF"), "+OK\r\n");
        assert_eq!(engine.dump("f"), before);
        engine.check();
    }
}
