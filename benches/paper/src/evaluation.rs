//! The evaluation: runs all measurements, in order.

use lockfree_cuckoo::{
    BuildError,
    layout::{Lanes, SemiSorted},
};
use lockfree_cuckoo_benches::{Contender, Limit};

use crate::d_left::DLeft;
use crate::keys::Keys;
use crate::layouts;
use crate::life::Life;
use crate::load::{self, Load};
use crate::options::{Effort, Lookups};
use crate::published::TABLE_3;
use crate::rivals::{BlockedBloom, Bloom, Counting, Quotient};
use crate::simulation::Simulated;
use crate::space::{self, Space};
use crate::subject::Subject;

/// The results.
pub(crate) struct Evaluation {
    pub(crate) loads: Vec<Load>,
    pub(crate) simulated: Vec<Simulated>,
    /// The layouts of this library, full.
    pub(crate) spaces: Vec<Space>,
    /// The load at which the d-left counting Bloom filter refuses an item.
    pub(crate) d_left_load: f64,
    /// The contenders, the default of this library first. All are filled as in the paper.
    pub(crate) lives: Vec<Life>,
    /// The Bloom filters with as many items as the first contender.
    pub(crate) equals: Vec<Life>,
}

impl Evaluation {
    pub(crate) fn run(effort: &Effort) -> Result<Self, BuildError> {
        let loads = effort.loads.iter().map(|slots| load::measure(1 << slots));
        let loads = loads.collect::<Result<Vec<_>, _>>()?;
        let simulated = effort.simulated.iter();
        let simulated = simulated.map(|slots| Simulated::measure(1 << slots));
        let simulated = simulated.collect();
        let spaces = space::measure(effort.table_bytes, effort.lookups.probes)?;

        let filter = layouts::filter::<Lanes<4, 16>>(effort.table_bytes)?;
        let (bytes, slots) = (filter.memory_usage(), filter.slots());
        let as_published = (bytes as f64 * 8.0 / TABLE_3[2].bits_per_item) as usize;
        let quotient = Quotient::new(bytes);
        let five = layouts::filter::<Lanes<5, 12>>(effort.table_bytes)?;
        let most = five.slots().max(as_published).max(quotient.room());
        let mut runner = Runner {
            keys: Keys::new(most),
            lookups: effort.lookups,
            slots,
        };
        let filter = runner.run("CF 4 x 16", filter);
        let items = filter.items;
        let semi_sorted = layouts::filter::<SemiSorted<4, 17>>(effort.table_bytes)?;
        let semi_sorted_five = layouts::filter::<SemiSorted<5, 14>>(effort.table_bytes)?;
        let lives = vec![
            filter,
            runner.run("ss-CF 4 x 17", semi_sorted),
            runner.run("CF 5 x 12", five),
            runner.run("ss-CF 5 x 14", semi_sorted_five),
            runner.run("Bloom", Bloom::new(bytes, as_published)),
            runner.run("blocked Bloom", BlockedBloom::new(bytes, as_published)),
            runner.run("quotient", quotient),
            runner.run("d-left counting", DLeft::with_bytes(bytes)),
            runner.run("counting Bloom", Counting::like_bloom(bytes, as_published)),
        ];
        let equals = vec![
            runner.run("Bloom, same items", Bloom::new(bytes, items)),
            runner.run("blocked Bloom, same items", BlockedBloom::new(bytes, items)),
        ];
        Ok(Self {
            loads,
            simulated,
            spaces,
            d_left_load: load::of_d_left(bytes),
            lives,
            equals,
        })
    }

    /// Returns the life of a contender.
    pub(crate) fn life(&self, name: &str) -> Option<&Life> {
        self.lives.iter().find(|life| life.name == name)
    }
}

struct Runner {
    keys: Keys,
    lookups: Lookups,
    /// The slots of the limit.
    slots: usize,
}

impl Runner {
    fn run<S: Subject>(&mut self, name: &'static str, subject: S) -> Life {
        // The limit is made for a load of 0.95.
        let limit = Limit::with_capacity(self.slots / 20 * 19);
        Life::of(name, subject, limit, &mut self.keys, self.lookups)
    }
}
