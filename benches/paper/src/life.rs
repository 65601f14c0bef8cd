//! The life of a subject: filled until it refuses an item, emptied again, and measured meanwhile.

use lockfree_cuckoo_benches::Limit;

use crate::keys::Keys;
use crate::options::Lookups;
use crate::subject::Subject;
use crate::turns::{Pace, Turn, Turns, Work};

/// The shares of lookups of stored keys in the paper's Figure 5.
pub(crate) const SHARES: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];

/// Measurements on the way up, and as many on the way down.
const STEPS: usize = 20;

/// Turns at one point.
const TURNS: usize = 7;

/// The most keys of a turn of inserts or removes.
const MOST_KEYS: usize = 1 << 17;

/// Rates, each with its place on the axis.
pub(crate) type Curve = Vec<(f64, Pace)>;

/// The results.
#[derive(Default)]
pub(crate) struct Life {
    pub(crate) name: &'static str,
    /// Whether it is a cuckoo filter of this library.
    pub(crate) is_cuckoo: bool,
    pub(crate) bytes: usize,
    /// The items that it held when it was full.
    pub(crate) items: usize,
    pub(crate) occupancy: f64,
    /// Whether it ended with an item that was refused.
    pub(crate) refused: bool,
    pub(crate) construction: Pace,
    pub(crate) false_positive_rate: f64,
    /// The rate of the theory, if it is known.
    pub(crate) expected_rate: Option<f64>,
    lookups: Lookups,
    /// Lookups that did not find a stored key.
    pub(crate) false_negatives: usize,
    /// Removes that did not find a stored key.
    pub(crate) failed_removes: usize,
    /// Rates by occupancy.
    pub(crate) inserts: Curve,
    pub(crate) hits: Curve,
    pub(crate) misses: Curve,
    /// Lookups by the share of stored keys, when it was full.
    pub(crate) mixed: Curve,
    /// Rates by the share of its items that was left.
    pub(crate) removes: Curve,
}

impl Life {
    /// Runs the life of a subject, beside the limit.
    pub(crate) fn of<S: Subject>(
        name: &'static str,
        subject: S,
        limit: Limit,
        keys: &mut Keys,
        lookups: Lookups,
    ) -> Self {
        eprintln!("life of {name}");
        let mut life = Self {
            name,
            lookups,
            is_cuckoo: S::IS_CUCKOO,
            bytes: subject.bytes(),
            ..Self::default()
        };
        let mut turns = Turns::new(subject, limit);
        life.fill(&mut turns, keys);
        life.judge(&turns.subject, keys);
        life.mixed = SHARES
            .map(|share| (share, life.look_up(&mut turns, share, keys)))
            .into();
        if S::REMOVES {
            life.empty(&mut turns, keys);
        }
        life
    }

    /// Returns the bits per item, of all memory.
    pub(crate) fn bits_per_item(&self) -> f64 {
        self.bytes as f64 * 8.0 / self.items as f64
    }

    fn fill<S: Subject>(&mut self, turns: &mut Turns<S>, keys: &mut Keys) {
        let room = turns.subject.room();
        let mut all = Vec::new();
        for step in 0..STEPS {
            let start = self.items;
            let end = room * (step + 1) / STEPS;
            self.warm_up(turns, keys);
            let others = keys.mixed(self.lookups.turn, 0.0, 0);
            let first = all.len();
            while self.items < end && !self.refused {
                let next = end.min(self.items + slice_of(end - start));
                let turn = turns.take(Work::Insert, &keys.stored()[self.items..next], &others);
                self.items += turn.yes();
                self.refused = turn.no() > 0;
                all.push(turn);
            }
            let occupancy = |items: usize| items as f64 / room as f64;
            // Fewer keys than those of a turn are no measurement.
            if self.items >= start + slice_of(end - start) {
                let middle = (occupancy(start) + occupancy(self.items)) / 2.0;
                self.inserts.push((middle, Pace::median(&all[first..])));
                let hits = self.look_up(turns, 1.0, keys);
                let misses = self.look_up(turns, 0.0, keys);
                self.hits.push((occupancy(self.items), hits));
                self.misses.push((occupancy(self.items), misses));
            }
        }
        self.occupancy = self.items as f64 / room as f64;
        self.construction = Pace::total(&all);
    }

