//! Operation: transactions, scripts, users, memory, settings, INFO.

use crate::engine::{Engine, module, on_each, on_each_pair, says};
use crate::fetch::{KINDS, Kind};
use crate::wait::wait;
use crate::wire::{Client, request};

/// Checks that a change of a key notifies clients that watch it and listeners for events, and
/// counts as a change; and that nothing else does.
#[test]
fn only_changes_of_a_key_are_announced() {
    on_each(|_, engine| {
        let (mut client, mut other) = (engine.client(), engine.client());
        says(&mut client, "CF.INSERT d CAPACITY 10 ITEMS a", "*1 :1");
        let [chunk] = &client.dump("d", |_| {})[..] else {
            panic!("more than a chunk");
        };
        let mut subscriber = engine.client();
        engine.set("notify-keyspace-events", "Kd");
        engine.set("cf.capacity", 8);
        subscriber.say("PSUBSCRIBE __keyspace@0__:*");
        for (key, line, event) in [
            ("f", "CF.RESERVE f 100", Some("cf.reserve")),
            ("f", "CF.RESERVE f 100", None),
            ("f", "CF.ADD f a", Some("cf.add")),
            ("g", "CF.ADD g a", Some("cf.add")),
            ("f", "CF.ADDNX f a", None),
            ("f", "CF.ADDNX f b", Some("cf.addnx")),
            ("h", "CF.INSERT h ITEMS a", Some("cf.insert")),
            ("h", "CF.INSERTNX h ITEMS a b", Some("cf.insertnx")),
            ("h", "CF.INSERTNX h ITEMS a b", None),
            ("f", "CF.DEL f none", None),
            ("f", "CF.DEL f a", Some("cf.del")),
            ("f", "CF.EXISTS f a", None),
            ("f", "CF.SCANDUMP f 0", None),
            ("f", "CF.COMPACT f", None),
            ("w", "INSERT-MANY", Some("cf.insert")),
            ("w", "DEL-MANY", Some("cf.del")),
            ("w", "CF.COMPACT w", Some("cf.compact")),
            ("w", "CF.COMPACT w", None),
            ("l", "LOAD", Some("cf.loadchunk")),
            ("t", "CF.RESERVE t 100 WINDOW 100000", Some("cf.reserve")),
            ("t", "CF.REFRESH t a b", Some("cf.refresh")),
            ("t", "CF.ROTATE t", Some("cf.rotate")),
            ("t", "CF.ROTATE t 1", None),
            ("t", "CF.ROTATE t 2", Some("cf.rotate")),
            ("t", "CF.COMPACT t", None),
        ] {
            says(&mut client, &format!("WATCH {key}"), "+OK");
            let before = engine.info("rdb_changes_since_last_save");
            let mut events = usize::from(event.is_some());
            match line {
                "INSERT-MANY" => {
                    other.insert("w", 0..200);
                }
                "DEL-MANY" => {
                    events = 200;
                    for item in 0..events {
                        says(&mut other, &format!("CF.DEL w {item}"), ":1");
                    }
                }
                "LOAD" => assert_eq!(other.load("l", chunk), "+OK\r\n"),
                _ => drop(other.say(line)),
            }
            says(&mut client, "MULTI", "+OK");
            client.say("PING");
            let reply = client.say("EXEC");
            assert_eq!(reply == "*-1\r\n", event.is_some(), "{line}: {reply}");
            let after = engine.info("rdb_changes_since_last_save");
            assert_eq!(before != after, event.is_some(), "{line}");
            for _ in 0..events {
                let told = subscriber.reply();
                let event = event.unwrap_or_default();
                let ends = format!("__keyspace@0__:{key}\r\n${}\r\n{event}\r\n", event.len());
                assert!(told.ends_with(&ends), "{line}: {told}");
            }
        }
        assert!(!subscriber.has_reply());
    });
}

