//! What every command replies.

use crate::process::Server;
use crate::wire::{Client, chunk, request};

/// Asks for each line's words and compares the reply.
pub(crate) fn check(client: &mut Client, dialogue: &[(&str, &str)]) {
    for (request, expected) in dialogue {
        let words: Vec<&str> = request.split(' ').collect();
        let reply = client.ask(&words);
        assert_eq!(reply, expected.replace('\n', "\r\n") + "\r\n", "{request}");
    }
}

fn memory_of(client: &mut Client, key: &str) -> usize {
    let reply = client.ask(&["MEMORY", "USAGE", key]);
    let number = reply.trim_end().trim_start_matches(':');
    number.parse().expect("a number")
}

#[test]
fn keys_are_listed_and_deleted() {
    let server = Server::start(["--default-capacity", "1000"]);
    check(
        &mut server.client(),
        &[
            ("cf.add f b", ":1"),
            ("CF.INSERT g CAPACITY 100 ITEMS c", "*1\n:1"),
            ("CF.INSERTNX none NOCREATE ITEMS c", "-ERR not found"),
            ("DBSIZE", ":2"),
            ("EXISTS f g none", ":2"),
            ("TYPE f", "+MBbloomCF"),
            ("TYPE none", "+none"),
            ("KEYS f*", "*1\n$1\nf"),
            ("KEYS [c-f]", "*1\n$1\nf"),
            ("SCAN 0 MATCH g* COUNT 10", "*2\n$1\n0\n*1\n$1\ng"),
            ("SCAN 0 TYPE mbbloomcf MATCH g*", "*2\n$1\n0\n*1\n$1\ng"),
            ("SCAN 0 TYPE string", "*2\n$1\n0\n*0"),
            ("SCAN 7", "-ERR invalid cursor"),
            ("SCAN 0 COUNT 0", "-ERR syntax error"),
            ("SCAN 0 COUNT -1", "-ERR syntax error"),
            (
                "SCAN 0 COUNT x",
                "-ERR value is not an integer or out of range",
            ),
            ("SCAN 0 COUNT", "-ERR syntax error"),
            ("FLUSHALL nonsense", "-ERR syntax error"),
            ("DEL f none", ":1"),
            ("UNLINK g", ":1"),
            ("CF.EXISTS f b", ":0"),
            ("CF.ADD f b", ":1"),
            ("FLUSHALL", "+OK"),
            ("DBSIZE", ":0"),
        ],
    );
}

#[test]
fn filters_are_reserved_and_described() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    let described = "+Number of buckets\n:384\n+Number of filters\n:1\n\
         +Number of items inserted\n:2\n+Number of items deleted\n:1\n+Bucket size\n:4\n\
         +Expansion rate\n:0\n+Max iterations\n:30\n";
    check(
        client,
        &[
            (
                "CF.RESERVE f 1000 BUCKETSIZE 4 MAXITERATIONS 30 EXPANSION 0",
                "+OK",
            ),
            ("CF.RESERVE f 1000", "-ERR item exists"),
            (
                "CF.DEBUG f",
                "$79\nbktsize:4 buckets:384 items:0 deletes:0 filters:1 max_iterations:30 expansion:0",
            ),
            ("CF.DEBUG none", "-ERR not found"),
            ("CF.INSERT f ITEMS a b c", "*3\n:1\n:1\n:1"),
            ("CF.DEL f a", ":1"),
        ],
    );
    let info = client.ask(&["CF.INFO", "f"]).replace("\r\n", "\n");
    let info = info.strip_prefix("*16\n+Size\n:").expect(&info);
    let (size, rest) = info.split_once('\n').expect(info);
    assert_eq!(rest, described);
    // With its key, and its place.
    let size: usize = size.parse().expect("a number");
    let memory = memory_of(client, "f");
    assert!((size + 1..size + 200).contains(&memory), "{size} {memory}");
    check(
        client,
        &[
            ("CF.INFO none", "-ERR not found"),
            ("MEMORY USAGE none", "$-1"),
            ("CF.COMPACT f", "+OK"),
            ("CF.COMPACT none", "-Cuckoo filter was not found"),
            (
                "CF.RESERVE g",
                "-ERR wrong number of arguments for 'cf.reserve' command",
            ),
            (
                "CF.RESERVE g 10 EXPANSION",
                "-ERR wrong number of arguments for 'cf.reserve' command",
            ),
            (
                "CF.INSERT g NOCREATE NOCREATE",
                "-ERR wrong number of arguments for 'cf.insert' command",
            ),
            ("DBSIZE", ":1"),
        ],
    );
}

