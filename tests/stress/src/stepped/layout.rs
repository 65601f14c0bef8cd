//! The layout of the filters of a run: one that the command line chose.

use std::sync::OnceLock;

use lockfree_cuckoo::testing::{Descriptors, Double, Relocate, Taken};
use lockfree_cuckoo::{
    Filter, FilterBuilder, Fixed, Growing, Hashed, Lanes, Layout, ReadError, SemiSorted,
    SnapshotError,
};
use model::geometry::Geometry;
use model::hashers::AsGiven;

static CHOSEN: OnceLock<model::Layout> = OnceLock::new();

/// A filter of whatever layout, as the scenes use it.
pub(crate) trait Subject: Hashed {
    fn relocate_hash(&self, hash: u64) -> bool;
    fn taken(&self) -> usize;
    /// Begins to double it, if it can.
    fn grow(&self) {}
    fn copy(&self) -> Result<Box<dyn Subject>, SnapshotError>;
    /// What is read of what it writes.
    fn reread(&mut self) -> Result<Box<dyn Subject>, ReadError>;
}

impl<L: Layout> Subject for Filter<Fixed<L>, AsGiven> {
    fn relocate_hash(&self, hash: u64) -> bool {
        Relocate::relocate_hash(self, hash)
    }

    fn taken(&self) -> usize {
        Taken::taken(self)
    }

    fn copy(&self) -> Result<Box<dyn Subject>, SnapshotError> {
        Ok(Box::new(self.snapshot()?))
    }

    fn reread(&mut self) -> Result<Box<dyn Subject>, ReadError> {
        let read = Self::from_bytes_with_hasher(&self.to_bytes(), AsGiven)?;
        Ok(Box::new(read))
    }
}

impl Subject for Filter<Growing, AsGiven> {
    fn relocate_hash(&self, hash: u64) -> bool {
        Relocate::relocate_hash(self, hash)
    }

    /// There is no other count.
    fn taken(&self) -> usize {
        self.len()
    }

    fn grow(&self) {
        self.begin_to_double();
    }

    fn copy(&self) -> Result<Box<dyn Subject>, SnapshotError> {
        Ok(Box::new(self.snapshot()?))
    }

    fn reread(&mut self) -> Result<Box<dyn Subject>, ReadError> {
        let read = Self::from_bytes_with_hasher(&self.to_bytes(), AsGiven)?;
        Ok(Box::new(read))
    }
}

/// An empty one that grows.
pub(crate) fn growing(capacity: usize) -> Box<dyn Subject> {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven);
    Box::new(builder.capacity(capacity).build().expect("memory"))
}

/// A layout by its slots and bits: `2x31`.
pub(crate) fn parse(text: &str) -> Result<model::Layout, String> {
    let unknown = || format!("{text:?} is no layout; one is \"2x31\", two slots of 31 bits");
    let (slots, bits) = text.split_once('x').ok_or_else(unknown)?;
    let wanted = (slots.parse().ok(), bits.parse().ok());
    let mut known = model::Layout::EVERY.into_iter();
    let found = known.find(|layout| wanted == (Some(layout.slots), Some(layout.fingerprint_bits)));
    found.ok_or_else(unknown)
}

/// Makes this layout that of the run. The first one stays.
pub(crate) fn choose(layout: model::Layout) {
    CHOSEN.get_or_init(|| layout);
}

/// Whether the layout of the run has enough fingerprints for tokens that are all of different classes.
pub(crate) fn has_many_fingerprints() -> Result<(), String> {
    match chosen().fingerprint_bits {
        ..10 => Err("too few fingerprints for the chains of these scenes".into()),
        _ => Ok(()),
    }
}

/// That of the run.
pub(crate) fn chosen() -> model::Layout {
    CHOSEN.get().copied().unwrap_or(model::Layout::DEFAULT)
}

/// An empty filter of this geometry.
pub(crate) fn empty(geometry: Geometry, descriptors: usize) -> Box<dyn Subject> {
    let layout = chosen();
    let of_layout = match (layout.slots, layout.fingerprint_bits) {
        (8, 8) => of_layout::<Lanes<8, 8>>,
        (6, 10) => of_layout::<Lanes<6, 10>>,
        (5, 12) => of_layout::<Lanes<5, 12>>,
        (3, 21) => of_layout::<Lanes<3, 21>>,
        (2, 31) => of_layout::<Lanes<2, 31>>,
        (4, 17) => of_layout::<SemiSorted<4, 17>>,
        (5, 14) => of_layout::<SemiSorted<5, 14>>,
        (6, 12) => of_layout::<SemiSorted<6, 12>>,
        _ => of_layout::<Lanes<4, 16>>,
    };
    of_layout(geometry, descriptors)
}

fn of_layout<L: Layout>(geometry: Geometry, descriptors: usize) -> Box<dyn Subject> {
    let filter: Filter<Fixed<L>, AsGiven> = FilterBuilder::with_hasher(AsGiven)
        .buckets(geometry.buckets)
        .search_budget(64)
        .descriptors(descriptors)
        .build()
        .expect("a possible geometry");
    Box::new(filter)
}
