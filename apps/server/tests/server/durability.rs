//! Durability: answered changes survive a restart.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::operation::get;
use crate::process::{Server, path, refused, until};
use crate::wire::Client;

/// Starts a server that saves to a file, by default only on demand.
fn start(options: &str, snapshot: &Path) -> Server {
    let interval = match options.contains("--snapshot-interval") {
        true => "",
        false => "--snapshot-interval 0 ",
    };
    Server::start(&format!(
        "{interval}{options} --snapshot {}",
        snapshot.display()
    ))
}

/// Returns a file in a directory of its own, which can be removed.
fn file_in_directory() -> (PathBuf, PathBuf) {
    let directory = path("directory");
    fs::create_dir_all(&directory).expect("a directory");
    (directory.join("snapshot"), directory)
}

fn add(client: &mut Client, key: &str, items: Range<usize>) {
    assert_eq!(client.insert(key, items), 0);
}

fn has(server: &Server, key: &str, items: Range<usize>) {
    assert_eq!(
        server.client().found(key, items.clone()),
        items.len(),
        "{key} {items:?}"
    );
}

/// Reserves a filter large enough that a snapshot takes a while.
fn reserve_large(server: &Server) {
    server.converse("CF.RESERVE large 20000000 EXPANSION 0 -> +OK");
}

fn begins(client: &mut Client) {
    until("a snapshot that has begun", || {
        client.info("rdb_bgsave_in_progress") == 1
    });
}

#[test]
fn keeps_every_layout() {
    let file = path("layouts");
    let layouts = [
        "BUCKETSIZE 2 EXPANSION 0",
        "BUCKETSIZE 8 EXPANSION 0",
        "ERROR 0.005 EXPANSION 0",
        "ERROR 1e-9 EXPANSION 0",
        "BUCKETSIZE 3",
        "ERROR 0.001 EXPANSION 2",
        "BUCKETSIZE 2 WINDOW 1000000",
        "ERROR 0.005 WINDOW 1000000 GENERATIONS 2",
    ];
    let layouts: Vec<_> = layouts.into_iter().enumerate().collect();
    let server = start("", &file);
    let mut client = server.client();
    for (key, options) in &layouts {
        client.converse(&format!("CF.RESERVE {key} 5000 {options} -> +OK"));
        add(&mut client, &key.to_string(), 0..5_000);
    }
    let describe = |server: &Server| -> Vec<String> {
        let infos = layouts.iter().map(|(key, _)| {
            let info = server.say(&format!("CF.INFO {key}"));
            let until_the_age = info.split("Age").next();
            until_the_age.unwrap_or_default().to_owned()
        });
        infos.collect()
    };
    let before = describe(&server);
    server.stop();
    let server = start("", &file);
    assert_eq!(describe(&server), before);
    for (key, _) in &layouts {
        has(&server, &key.to_string(), 0..5_000);
    }
}

#[test]
fn an_orderly_end_keeps_everything() {
    let file = path("snapshot");
    let binary = "binary\r\n\u{e9} key";
    for (end, from) in [("-TERM", 0), ("-INT", 1_000), ("SHUTDOWN", 2_000)] {
        let server = start("", &file);
        let mut client = server.client();
        has(&server, "not reserved", 0..from);
        has(&server, "growing", 0..from);
        if from == 0 {
            client.converse("CF.RESERVE growing 100 EXPANSION 4 MAXITERATIONS 7 -> +OK");
            add(&mut client, binary, 0..1);
        }
        add(&mut client, "not reserved", from..from + 1_000);
        add(&mut client, "growing", from..from + 1_000);
        match end {
            "SHUTDOWN" => client.send(b"SHUTDOWN\r\n"),
            signal => server.signal(signal),
        }
        let (status, logs) = server.ended();
        assert!(
            status.success() && logs.contains("snapshot saved"),
            "{logs}"
        );
    }
    let server = start("", &file);
    has(&server, binary, 0..1);
    has(&server, "not reserved", 0..3_000);
    let mut client = server.client();
    client.converse(
        "DBSIZE -> :3
        CF.INFO growing -> ~items inserted :3000 ~Expansion rate :4 +Max iterations :7",
    );
    // A server that is told to forget does.
    add(&mut client, "late", 0..1);
    client.send(b"SHUTDOWN NOSAVE\r\n");
    assert!(server.ended().0.success());
    assert_eq!(client.rest(), "", "the end of the connection is the reply");
    start("", &file).converse("EXISTS late -> :0");
}

