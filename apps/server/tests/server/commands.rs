//! Commands: checks the replies of every command, mostly by dialogues.

use crate::process::{Server, until};
use crate::programs::exchange_filters;
use crate::wire::request;

#[test]
fn lists_and_deletes_keys() {
    Server::start("--default-capacity 1000").converse(
        "cf.add f b -> :1
        CF.INSERT g CAPACITY 100 ITEMS c -> *1 :1
        CF.INSERTNX none NOCREATE ITEMS c -> -ERR not found
        DBSIZE -> :2
        EXISTS f g none -> :2
        TYPE f -> +lfcuckoof
        TYPE none -> +none
        KEYS f* -> *1 $1 f
        KEYS [c-f] -> *1 $1 f
        SCAN 0 MATCH g* COUNT 10 -> *2 $1 0 *1 $1 g
        SCAN 0 TYPE LFcuckoof MATCH g* -> *2 $1 0 *1 $1 g
        SCAN 0 TYPE string -> *2 $1 0 *0
        SCAN 7 -> -ERR invalid cursor
        SCAN 0 COUNT 0 -> -ERR syntax error
        SCAN 0 COUNT -1 -> -ERR syntax error
        SCAN 0 COUNT x -> -ERR value is not an integer or out of range
        SCAN 0 COUNT -> -ERR syntax error
        FLUSHALL nonsense -> -ERR syntax error
        DEL f none -> :1
        UNLINK g -> :1
        CF.EXISTS f b -> :0
        CF.ADD f b -> :1
        FLUSHALL -> +OK
        DBSIZE -> :0",
    );
}

#[test]
fn describes_filters() {
    let server = Server::start("");
    let client = &mut server.client();
    client.converse(
        "CF.RESERVE f 1000 BUCKETSIZE 4 MAXITERATIONS 30 EXPANSION 0 -> +OK
        CF.INSERT f ITEMS a b c -> *3 :1 :1 :1
        CF.DEL f a -> :1
        CF.DEBUG f -> $79 bktsize:4 buckets:384 items:2 deletes:1 filters:1 max_iterations:30 expansion:0
        CF.INFO f -> *16 +Size :~ +Number of buckets :384 +Number of filters :1 +Number of items inserted :2 ~
        CF.INFO f -> ~+Number of items deleted :1 +Bucket size :4 +Expansion rate :0 +Max iterations :30
        MEMORY USAGE none -> $-1
        CF.COMPACT f -> +OK
        CF.INSERT g NOCREATE NOCREATE -> -ERR wrong number of arguments for 'cf.insert' command
        DBSIZE -> :1",
    );
    // The size includes the key and its place.
    let size = client.described("f", "Size");
    let memory = client.number("MEMORY USAGE f");
    assert!((size + 1..size + 200).contains(&memory), "{size} {memory}");
}

/// Checks the size of a key with all its overhead, and with the memory for its first snapshot.
#[test]
fn a_small_key_takes_little() {
    // Built with the C library, filters also have fields for memory that processes share.
    for (options, most) in [("", 8 << 10), (" EXPANSION 0", 4_200)] {
        let server = Server::start("");
        let client = &mut server.client();
        client.converse(&format!("CF.RESERVE k 1000{options} -> +OK"));
        let used = client.number("MEMORY USAGE k");
        assert_eq!(client.info("used_memory"), used);
        let reserved = client.info("reserved_memory");
        assert!(reserved <= most, "{reserved}{options}");
        assert_eq!(reserved, used + used.div_ceil(16), "{options}");
    }
}

#[test]
fn a_full_filter_refuses_and_loses_nothing() {
    let server = Server::start("");
    let client = &mut server.client();
    client.converse("CF.RESERVE f 100 EXPANSION 0 -> +OK\nCF.ADD f {0..100} -> :1");
    // When the filter is full, some of many further items find a slot, and others do not.
    let items: Vec<usize> = (100..400).collect();
    let words: String = items.iter().map(|item| format!(" {item}")).collect();
    let replies = client.say(&format!("CF.INSERT f ITEMS{words}"));
    let replies = items.iter().zip(replies.split("\r\n").skip(1));
    let (added, refused): (Vec<_>, Vec<_>) = replies.partition(|(_, reply)| *reply == ":1");
    for (item, reply) in refused {
        assert_eq!(reply, ":-1");
        client.converse(&format!("CF.ADD f {item} -> -Filter is full"));
    }
    for command in ["CF.EXISTS", "CF.DEL"] {
        client.converse(&format!("{command} f {{0..100}} -> :1"));
        for (item, _) in &added {
            client.converse(&format!("{command} f {item} -> :1"));
        }
    }
    client.converse("CF.INFO f -> ~Number of items inserted :0 ~");
}