/// Returns a client of a user with these rights.
fn user(engine: &Engine, name: &str, rules: &str) -> Client {
    let mut client = engine.client();
    let line = format!("ACL SETUSER {name} on nopass {rules}");
    says(&mut client, &line, "+OK");
    says(&mut client, &format!("AUTH {name} x"), "+OK");
    client
}

#[test]
fn users_run_only_allowed_commands() {
    on_each(|kind, engine| {
        // Redis 7.0 puts no command of a module into a category.
        let has_categories = kind != Kind::Redis7;
        let list = engine.ask("ACL CAT");
        assert_eq!(list.contains("cuckoo"), has_categories, "{list}");
        engine.says("CF.ADD f a", ":1");
        let only_reads = if has_categories {
            "+@read -@write"
        } else {
            "+cf.exists"
        };
        let mut reader = user(engine, "reader", &format!("~f* {only_reads}"));
        says(&mut reader, "CF.EXISTS f a", ":1");
        says(&mut reader, "CF.ADD f a", "-NOPERM~");
        says(&mut reader, "CF.EXISTS g a", "-NOPERM~");
        if has_categories {
            let mut all = user(engine, "cuckoo", "~* -@all +@cuckoo");
            for line in ["CF.ADD f a", "CF.EXISTS f a", "CF.DEL f a"] {
                says(&mut all, line, ":1");
            }
            says(&mut all, "CF.COMPACT f", "+OK");
            says(&mut all, "SET s 1", "-NOPERM~");
        }
    });
}

/// Checks a user who may read some keys and write others.
#[test]
fn users_read_and_write_only_allowed_keys() {
    const READS: [&str; 6] = [
        "CF.EXISTS f a",
        "CF.MEXISTS f a b",
        "CF.COUNT f a",
        "CF.INFO f",
        "CF.DEBUG f",
        "CF.SCANDUMP f 9",
    ];
    const WRITES: [&str; 10] = [
        "CF.ADD f b",
        "CF.ADDNX f c",
        "CF.INSERT f ITEMS d",
        "CF.INSERTNX f ITEMS e",
        "CF.DEL f a",
        "CF.COMPACT f",
        "CF.ROTATE f",
        "CF.REFRESH f a",
        "CF.RESERVE f1 100",
        "CF.LOADCHUNK f2 3 abc",
    ];
    assert_eq!(READS.len() + WRITES.len(), cf::COMMANDS.len());
    on_each(|_, engine| {
        engine.says("CF.ADD f a", ":1");
        let mut reader = user(engine, "reader", "%R~f* +@all");
        let mut writer = user(engine, "writer", "%W~f* +@all");
        let mut check = |line: &str, reads: bool| {
            let (may, may_not) = if reads {
                (&mut reader, &mut writer)
            } else {
                (&mut writer, &mut reader)
            };
            says(may_not, line, "-NOPERM~");
            let reply = may.say(line);
            assert!(!reply.starts_with("-NOPERM"), "{line}: {reply}");
            says(may, &line.replace(" f", " g"), "-NOPERM~");
        };
        READS.iter().for_each(|line| check(line, true));
        WRITES.iter().for_each(|line| check(line, false));
    });
}

