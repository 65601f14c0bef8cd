//! Operations: sequences of calls on tables of a few buckets, compared with a multiset of classes.
//!
//! After every step the filter must equal the multiset. The tables are so small, and the search so
//! long, that an insert must succeed exactly if all tokens including its own have a placement.

#![no_main]

use std::collections::BTreeSet;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, InsertError};
use model::geometry::{Class, Geometry};
use model::oracle::Oracle;
use model::{Fingerprint, Layout};

#[derive(Arbitrary, Debug)]
struct Input {
    shape: u8,
    budget: u8,
    steps: Vec<Step>,
}

/// A token: with few buckets and few fingerprints, so that inputs collide, or any.
#[derive(Arbitrary, Clone, Copy, Debug)]
enum Item {
    OfFew { bucket: u8, fingerprint: u8 },
    OfHash(u64),
}

#[derive(Arbitrary, Debug)]
enum Step {
    Insert(Item),
    InsertUnique(Item),
    Remove(Item),
    /// Moves the item's token to its other bucket.
    Relocate(Item),
    InsertMany([Item; 4]),
    RemoveMany([Item; 4]),
    ContainsMany([Item; 4]),
    /// Inserts as many copies as there is room for.
    Pile(Item),
    /// Inserts random tokens until some are refused, to bring a table to its limits.
    Fill(u8),
    Snapshot,
    Clone,
    Store,
    Clear,
}

/// Tables of one range and of several.
const SHAPES: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Search budgets: the largest, with which a search of these tables is exhaustive, and shorter
/// ones.
const BUDGETS: [usize; 4] = [4096, 4096, 256, 2];

/// Neighbouring fingerprints, so that a wrong bit would hit another class; 0 is stored as 1.
const FINGERPRINTS: [Fingerprint; 12] = [
    0, 1, 2, 3, 4, 5, 0x100, 0x7fff, 0x8000, 0x8001, 0xfffe, 0xffff,
];

/// The copies of a class that fill both its buckets.
const MOST_COPIES: usize = 2 * Layout::DEFAULT.slots;

/// Enough to fill the largest table; more would only take longer.
const MOST_STEPS: usize = 200;

/// The refusals before a fill ends: in a nearly full table, some tokens still find a place.
const REFUSALS: usize = 4;

struct Pair {
    filter: CuckooFilter,
    oracle: Oracle,
    geometry: Geometry,
    /// Whether a refusal must mean that there is no placement.
    exhaustive: bool,
    /// Every class that was ever stored.
    classes: BTreeSet<Class>,
}

fuzz_target!(|input: Input| {
    let buckets = SHAPES[usize::from(input.shape) % SHAPES.len()];
    let budget = BUDGETS[usize::from(input.budget) % BUDGETS.len()];
    let builder = CuckooFilter::builder().buckets(buckets).seed(1);
    let filter = builder.search_budget(budget).build().expect("possible");
    let geometry = Geometry::with_buckets(Layout::DEFAULT, buckets);
    let mut pair = Pair {
        filter,
        oracle: Oracle::new(geometry),
        geometry,
        exhaustive: budget == BUDGETS[0],
        classes: BTreeSet::new(),
    };
    for step in input.steps.iter().take(MOST_STEPS) {
        pair.step(step);
        pair.check(&pair.filter);
    }
    pair.empty();
});

impl Pair {
    fn step(&mut self, step: &Step) {
        let hash = |item| self.hash(item);
        match *step {
            Step::Insert(item) => self.insert(hash(item)),
            Step::InsertUnique(item) => self.insert_unique(hash(item)),
            Step::Remove(item) => self.remove(hash(item)),
            Step::Relocate(item) => _ = self.filter.relocate_hash(hash(item)),
            Step::InsertMany(items) => self.insert_many(items.map(hash)),
            Step::RemoveMany(items) => self.remove_many(items.map(hash)),
            Step::ContainsMany(items) => self.contains_many(items.map(hash)),
            Step::Pile(item) => (0..=MOST_COPIES).for_each(|_| self.insert(self.hash(item))),
            Step::Fill(seed) => self.fill(seed),
            Step::Snapshot => {
                let copy = self.filter.snapshot().expect("no other thread is there");
                self.go_on_with(copy);
            }
            Step::Clone => {
                let copy = self.filter.snapshot().expect("memory");
                self.go_on_with(copy);
            }
            Step::Store => {
                let bytes = self.filter.to_bytes().expect("alone");
                self.go_on_with(CuckooFilter::from_bytes(&bytes).expect("as it was written"));
            }
            Step::Clear => {
                self.filter.clear();
                self.oracle.clear();
            }
        }
    }

    fn hash(&self, item: Item) -> u64 {
        match item {
            Item::OfHash(hash) => hash,
            Item::OfFew {
                bucket,
                fingerprint,
            } => {
                let bucket = usize::from(bucket) % self.geometry.buckets;
                let bits = FINGERPRINTS[usize::from(fingerprint) % FINGERPRINTS.len()];
                self.geometry.hash(bucket, bits, 0)
            }
        }
    }

