//! Transactions, scripts, users, memory, settings, workers, INFO.

use crate::commands::speak_resp3;
use crate::engine::{Engine, ask};
use crate::fetch::{KINDS, Kind};
use crate::wire::request;

fn each(run: impl Fn(Kind, &Engine)) {
    for kind in KINDS {
        if let Some(engine) = Engine::start(kind, &[]) {
            run(kind, &engine);
            engine.check();
        }
    }
}

#[test]
fn transactions_and_scripts() {
    each(|_, engine| {
        let mut client = engine.client();
        for (line, expected) in [
            ("MULTI", "+OK\r\n"),
            ("CF.ADD f a", "+QUEUED\r\n"),
            ("CF.MEXISTS f a b", "+QUEUED\r\n"),
            ("EXEC", "*2\r\n:1\r\n*2\r\n:1\r\n:0\r\n"),
        ] {
            assert_eq!(ask(&mut client, line), expected, "{line}");
        }
        let script =
            "return redis.call('CF.ADD', KEYS[1], 'b') + redis.call('CF.COUNT', KEYS[1], 'b')";
        assert_eq!(client.ask(&["EVAL", script, "1", "f"]), ":2\r\n");
    });
}

/// What changes a key is told to those who watch it and to those who ask for events, and counts as a change. Nothing else
/// is.
#[test]
fn what_changes_a_key_is_told_and_nothing_else() {
    each(|_, engine| {
        let (mut client, mut other) = (engine.client(), engine.client());
        let [(iterator, chunk)] = &{
            assert_eq!(
                ask(&mut client, "CF.INSERT d CAPACITY 10 ITEMS a"),
                "*1\r\n:1\r\n"
            );
            crate::commands::scan(&mut client, "d")
        }[..] else {
            panic!("more than a chunk");
        };
        let iterator = iterator.to_string();
        let many: Vec<String> = (0..200).map(|item| item.to_string()).collect();
        let mut subscriber = engine.client();
        for setting in ["notify-keyspace-events Kd", "cf.capacity 8"] {
            assert_eq!(
                ask(&mut client, &format!("CONFIG SET {setting}")),
                "+OK\r\n"
            );
        }
        ask(&mut subscriber, "PSUBSCRIBE __keyspace@0__:*");
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
            ("w", "CF.INSERT w ITEMS many", Some("cf.insert")),
            ("w", "DEL-MANY", Some("cf.del")),
            ("w", "CF.COMPACT w", Some("cf.compact")),
            ("w", "CF.COMPACT w", None),
            ("l", "LOAD", Some("cf.loadchunk")),
        ] {
            assert_eq!(ask(&mut client, &format!("WATCH {key}")), "+OK\r\n");
            let before = engine.info("rdb_changes_since_last_save");
            let mut events = 1;
            match line {
                "DEL-MANY" => {
                    for item in &many {
                        assert_eq!(other.ask(&["CF.DEL", "w", item]), ":1\r\n");
                    }
                    events = many.len();
                }
                "LOAD" => {
                    let words: [&[u8]; 4] = [b"CF.LOADCHUNK", b"l", iterator.as_bytes(), chunk];
                    assert_eq!(other.ask(&words), "+OK\r\n");
                }
                _ => {
                    let words = line.split(' ').filter(|word| *word != "many");
                    let more = many.iter().map(String::as_str);
                    let more = more.filter(|_| line.ends_with(" many"));
                    other.ask(&words.chain(more).collect::<Vec<_>>());
                }
            }
            assert_eq!(ask(&mut client, "MULTI"), "+OK\r\n");
            ask(&mut client, "PING");
            let reply = ask(&mut client, "EXEC");
            assert_eq!(reply == "*-1\r\n", event.is_some(), "{line}: {reply}");
            let after = engine.info("rdb_changes_since_last_save");
            assert_eq!(before != after, event.is_some(), "{line}");
            for _ in 0..event.map_or(0, |_| events) {
                let told = subscriber.reply();
                let event = event.unwrap_or_default();
                let ends = format!("__keyspace@0__:{key}\r\n${}\r\n{event}\r\n", event.len());
                assert!(told.ends_with(&ends), "{line}: {told}");
            }
        }
        assert!(!subscriber.has_reply());
    });
}

