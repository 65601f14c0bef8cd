//! The door to all filters: engines and layouts by value, so that one test asks all of them.

use std::hash::BuildHasher;

use lockfree_cuckoo::testing::Descriptors;
use lockfree_cuckoo::{
    BuildError, Buildable, CuckooFilter, DynFilter, Filter, Fixed, Growing, GrowingCuckooFilter,
    Kind, Lanes, ReadError, Rotating, RotatingCuckooFilter, Shape,
};
use model::geometry::Geometry;
use model::hashers::AsGiven;
use model::mix;

/// Tables small enough to decide exactly whether a multiset fits: every kind of shape, one range and several.
pub(crate) const TINY: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Tables of up to 31 ranges that a few hundred operations still fill.
pub(crate) const SMALL: [usize; 6] = [20, 32, 40, 62, 64, 124];

/// The least search budget, a short one, the last that is searched in a small frame, the largest.
pub(crate) const BUDGETS: [usize; 4] = [2, 16, 256, 4096];

/// Numbers of threads: fewer than, as many as, and more than the processors of a small machine.
pub(crate) const THREADS: [usize; 3] = [2, 4, 8];

/// Descriptors: plenty, and the fewest there can be.
pub(crate) const DESCRIPTORS: [Option<usize>; 2] = [None, Some(1)];

/// The layout of a filter unless another is asked for.
pub(crate) const DEFAULT: Shape = Shape::of::<Lanes<4, 16>>();

/// Calls a function for each engine.
macro_rules! of_each_engine {
    ($call:ident $(($($argument:expr),*))?) => {{
        $call::<lockfree_cuckoo::Fixed>($($($argument),*)?);
        $call::<lockfree_cuckoo::Growing>($($($argument),*)?);
        $call::<lockfree_cuckoo::Rotating>($($($argument),*)?);
    }};
}
pub(crate) use of_each_engine;

/// The layouts without values.
pub(crate) fn plain() -> impl Iterator<Item = Shape> {
    let all = Shape::ALL.iter().copied();
    all.filter(|shape| shape.value_bits() == 0)
}

/// Kinds of filters and their layouts: one that grows has the default one.
pub(crate) fn kinds() -> impl Iterator<Item = (Kind, Shape)> {
    let of = |kind| plain().map(move |shape| (kind, shape));
    let all = of(Kind::Fixed).chain(of(Kind::Rotating));
    all.chain([(Kind::Growing, DEFAULT)])
}

/// The same layout in the second implementation. Where it has values, only where its items may be is alike.
pub(crate) fn model_of(shape: Shape) -> model::Layout {
    model::Layout::of(shape.slots(), shape.fingerprint_bits())
}

/// Where the items of a table of this filter may be. One that rotates has several of them.
pub(crate) fn geometry_of<S>(filter: &DynFilter<S>) -> Geometry {
    let tables = filter.rotating().map_or(1, |filter| filter.generations());
    Geometry::with_slots(model_of(filter.shape()), filter.slots() / tables)
}

/// A filter of a fixed size whose hashes are given.
pub(crate) fn fixed(
    shape: Shape,
    buckets: usize,
    budget: usize,
    descriptors: Option<usize>,
) -> Subject {
    let builder = CuckooFilter::builder().hasher(AsGiven).buckets(buckets);
    let mut builder = builder.search_budget(budget);
    if let Some(descriptors) = descriptors {
        builder = builder.descriptors(descriptors);
    }
    builder.build_shape(shape).expect("a possible geometry")
}

/// Numbers that look random, and are others for each seed.
pub(crate) fn random(seed: u64) -> impl Iterator<Item = u64> + Clone {
    (0..).map(move |turn| mix(seed << 32 | turn))
}

/// A filter whose hashes are given.
pub(crate) type Subject = DynFilter<AsGiven>;

/// What is stored in these bytes, by a filter whose hashes are given.
pub(crate) fn read(bytes: &[u8]) -> Subject {
    DynFilter::from_bytes_with_hasher(bytes, AsGiven).expect("just stored")
}

/// What was read, or why it was not.
pub(crate) type Read = Result<DynFilter, ReadError>;

/// An empty filter of this kind, for so many items, with this layout. Filters that grow have one layout.
pub(crate) fn empty(kind: Kind, shape: Shape, capacity: usize) -> DynFilter {
    let (fixed, rotating) = (CuckooFilter::builder(), RotatingCuckooFilter::builder());
    let built = match kind {
        Kind::Fixed => fixed.capacity(capacity).seed(7).build_shape(shape),
        Kind::Rotating => rotating.capacity(capacity).seed(7).build_shape(shape),
        Kind::Growing => {
            assert_eq!(shape, DEFAULT);
            let builder = GrowingCuckooFilter::builder().capacity(capacity).seed(7);
            builder.build().map(DynFilter::from)
        }
    };
    built.expect("memory")
}

/// Reads a filter of this kind in all ways, which must agree.
pub(crate) fn read_as(kind: Kind, bytes: &[u8]) -> Read {
    fn typed<E: Buildable>(bytes: &[u8]) -> Read {
        Filter::<E>::from_bytes(bytes).map(DynFilter::from)
    }
    let read = agree(DynFilter::from_bytes(bytes), DynFilter::read_from(bytes));
    let typed = match kind {
        Kind::Fixed => typed::<Fixed>(bytes),
        Kind::Growing => typed::<Growing>(bytes),
        Kind::Rotating => typed::<Rotating>(bytes),
    };
    match typed {
        // One that knows its layout is not asked of others.
        Err(ReadError::OtherLayout { .. }) => read,
        // Nor of other kinds.
        Err(ReadError::OtherKind { .. }) => typed,
        typed => agree(read, typed),
    }
}

/// What was read from bytes, or the error, if another way to read it agrees.
pub(crate) fn agree<S: BuildHasher + 'static>(
    read: Result<DynFilter<S>, ReadError>,
    other: Result<DynFilter<S>, ReadError>,
) -> Result<DynFilter<S>, ReadError> {
    match (read, other) {
        (Ok(read), Ok(other)) => {
            assert!(
                read.to_bytes().expect("quiet") == other.to_bytes().expect("quiet"),
                "both are the same"
            );
            Ok(read)
        }
        // A reader is not asked what follows.
        (Err(error @ ReadError::TrailingBytes { .. }), _) => Err(error),
        (Err(error), Err(other)) => {
            assert_eq!(error.to_string(), other.to_string(), "both fail alike");
            Err(error)
        }
        (read, other) => panic!("one reads and the other fails: {read:?} {other:?}"),
    }
}

/// The number that a builder refused.
pub(crate) fn requested(error: &BuildError) -> usize {
    match *error {
        BuildError::Capacity { requested, .. }
        | BuildError::Buckets { requested, .. }
        | BuildError::SearchBudget { requested, .. }
        | BuildError::Generations { requested, .. } => requested,
        BuildError::MemoryLimit { limit, .. } => limit,
        BuildError::OutOfMemory(error) => error.bytes(),
        ref other => panic!("{other}"),
    }
}

/// The number that it offers instead. None, if the memory could not be had.
pub(crate) fn offered(error: &BuildError) -> Option<usize> {
    match *error {
        BuildError::Capacity { most, .. } => Some(most),
        BuildError::Buckets { nearest, .. }
        | BuildError::SearchBudget { nearest, .. }
        | BuildError::Generations { nearest, .. } => Some(nearest),
        BuildError::MemoryLimit { needed, .. } => Some(needed),
        BuildError::OutOfMemory(_) => None,
        ref other => panic!("{other}"),
    }
}