    fn added(&mut self, class: Class) {
        assert!(self.oracle.count(class) < MOST_COPIES, "a ninth copy");
        self.oracle.add(class);
        self.classes.insert(class);
    }

    fn insert(&mut self, hash: u64) {
        let class = self.geometry.class(hash);
        match self.filter.insert_hash(hash) {
            Ok(()) => self.added(class),
            Err(error) => self.check_refusal(&error, class),
        }
    }

    fn fill(&mut self, seed: u8) {
        let mut random = u64::from(seed);
        let mut refused = 0;
        while refused < REFUSALS {
            // A linear congruential generator, with its better bits folded over the others.
            random = random.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            let before = self.oracle.len();
            self.insert(random ^ random >> 32);
            refused += usize::from(self.oracle.len() == before);
        }
    }

    fn insert_unique(&mut self, hash: u64) {
        let class = self.geometry.class(hash);
        let copies = self.oracle.count(class);
        match self.filter.insert_unique_hash(hash) {
            Ok(inserted) => {
                assert_eq!(inserted, copies == 0, "insert_unique with {copies} copies");
                if inserted {
                    self.added(class);
                }
            }
            Err(error) => {
                assert_eq!(copies, 0, "a copy is in, so nothing is missing");
                self.check_refusal(&error, class);
            }
        }
    }

    fn remove(&mut self, hash: u64) {
        let class = self.geometry.class(hash);
        let removed = self.filter.remove_hash(hash);
        assert_eq!(removed, self.oracle.take(class), "remove of {class:?}");
    }

    fn insert_many(&mut self, hashes: [u64; 4]) {
        let outcome = self.filter.insert_many_hash(&hashes);
        let inserted = outcome.as_ref().map_or_else(|stop| stop.inserted(), |()| 4);
        for &hash in &hashes[..inserted] {
            self.added(self.geometry.class(hash));
        }
        if let Err(stop) = outcome {
            self.check_refusal(stop.error(), self.geometry.class(hashes[inserted]));
        }
    }

    fn remove_many(&mut self, hashes: [u64; 4]) {
        let taken = hashes.map(|hash| self.oracle.take(self.geometry.class(hash)));
        let removed = self.filter.remove_many_hash(&hashes);
        assert_eq!(removed, taken.iter().filter(|&&taken| taken).count());
    }

    fn contains_many(&self, hashes: [u64; 4]) {
        let mut found = [false; 4];
        self.filter.contains_many_hash(&hashes, &mut found);
        let stored = hashes.map(|hash| self.oracle.count(self.geometry.class(hash)) > 0);
        assert_eq!(found, stored, "lookups in a batch");
    }

    fn check_refusal(&self, error: &InsertError, class: Class) {
        let copies = self.oracle.count(class);
        match *error {
            InsertError::TooManyCopies { copies: told, .. } => {
                assert_eq!((told, copies), (MOST_COPIES, MOST_COPIES));
            }
            InsertError::Full { len, slots, .. } => {
                assert!(copies < MOST_COPIES, "should be TooManyCopies");
                assert_eq!((len, slots), (self.oracle.len(), self.geometry.slots()));
                assert!(
                    self.oracle.rivals(class) >= MOST_COPIES,
                    "not both are full"
                );
                assert!(
                    !self.exhaustive || !self.oracle.has_room_for(class),
                    "refused with {len} of {slots} slots in use, although a placement exists"
                );
            }
            ref other => panic!("an unknown refusal: {other:?}"),
        }
    }

    /// Replaces the filter by a copy, and empties the original: they must share nothing.
    fn go_on_with(&mut self, copy: CuckooFilter) {
        assert_eq!(copy.slots(), self.filter.slots());
        assert_eq!(copy.capacity(), self.filter.capacity());
        let mut original = std::mem::replace(&mut self.filter, copy);
        self.check(&original);
        original.clear();
        assert!(original.is_empty());
    }

    fn check(&self, filter: &CuckooFilter) {
        let len = self.oracle.len();
        assert_eq!((filter.len(), filter.is_empty()), (len, len == 0));
        for &class in &self.classes {
            let copies = self.oracle.count(class);
            for hash in self.geometry.both_orders(class) {
                assert_eq!(filter.count_hash(hash), copies, "count of {class:?}");
                assert_eq!(filter.contains_hash(hash), copies > 0, "{class:?}");
            }
        }
    }

    /// Removes every token through its item: none may be missing, and none may be left.
    fn empty(&mut self) {
        for class in std::mem::take(&mut self.classes) {
            let [hash, other] = self.geometry.both_orders(class);
            while self.oracle.take(class) {
                assert!(self.filter.remove_hash(hash), "a copy of {class:?} is lost");
            }
            assert!(!self.filter.remove_hash(other), "a copy too many");
        }
        assert!(self.filter.is_empty());
    }
}
