//! What does a remove cost, from 95 % load on?
//!
//! One iteration removes a quarter of the items; they are put back outside the clock.

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
    settings::run(remove);
}

fn remove(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        for threads in THREADS {
            let mut group = settings::group(criterion, "remove", size, threads);
            group.sample_size(10);
            group.throughput(Throughput::Elements(size.items as u64 / 4));
            drain::<CuckooFilter>(&mut group, size, threads);
            drain::<Limit>(&mut group, size, threads);
            group.finish();
        }
    }
}

fn drain<C: Contender>(group: &mut settings::Group<'_>, size: Size, threads: usize) {
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(C::NAME, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(size.items))));
        bencher.iter_custom(|quarters| {
            (0..quarters)
                .map(|_| rig.remove(threads).1)
                .sum::<Lap>()
                .busy
        });
        rig.check();
    });
}
