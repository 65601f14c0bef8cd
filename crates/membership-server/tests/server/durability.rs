//! What was answered is there after a restart.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::operation::get;
use crate::process::{Server, path, refused};
use crate::wait::wait;
use crate::wire::{Client, request};

fn start(snapshot: &Path) -> Server {
    Server::start(
        ["--snapshot-interval", "0", "--snapshot"]
            .map(Into::into)
            .into_iter()
            .chain([snapshot.as_os_str().to_owned()]),
    )
}

fn add(client: &mut Client, key: &str, items: std::ops::Range<usize>) {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    let mut words = vec!["CF.INSERT", key, "ITEMS"];
    words.extend(items.iter().map(String::as_str));
    let replies = client.ask(&words);
    assert!(!replies.contains(":-1"), "{replies}");
}

fn found(client: &mut Client, key: &str, items: std::ops::Range<usize>) -> usize {
    let items: Vec<String> = items.map(|item| item.to_string()).collect();
    let mut words = vec!["CF.MEXISTS", key];
    words.extend(items.iter().map(String::as_str));
    client.ask(&words).matches(":1\r\n").count()
}

/// How many snapshots it has saved.
fn taken(client: &mut Client) -> usize {
    let info = client.ask(&["INFO"]);
    let line = info
        .lines()
        .find_map(|line| line.strip_prefix("snapshots:"));
    line.and_then(|number| number.parse().ok())
        .expect("a number")
}

#[test]
fn every_layout_is_kept() {
    let file = path("layouts");
    let layouts = ["BUCKETSIZE 2", "BUCKETSIZE 8", "ERROR 0.005", "ERROR 1e-9"];
    let growing = ["BUCKETSIZE 3 EXPANSION 2", "ERROR 0.001 EXPANSION 2"];
    let options = || layouts.into_iter().chain(growing);
    let server = start(&file);
    let mut client = server.client();
    let describe = |client: &mut Client| -> Vec<String> {
        let keys = options().map(|key| client.ask(&["CF.INFO", key]));
        keys.collect()
    };
    for key in options() {
        let mut words = vec!["CF.RESERVE", key, "5000"];
        words.extend(key.split(' '));
        assert_eq!(client.ask(&words), "+OK\r\n", "{key}");
        add(&mut client, key, 0..5_000);
    }
    let before = describe(&mut client);
    server.signal("-TERM");
    assert!(server.ended().0.success());
    let server = start(&file);
    let mut client = server.client();
    assert_eq!(describe(&mut client), before);
    for key in options() {
        assert_eq!(found(&mut client, key, 0..5_000), 5_000, "{key}");
    }
}

#[test]
fn an_end_in_order_keeps_everything() {
    let file = path("snapshot");
    for (end, from) in [("TERM", 0), ("INT", 1_000), ("SHUTDOWN", 2_000)] {
        let server = start(&file);
        let mut client = server.client();
        assert_eq!(found(&mut client, "fixed", 0..from), from);
        assert_eq!(found(&mut client, "growing", 0..from), from);
        if from == 0 {
            client.ask(&[
                "CF.RESERVE",
                "growing",
                "100",
                "EXPANSION",
                "4",
                "MAXITERATIONS",
                "7",
            ]);
            add(&mut client, "binary\r\n\u{e9} key", 0..1);
        }
        add(&mut client, "fixed", from..from + 1_000);
        add(&mut client, "growing", from..from + 1_000);
        let logs = match end {
            "SHUTDOWN" => {
                client.send(&request(&["SHUTDOWN"]));
                let (status, logs) = server.ended();
                assert!(status.success());
                logs
            }
            _ => {
                server.signal(&format!("-{end}"));
                let (status, logs) = server.ended();
                assert!(status.success());
                logs
            }
        };
        assert!(logs.contains("snapshot saved"), "{logs}");
    }
    let server = start(&file);
    let mut client = server.client();
    assert_eq!(client.ask(&["DBSIZE"]), ":3\r\n");
    assert_eq!(found(&mut client, "binary\r\n\u{e9} key", 0..1), 1);
    assert_eq!(found(&mut client, "fixed", 0..3_000), 3_000);
    let info = client.ask(&["CF.INFO", "growing"]);
    assert!(
        info.contains("+Number of items inserted\r\n:3000\r\n"),
        "{info}"
    );
    assert!(info.contains("+Expansion rate\r\n:4\r\n"), "{info}");
    assert!(info.contains("+Max iterations\r\n:7\r\n"), "{info}");
    // One that is told to forget does.
    add(&mut client, "late", 0..1);
    client.send(&request(&["SHUTDOWN", "NOSAVE"]));
    assert!(server.ended().0.success());
    assert_eq!(client.rest(), "", "the end of the connection is the reply");
    assert_eq!(start(&file).ask(&["EXISTS", "late"]), ":0\r\n");
}

