//! Programs: what the threads of one exploration do, and where.

use model::geometry::Geometry;
use model::{Fingerprint, Layout, Value};

use crate::call::{self, Kind};
use crate::fixed::memory::Memory;
use crate::notation;

/// Classes a program has at most.
pub(super) const CLASSES: usize = 8;

/// Tokens that differ in class or value a program has at most.
pub(super) const TOKENS: usize = 15;

/// An item, as its operations see it: the bucket that they read first, the other one, and what is stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    /// The candidate that is read first.
    pub first: u8,
    /// The other.
    pub second: u8,
    /// What is stored of it.
    pub f: Fingerprint,
}

/// The machine of a table of one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fixed;

/// What the threads do, and on what.
pub(super) type Program = notation::Program<Fixed>;

/// One call. The item means nothing to a snapshot.
pub(super) type Call = call::Call<Item>;

/// The shape of a table and the bounds of its operations, all of them small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a bucket is.
    pub layout: Layout,
    /// 2 or 4.
    pub buckets: usize,
    /// Size of the pool.
    pub descriptors: usize,
    /// Attempts of one insert, and of one snapshot.
    pub attempts: u8,
    /// Buckets that one search examines.
    pub budget: u16,
    /// Slots of the log of hints.
    pub notes: usize,
    /// Whether each of the fields of a descriptor is a step of its own.
    pub torn: bool,
}

impl Shape {
    /// The shape unless the text says otherwise.
    pub const fn of(buckets: usize) -> Self {
        Self {
            layout: Layout::DEFAULT,
            buckets,
            descriptors: 2,
            attempts: 2,
            budget: 8,
            notes: 1,
            torn: false,
        }
    }

    /// That of the table.
    pub const fn geometry(&self) -> Geometry {
        Geometry::with_buckets(self.layout, self.buckets)
    }

    /// The other candidate of a fingerprint.
    pub fn alternate(&self, bucket: u8, f: Fingerprint) -> u8 {
        self.geometry().alternate(bucket.into(), f) as u8
    }
}

impl Program {
    /// The table before the first step; `None` if the tokens do not fit its buckets.
    pub fn memory(&self) -> Option<Memory> {
        let mut memory = Memory::new(self.shape.descriptors);
        let layout = self.shape.layout;
        for &(item, value) in &self.fill {
            let word = &mut memory.words[usize::from(item.first)];
            *word = layout.with(*word, layout.token(item.f, value))?;
        }
        Some(memory)
    }

    /// The classes that the program knows, each by the item with the lower bucket first.
    pub fn classes(&self) -> Vec<Item> {
        let called = self.threads.iter().flatten();
        let called = called.filter(|call| call.kind.has_item());
        let filled = self.fill.iter().map(|&(item, _)| item);
        let items = called.map(|call| call.item).chain(filled);
        let mut classes: Vec<Item> = items.map(Item::class).collect();
        classes.sort();
        classes.dedup();
        classes
    }

    /// The tokens that there can be: the class of each, and its value. Without values, one of each class.
    pub fn tokens(&self) -> Vec<(Item, Value)> {
        if !self.shape.layout.has_values() {
            return self.classes().into_iter().map(|class| (class, 0)).collect();
        }
        let called = self.threads.iter().flatten();
        let inserted = called.filter_map(|call| Some((call.item, call.inserts()?)));
        let tokens = inserted.chain(self.fill.iter().copied());
        let mut tokens: Vec<_> = tokens.map(|(item, value)| (item.class(), value)).collect();
        tokens.sort();
        tokens.dedup();
        tokens
    }
}

impl Item {
    /// The same in one of its two orders.
    pub fn class(self) -> Self {
        if self.first > self.second {
            self.flipped()
        } else {
            self
        }
    }

    /// The same item of an operation that reads the other bucket first.
    pub fn flipped(self) -> Self {
        Self {
            first: self.second,
            second: self.first,
            f: self.f,
        }
    }
}

impl Call {
    /// The value of the token that there may be afterwards, and was not before.
    fn inserts(&self) -> Option<Value> {
        match self.kind {
            Kind::Insert | Kind::Unique | Kind::UniqueValue => Some(self.value),
            Kind::Replace => Some(self.new),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alternate_is_an_involution() {
        for shape in [Shape::of(2), Shape::of(4)] {
            for (f, bucket) in shape
                .layout
                .fingerprints()
                .flat_map(|f| (0..2).map(move |b| (f, b)))
            {
                let other = shape.alternate(bucket, f);
                assert!(other != bucket && usize::from(other) < shape.buckets);
                assert_eq!(shape.alternate(other, f), bucket);
            }
        }
    }
}
