//! The logs, and what is measured with each: quinn's own, and those on a filter that rotates and on
//! two Bloom filters.
//!
//! Threads present as many tokens as the logs are made for, each thread its share, and every tenth
//! token a second time. The logs are empty at first, as at the start of a server. They take turns.

use std::array;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use fastbloom::BloomFilter;
use harness::race::{race, share};
use harness::sizes::items_name;
use harness::{markdown, median};
use quinn_proto::{BloomTokenLog, TokenLog, TokenReuseError};
use quinn_token_log::RotatingTokenLog;
use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};

/// The lifetime of a token. No measurement takes as long.
const LIFETIME: Duration = Duration::from_secs(3600);

/// Of each ten tokens the first one is presented twice.
const USES: usize = 10;

/// Makes a log for a number of tokens. Returns also the bytes that it takes for each of them.
pub(crate) type Make = fn(usize) -> (Box<dyn TokenLog>, f64);

pub(crate) const LOGS: [(&str, Make); 3] = [
    ("`RotatingCuckooFilter`", rotating),
    ("quinn's `BloomTokenLog`", quinn),
    ("fastbloom, two in a mutex", blooms),
];

fn rotating(tokens: usize) -> (Box<dyn TokenLog>, f64) {
    let log = RotatingTokenLog::new(tokens, LIFETIME).expect("memory");
    let bytes = log.memory_usage() as f64 / tokens as f64;
    (Box::new(log), bytes)
}

/// Bytes for each token, of all three filters, that quinn takes unless it is told otherwise.
const QUINN_BYTES: usize = (20 << 20) / 1_000_000;

fn quinn(tokens: usize) -> (Box<dyn TokenLog>, f64) {
    let log = BloomTokenLog::new_expected_items(QUINN_BYTES * tokens, tokens as u64);
    (Box::new(log), QUINN_BYTES as f64)
}

/// The young one, and the old one.
struct Blooms(Mutex<[BloomFilter; 2]>);

impl TokenLog for Blooms {
    fn check_and_insert(
        &self,
        nonce: u128,
        _: SystemTime,
        _: Duration,
    ) -> Result<(), TokenReuseError> {
        let [young, old] = &mut *self.0.lock().expect("no panic");
        if old.contains_hash(nonce as u64) || young.insert_hash(nonce as u64) {
            return Err(TokenReuseError);
        }
        Ok(())
    }
}

/// The false positives of the rotating filter, half of them from each Bloom filter.
const FALSE_POSITIVES: f64 = 1.0 / 8192.0;

fn blooms(tokens: usize) -> (Box<dyn TokenLog>, f64) {
    let filter = || BloomFilter::with_false_pos(FALSE_POSITIVES / 2.0).expected_items(tokens);
    let filters: [BloomFilter; 2] = array::from_fn(|_| filter());
    let bits: usize = filters.iter().map(BloomFilter::num_bits).sum();
    let bytes = bits as f64 / 8.0 / tokens as f64;
    (Box::new(Blooms(Mutex::new(filters))), bytes)
}

/// Makes random tokens, the same at every call.
pub(crate) fn tokens(count: usize) -> Vec<u64> {
    let mut random = SmallRng::seed_from_u64(count as u64);
    (0..count).map(|_| random.next_u64()).collect()
}

/// Presents these tokens. Returns how many were accepted.
pub(crate) fn present(log: &dyn TokenLog, tokens: &[u64]) -> usize {
    let now = SystemTime::now();
    let accepts = |token: u64| log.check_and_insert(token.into(), now, LIFETIME).is_ok();
    let uses = tokens.chunks(USES).map(|tokens| {
        let new = tokens.iter().filter(|&&token| accepts(token)).count();
        new + usize::from(accepts(tokens[0]))
    });
    uses.sum()
}

/// Measures all logs with these tokens, on each number of threads. Returns a table.
pub(crate) fn measure(tokens: &[u64], numbers: &[usize], time: Duration) -> String {
    let mut rates = LOGS.map(|_| vec![Vec::new(); numbers.len()]);
    let mut bytes = [0.0; LOGS.len()];
    let mut refused = [0; LOGS.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || start.elapsed() < time * (LOGS.len() * numbers.len()) as u32 {
        rounds += 1;
        for (place, (_, make)) in LOGS.into_iter().enumerate() {
            for (rates, &threads) in rates[place].iter_mut().zip(numbers) {
                let (log, of_token) = make(tokens.len());
                bytes[place] = of_token;
                let shares = 0..tokens.len();
                let uses = tokens.len() + tokens.len().div_ceil(USES);
                let (slice, accepted) = race(
                    uses,
                    threads,
                    || (),
                    |thread| present(&*log, &tokens[share(&shares, thread, threads)]),
                );
                assert!(accepted <= tokens.len(), "a token was accepted twice");
                refused[place] += tokens.len() - accepted;
                rates.push(slice.rate(threads));
            }
        }
    }
    let head = [
        format!("{} tokens", items_name(tokens.len())),
        "bytes per token".to_owned(),
    ];
    let of_threads = numbers.iter().map(|threads| match threads {
        1 => "M/s, 1 thread".to_owned(),
        threads => format!("M/s, {threads} threads"),
    });
    let head = head
        .into_iter()
        .chain(of_threads)
        .chain(["wrongly refused".to_owned()]);
    let rows = LOGS.iter().zip(rates).zip(bytes.into_iter().zip(refused));
    let rows = rows.map(|((&(name, _), rates), (bytes, refused))| {
        let rates = rates.into_iter().map(|rates| {
            let rate = median(rates.into_iter()).expect("a round");
            format!("{:.1}", rate / 1e6)
        });
        let presented = (rounds * numbers.len() * tokens.len()) as f64;
        let refused = format!("{:.4} %", 100.0 * refused as f64 / presented);
        let about = [name.to_owned(), format!("{bytes:.1}")];
        about
            .into_iter()
            .chain(rates)
            .chain([refused])
            .collect::<Vec<_>>()
    });
    markdown::table(&head.collect::<Vec<_>>(), rows)
}
