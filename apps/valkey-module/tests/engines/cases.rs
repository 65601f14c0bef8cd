//! Cases: runs the cases of the stand-alone server, from RedisBloom's own tests, on the module.

use crate::engine::on_each;

/// The cases. Each begins with a line of two number signs and its name.
const CASES: &str = include_str!("../../../server/tests/server/redisbloom/cases.txt");

/// The cases whose replies name options of the server.
const OTHER_WORDS: [&str; 1] = ["reserve_limits"];

#[test]
fn the_cases_of_the_server_end_alike() {
    on_each(|_, engine| {
        for case in CASES.split("\n## ").skip(1) {
            let (name, dialogue) = case.split_once('\n').unwrap_or((case, ""));
            if !OTHER_WORDS.contains(&name) {
                engine.says("FLUSHALL", "+OK");
                engine.client().converse(dialogue);
            }
        }
    });
}
