//! What RedisBloom's own tests ask of dumps.

use super::{Case, Trial};
use crate::wire::{chunk, request};

pub(super) const ALL: [Case; 5] = [
    ("scandump", scandump),
    ("scandump_with_expansion", scandump_with_expansion),
    ("scandump_invalid", scandump_invalid),
    ("scandump_invalid_header", scandump_invalid_header),
    // And this is our own question.
    ("scandump_ends", scandump_ends),
];

/// Chunks, each with the iterator that is behind it.
pub(super) type Dump = Vec<(i64, Vec<u8>)>;

impl Trial {
    /// Dumps a filter to the end, and does something else before each chunk.
    pub(super) fn dump(&mut self, key: &str, between: impl Fn(&mut Self)) -> Dump {
        let mut chunks = Dump::new();
        loop {
            between(self);
            let iterator = chunks.last().map_or(0, |(iterator, _)| *iterator);
            let words = ["CF.SCANDUMP", key, &iterator.to_string()];
            self.client.send(&request(&words));
            match chunk(&self.client.reply_bytes()) {
                (iterator, Some(bytes)) => chunks.push((iterator, bytes)),
                (iterator, None) => {
                    assert_eq!(iterator, 0);
                    return chunks;
                }
            }
        }
    }

    /// Loads one chunk.
    pub(super) fn load(&mut self, key: &str, iterator: i64, bytes: &[u8]) -> String {
        let iterator = iterator.to_string();
        let words: [&[u8]; 4] = [b"CF.LOADCHUNK", key.as_bytes(), iterator.as_bytes(), bytes];
        self.client.ask(&words)
    }
}

fn scandump(trial: &mut Trial) {
    dump_and_load(trial, "CF.RESERVE cf 62");
}

fn scandump_with_expansion(trial: &mut Trial) {
    dump_and_load(trial, "CF.RESERVE cf 62 EXPANSION 2");
}

fn dump_and_load(trial: &mut Trial, reserve: &str) {
    trial.both(reserve, "+OK");
    trial.each(0..500, "CF.ADD cf {}", ":1");
    trial.both("CF.SCANDUMP cf", "-~wrong number~");
    trial.both("CF.SCANDUMP cf str", "-~Invalid position");
    trial.both("CF.SCANDUMP noexist 0", "-ERR not found");
    let chunks = trial.dump("cf", |_| {});
    trial.both("DEL cf", ":1");
    trial.both("CF.LOADCHUNK cf", "-~wrong number~");
    trial.both("CF.LOADCHUNK cf str", "-~wrong number~");
    for (iterator, bytes) in chunks {
        assert_eq!(trial.load("cf", iterator, &bytes), "+OK\r\n");
    }
    trial.each(0..500, "CF.EXISTS cf {}", ":1");
}

fn scandump_invalid(trial: &mut Trial) {
    trial.both("CF.RESERVE cf 4", "+OK");
    for arguments in [
        "-9223372036854775808 1",
        "922337203685477588 1",
        "4 kdoasdksaodsadsadsadsadsadadsadadsdad",
        "4 abcd",
    ] {
        trial.both(&format!("CF.LOADCHUNK cf {arguments}"), "-~");
    }
    trial.both("CF.ADD cf x", ":1");
    trial.both("CF.SCANDUMP cf -1", "-~Invalid position");
}

fn scandump_invalid_header(trial: &mut Trial) {
    trial.both("CF.RESERVE cf 100", "+OK");
    trial.each(0..50, "CF.ADD cf foo{}", ":1");
    let mut chunks = trial.dump("cf", |_| {});
    let (iterator, bytes) = &mut chunks[0];
    bytes[..9].fill(0);
    trial.both("DEL cf", ":1");
    let reply = trial.load("cf", *iterator, bytes);
    assert!(reply.starts_with("-"), "{reply}");
    trial.both("EXISTS cf", ":0");
}

fn scandump_ends(trial: &mut Trial) {
    let end = "*2\n:0\n$-1";
    trial.both("CF.RESERVE cf 64", "+OK");
    trial.both("CF.SCANDUMP cf 0", end);
    trial.both("CF.ADD cf a", ":1");
    for iterator in ["1000000", "9223372036854775807"] {
        trial.both(&format!("CF.SCANDUMP cf {iterator}"), end);
    }
    trial.both("CF.SCANDUMP cf -9223372036854775808", "-Invalid position");
    trial.both("CF.DEL cf a", ":1");
    trial.both("CF.SCANDUMP cf 0", end);
}