#[test]
fn keeps_every_answered_change_at_the_end() {
    for drain in ["0", "5"] {
        let file = path("snapshot");
        let server = start(&format!("--drain-timeout {drain}"), &file);
        server.converse("CF.RESERVE f 1000000 EXPANSION 0 -> +OK");
        let answered = AtomicUsize::new(0);
        let pipeline = |first: usize| -> String {
            let items = first..first + 100;
            items.map(|item| format!("CF.ADD f {item}\r\n")).collect()
        };
        let add = |mut client: Client, first: usize| {
            let mut items = 0;
            while items < 300_000 && client.try_send(pipeline(first + items).as_bytes()) {
                let replies = client.replies_until_the_end(100);
                items += replies;
                answered.fetch_add(replies, Ordering::Relaxed);
                if replies < 100 {
                    break;
                }
            }
            first..first + items
        };
        thread::scope(|scope| {
            let clients = [0, 300_000, 600_000].map(|first| {
                let (client, add) = (server.client(), &add);
                scope.spawn(move || add(client, first))
            });
            until("some answers", || answered.load(Ordering::Relaxed) > 3_000);
            server.stop();
            let server = start("", &file);
            for client in clients {
                has(&server, "f", client.join().expect("a client"));
            }
        });
    }
}

/// A kill during a snapshot leaves the last one.
#[test]
fn a_kill_leaves_the_last_snapshot() {
    let file = path("snapshot");
    let partial = file.with_file_name("snapshot.partial");
    let (mut caught, mut kept) = (0, 1_000);
    let mut server = start("", &file);
    reserve_large(&server);
    let mut client = server.client();
    add(&mut client, "f", 0..kept);
    client.converse("SAVE -> +OK");
    for _ in 0..20 {
        let mut client = server.client();
        has(&server, "f", 0..kept);
        add(&mut client, "f", kept..kept + 100);
        let before = client.info("snapshots");
        client.converse("BGSAVE -> +Background saving started");
        until("a snapshot that has begun", || {
            let length = fs::metadata(&partial).map_or(0, |file| file.len());
            // The snapshot may be over already.
            length > 0 || client.info("snapshots") > before
        });
        server.kill();
        if partial.exists() {
            caught += 1;
        } else {
            kept += 100;
        }
        server = start("", &file);
        if caught == 3 {
            break;
        }
    }
    assert!(caught > 0, "never killed in the middle");
    has(&server, "f", 0..kept);
    server.converse("SAVE -> +OK");
    assert!(!partial.exists(), "a whole one takes its place");
}

/// Takes snapshots periodically while others write.
#[test]
fn takes_snapshots_periodically() {
    let file = path("snapshot");
    let server = start("--snapshot-interval 0.05", &file);
    let mut client = server.client();
    client.converse("CF.RESERVE f 100000 EXPANSION 0 -> +OK");
    for first in (0..10_000).step_by(500) {
        add(&mut client, "f", first..first + 500);
    }
    // A change that was answered before the second of two later snapshots is in it.
    let before = client.info("snapshots");
    until("two more snapshots", || {
        client.converse("CF.ADD other 0 -> :1\nCF.DEL other 0 -> :1");
        client.info("snapshots") >= before + 2
    });
    server.kill();
    has(&start("", &file), "f", 0..10_000);
}

