//! Windows: when items leave, what a restart keeps, and which requests are refused.

use std::fs;
use std::path::Path;
use std::sync::Barrier;
use std::thread;
use std::time::{Duration, Instant};

use crate::operation::get;
use crate::process::{Server, path, refused, until};

/// An item stays for its window, and then leaves.
///
/// Checks the clock on one side only: an item may leave late on a busy machine, and never early.
#[test]
fn an_item_leaves_after_its_window() {
    let server = Server::start("");
    let window = Duration::from_millis(300);
    thread::scope(|scope| {
        for generations in [2, 3, 15] {
            let server = &server;
            scope.spawn(move || {
                let mut client = server.client();
                let key = format!("w{generations}");
                client.converse(&format!(
                    "CF.RESERVE {key} 1000 WINDOW 0.3 GENERATIONS {generations} -> +OK"
                ));
                for item in 0..3 {
                    let added = Instant::now();
                    client.converse(&format!("CF.ADDNX {key} {item} -> :1"));
                    until("the end of its window", || {
                        let exists = client.say(&format!("CF.EXISTS {key} {item}"));
                        exists == ":0\r\n"
                    });
                    let stayed = added.elapsed();
                    assert!(
                        stayed >= window,
                        "{stayed:?} with {generations} generations"
                    );
                }
                // A refresh restarts the time.
                client.converse(&format!("CF.ADDNX {key} a -> :1"));
                let mut rotations = client.described(&key, "Number of rotations");
                for _ in 0..2 * generations {
                    let begun = Instant::now();
                    let refreshed = client.say(&format!("CF.REFRESH {key} a"));
                    until("a rotation", || {
                        client.described(&key, "Number of rotations") > rotations
                    });
                    rotations = client.described(&key, "Number of rotations");
                    // Unless the machine was too busy to ask in time.
                    if begun.elapsed() < window {
                        client.converse(&format!("CF.EXISTS {key} a -> !-~"));
                    }
                    assert!([":1", ":0"].iter().any(|answer| refreshed.contains(answer)));
                }
            });
        }
    });
}

/// Sends no commands, and checks that the filters that do not rotate are unchanged.
#[test]
fn rotations_need_no_command() {
    let server = Server::start("--http 127.0.0.1:0");
    let mut client = server.client();
    client.converse(
        "CF.RESERVE short 1000 WINDOW 0.1 -> +OK
        CF.RESERVE long 1000 WINDOW 1000000 GENERATIONS 5 -> +OK
        CF.INSERT fixed ITEMS a b -> *2 :1 :1
        CF.INSERT short ITEMS a b -> *2 :1 :1
        CF.INSERT long ITEMS a b -> *2 :1 :1",
    );
    let http = server.http.expect("an address");
    let metric = |name: &str, key: &str| -> Option<f64> {
        let page = get(http, "GET /metrics");
        let name = format!("lockfree_cuckoo_filter_{name}{{filter=\"{key}\"}} ");
        let line = page.lines().find_map(|line| line.strip_prefix(&name))?;
        line.parse().ok()
    };
    until("some rotations", || {
        metric("rotations_total", "short").is_some_and(|rotations| rotations >= 3.0)
    });
    assert_eq!(metric("items", "short"), Some(0.0));
    assert_eq!(metric("items", "long"), Some(2.0));
    assert_eq!(metric("items", "fixed"), Some(2.0));
    assert_eq!(metric("window_seconds", "short"), Some(0.1));
    assert_eq!(metric("rotations_total", "long"), Some(0.0));
    assert!(metric("youngest_generation_seconds", "long").is_some_and(|age| age < 1e6));
    for name in [
        "window_seconds",
        "rotations_total",
        "youngest_generation_seconds",
    ] {
        assert_eq!(metric(name, "fixed"), None, "{name}");
    }
}

