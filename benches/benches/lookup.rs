//! What does a lookup cost at 95 % load, of a key that is in and of one that is not?

mod settings;

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::limit::Limit;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::{Size, THREADS};

fn main() {
    settings::run(lookup);
}

fn lookup(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        for threads in THREADS {
            ask::<Hit>(criterion, size, threads);
            ask::<Miss>(criterion, size, threads);
        }
    }
}

/// Which keys are looked up.
trait Question {
    const NAME: &'static str;

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize, threads: usize) -> Duration;
}

struct Hit;

impl Question for Hit {
    const NAME: &'static str = "lookup/hit";

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize, threads: usize) -> Duration {
        rig.hit(lookups, threads).busy
    }
}

struct Miss;

impl Question for Miss {
    const NAME: &'static str = "lookup/miss";

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize, threads: usize) -> Duration {
        rig.miss(lookups, threads).0.busy
    }
}

fn ask<Q: Question>(criterion: &mut Criterion, size: Size, threads: usize) {
    let mut group = settings::group(criterion, Q::NAME, size, threads);
    group.throughput(Throughput::Elements(1));
    answer::<Q, CuckooFilter>(&mut group, size, threads);
    answer::<Q, Limit>(&mut group, size, threads);
    group.finish();
}

fn answer<Q: Question, C: Contender>(group: &mut settings::Group<'_>, size: Size, threads: usize) {
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(C::NAME, |bencher| {
        let rig = rig.get_or_insert_with(|| Rig::<C>::full(&Arc::new(Keys::generate(size.items))));
        bencher.iter_custom(|lookups| Q::look_up(rig, lookups as usize, threads));
        rig.check();
    });
}
