//! RedisBloom beside the module, in one engine: what they reply to the same.

use crate::engine::{Engine, ask, module};
use crate::fetch::{self, Kind};
use crate::history::Random;
use crate::wire::Client;

/// RedisBloom has `CF`, the module `LF`.
pub(crate) fn start() -> Option<Engine> {
    let redisbloom = fetch::redisbloom()?;
    let module = module();
    let [redisbloom, module] = [&redisbloom, &module].map(|path| path.to_str().expect("a path"));
    let load = [
        "--loadmodule",
        redisbloom,
        "--loadmodule",
        module,
        "prefix",
        "LF",
    ];
    Engine::start_with(Kind::Valkey9, &load)
}

/// What both reply to a line without its prefix.
fn both(client: &mut Client, line: &str) -> [String; 2] {
    let replies = ["CF", "LF"].map(|prefix| {
        // The keys are of different types.
        let line = line.replacen(" k", &format!(" {prefix}-k"), 1);
        ask(client, &format!("{prefix}.{line}"))
    });
    replies.map(|reply| reply.replace("'lf.", "'cf."))
}

#[test]
fn random_sequences_have_the_same_replies() {
    let Some(engine) = start() else {
        return;
    };
    for is_resp3 in [false, true] {
        assert_eq!(engine.ask("FLUSHALL"), "+OK\r\n");
        let mut client = engine.client();
        if is_resp3 {
            crate::commands::speak_resp3(&mut client);
        }
        let random = &mut Random::new(5);
        // So large that their false positives, which differ, are as good as none.
        for key in ["k0", "k1", "k2"] {
            let options = "EXPANSION 2 BUCKETSIZE 4";
            assert_eq!(
                ask(
                    &mut client,
                    &format!("CF.RESERVE CF-{key} 1000000 {options}")
                ),
                "+OK\r\n"
            );
            assert_eq!(
                ask(
                    &mut client,
                    &format!("LF.RESERVE LF-{key} 1000000 {options} SEED 1")
                ),
                "+OK\r\n"
            );
        }
        for _ in 0..5_000 {
            let line = line(random);
            let [redisbloom, this] = both(&mut client, &line);
            assert_eq!(redisbloom, this, "{line}");
        }
    }
    engine.check();
}

/// Of few items, so that they meet again; but no item so often that it fills its buckets.
fn line(random: &mut Random) -> String {
    let key = random.below(3);
    let item = |random: &mut Random| random.below(500).to_string();
    let items = |random: &mut Random| -> String {
        let items: Vec<_> = (0..1 + random.below(5)).map(|_| item(random)).collect();
        items.join(" ")
    };
    match random.below(12) {
        0 => format!("ADDNX k{key} {}", item(random)),
        1 => format!("ADD k{key} {}", item(random)),
        2 => format!("INSERTNX k{key} ITEMS {}", items(random)),
        3 => format!("INSERTNX k{key} NOCREATE ITEMS {}", items(random)),
        4 | 5 => format!("DEL k{key} {}", item(random)),
        6 => format!("EXISTS k{key} {}", item(random)),
        7 => format!("MEXISTS k{key} {}", items(random)),
        8 => format!("COUNT k{key} {}", item(random)),
        9 => format!("INSERT k{key} CAPACITY 99 ITEMS {}", items(random)),
        10 => format!("INSERT none NOCREATE ITEMS {}", items(random)),
        _ => format!("EXISTS absent{key} {}", item(random)),
    }
}

/// What is asked wrongly, and whether the replies are the same: some are in other words, or none at all, as the table of
/// the stand-alone server says.
const WRONG: [(&str, bool); 30] = [
    ("RESERVE k", true),
    ("RESERVE k x", true),
    ("RESERVE k 0", true),
    ("RESERVE k -1", true),
    ("RESERVE k 10 BUCKETSIZE 0", true),
    ("RESERVE k 10 BUCKETSIZE x", true),
    ("RESERVE k 10 BUCKETSIZE 256", true),
    ("RESERVE k 10 MAXITERATIONS 0", true),
    ("RESERVE k 10 MAXITERATIONS 65536", true),
    ("RESERVE k 10 EXPANSION -1", true),
    ("RESERVE k 10 EXPANSION 32769", true),
    ("RESERVE k 10 EXPANSION", true),
    ("RESERVE k 1", true),
    ("ADD k", true),
    ("ADDNX k a b", true),
    ("INSERT k", true),
    ("INSERT k ITEMS", true),
    ("INSERT k CAPACITY x ITEMS a", true),
    ("INSERT k NOCREATE ITEMS a", true),
    ("INSERTNX k NOCREATE", true),
    ("EXISTS k", true),
    ("MEXISTS k", true),
    ("COUNT k", true),
    ("DEL k a", true),
    ("INFO k", true),
    ("COMPACT k", true),
    ("SCANDUMP k 0", true),
    ("SCANDUMP k", true),
    ("LOADCHUNK k 1", true),
    ("LOADCHUNK k x abc", true),
];

#[test]
fn what_is_wrong_is_refused_in_the_same_words() {
    let Some(engine) = start() else {
        return;
    };
    let mut client = engine.client();
    let mut others = Vec::new();
    for (line, is_same) in WRONG {
        assert_eq!(engine.ask("FLUSHALL"), "+OK\r\n");
        let [redisbloom, this] = both(&mut client, line);
        if redisbloom != this {
            others.push((line, redisbloom, this, is_same));
        }
    }
    others.retain(|(.., is_same)| *is_same);
    assert!(others.is_empty(), "{others:#?}");
    engine.check();
}