#[test]
fn what_was_answered_until_the_end_is_kept() {
    for drain in ["0", "5"] {
        let file = path("snapshot");
        let options = ["--drain-timeout", drain, "--snapshot"].map(Into::into);
        let options = options.into_iter().chain([file.clone().into_os_string()]);
        let server = Server::start(options);
        server.ask(&["CF.RESERVE", "f", "1000000", "EXPANSION", "0"]);
        let answered = AtomicUsize::new(0);
        let pipeline = |first: usize| -> Vec<u8> {
            let items = (first..first + 100).map(|item| item.to_string());
            items
                .flat_map(|item| request(&["CF.ADD", "f", &item]))
                .collect()
        };
        thread::scope(|scope| {
            let clients: Vec<_> = (0..3)
                .map(|number| {
                    let (mut client, answered) = (server.client(), &answered);
                    scope.spawn(move || {
                        let first = number * 300_000;
                        let mut items = 0;
                        while items < 300_000 && client.try_send(&pipeline(first + items)) {
                            let replies = client.replies_until_the_end(100);
                            items += replies;
                            answered.fetch_add(replies, Ordering::Relaxed);
                            if replies < 100 {
                                break;
                            }
                        }
                        first..first + items
                    })
                })
                .collect();
            wait("some answers", || {
                (answered.load(Ordering::Relaxed) > 3_000).then_some(())
            });
            server.signal("-TERM");
            let (status, logs) = server.ended();
            assert!(status.success(), "{logs}");
            let server = start(&file);
            for client in clients {
                let items = client.join().expect("a client");
                assert_eq!(found(&mut server.client(), "f", items.clone()), items.len());
            }
        });
    }
}

#[test]
fn a_kill_in_the_middle_of_a_snapshot_leaves_the_last_one() {
    let file = path("snapshot");
    let partial = file.with_file_name("snapshot.partial");
    let mut caught = 0;
    let mut kept = 1_000;
    let server = start(&file);
    let mut client = server.client();
    // Large enough that a snapshot takes a while.
    client.ask(&["CF.RESERVE", "large", "20000000", "EXPANSION", "0"]);
    add(&mut client, "f", 0..kept);
    assert_eq!(client.ask(&["SAVE"]), "+OK\r\n");
    let mut server = Some(server);
    for round in 0..20 {
        let running = server.take().unwrap_or_else(|| start(&file));
        let mut client = running.client();
        assert_eq!(
            found(&mut client, "f", 0..kept),
            kept,
            "lost in round {round}"
        );
        add(&mut client, "f", kept..kept + 100);
        let before = taken(&mut client);
        assert_eq!(client.ask(&["BGSAVE"]), "+Background saving started\r\n");
        wait("a snapshot that has begun", || {
            let length = fs::metadata(&partial).map_or(0, |file| file.len());
            // Or it is over already.
            (length > 0 || taken(&mut client) > before).then_some(())
        });
        running.kill();
        if partial.exists() {
            caught += 1;
        } else {
            kept += 100;
        }
        if caught == 3 {
            break;
        }
    }
    assert!(caught > 0, "never killed in the middle");
    let server = start(&file);
    let mut client = server.client();
    assert_eq!(found(&mut client, "f", 0..kept), kept);
    assert_eq!(client.ask(&["SAVE"]), "+OK\r\n");
    assert!(!partial.exists(), "a whole one takes its place");
}