/// Checks that a client is told "new" once for each item, although others ask for it too and the
/// filter rotates meanwhile.
#[test]
fn accepts_a_nonce_once() {
    const CLIENTS: usize = 4;
    const NONCES: usize = 1_000;
    let server = Server::start("");
    server.converse("CF.RESERVE nonces 20000 WINDOW 1000000 GENERATIONS 15 -> +OK");
    let barrier = Barrier::new(CLIENTS);
    let accepted: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (server, barrier) = (&server, &barrier);
                scope.spawn(move || {
                    let mut connection = server.client();
                    barrier.wait();
                    let mut accepted = 0;
                    for nonce in 0..NONCES {
                        if client == 0 && nonce % 100 == 50 {
                            connection.say("CF.ROTATE nonces");
                        }
                        let reply = connection.say(&format!("CF.ADDNX nonces {nonce}"));
                        accepted += usize::from(reply == ":1\r\n");
                    }
                    accepted
                })
            })
            .collect();
        let clients = clients.into_iter();
        clients.map(|client| client.join().expect("a client")).sum()
    });
    let mut client = server.client();
    assert_eq!(client.found("nonces", 0..NONCES), NONCES);
    assert_eq!(client.described("nonces", "Number of rotations"), 10);
    // False positives are refused: seldom.
    assert_eq!(
        accepted,
        client.described("nonces", "Number of items inserted")
    );
    assert!(accepted >= NONCES - 5, "{accepted}");
}

const KEY: &str = "w";

/// Writes a snapshot of one filter as if it had been saved this many seconds ago, by a clock that
/// may be wrong.
fn saved_before(file: &Path, seconds: i64) {
    let mut bytes = fs::read(file).expect("a snapshot");
    // Behind the magic, the mark of an entry, the length of the key, and the key.
    let time = 8 + 1 + 4 + KEY.len()..8 + 1 + 4 + KEY.len() + 8;
    let saved = u64::from_le_bytes(bytes[time.clone()].try_into().expect("eight"));
    let other = saved.checked_add_signed(-1_000 * seconds).expect("a time");
    bytes[time].copy_from_slice(&other.to_le_bytes());
    let end = bytes.len() - 4;
    let sum = crc32fast::hash(&bytes[..end]);
    bytes[end..].copy_from_slice(&sum.to_le_bytes());
    fs::write(file, bytes).expect("a file");
}

#[test]
fn a_restart_forgets_due_generations() {
    const HOUR: i64 = 3_600;
    let file = path("snapshot");
    let options = format!("--snapshot-interval 0 --snapshot {}", file.display());
    // The generations of three hours, the last of which has just begun; and the rotations that are
    // due.
    for (away, due) in [
        (0, 0),
        (HOUR - 100, 0),
        (HOUR + 100, 1),
        (2 * HOUR + 100, 2),
        (3 * HOUR + 100, 3),
        (100_000 * HOUR, 3),
        // The clock was set back.
        (-5 * HOUR, 0),
    ] {
        let _ = fs::remove_file(&file);
        let server = Server::start(&options);
        server.converse(&format!(
            "CF.RESERVE {KEY} 1000 WINDOW 7200 GENERATIONS 3 -> +OK
            CF.ADD {KEY} 0 -> :1
            CF.ROTATE {KEY} -> :1
            CF.ADD {KEY} 1 -> :1
            CF.ROTATE {KEY} -> :2
            CF.ADD {KEY} 2 -> :1"
        ));
        server.stop();
        saved_before(&file, away);
        let server = Server::start(&options);
        for item in 0..3 {
            let is_known = u8::from(item >= due);
            server.converse(&format!("CF.EXISTS {KEY} {item} -> :{is_known}"));
        }
        let mut client = server.client();
        let rotations = client.described(KEY, "Number of rotations");
        assert_eq!(rotations, 2 + due, "{away} seconds");
        let age = client.described(KEY, "Age of the youngest generation");
        let expected = away.max(0) % HOUR * 1_000;
        let is_right = (expected..expected + 1_000 * HOUR).contains(&(age as i64));
        assert!(is_right, "{age} ms after {away} s");
    }
}

