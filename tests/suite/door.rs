//! Access to all filters: engines and layouts as values, so that one test runs on all of them.

use std::hash::BuildHasher;

use lockfree_cuckoo::{
    BuildError, CuckooFilter, DynFilter, Filter, GrowingCuckooFilter, ReadError,
    RotatingCuckooFilter,
    filter::{Buildable, Fixed, Growing, Kind, Rotating},
    layout::{Lanes, Shape},
};
pub(crate) use lockfree_cuckoo_tests::{Subject, fixed, geometry_of, model_of, read};
use model::mix;

/// Tables small enough to decide exactly whether a multiset fits: all kinds of shapes, with one
/// range and with several.
pub(crate) const TINY: [usize; 8] = [2, 4, 6, 8, 12, 14, 16, 24];

/// Tables of up to 31 ranges that a few hundred operations fill.
pub(crate) const SMALL: [usize; 6] = [20, 32, 40, 62, 64, 124];

/// Search budgets: the least, a short one, the last one searched in a small frame, the largest.
pub(crate) const BUDGETS: [usize; 4] = [2, 16, 256, 4096];

/// Numbers of threads: fewer than, as many as, and more than the processors of a small machine.
pub(crate) const THREADS: [usize; 3] = [2, 4, 8];

/// Numbers of descriptors: plenty, and the least.
pub(crate) const DESCRIPTORS: [Option<usize>; 2] = [None, Some(1)];

/// The layout of a filter unless a test selects another.
pub(crate) const DEFAULT: Shape = Shape::of::<Lanes<4, 16>>();

/// Calls a function for each engine.
macro_rules! of_each_engine {
    ($call:ident $(($($argument:expr),*))?) => {{
        $call::<lockfree_cuckoo::filter::Fixed>($($($argument),*)?);
        $call::<lockfree_cuckoo::filter::Growing>($($($argument),*)?);
        $call::<lockfree_cuckoo::filter::Rotating>($($($argument),*)?);
    }};
}
pub(crate) use of_each_engine;

/// Returns the layouts without values.
pub(crate) fn plain() -> impl Iterator<Item = Shape> {
    let all = Shape::ALL.iter().copied();
    all.filter(|shape| shape.value_bits() == 0)
}

/// Returns the kinds of filters with their layouts: a growing filter has only the default one.
pub(crate) fn kinds() -> impl Iterator<Item = (Kind, Shape)> {
    let of = |kind| plain().map(move |shape| (kind, shape));
    let all = of(Kind::Fixed).chain(of(Kind::Rotating));
    all.chain([(Kind::Growing, DEFAULT)])
}

/// Returns pseudorandom numbers, different for each seed.
pub(crate) fn random(seed: u64) -> impl Iterator<Item = u64> + Clone {
    (0..).map(move |turn| mix(seed << 32 | turn))
}

/// The result of a read.
pub(crate) type Read = Result<DynFilter, ReadError>;

/// Returns an empty filter of this kind, capacity and layout. Growing filters have one layout.
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
        other => panic!("{other} is new"),
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
        other => panic!("{other} is new"),
    };
    match typed {
        // A filter with a layout in its type does not check other layouts.
        Err(ReadError::OtherLayout { .. }) => read,
        // Nor other kinds.
        Err(ReadError::OtherKind { .. }) => typed,
        typed => agree(read, typed),
    }
}

/// Returns the result of a read from bytes, if another way to read gives the same.
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
        // A reader does not look at the bytes after the filter.
        (Err(error @ ReadError::TrailingBytes { .. }), _) => Err(error),
        (Err(error), Err(other)) => {
            assert_eq!(error.to_string(), other.to_string(), "both fail alike");
            Err(error)
        }
        (read, other) => panic!("one reads and the other fails: {read:?} {other:?}"),
    }
}

/// Returns the number that a builder refused.
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

/// Returns the number that it offers instead. `None` if the memory could not be allocated.
pub(crate) fn offered(error: &BuildError) -> Option<usize> {
    match *error {
        BuildError::Capacity { max, .. } => Some(max),
        BuildError::Buckets { nearest, .. }
        | BuildError::SearchBudget { nearest, .. }
        | BuildError::Generations { nearest, .. } => Some(nearest),
        BuildError::MemoryLimit { needed, .. } => Some(needed),
        BuildError::OutOfMemory(_) => None,
        ref other => panic!("{other}"),
    }
}
