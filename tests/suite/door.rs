//! The door to all filters: engines and layouts by value, so that one test asks all of them.

use std::ops::{Deref, DerefMut};

use lockfree_cuckoo::testing::{Descriptors, Double, Relocate};
use lockfree_cuckoo::{
    CuckooFilter, Engine, Filter, Fixed, Growing, GrowingCuckooFilter, Hashed, Lanes, ReadError,
    Rotating, RotatingCuckooFilter, Shape,
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
    let all = Shape::ALL.into_iter();
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
pub(crate) fn geometry_of(filter: &dyn Hashed) -> Geometry {
    let tables = filter.rotating().map_or(1, |filter| filter.generations());
    Geometry::with_slots(model_of(filter.shape()), filter.slots() / tables)
}

/// A filter of a fixed size whose hashes are given.
pub(crate) fn fixed(
    shape: Shape,
    buckets: usize,
    budget: usize,
    descriptors: Option<usize>,
) -> Box<dyn Hashed> {
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

/// A filter of each engine with the default layout, of which the type is known. Hashes are given.
pub(crate) enum Subject {
    Fixed(CuckooFilter<AsGiven>),
    Growing(GrowingCuckooFilter<AsGiven>),
    Rotating(RotatingCuckooFilter<AsGiven>),
    /// One of a fixed size, or one that rotates, with any layout.
    OfLayout(Box<dyn Hashed>),
}

impl Deref for Subject {
    type Target = dyn Hashed;

    fn deref(&self) -> &(dyn Hashed + 'static) {
        match self {
            Self::Fixed(filter) => filter,
            Self::Growing(filter) => filter,
            Self::Rotating(filter) => filter,
            Self::OfLayout(filter) => &**filter,
        }
    }
}

impl DerefMut for Subject {
    fn deref_mut(&mut self) -> &mut (dyn Hashed + 'static) {
        match self {
            Self::Fixed(filter) => filter,
            Self::Growing(filter) => filter,
            Self::Rotating(filter) => filter,
            Self::OfLayout(filter) => &mut **filter,
        }
    }
}

impl Subject {
    pub(crate) fn try_clone(&mut self) -> Self {
        match self {
            Self::Fixed(filter) => Self::Fixed(filter.try_clone().expect("memory")),
            Self::Growing(filter) => Self::Growing(filter.try_clone().expect("memory")),
            Self::Rotating(filter) => Self::Rotating(filter.try_clone().expect("memory")),
            Self::OfLayout(_) => self.stored_and_read(),
        }
    }

    pub(crate) fn snapshot(&self) -> Self {
        let message = "nobody disturbs it";
        match self {
            Self::Fixed(filter) => Self::Fixed(filter.snapshot().expect(message)),
            Self::Growing(filter) => Self::Growing(filter.snapshot().expect(message)),
            Self::Rotating(filter) => Self::Rotating(filter.snapshot().expect(message)),
            Self::OfLayout(filter) => Self::OfLayout(filter.snapshot().expect(message)),
        }
    }

    pub(crate) fn stored_and_read(&mut self) -> Self {
        let bytes = self.to_bytes();
        self.read(&bytes)
    }

    /// What is stored in these bytes: one of its kind.
    pub(crate) fn read(&self, bytes: &[u8]) -> Self {
        let message = "just stored";
        match self {
            Self::Fixed(_) => {
                Self::Fixed(CuckooFilter::from_bytes_with_hasher(bytes, AsGiven).expect(message))
            }
            Self::Growing(_) => Self::Growing(
                GrowingCuckooFilter::from_bytes_with_hasher(bytes, AsGiven).expect(message),
            ),
            Self::Rotating(_) => Self::Rotating(
                RotatingCuckooFilter::from_bytes_with_hasher(bytes, AsGiven).expect(message),
            ),
            Self::OfLayout(filter) => {
                let read = match filter.rotating() {
                    None => CuckooFilter::from_bytes_any_layout_with_hasher(bytes, AsGiven),
                    Some(_) => {
                        RotatingCuckooFilter::from_bytes_any_layout_with_hasher(bytes, AsGiven)
                    }
                };
                Self::OfLayout(read.expect(message))
            }
        }
    }

    /// Moves a token of this hash, if the type is known.
    pub(crate) fn relocate(&self, hash: u64) -> bool {
        match self {
            Self::Fixed(filter) => filter.relocate_hash(hash),
            Self::Growing(filter) => filter.relocate_hash(hash),
            Self::Rotating(filter) => filter.relocate_hash(hash),
            Self::OfLayout(_) => false,
        }
    }

    /// The share of its buckets that were split, while it doubles.
    pub(crate) fn doubled(&self) -> Option<f64> {
        match self {
            Self::Growing(filter) => filter.doubled(),
            _ => None,
        }
    }

    /// Begins to double it, if it grows.
    pub(crate) fn begin_to_double(&self) -> bool {
        match self {
            Self::Growing(filter) => filter.begin_to_double(),
            _ => false,
        }
    }
}

/// What was read, or why it was not.
pub(crate) type Read = Result<Box<dyn Hashed>, ReadError>;

/// The kind of a stored filter. The default hasher reads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Fixed,
    Growing,
    Rotating,
}

impl Kind {
    /// An empty one for so many items, with this layout. Filters that grow have one layout.
    pub(crate) fn build(self, shape: Shape, capacity: usize) -> Box<dyn Hashed> {
        let seed = 7;
        let built = match self {
            Self::Fixed => CuckooFilter::builder()
                .seed(seed)
                .capacity(capacity)
                .build_shape(shape),
            Self::Rotating => RotatingCuckooFilter::builder()
                .seed(seed)
                .capacity(capacity)
                .build_shape(shape),
            Self::Growing => {
                assert_eq!(shape, DEFAULT);
                let builder = GrowingCuckooFilter::builder().capacity(capacity).seed(seed);
                builder.build().map(|filter| Box::new(filter) as _)
            }
        };
        built.expect("memory")
    }

    /// Reads in all ways, which must agree.
    pub(crate) fn read(self, bytes: &[u8]) -> Read {
        fn typed<E: Engine>(bytes: &[u8]) -> Read
        where
            Filter<E>: Hashed + 'static,
        {
            Filter::<E>::from_bytes(bytes).map(|filter| Box::new(filter) as _)
        }
        let [one, other, typed] = match self {
            Self::Fixed => [
                CuckooFilter::from_bytes_any_layout(bytes),
                CuckooFilter::read_from_any_layout(bytes),
                typed::<Fixed>(bytes),
            ],
            Self::Rotating => [
                RotatingCuckooFilter::from_bytes_any_layout(bytes),
                RotatingCuckooFilter::read_from_any_layout(bytes),
                typed::<Rotating>(bytes),
            ],
            Self::Growing => [
                typed::<Growing>(bytes),
                GrowingCuckooFilter::read_from(bytes).map(|filter| Box::new(filter) as _),
                typed::<Growing>(bytes),
            ],
        };
        let read = agree(one, other);
        match typed {
            // One that knows its layout is not asked of others.
            Err(ReadError::OtherLayout { .. }) => read,
            typed => agree(read, typed),
        }
    }
}

/// What was read from bytes, or the error, if another way to read it agrees.
pub(crate) fn agree(read: Read, other: Read) -> Read {
    match (read, other) {
        (Ok(mut read), Ok(mut other)) => {
            assert!(read.to_bytes() == other.to_bytes(), "both are the same");
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