/// With rotations that were due and made when the snapshot was loaded.
#[test]
fn a_window_goes_on_after_a_restart() {
    let file = path("snapshot-of-a-short-window");
    let options = format!("--snapshot-interval 0 --snapshot {}", file.display());
    let server = Server::start(&options);
    server.converse(&format!(
        "CF.RESERVE {KEY} 100 WINDOW 1 -> +OK
        CF.ADD {KEY} a -> :1"
    ));
    server.stop();
    saved_before(&file, 10);
    let server = Server::start(&options);
    let mut client = server.client();
    let at_first = client.described(KEY, "Number of rotations");
    until("two more rotations", || {
        client.described(KEY, "Number of rotations") >= at_first + 2
    });
}

/// Refuses a snapshot of another version, and keeps the file.
#[test]
fn refuses_snapshots_of_other_versions() {
    let file = path("snapshot");
    let options = format!("--bind 127.0.0.1:0 --snapshot {}", file.display());
    let server = Server::start(&format!("--snapshot {}", file.display()));
    server.converse("CF.RESERVE w 1000 WINDOW 7200 -> +OK");
    server.stop();
    let mut old = fs::read(&file).expect("a snapshot");
    old[7] = b'1';
    fs::write(&file, &old).expect("a file");
    let (status, words) = refused(&options);
    assert_eq!(status, 3, "{words}");
    assert!(words.contains("not a snapshot of this server"), "{words}");
    assert_eq!(fs::read(&file).expect("a file"), old);
}

#[test]
fn a_dump_of_a_window_continues_elsewhere() {
    let (from, to) = (Server::start(""), Server::start(""));
    let mut client = from.client();
    client.converse(
        "CF.RESERVE f 100000 WINDOW 1000000 GENERATIONS 4 -> +OK
        CF.INSERT f ITEMS old -> *1 :1
        CF.ROTATE f 1 -> :1
        CF.INSERT f ITEMS a b -> *2 :1 :1",
    );
    let chunks = client.dump("f", |_| {});
    let mut other = to.client();
    for chunk in &chunks {
        assert_eq!(other.load("copy", chunk), "+OK\r\n");
    }
    other.converse(
        "CF.MEXISTS copy old a b c -> *4 :1 :1 :1 :0
        CF.INFO copy -> ~Window :1000000000 +Number of generations :4 +Number of rotations :1 ~
        CF.ROTATE copy 4 -> -ERR rotation 4 is not the next one: the filter has rotated 1 times
        CF.ROTATE copy 2 -> :2
        CF.ROTATE copy -> :3
        CF.ROTATE copy -> :4
        CF.MEXISTS copy old a b -> *3 :0 :1 :1",
    );
    // Of another version.
    let mut old = chunks[0].clone();
    old.1[7] = b'2';
    let reply = other.load("other", &old);
    let words = "-Couldn't load chunk! it does not begin like a dump of this server\r\n";
    assert_eq!(reply, words);
    other.converse("EXISTS other -> :0");
}

