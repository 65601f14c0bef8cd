//! Windows: the same on every node and in every form, on time, and not within a transaction.

use std::thread;
use std::time::Duration;

use crate::engine::{Engine, module, on, on_each, on_each_pair, says, with_items};
use crate::fetch::{KINDS, Kind};
use crate::history::Random;
use crate::wait::wait;
use crate::wire::{Client, request};

/// Returns a value of `CF.INFO`, from a database that the client has selected.
fn described(client: &mut Client, key: &str, name: &str) -> u64 {
    let reply = client.say(&format!("CF.INFO {key}")).replace("\r\n", " ");
    let found = reply.split_once(&format!("+{name} :"));
    let (_, behind) = found.unwrap_or_else(|| panic!("{key}: {reply}"));
    let number = behind.split(' ').next().and_then(|word| word.parse().ok());
    number.expect("a number")
}

fn rotations(client: &mut Client, key: &str) -> u64 {
    described(client, key, "Number of rotations")
}

fn age(engine: &Engine, key: &str) -> u64 {
    let name = "Age of the youngest generation";
    described(&mut engine.client(), key, name)
}

/// Returns a reply without the age, which changes.
fn digest(engine: &Engine, key: &str) -> String {
    engine.ask(&format!("DEBUG DIGEST-VALUE {key}"))
}

/// Adds, refreshes, deletes and rotates at random.
fn go_on(client: &mut Client, random: &mut Random, commands: usize) {
    for _ in 0..commands {
        let item = random.below(2_000);
        let line = match random.below(100) {
            0..40 => format!("CF.ADD w {item}"),
            40..60 => format!("CF.ADDNX w {item}"),
            60..75 => format!("CF.REFRESH w {item} {} {}", item / 2, item / 3),
            75..80 => format!("CF.INSERTNX w ITEMS {item} {} {item}", item + 1),
            80..98 => format!("CF.DEL w {item}"),
            _ => "CF.ROTATE w".to_owned(),
        };
        client.send(&request(&line.split(' ').collect::<Vec<_>>()));
    }
    for _ in 0..commands {
        let reply = client.reply();
        let is_right = !reply.starts_with('-') || reply.starts_with("-Filter is full");
        assert!(is_right, "{reply}");
    }
}

#[test]
fn a_window_is_the_same_in_every_form() {
    for kind in KINDS {
        let log = ["--appendonly", "yes", "--appendfsync", "no"];
        let Some(primary) = Engine::start(kind, &log) else {
            continue;
        };
        let replica = Engine::start(kind, &log).expect("as the other");
        replica.replicate(&primary);
        let mut client = primary.client();
        let reserve = "CF.RESERVE w 3000 WINDOW 100000 GENERATIONS 4 BUCKETSIZE 2";
        says(&mut client, reserve, "+OK");
        let random = &mut Random::new(5);
        for round in 0..4 {
            go_on(&mut client, random, 3_000);
            primary.wait_for_replica(&replica);
            assert_eq!(digest(&primary, "w"), digest(&replica, "w"), "{kind:?}");
            primary.says("COPY w copy REPLACE", ":1");
            assert_eq!(digest(&primary, "w"), digest(&primary, "copy"), "{kind:?}");
            let (before, turns) = (digest(&primary, "w"), rotations(&mut client, "w"));
            assert!(turns > round, "{turns}");
            // The age continues too. It is known to the millisecond.
            thread::sleep(Duration::from_millis(200));
            let old = age(&primary, "w");
            let engine = match round {
                0 => {
                    primary.says("DEBUG RELOAD", "+OK");
                    &primary
                }
                1 => {
                    primary.says("DEBUG LOADAOF", "+OK");
                    &primary
                }
                2 => {
                    primary.set("aof-use-rdb-preamble", "no");
                    primary.rewrite_log();
                    primary.says("DEBUG LOADAOF", "+OK");
                    &primary
                }
                // Times of replicated commands are logged by its own clock.
                _ => {
                    replica.says("DEBUG LOADAOF", "+OK");
                    &replica
                }
            };
            assert_eq!(digest(engine, "w"), before, "{kind:?}: round {round}");
            assert_eq!(rotations(&mut engine.client(), "w"), turns);
            let new = age(engine, "w");
            assert!(new + 5 >= old, "{kind:?}: round {round}: {new} after {old}");
        }
        // It followed by the stream all the time.
        assert_eq!(primary.number("sync_full"), 1);
        primary.check();
        replica.check();
    }
}

/// Waits until the primary has rotated it once more.
fn rotates(client: &mut Client, key: &str) {
    let before = rotations(client, key);
    wait("a rotation", || {
        (rotations(client, key) > before).then_some(())
    });
}

