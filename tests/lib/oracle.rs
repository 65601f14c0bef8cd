//! The oracle: filters of every engine and layout, compared with a multiset after each step of a
//! sequence of calls.
//!
//! A class is an unordered pair of buckets and a fingerprint, computed here from the documented
//! geometry.
//!
//! 1. `contains` is true exactly for the classes with a stored copy, `count` is their number of
//!    copies, `remove` succeeds exactly if there was a copy, and `insert_unique` exactly if there
//!    was none. In a rotating filter the copies of all its generations count, and the oldest is
//!    removed first. A growing filter may find an absent item, but is exact about each stored one.
//! 2. `len`, `is_empty`, `is_full` and `load_factor` are those of the multiset, and only an empty
//!    filter has no false positives.
//! 3. A refused insert changes nothing. `TooManyCopies` is returned exactly if the copies fill two
//!    buckets. `Full` has the right numbers, and is returned only if at least as many tokens
//!    compete for the two buckets.
//! 4. In a tiny table, with the largest search budget, an insert succeeds exactly if the multiset
//!    with the new token has a placement (maximum bipartite matching).
//! 5. A snapshot and a filter that is read behave as the original would, and share nothing with it.
//!    A cleared filter behaves as a new one.
//! 6. Batches answer as the single calls, and two hashes of one class, one for each order of its
//!    buckets, are interchangeable.
//! 7. At the end each token is removed through its item, and none is left.
//!
//! `tests/suite/oracle.rs` has random steps, and `verification/fuzz` those that a fuzzer finds.

use std::collections::BTreeMap;

use lockfree_cuckoo::InsertError;
use lockfree_cuckoo::testing::Internals;
use model::geometry::{Class, Geometry};
use model::mix;
use model::oracle::Oracle;

use crate::{Subject, geometry_of, read};

/// The largest search budget, with which a search of a tiny table should be exhaustive.
pub const FULL_BUDGET: usize = 4096;

/// One step. A filter without that operation ignores it. Numbers select items, modulo their number.
#[derive(Clone, Debug)]
pub enum Step {
    /// Calls for consecutive items: the first, and how many.
    Calls(Call, usize, usize),
    /// Inserts of items chosen by a seed, as many as bring a table to its limits.
    Fill(usize, u64),
    /// The same with removes.
    Drain(usize, u64),
    /// Inserts of one item, one more than two buckets hold.
    Pile(usize),
    /// A rotation.
    Rotate,
    /// A conditional rotation, with the number of rotations that was read this many rotations ago.
    RotateIf(u64),
    /// The begin of a doubling.
    Double,
    /// A relocation of an item.
    Relocate(usize),
    /// A snapshot, which replaces the filter.
    Snapshot,
    /// The same through its stored form.
    Store,
    /// `shrink_to_fit`
    Shrink,
    /// `clear`
    Clear,
}

/// A call for several items: one for each, or one for all.
#[derive(Clone, Copy, Debug)]
pub enum Call {
    /// `insert_hash`
    Insert,
    /// `insert_unique_hash`
    InsertUnique,
    /// `remove_hash`
    Remove,
    /// `insert_many_hash`
    InsertMany,
    /// `insert_unique_many_hash`
    InsertUniqueMany,
    /// `remove_many_hash`
    RemoveMany,
}

/// A filter with its multiset.
pub struct Pair<'a> {
    filter: Subject,
    /// The geometry of one table. A growing filter does not use it.
    geometry: Geometry,
    /// Whether a refusal must mean that there is no placement.
    exhaustive: bool,
    /// The hashes of the items.
    items: &'a [u64],
    grows: bool,
    rotations: u64,
    /// The generation of each token of a class, the oldest first.
    tokens: BTreeMap<Class, Vec<u64>>,
}

impl<'a> Pair<'a> {
    /// Makes a pair of an empty filter that does not grow, with this search budget, and the items
    /// of its steps.
    pub fn new(filter: Subject, budget: usize, items: &'a [u64]) -> Self {
        let geometry = geometry_of(&filter);
        let is_fixed = filter.rotating().is_none();
        Self {
            filter,
            geometry,
            exhaustive: is_fixed && budget == FULL_BUDGET && geometry.buckets <= 24,
            items,
            grows: false,
            rotations: 0,
            tokens: BTreeMap::new(),
        }
    }

    /// Makes a pair of an empty filter that grows. Its items must be distinct.
    pub fn growing(filter: Subject, items: &'a [u64]) -> Self {
        let mut pair = Self::new(filter, 0, items);
        pair.grows = true;
        pair
    }

    /// Whether a refusal must mean that there is no placement.
    pub fn is_exhaustive(&self) -> bool {
        self.exhaustive
    }

    /// Makes the steps, and checks the filter after each. Then empties it.
    pub fn run(mut self, steps: &[Step]) {
        self.check();
        for step in steps {
            self.step(step);
            self.check();
        }
        self.empty();
    }