/// Refuses invalid windows, and changes nothing.
#[test]
fn refuses_invalid_windows() {
    let server = Server::start("--max-memory 3000000");
    let mut client = server.client();
    for length in ["0", "-1", "nan", "-inf", "1e300", "0.0001", "x", "''"] {
        let reply = client.say(&format!("CF.RESERVE w 1000 WINDOW {length}"));
        let words = "-ERR WINDOW: value must be a number of seconds from 0.1 to 1000000000\r\n";
        assert_eq!(reply, words, "{length}");
    }
    client.converse(
        "CF.RESERVE w 1000 WINDOW 10 GENERATIONS 1 -> -GENERATIONS: value must be an integer between 2 and 15~
        CF.RESERVE w 1000 WINDOW 10 GENERATIONS 1000 -> -GENERATIONS: value must be an integer between 2 and 15~
        CF.RESERVE w 1000 WINDOW 10 WINDOW 20 -> -ERR WINDOW is given twice
        CF.RESERVE w 1000 WINDOW 10 GENERATIONS 3 GENERATIONS 4 -> -ERR GENERATIONS is given twice
        CF.RESERVE w 1000 GENERATIONS 2 -> -ERR GENERATIONS: only a filter with a WINDOW has generations
        CF.RESERVE w 1000 WINDOW 10 EXPANSION 2 -> -ERR WINDOW and EXPANSION exclude each other~
        CF.RESERVE w 3 WINDOW 10 -> -Capacity must be at least (BucketSize * 2): 4 items for each period
        CF.RESERVE w 1000000 WINDOW 10 -> -ERR~(--max-memory)~
        CF.REFRESH w a -> -ERR not found
        CF.ROTATE w -> -ERR not found
        DBSIZE -> :0
        CF.ADD grows a -> :1
        CF.RESERVE fixed 1000 EXPANSION 0 -> +OK
        CF.ADD fixed a -> :1
        CF.ROTATE grows -> -ERR the filter has no window~
        CF.ROTATE fixed 1 -> -ERR the filter has no window~
        CF.REFRESH grows a b -> -ERR the filter has no window~
        CF.REFRESH fixed a b -> -ERR the filter has no window~
        CF.MEXISTS grows a b -> *2 :1 :0
        CF.MEXISTS fixed a b -> *2 :1 :0
        COMMAND DOCS cf.reserve -> ~ $6 WINDOW ~ $11 GENERATIONS ~
        COMMAND INFO cf.rotate cf.refresh -> *2 *10 $9 cf.rotate :-2 ~ $10 cf.refresh :-3 ~",
    );
}

/// A full window names the remedy, and loses nothing.
#[test]
fn a_full_window_names_the_remedy() {
    let server = Server::start("");
    let mut client = server.client();
    client.converse("CF.RESERVE w 1000 WINDOW 1000000 -> +OK");
    let refused =
        (0..10_000).find(|item| !client.say(&format!("CF.ADDNX w {item}")).starts_with(':'));
    let item = refused.expect("an end");
    assert!(item >= 1_000, "{item}");
    client.converse(&format!(
        "CF.ADD w {item} -> -Filter is full: ~ is made for 1000 items of one period. ~ CF.ROTATE
        CF.REFRESH w {item} 0 -> *2 :-1 :0
        CF.INSERT w ITEMS {item} -> *1 :-1"
    ));
    assert_eq!(client.found("w", 0..item), item);
    client.converse(&format!("CF.ROTATE w -> :1\nCF.ADDNX w {item} -> :1"));
    assert_eq!(client.found("w", 0..item + 1), item + 1);
}

#[test]
fn a_rotation_changes_a_watched_key() {
    let server = Server::start("");
    let (mut client, mut other) = (server.client(), server.client());
    client.converse("CF.RESERVE w 1000 WINDOW 1000000 -> +OK");
    for (meanwhile, outcome) in [
        ("CF.EXISTS w a", "*1 +PONG"),
        ("CF.ROTATE w", "*-1"),
        ("CF.ROTATE w 1", "*1 +PONG"),
        ("CF.REFRESH w a", "*-1"),
        ("CF.REFRESH w a", "*1 +PONG"),
    ] {
        client.converse("WATCH w -> +OK");
        other.converse(&format!("{meanwhile} -> !-~"));
        client.converse(&format!("MULTI -> +OK\nPING -> +QUEUED\nEXEC -> {outcome}"));
    }
}

/// Checks windows with a lock around each filter, as used for comparisons.
#[test]
fn windows_work_behind_a_mutex() {
    let server = Server::start("--behind-a-mutex");
    let mut client = server.client();
    client.converse("CF.RESERVE w 1000 WINDOW 0.1 -> +OK\nCF.ADDNX w a -> :1");
    until("the end of its window", || {
        client.say("CF.EXISTS w a") == ":0\r\n"
    });
    assert_eq!(client.insert("grows", 0..10_000), 0);
    assert_eq!(client.found("grows", 0..10_000), 10_000);
}