#[test]
fn users_have_the_commands_that_they_may_use() {
    each(|kind, engine| {
        // Redis 7.0 puts no command of a module into a category.
        let has_categories = kind != Kind::Redis7;
        let list = engine.ask("ACL CAT");
        assert_eq!(list.contains("cuckoo"), has_categories, "{list}");
        let user = |name: &str, rules: &str| {
            let mut client = engine.client();
            let line = format!("ACL SETUSER {name} on nopass {rules}");
            assert_eq!(ask(&mut client, &line), "+OK\r\n");
            assert_eq!(ask(&mut client, &format!("AUTH {name} x")), "+OK\r\n");
            client
        };
        assert_eq!(engine.ask("CF.ADD f a"), ":1\r\n");
        let only_reads = if has_categories {
            "+@read -@write"
        } else {
            "+cf.exists"
        };
        let mut reader = user("reader", &format!("~f* {only_reads}"));
        assert_eq!(ask(&mut reader, "CF.EXISTS f a"), ":1\r\n");
        for line in ["CF.ADD f a", "CF.EXISTS g a"] {
            let reply = ask(&mut reader, line);
            assert!(reply.starts_with("-NOPERM"), "{kind:?}: {line}: {reply}");
        }
        if has_categories {
            let mut all = user("cuckoo", "~* -@all +@cuckoo");
            for line in ["CF.ADD f a", "CF.EXISTS f a", "CF.DEL f a"] {
                assert_eq!(ask(&mut all, line), ":1\r\n", "{kind:?}: {line}");
            }
            assert_eq!(ask(&mut all, "CF.COMPACT f"), "+OK\r\n");
            assert!(ask(&mut all, "SET s 1").starts_with("-NOPERM"));
        }
    });
}

/// A user may read some keys and write others.
#[test]
fn users_read_and_write_the_keys_that_they_may() {
    each(|_, engine| {
        assert_eq!(engine.ask("CF.ADD f a"), ":1\r\n");
        let [mut reader, mut writer] = ["%R~f*", "%W~f*"].map(|keys| {
            let mut client = engine.client();
            let line = format!("ACL SETUSER {} on nopass {keys} +@all", &keys[1..2]);
            assert_eq!(ask(&mut client, &line), "+OK\r\n");
            let line = format!("AUTH {} x", &keys[1..2]);
            assert_eq!(ask(&mut client, &line), "+OK\r\n");
            client
        });
        let reads = [
            "CF.EXISTS f a",
            "CF.MEXISTS f a b",
            "CF.COUNT f a",
            "CF.INFO f",
            "CF.DEBUG f",
            "CF.SCANDUMP f 9",
        ];
        let writes = [
            "CF.ADD f b",
            "CF.ADDNX f c",
            "CF.INSERT f ITEMS d",
            "CF.INSERTNX f ITEMS e",
            "CF.DEL f a",
            "CF.COMPACT f",
            "CF.RESERVE f1 100",
            "CF.LOADCHUNK f2 3 abc",
        ];
        assert_eq!(reads.len() + writes.len(), cf::COMMANDS.len());
        for (line, reads) in reads
            .iter()
            .map(|line| (line, true))
            .chain(writes.iter().map(|line| (line, false)))
        {
            let (may, may_not) = if reads {
                (&mut reader, &mut writer)
            } else {
                (&mut writer, &mut reader)
            };
            let reply = ask(may_not, line);
            assert!(reply.starts_with("-NOPERM"), "{line}: {reply}");
            let reply = ask(may, line);
            assert!(!reply.starts_with("-NOPERM"), "{line}: {reply}");
            let reply = ask(may, &line.replace(" f", " g"));
            assert!(reply.starts_with("-NOPERM"), "{line}: {reply}");
        }
    });
}