#[test]
fn checks_limits_before_allocation() {
    on_each(|_, engine| {
        let mut client = engine.client();
        engine.set("cf.max-filter-bytes", "100kb");
        engine.says("CF.RESERVE f 1000000", "-ERR~");
        // It grows as far as it may.
        engine.says("CF.RESERVE f 1000 EXPANSION 32768", "+OK");
        let mut add = |item: usize| client.say(&format!("CF.ADD f {item}"));
        let mut replies = (0..100_000).map(|item| (item, add(item)));
        let refused = replies.find(|(_, reply)| reply.starts_with('-'));
        let (added, reply) = refused.expect("a limit");
        let is_named = reply.contains("cf.max-filter-bytes");
        assert!(
            reply.starts_with("-Filter is full: ") && is_named,
            "{reply}"
        );
        // Every slot was tried.
        let slots = engine.number_in("CF.INFO f", "+Number of buckets :") * 4;
        assert!(
            slots > 3_000 && added * 10 > slots * 9,
            "{added} of {slots}"
        );
        let bytes = engine.number("cf_bytes");
        assert!((20 << 10..100 << 10).contains(&bytes), "{bytes}");
        assert_eq!(engine.number("cf_refused_for_memory"), 2);
        engine.set("cf.max-filter-bytes", "1gb");
        engine.set("maxmemory", engine.number("used_memory") + (4 << 20));
        engine.says("CF.RESERVE g 4000000", "-ERR~");
        engine.says("CF.RESERVE g 400000", "+OK");
        engine.says("CF.ADD g b", ":1");
        engine.set("maxmemory", 1000);
        engine.says("CF.ADD g a", "-OOM~");
        engine.says("CF.SCANDUMP g 0", "-ERR not enough memory~");
        engine.says("CF.EXISTS g a", ":0");
        // A command that frees memory needs none.
        engine.says("CF.DEL g b", ":1");
        engine.says("CF.COMPACT g", "+OK");
    });
}

/// Checks that the engine makes room under a policy that evicts, as for its own values.
#[test]
fn an_engine_that_evicts_makes_room() {
    on_each(|_, engine| {
        let mut client = engine.client();
        engine.set("maxmemory-policy", "allkeys-lru");
        engine.set("maxmemory", engine.number("used_memory") + (6 << 20));
        let value = "v".repeat(10_000);
        for key in 0..1_000 {
            client.send(&request(&["SET", &format!("s{key}"), &value]));
        }
        assert!((0..1_000).all(|_| client.reply() == "+OK\r\n"));
        assert_ne!(engine.number("evicted_keys"), 0);
        for key in 0..3 {
            engine.says(&format!("CF.RESERVE f{key} 100000"), "+OK");
            engine.says(&format!("CF.ADD f{key} a"), ":1");
            engine.says(&format!("CF.ADD g{key} a"), ":1");
        }
        // Eviction cannot make room for more than all memory.
        engine.says("CF.RESERVE large 40000000", "-ERR~");
        // Without eviction the limit is a budget again.
        engine.set("maxmemory-policy", "noeviction");
        engine.says("CF.RESERVE h 4000000", "-ERR~");
    });
}

#[test]
fn counts_memory_and_gives_it_back() {
    on_each(|_, engine| {
        let used = || engine.number("used_memory");
        let before = used();
        engine.says("CF.RESERVE f 10000000 EXPANSION 0", "+OK");
        assert!(engine.usage("f") > 20 << 20 && used() > before + (20 << 20));
        assert_eq!(engine.number("cf_filters"), 1);
        // A thread frees a large filter, which may take long, and a small one is freed at once.
        engine.says("CF.RESERVE small 100", "+OK");
        engine.says("UNLINK f small", ":2");
        wait("the thread that frees", || {
            (engine.number("lazyfreed_objects") == 1).then_some(())
        });
        wait("the memory", || (used() < before + (4 << 20)).then_some(()));
        assert_eq!(engine.number("cf_filters"), 0);
        assert_eq!(engine.number("cf_bytes"), 0);
        // The limit is for all memory of a key.
        for (options, most) in [("", 8 << 10), (" EXPANSION 0", 4 << 10)] {
            engine.says(&format!("CF.RESERVE k 1000{options}"), "+OK");
            let (usage, counted) = (engine.usage("k"), engine.number("cf_bytes"));
            assert!(
                counted < usage && usage <= most,
                "{counted} {usage}{options}"
            );
            engine.says("DEL k", ":1");
        }
    });
}