#[test]
fn snapshots_are_taken_by_themselves_while_others_write() {
    let file = path("snapshot");
    let options = ["--snapshot-interval", "0.05", "--snapshot"].map(Into::into);
    let server = Server::start(options.into_iter().chain([file.clone().into_os_string()]));
    let mut client = server.client();
    client.ask(&["CF.RESERVE", "f", "100000", "EXPANSION", "0"]);
    let mut added = 0;
    for _ in 0..20 {
        add(&mut client, "f", added..added + 500);
        added += 500;
    }
    // What was answered before the second of two snapshots that end later is in it.
    let before = taken(&mut client);
    wait("two more snapshots", || {
        add(&mut client, "other", 0..1);
        client.ask(&["CF.DEL", "other", "0"]);
        (taken(&mut client) >= before + 2).then_some(())
    });
    server.kill();
    assert_eq!(found(&mut start(&file).client(), "f", 0..added), added);
}

#[test]
fn a_damaged_snapshot_is_refused_and_left_alone() {
    let file = path("snapshot");
    let server = start(&file);
    let mut client = server.client();
    client.ask(&["CF.RESERVE", "f", "100", "EXPANSION", "0"]);
    client.ask(&["CF.RESERVE", "g", "100", "EXPANSION", "2"]);
    add(&mut client, "f", 0..50);
    server.stop();
    let whole = fs::read(&file).expect("a snapshot");
    let mut versions = vec![b"something else".to_vec(), Vec::new()];
    versions
        .extend([9, 20, whole.len() / 2, whole.len() - 1].map(|length| whole[..length].to_vec()));
    for at in [
        0,
        8,
        9,
        12,
        30,
        40,
        whole.len() / 2,
        whole.len() - 5,
        whole.len() - 1,
    ] {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        versions.push(damaged);
    }
    versions.push([whole.as_slice(), b"x"].concat());
    for damaged in versions {
        fs::write(&file, &damaged).expect("a file");
        let options = ["--bind", "127.0.0.1:0", "--snapshot"].map(OsStr::new);
        let (status, words) = refused(options.into_iter().chain([file.as_os_str()]));
        assert_eq!(status, 3, "{words}");
        assert!(words.contains("The file was not changed"), "{words}");
        assert_eq!(fs::read(&file).expect("a file"), damaged);
    }
    // One that is whole but larger than what the operator allows.
    fs::write(&file, &whole).expect("a file");
    let options = [
        "--bind",
        "127.0.0.1:0",
        "--max-memory",
        "2000",
        "--snapshot",
    ]
    .map(OsStr::new);
    let (status, words) = refused(options.into_iter().chain([file.as_os_str()]));
    assert_eq!(status, 3, "{words}");
    assert!(words.contains("at most 2000 bytes"), "{words}");
}

#[test]
fn a_snapshot_that_cannot_be_written_is_told() {
    let file = path("directory").join("snapshot");
    let directory = file.parent().expect("a directory").to_owned();
    fs::create_dir_all(&directory).expect("a directory");
    let server = start(&file);
    fs::remove_dir(&directory).expect("an empty directory");
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    let reply = client.ask(&["SAVE"]);
    assert!(
        reply.starts_with("-ERR") && reply.contains("No such file"),
        "{reply}"
    );
    assert_eq!(found(&mut client, "f", 0..10), 10);
    server.signal("-TERM");
    let (status, logs) = server.ended();
    assert_eq!(status.code(), Some(1), "{logs}");
}