/// Refuses a damaged snapshot, and keeps the file.
#[test]
fn refuses_a_damaged_snapshot() {
    let file = path("snapshot");
    let server = start("", &file);
    server.converse(
        "CF.RESERVE f 100 EXPANSION 0 -> +OK
        CF.RESERVE g 100 EXPANSION 2 -> +OK
        CF.ADD f {0..50} -> :1",
    );
    server.stop();
    let whole = fs::read(&file).expect("a snapshot");
    let length = whole.len();
    let cut = [0, 9, 20, length / 2, length - 1].map(|length| whole[..length].to_vec());
    let places = [0, 8, 9, 12, 30, 40, length / 2, length - 5, length - 1];
    let damaged = places.map(|at| {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        damaged
    });
    let others = [
        b"something else".to_vec(),
        [whole.as_slice(), b"x"].concat(),
    ];
    let options = format!("--bind 127.0.0.1:0 --snapshot {}", file.display());
    for damaged in cut.into_iter().chain(damaged).chain(others) {
        fs::write(&file, &damaged).expect("a file");
        let (status, words) = refused(&options);
        assert_eq!(status, 3, "{words}");
        assert!(words.contains("The file was not changed"), "{words}");
        assert_eq!(fs::read(&file).expect("a file"), damaged);
    }
    // A complete snapshot that is larger than the limits.
    fs::write(&file, &whole).expect("a file");
    let (status, words) = refused(&format!("{options} --max-memory 2000"));
    assert_eq!(status, 3, "{words}");
    assert!(words.contains("at most 2000 bytes"), "{words}");
}

/// Reports a snapshot that cannot be written.
#[test]
fn reports_an_unwritable_snapshot() {
    let (file, directory) = file_in_directory();
    let server = start("", &file);
    fs::remove_dir(&directory).expect("an empty directory");
    add(&mut server.client(), "f", 0..10);
    server.converse("SAVE -> -ERR~No such file~");
    has(&server, "f", 0..10);
    server.signal("-TERM");
    let (status, logs) = server.ended();
    assert_eq!(status.code(), Some(1), "{logs}");
}

/// A shutdown that cannot save loses nothing.
#[test]
fn a_failed_shutdown_loses_nothing() {
    let (file, directory) = file_in_directory();
    let server = start("", &file);
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    fs::remove_dir_all(&directory).expect("a directory");
    client.converse(
        "SHUTDOWN -> -ERR Errors trying to SHUTDOWN~No such file~
        SHUTDOWN SAVE -> -ERR Errors trying to SHUTDOWN~No such file~
        SHUTDOWN NOW -> -ERR Errors trying to SHUTDOWN~No such file~
        SHUTDOWN SAVE NOSAVE -> -ERR syntax error
        SHUTDOWN PLEASE -> -ERR syntax error
        CF.EXISTS f {0..10} -> :1",
    );
    // The server continues, for this client and for others.
    add(&mut server.client(), "f", 10..20);
    fs::create_dir_all(&directory).expect("a directory");
    client.send(b"SHUTDOWN SAVE\r\n");
    let (status, logs) = server.ended();
    assert!(status.success(), "{logs}");
    assert_eq!(client.rest(), "", "the end of the connection is the reply");
    let server = start("", &file);
    has(&server, "f", 0..20);
    // A server that must end in any case does, and reports the failure.
    fs::remove_dir_all(&directory).expect("a directory");
    let mut client = server.client();
    client.send(b"SHUTDOWN FORCE\r\n");
    assert_eq!(server.ended().0.code(), Some(1));
    assert!(client.rest().starts_with("-ERR Errors trying to SHUTDOWN"));
}