    /// Looks up keys of which this share is stored.
    fn look_up<S: Subject>(&mut self, turns: &mut Turns<S>, share: f64, keys: &mut Keys) -> Pace {
        self.warm_up(turns, keys);
        let others = keys.mixed(self.lookups.turn, 0.0, 0);
        let taken: [Turn; TURNS] = std::array::from_fn(|_| {
            let mixed = keys.mixed(self.lookups.turn, share, self.items);
            turns.take(Work::LookUp, &mixed, &others)
        });
        if share == 1.0 {
            self.false_negatives += taken.iter().map(Turn::no).sum::<usize>();
        }
        Pace::median(&taken)
    }

    /// Looks up every stored key, and absent ones.
    fn judge<S: Subject>(&mut self, subject: &S, keys: &mut Keys) {
        let stored = &keys.stored()[..self.items];
        self.false_negatives += stored.iter().filter(|&&key| !subject.contains(key)).count();
        self.expected_rate = subject.expected_rate(self.items);
        let Lookups { turn, probes } = self.lookups;
        let positives: usize = (0..probes / turn)
            .map(|_| keys.mixed(turn, 0.0, 0))
            .map(|absent| absent.iter().filter(|&&key| subject.contains(key)).count())
            .sum();
        self.false_positive_rate = positives as f64 / (probes / turn * turn) as f64;
    }

    /// Touches most lines of tables that a third-level cache can keep.
    fn warm_up<S: Subject>(&self, turns: &mut Turns<S>, keys: &mut Keys) {
        turns.warm_up(&keys.mixed(4 * self.lookups.turn, 0.5, self.items));
    }

    fn empty<S: Subject>(&mut self, turns: &mut Turns<S>, keys: &mut Keys) {
        let mut gone = 0;
        for step in 0..STEPS {
            let start = gone;
            let end = self.items * (step + 1) / STEPS;
            self.warm_up(turns, keys);
            let others = keys.mixed(self.lookups.turn, 0.0, 0);
            let mut taken = Vec::new();
            while gone < end {
                let next = end.min(gone + slice_of(end - start));
                let turn = turns.take(Work::Remove, &keys.stored()[gone..next], &others);
                self.failed_removes += turn.no();
                taken.push(turn);
                gone = next;
            }
            let left = 1.0 - (step as f64 + 0.5) / STEPS as f64;
            self.removes.push((left, Pace::median(&taken)));
        }
    }
}

/// Returns the number of keys of a turn in a step of this many keys.
fn slice_of(step: usize) -> usize {
    step.div_ceil(TURNS).clamp(1, MOST_KEYS)
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo::{BuildError, layout::Layout};
    use lockfree_cuckoo_benches::Contender;

    use super::*;
    use crate::layouts::{self, Kind, Visitor};

    struct Lives;

    impl Visitor for Lives {
        fn visit<L: Layout>(&mut self, name: &'static str, _: Kind) -> Result<(), BuildError> {
            let filter = layouts::filter::<L>(1 << 15)?;
            let slots = filter.slots();
            let limit = Limit::with_capacity(slots / 20 * 19);
            let life = Life::of(name, filter, limit, &mut Keys::new(slots), Lookups::FEW);
            assert!(
                life.refused && life.occupancy > 0.75,
                "{name} {}",
                life.occupancy
            );
            assert_eq!(
                (life.false_negatives, life.failed_removes),
                (0, 0),
                "{name}"
            );
            assert!(life.false_positive_rate < 0.08, "{name}");
            // A subject that is full early has fewer points.
            let steps = (life.occupancy * STEPS as f64).floor() as usize;
            for curve in [&life.inserts, &life.hits, &life.misses] {
                assert!(
                    (steps..=STEPS).contains(&curve.len()),
                    "{name} {}",
                    curve.len()
                );
            }
            assert_eq!(life.removes.len(), STEPS, "{name}");
            Ok(())
        }
    }

    #[test]
    fn no_layout_has_a_false_negative() {
        layouts::each(&mut Lives).expect("usual sizes");
    }
}