    /// Returns the class of a hash. In a growing filter all items are distinct, and each hash is a
    /// class.
    fn class(&self, hash: u64) -> Class {
        if self.grows {
            return Class::new(hash as usize, usize::MAX, 0);
        }
        self.geometry.class(hash)
    }

    fn copies(&self, hash: u64) -> usize {
        let tokens = self.tokens.get(&self.class(hash));
        tokens.map_or(0, Vec::len)
    }

    fn len(&self) -> usize {
        self.tokens.values().map(Vec::len).sum()
    }

    fn note(&mut self, hash: u64) {
        let class = self.class(hash);
        self.tokens.entry(class).or_default().push(self.rotations);
    }

    /// Removes the oldest token of a class; false if there is none.
    fn take(&mut self, hash: u64) -> bool {
        let class = self.class(hash);
        match self.tokens.get_mut(&class) {
            Some(tokens) if !tokens.is_empty() => {
                tokens.remove(0);
                true
            }
            _ => false,
        }
    }

    fn item(&self, number: usize) -> u64 {
        self.items[number % self.items.len()]
    }

    fn step(&mut self, step: &Step) {
        match *step {
            Step::Calls(call, first, number) => {
                let number = 1 + number % self.items.len();
                let hashes: Vec<u64> = (first..first + number).map(|n| self.item(n)).collect();
                self.call(call, &hashes);
            }
            Step::Fill(times, seed) => {
                for at in 0..times as u64 {
                    self.insert(self.item(mix(seed ^ at) as usize));
                }
            }
            Step::Drain(times, seed) => {
                for at in 0..times as u64 {
                    self.remove(self.item(mix(seed ^ at) as usize));
                }
            }
            Step::Pile(item) => {
                let most = 2 * self.geometry.layout.slots;
                (0..=most).for_each(|_| self.insert(self.item(item)));
            }
            Step::Rotate => self.rotate_if(0),
            Step::RotateIf(ago) => self.rotate_if(ago),
            Step::Double => _ = self.filter.begin_to_double(),
            Step::Relocate(item) => _ = self.filter.relocate_hash(self.item(item)),
            Step::Snapshot => self.go_on_with(self.filter.snapshot().expect("no thread writes")),
            Step::Store => {
                self.go_on_with(read(&self.filter.to_bytes().expect("no thread writes")))
            }
            Step::Shrink => self.filter.shrink_to_fit(),
            Step::Clear => {
                self.filter.clear();
                self.tokens.clear();
            }
        }
    }

    fn call(&mut self, call: Call, hashes: &[u64]) {
        match call {
            Call::Insert => hashes.iter().for_each(|&hash| self.insert(hash)),
            Call::InsertUnique => hashes.iter().for_each(|&hash| self.insert_unique(hash)),
            Call::Remove => hashes.iter().for_each(|&hash| self.remove(hash)),
            Call::InsertMany => {
                let inserted = match self.filter.insert_many_hash(hashes) {
                    Ok(()) => hashes.len(),
                    Err(stopped) => stopped.inserted(),
                };
                hashes[..inserted].iter().for_each(|&hash| self.note(hash));
            }
            Call::InsertUniqueMany => {
                let mut added = vec![false; hashes.len()];
                let stopped = self.filter.insert_unique_many_hash(hashes, &mut added);
                let tried = stopped.map_or_else(|stopped| stopped.inserted(), |()| hashes.len());
                for (&hash, added) in hashes[..tried].iter().zip(added) {
                    let is_new = self.copies(hash) == 0;
                    assert!(added == is_new || self.grows && !added, "added");
                    if added {
                        self.note(hash);
                    }
                }
            }
            Call::RemoveMany if self.grows => {
                let mut hashes = hashes.to_vec();
                hashes.retain(|&hash| self.take(hash));
                assert_eq!(self.filter.remove_many_hash(&hashes), hashes.len());
            }
            Call::RemoveMany => {
                let taken = hashes.iter().filter(|&&hash| self.take(hash)).count();
                assert_eq!(self.filter.remove_many_hash(hashes), taken, "removed");
            }
        }
    }

    fn insert(&mut self, hash: u64) {
        match self.filter.insert_hash(hash) {
            Ok(()) => self.note(hash),
            Err(error) => self.refused(hash, &error),
        }
    }

    fn insert_unique(&mut self, hash: u64) {
        let is_in = if self.grows {
            self.filter.contains_hash(hash)
        } else {
            self.copies(hash) > 0
        };
        match self.filter.insert_unique_hash(hash) {
            Ok(added) => {
                assert_eq!(added, !is_in, "insert_unique");
                if added {
                    self.note(hash);
                }
            }
            Err(error) => {
                assert!(!is_in, "a copy is in, so nothing is missing");
                self.refused(hash, &error);
            }
        }
    }

