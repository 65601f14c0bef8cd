//! Tokens that are used once: the calls of quinn's `TokenLog`, on a filter that rotates and on its
//! rivals.
//!
//! Threads present as many tokens as the logs are made for, each thread its share, and every tenth
//! token a second time. The logs are empty at first, as at the start of a server. They take turns.

use std::array;
use std::sync::Mutex;
use std::time::{Duration, Instant, SystemTime};

use fastbloom::BloomFilter;
use lockfree_cuckoo_benches::rivals::filters::FALSE_POSITIVES;
use lockfree_cuckoo_benches::{Keys, items_name, markdown, median, or_dash, race, share};
use quinn_proto::{BloomTokenLog, TokenLog, TokenReuseError};
use quinn_token_log::RotatingTokenLog;

const THREADS: [usize; 4] = [1, 2, 8, 64];

/// The lifetime of a token. No measurement takes as long.
const LIFETIME: Duration = Duration::from_secs(3600);

/// Of each so many tokens the first one is presented twice.
const USES: usize = 10;

/// A log as it is made for so many tokens, and the bytes that it takes for each of them, if it is
/// known.
type Make = fn(usize) -> (Box<dyn TokenLog>, Option<f64>);

const LOGS: [(&str, Make); 3] = [
    ("`RotatingCuckooFilter`", rotating),
    ("quinn's `BloomTokenLog`", quinn),
    ("fastbloom, two in a mutex", blooms),
];

fn rotating(tokens: usize) -> (Box<dyn TokenLog>, Option<f64>) {
    let log = RotatingTokenLog::new(tokens, LIFETIME).expect("memory");
    let bytes = log.memory_usage() as f64 / tokens as f64;
    (Box::new(log), Some(bytes))
}

/// Bytes for each token, of all three filters, that quinn takes unless it is told otherwise.
const QUINN_BYTES: usize = (20 << 20) / 1_000_000;

fn quinn(tokens: usize) -> (Box<dyn TokenLog>, Option<f64>) {
    let log = BloomTokenLog::new_expected_items(QUINN_BYTES * tokens, tokens as u64);
    (Box::new(log), Some(QUINN_BYTES as f64))
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

fn blooms(tokens: usize) -> (Box<dyn TokenLog>, Option<f64>) {
    let filter = || BloomFilter::with_false_pos(FALSE_POSITIVES / 2.0).expected_items(tokens);
    let filters: [BloomFilter; 2] = array::from_fn(|_| filter());
    let bits: usize = filters.iter().map(BloomFilter::num_bits).sum();
    let bytes = bits as f64 / 8.0 / tokens as f64;
    (Box::new(Blooms(Mutex::new(filters))), Some(bytes))
}

/// Presents these tokens. Returns how many were accepted.
fn present(log: &dyn TokenLog, tokens: &[u64]) -> usize {
    let now = SystemTime::now();
    let accepts = |token: u64| log.check_and_insert(token.into(), now, LIFETIME).is_ok();
    let uses = tokens.chunks(USES).map(|tokens| {
        let new = tokens.iter().filter(|&&token| accepts(token)).count();
        new + usize::from(accepts(tokens[0]))
    });
    uses.sum()
}

/// Measures all logs with these tokens. Returns a table.
pub(crate) fn measure(keys: &Keys, time: Duration) -> String {
    let tokens = &keys.stored;
    let mut rates = LOGS.map(|_| THREADS.map(|_| Vec::new()));
    let mut bytes = [None; LOGS.len()];
    let mut refused = [0; LOGS.len()];
    let start = Instant::now();
    let mut rounds = 0;
    while rounds == 0 || start.elapsed() < time * (LOGS.len() * THREADS.len()) as u32 {
        rounds += 1;
        for (place, (_, make)) in LOGS.into_iter().enumerate() {
            for (rates, threads) in rates[place].iter_mut().zip(THREADS) {
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
    let of_threads = THREADS.map(|threads| match threads {
        1 => "M/s, 1 thread".to_owned(),
        threads => format!("{threads} threads"),
    });
    let head = head
        .into_iter()
        .chain(of_threads)
        .chain(["wrongly refused".to_owned()]);
    let rows = LOGS.iter().zip(rates).zip(bytes.into_iter().zip(refused));
    let rows = rows.map(|((&(name, _), rates), (bytes, refused))| {
        let rates = rates.map(|rates| {
            let rate = median(rates.into_iter()).expect("a round");
            format!("{:.1}", rate / 1e6)
        });
        let presented = (rounds * THREADS.len() * tokens.len()) as f64;
        let refused = format!("{:.4} %", 100.0 * refused as f64 / presented);
        let about = [
            name.to_owned(),
            or_dash(bytes, |bytes| format!("{bytes:.1}")),
        ];
        about
            .into_iter()
            .chain(rates)
            .chain([refused])
            .collect::<Vec<_>>()
    });
    markdown::table(&head.collect::<Vec<_>>(), rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_log_accepts_each_token_once() {
        let keys = Keys::generate(20_000);
        for (name, make) in LOGS {
            let (log, _) = make(keys.stored.len());
            let accepted = present(&*log, &keys.stored);
            assert!((19_900..=20_000).contains(&accepted), "{name}: {accepted}");
            assert!(present(&*log, &keys.stored) == 0, "{name}");
        }
    }
}
