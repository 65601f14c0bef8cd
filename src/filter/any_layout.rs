//! Filters whose layout is chosen at run time, or read from a file.

use alloc::boxed::Box;
use core::hash::BuildHasher;
use core::marker::PhantomData;
use core::panic::{RefUnwindSafe, UnwindSafe};
#[cfg(feature = "std")]
use std::io::Read;

use super::{AnyLayout, Engine, Filter, FilterBuilder, Hashed};
use crate::engine::plan;
use crate::error::{BuildError, ReadError};
use crate::layout::{ForLayout, Layout, Shape};
use crate::random_state::RandomState;
#[cfg(feature = "std")]
use crate::stored::Stream;
use crate::stored::{Frame, Identity, Slice, Source};

/// Filters of a layout that is chosen at run time.
impl<E, S> FilterBuilder<E, S>
where
    E: Engine,
    S: BuildHasher + Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
{
    /// Builds the smallest filter whose [rate of false positives](Filter::false_positive_rate) is at most this with as
    /// many items in as it is sized for. `rate` is from 1e-9 to below 1.
    ///
    /// It chooses among the [`Layout`]s without values. Where no layout has so low a rate at full load, or a larger table
    /// of a simpler layout is smaller, it makes the table larger. If the number of [`buckets`](Self::buckets) is set, it
    /// takes the layout with which they take the most items. Among equal filters it prefers [`Lanes`](crate::Lanes), and
    /// then the lowest rate.
    ///
    /// The rate is [`max_false_positive_rate`](Self::max_false_positive_rate) of the filter too: of one that rotates it
    /// is that with all generations full.
    ///
    /// A growing filter has buckets of 4 slots of 16 bits, so there is nothing to choose, as for
    /// [`layout`](Self::layout): take `max_false_positive_rate`.
    ///
    /// ```compile_fail,E0277
    /// let _ = lockfree_cuckoo::GrowingCuckooFilter::builder().build_smallest(0.01);
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, Hashed, RandomState};
    /// use std::hash::BuildHasher;
    ///
    /// let hasher = RandomState::new();
    /// let build = |rate| {
    ///     let builder = CuckooFilter::builder().hasher(hasher.clone());
    ///     builder.capacity(100_000).build_smallest(rate)
    /// };
    /// let (coarse, fine): (Box<dyn Hashed>, _) = (build(0.05)?, build(1e-9)?);
    /// assert!(4 * coarse.memory_usage() < fine.memory_usage());
    ///
    /// let hash = hasher.hash_one("a");
    /// fine.insert_hash(hash)?;
    /// assert!(fine.contains_hash(hash));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_smallest(mut self, rate: f64) -> Result<Box<dyn Hashed>, BuildError>
    where
        E: AnyLayout,
    {
        let filling = E::filling(&self.plan.options);
        let (shape, size) = plan::smallest(self.plan.size, filling, rate)?;
        self.plan.size = size;
        self.plan.rate = Some(rate);
        self.build_shape(shape)
    }

    /// Builds the filter with the layout of this shape.
    ///
    /// Not for growing filters, as [`layout`](Self::layout): their builder has [`build`](Self::build) alone.
    ///
    /// ```compile_fail,E0277
    /// use lockfree_cuckoo::{GrowingCuckooFilter, Lanes, Shape};
    ///
    /// let _ = GrowingCuckooFilter::builder().build_shape(Shape::of::<Lanes<8, 8>>());
    /// ```
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{RotatingCuckooFilter, Shape};
    ///
    /// for shape in Shape::ALL {
    ///     let filter = RotatingCuckooFilter::builder().build_shape(shape)?;
    ///     assert_eq!(filter.shape(), shape);
    /// }
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    pub fn build_shape(self, shape: Shape) -> Result<Box<dyn Hashed>, BuildError>
    where
        E: AnyLayout,
    {
        shape.call(Build(self))
    }
}

/// Builds with the layout that it is called for.
struct Build<E: Engine, S>(FilterBuilder<E, S>);

impl<E, S> ForLayout for Build<E, S>
where
    E: AnyLayout,
    S: BuildHasher + Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
{
    type Output = Result<Box<dyn Hashed>, BuildError>;

    fn call<L: Layout>(self) -> Self::Output {
        Ok(Box::new(self.0.layout::<L>().build()?))
    }
}

