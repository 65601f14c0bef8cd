//! What the README says of RedisBloom, asked of this server and, where it can be had, of RedisBloom.

mod cases;
mod dumps;
mod many;
mod options;
mod oracle;
mod replies;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Range;

use crate::process::Server;
use crate::wire::{Client, request};
use oracle::RedisBloom;

/// A name, and what is asked.
type Case = (&'static str, fn(&mut Trial));

/// One of the two, while it is asked. A reply is expected as a pattern: `~` stands for anything in it.
struct Trial {
    is_redisbloom: bool,
    address: SocketAddr,
    client: Client,
}

impl Trial {
    fn new(is_redisbloom: bool, address: SocketAddr) -> Self {
        let client = Client::connect(address);
        Self {
            is_redisbloom,
            address,
            client,
        }
    }

    /// Both reply the same.
    fn both(&mut self, request: &str, expected: &str) {
        let words: Vec<&str> = request.split(' ').collect();
        let reply = self.client.ask(&words);
        self.check(request, &reply, expected);
    }

    fn differ(&mut self, request: &str, redisbloom: &str, this: &str) {
        let expected = if self.is_redisbloom { redisbloom } else { this };
        self.both(request, expected);
    }

    /// The same reply for each of the numbers that stand for `{}` in the request.
    fn each(&mut self, numbers: Range<usize>, request: &str, expected: &str) {
        let line = |number: usize| request.replace("{}", &number.to_string());
        let requests = numbers.clone().map(|number| self::words(&line(number)));
        self.client.send(&requests.flatten().collect::<Vec<u8>>());
        for number in numbers {
            let reply = self.client.reply();
            self.check(&line(number), &reply, expected);
        }
    }

    /// Asks in the newer protocol from now on.
    fn speak_resp3(&mut self) {
        self.client.send(&request(&["HELLO", "3"]));
        self.client.expect_resp3();
        self.client.reply();
    }

    fn check(&self, request: &str, reply: &str, expected: &str) {
        let reply = reply.replace("\r\n", "\n");
        let reply = reply.trim_end();
        let who = if self.is_redisbloom {
            "RedisBloom"
        } else {
            "this server"
        };
        assert!(
            fits(expected, reply),
            "{who}: {request}: {reply}, not {expected}"
        );
    }
}

fn words(line: &str) -> Vec<u8> {
    request(&line.split(' ').collect::<Vec<_>>())
}

fn fits(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('~');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let mut last = None;
    for part in parts {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
        last = Some(part);
    }
    rest.is_empty() || last.is_some_and(|last| last.is_empty() || rest.ends_with(last))
}

/// The first column of the table of differences in the README.
fn lines_of_the_readme() -> BTreeSet<String> {
    let readme = include_str!("../../README.md");
    let start = readme
        .find("### Differs from RedisBloom")
        .expect("the table");
    let is_in = |line: &&str| line.starts_with('|');
    let table = readme[start..].lines().skip_while(|line| !is_in(line));
    let table = table.take_while(is_in);
    // Behind the heading and the line under it.
    let lines = table.skip(2).map(|line| {
        let cell = line.trim_matches('|').split(" | ").next();
        cell.unwrap_or_default().trim().to_owned()
    });
    lines.collect()
}

#[test]
fn a_pattern_fits_what_it_should() {
    for (pattern, text, expected) in [
        (":1", ":1", true),
        (":1", ":12", false),
        ("-~", "-ERR x", true),
        ("-~full", "-ERR Filter is full", true),
        ("-~full", "-ERR Filter is full: at most", false),
        ("~b~", "abc", true),
        ("~d~", "abc", false),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
    }
}

/// Runs the same for both, the second only where it is to be had.
fn of_both(options: &[&str], run: impl Fn(&mut Trial)) {
    let this = Server::start(options);
    run(&mut Trial::new(false, this.address));
    if let Some(redisbloom) = RedisBloom::start() {
        run(&mut Trial::new(true, redisbloom.address));
    }
}

#[test]
fn the_table_of_differences_is_right_line_by_line() {
    let differences = || options::ALL.into_iter().chain(replies::ALL);
    let tested = differences().map(|(line, _)| line.to_owned());
    assert_eq!(lines_of_the_readme(), tested.collect());
    of_both(&[], |trial| {
        for (line, difference) in differences() {
            eprintln!("{line}");
            trial.both("FLUSHALL", "+OK");
            difference(&mut Trial::new(trial.is_redisbloom, trial.address));
        }
    });
}

#[test]
fn the_cases_of_its_own_tests_end_alike_but_for_the_table() {
    of_both(&["--growing", "--default-capacity", "1024"], |trial| {
        for (name, case) in cases::ALL.into_iter().chain(dumps::ALL) {
            eprintln!("{name}");
            trial.both("FLUSHALL", "+OK");
            case(&mut Trial::new(trial.is_redisbloom, trial.address));
        }
    });
}
