//! The cases that the stand-alone server is tested with, of RedisBloom's own tests: the module says the same.

use crate::engine::Engine;
use crate::fetch::Kind;

/// Each begins with a line of two number signs and its name.
const CASES: &str = include_str!("../../../membership-server/tests/server/redisbloom/cases.txt");

/// Those whose replies name options of the server.
const OTHER_WORDS: [&str; 1] = ["reserve_limits"];

#[test]
fn the_cases_of_the_server_end_alike() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    for case in CASES.split("\n## ").skip(1) {
        let (name, dialogue) = case.split_once('\n').unwrap_or((case, ""));
        if OTHER_WORDS.contains(&name) {
            continue;
        }
        eprintln!("{name}");
        assert_eq!(engine.ask("FLUSHALL"), "+OK\r\n");
        engine.client().converse(dialogue);
    }
    engine.client().converse(
        "CF.RESERVE x 100 BUCKETSIZE 256 -> -~BUCKETSIZE: value must be an integer between ~
        CF.RESERVE x 100 MAXITERATIONS 65536 -> -~MAXITERATIONS: value must be an integer between ~
        CF.RESERVE x 100 EXPANSION 32769 -> -~EXPANSION: value must be an integer between ~",
    );
    engine.check();
}