#[test]
fn a_shutdown_that_cannot_save_loses_nothing() {
    let file = path("directory").join("snapshot");
    let directory = file.parent().expect("a directory").to_owned();
    fs::create_dir_all(&directory).expect("a directory");
    let server = start(&file);
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    fs::remove_dir_all(&directory).expect("a directory");
    for words in [
        ["SHUTDOWN"].as_slice(),
        &["SHUTDOWN", "SAVE"],
        &["SHUTDOWN", "NOW"],
    ] {
        let reply = client.ask(words);
        assert!(
            reply.starts_with("-ERR Errors trying to SHUTDOWN") && reply.contains("No such file"),
            "{reply}"
        );
    }
    for words in [
        ["SHUTDOWN", "SAVE", "NOSAVE"].as_slice(),
        &["SHUTDOWN", "PLEASE"],
    ] {
        assert_eq!(client.ask(words), "-ERR syntax error\r\n");
    }
    // It goes on, for this client and for others.
    assert_eq!(found(&mut client, "f", 0..10), 10);
    add(&mut server.client(), "f", 10..20);
    fs::create_dir_all(&directory).expect("a directory");
    client.send(&request(&["SHUTDOWN", "SAVE"]));
    let (status, logs) = server.ended();
    assert!(status.success(), "{logs}");
    assert_eq!(client.rest(), "", "the end of the connection is the reply");
    let server = start(&file);
    assert_eq!(found(&mut server.client(), "f", 0..20), 20);
    // One that is to end whatever comes of it does, and says what came of it.
    fs::remove_dir_all(&directory).expect("a directory");
    let mut client = server.client();
    client.send(&request(&["SHUTDOWN", "FORCE"]));
    assert_eq!(server.ended().0.code(), Some(1));
    assert!(client.rest().starts_with("-ERR Errors trying to SHUTDOWN"));
}

/// Starts a server with options of which the last is to be followed by the file.
fn start_with<const N: usize>(options: [&str; N], file: &Path) -> Server {
    let options = options.map(OsStr::new).into_iter();
    Server::start(options.chain([file.as_os_str()]))
}

#[test]
fn a_signal_ends_no_server_that_is_to_stay_until_it_has_saved() {
    let file = path("directory").join("snapshot");
    let directory = file.parent().expect("a directory").to_owned();
    fs::create_dir_all(&directory).expect("a directory");
    let options = [
        "--on-last-save-error",
        "stay",
        "--http",
        "127.0.0.1:0",
        "--snapshot",
    ];
    let server = start_with(options, &file);
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    fs::remove_dir_all(&directory).expect("a directory");
    server.signal("-TERM");
    wait("a snapshot that failed", || {
        let info = client.ask(&["INFO"]);
        info.contains("failed_snapshots:1\r\n").then_some(())
    });
    assert_eq!(found(&mut server.client(), "f", 0..10), 10);
    fs::create_dir_all(&directory).expect("a directory");
    server.stop();
    assert_eq!(found(&mut start(&file).client(), "f", 0..10), 10);
}

#[test]
fn saves_that_fail_are_seen() {
    let file = path("directory").join("snapshot");
    let directory = file.parent().expect("a directory").to_owned();
    fs::create_dir_all(&directory).expect("a directory");
    let options = [
        "--stop-writes-on-save-error",
        "--http",
        "127.0.0.1:0",
        "--snapshot",
    ];
    let server = start_with(options, &file);
    let http = server.http.expect("an address");
    let mut client = server.client();
    add(&mut client, "f", 0..10);
    fs::remove_dir_all(&directory).expect("a directory");
    for fails in [false, true, false] {
        let status = if fails { "err" } else { "ok" };
        let info = client.ask(&["INFO"]);
        assert!(
            info.contains(&format!("rdb_last_bgsave_status:{status}\r\n")),
            "{info}"
        );
        assert!(info.contains("last_save_age_in_seconds:"), "{info}");
        let metrics = get(http, "GET /metrics");
        let failing = format!("membership_snapshot_failing {}\n", u8::from(fails));
        assert!(metrics.contains(&failing), "{metrics}");
        assert!(
            metrics.contains("membership_snapshot_age_seconds "),
            "{metrics}"
        );
        let health = get(http, "GET /healthz");
        assert_eq!(health.starts_with("HTTP/1.1 503 "), fails, "{health}");
        assert_eq!(
            health.contains("degraded: the last snapshot"),
            fails,
            "{health}"
        );
        for words in [
            ["CF.ADD", "f", "0"].as_slice(),
            &["CF.RESERVE", "none", "x"],
            &["DEL", "none"],
            &["FLUSHALL", "x"],
        ] {
            let reply = client.ask(words);
            assert_eq!(reply.starts_with("-MISCONF "), fails, "{words:?}: {reply}");
        }
        assert_eq!(found(&mut client, "f", 0..10), 10);
        if fails {
            fs::create_dir_all(&directory).expect("a directory");
            assert_eq!(client.ask(&["SAVE"]), "+OK\r\n");
        } else {
            // The last round of three has a directory.
            client.ask(&["SAVE"]);
        }
    }
}

