//! What does hashing add? The typed calls with the default hasher, beside the calls that take a hash.
//!
//! Inserts fill a table from empty to 95 % load, one filling an iteration; lookups all hit.

mod settings;

use std::hash::Hash;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::race::race;
use lockfree_cuckoo_benches::size::Size;

fn main() {
    settings::run(hashing);
}

const STRING_BYTES: usize = 32;

fn hashing(criterion: &mut Criterion) {
    let [size, _] = Size::of_benches();
    let keys = Keys::generate(size.items).stored;
    // In one piece, so that reading the strings costs no more cache misses than reading the integers.
    let text: String = keys
        .iter()
        .map(|key| format!("{key:0STRING_BYTES$x}"))
        .collect();
    let strings: Vec<&str> = (0..keys.len())
        .map(|at| &text[at * STRING_BYTES..][..STRING_BYTES])
        .collect();
    let filter = CuckooFilter::with_capacity(size.items);

    insert(criterion, size, &filter, &keys, &strings);
    contains(criterion, size, &filter, &keys, &strings);
}

fn insert(
    criterion: &mut Criterion,
    size: Size,
    filter: &CuckooFilter,
    keys: &[u64],
    strings: &[&str],
) {
    let mut filter = filter.snapshot().expect("at rest");
    let mut group = settings::group(criterion, "hashing/insert", size, 1);
    group.sample_size(10);
    group.throughput(Throughput::Elements(size.items as u64));
    group.bench_function("hash", |bencher| {
        bencher.iter_custom(|fillings| {
            fill(&mut filter, fillings, keys, |filter, &key| {
                filter.insert_hash(key).is_ok()
            })
        });
    });
    group.bench_function("u64", |bencher| {
        bencher.iter_custom(|fillings| fill(&mut filter, fillings, keys, insert_item));
    });
    group.bench_function("32-byte-string", |bencher| {
        bencher.iter_custom(|fillings| fill(&mut filter, fillings, strings, insert_item));
    });
    group.finish();
}

fn insert_item<T: Hash>(filter: &CuckooFilter, item: &T) -> bool {
    filter.insert(item).is_ok()
}

/// The time of so many fillings from empty.
fn fill<T: Sync>(
    filter: &mut CuckooFilter,
    fillings: u64,
    items: &[T],
    insert: impl Fn(&CuckooFilter, &T) -> bool + Sync,
) -> Duration {
    let mut time = Duration::ZERO;
    for _ in 0..fillings {
        filter.clear();
        let filter = &*filter;
        let (lap, inserted) = race(
            1,
            || (),
            |_| items.iter().filter(|item| insert(filter, item)).count(),
        );
        time += lap.busy;
        assert!(
            inserted == items.len(),
            "an insert was refused below 95 % load"
        );
    }
    time
}

fn contains(
    criterion: &mut Criterion,
    size: Size,
    filter: &CuckooFilter,
    keys: &[u64],
    strings: &[&str],
) {
    let mut group = settings::group(criterion, "hashing/contains", size, 1);
    group.throughput(Throughput::Elements(1));
    let full_of = |fill_in: &dyn Fn(&CuckooFilter) -> bool| {
        let filter = filter.snapshot().expect("at rest");
        assert!(fill_in(&filter), "an insert was refused below 95 % load");
        filter
    };
    let mut full = None;
    group.bench_function("hash", |bencher| {
        let full = full.get_or_insert_with(|| {
            full_of(&|filter| keys.iter().all(|&key| filter.insert_hash(key).is_ok()))
        });
        bencher.iter_custom(|lookups| hit(lookups, keys, |&key| full.contains_hash(key)));
    });
    let mut full = None;
    group.bench_function("u64", |bencher| {
        let full = full.get_or_insert_with(|| {
            full_of(&|filter| keys.iter().all(|key| insert_item(filter, key)))
        });
        bencher.iter_custom(|lookups| hit(lookups, keys, |key| full.contains(key)));
    });
    let mut full = None;
    group.bench_function("32-byte-string", |bencher| {
        let full = full.get_or_insert_with(|| {
            full_of(&|filter| strings.iter().all(|string| insert_item(filter, string)))
        });
        bencher.iter_custom(|lookups| hit(lookups, strings, |string| full.contains(string)));
    });
    group.finish();
}

/// The time of so many lookups, all of which hit.
fn hit<T: Sync>(lookups: u64, items: &[T], contains: impl Fn(&T) -> bool + Sync) -> Duration {
    let (lap, found) = race(
        1,
        || (),
        |_| {
            let mut left = lookups as usize;
            let mut found = 0;
            while left > 0 {
                let run = &items[..items.len().min(left)];
                found += run.iter().filter(|item| contains(item)).count();
                left -= run.len();
            }
            found
        },
    );
    assert!(found == lookups as usize, "a stored item was not found");
    lap.busy
}