#[test]
fn a_dump_restores_the_same_filter() {
    let server = Server::start("");
    let client = &mut server.client();
    for kind in ["0", "2"] {
        let (key, copy) = (&format!("f{kind}"), &format!("copy{kind}"));
        client.converse(&format!(
            "CF.RESERVE {key} 2000000 EXPANSION {kind} -> +OK
            CF.INSERT {key} ITEMS a b c -> *3 :1 :1 :1
            CF.DEL {key} c -> :1",
        ));
        let mut before = 0;
        let chunks = client.dump(key, |client| {
            // Changes after the first chunk are not in the dump.
            if before > 0 {
                client.say(&format!("CF.ADD {key} late"));
            }
            before += 1;
            // Ask on another connection each time, as a pool of connections does.
            *client = server.client();
        });
        assert!(chunks.len() >= 3, "{} chunks", chunks.len());
        let exists = "-ERR item exists\r\n";
        assert_eq!(client.load(key, &chunks[0]), exists);
        let missing = "-Couldn't load chunk! the first chunk is missing\r\n";
        assert_eq!(client.load(copy, &chunks[1]), missing);
        for (index, chunk) in chunks.iter().enumerate() {
            if index == 1 {
                let reply = client.load(copy, &chunks[2]);
                let refused = "-Couldn't load chunk! it is not the next chunk; ";
                assert!(reply.starts_with(refused), "{reply}");
            }
            client.converse(&format!("EXISTS {copy} -> :0"));
            assert_eq!(client.load(copy, chunk), "+OK\r\n");
        }
        client.converse(&format!(
            "CF.MEXISTS {copy} a b c late -> *4 :1 :1 :0 :0
            CF.COUNT {copy} a -> :1
            CF.INFO {copy} -> ~Number of items deleted :1 ~Expansion rate :{kind} ~
            DEL {key} {copy} -> :2",
        ));
    }
}

#[test]
fn programs_and_clients_exchange_filters() {
    let server = Server::start("");
    exchange_filters(&mut server.client());
}

#[test]
fn refuses_damaged_dumps() {
    let server = Server::start("");
    let client = &mut server.client();
    client.converse("CF.RESERVE f 100 -> +OK");
    client.converse("CF.ADD f a -> :1");
    let chunks = client.dump("f", |_| {});
    client.converse("CF.SCANDUMP f 700 -> -Invalid position");
    // Each byte is wrong in turn.
    for at in 0..chunks[0].1.len() {
        let mut damaged = chunks[0].clone();
        damaged.1[at] ^= 0x41;
        let reply = client.load("g", &damaged);
        let refused = "-Couldn't load chunk! ";
        assert!(reply.starts_with(refused), "damaged at {at}: {reply}");
        client.converse("EXISTS g -> :0");
    }
}