#[test]
fn saves_that_wait_share_the_next_snapshot() {
    let file = path("snapshot");
    let server = start(&file);
    server.ask(&["CF.RESERVE", "large", "20000000", "EXPANSION", "0"]);
    let mut first = server.client();
    first.send(&request(&["SAVE"]));
    wait("a snapshot that has begun", || {
        let info = server.ask(&["INFO"]);
        info.contains("in_progress:1\r\n").then_some(())
    });
    server.ask(&["CF.ADD", "large", "late"]);
    let mut others: Vec<_> = (0..20).map(|_| server.client()).collect();
    for other in &mut others {
        other.send(&request(&["SAVE"]));
    }
    assert_eq!(first.reply(), "+OK\r\n");
    for other in &mut others {
        assert_eq!(other.reply(), "+OK\r\n");
    }
    // One for those who came during the first, one for those who came during the second.
    let taken = taken(&mut first);
    assert!(taken <= 3, "{taken} snapshots");
    server.kill();
    let server = start(&file);
    assert_eq!(server.ask(&["CF.EXISTS", "large", "late"]), ":1\r\n");
}

#[test]
fn a_save_whose_client_is_gone_before_it_begins_is_dropped() {
    let file = path("snapshot");
    let server = start(&file);
    server.ask(&["CF.RESERVE", "large", "20000000", "EXPANSION", "0"]);
    let (mut watcher, mut first) = (server.client(), server.client());
    let is_so = |watcher: &mut Client, line: &str| watcher.ask(&["INFO"]).contains(line);
    // On a busy machine a snapshot can be over before it is known that the others are gone.
    let in_time = (0..50).any(|_| {
        let before = taken(&mut watcher);
        first.send(&request(&["SAVE"]));
        wait("a snapshot that has begun", || {
            is_so(&mut watcher, "in_progress:1\r\n").then_some(())
        });
        let mut others: Vec<_> = (0..5).map(|_| server.client()).collect();
        for other in &mut others {
            // What it has sent ahead does not hide its end.
            other.send(&request(&["SAVE"]).repeat(2));
        }
        let mut half = others.pop().expect("one");
        half.end_of_requests();
        drop(others);
        let told = half.rest();
        wait("the end of the others", || {
            is_so(&mut watcher, "connected_clients:2\r\n").then_some(())
        });
        let in_time = !first.has_reply();
        assert_eq!(first.reply(), "+OK\r\n");
        wait("the end of all snapshots", || {
            is_so(&mut watcher, "in_progress:0\r\n").then_some(())
        });
        if in_time {
            assert_eq!(taken(&mut watcher), before + 1);
            let dropped =
                "-ERR the client closed its side of the connection before the snapshot began\r\n";
            assert_eq!(told, dropped.repeat(2));
        }
        in_time
    });
    assert!(in_time, "no snapshot took long enough");
}

#[test]
fn a_snapshot_does_not_copy_all_filters_at_once() {
    const FILTERS: usize = 8;
    let server = start(&path("snapshot"));
    let mut client = server.client();
    for number in 0..FILTERS {
        let key = format!("f{number}");
        client.ask(&["CF.RESERVE", &key, "8000000", "EXPANSION", "0"]);
    }
    let usage = client.ask(&["MEMORY", "USAGE", "f0"]);
    let usage = usage.trim_start_matches(':').trim_end().parse();
    let usage: usize = usage.expect("a number");
    let before = server.memory("VmHWM");
    assert_eq!(client.ask(&["SAVE"]), "+OK\r\n");
    let more = server.memory("VmHWM") - before;
    // One is copied at a time, and the allocator can keep the memory of the last.
    assert!((usage / 2..usage * 3).contains(&more), "{more} of {usage}");
}
