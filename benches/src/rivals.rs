//! The rivals: other crates that answer the same question, each in its best configuration.
//!
//! Keys are hashes already, so each is given the cheapest hasher that its interface allows
//! ([`hasher`]). Filters are asked for a false-positive rate near 0.012 %, which is the filter's own. Sets
//! that are not made for threads are put in a lock of `parking_lot`, whose uncontended calls are shorter
//! than those of the standard library ([`locked`]). The serial cuckoo filters take part without a lock too, on one
//! thread ([`alone`]).

pub mod alone;
mod atomic_cuckoo_filter;
mod cuckoofilter;
mod dashmap;
mod fastbloom;
mod growable_bloom_filter;
pub mod hashbrown;
pub mod hasher;
pub mod locked;
mod one_thread;
mod papaya;
pub mod qfilter;
mod sbbf;
pub mod scalable_cuckoo_filter;
mod scc;

use lockfree_cuckoo::CuckooFilter;

pub use self::atomic_cuckoo_filter::AtomicCuckooFilter;
pub use self::cuckoofilter::Cuckoofilter;
pub use self::dashmap::DashSet;
pub use self::fastbloom::Fastbloom;
pub use self::growable_bloom_filter::GrowableBloom;
pub use self::papaya::PapayaSet;
pub use self::sbbf::SplitBlockBloom;
pub use self::scc::{SccIndex, SccSet};

use self::alone::Alone;
use self::hashbrown::HashbrownSet;
use self::locked::{Exclusive, ReadWrite, Sharded};
use self::qfilter::Quotient;
use self::scalable_cuckoo_filter::Scalable;
use crate::contender::Contender;

/// The false-positive rate that filters are asked for: one in 2^13, which is that of 16-bit fingerprints in
/// two buckets of four.
pub const FALSE_POSITIVES: f64 = 1.0 / 8192.0;

/// Something to be done with a contender of any type.
pub trait Visitor {
    /// Does it.
    fn visit<C: Contender>(&mut self);
}

/// Visits the filter, then all rivals.
pub fn visit_all(visitor: &mut impl Visitor) {
    visitor.visit::<CuckooFilter>();
    visitor.visit::<AtomicCuckooFilter>();
    visitor.visit::<ReadWrite<Cuckoofilter>>();
    visitor.visit::<Exclusive<Cuckoofilter>>();
    visitor.visit::<Sharded<Cuckoofilter>>();
    visitor.visit::<Alone<Cuckoofilter>>();
    visitor.visit::<ReadWrite<Scalable>>();
    visitor.visit::<Alone<Scalable>>();
    visitor.visit::<ReadWrite<Quotient>>();
    visitor.visit::<Fastbloom>();
    visitor.visit::<SplitBlockBloom>();
    visitor.visit::<DashSet>();
    visitor.visit::<PapayaSet>();
    visitor.visit::<SccIndex>();
    visitor.visit::<SccSet>();
    visitor.visit::<ReadWrite<HashbrownSet>>();
}

/// The names of all that are visited, in order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    struct Names(Vec<&'static str>);
    impl Visitor for Names {
        fn visit<C: Contender>(&mut self) {
            self.0.push(C::NAME);
        }
    }
    let mut names = Names(Vec::new());
    visit_all(&mut names);
    names.0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::keys::Keys;

    const ITEMS: usize = 10_000;

    /// What every contender has to do, at a load that all can hold.
    struct Check(Keys);

    impl Visitor for Check {
        fn visit<C: Contender>(&mut self) {
            let keys = &self.0;
            let mut table = C::with_capacity(2 * ITEMS);
            assert!(table.slots() == 0 || table.slots() >= ITEMS, "{}", C::NAME);
            for _ in 0..2 {
                let count = |call: &dyn Fn(u64) -> bool, keys: &[u64]| {
                    keys.iter().filter(|&&key| call(key)).count()
                };
                let contains = |key| table.contains(key);
                assert_eq!(count(&|key| table.insert(key), &keys.stored), ITEMS);
                assert_eq!(count(&contains, &keys.stored), ITEMS, "{}", C::NAME);
                // The 8-bit fingerprints of one of them are wrong in one of thirty.
                let wrong = count(&contains, &keys.absent);
                assert!(wrong < ITEMS / 20, "{}: {wrong}", C::NAME);
                assert_eq!(many(&table, &keys.stored), ITEMS, "{}", C::NAME);
                assert_eq!(many(&table, &keys.absent), wrong, "{}", C::NAME);
                if C::REMOVES {
                    let (some, rest) = keys.stored.split_at(ITEMS / 2);
                    assert_eq!(count(&|key| table.remove(key), some), some.len());
                    assert_eq!(count(&contains, rest), rest.len(), "{}", C::NAME);
                    assert!(count(&contains, some) < ITEMS / 20, "{}", C::NAME);
                }
                table.clear();
                assert!(!keys.stored.iter().any(|&key| table.contains(key)));
            }
        }
    }

    fn many<C: Contender>(table: &C, keys: &[u64]) -> usize {
        let mut found = vec![false; keys.len()];
        table.contains_many(keys, &mut found);
        found.iter().filter(|&&found| found).count()
    }

    #[test]
    fn all_keep_what_their_traits_say() {
        visit_all(&mut Check(Keys::generate(ITEMS)));
    }

    #[test]
    fn names_are_distinct() {
        let names = names();
        let set: HashSet<&str> = names.iter().copied().collect();
        assert_eq!(set.len(), names.len());
    }
}