#[test]
fn clients_have_names() {
    let server = Server::start("");
    let client = &mut server.client();
    client.converse(
        "PING -> +PONG
        PING a -> $1 a
        ECHO a -> $1 a
        SELECT 0 -> +OK
        SELECT 1 -> -ERR DB index is out of range
        SELECT x -> -ERR invalid DB index
        CLIENT ID -> :1
        CLIENT GETNAME -> $-1
        CLIENT SETNAME me -> +OK
        CLIENT GETNAME -> $2 me
        CLIENT SETINFO LIB-NAME x -> +OK
        HELLO 4 -> -NOPROTO unsupported protocol version
        HELLO x -> -ERR Protocol version is not an integer or out of range
        HELLO 2 SETNAME -> -ERR Syntax error in HELLO
        RESET -> +RESET
        CLIENT GETNAME -> $-1
        CONFIG GET appendonly -> *2 $10 appendonly $2 no
        CONFIG GET nothing -> *0
        CONFIG GET MAXMEMORY-* timeout -> *4 $17 maxmemory-clients ~ $7 timeout $1 0
        LASTSAVE x -> -ERR wrong number of arguments for 'lastsave' command
        NONSENSE a b -> -ERR unknown command 'NONSENSE', with args beginning with: 'a' 'b'. This server holds filters only: COMMAND LIST names the commands
        AUTH default any -> +OK
        SHUTDOWN SAVE -> -ERR the server has no snapshot file: start it with --snapshot
        SAVE -> -ERR the server has no snapshot file: start it with --snapshot
        BGSAVE -> -ERR the server has no snapshot file: start it with --snapshot
        COMMAND INFO cf.add none -> *2 *10 $6 cf.add :3 *0 :1 :1 :1 *0 *0 *1 ~
        COMMAND INFO del memory -> *2 *10 $3 del :-2 *0 :1 :-1 :1 ~ $6 memory :-3 *0 :2 :2 :1 ~
        COMMAND DOCS shutdown -> ~ $5 oneof $5 flags *1 +optional $9 arguments *2 ~ $5 token $4 SAVE ~
        INFO -> ~ redis_mode:standalone ~
        MODULE LIST -> ~ bf ~",
    );
    let commands = client.number("COMMAND COUNT");
    let list = format!("COMMAND LIST -> *{commands} ~ $6 cf.add ~");
    client.converse(&list);
    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().expect("a time");
    let time = client.say("TIME");
    let parts: Vec<u64> = time.lines().filter_map(|line| line.parse().ok()).collect();
    assert!(
        matches!(*parts, [seconds, micros] if seconds >= now.as_secs() && micros < 1_000_000),
        "{time}"
    );
    client.converse("QUIT -> +OK");
    server.converse("PING -> +PONG");
}

#[test]
fn resp3_has_maps_booleans_and_null() {
    Server::start("").converse(
        "HELLO 3 -> %7 $6 server $22 lockfree-cuckoo-server ~ $5 proto :3 ~
        CLIENT GETNAME -> _",
    );
}

/// Answers pipelines and inline commands in order.
#[test]
fn answers_in_order() {
    let server = Server::start("--max-pipeline 7");
    let client = &mut server.client();
    let (mut requests, mut expected) = (Vec::new(), String::new());
    for item in 0..1_000 {
        let item = item.to_string();
        requests.extend(request(&["CF.ADD", "f", &item]));
        requests.extend(request(&["ECHO", &item]));
        expected += &format!(":1\r\n${}\r\n{item}\r\n", item.len());
    }
    // Cut into packets anywhere.
    for part in requests.chunks(977) {
        client.send(part);
    }
    let replies: String = (0..2_000).map(|_| client.reply()).collect();
    assert_eq!(replies, expected);
    client.send(b"  PING \r\n\r\n*0\r\n*-5\r\nCF.EXISTS f 999\r\nECHO a\r\n");
    let replies = [(); 3].map(|()| client.reply());
    assert_eq!(replies, ["+PONG\r\n", ":1\r\n", "$1\r\na\r\n"]);
}

#[test]
fn commands_wait_for_exec() {
    let server = Server::start("--default-capacity 1000");
    let client = &mut server.client();
    client.converse(
        "MULTI -> +OK
        MULTI -> -ERR MULTI calls can not be nested
        CF.ADD f a -> +QUEUED
        CF.MEXISTS f a b -> +QUEUED
        CF.DEL none a -> +QUEUED
        SELECT 1 -> +QUEUED
        DEL none -> +QUEUED
        ECHO  -> +QUEUED",
    );
    server.converse("DBSIZE -> :0");
    client.converse(
        "EXEC -> *6 :1 *2 :1 :0 -Not found -ERR DB index is out of range :0 $0
        CF.COUNT f a -> :1
        EXEC -> -ERR EXEC without MULTI
        DISCARD -> -ERR DISCARD without MULTI
        MULTI -> +OK
        EXEC -> *0
        MULTI -> +OK
        CF.ADD f b -> +QUEUED
        DISCARD -> +OK
        CF.EXISTS f b -> :0
        MULTI -> +OK
        CF.ADD f b -> +QUEUED
        RESET -> +RESET
        EXEC -> -ERR EXEC without MULTI
        CF.EXISTS f b -> :0",
    );
}