/// Returns whether both have the same data, between two rotations.
pub(crate) fn has_the_same(primary: &Engine, replica: &Engine, key: &str) -> bool {
    wait("a time without a rotation", || {
        let before = digest(primary, key);
        primary.wait_for_replica(replica);
        let there = digest(replica, key);
        (digest(primary, key) == before).then_some(there == before)
    })
}

/// Moves the key, from `w` to `x` in the other database. It is found among others, although no
/// command uses it.
fn wander(primary: &Engine, client: &mut Client, other: &mut Client) {
    for (line, reply) in [
        ("RENAME w v", "+OK"),
        ("MOVE v 1", ":1"),
        ("RENAME v x", "+OK"),
    ] {
        for key in 0..1_000 {
            client.send(&request(&["SET", &format!("{key}"), line]));
        }
        assert!((0..1_000).all(|_| client.reply() == "+OK\r\n"));
        let is_there = line == "RENAME v x";
        says(
            if is_there { &mut *other } else { &mut *client },
            line,
            reply,
        );
        let before = primary.number("cf_rotations");
        wait("two rotations", || {
            (primary.number("cf_rotations") > before + 1).then_some(())
        });
    }
}

/// A window rotates on time wherever its key moves.
#[test]
fn a_window_rotates_wherever_it_moves() {
    on_each_pair(|kind, primary, replica| {
        let (mut client, mut other) = (primary.client(), primary.client());
        says(&mut other, "SELECT 1", "+OK");
        let mut subscriber = primary.client();
        primary.set("notify-keyspace-events", "Kd");
        subscriber.say("SUBSCRIBE __keyspace@0__:w");
        says(
            &mut client,
            "CF.RESERVE w 1000 WINDOW 0.4 GENERATIONS 3",
            "+OK",
        );
        assert!(subscriber.reply().ends_with("\r\ncf.reserve\r\n"));
        rotates(&mut client, "w");
        assert!(subscriber.reply().ends_with("\r\ncf.rotate\r\n"));
        says(&mut client, "CF.ADD w a", ":1");
        wander(primary, &mut client, &mut other);
        says(&mut other, "MOVE x 0", ":1");
        rotates(&mut client, "x");
        says(&mut client, "COPY x y", ":1");
        says(&mut client, "MOVE x 1", ":1");
        rotates(&mut other, "x");
        rotates(&mut client, "y");
        says(&mut client, "SWAPDB 0 1", "+OK");
        rotates(&mut client, "x");
        rotates(&mut other, "y");
        says(&mut client, "DEBUG RELOAD", "+OK");
        rotates(&mut client, "x");
        // A loaded dump is a window, too. On a busy machine the item may be forgotten before the
        // dump.
        let chunks = wait("a dump with an item", || {
            says(&mut client, "CF.ADD x b", ":1");
            let chunks = client.dump("x", |_| {});
            (!chunks.is_empty()).then_some(chunks)
        });
        for chunk in &chunks {
            assert_eq!(client.load("z", chunk), "+OK\r\n");
        }
        rotates(&mut client, "z");
        // No command uses the forgotten items: the replica forgets them all the same.
        for key in ["x", "z"] {
            assert!(has_the_same(primary, replica, key), "{kind:?}: {key}");
            for item in ["a", "b"] {
                wait("the replica", || {
                    let reply = replica.ask(&format!("CF.EXISTS {key} {item}"));
                    (reply == ":0\r\n").then_some(())
                });
            }
        }
        assert_eq!(primary.number("cf_windows"), 3);
        assert_ne!(primary.number("cf_rotations"), 0);
        // The engine's own expiry removes the whole key.
        says(&mut client, "PEXPIRE x 1", ":1");
        wait("the end of a key", || {
            (replica.number("cf_windows") == 2).then_some(())
        });
        says(&mut client, "FLUSHALL", "+OK");
        wait("the end of all", || {
            (primary.number("cf_windows") == 0).then_some(())
        });
    });
}

/// A replica rotates nothing until it takes over.
///
/// Checks that a replica that takes over continues the rotations.
#[test]
fn a_replica_rotates_after_its_takeover() {
    on_each_pair(|kind, primary, replica| {
        let mut client = primary.client();
        says(&mut client, "CF.RESERVE w 1000 WINDOW 0.2", "+OK");
        says(&mut client, "CF.RESERVE v 1000 WINDOW 100000", "+OK");
        says(&mut client, "CF.ADD v a", ":1");
        primary.wait_for_replica(replica);
        primary.kill();
        let mut client = replica.client();
        let before = rotations(&mut client, "w");
        // Several periods.
        thread::sleep(Duration::from_millis(700));
        assert_eq!(rotations(&mut client, "w"), before, "{kind:?}");
        let old = age(replica, "v");
        replica.says("REPLICAOF NO ONE", "+OK");
        rotates(&mut client, "w");
        says(&mut client, "CF.EXISTS v a", ":1");
        assert!(age(replica, "v") >= old);
        // For the end of this test.
        primary.start_again();
    });
}

