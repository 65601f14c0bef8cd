//! What do the batch calls save, beside loops of single calls on the same items?
//!
//! One iteration looks up, inserts or removes all items of a table; the table is prepared outside the clock.

mod settings;

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::size::Size;

fn main() {
    settings::run(batch);
}

fn batch(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        for call in CALLS {
            let mut group = settings::group(criterion, call.name, size, 1);
            group.sample_size(10);
            group.throughput(Throughput::Elements(size.items as u64));
            // Made when it is first needed: a bench that is not selected costs nothing.
            let mut bench = None;
            for (name, run) in [("single", call.single), ("many", call.many)] {
                group.bench_function(name, |bencher| {
                    let bench = bench.get_or_insert_with(|| Bench::new(size));
                    bencher.iter_custom(|passes| {
                        (0..passes).map(|_| bench.pass(call.on_full, run)).sum()
                    });
                });
            }
            group.finish();
        }
    }
}

/// Does one thing to all items and says how many calls said yes.
type Run = fn(&CuckooFilter, &[u64], &mut [bool]) -> usize;

struct Call {
    name: &'static str,
    /// Whether the table is full before; else it is empty.
    on_full: bool,
    single: Run,
    many: Run,
}

const CALLS: [Call; 3] = [
    Call {
        name: "batch/contains",
        on_full: true,
        single: |filter, hashes, found| {
            for (found, &hash) in found.iter_mut().zip(hashes) {
                *found = filter.contains_hash(hash);
            }
            found.iter().filter(|&&found| found).count()
        },
        many: |filter, hashes, found| {
            filter.contains_many_hash(hashes, found);
            found.iter().filter(|&&found| found).count()
        },
    },
    Call {
        name: "batch/insert",
        on_full: false,
        single: |filter, hashes, _| {
            let inserted = |&&hash: &&u64| filter.insert_hash(hash).is_ok();
            hashes.iter().filter(inserted).count()
        },
        many: |filter, hashes, _| match filter.insert_many_hash(hashes) {
            Ok(()) => hashes.len(),
            Err(stopped) => stopped.inserted(),
        },
    },
    Call {
        name: "batch/remove",
        on_full: true,
        single: |filter, hashes, _| {
            let removed = |&&hash: &&u64| filter.remove_hash(hash);
            hashes.iter().filter(removed).count()
        },
        many: |filter, hashes, _| filter.remove_many_hash(hashes),
    },
];

struct Bench {
    filter: CuckooFilter,
    hashes: Vec<u64>,
    found: Vec<bool>,
}

impl Bench {
    fn new(size: Size) -> Self {
        let hashes = Keys::generate(size.items).stored;
        Self {
            filter: CuckooFilter::with_capacity(hashes.len()),
            found: vec![false; hashes.len()],
            hashes,
        }
    }

    fn pass(&mut self, on_full: bool, run: Run) -> Duration {
        if !on_full {
            self.filter.clear();
        } else if self.filter.is_empty() {
            self.filter
                .insert_many_hash(&self.hashes)
                .expect("sized for all");
        }
        let start = Instant::now();
        let successes = black_box(run(&self.filter, &self.hashes, &mut self.found));
        let time = start.elapsed();
        assert_eq!(successes, self.hashes.len());
        time
    }
}