#[test]
fn memory_is_limited_before_it_is_taken() {
    each(|_, engine| {
        let mut client = engine.client();
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.max-filter-bytes 100kb"),
            "+OK\r\n"
        );
        let reply = ask(&mut client, "CF.RESERVE f 1000000");
        assert!(reply.starts_with("-ERR"), "{reply}");
        // It grows as far as it may, and not further.
        assert_eq!(
            ask(&mut client, "CF.RESERVE f 1000 EXPANSION 32768"),
            "+OK\r\n"
        );
        let mut refused = None;
        for item in 0..100_000 {
            let reply = ask(&mut client, &format!("CF.ADD f {item}"));
            if reply.starts_with('-') {
                refused = Some((item, reply));
                break;
            }
        }
        let (added, reply) = refused.expect("a limit");
        assert!(
            reply.starts_with("-Filter is full: ") && reply.contains("cf.max-filter-bytes"),
            "{reply}"
        );
        assert!(added > 3_000, "{added}");
        let bytes: usize = engine
            .info("cf_bytes")
            .expect("a number")
            .parse()
            .expect("a number");
        assert!((20 << 10..100 << 10).contains(&bytes), "{bytes}");
        assert_eq!(engine.info("cf_refused_for_memory").as_deref(), Some("2"));
        let used: usize = engine
            .info("used_memory")
            .expect("a number")
            .parse()
            .expect("a number");
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.max-filter-bytes 1gb"),
            "+OK\r\n"
        );
        let most = used + (4 << 20);
        assert_eq!(
            ask(&mut client, &format!("CONFIG SET maxmemory {most}")),
            "+OK\r\n"
        );
        let reply = ask(&mut client, "CF.RESERVE g 4000000");
        assert!(reply.starts_with("-ERR"), "{reply}");
        assert_eq!(ask(&mut client, "CF.RESERVE g 400000"), "+OK\r\n");
        assert_eq!(ask(&mut client, "CF.ADD g b"), ":1\r\n");
        assert_eq!(ask(&mut client, "CONFIG SET maxmemory 1000"), "+OK\r\n");
        assert!(ask(&mut client, "CF.ADD g a").starts_with("-OOM"));
        assert!(ask(&mut client, "CF.SCANDUMP g 0").starts_with("-ERR not enough memory"));
        assert_eq!(ask(&mut client, "CF.EXISTS g a"), ":0\r\n");
        // What gives memory back is done without any.
        assert_eq!(ask(&mut client, "CF.DEL g b"), ":1\r\n");
        assert_eq!(ask(&mut client, "CF.COMPACT g"), "+OK\r\n");
    });
}

/// The items of a filter are added while there is room, whatever was deleted before.
#[test]
fn a_filter_at_its_limit_is_filled() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    let mut client = engine.client();
    let limit = "CONFIG SET cf.max-filter-bytes 1mb";
    assert_eq!(ask(&mut client, limit), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.RESERVE h 20000"), "+OK\r\n");
    assert_eq!(ask(&mut client, "CF.ADD h x"), ":1\r\n");
    assert_eq!(ask(&mut client, "CF.DEL h x"), ":1\r\n");
    let mut insert = |from: usize| {
        let items: Vec<String> = (from..from + 1_000).map(|item| item.to_string()).collect();
        let words = ["CF.INSERT", "h", "ITEMS"].into_iter();
        let words: Vec<&str> = words.chain(items.iter().map(String::as_str)).collect();
        let reply = client.ask(&words);
        reply.matches(":1\r\n").count()
    };
    let batches = (0..).position(|batch| insert(batch * 1_000) < 1_000);
    let batches = batches.expect("a limit");
    assert!(batches > 140, "{batches}");
    let reply = engine.ask("CF.ADD h late");
    assert!(
        reply.starts_with(":1") || reply.starts_with("-Filter is full: to grow, the filter needs "),
        "{reply}"
    );
    // Deletions make room.
    let mut client = engine.client();
    for item in 100_000..101_000 {
        assert_eq!(ask(&mut client, &format!("CF.DEL h {item}")), ":1\r\n");
    }
    assert!(insert(500_000) > 500);
    engine.check();
}

