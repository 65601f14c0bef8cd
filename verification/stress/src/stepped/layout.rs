//! The layout of the filters of a run, from the command line.

use std::sync::OnceLock;

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{
    DynFilter, FilterBuilder, ReadError,
    filter::{Fixed, Growing},
    layout::Shape,
};
use model::geometry::Geometry;
use model::hashers::AsGiven;

static CHOSEN: OnceLock<model::Layout> = OnceLock::new();

/// A filter of any kind and layout.
pub(crate) type Subject = DynFilter<AsGiven>;

/// Returns an empty growing filter.
pub(crate) fn growing(capacity: usize) -> Subject {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven);
    builder.capacity(capacity).build().expect("memory").into()
}

/// Writes a filter, and reads it.
pub(crate) fn reread(filter: &Subject) -> Result<Subject, ReadError> {
    let bytes = filter.to_bytes().expect("no thread writes");
    DynFilter::from_bytes_with_hasher(&bytes, AsGiven)
}

/// Parses a layout from its slots and bits: `2x31`.
pub(crate) fn parse(text: &str) -> Result<model::Layout, String> {
    let unknown = || format!("{text:?} is no layout; one is \"2x31\", two slots of 31 bits");
    let (slots, bits) = text.split_once('x').ok_or_else(unknown)?;
    let wanted = (slots.parse().ok(), bits.parse().ok());
    let mut known = model::Layout::EVERY.into_iter();
    let found = known.find(|layout| wanted == (Some(layout.slots), Some(layout.fingerprint_bits)));
    found.ok_or_else(unknown)
}

/// Sets the layout of the run. Later calls have no effect.
pub(crate) fn choose(layout: model::Layout) {
    CHOSEN.get_or_init(|| layout);
}

/// Checks that the layout of the run has enough fingerprints for tokens that are all of different
/// classes.
pub(crate) fn has_many_fingerprints() -> Result<(), String> {
    match chosen().fingerprint_bits {
        ..10 => Err("too few fingerprints for the chains of these scenes".into()),
        _ => Ok(()),
    }
}

/// Returns the layout of the run.
pub(crate) fn chosen() -> model::Layout {
    CHOSEN.get().copied().unwrap_or(model::Layout::DEFAULT)
}

/// Returns an empty filter of this geometry.
pub(crate) fn empty(geometry: Geometry, descriptors: usize) -> Subject {
    let layout = chosen();
    let numbers = |shape: &Shape| (shape.slots(), shape.fingerprint_bits(), shape.value_bits());
    let wanted = (layout.slots, layout.fingerprint_bits, 0);
    let shape = Shape::ALL
        .iter()
        .copied()
        .find(|shape| numbers(shape) == wanted);
    FilterBuilder::<Fixed, _>::with_hasher(AsGiven)
        .buckets(geometry.buckets)
        .search_budget(64)
        .descriptors(descriptors)
        .build_shape(shape.expect("one of the layouts"))
        .expect("a possible geometry")
}