/// Checks that a large growing filter counts, although its memory comes from the system.
#[test]
fn growing_filters_keep_to_maxmemory() {
    on_each(|_, engine| {
        let most = engine.number("used_memory") + (24 << 20);
        engine.set("maxmemory", most);
        // 16 MiB each.
        engine.says("CF.RESERVE f 5000000", "+OK");
        let counted = engine.number("used_memory") + engine.number("cf_uncounted_bytes");
        assert!(counted > most - (10 << 20));
        engine.says("CF.RESERVE g 5000000", "-ERR Insufficient memory~");
        let mut client = engine.client();
        for item in 0..10_000 {
            let reply = client.say(&format!("CF.ADD small {item}"));
            assert!(
                !reply.starts_with('-'),
                "there is room for a small one: {reply}"
            );
        }
        engine.says("DEL f", ":1");
        // A thread may free it.
        wait("the memory", || {
            (engine.number("cf_uncounted_bytes") == 0).then_some(())
        });
        engine.says("CF.RESERVE g 5000000", "+OK");
    });
}

#[test]
fn follows_settings() {
    on_each(|_, engine| {
        for (setting, value) in [
            ("cf.capacity", "1024"),
            ("cf.expansion", "1"),
            ("cf.max-filter-bytes", "134217728"),
            ("cf.max-dump-bytes", "268435456"),
            ("cf.max-item-bytes", "1048576"),
        ] {
            engine.says(&format!("CONFIG GET {setting}"), &format!("~ {value}"));
        }
        for wrong in ["cf.capacity 0", "cf.expansion 40000"] {
            engine.says(&format!("CONFIG SET {wrong}"), "-ERR~");
        }
        engine.set("cf.capacity", 100_000);
        engine.set("cf.max-item-bytes", 3);
        for (set, has) in [(0, 0), (1, 1), (3, 4), (4, 4)] {
            engine.set("cf.expansion", set);
            engine.says(&format!("CF.ADD {set} abc"), ":1");
            let rate = format!("~+Expansion rate :{has} ~");
            engine.says(&format!("CF.INFO {set}"), &rate);
        }
        engine.says("CF.ADD 0 abcd", "-~cf.max-item-bytes~");
        // Filters with one seed are equal.
        for (key, seed) in [("f", "1"), ("g", "1"), ("h", "random")] {
            engine.says(&format!("CF.RESERVE {key} 100 SEED {seed}"), "+OK");
        }
        assert_eq!(engine.dump("f"), engine.dump("g"));
        assert_ne!(engine.dump("g"), engine.dump("h"));
    });
}

#[test]
fn wrong_load_arguments_are_harmless() {
    for kind in KINDS {
        let Some(engine) = Engine::start_with(kind, &["--enable-module-command", "yes"]) else {
            continue;
        };
        let load = format!("MODULE LOAD {}", module().display());
        for arguments in ["x", "prefix", "prefix a.b", "prefix CF more"] {
            engine.says(&format!("{load} {arguments}"), "-ERR~");
        }
        engine.says(&load, "+OK");
        engine.says("CF.ADD f a", ":1");
        // It can be neither loaded again nor unloaded.
        engine.says(&load, "-ERR~");
        engine.says("MODULE UNLOAD cf", "-ERR~");
        engine.says("CF.EXISTS f a", ":1");
        engine.check();
    }
}

/// Checks that a replica grows as its primary does.
#[test]
fn a_rate_ends_growth() {
    on_each_pair(|_, engine, replica| {
        let mut client = engine.client();
        engine.says("CF.RESERVE f 1000 ERROR 0.0005", "+OK");
        engine.says("CF.RESERVE g 1000", "+OK");
        for (key, ends) in [("f", true), ("g", false)] {
            assert_eq!(client.insert(key, 0..30_000) > 0, ends, "{key}");
            let reply = client.say(&format!("CF.ADD {key} late"));
            assert_eq!(reply.starts_with("-Filter is full: "), ends, "{reply}");
            engine.wait_for_replica(replica);
            assert!(engine.has_the_same(replica, key), "{key}");
        }
    });
}
