//! Random sequences of calls, beside an exact list of the tokens of each class, with their ages.

use std::collections::BTreeMap;

use lockfree_cuckoo::{InsertError, RotatingCuckooFilter};
use model::geometry::{Class, Geometry};
use model::hashers::AsGiven;
use model::mix;
use proptest::prelude::*;

use crate::{as_given, geometry};

#[derive(Clone, Debug)]
enum Step {
    /// As many items from this one on.
    Insert(u64, u64),
    InsertUnique(u64, u64),
    Remove(u64, u64),
    InsertMany(u64, u64),
    InsertUniqueMany(u64, u64),
    RemoveMany(u64, u64),
    Rotate,
    /// For a number of rotations that was read so many rotations ago.
    RotateIf(u64),
    /// Goes on with a copy.
    Clone,
    Snapshot,
    Store,
    Clear,
}

const ITEMS: u64 = 300;

struct Pair {
    filter: RotatingCuckooFilter<AsGiven>,
    geometry: Geometry,
    rotations: u64,
    /// The generations of the tokens of a class, the oldest first.
    tokens: BTreeMap<Class, Vec<u64>>,
    /// Of the fingerprint. With few of them, items share classes.
    mask: u64,
}

impl Pair {
    fn new(capacity: usize, generations: usize, bits: u32) -> Self {
        let filter = as_given(capacity, generations);
        let geometry = geometry(&filter);
        Self {
            filter,
            geometry,
            rotations: 0,
            tokens: BTreeMap::new(),
            mask: !0xffff | ((1 << bits) - 1),
        }
    }

    fn hash(&self, item: u64) -> u64 {
        mix(item) & self.mask
    }

    fn hashes(&self, first: u64, number: u64) -> Vec<u64> {
        (first..first + number)
            .map(|item| self.hash(item))
            .collect()
    }

    fn tokens_of(&self, hash: u64) -> usize {
        let tokens = self.tokens.get(&self.geometry.class(hash));
        tokens.map_or(0, Vec::len)
    }

    fn note(&mut self, hash: u64) {
        let class = self.geometry.class(hash);
        self.tokens.entry(class).or_default().push(self.rotations);
    }

    /// Forgets the oldest token of a class. False: there is none.
    fn take(&mut self, hash: u64) -> bool {
        let Some(tokens) = self.tokens.get_mut(&self.geometry.class(hash)) else {
            return false;
        };
        let some = !tokens.is_empty();
        if some {
            tokens.remove(0);
        }
        some
    }

    fn young(&self) -> usize {
        let of_young =
            |tokens: &Vec<u64>| tokens.iter().filter(|&&of| of == self.rotations).count();
        self.tokens.values().map(of_young).sum()
    }

    fn refused(&self, hash: u64, error: &InsertError) {
        match error {
            InsertError::Full { len, slots } => {
                assert_eq!(*len, self.young(), "of the young generation");
                assert_eq!(*slots, self.geometry.slots());
            }
            InsertError::TooManyCopies { copies } => {
                assert!(*copies == 8 && self.tokens_of(hash) >= 8);
            }
            error => panic!("{error}"),
        }
    }

