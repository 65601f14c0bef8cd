//! What does an operation cost among others: 90 % lookups, 5 % inserts, 5 % removes, at 95 % load?
//!
//! Half of the lookups hit, in random order. One iteration is a block of twenty operations.

mod settings;

use std::sync::Arc;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::{Size, THREADS};
use lockfree_cuckoo_benches::work::OPS_PER_BLOCK;

fn main() {
    settings::run(mixed);
}

fn mixed(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        for threads in THREADS {
            let mut group = settings::group(criterion, "mixed", size, threads);
            group.throughput(Throughput::Elements(OPS_PER_BLOCK as u64));
            mix::<CuckooFilter>(&mut group, size, threads);
            mix::<Limit>(&mut group, size, threads);
            group.finish();
        }
    }
}

fn mix<C: Contender>(group: &mut settings::Group<'_>, size: Size, threads: usize) {
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(C::NAME, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(size.items))));
        bencher.iter_custom(|blocks| rig.mix(blocks as usize, threads).busy);
    });
    if let Some(mut rig) = rig {
        rig.check();
    }
}