/// Under a policy that evicts, the engine makes room, as for its own values.
#[test]
fn an_engine_that_evicts_makes_room_for_filters() {
    each(|_, engine| {
        let mut client = engine.client();
        let used: usize = engine
            .info("used_memory")
            .expect("it")
            .parse()
            .expect("a number");
        for (name, value) in [
            ("maxmemory-policy", "allkeys-lru".to_owned()),
            ("maxmemory", (used + (6 << 20)).to_string()),
        ] {
            assert_eq!(client.ask(&["CONFIG", "SET", name, &value]), "+OK\r\n");
        }
        let value = "v".repeat(10_000);
        let strings = |from: usize| {
            let keys = (from..from + 1_000).map(|key| format!("s{key}"));
            keys.flat_map(|key| request(&["SET", &key, &value]))
                .collect::<Vec<u8>>()
        };
        client.send(&strings(0));
        assert!((0..1_000).all(|_| client.reply() == "+OK\r\n"));
        assert_ne!(engine.info("evicted_keys").as_deref(), Some("0"));
        for key in 0..3 {
            let reserve = format!("CF.RESERVE f{key} 100000");
            assert_eq!(ask(&mut client, &reserve), "+OK\r\n");
            assert_eq!(ask(&mut client, &format!("CF.ADD f{key} a")), ":1\r\n");
            assert_eq!(ask(&mut client, &format!("CF.ADD g{key} a")), ":1\r\n");
        }
        // What is more than all of it cannot be made room for.
        let reply = ask(&mut client, "CF.RESERVE large 40000000");
        assert!(reply.starts_with("-ERR"), "{reply}");
        // Without eviction it is a budget again.
        assert_eq!(
            ask(&mut client, "CONFIG SET maxmemory-policy noeviction"),
            "+OK\r\n"
        );
        let reply = ask(&mut client, "CF.RESERVE h 4000000");
        assert!(reply.starts_with("-ERR"), "{reply}");
    });
}

#[test]
fn memory_is_counted_and_given_back() {
    each(|_, engine| {
        let used = || -> usize {
            engine
                .info("used_memory")
                .expect("it")
                .parse()
                .expect("a number")
        };
        let before = used();
        let reserve = "CF.RESERVE f 10000000 EXPANSION 0";
        assert_eq!(engine.ask(reserve), "+OK\r\n");
        let usage = engine.ask("MEMORY USAGE f");
        let usage: usize = usage
            .trim_start_matches(':')
            .trim()
            .parse()
            .expect("a number");
        assert!(usage > 20 << 20 && used() > before + (20 << 20));
        assert_eq!(engine.info("cf_filters").as_deref(), Some("1"));
        // A large one is freed by a thread that may take its time, a small one at once.
        assert_eq!(engine.ask("CF.RESERVE small 100"), "+OK\r\n");
        assert_eq!(engine.ask("UNLINK f small"), ":2\r\n");
        crate::wait::wait("the thread that frees", || {
            (engine.info("lazyfreed_objects")? == "1").then_some(())
        });
        crate::wait::wait("the memory", || (used() < before + (4 << 20)).then_some(()));
        assert_eq!(engine.info("cf_filters").as_deref(), Some("0"));
        assert_eq!(engine.info("cf_bytes").as_deref(), Some("0"));
    });
}

