//! Contenders that can be filled beyond what they were made for.

pub mod history;

use lockfree_cuckoo::testing::Double;
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter};

use crate::contender::Contender;
use crate::rivals::locked::ReadWrite;
use crate::rivals::scalable_cuckoo_filter::Scalable;
use crate::rivals::{FALSE_POSITIVES, GrowableBloom};

/// A contender whose first size does not bind it, and what it says of itself when it has grown.
pub trait Growing: Contender {
    /// The tables that the keys are spread over, where it can tell.
    fn tables(&self) -> Option<usize> {
        None
    }

    /// The rate of false positives to expect of it.
    fn expected_false_positives(&self) -> f64;

    /// Ends a growth that is under way, if it grows little by little.
    fn end_growth(&self) {}

    /// Begins to grow, if it grows little by little.
    fn begin_to_grow(&self) -> bool {
        false
    }

    /// The share of a growth under way that is done.
    fn growth_done(&self) -> Option<f64> {
        None
    }
}

/// The filter that grows in place.
pub type Doubling = GrowingCuckooFilter;

/// Something to be done with such a contender of any type.
pub trait Visitor {
    /// Does it.
    fn visit<C: Growing>(&mut self);
}

/// Visits the filter that grows, then its rivals.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<Doubling>();
    visitor.visit::<ReadWrite<Scalable>>();
    visitor.visit::<GrowableBloom>();
}

impl Contender for Doubling {
    const NAME: &'static str = "growing";
    const EXACT: bool = true;
    const BATCHED: bool = true;

    fn with_capacity(items: usize) -> Self {
        Self::with_capacity(items)
    }

    fn slots(&self) -> usize {
        self.slots()
    }

    fn bytes(&self) -> Option<usize> {
        Some(self.memory_usage())
    }

    #[inline]
    fn insert(&self, hash: u64) -> bool {
        self.insert_hash(hash).is_ok()
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        self.contains_hash(hash)
    }

    fn contains_many(&self, hashes: &[u64], found: &mut [bool]) {
        self.contains_many_hash(hashes, found);
    }

    fn insert_many(&self, hashes: &[u64]) -> usize {
        match self.insert_many_hash(hashes) {
            Ok(()) => hashes.len(),
            Err(stopped) => stopped.inserted(),
        }
    }

    #[inline]
    fn remove(&self, hash: u64) -> bool {
        self.remove_hash(hash)
    }

    fn remove_many(&self, hashes: &[u64]) -> usize {
        self.remove_many_hash(hashes)
    }

    fn clear(&mut self) {
        self.clear();
    }
}

impl Growing for Doubling {
    fn tables(&self) -> Option<usize> {
        Some(self.tables())
    }

    fn expected_false_positives(&self) -> f64 {
        self.false_positive_rate()
    }

    fn end_growth(&self) {
        let _ = self.finish_doubling();
    }

    fn begin_to_grow(&self) -> bool {
        self.begin_to_double()
    }

    fn growth_done(&self) -> Option<f64> {
        self.doubled()
    }
}

/// What the others are measured against: it does not grow, and need not.
impl Growing for CuckooFilter {
    fn tables(&self) -> Option<usize> {
        Some(1)
    }

    fn expected_false_positives(&self) -> f64 {
        self.false_positive_rate()
    }
}

impl Growing for ReadWrite<Scalable> {
    /// A bound of it: each table is asked for half the rate of the one before.
    fn expected_false_positives(&self) -> f64 {
        FALSE_POSITIVES
    }
}

impl Growing for GrowableBloom {
    /// A bound of it: each filter in it is asked for 0.85 of the rate of the one before, the first for all.
    fn expected_false_positives(&self) -> f64 {
        FALSE_POSITIVES / (1.0 - 0.85)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::Keys;

    /// What every one has to do, far beyond its first size.
    struct Check(Keys);

    impl Visitor for Check {
        fn visit<C: Growing>(&mut self) {
            let Keys { stored, absent, .. } = &self.0;
            let table = C::with_capacity(stored.len() / 100);
            let count = |call: &dyn Fn(u64) -> bool, keys: &[u64]| {
                keys.iter().filter(|&&key| call(key)).count()
            };
            let contains = |key| table.contains(key);
            let name = C::NAME;
            assert_eq!(count(&|key| table.insert(key), stored), stored.len());
            assert_eq!(count(&contains, stored), stored.len(), "{name}");
            assert!(table.tables().is_none_or(|tables| tables > 0), "{name}");
            let expected = table.expected_false_positives();
            assert!((0.00001..0.01).contains(&expected), "{name}: {expected}");
            let wrong = count(&contains, absent) as f64;
            let most = 2.0 * expected * absent.len() as f64 + 10.0;
            assert!(wrong < most, "{name}: {wrong}");
            assert!(
                table.bytes().is_none_or(|bytes| bytes > stored.len()),
                "{name}"
            );
            if C::REMOVES {
                let (some, rest) = stored.split_at(stored.len() / 2);
                assert_eq!(count(&|key| table.remove(key), some), some.len(), "{name}");
                assert_eq!(count(&contains, rest), rest.len(), "{name}");
            }
        }
    }

    #[test]
    fn all_keep_what_is_beyond_their_first_size() {
        visit_all(&mut Check(Keys::generate(50_000)));
    }
}