    /// Removes a copy. A growing filter may find an absent item, so it removes only stored ones.
    fn remove(&mut self, hash: u64) {
        let was_in = self.take(hash);
        if was_in || !self.grows {
            assert_eq!(self.filter.remove_hash(hash), was_in, "removed");
        }
    }

    fn rotate_if(&mut self, ago: u64) {
        let Some(filter) = self.filter.rotating() else {
            return;
        };
        let rotated = filter.rotate_if(self.rotations.wrapping_sub(ago));
        assert_eq!(rotated, Ok(ago == 0));
        if ago == 0 {
            self.rotations += 1;
            let oldest = (self.rotations + 1).saturating_sub(filter.generations() as u64);
            for tokens in self.tokens.values_mut() {
                tokens.retain(|&of| of >= oldest);
            }
        }
    }

    /// Returns the tokens of the table that takes the inserts.
    fn young(&self) -> Oracle {
        let mut young = Oracle::new(self.geometry);
        for (&class, tokens) in &self.tokens {
            let of_young = tokens.iter().filter(|&&of| of == self.rotations);
            of_young.for_each(|_| young.add(class));
        }
        young
    }

    fn refused(&self, hash: u64, error: &InsertError) {
        let most = 2 * self.geometry.layout.slots;
        if self.grows {
            return match error {
                InsertError::TooManyCopies { .. } => {
                    assert!(self.filter.count_hash(hash) >= most, "{error}");
                }
                // Items with few heads have few alternates, and copies of few items fill theirs.
                InsertError::Full { len, slots, .. } => assert!(8 * len < *slots, "{error}"),
                error => panic!("{error}"),
            };
        }
        let (young, class) = (self.young(), self.class(hash));
        match *error {
            InsertError::TooManyCopies { copies, .. } => {
                assert_eq!((copies, young.count(class)), (most, most));
            }
            InsertError::Full { len, slots, .. } => {
                assert!(young.count(class) < most, "should be TooManyCopies");
                assert_eq!((len, slots), (young.len(), self.geometry.slots()));
                let rivals = young.rivals(class);
                assert!(rivals >= most, "{rivals} tokens cannot fill both");
                assert!(
                    !self.exhaustive || !young.has_room_for(class),
                    "refused with {len} of {slots} slots in use, although a placement exists"
                );
            }
            ref other => panic!("an unknown refusal: {other:?}"),
        }
    }

    /// Replaces the filter by a copy, and empties the original: they share nothing.
    fn go_on_with(&mut self, copy: Subject) {
        let mut original = std::mem::replace(&mut self.filter, copy);
        let shape = |filter: &Subject| (filter.shape(), filter.tables());
        assert_eq!(shape(&original), shape(&self.filter));
        assert_eq!(original.slots(), self.filter.slots());
        assert_eq!(original.capacity(), self.filter.capacity());
        assert!(original.to_bytes().expect("quiet") == self.filter.to_bytes().expect("quiet"));
        original.clear();
        assert!(original.is_empty());
    }

    fn check(&self) {
        let (len, capacity) = (self.len(), self.filter.capacity());
        assert_eq!((self.filter.len(), self.filter.is_empty()), (len, len == 0));
        let rate = self.filter.false_positive_rate();
        assert_eq!(rate == 0.0, len == 0, "an empty filter is never wrong");
        if self.grows {
            let mut stored = self.tokens.iter().filter(|(_, tokens)| !tokens.is_empty());
            let is_in = |hash| self.filter.contains_hash(hash) && self.filter.count_hash(hash) > 0;
            assert!(stored.all(|(class, _)| is_in(class.low as u64)), "missed");
            return;
        }
        let load = len as f64 / self.filter.slots() as f64;
        assert_eq!(self.filter.load_factor(), load);
        let is_full = self.young().len() >= capacity;
        assert_eq!(self.filter.is_full(), is_full);
        if let Some(filter) = self.filter.rotating() {
            assert_eq!(filter.rotations(), self.rotations);
        }
        let mut found = vec![false; self.items.len()];
        self.filter.contains_many_hash(self.items, &mut found);
        for (&hash, found) in self.items.iter().zip(found) {
            let (class, copies) = (self.class(hash), self.copies(hash));
            assert_eq!(found, copies > 0, "contains_many of {class:?}");
            for hash in self.geometry.both_orders(class) {
                assert_eq!(self.filter.count_hash(hash), copies, "count of {class:?}");
                assert_eq!(self.filter.contains_hash(hash), copies > 0, "{class:?}");
            }
        }
    }

    /// Removes every token through its item: none may be missing, and none may be left.
    fn empty(mut self) {
        for &hash in self.items {
            while self.copies(hash) > 0 {
                self.remove(hash);
            }
            self.remove(hash);
        }
        assert_eq!((self.len(), self.filter.len()), (0, 0));
        let left = self
            .items
            .iter()
            .filter(|&&hash| self.filter.contains_hash(hash));
        assert_eq!(left.count(), 0, "a token is left");
    }
}