#[test]
fn shows_failed_saves() {
    let (file, directory) = file_in_directory();
    let server = start("--stop-writes-on-save-error --http 127.0.0.1:0", &file);
    let http = server.http.expect("an address");
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    fs::remove_dir_all(&directory).expect("a directory");
    for fails in [false, true, false] {
        let (status, health, refused) = match fails {
            true => (
                "err",
                "HTTP/1.1 503 ~degraded: the last snapshot~",
                "-MISCONF ~",
            ),
            false => ("ok", "HTTP/1.1 200 ~ok\n", "!-MISCONF ~"),
        };
        client.converse(&format!(
            "INFO -> ~ rdb_last_bgsave_status:{status} last_save_age_in_seconds:~
            CF.ADD f 0 -> {refused}
            CF.RESERVE none x -> {refused}
            DEL none -> {refused}
            FLUSHALL x -> {refused}
            CF.EXISTS f {{0..10}} -> :1",
        ));
        let metrics = get(http, "GET /metrics");
        let failing = format!("\nlockfree_cuckoo_snapshot_failing {}\n", u8::from(fails));
        for line in [&failing, "\nlockfree_cuckoo_snapshot_age_seconds "] {
            assert!(metrics.contains(line), "{metrics}");
        }
        let said = get(http, "GET /healthz");
        assert!(crate::wire::fits(health, &said), "{said}");
        if fails {
            fs::create_dir_all(&directory).expect("a directory");
        }
        // The first time there is no directory.
        client.converse(if fails { "SAVE -> +OK" } else { "SAVE -> ~" });
    }
}

#[test]
fn waiting_saves_share_the_next_snapshot() {
    let file = path("snapshot");
    let server = start("", &file);
    reserve_large(&server);
    let mut first = server.client();
    first.send(b"SAVE\r\n");
    begins(&mut server.client());
    server.converse("CF.ADD large late -> :1");
    let mut clients: Vec<_> = (0..20).map(|_| server.client()).collect();
    for client in &mut clients {
        client.send(b"SAVE\r\n");
    }
    clients.push(first);
    for client in &mut clients {
        assert_eq!(client.reply(), "+OK\r\n");
    }
    // One snapshot for the clients that came during the first, and one for those that came during
    // the second.
    let taken = server.client().info("snapshots");
    assert!(taken <= 3, "{taken} snapshots");
    server.kill();
    start("", &file).converse("CF.EXISTS large late -> :1");
}

/// An end does not wait for snapshots that wait.
#[test]
fn an_end_waits_for_no_queued_snapshot() {
    let file = path("snapshot");
    let server = start("", &file);
    reserve_large(&server);
    let mut clients: Vec<_> = (0..20).map(|_| server.client()).collect();
    for client in &mut clients {
        client.send(b"SAVE\r\n");
    }
    begins(&mut server.client());
    server.converse("CF.ADD large late -> :1");
    let logs = server.stop();
    let taken = logs.matches("snapshot saved").count();
    assert!(taken < 20, "{taken} snapshots");
    let server = start("", &file);
    let mut client = server.client();
    // A snapshot that was begun is visible at once.
    client.converse(
        "CF.EXISTS large late -> :1
        BGSAVE -> +Background saving started
        BGSAVE -> -ERR Background save already in progress
        INFO -> ~ rdb_bgsave_in_progress:1 ~",
    );
    until("the end of the snapshot", || {
        client.info("rdb_bgsave_in_progress") == 0
    });
    client.converse("BGSAVE -> +Background saving started");
}

#[test]
fn a_snapshot_copies_one_filter_at_a_time() {
    let server = start("", &path("snapshot"));
    let mut client = server.client();
    client.converse("CF.RESERVE f{0..8} 8000000 EXPANSION 0 -> +OK");
    let usage = client.number("MEMORY USAGE f0");
    let before = server.memory("VmHWM");
    client.converse("SAVE -> +OK");
    let more = server.memory("VmHWM") - before;
    // One filter is copied at a time, and the allocator can keep the memory of the last copy.
    assert!((usage / 2..usage * 3).contains(&more), "{more} of {usage}");
}
