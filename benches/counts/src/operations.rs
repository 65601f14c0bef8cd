//! The child: the filters and the operations, each between two breakpoints.

use std::arch::asm;
use std::error::Error;
use std::hint::black_box;

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{Buildable, CuckooFilter, Filter, GrowingCuckooFilter, RotatingCuckooFilter};
use nix::sys::ptrace;

/// The last one is a growing filter in the midst of a doubling.
pub(crate) const FILTERS: [&str; 4] = ["fixed", "growing", "rotating", "doubling"];

pub(crate) const OPERATIONS: [&str; 6] = [
    "hit",
    "miss",
    "insert, half full",
    "insert, full",
    "remove",
    "32 lookups",
];

/// How often an operation is counted. A step takes microseconds, and an insert into a full table thousands of steps.
const TIMES: usize = 32;

/// The hashes of a kind that operations are counted with.
const SAMPLE: usize = 4 * TIMES;

/// What the filters are made for. A table takes half a mebibyte.
const ITEMS: usize = 250_000;

/// Does one of the operations on one of the filters, while the parent looks.
pub(crate) fn run(filter: &str, operation: &str) -> Result<(), Box<dyn Error>> {
    let fixed = CuckooFilter::builder().capacity(ITEMS).seed(0);
    let growing = GrowingCuckooFilter::builder().capacity(ITEMS).seed(0);
    let rotating = RotatingCuckooFilter::builder().capacity(ITEMS).seed(0);
    match filter {
        "fixed" => on(fixed.build()?, operation, |_, _| {}),
        "growing" => on(growing.build()?, operation, |_, _| {}),
        "rotating" => on(rotating.build()?, operation, |_, _| {}),
        "doubling" => on(growing.build()?, operation, double_half),
        _ => Err("no such filter".into()),
    }
}

/// Begins a doubling, and inserts other hashes until half of the buckets are split.
fn double_half(filter: &GrowingCuckooFilter, others: &[u64]) {
    filter.begin_to_double();
    let mut others = others.iter();
    while filter.doubled().is_some_and(|done| done < 0.5) {
        assert!(others.next().is_some_and(|&hash| insert(filter, hash)));
    }
}

fn on<E: Buildable>(
    filter: Filter<E>,
    operation: &str,
    prepare: fn(&Filter<E>, &[u64]),
) -> Result<(), Box<dyn Error>> {
    let full = filter.capacity() - SAMPLE;
    let stored = match operation {
        "insert, half full" => full / 2,
        _ => full,
    };
    let hashes: Vec<u64> = (0..4 * ITEMS as u64).map(model::mix).collect();
    let (stored, fresh) = hashes.split_at(stored);
    filter.insert_many_hash(stored)?;
    prepare(&filter, &fresh[SAMPLE..]);
    // Spread over the table, and of all ages.
    let stored = stored.iter().step_by(stored.len() / SAMPLE);
    let stored: Vec<u64> = stored.copied().take(SAMPLE).collect();
    let fresh = &fresh[..SAMPLE];
    // What an operation needs once, as the state of its thread, it has got before.
    black_box(
        insert(&filter, hashes[hashes.len() - 1]) && remove(&filter, hashes[hashes.len() - 1]),
    );

    ptrace::traceme()?;
    match operation {
        "hit" => each(&filter, &stored, contains),
        "miss" => each(&filter, fresh, contains),
        "insert, half full" | "insert, full" => each(&filter, fresh, insert),
        "remove" => each(&filter, &stored, remove),
        "32 lookups" => {
            // Every second one is in.
            let pairs: Vec<u64> = stored
                .iter()
                .zip(fresh)
                .flat_map(|(&one, &other)| [one, other])
                .collect();
            for hashes in pairs.as_chunks().0 {
                between_breakpoints(|| look_up_many(&filter, hashes, &mut [false; 32]));
            }
        }
        _ => return Err("no such operation".into()),
    }
    Ok(())
}

fn each<E: Buildable>(filter: &Filter<E>, hashes: &[u64], call: fn(&Filter<E>, u64) -> bool) {
    for &hash in &hashes[..TIMES] {
        between_breakpoints(|| black_box(call(filter, hash)));
    }
}

#[inline(never)]
fn contains<E: Buildable>(filter: &Filter<E>, hash: u64) -> bool {
    filter.contains_hash(hash)
}

#[inline(never)]
fn insert<E: Buildable>(filter: &Filter<E>, hash: u64) -> bool {
    filter.insert_hash(hash).is_ok()
}

#[inline(never)]
fn remove<E: Buildable>(filter: &Filter<E>, hash: u64) -> bool {
    filter.remove_hash(hash)
}

#[inline(never)]
fn look_up_many<E: Buildable>(
    filter: &Filter<E>,
    hashes: &[u64; 32],
    found: &mut [bool; 32],
) -> bool {
    filter.contains_many_hash(hashes, found);
    found[0]
}

/// The parent counts from one breakpoint to the other.
fn between_breakpoints(call: impl FnOnce() -> bool) {
    breakpoint();
    black_box(call());
    breakpoint();
}

#[inline(always)]
#[allow(unsafe_code, reason = "one instruction")]
fn breakpoint() {
    // SAFETY: the parent, which traces this process, goes on behind it.
    unsafe { asm!("int3") }
}