/// For all that a key takes, and what is put aside for its first snapshot.
#[test]
fn a_small_key_takes_little() {
    for (options, most) in [("", 6 << 10), (" EXPANSION 0", 4 << 10)] {
        let server = Server::start(["--growing"]);
        let client = &mut server.client();
        check(client, &[(&format!("CF.RESERVE k 1000{options}"), "+OK")]);
        let info = client.ask(&["INFO"]);
        let says = |name: &str| {
            let line = info.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.parse::<usize>().ok())
        };
        let used = memory_of(client, "k");
        assert_eq!(says("used_memory:"), Some(used), "{info}");
        let reserved = says("reserved_memory:").expect("a number");
        assert!(
            used < reserved && reserved <= most,
            "{used} {reserved} {options}"
        );
    }
}

#[test]
fn a_growing_filter_takes_more_than_it_was_made_for() {
    let server = Server::start(["--growing", "--default-capacity", "100"]);
    let client = &mut server.client();
    for item in 0..5_000 {
        assert_eq!(client.ask(&["CF.ADD", "f", &item.to_string()]), ":1\r\n");
    }
    for item in 0..5_000 {
        assert_eq!(client.ask(&["CF.EXISTS", "f", &item.to_string()]), ":1\r\n");
    }
    let info = client.ask(&["CF.INFO", "f"]);
    assert!(
        info.contains("+Number of items inserted\r\n:5000\r\n"),
        "{info}"
    );
    assert!(info.contains("+Expansion rate\r\n:1\r\n"), "{info}");
    assert!(info.contains("+Number of filters\r\n:1\r\n"), "{info}");
    // At first there were buckets for 100 items, now there are some for 5,000.
    let buckets = "+Number of buckets\r\n:2048\r\n";
    assert!(info.contains(buckets), "{info}");
    for item in 0..5_000 {
        assert_eq!(client.ask(&["CF.DEL", "f", &item.to_string()]), ":1\r\n");
    }
    check(
        client,
        &[
            ("CF.COMPACT f", "+OK"),
            ("CF.RESERVE fixed 100 EXPANSION 0", "+OK"),
            ("CF.COMPACT fixed", "+OK"),
        ],
    );
    let info = client.ask(&["CF.INFO", "f"]);
    assert!(!info.contains(buckets), "{info}");
    assert!(
        info.contains("+Number of items deleted\r\n:5000\r\n"),
        "{info}"
    );
}