#[test]
fn transactions_and_scripts_see_no_rotation() {
    on_each(|kind, engine| {
        let mut client = engine.client();
        // A period of 7 ms, and the cron's tenth of a second.
        says(
            &mut client,
            "CF.RESERVE w 1000 WINDOW 0.1 GENERATIONS 15",
            "+OK",
        );
        let script = "
            local before = redis.call('CF.INFO', KEYS[1])
            -- Many periods. Time stands still in a script.
            for turn = 1, 20000000 do end
            local after = redis.call('CF.INFO', KEYS[1])
            for at = 1, #before, 2 do
                if before[at] == 'Number of rotations' or before[at].ok == 'Number of rotations' then
                    return {before[at + 1], after[at + 1]}
                end
            end";
        for _ in 0..3 {
            rotates(&mut client, "w");
            let reply = client.ask(&["EVAL", script, "1", "w"]);
            let numbers: Vec<_> = reply.lines().skip(1).collect();
            assert!(
                numbers.len() == 2 && numbers[0] == numbers[1],
                "{kind:?}: {reply}"
            );
            says(&mut client, "MULTI", "+OK");
            for line in ["CF.ROTATE w", "DEBUG SLEEP 0.3", "CF.ROTATE w"] {
                says(&mut client, line, "+QUEUED");
            }
            let reply = client.say("EXEC").replace("\r\n", " ");
            let numbers = reply.split(' ').filter_map(|word| word.strip_prefix(':'));
            let numbers: Vec<u64> = numbers.filter_map(|word| word.parse().ok()).collect();
            assert!(
                matches!(numbers[..], [a, b] if a + 1 == b),
                "{kind:?}: {reply}"
            );
        }
    });
}

/// Starts an engine with its own form of persistence, which knows an item of a short window and of
/// a long one. Both have rotated once.
fn stored(kind: Kind, form: &str) -> Option<Engine> {
    let appends = if form == "snapshot" { "no" } else { "yes" };
    let engine = Engine::start(kind, &["--appendonly", appends, "--appendfsync", "always"])?;
    let mut client = engine.client();
    for (key, window) in [("short", "2"), ("long", "100000")] {
        says(
            &mut client,
            &format!("CF.RESERVE {key} 100 WINDOW {window}"),
            "+OK",
        );
        says(&mut client, &format!("CF.ROTATE {key}"), ":1");
        says(&mut client, &format!("CF.ADD {key} a"), ":1");
    }
    match form {
        "snapshot" => says(&mut client, "SAVE", "+OK"),
        "rewritten log" => {
            engine.set("aof-use-rdb-preamble", "no");
            engine.rewrite_log();
        }
        _ => {}
    }
    engine.kill();
    Some(engine)
}

/// Forgets overdue generations after a restart.
#[test]
fn a_restart_forgets_overdue_generations() {
    const PAUSE: Duration = Duration::from_millis(4_500);
    let forms = ["snapshot", "log", "rewritten log"];
    let all = KINDS
        .into_iter()
        .flat_map(|kind| forms.map(|form| (kind, form)));
    let engines = all.filter_map(|(kind, form)| Some((kind, form, stored(kind, form)?)));
    let engines: Vec<_> = engines.collect();
    thread::sleep(PAUSE);
    for (kind, form, engine) in &engines {
        engine.start_again();
        let mut client = engine.client();
        // Both rotate at once, but the time of this check is unknown.
        let turned = wait("the rotations", || {
            Some(rotations(&mut client, "short")).filter(|&rotations| rotations > 1)
        });
        assert!(turned >= 3, "{kind:?}, {form}: {turned}");
        says(&mut client, "CF.EXISTS short a", ":0");
        says(&mut client, "CF.EXISTS long a", ":1");
        assert_eq!(rotations(&mut client, "long"), 1);
        let age = age(engine, "long");
        assert!(age >= PAUSE.as_millis() as u64, "{kind:?}, {form}: {age}");
        engine.check();
    }
}

