//! Random sequences of calls, beside an exact multiset of the items.
//!
//! The filter may say yes to an item that is not in, and must be right about each one that is.

use std::collections::BTreeMap;

use lockfree_cuckoo::InsertError;
use model::hashers::Narrow;
use proptest::prelude::*;

use crate::shrink;

use super::Chain;

#[derive(Clone, Debug)]
enum Step {
    /// As many items from this one on.
    Insert(u64, u64),
    Remove(u64, u64),
    InsertUnique(u64),
    Batch(u64, u64),
    RemoveBatch(u64, u64),
    Shrink,
    /// Goes on with a clone.
    Clone,
    Clear,
}

const ITEMS: u64 = 600;

struct Pair {
    filter: Chain<Narrow>,
    stored: BTreeMap<u64, usize>,
}

impl Pair {
    fn new(capacity: usize, factor: usize, bits: u32) -> Self {
        let mask = !0xffff | ((1 << bits) - 1);
        let builder = Chain::builder().capacity(capacity).growth_factor(factor);
        Self {
            filter: builder.hasher(Narrow { mask }).build().expect("memory"),
            stored: BTreeMap::new(),
        }
    }

    fn copies(&self, item: u64) -> usize {
        self.stored.get(&item).copied().unwrap_or(0)
    }

    fn note(&mut self, item: u64) {
        *self.stored.entry(item).or_default() += 1;
    }

    /// Forgets a copy. False: there is none.
    fn forget(&mut self, item: u64) -> bool {
        let Some(copies) = self.stored.get_mut(&item) else {
            return false;
        };
        *copies -= 1;
        if *copies == 0 {
            self.stored.remove(&item);
        }
        true
    }

    fn refused(&self, item: u64, error: &InsertError) {
        let copies = matches!(error, InsertError::TooManyCopies { .. });
        assert!(copies && self.filter.count(&item) >= 8, "{error}");
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Insert(first, number) => {
                for item in first..first + number {
                    match self.filter.insert(&item) {
                        Ok(()) => self.note(item),
                        Err(error) => self.refused(item, &error),
                    }
                }
            }
            Step::Remove(first, number) => {
                // What is not in may not be removed.
                for item in first..first + number {
                    if self.forget(item) {
                        assert!(self.filter.remove(&item), "a stored item was not removed");
                    }
                }
            }
            Step::InsertUnique(item) => match self.filter.insert_unique(&item) {
                Ok(true) => {
                    assert_eq!(self.copies(item), 0, "a stored item was added again");
                    self.note(item);
                }
                Ok(false) => assert!(self.filter.contains(&item)),
                Err(error) => panic!("{error}"),
            },
            Step::Batch(first, number) => {
                let items: Vec<u64> = (first..first + number).collect();
                let inserted = match self.filter.insert_many(&items) {
                    Ok(()) => items.len(),
                    Err(stopped) => {
                        self.refused(items[stopped.inserted()], stopped.error());
                        stopped.inserted()
                    }
                };
                items[..inserted].iter().for_each(|&item| self.note(item));
            }
            Step::RemoveBatch(first, number) => {
                let stored: Vec<u64> = (first..first + number)
                    .filter(|&item| self.forget(item))
                    .collect();
                assert_eq!(self.filter.remove_many(&stored), stored.len(), "removed");
            }
            Step::Shrink => self.filter.shrink_to_fit(),
            Step::Clone => self.filter = self.filter.try_clone().expect("memory"),
            Step::Clear => {
                self.filter.clear();
                self.stored.clear();
            }
        }
    }

    fn check(&self) {
        assert_eq!(
            self.filter.len(),
            self.stored.values().sum::<usize>(),
            "len"
        );
        for (item, &copies) in &self.stored {
            assert!(self.filter.contains(item), "a stored item is missed");
            assert!(self.filter.count(item) >= copies, "too few copies");
        }
    }

    fn run(mut self, steps: &[Step]) {
        let start = self.filter.slots();
        for step in steps {
            self.step(step);
            self.check();
        }
        for item in 0..2 * ITEMS {
            while self.forget(item) {
                assert!(self.filter.remove(&item), "a stored item is lost");
            }
        }
        for item in 0..2 * ITEMS {
            assert_eq!(self.filter.count(&item), 0, "a token is left");
        }
        self.check();
        shrink(&self.filter, 1);
        assert_eq!(self.filter.slots(), start);
    }
}

fn step() -> impl Strategy<Value = Step> {
    let item = || 0..ITEMS;
    let number = || prop_oneof![3 => 1..4u64, 2 => 1..60u64, 1 => 1..400u64];
    prop_oneof![
        6 => (item(), number()).prop_map(|(first, number)| Step::Insert(first, number)),
        6 => (item(), number()).prop_map(|(first, number)| Step::Remove(first, number)),
        6 => item().prop_map(Step::InsertUnique),
        2 => (item(), number()).prop_map(|(first, number)| Step::Batch(first, number)),
        2 => (item(), number()).prop_map(|(first, number)| Step::RemoveBatch(first, number)),
        // To the last item, so that the filter is empty now and then.
        2 => Just(Step::RemoveBatch(0, 2 * ITEMS)),
        3 => Just(Step::Shrink),
        1 => Just(Step::Clone),
        1 => Just(Step::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn agrees_with_the_oracle_about_all_that_is_in(
        capacity in prop_oneof![Just(8usize), 8..200usize],
        factor in prop_oneof![Just(2usize), Just(4), Just(16)],
        // From two fingerprints, of which a segment is full of copies soon, to all.
        bits in prop_oneof![1..4u32, 4..17u32],
        steps in proptest::collection::vec(step(), 1..60),
    ) {
        Pair::new(capacity, factor, bits).run(&steps);
    }
}
