//! The cases that the stand-alone server is tested with, of RedisBloom's own tests: the module says the same.

#[path = "../../../membership-server/tests/server/redisbloom/cases.rs"]
mod shared;

use std::ops::Range;

use crate::commands::{fits, speak_resp3};
use crate::engine::Engine;
use crate::fetch::Kind;
use crate::wire::{Client, request};

type Case = (&'static str, fn(&mut Trial));

/// The module, while it is asked.
struct Trial {
    client: Client,
    /// Whether a key can hold something else than a filter, as in RedisBloom's engine.
    is_redisbloom: bool,
}

impl Trial {
    fn both(&mut self, line: &str, expected: &str) {
        let reply = self.client.ask(&line.split(' ').collect::<Vec<_>>());
        check(line, &reply, expected);
    }

    fn differ(&mut self, line: &str, _redisbloom: &str, this: &str) {
        self.both(line, this);
    }

    fn each(&mut self, numbers: Range<usize>, line: &str, expected: &str) {
        for number in numbers {
            self.both(&line.replace("{}", &number.to_string()), expected);
        }
    }

    fn speak_resp3(&mut self) {
        speak_resp3(&mut self.client);
    }
}

fn check(line: &str, reply: &str, expected: &str) {
    let reply = reply.replace("\r\n", "\n");
    let reply = reply.trim_end();
    assert!(fits(expected, reply), "{line}: {reply}, not {expected}");
}

/// Those whose replies name options of the server.
const OTHER_WORDS: [&str; 1] = ["reserve_limits"];

#[test]
fn the_cases_of_the_server_end_alike() {
    let Some(engine) = Engine::start(Kind::Valkey9, &[]) else {
        return;
    };
    for (name, case) in shared::ALL {
        if OTHER_WORDS.contains(&name) {
            continue;
        }
        eprintln!("{name}");
        assert_eq!(engine.ask("FLUSHALL"), "+OK\r\n");
        case(&mut Trial {
            client: engine.client(),
            is_redisbloom: name == "other_types",
        });
    }
    let mut client = engine.client();
    for (option, value) in [
        ("BUCKETSIZE", "256"),
        ("MAXITERATIONS", "65536"),
        ("EXPANSION", "32769"),
    ] {
        client.send(&request(&["CF.RESERVE", "x", "100", option, value]));
        let reply = client.reply();
        let expected = format!("-~{option}: value must be an integer between ~");
        check(option, &reply, &expected);
    }
    engine.check();
}
