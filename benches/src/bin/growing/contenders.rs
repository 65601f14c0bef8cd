//! Growing contenders: fills each beyond its first size.

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};
use lockfree_cuckoo_benches::rivals::filters::{FALSE_POSITIVES, Scalable};
use lockfree_cuckoo_benches::rivals::locks::ReadWrite;
use lockfree_cuckoo_benches::{Contender, Keys};

use growable_bloom_filter::GrowableBloom;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

/// A contender that grows beyond its first size.
pub(crate) trait Growing: Contender {
    /// Returns the number of tables that hold the keys, if it is known.
    fn tables(&self) -> Option<usize> {
        None
    }

    /// Returns its expected rate of false positives.
    fn expected_false_positives(&self) -> f64;

    /// Finishes a growth in progress, if the contender grows little by little.
    fn end_growth(&self) {}

    /// Returns the share of a growth in progress that is done.
    fn growth_done(&self) -> Option<f64> {
        None
    }
}

/// A visitor of growing contenders of any type.
pub(crate) trait Visitor {
    fn visit<C: Growing>(&mut self, name: &'static str);
}

/// The name of the contender that is compared with the others.
pub(crate) const GROWING: &str = "growing";

/// Visits the filter that grows, then its rivals.
pub(crate) fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<GrowingCuckooFilter>(GROWING);
    visitor.visit::<ReadWrite<Scalable>>("scalable-rwlock");
    visitor.visit::<ReadWrite<GrowableBloom>>("growable-rwlock");
}

impl Growing for GrowingCuckooFilter {
    fn tables(&self) -> Option<usize> {
        Some(self.tables())
    }

    fn expected_false_positives(&self) -> f64 {
        self.false_positive_rate()
    }

    fn end_growth(&self) {
        let _ = self.finish_doubling();
    }

    fn growth_done(&self) -> Option<f64> {
        self.doubled()
    }
}

/// The filter of fixed size, with which the others are compared. It does not grow.
impl Growing for CuckooFilter {
    fn expected_false_positives(&self) -> f64 {
        self.false_positive_rate()
    }
}

impl Growing for ReadWrite<Scalable> {
    /// Returns a bound: each table is asked for half the rate of the one before.
    fn expected_false_positives(&self) -> f64 {
        FALSE_POSITIVES
    }
}

impl Growing for ReadWrite<GrowableBloom> {
    /// Returns a bound: each filter in it is asked for 0.85 of the rate of the one before, and the
    /// first for the whole rate.
    fn expected_false_positives(&self) -> f64 {
        FALSE_POSITIVES / (1.0 - 0.85)
    }
}

/// Returns the items in the order of their inserts. It differs from that of the lookups, so that
/// one hit does not foretell the table of the next.
pub(crate) fn order(keys: &Keys) -> Vec<u64> {
    let mut order = keys.stored.clone();
    let mut random = SmallRng::seed_from_u64(order.len() as u64);
    order.shuffle(&mut random);
    order
}

/// Makes a contender of a first size and fills it with these keys. No growth is under way then.
pub(crate) fn grown<C: Growing>(start: usize, order: &[u64]) -> C {
    let table = C::with_capacity(start);
    assert_eq!(table.insert_each(order), order.len());
    table.end_growth();
    table
}

/// Makes a filter with these keys, about halfway through a growth.
pub(crate) fn half_grown(start: usize, order: &[u64]) -> GrowingCuckooFilter {
    let growing_since = |inserted: usize| {
        let table: GrowingCuckooFilter = grown(start, &order[..inserted]);
        assert!(table.begin_to_double());
        table
    };
    let before = order.len() - order.len() / 8;
    let trial = growing_since(before);
    let half = order[before..].iter().position(|&key| {
        assert!(trial.insert_hash(key).is_ok());
        trial.doubled().is_none_or(|done| done >= 0.5)
    });
    drop(trial);
    // Begin the doubling so late that it is half done when all keys are stored.
    let (before, since) = order.split_at(order.len() - half.unwrap_or(0) - 1);
    let table = growing_since(before.len());
    assert_eq!(table.insert_each(since), since.len());
    table
}

/// Returns how often a table has doubled. A table that was added counts as a doubling.
pub(crate) fn doublings<C: Contender>(start: usize, grown: &C) -> Option<u32> {
    let (first, _) = C::with_capacity(start).size();
    (grown.size().0? / first?).checked_ilog2()
}

/// Returns a first size from which the filter doubles this many times.
pub(crate) fn start_for(times: u32, order: &[u64]) -> usize {
    let mut start = order.len() >> times;
    let doublings = |start| doublings(start, &grown::<GrowingCuckooFilter>(start, order));
    while doublings(start) > Some(times) {
        start += start / 32 + 1;
    }
    start
}

#[cfg(test)]
mod tests {
    use lockfree_cuckoo_benches::count;

    use super::*;

    /// A visitor that checks each contender far beyond its first size.
    struct Check(Keys);

    impl Visitor for Check {
        fn visit<C: Growing>(&mut self, name: &'static str) {
            let Keys { stored, absent, .. } = &self.0;
            let table: C = grown(stored.len() / 100, stored);
            assert_eq!(table.contains_each(stored), stored.len(), "{name}");
            assert!(table.tables().is_none_or(|tables| tables > 0), "{name}");
            let expected = table.expected_false_positives();
            assert!((0.00001..0.01).contains(&expected), "{name}: {expected}");
            let wrong = table.contains_each(absent) as f64;
            let most = 2.0 * expected * absent.len() as f64 + 10.0;
            assert!(wrong < most, "{name}: {wrong}");
            let (_, bytes) = table.size();
            assert!(bytes.is_none_or(|bytes| bytes > stored.len()), "{name}");
            if C::REMOVES {
                let (some, rest) = stored.split_at(stored.len() / 2);
                let removed = count(some, |&key| table.remove(key));
                assert_eq!(removed, some.len(), "{name}");
                assert_eq!(table.contains_each(rest), rest.len(), "{name}");
            }
        }
    }

    #[test]
    fn keep_items_beyond_their_first_size() {
        visit_all(&mut Check(Keys::generate(50_000)));
    }

    #[test]
    fn first_sizes_give_the_doublings() {
        let order = order(&Keys::generate(50_000));
        for times in 0..=8 {
            let start = start_for(times, &order);
            let filter: GrowingCuckooFilter = grown(start, &order);
            assert_eq!(doublings(start, &filter), Some(times), "{start}");
            let done = half_grown(start, &order).growth_done();
            let half = done.is_some_and(|done| (0.2..0.8).contains(&done));
            assert!(half, "{done:?}");
        }
    }
}
