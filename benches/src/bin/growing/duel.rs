//! A contender and the fixed filter, with the same keys, taking turns.

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::lap::Lap;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use lockfree_cuckoo_benches::rig::Rig;

pub(crate) struct Duel<'a, C> {
    pub(crate) one: Rig<C>,
    pub(crate) fixed: &'a mut Rig<CuckooFilter>,
    /// Who began last; it alternates.
    fixed_first: bool,
}

/// The laps of the one and of the fixed filter, for the same number of operations.
pub(crate) type Pair = (Lap, Lap);

impl<'a, C: Contender> Duel<'a, C> {
    pub(crate) fn new(one: Rig<C>, fixed: &'a mut Rig<CuckooFilter>) -> Self {
        Self {
            one,
            fixed,
            fixed_first: false,
        }
    }

    /// Something for each.
    pub(crate) fn turns(
        &mut self,
        of_one: impl FnOnce(&mut Rig<C>) -> Lap,
        of_fixed: impl FnOnce(&mut Rig<CuckooFilter>) -> Lap,
    ) -> Pair {
        self.fixed_first = !self.fixed_first;
        if self.fixed_first {
            let fixed = of_fixed(self.fixed);
            (of_one(&mut self.one), fixed)
        } else {
            (of_one(&mut self.one), of_fixed(self.fixed))
        }
    }
}

/// What pairs say.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Operations per second, the median.
    pub(crate) rate: f64,
    /// By the rate of the fixed filter.
    pub(crate) ratio: Quartiles,
}

impl Pace {
    pub(crate) fn of(pairs: &[Pair], operations: usize) -> Self {
        let busy = |lap: Lap| lap.busy.as_secs_f64();
        let quartiles = |of: &dyn Fn(&Pair) -> f64| Quartiles::of(pairs.iter().map(of).collect());
        Self {
            rate: operations as f64 / quartiles(&|pair| busy(pair.0)).median,
            ratio: quartiles(&|pair| busy(pair.1) / busy(pair.0)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn half_the_time_is_twice_the_rate() {
        let lap = |milliseconds| Lap {
            busy: Duration::from_millis(milliseconds),
            wall: Duration::from_secs(9),
        };
        let pairs = [(1, 2), (2, 4), (500, 4)].map(|(one, fixed)| (lap(one), lap(fixed)));
        let pace = Pace::of(&pairs, 1_000);
        assert_eq!((pace.rate, pace.ratio.median), (500_000.0, 2.0));
    }
}