#[test]
fn settings_are_followed() {
    each(|_, engine| {
        let mut client = engine.client();
        for (setting, value) in [
            ("cf.capacity", "1024"),
            ("cf.expansion", "1"),
            ("cf.max-filter-bytes", "134217728"),
            ("cf.max-dump-bytes", "268435456"),
            ("cf.max-item-bytes", "1048576"),
            ("cf.offload-items", "5000"),
            ("cf.seed-policy", "random"),
            ("cf.max-false-positive-rate", "1"),
        ] {
            let reply = ask(&mut client, &format!("CONFIG GET {setting}"));
            assert!(
                reply.ends_with(&format!("\r\n{value}\r\n")),
                "{setting}: {reply}"
            );
        }
        for setting in [
            "cf.capacity 0",
            "cf.expansion 40000",
            "cf.seed-policy x",
            "cf.max-false-positive-rate 0",
        ] {
            let reply = ask(&mut client, &format!("CONFIG SET {setting}"));
            assert!(reply.starts_with("-ERR"), "{setting}: {reply}");
        }
        for setting in [
            "cf.capacity 100000",
            "cf.expansion 0",
            "cf.max-item-bytes 3",
        ] {
            assert_eq!(
                ask(&mut client, &format!("CONFIG SET {setting}")),
                "+OK\r\n"
            );
        }
        assert_eq!(ask(&mut client, "CF.ADD f abc"), ":1\r\n");
        let reply = ask(&mut client, "CF.ADD f abcd");
        assert!(reply.contains("cf.max-item-bytes"), "{reply}");
        let info = ask(&mut client, "CF.INFO f");
        assert!(info.contains("+Expansion rate\r\n:0\r\n"), "{info}");
        for (set, has) in [(1, 1), (3, 4), (4, 4)] {
            let line = format!("CONFIG SET cf.expansion {set}");
            assert_eq!(ask(&mut client, &line), "+OK\r\n");
            assert_eq!(ask(&mut client, &format!("CF.ADD e{set} a")), ":1\r\n");
            let info = ask(&mut client, &format!("CF.INFO e{set}"));
            let line = format!("+Expansion rate\r\n:{has}\r\n");
            assert!(info.contains(&line), "{info}");
        }
        // With one seed, the same is the same.
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.seed-policy fixed"),
            "+OK\r\n"
        );
        for key in ["g", "h"] {
            assert_eq!(ask(&mut client, &format!("CF.ADD {key} a")), ":1\r\n");
        }
        assert_eq!(engine.dump("g"), engine.dump("h"));
        assert_ne!(engine.dump("f"), engine.dump("g"));
    });
}

#[test]
fn a_worker_answers_large_lookups_as_the_main_thread_would() {
    each(|_, engine| {
        let mut client = engine.client();
        assert_eq!(ask(&mut client, "CF.RESERVE f 100000"), "+OK\r\n");
        let items: Vec<String> = (0..20_000).map(|item| item.to_string()).collect();
        let words = |name: &'static str, rest: &[&'static str]| -> Vec<String> {
            let start = [name, "f"].into_iter().chain(rest.iter().copied());
            start
                .map(str::to_owned)
                .chain(items.iter().cloned())
                .collect()
        };
        let half: Vec<_> = words("CF.INSERT", &["ITEMS"])
            .into_iter()
            .take(3 + 10_000)
            .collect();
        client.ask(&half);
        let lookup = words("CF.MEXISTS", &[]);
        let of_worker = client.ask(&lookup);
        assert_eq!(engine.info("cf_lookups_of_workers").as_deref(), Some("1"));
        assert!(of_worker.starts_with("*20000\r\n:1\r\n"));
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.offload-items 1000000"),
            "+OK\r\n"
        );
        assert_eq!(client.ask(&lookup), of_worker);
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.offload-items 10"),
            "+OK\r\n"
        );
        // Not where nobody may wait.
        assert_eq!(ask(&mut client, "MULTI"), "+OK\r\n");
        assert_eq!(client.ask(&lookup), "+QUEUED\r\n");
        assert_eq!(ask(&mut client, "EXEC"), format!("*1\r\n{of_worker}"));
        let script = "return redis.call('CF.MEXISTS', KEYS[1], unpack(ARGV))";
        let call = ["EVAL", script, "1", "f"].map(str::to_owned);
        let call: Vec<_> = call.into_iter().chain(items[..100].to_vec()).collect();
        assert_eq!(
            client.ask(&call),
            format!("*100\r\n{}", ":1\r\n".repeat(100))
        );
        assert_eq!(engine.info("cf_lookups_of_workers").as_deref(), Some("1"));
        // Others go on meanwhile, and those who wait can leave.
        let mut leaving = engine.client();
        leaving.send(&request(&lookup));
        drop(leaving);
        speak_resp3(&mut client);
        let reply = client.ask(&lookup);
        assert_eq!(reply, of_worker.replace(":1", "#t").replace(":0", "#f"));
    });
}

