//! The hash of a byte string, as `docs/format.md` defines it: written from the page, apart from the
//! library.
//!
//! 1. The library computes what the page defines, for all lengths and seeds.
//! 2. The values on the page are right.

use std::fs;
use std::path::Path;

use lockfree_cuckoo::RandomState;
use model::mix as random;

const K: [u64; 7] = [
    0x2d35_8dcc_aa6c_78a5,
    0x8bb8_4b93_962e_acc9,
    0x4b33_a62e_d433_d4a3,
    0x4d5a_2da5_1de1_aa47,
    0xa076_1d64_78bd_642f,
    0xe703_7ed1_a0b4_28db,
    0x90ed_1765_281c_388c,
];

fn product(a: u64, b: u64) -> (u64, u64) {
    let product = u128::from(a) * u128::from(b);
    (product as u64, (product >> 64) as u64)
}

fn mix(a: u64, b: u64) -> u64 {
    let (low, high) = product(a, b);
    low ^ high
}

fn premix(x: u64, k: u64) -> u64 {
    let mut x = x ^ mix(x ^ K[2], k);
    for (bits, bit) in [(48..64, 63), (24..40, 31), (0..16, 0)] {
        if bits.clone().all(|at| x >> at & 1 == 0) {
            x |= 1 << bit;
        }
    }
    x
}

/// Returns the derived seed, and the secrets.
fn derive(seed: u64) -> (u64, [u64; 7]) {
    let derived = premix(seed, K[0]);
    let mut last = derived;
    let secrets = K.map(|k| {
        last = premix(last, k);
        last
    });
    (derived, secrets)
}

fn read(bytes: &[u8], at: usize, count: usize) -> u64 {
    let part = bytes[at..at + count].iter().rev();
    part.fold(0, |number, &byte| number << 8 | u64::from(byte))
}

fn hash(mut s: u64, secrets: [u64; 7], d: &[u8]) -> u64 {
    let n = d.len();
    let (a, b, left) = match n {
        0 => (0, 0, n),
        1..4 => (
            u64::from(d[0]) << 45 | u64::from(d[n - 1]),
            u64::from(d[n / 2]),
            n,
        ),
        4..8 => (read(d, 0, 4), read(d, n - 4, 4), n),
        8..=16 => (read(d, 0, 8), read(d, n - 8, 8), n),
        _ => {
            let (mut at, mut lanes) = (0, [s; 7]);
            while n - at > 112 {
                for (lane, secret) in lanes.iter_mut().zip(secrets) {
                    *lane = mix(read(d, at, 8) ^ secret, read(d, at + 8, 8) ^ *lane);
                    at += 16;
                }
            }
            if at > 0 {
                s = lanes.iter().fold(0, |all, lane| all ^ lane);
            }
            let left = n - at;
            for secret in [2, 2, 1, 1, 2, 1].map(|number: usize| secrets[number]) {
                if n - at <= 16 {
                    break;
                }
                s = mix(read(d, at, 8) ^ secret, read(d, at + 8, 8) ^ s);
                at += 16;
            }
            (read(d, n - 16, 8) ^ left as u64, read(d, n - 8, 8), left)
        }
    };
    if (4..=16).contains(&n) {
        s ^= n as u64;
    }
    let (a, b) = product(a ^ secrets[1], b ^ s);
    mix(a ^ 0xaaaa_aaaa_aaaa_aaaa, b ^ secrets[1] ^ left as u64)
}

fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    let (derived, secrets) = derive(seed);
    let length = hash(derived, secrets, &(bytes.len() as u64).to_le_bytes());
    hash(length, secrets, bytes)
}

#[test]
fn as_defined() {
    // After the first mixing, a part of 16 bits of each of the last three is 0.
    let special = [0, 1, u64::MAX, 5_419, 8_880, 10_292];
    for seed in (0..2_000).map(random).chain(special) {
        for length in [0, 1, 8, 17] {
            let bytes = &[0x5a; 17][..length];
            let computed = RandomState::with_seed(seed).hash_bytes(bytes);
            assert_eq!(computed, hash_bytes(seed, bytes), "{seed:x}, {length}");
        }
    }
    for length in (0..700).chain([1_000, 4_096, 10_001]) {
        let bytes: Vec<u8> = (0..length).map(|at| random(at) as u8).collect();
        let seed = random(length);
        let computed = RandomState::with_seed(seed).hash_bytes(&bytes);
        assert_eq!(computed, hash_bytes(seed, &bytes), "{length} bytes");
    }
}

/// Returns the cells of the rows of a table with this heading.
fn rows(page: &str, heading: &str) -> Vec<Vec<u64>> {
    let number = |cell: &str| {
        let cell = cell.trim().trim_matches('`');
        match cell.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16),
            None => cell.parse(),
        }
        .expect("a number")
    };
    let (_, table) = page.split_once(heading).expect("the table");
    let rows = table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'));
    let cells = |row: &str| row.trim_matches('|').split('|').map(number).collect();
    rows.map(cells).collect()
}

#[test]
fn values_of_the_page() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/format.md");
    let page = fs::read_to_string(page).expect("readable");
    let (mut derived, mut hashed) = (0, 0);
    for row in rows(&page, "| seed | `s` |") {
        let (s, secrets) = derive(row[0]);
        assert_eq!(row[1..], [&[s], &secrets[..]].concat());
        derived += 1;
    }
    for row in rows(&page, "| bytes | hash |") {
        let bytes: Vec<u8> = (0..row[0]).map(|at| (at % 251) as u8).collect();
        assert_eq!(row[1], hash_bytes(7, &bytes), "{} bytes", row[0]);
        hashed += 1;
    }
    assert!(derived >= 3 && hashed >= 16, "{derived}, {hashed}");
}

/// Prints the tables of the page.
#[test]
#[ignore = "prints the tables of `docs/format.md`"]
fn print_tables() {
    for seed in [0, 7, 5_419, 8_880, 10_292, u64::MAX] {
        let (s, secrets) = derive(seed);
        let secrets = secrets
            .map(|secret| format!("`0x{secret:016x}`"))
            .join(" | ");
        println!("| `0x{seed:x}` | `0x{s:016x}` | {secrets} |");
    }
    for length in [
        0, 1, 3, 4, 7, 8, 9, 16, 17, 48, 49, 112, 113, 224, 225, 1_000,
    ] {
        let bytes: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        println!("| {length} | `0x{:016x}` |", hash_bytes(7, &bytes));
    }
}
