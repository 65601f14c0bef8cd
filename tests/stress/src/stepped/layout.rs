//! The layout of the filters of a run: one that the command line chose.

use std::sync::OnceLock;

use lockfree_cuckoo::testing::{Descriptors, Double, Relocate, Taken};
use lockfree_cuckoo::{Filter, FilterBuilder, Fixed, Growing, Hashed, Layout, SnapshotError};
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
}

/// An empty one that grows, as small as can be.
pub(crate) fn growing() -> Box<dyn Subject> {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven);
    Box::new(builder.capacity(8).build().expect("memory"))
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

/// Calls a function for the layout of the run.
macro_rules! of_the_layout {
    ($call:ident($($argument:expr),*)) => {{
        use lockfree_cuckoo::{Lanes, SemiSorted};
        let layout = $crate::stepped::layout::chosen();
        match (layout.slots, layout.fingerprint_bits) {
            (8, 8) => $call::<Lanes<8, 8>>($($argument),*),
            (6, 10) => $call::<Lanes<6, 10>>($($argument),*),
            (5, 12) => $call::<Lanes<5, 12>>($($argument),*),
            (3, 21) => $call::<Lanes<3, 21>>($($argument),*),
            (2, 31) => $call::<Lanes<2, 31>>($($argument),*),
            (4, 17) => $call::<SemiSorted<4, 17>>($($argument),*),
            (5, 14) => $call::<SemiSorted<5, 14>>($($argument),*),
            (6, 12) => $call::<SemiSorted<6, 12>>($($argument),*),
            _ => $call::<Lanes<4, 16>>($($argument),*),
        }
    }};
}
pub(crate) use of_the_layout;

/// An empty filter of this geometry.
pub(crate) fn empty(geometry: Geometry, descriptors: usize) -> Box<dyn Subject> {
    of_the_layout!(of_layout(geometry, descriptors))
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