/// The process that saves begins at any moment of what workers do.
#[test]
fn snapshots_begin_while_workers_read() {
    each(|_, engine| {
        let mut client = engine.client();
        assert_eq!(
            ask(&mut client, "CONFIG SET cf.offload-items 100"),
            "+OK\r\n"
        );
        assert_eq!(ask(&mut client, "CF.RESERVE f 1000 EXPANSION 2"), "+OK\r\n");
        let lookup: Vec<String> = ["CF.MEXISTS", "f"]
            .into_iter()
            .map(str::to_owned)
            .chain((0..20_000).map(|item| item.to_string()))
            .collect();
        let lookup = request(&lookup);
        for round in 0..15 {
            let mut readers: Vec<_> = (0..3).map(|_| engine.client()).collect();
            for reader in &mut readers {
                reader.send(&lookup.repeat(3));
            }
            let reply = ask(&mut client, "BGSAVE");
            assert!(reply.starts_with("+Background"), "{reply}");
            for item in 0..200 {
                let line = format!("CF.ADD f {}", round * 200 + item);
                assert_eq!(ask(&mut client, &line), ":1\r\n");
            }
            for reader in &mut readers {
                (0..3).for_each(|_| drop(reader.reply()));
            }
            crate::wait::wait("the snapshot", || {
                (engine.info("rdb_bgsave_in_progress")? == "0").then_some(())
            });
            assert_eq!(engine.info("rdb_last_bgsave_status").as_deref(), Some("ok"));
        }
        let before = engine.dump("f");
        assert_eq!(ask(&mut client, "DEBUG RELOAD"), "+OK\r\n");
        assert_eq!(engine.dump("f"), before);
    });
}

#[test]
fn a_module_that_is_loaded_wrongly_harms_nobody() {
    for kind in KINDS {
        let Some(engine) = Engine::start_with(kind, &["--enable-module-command", "yes"]) else {
            continue;
        };
        let module = crate::engine::module();
        let module = module.to_str().expect("a path");
        for arguments in ["x", "prefix", "prefix a.b", "prefix CF more"] {
            let reply = engine.ask(&format!("MODULE LOAD {module} {arguments}"));
            assert!(reply.starts_with("-ERR"), "{arguments}: {reply}");
        }
        assert_eq!(engine.ask(&format!("MODULE LOAD {module}")), "+OK\r\n");
        assert_eq!(engine.ask("CF.ADD f a"), ":1\r\n");
        // Neither again, nor out.
        for line in [
            format!("MODULE LOAD {module}"),
            "MODULE UNLOAD cf".to_owned(),
        ] {
            let reply = engine.ask(&line);
            assert!(reply.starts_with("-ERR"), "{line}: {reply}");
        }
        assert_eq!(engine.ask("CF.EXISTS f a"), ":1\r\n");
        engine.check();
    }
}

#[test]
fn commands_are_described() {
    each(|_, engine| {
        let info = engine.ask("COMMAND INFO cf.add cf.insert");
        assert!(
            info.contains("cf.add\r\n:3\r\n") && info.contains("cf.insert\r\n:-4\r\n"),
            "{info}"
        );
        let docs = engine.ask("COMMAND DOCS cf.compact");
        assert!(
            docs.contains("Makes a filter as small as its items allow"),
            "{docs}"
        );
        let docs = engine.ask("COMMAND DOCS cf.insert");
        for word in [
            "arguments",
            "CAPACITY",
            "pure-token",
            "NOCREATE",
            "ITEMS",
            "multiple",
        ] {
            assert!(docs.contains(word), "{word} is not in {docs}");
        }
        let mut client = engine.client();
        assert_eq!(ask(&mut client, "MULTI"), "+OK\r\n");
        assert!(ask(&mut client, "CF.ADD f").starts_with("-ERR wrong number"));
        assert!(ask(&mut client, "EXEC").starts_with("-EXECABORT"));
    });
}

