//! What does an insert cost, from empty to 95 % load?
//!
//! One iteration is a whole filling, because the cost of an insert rises with the load.

mod settings;

use std::sync::Arc;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::{Size, THREADS};

fn main() {
    settings::run(insert);
}

fn insert(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        for threads in THREADS {
            let mut group = settings::group(criterion, "insert", size, threads);
            group.sample_size(10);
            group.throughput(Throughput::Elements(size.items as u64));
            fill::<CuckooFilter>(&mut group, size, threads);
            fill::<Limit>(&mut group, size, threads);
            group.finish();
        }
    }
}

fn fill<C: Contender>(group: &mut settings::Group<'_>, size: Size, threads: usize) {
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(C::NAME, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(size.items))));
        bencher.iter_custom(|fillings| {
            (0..fillings)
                .map(|_| {
                    rig.clear();
                    rig.insert(0..size.items, threads)
                })
                .sum::<Lap>()
                .busy
        });
        rig.check();
    });
}