#[test]
fn a_full_filter_says_so_and_loses_nothing() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    assert_eq!(
        client.ask(&["CF.RESERVE", "f", "100", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    let mut added = Vec::new();
    for item in 0.. {
        let item = item.to_string();
        match client.ask(&["CF.ADD", "f", &item]).as_str() {
            ":1\r\n" => added.push(item),
            "-Filter is full\r\n" => break,
            other => panic!("{other}"),
        }
    }
    assert!(added.len() >= 100, "{} items", added.len());
    // Of many that come after it was full some find a slot, and others do not.
    let late: Vec<String> = (0..200).map(|item| format!("late {item}")).collect();
    let mut words = vec!["CF.INSERT".to_owned(), "f".to_owned(), "ITEMS".to_owned()];
    words.extend(late.iter().cloned());
    let replies = client.ask(&words);
    assert!(replies.contains(":-1\r\n"), "{replies}");
    let replies = replies.split("\r\n").skip(1);
    let late = late.iter().zip(replies).filter(|(_, reply)| *reply == ":1");
    added.extend(late.map(|(item, _)| item.clone()));
    for item in &added {
        assert_eq!(
            client.ask(&["CF.EXISTS", "f", item]),
            ":1\r\n",
            "{item} was lost"
        );
    }
    let copies = client.ask(&["CF.ADD", "f", "0"]);
    assert_eq!(copies, "-Filter is full\r\n");
    for item in &added {
        assert_eq!(
            client.ask(&["CF.DEL", "f", item]),
            ":1\r\n",
            "{item} was lost"
        );
    }
    let info = client.ask(&["CF.INFO", "f"]);
    assert!(
        info.contains("+Number of items inserted\r\n:0\r\n"),
        "{info}"
    );
}

#[test]
fn a_dump_is_the_filter_as_it_was() {
    let server = Server::start(["--default-capacity", "2000000"]);
    let client = &mut server.client();
    for kind in ["0", "2"] {
        let key = format!("f{kind}");
        client.ask(&["CF.RESERVE", &key, "2000000", "EXPANSION", kind]);
        client.ask(&["CF.INSERT", &key, "ITEMS", "a", "b", "c"]);
        client.ask(&["CF.DEL", &key, "c"]);
        let (mut iterator, mut chunks) = ("0".to_owned(), Vec::new());
        loop {
            // Each from another connection: a pool of them is what libraries have.
            let mut other = server.client();
            other.send(&request(&["CF.SCANDUMP", &key, &iterator]));
            let (next, bytes) = chunk(&other.reply_bytes());
            // What comes after the first chunk is not in the dump.
            client.ask(&["CF.ADD", &key, "late"]);
            let Some(bytes) = bytes else {
                assert_eq!(next, 0);
                break;
            };
            iterator = next.to_string();
            chunks.push((next.to_string(), bytes));
        }
        assert!(chunks.len() >= 3, "{} chunks", chunks.len());
        let load = |client: &mut Client, key: &str, index: usize| {
            let (iterator, bytes) = &chunks[index];
            let words: [&[u8]; 4] = [b"CF.LOADCHUNK", key.as_bytes(), iterator.as_bytes(), bytes];
            client.ask(&words)
        };
        assert_eq!(load(client, &key, 0), "-ERR item exists\r\n");
        let copy = format!("copy{kind}");
        assert_eq!(
            load(client, &copy, 1),
            "-Couldn't load chunk! the first chunk is missing\r\n"
        );
        for index in 0..chunks.len() {
            if index == 1 {
                let reply = load(client, &copy, 2);
                assert!(
                    reply.starts_with("-Couldn't load chunk! it is not the next chunk; "),
                    "{reply}"
                );
            }
            assert_eq!(
                client.ask(&["EXISTS", &copy]),
                ":0\r\n",
                "before it is whole"
            );
            assert_eq!(load(client, &copy, index), "+OK\r\n");
        }
        check(
            client,
            &[
                (
                    &format!("CF.MEXISTS {copy} a b c late"),
                    "*4\n:1\n:1\n:0\n:0",
                ),
                (&format!("CF.COUNT {copy} a"), ":1"),
            ],
        );
        let info = client.ask(&["CF.INFO", &copy]);
        assert!(
            info.contains("+Number of items deleted\r\n:1\r\n"),
            "{info}"
        );
        assert!(
            info.contains(&format!("+Expansion rate\r\n:{kind}\r\n")),
            "{info}"
        );
        client.ask(&["DEL", &key, &copy]);
    }
}

#[test]
fn what_is_no_dump_is_refused() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    client.ask(&["CF.RESERVE", "f", "100"]);
    client.ask(&["CF.ADD", "f", "a"]);
    client.send(&request(&["CF.SCANDUMP", "f", "0"]));
    let (iterator, bytes) = chunk(&client.reply_bytes());
    let (iterator, bytes) = (iterator.to_string(), bytes.expect("a chunk"));
    check(
        client,
        &[
            ("CF.SCANDUMP none 0", "-ERR not found"),
            ("CF.SCANDUMP f x", "-Invalid position"),
            ("CF.SCANDUMP f -1", "-Invalid position"),
            ("CF.SCANDUMP f 700", "-Invalid position"),
            ("CF.SCANDUMP f 12345", "*2\n:0\n$-1"),
            ("CF.LOADCHUNK g 0 abc", "-Invalid position"),
            (
                "CF.LOADCHUNK g 3 abc",
                "-Couldn't load chunk! it does not begin like a dump of this server",
            ),
        ],
    );
    // Every byte of it is wrong in turn.
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x41;
        let words: [&[u8]; 4] = [b"CF.LOADCHUNK", b"g", iterator.as_bytes(), &damaged];
        let reply = client.ask(&words);
        let refused = "-Couldn't load chunk! ";
        assert!(reply.starts_with(refused), "damaged at {at}: {reply}");
        assert_eq!(client.ask(&["EXISTS", "g"]), ":0\r\n", "damaged at {at}");
    }
}

