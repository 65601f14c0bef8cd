//! What does it cost that a filter grows? Lookups before and after eight doublings, and inserts from a first size of a
//! thousandth, beside the fixed filter.

mod settings;

use std::sync::Arc;
use std::time::Duration;

use criterion::{Criterion, Throughput};
use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::growing::Doubling;
use lockfree_cuckoo_benches::growing::history::{grown, order, start_for};
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::rig::Rig;
use lockfree_cuckoo_benches::size::Size;

fn main() {
    settings::run(growing);
}

fn growing(criterion: &mut Criterion) {
    for size in Size::of_benches() {
        look_up::<Hit>(criterion, size);
        look_up::<Miss>(criterion, size);
        insert(criterion, size);
    }
}

/// Which keys are looked up.
trait Question {
    const NAME: &'static str;

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize) -> Duration;
}

struct Hit;

impl Question for Hit {
    const NAME: &'static str = "growing/hit";

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize) -> Duration {
        rig.hit(lookups, 1).busy
    }
}

struct Miss;

impl Question for Miss {
    const NAME: &'static str = "growing/miss";

    fn look_up<C: Contender>(rig: &mut Rig<C>, lookups: usize) -> Duration {
        rig.miss(lookups, 1).0.busy
    }
}

fn look_up<Q: Question>(criterion: &mut Criterion, size: Size) {
    let mut group = settings::group(criterion, Q::NAME, size, 1);
    group.throughput(Throughput::Elements(1));
    answer::<Q, CuckooFilter>(&mut group, "fixed", Rig::full, size);
    for (name, times) in [("not-grown", 0), ("8-doublings", 8)] {
        let make = |keys: &Arc<Keys>| {
            let order = order(keys);
            let table = grown::<Doubling>(start_for(times, &order), &order);
            Rig::of(table, keys)
        };
        answer::<Q, _>(&mut group, name, make, size);
    }
    group.finish();
}

fn answer<Q: Question, C: Contender>(
    group: &mut settings::Group<'_>,
    name: &str,
    make: impl Fn(&Arc<Keys>) -> Rig<C>,
    size: Size,
) {
    // Made when it is first needed: a bench that is not selected costs nothing.
    let mut rig = None;
    group.bench_function(name, |bencher| {
        let rig = rig.get_or_insert_with(|| make(&Arc::new(Keys::generate(size.items))));
        bencher.iter_custom(|lookups| Q::look_up(rig, lookups as usize));
        rig.check();
    });
}

fn insert(criterion: &mut Criterion, size: Size) {
    let mut group = settings::group(criterion, "growing/insert", size, 1);
    group.sample_size(10);
    group.throughput(Throughput::Elements(size.items as u64));
    fill::<CuckooFilter>(&mut group, "fixed", size, size.items);
    fill::<Doubling>(&mut group, "growing", size, size.items / 1_000);
    group.finish();
}

/// One iteration is a whole filling. The table is new each time, because one that has grown does not start small.
fn fill<C: Contender>(group: &mut settings::Group<'_>, name: &str, size: Size, start: usize) {
    let mut keys = None;
    group.bench_function(name, |bencher| {
        let keys = keys.get_or_insert_with(|| Arc::new(Keys::generate(size.items)));
        let fill = |_| {
            let mut rig = Rig::of(C::with_capacity(start), keys);
            let lap = rig.insert(0..size.items, 1);
            rig.check();
            lap
        };
        bencher.iter_custom(|fillings| (0..fillings).map(fill).sum::<Lap>().busy);
    });
}