/// A replica with a wrong clock forgets nothing.
///
/// Checks that a filter from another node has the age that it had there, whatever the clocks of
/// both.
#[test]
fn a_wrong_clock_forgets_nothing() {
    let kind = Kind::Valkey9;
    for off in ["+3600", "-3600"] {
        let log = ["--appendonly", "yes"];
        let Some(primary) = Engine::start(kind, &log) else {
            return;
        };
        let Some(replica) = Engine::start_with_clock(kind, off, &log) else {
            return;
        };
        let time = |engine: &Engine| engine.number_in("TIME", "*2 $10 ");
        assert!(time(&primary).abs_diff(time(&replica)) > 3_000);
        let mut client = primary.client();
        // One filter comes in the snapshot, one by the stream, and one rotates by the stream.
        for key in ["u", "w"] {
            says(
                &mut client,
                &format!("CF.RESERVE {key} 100 WINDOW 1000"),
                "+OK",
            );
            says(&mut client, &format!("CF.ADD {key} before"), ":1");
        }
        replica.replicate(&primary);
        says(&mut client, "CF.RESERVE v 100 WINDOW 1000", "+OK");
        says(&mut client, "CF.ROTATE w", ":1");
        for key in ["u", "v", "w"] {
            says(&mut client, &format!("CF.ADD {key} after"), ":1");
        }
        primary.wait_for_replica(&replica);
        let knows = |what: &str| {
            for key in ["u", "v", "w"] {
                replica.says(&format!("CF.EXISTS {key} after"), ":1");
                let age = age(&replica, key);
                assert!(age < 900_000, "{off}: {key} {what}: {age}");
            }
            for key in ["u", "w"] {
                replica.says(&format!("CF.EXISTS {key} before"), ":1");
            }
            assert_eq!(rotations(&mut replica.client(), "w"), 1, "{off}: {what}");
        };
        knows("as a replica");
        primary.kill();
        replica.says("REPLICAOF NO ONE", "+OK");
        // Some rounds of its cron.
        thread::sleep(Duration::from_millis(500));
        knows("as a primary");
        replica.says("DEBUG RELOAD", "+OK");
        // Until then its log begins with the snapshot of the primary, by whose clock its times are.
        replica.rewrite_log();
        replica.says("DEBUG LOADAOF", "+OK");
        thread::sleep(Duration::from_millis(500));
        knows("from what it stored");
        replica.check();
    }
}

/// Options of invalid windows.
const NO_WINDOWS: [(&str, &str); 6] = [
    (
        "WINDOW 60 EXPANSION 2",
        "-~WINDOW and EXPANSION exclude each other~",
    ),
    ("WINDOW 60 GENERATIONS 1", "-~GENERATIONS: value must be~"),
    (
        "WINDOW 60 GENERATIONS 1000",
        "-~GENERATIONS: value must be~",
    ),
    ("GENERATIONS 3", "-~only a filter with a WINDOW~"),
    ("WINDOW 60 AT x", "-~AT: value must be~"),
    ("WINDOW", "-ERR wrong number of arguments~"),
];

/// Commands that fail with a window, or without one.
const NO_COMMANDS: [(&str, &str); 17] = [
    ("CF.RESERVE w 100 WINDOW 60", "-ERR item exists"),
    (
        "CF.RESERVE x 3 WINDOW 60",
        "-Capacity must be at least (BucketSize * 2): 4 items for each period",
    ),
    (
        "CF.RESERVE x 90000000000 WINDOW 60",
        "-ERR Insufficient memory~",
    ),
    ("CF.ROTATE f", "-~the filter has no window~"),
    ("CF.ROTATE g 1", "-~the filter has no window~"),
    ("CF.ROTATE s", "-WRONGTYPE~"),
    ("CF.ROTATE x", "-ERR not found"),
    ("CF.ROTATE w 2", "-~rotation 2 is not the next one~"),
    ("CF.ROTATE w 0", "-rotation: value must be~"),
    ("CF.ROTATE w x", "-Couldn't parse rotation"),
    ("CF.ROTATE w 1 AT", "-ERR wrong number of arguments~"),
    ("CF.ROTATE w 1 AT x", "-~AT: value must be~"),
    ("CF.ROTATE w 1 SEED 2", "-ERR wrong number of arguments~"),
    ("CF.REFRESH f a", "-~the filter has no window~"),
    ("CF.REFRESH x a", "-ERR not found"),
    ("CF.REFRESH s a", "-WRONGTYPE~"),
    ("CF.COMPACT w", "+OK"),
];