/// By a command or a setting; a replica, which has another setting, grows as its primary.
#[test]
fn growth_ends_at_a_rate_of_wrong_answers() {
    each(|kind, engine| {
        let replica = Engine::start(kind, &[]).expect("as the other");
        replica.replicate(engine);
        let rate = "CONFIG SET cf.max-false-positive-rate 0.00001";
        assert_eq!(replica.ask(rate), "+OK\r\n");
        let mut client = engine.client();
        assert_eq!(
            ask(&mut client, "CF.RESERVE f 1000 ERROR 0.0005"),
            "+OK\r\n"
        );
        assert_eq!(ask(&mut client, "CF.RESERVE g 1000"), "+OK\r\n");
        let rate = "CONFIG SET cf.max-false-positive-rate 0.0005";
        assert_eq!(ask(&mut client, rate), "+OK\r\n");
        assert_eq!(ask(&mut client, "CF.RESERVE h 1000"), "+OK\r\n");
        assert_eq!(
            ask(&mut client, "CF.INSERT i CAPACITY 1000 ITEMS a"),
            "*1\r\n:1\r\n"
        );
        for (key, ends) in [("f", true), ("g", false), ("h", true), ("i", true)] {
            let items: Vec<String> = (0..30_000).map(|item| item.to_string()).collect();
            let words = ["CF.INSERT", key, "ITEMS"].into_iter();
            let words: Vec<&str> = words.chain(items.iter().map(String::as_str)).collect();
            assert_eq!(client.ask(&words).contains(":-1"), ends, "{key}");
            let reply = ask(&mut client, &format!("CF.ADD {key} late"));
            assert_eq!(reply.starts_with("-Filter is full: "), ends, "{reply}");
            engine.wait_for_replica(&replica);
            assert!(engine.dump(key) == replica.dump(key), "{key}");
        }
        // It is about growth, and says so where no filter can grow.
        let rate = "CONFIG SET cf.max-false-positive-rate 0.0001";
        assert_eq!(ask(&mut client, rate), "+OK\r\n");
        let refused = ask(&mut client, "CF.RESERVE j 1000");
        let words = "-ERR ERROR: a filter that grows has a rate of 0.000126 ";
        assert!(refused.starts_with(words), "{refused}");
        let fixed = "CF.RESERVE j 1000 EXPANSION 0";
        assert_eq!(ask(&mut client, fixed), "+OK\r\n");
        let info = ask(&mut client, "CF.INFO j");
        assert!(info.contains("+Bucket size\r\n:4\r\n"), "{info}");
        replica.check();
    });
}

/// A large filter that grows has its memory from the system. It counts all the same.
#[test]
fn maxmemory_is_kept_by_filters_that_grow() {
    each(|_, engine| {
        let number = |name| -> usize {
            let number = engine.info(name).expect("it");
            number.parse().expect("a number")
        };
        let most = number("used_memory") + (24 << 20);
        let maxmemory = format!("CONFIG SET maxmemory {most}");
        assert_eq!(engine.ask(&maxmemory), "+OK\r\n");
        // 16 MiB each.
        assert_eq!(engine.ask("CF.RESERVE f 5000000"), "+OK\r\n");
        assert!(number("used_memory") + number("cf_uncounted_bytes") > most - (10 << 20));
        let refused = engine.ask("CF.RESERVE g 5000000");
        assert!(refused.starts_with("-ERR Insufficient memory"), "{refused}");
        let mut client = engine.client();
        let mut refused = None;
        for item in 0..10_000 {
            let reply = ask(&mut client, &format!("CF.ADD small {item}"));
            if reply.starts_with('-') {
                refused = Some(reply);
            }
        }
        assert_eq!(refused, None, "there is room for a small one");
        assert_eq!(engine.ask("DEL f"), ":1\r\n");
        assert_eq!(number("cf_uncounted_bytes"), 0);
        assert_eq!(engine.ask("CF.RESERVE g 5000000"), "+OK\r\n");
    });
}

/// For all that a key takes.
#[test]
fn a_small_key_takes_little() {
    each(|_, engine| {
        for (options, most) in [("", 6 << 10), (" EXPANSION 0", 4 << 10)] {
            assert_eq!(
                engine.ask(&format!("CF.RESERVE k 1000{options}")),
                "+OK\r\n"
            );
            let usage = engine.ask("MEMORY USAGE k");
            let usage: usize = usage.trim_end()[1..].parse().expect("a number");
            let counted = engine.info("cf_bytes").expect("a number");
            let counted: usize = counted.parse().expect("a number");
            assert!(
                counted < usage && usage <= most,
                "{counted} {usage}{options}"
            );
            assert_eq!(engine.ask("DEL k"), ":1\r\n");
        }
    });
}