#[test]
fn a_wrong_queued_command_aborts_all() {
    let server = Server::start("");
    for wrong in [
        "CF.ADD f -> -ERR wrong number of arguments for 'cf.add' command",
        "CF.NONSENSE f -> -ERR unknown command 'CF.NONSENSE', with args beginning with: 'f'. ~",
        "SAVE -> -ERR Command not allowed inside a transaction",
        "SHUTDOWN NOSAVE -> -ERR Command not allowed inside a transaction",
    ] {
        server.converse(&format!(
            "MULTI -> +OK
            CF.ADD f a -> +QUEUED
            {wrong}
            CF.ADD f b -> +QUEUED
            EXEC -> -EXECABORT Transaction discarded because of previous errors.
            CF.MEXISTS f a b -> *2 :0 :0",
        ));
    }
}

#[test]
fn changed_watched_keys_stop_exec() {
    let server = Server::start("--default-capacity 1000");
    let (client, other) = (&mut server.client(), &mut server.client());
    other.say("CF.ADD f a");
    for (key, meanwhile, runs) in [
        ("f", "CF.EXISTS f a", true),
        ("f", "CF.ADD g a", true),
        ("f", "CF.ADDNX f a", true),
        ("f", "CF.ADD f b", false),
        ("f", "CF.DEL f b", false),
        ("f", "CF.ADD f b;CF.DEL f b", false),
        ("f", "CF.DEL f a;CF.ADD f a", false),
        ("f", "DEL f;CF.ADD f a", false),
        ("f", "DEL f", false),
        ("f", "CF.RESERVE f 100", false),
        ("f", "FLUSHALL", false),
        ("none", "CF.ADD f a", true),
        ("none", "CF.RESERVE none 100", false),
    ] {
        client.converse(&format!("WATCH other {key} -> +OK"));
        for command in meanwhile.split(';') {
            other.converse(&format!("{command} -> !-~"));
        }
        let outcome = if runs { "*1 +PONG" } else { "*-1" };
        // After the first EXEC no key is watched.
        client.converse(&format!(
            "MULTI -> +OK
            WATCH x -> -ERR WATCH inside MULTI is not allowed
            PING -> +QUEUED
            EXEC -> {outcome}
            MULTI -> +OK
            PING -> +QUEUED
            EXEC -> *1 +PONG",
        ));
    }
    for forget in ["UNWATCH -> +OK", "RESET -> +RESET"] {
        client.converse(&format!("WATCH f -> +OK\n{forget}"));
        other.say("CF.ADD f c");
        client.converse("MULTI -> +OK\nEXEC -> *0");
    }
    client.converse("HELLO 3 -> %~\nWATCH f -> +OK");
    other.say("CF.ADD f d");
    client.converse("MULTI -> +OK\nEXEC -> _\nWATCH [0..1025] -> -ERR~at most 1024");
}

#[test]
fn limits_the_memory_of_a_transaction() {
    let server = Server::start("--max-transaction 1000 --max-request 65536");
    let long = "x".repeat(10_000);
    for (item, fit) in [("a", 1_000), (long.as_str(), 6)] {
        let client = &mut server.client();
        client.converse("MULTI -> +OK");
        for _ in 0..fit {
            client.converse(&format!("CF.ADD f {item} -> +QUEUED"));
        }
        client.converse(&format!(
            "CF.ADD f {item} -> ~: 1000 (--max-transaction); bytes of them all: 65536 (--max-request)
            EXEC -> -EXECABORT Transaction discarded because of previous errors.
            DBSIZE -> :0",
        ));
    }
}

/// Runs a whole transaction whose replies the client does not read.
#[test]
fn a_transaction_needs_no_reader() {
    let server = Server::start("--request-timeout 0.3 --max-item 1000000");
    let mut client = server.client();
    client.send(b"MULTI\r\n");
    client.send(&request(&["ECHO", &"x".repeat(1_000_000)]).repeat(15));
    client.send(b"CF.ADD f last\r\nEXEC\r\n");
    until("the last command", || {
        server.say("CF.EXISTS f last") == ":1\r\n"
    });
    let logs = server.stop();
    assert!(logs.contains("it does not read its replies"), "{logs}");
}
