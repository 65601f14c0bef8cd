//! What does a snapshot cost, beside a copy that only a filter at rest allows, and beside the bare copying of as
//! many words? And what if another thread replaces items all the while?

mod settings;

use std::hint::black_box;
use std::sync::atomic::Ordering;
use std::thread;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::size::Size;

#[allow(
    clippy::disallowed_types,
    reason = "the harness is no part of the library"
)]
type Stop = std::sync::atomic::AtomicBool;

fn main() {
    settings::run(snapshot);
}

fn snapshot(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        let keys = Keys::generate(size.items);
        let mut filter = CuckooFilter::with_capacity(keys.stored.len());
        filter
            .insert_many_hash(&keys.stored)
            .expect("sized for all");
        let words = vec![1u64; filter.slots() / 4];

        let mut group = settings::group(criterion, "snapshot/at rest", size, 1);
        group.sample_size(10);
        group.throughput(Throughput::Elements(words.len() as u64));
        group.bench_function("words", |bencher| {
            bencher.iter(|| black_box(&words).clone())
        });
        group.bench_function("clone", |bencher| {
            bencher.iter(|| filter.try_clone().expect("memory"))
        });
        group.bench_function("snapshot", |bencher| {
            bencher.iter(|| filter.snapshot().expect("at rest"))
        });
        group.finish();

        let mut group = settings::group(criterion, "snapshot/one writer", size, 2);
        group.sample_size(10);
        group.throughput(Throughput::Elements(words.len() as u64));
        let stop = Stop::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for &hash in &keys.stored[..keys.stored.len() / 2] {
                        // Remove and add again: at this load most inserts relocate.
                        filter.remove_hash(hash);
                        black_box(filter.insert_hash(hash).is_ok());
                    }
                }
            });
            let (mut taken, mut given_up) = (0, 0);
            group.bench_function("snapshot", |bencher| {
                bencher.iter(|| match filter.snapshot() {
                    Ok(_) => taken += 1,
                    Err(_) => given_up += 1,
                });
            });
            stop.store(true, Ordering::Relaxed);
            println!("{taken} snapshots, {given_up} given up");
        });
        group.finish();
    }
}
