//! Hostile input: malformed or too large input is an error, and the engine lives.

use std::ops::Range;
use std::process::Command;

use crate::engine::{Engine, on, on_each, says};
use crate::fetch::Kind;
use crate::wire::{Client, request};

/// Returns the CRC-64 at the end of a DUMP: of Jones, reflected.
fn crc64(bytes: &[u8]) -> u64 {
    const POLYNOMIAL: u64 = 0x95ac_9329_ac4b_c9b5;
    bytes.iter().fold(0, |crc, &byte| {
        (0..8).fold(crc ^ u64::from(byte), |crc, _| {
            if crc & 1 == 1 {
                crc >> 1 ^ POLYNOMIAL
            } else {
                crc >> 1
            }
        })
    })
}

/// Returns the bytes with a correct checksum.
fn summed(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(body) = bytes.len().checked_sub(8) {
        bytes.truncate(body);
        bytes.extend(crc64(&bytes).to_le_bytes());
    }
    bytes
}

fn payload(engine: &Engine, key: &str) -> Vec<u8> {
    let reply = engine.dump(key);
    let start = reply
        .iter()
        .position(|&byte| byte == b'\n')
        .expect("a line")
        + 1;
    reply[start..reply.len() - 2].to_vec()
}

fn restore(payload: &[u8]) -> Vec<u8> {
    let words: [&[u8]; 4] = [b"RESTORE", b"x", b"0", payload];
    request(&words)
}

fn small(engine: &Engine) {
    engine.says("CF.RESERVE f 8 EXPANSION 2", "+OK");
    let added = format!("*11{}", " :1".repeat(11));
    engine.says("CF.INSERT f ITEMS a b c d e f g h i j k", &added);
}

#[test]
fn refuses_damaged_restores() {
    // Compressed bytes can be compressed in several ways.
    let options = ["--rdbcompression", "no"];
    let Some(engine) = Engine::start(Kind::Valkey9, &options) else {
        return;
    };
    small(&engine);
    let payload = payload(&engine, "f");
    assert_eq!(summed(payload.clone()), payload);
    let mut client = engine.client();
    client.send(&restore(&payload));
    assert_eq!(client.reply(), "+OK\r\n");
    says(&mut client, "CF.EXISTS x a", ":1");
    says(&mut client, "DEL x", ":1");
    let mut tried = 0;
    let body = payload.len() - 10;
    for length in 0..payload.len() {
        let mut cut = payload[..length.min(body)].to_vec();
        cut.extend_from_slice(&payload[body..]);
        if length >= body {
            cut.truncate(length);
        }
        tried += refused(&mut client, &[summed(cut), payload[..length].to_vec()]);
    }
    // All bits but the type of the value, which the module does not see.
    for bits in every(1..body) {
        let mut flipped = payload.clone();
        flipped[bits.0] ^= 1 << bits.1;
        tried += refused(&mut client, &[summed(flipped.clone()), flipped]);
    }
    assert!(tried > 2_900, "{tried}");
    engine.check();
}

fn every(bytes: Range<usize>) -> impl Iterator<Item = (usize, u32)> {
    bytes.flat_map(|byte| (0..8).map(move |bit| (byte, bit)))
}

/// Restores each, and checks that it is refused.
fn refused(client: &mut Client, payloads: &[Vec<u8>]) -> usize {
    let requests: Vec<u8> = payloads
        .iter()
        .flat_map(|payload| restore(payload))
        .collect();
    client.send(&requests);
    for payload in payloads {
        let reply = client.reply();
        assert!(reply.starts_with("-ERR"), "{reply}: {payload:02x?}");
    }
    payloads.len()
}

#[test]
fn refuses_damaged_chunks() {
    on(Kind::Valkey9, |engine| {
        small(engine);
        let mut client = engine.client();
        let [whole @ (iterator, chunk)] = &client.dump("f", |_| {})[..] else {
            panic!("more than a chunk");
        };
        assert_eq!(client.load("x", whole), "+OK\r\n");
        assert_eq!(engine.dump("x"), engine.dump("f"));
        says(&mut client, "DEL x", ":1");
        for (byte, bit) in every(0..chunk.len()) {
            let mut flipped = chunk.clone();
            flipped[byte] ^= 1 << bit;
            let reply = client.load("x", &(*iterator, flipped));
            let is_refused = reply.starts_with("-Couldn't load chunk!");
            assert!(is_refused, "{byte}.{bit}: {reply}");
            says(&mut client, "EXISTS x", ":0");
        }
        for length in 0..chunk.len() {
            let end = chunk.len() as i64;
            let reply = client.load("x", &(length as i64, chunk[..length].to_vec()));
            if reply != "+OK\r\n" {
                assert!(reply.starts_with('-'), "{reply}");
                continue;
            }
            // The filter is not whole until the rest comes.
            says(&mut client, "CF.ADD x a", "-ERR the filter is not whole~");
            let wrong = client.load("x", &(end, chunk[length - 1..].to_vec()));
            assert!(wrong.starts_with("-Couldn't load chunk!"), "{wrong}");
            let rest = client.load("x", &(end, chunk[length..].to_vec()));
            assert_eq!(rest, "+OK\r\n");
            says(&mut client, "CF.EXISTS x a", ":1");
            says(&mut client, "DEL x", ":1");
        }
    });
}

/// Checks that a filter larger than any memory is refused before it is allocated; and, if the
/// operator allows it, when it is.
#[test]
fn refuses_a_filter_larger_than_memory() {
    on_each(|_, engine| {
        let id = engine.id().to_string();
        let mut limit = Command::new("prlimit");
        limit.args(["--pid", &id, "--as=8000000000"]);
        if !crate::download::runs(&mut limit) {
            crate::download::skipped("filters larger than memory", "prlimit is not there");
            return;
        }
        for capacity in ["100000000000", "9223372036854775807", "200000000"] {
            engine.says(&format!("CF.RESERVE f {capacity}"), "-ERR~");
            engine.says(&format!("CF.INSERT f CAPACITY {capacity} ITEMS a"), "-ERR~");
        }
        engine.set("cf.max-filter-bytes", "100000gb");
        engine.says("CF.RESERVE f 100000000000", "-ERR~");
        engine.says("DBSIZE", ":0");
    });
}