/// Reading a filter of any layout that was stored with the default hasher. Its seed is stored along.
///
/// As [`from_bytes`](Self::from_bytes) and [`read_from`](Self::read_from), which read filters of one layout. The kind of
/// the filter is that of the type: `RotatingCuckooFilter::from_bytes_any_layout` reads filters that rotate. Growing filters
/// have one layout, and are read by `from_bytes` and `read_from`:
///
/// ```compile_fail,E0277
/// let _ = lockfree_cuckoo::GrowingCuckooFilter::from_bytes_any_layout(b"");
/// ```
impl<E: Engine> Filter<E, RandomState> {
    /// As [`from_bytes`](Self::from_bytes), for a filter of any layout.
    ///
    /// # Errors
    ///
    /// As [`from_bytes`](Self::from_bytes).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, Filter, Fixed, Lanes, RandomState, ReadError, Shape};
    /// use std::hash::BuildHasher;
    ///
    /// let mut small = Filter::<Fixed<Lanes<8, 8>>>::with_capacity(100);
    /// small.insert("a").expect("room");
    /// let bytes = small.to_bytes();
    ///
    /// let filter = CuckooFilter::from_bytes_any_layout(&bytes)?;
    /// assert_eq!(filter.shape(), Shape::of::<Lanes<8, 8>>());
    /// let hasher = filter.hasher().downcast_ref::<RandomState>().expect("the default one");
    /// assert!(filter.contains_hash(hasher.hash_one("a")));
    ///
    /// // Of one layout alone.
    /// assert!(matches!(CuckooFilter::from_bytes(&bytes), Err(ReadError::OtherLayout { .. })));
    /// # Ok::<(), ReadError>(())
    /// ```
    // Compiled where it is used: it is the code of all layouts.
    #[inline]
    pub fn from_bytes_any_layout(bytes: &[u8]) -> Result<Box<dyn Hashed>, ReadError>
    where
        E: AnyLayout,
    {
        Self::read_any_layout(&mut Slice::new(bytes), Identity::rebuild)
    }

    /// As [`read_from`](Self::read_from), for a filter of any layout.
    ///
    /// # Errors
    ///
    /// As [`read_from`](Self::read_from).
    #[cfg(feature = "std")]
    pub fn read_from_any_layout(reader: impl Read) -> Result<Box<dyn Hashed>, ReadError>
    where
        E: AnyLayout,
    {
        Self::read_any_layout(&mut Stream(reader), Identity::rebuild)
    }
}

/// Reading a filter of any layout that was stored with any hasher, which the caller passes.
impl<E, S> Filter<E, S>
where
    E: Engine,
    S: BuildHasher + Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
{
    /// As [`from_bytes_with_hasher`](Self::from_bytes_with_hasher), for a filter of any layout.
    ///
    /// # Errors
    ///
    /// As [`from_bytes_with_hasher`](Self::from_bytes_with_hasher).
    pub fn from_bytes_any_layout_with_hasher(
        bytes: &[u8],
        hasher: S,
    ) -> Result<Box<dyn Hashed>, ReadError>
    where
        E: AnyLayout,
    {
        Self::read_any_layout(&mut Slice::new(bytes), |identity| identity.admit(hasher))
    }

    /// As [`read_from_with_hasher`](Self::read_from_with_hasher), for a filter of any layout.
    ///
    /// # Errors
    ///
    /// As [`read_from_with_hasher`](Self::read_from_with_hasher).
    #[cfg(feature = "std")]
    pub fn read_from_any_layout_with_hasher(
        reader: impl Read,
        hasher: S,
    ) -> Result<Box<dyn Hashed>, ReadError>
    where
        E: AnyLayout,
    {
        Self::read_any_layout(&mut Stream(reader), |identity| identity.admit(hasher))
    }

    fn read_any_layout(
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
    ) -> Result<Box<dyn Hashed>, ReadError>
    where
        E: AnyLayout,
    {
        let frame = Frame::read(source)?;
        frame.shape(E::KIND)?.call(ReadBehind {
            frame,
            source,
            hasher,
            filter: PhantomData::<fn() -> Self>,
        })
    }
}

/// Reads what follows a header, with the layout that it is called for.
struct ReadBehind<'a, F, T, H> {
    frame: Frame,
    source: &'a mut T,
    hasher: H,
    filter: PhantomData<fn() -> F>,
}

impl<E, S, T, H> ForLayout for ReadBehind<'_, Filter<E, S>, T, H>
where
    E: AnyLayout,
    S: BuildHasher + Clone + Send + Sync + UnwindSafe + RefUnwindSafe + 'static,
    T: Source,
    H: FnOnce(&Identity) -> Result<S, ReadError>,
{
    type Output = Result<Box<dyn Hashed>, ReadError>;

    fn call<L: Layout>(self) -> Self::Output {
        let Self {
            frame,
            source,
            hasher,
            ..
        } = self;
        let filter = Filter::<E::With<L>, S>::read_behind(&frame, source, hasher)?;
        Ok(Box::new(filter))
    }
}
