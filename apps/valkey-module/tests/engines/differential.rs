//! Differential tests: RedisBloom and the module in one engine give the same replies.

use crate::engine::{Engine, module, says};
use crate::fetch::{self, Kind};
use crate::history::Random;
use crate::wire::Client;

/// Starts an engine in which RedisBloom has the prefix `CF`, and the module `LF`.
pub(crate) fn start() -> Option<Engine> {
    let redisbloom = fetch::redisbloom()?;
    let module = module();
    let [redisbloom, module] = [&redisbloom, &module].map(|path| path.to_str().expect("a path"));
    let load = format!("--loadmodule {redisbloom} --loadmodule {module} prefix LF");
    Engine::start_with(Kind::Valkey9, &load.split(' ').collect::<Vec<_>>())
}

/// Returns the replies of both to a line without its prefix.
fn both(client: &mut Client, line: &str) -> [String; 2] {
    let replies = ["CF", "LF"].map(|prefix| {
        // The keys are of different types.
        let line = line.replacen(" k", &format!(" {prefix}-k"), 1);
        client.say(&format!("{prefix}.{line}"))
    });
    replies.map(|reply| reply.replace("'lf.", "'cf."))
}

#[test]
fn replies_to_random_sequences_are_equal() {
    let Some(engine) = start() else {
        return;
    };
    for is_resp3 in [false, true] {
        engine.says("FLUSHALL", "+OK");
        let mut client = engine.client();
        if is_resp3 {
            client.say("HELLO 3");
        }
        let random = &mut Random::new(5);
        // Large enough that their false positives, which differ, are negligible.
        for key in ["k0", "k1", "k2"] {
            let options = "EXPANSION 2 BUCKETSIZE 4";
            for (prefix, seed) in [("CF", ""), ("LF", " SEED 1")] {
                let line = format!("{prefix}.RESERVE {prefix}-{key} 1000000 {options}{seed}");
                says(&mut client, &line, "+OK");
            }
        }
        for _ in 0..5_000 {
            let line = line(random);
            let [redisbloom, this] = both(&mut client, &line);
            assert_eq!(redisbloom, this, "{line}");
        }
    }
    engine.check();
}

/// Makes a line with one of few items, so that they repeat; but no item so often that it fills its
/// buckets.
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
