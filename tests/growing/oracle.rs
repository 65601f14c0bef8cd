//! Random sequences of calls, beside an exact multiset of the items.
//!
//! The filter may say yes to an item that is not in, and must be right about each one that is.

use std::collections::BTreeMap;

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::{Double, Relocate};
use model::mix;
use proptest::prelude::*;

use crate::{ALL, Growing, filter, narrow};

/// Items of two tables that begin with the same bits, as many as the newest token of the first table has. Were the tokens
/// of the second one shorter, a remove of an item of the first would take that of another.
#[test]
fn a_remove_takes_no_token_of_a_coarser_table_before_a_finer_one() {
    /// Index bits that the newest tokens of the first table know.
    const KNOWN: u32 = 20;
    let filter = filter(8);
    let mut coarse = Vec::new();
    for number in 1.. {
        let hash = mix(number);
        filter.insert_hash(hash).expect("memory");
        if filter.tables() == 2 {
            assert!(filter.remove_hash(hash), "a stored item was not removed");
            break;
        }
        coarse.push(hash);
    }
    // The first bit says which side it is. The second one is the top bit of the hash.
    let near = |hash: u64, bit: u32| hash ^ 1 << (65 - bit);
    let fine: Vec<_> = coarse
        .iter()
        .rev()
        .take(2_000)
        .enumerate()
        .map(|(number, &hash)| near(hash, KNOWN - number as u32 % 4))
        .collect();
    for &hash in &fine {
        filter.insert_hash(hash).expect("memory");
    }
    for &hash in &coarse {
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
    for &hash in &fine {
        assert!(filter.contains_hash(hash), "a stored item was missed");
        assert!(filter.remove_hash(hash), "a stored item was not removed");
    }
    assert!(filter.is_empty());
}

#[derive(Clone, Debug)]
enum Step {
    /// As many items from this one on.
    Insert(u64, u64),
    Remove(u64, u64),
    InsertUnique(u64, u64),
    Batch(u64, u64),
    RemoveBatch(u64, u64),
    Double,
    Relocate(u64),
    /// Goes on with a copy.
    Clone,
    Snapshot,
    Store,
    Shrink,
    Clear,
}

const ITEMS: u64 = 3_000;

struct Pair {
    filter: Growing,
    stored: BTreeMap<u64, usize>,
    bits: u32,
}

impl Pair {
    fn hash(&self, item: u64) -> u64 {
        narrow(item, self.bits)
    }

    fn copies(&self, item: u64) -> usize {
        self.stored.get(&item).copied().unwrap_or(0)
    }

    fn refused(&self, item: u64, error: &InsertError) {
        match error {
            InsertError::TooManyCopies { .. } => {
                assert!(self.filter.count_hash(self.hash(item)) >= 8, "{error}");
            }
            // Of few heads, items have few other buckets; and copies of few items fill theirs.
            InsertError::Full { len, slots, .. } => assert!(8 * len < *slots, "{error}"),
            error => panic!("{error}"),
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Insert(first, number) => {
                for item in first..first + number {
                    match self.filter.insert_hash(self.hash(item)) {
                        Ok(()) => *self.stored.entry(item).or_default() += 1,
                        Err(error) => self.refused(item, &error),
                    }
                }
            }
            Step::InsertUnique(first, number) => {
                for item in first..first + number {
                    let present = self.filter.contains_hash(self.hash(item));
                    let added = self.filter.insert_unique_hash(self.hash(item));
                    match added {
                        Ok(added) => {
                            assert_eq!(added, !present);
                            *self.stored.entry(item).or_default() += usize::from(added);
                        }
                        Err(error) => self.refused(item, &error),
                    }
                }
            }
            Step::Remove(first, number) => {
                for item in first..first + number {
                    if self.copies(item) > 0 {
                        assert!(self.filter.remove_hash(self.hash(item)), "not removed");
                        *self.stored.entry(item).or_default() -= 1;
                    }
                }
            }
            Step::Batch(first, number) => {
                let hashes = (first..first + number).map(|item| self.hash(item));
                let hashes: Vec<u64> = hashes.collect();
                let inserted = match self.filter.insert_many_hash(&hashes) {
                    Ok(()) => number,
                    Err(stopped) => {
                        let inserted = stopped.inserted() as u64;
                        self.refused(first + inserted, stopped.error());
                        inserted
                    }
                };
                for item in first..first + inserted {
                    *self.stored.entry(item).or_default() += 1;
                }
            }
            Step::RemoveBatch(first, number) => {
                let items = (first..first + number).filter(|&item| self.copies(item) > 0);
                let items: Vec<u64> = items.collect();
                let hashes: Vec<u64> = items.iter().map(|&item| self.hash(item)).collect();
                assert_eq!(self.filter.remove_many_hash(&hashes), items.len());
                for item in items {
                    *self.stored.entry(item).or_default() -= 1;
                }
            }
            Step::Double => {
                self.filter.begin_to_double();
            }
            Step::Relocate(item) => {
                self.filter.relocate_hash(self.hash(item));
            }
            Step::Clone => self.filter = self.filter.try_clone().expect("memory"),
            Step::Snapshot => self.filter = self.filter.snapshot().expect("nobody disturbs"),
            Step::Store => {
                let bytes = self.filter.to_bytes();
                let hasher = *self.filter.hasher();
                self.filter = Growing::from_bytes_with_hasher(&bytes, hasher).expect("sound");
            }
            Step::Shrink => self.filter.shrink_to_fit(),
            Step::Clear => {
                self.filter.clear();
                self.stored.clear();
            }
        }
    }

    fn check(&self) {
        let present = self.stored.iter().filter(|&(_, &copies)| copies > 0);
        let mut len = 0;
        for (&item, &copies) in present {
            len += copies;
            assert!(
                self.filter.contains_hash(self.hash(item)),
                "a stored item is missed"
            );
            assert!(self.filter.count_hash(self.hash(item)) >= copies.min(1));
        }
        assert_eq!(self.filter.len(), len);
    }

    fn empty(mut self) {
        for (item, copies) in std::mem::take(&mut self.stored) {
            for _ in 0..copies {
                assert!(
                    self.filter.remove_hash(self.hash(item)),
                    "a stored item was not removed"
                );
            }
        }
        assert!(self.filter.is_empty());
        for item in 0..ITEMS {
            assert!(
                !self.filter.contains_hash(self.hash(item)),
                "a token is left"
            );
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let some = || (0..ITEMS, 0..ITEMS / 4);
    prop_oneof![
        4 => some().prop_map(|(first, number)| Step::Insert(first, number)),
        3 => some().prop_map(|(first, number)| Step::Remove(first, number)),
        2 => some().prop_map(|(first, number)| Step::InsertUnique(first, number)),
        1 => some().prop_map(|(first, number)| Step::Batch(first, number)),
        1 => some().prop_map(|(first, number)| Step::RemoveBatch(first, number)),
        2 => Just(Step::Double),
        2 => (0..ITEMS).prop_map(Step::Relocate),
        1 => Just(Step::Clone),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Store),
        1 => Just(Step::Shrink),
        1 => prop::bool::weighted(0.2).prop_map(|clear| if clear { Step::Clear } else { Step::Double }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_item_that_is_in_is_found_and_removed(
        capacity in prop_oneof![Just(1usize), Just(20), Just(200)],
        bits in prop_oneof![Just(14u32), Just(18), Just(ALL)],
        steps in prop::collection::vec(step(), 1..40),
    ) {
        let mut pair = Pair { filter: filter(capacity), stored: BTreeMap::new(), bits };
        for step in &steps {
            pair.step(step);
            pair.check();
        }
        pair.empty();
    }
}