    fn rotated(&mut self) {
        self.rotations += 1;
        let oldest = (self.rotations + 1).saturating_sub(self.filter.generations() as u64);
        for tokens in self.tokens.values_mut() {
            tokens.retain(|&of| of >= oldest);
        }
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Insert(first, number) => {
                for hash in self.hashes(first, number) {
                    match self.filter.insert_hash(hash) {
                        Ok(()) => self.note(hash),
                        Err(error) => self.refused(hash, &error),
                    }
                }
            }
            Step::InsertUnique(first, number) => {
                for hash in self.hashes(first, number) {
                    match self.filter.insert_unique_hash(hash) {
                        Ok(added) => {
                            assert_eq!(added, self.tokens_of(hash) == 0, "added");
                            if added {
                                self.note(hash);
                            }
                        }
                        Err(error) => self.refused(hash, &error),
                    }
                }
            }
            Step::Remove(first, number) => {
                for hash in self.hashes(first, number) {
                    let removed = self.filter.remove_hash(hash);
                    assert_eq!(removed, self.take(hash), "removed");
                }
            }
            Step::InsertMany(first, number) => {
                let hashes = self.hashes(first, number);
                let inserted = match self.filter.insert_many_hash(&hashes) {
                    Ok(()) => hashes.len(),
                    Err(stopped) => stopped.inserted(),
                };
                hashes[..inserted].iter().for_each(|&hash| self.note(hash));
            }
            Step::InsertUniqueMany(first, number) => {
                let hashes = self.hashes(first, number);
                let mut added = vec![false; hashes.len()];
                let stopped = self.filter.insert_unique_many_hash(&hashes, &mut added);
                let tried = stopped.map_or_else(|stopped| stopped.inserted(), |()| hashes.len());
                for (&hash, added) in hashes[..tried].iter().zip(added) {
                    assert_eq!(added, self.tokens_of(hash) == 0, "added");
                    if added {
                        self.note(hash);
                    }
                }
            }
            Step::RemoveMany(first, number) => {
                let hashes = self.hashes(first, number);
                let taken = hashes.iter().filter(|&&hash| self.take(hash)).count();
                assert_eq!(self.filter.remove_many_hash(&hashes), taken, "removed");
            }
            Step::Rotate => {
                self.filter.rotate().expect("alone");
                self.rotated();
            }
            Step::RotateIf(ago) => {
                let rotations = self.rotations.wrapping_sub(ago);
                let rotated = self.filter.rotate_if(rotations).expect("alone");
                assert_eq!(rotated, ago == 0);
                if rotated {
                    self.rotated();
                }
            }
            Step::Clone => self.filter = self.filter.try_clone().expect("memory"),
            Step::Snapshot => self.filter = self.filter.snapshot().expect("memory"),
            Step::Store => {
                let bytes = self.filter.to_bytes();
                let again = RotatingCuckooFilter::from_bytes_with_hasher(&bytes, AsGiven);
                self.filter = again.expect("a whole filter");
            }
            Step::Clear => {
                self.filter.clear();
                self.tokens.clear();
            }
        }
    }

    fn check(&self) {
        assert_eq!(self.filter.rotations(), self.rotations);
        let len: usize = self.tokens.values().map(Vec::len).sum();
        assert_eq!(self.filter.len(), len, "len");
        let capacity = self.filter.capacity();
        let remaining = capacity.saturating_sub(self.young());
        assert_eq!(self.filter.remaining(), remaining, "remaining");
        let hashes = self.hashes(0, 2 * ITEMS);
        let mut found = vec![false; hashes.len()];
        self.filter.contains_many_hash(&hashes, &mut found);
        for (&hash, found) in hashes.iter().zip(found) {
            let tokens = self.tokens_of(hash);
            assert_eq!(self.filter.count_hash(hash), tokens, "count");
            assert_eq!(self.filter.contains_hash(hash), tokens > 0, "contains");
            assert_eq!(found, tokens > 0, "contains_many");
        }
    }
}

fn step() -> impl Strategy<Value = Step> {
    let items = || {
        let number = prop_oneof![3 => 1..4u64, 2 => 1..60u64, 1 => 1..400u64];
        (0..ITEMS, number)
    };
    prop_oneof![
        5 => items().prop_map(|(first, number)| Step::Insert(first, number)),
        5 => items().prop_map(|(first, number)| Step::InsertUnique(first, number)),
        5 => items().prop_map(|(first, number)| Step::Remove(first, number)),
        2 => items().prop_map(|(first, number)| Step::InsertMany(first, number)),
        2 => items().prop_map(|(first, number)| Step::InsertUniqueMany(first, number)),
        2 => items().prop_map(|(first, number)| Step::RemoveMany(first, number)),
        6 => Just(Step::Rotate),
        3 => (0..3u64).prop_map(Step::RotateIf),
        1 => Just(Step::Clone),
        1 => Just(Step::Snapshot),
        1 => Just(Step::Store),
        1 => Just(Step::Clear),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_answer_is_that_of_the_oracle(
        capacity in prop_oneof![Just(8usize), 8..300usize],
        generations in 2..6usize,
        // From two fingerprints to all.
        bits in prop_oneof![1..4u32, 4..17u32],
        steps in proptest::collection::vec(step(), 1..50),
    ) {
        let mut pair = Pair::new(capacity, generations, bits);
        for step in &steps {
            pair.step(step);
            pair.check();
        }
    }
}