/// Refuses invalid windows and commands, and changes nothing.
#[test]
fn refuses_invalid_windows_and_commands() {
    on_each(|kind, engine| {
        let mut client = engine.client();
        for reserve in ["w 100 WINDOW 60", "f 100 EXPANSION 0", "g 100"] {
            says(&mut client, &format!("CF.RESERVE {reserve}"), "+OK");
        }
        for key in ["w", "f", "g"] {
            says(&mut client, &format!("CF.ADD {key} a"), ":1");
        }
        says(&mut client, "SET s 1", "+OK");
        let before = engine.ask("DEBUG DIGEST");
        let changes = engine.info("rdb_changes_since_last_save");
        for window in [
            "0", "-1", "NaN", "1e300", "inf", "-inf", "0.05", "x", "1e10",
        ] {
            let line = format!("CF.RESERVE x 100 WINDOW {window}");
            says(
                &mut client,
                &line,
                "-~WINDOW: value must be a number of seconds~",
            );
        }
        for (options, error) in NO_WINDOWS {
            says(&mut client, &format!("CF.RESERVE x 100 {options}"), error);
        }
        for (line, error) in NO_COMMANDS {
            says(&mut client, line, error);
        }
        assert_eq!(engine.ask("DEBUG DIGEST"), before, "{kind:?}");
        assert_eq!(
            engine.info("rdb_changes_since_last_save"),
            changes,
            "{kind:?}"
        );
        // The second copy of a rotation does nothing; its time is for logs alone.
        says(&mut client, "CF.ROTATE w 1 AT 5", ":1");
        says(&mut client, "CF.ROTATE w 1", ":1");
        assert!(age(engine, "w") < 60_000);
        says(&mut client, "CF.EXISTS w a", ":1");
    });
}

/// A dump loads under another prefix, but not in another version.
///
/// Checks a dump, which contains no command names, and has a version.
#[test]
fn a_dump_loads_under_another_prefix() {
    on(Kind::Valkey9, |engine| {
        let module = module();
        let load = [
            "--loadmodule",
            module.to_str().expect("a path"),
            "prefix",
            "LF",
        ];
        let other = Engine::start_with(Kind::Valkey9, &load).expect("as the other");
        let (mut client, mut there) = (engine.client(), other.client());
        says(
            &mut client,
            "CF.RESERVE w 100 WINDOW 60 GENERATIONS 3",
            "+OK",
        );
        says(&mut client, "CF.ADD w a", ":1");
        says(&mut client, "CF.ROTATE w", ":1");
        let [(end, chunk)] = &client.dump("w", |_| {})[..] else {
            panic!("more than a chunk");
        };
        let mut send = |command: &str, bytes: &[u8]| {
            let end = end.to_string();
            let words: [&[u8]; 4] = [command.as_bytes(), b"w", end.as_bytes(), bytes];
            there.send(&request(&words));
            there.reply()
        };
        let mut old = chunk.clone();
        old[7] -= 1;
        assert!(send("LF.LOADCHUNK", &old).starts_with("-Couldn't load chunk!"));
        assert_eq!(send("LF.LOADCHUNK", chunk), "+OK\r\n");
        assert_eq!(digest(engine, "w"), digest(&other, "w"));
        other.says("LF.EXISTS w a", ":1");
        other.says("LF.ROTATE w", ":2");
        other.check();
    });
}

/// Checks that another thread cleans a large generation, while commands run and a snapshot is made.
#[test]
fn cleans_a_large_window_while_it_is_used() {
    on(Kind::Valkey9, |engine| {
        let mut client = engine.client();
        says(&mut client, "CF.RESERVE w 2000000 WINDOW 100000", "+OK");
        let insert = |client: &mut Client, first: usize| {
            let items = first..first + 1_000;
            let reply = client.ask(&with_items("CF.INSERT w ITEMS", items));
            assert!(!reply.contains(":0") && !reply.contains(":-1"), "{reply}");
        };
        for round in 0..4 {
            for batch in 0..100 {
                insert(&mut client, round * 1_000_000 + batch * 1_000);
            }
            says(&mut client, "CF.ROTATE w", &format!(":{}", round + 1));
            // The other thread works meanwhile.
            let before = digest(engine, "w");
            says(&mut client, "DEBUG RELOAD", "+OK");
            assert_eq!(digest(engine, "w"), before);
            let known = with_items(
                "CF.MEXISTS w",
                round * 1_000_000..round * 1_000_000 + 99_000,
            );
            assert!(!client.ask(&known).contains(":0"), "round {round}");
        }
        says(&mut client, "CF.ROTATE w", ":5");
        says(&mut client, "CF.ROTATE w", ":6");
        says(&mut client, "UNLINK w", ":1");
    });
}