#[test]
fn clients_say_who_they_are() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    check(
        client,
        &[
            ("PING", "+PONG"),
            ("PING a", "$1\na"),
            ("ECHO a", "$1\na"),
            ("SELECT 0", "+OK"),
            ("SELECT 1", "-ERR DB index is out of range"),
            ("SELECT x", "-ERR invalid DB index"),
            ("CLIENT ID", ":1"),
            ("CLIENT GETNAME", "$-1"),
            ("CLIENT SETNAME me", "+OK"),
            ("CLIENT GETNAME", "$2\nme"),
            ("CLIENT SETINFO LIB-NAME x", "+OK"),
            ("HELLO 4", "-NOPROTO unsupported protocol version"),
            (
                "HELLO x",
                "-ERR Protocol version is not an integer or out of range",
            ),
            ("HELLO 2 SETNAME", "-ERR Syntax error in HELLO"),
            ("RESET", "+RESET"),
            ("CLIENT GETNAME", "$-1"),
            ("CONFIG GET appendonly", "*2\n$10\nappendonly\n$2\nno"),
            ("CONFIG GET nothing", "*0"),
            (
                "LASTSAVE x",
                "-ERR wrong number of arguments for 'lastsave' command",
            ),
            (
                "NONSENSE a b",
                "-ERR unknown command 'NONSENSE', with args beginning with: 'a' 'b'",
            ),
            ("AUTH default any", "+OK"),
            (
                "SHUTDOWN SAVE",
                "-ERR the server has no snapshot file: start it with --snapshot",
            ),
            (
                "SAVE",
                "-ERR the server has no snapshot file: start it with --snapshot",
            ),
            (
                "BGSAVE",
                "-ERR the server has no snapshot file: start it with --snapshot",
            ),
        ],
    );
    let commands = client.ask(&["COMMAND", "COUNT"]);
    let listed = client.ask(&["COMMAND", "LIST"]);
    assert_eq!(
        listed
            .split("\r\n")
            .next()
            .map(|line| line.replace('*', ":")),
        Some(commands.trim_end().to_owned())
    );
    assert!(
        client
            .ask(&["COMMAND", "INFO", "cf.add", "none"])
            .starts_with("*2\r\n*10\r\n$6\r\ncf.add\r\n:3\r\n")
    );
    let docs = client.ask(&["COMMAND", "DOCS", "cf.insert"]);
    assert!(docs.contains("Adds items"), "{docs}");
    for words in [
        ["name", "key", "type", "key"].as_slice(),
        &[
            "type",
            "integer",
            "display_text",
            "capacity",
            "token",
            "CAPACITY",
        ],
        &[
            "name",
            "nocreate",
            "type",
            "pure-token",
            "token",
            "NOCREATE",
        ],
        &["token", "ITEMS", "flags"],
    ] {
        let bulk = words
            .iter()
            .map(|word| format!("${}\r\n{word}\r\n", word.len()));
        assert!(
            docs.contains(&bulk.collect::<String>()),
            "{words:?}: {docs}"
        );
    }
    assert!(client.ask(&["INFO"]).contains("redis_mode:standalone\r\n"));
    assert!(client.ask(&["MODULE", "LIST"]).contains("bf"));
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time");
    let time = client.ask(&["TIME"]);
    let parts: Vec<u64> = time.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(
        matches!(*parts, [seconds, micros] if seconds >= now.as_secs() && micros < 1_000_000),
        "{time}"
    );
    assert_eq!(client.ask(&["QUIT"]), "+OK\r\n");
    assert_eq!(server.client().ask(&["PING"]), "+PONG\r\n");
}

#[test]
fn the_newer_protocol_has_maps_truth_and_a_null() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    client.send(&request(&["HELLO", "3"]));
    client.expect_resp3();
    let greeting = client.reply();
    assert!(
        greeting.starts_with("%7\r\n$6\r\nserver\r\n$17\r\nmembership-server\r\n"),
        "{greeting}"
    );
    assert!(greeting.contains("$5\r\nproto\r\n:3\r\n"), "{greeting}");
    check(client, &[("CLIENT GETNAME", "_")]);
}

#[test]
fn pipelines_are_answered_in_order_and_lines_are_commands_too() {
    let server = Server::start(["--max-pipeline", "7"]);
    let client = &mut server.client();
    let (mut requests, mut expected) = (Vec::new(), String::new());
    for item in 0..1_000 {
        let item = item.to_string();
        requests.extend(request(&["CF.ADD", "f", &item]));
        requests.extend(request(&["ECHO", &item]));
        expected += &format!(":1\r\n${}\r\n{item}\r\n", item.len());
    }
    // However it is cut into packets.
    for part in requests.chunks(977) {
        client.send(part);
    }
    let replies: String = (0..2_000).map(|_| client.reply()).collect();
    assert_eq!(replies, expected);
    client.send(b"PING\r\n\r\n*0\r\nCF.EXISTS f 999\r\nECHO \"a b\"\r\n");
    assert_eq!(client.reply(), "+PONG\r\n");
    assert_eq!(client.reply(), ":1\r\n");
    assert_eq!(client.reply(), "$3\r\na b\r\n");
}
