//! Filters whose kind and layout are chosen at run time.

use alloc::boxed::Box;
use core::marker::PhantomData;

use super::{AnyLayout, Buildable, Engine, Filter, FilterBuilder};
use crate::allocate;
use crate::codec::header::Header;
use crate::codec::source::Source;
use crate::engine::kind::Kind;
use crate::engine::measures::Measures;
use crate::engine::operations::{RawFilter, Rotates, StoresValues};
use crate::engine::plan;
use crate::engine::plan::Plan;
use crate::error::{BuildError, OutOfMemory, ReadError, SnapshotError};
use crate::fixed::Fixed;
#[cfg(feature = "growing")]
use crate::growing::Growing;
use crate::kernel::layout::{ForLayout, Layout, Shape};
use crate::random_state::RandomState;
use crate::rotating::Rotating;

/// A filter of any kind and any layout, for programs that choose them at run time.
///
/// It has the methods common to all filters. Each method costs one more indirect call. To rotate,
/// use [`rotating`](Filter::rotating), and for values [`valued`](Filter::valued).
///
/// [`build_smallest`](FilterBuilder::build_smallest) and
/// [`build_shape`](FilterBuilder::build_shape) choose a layout. [`from_bytes`](Filter::from_bytes)
/// and [`read_from`](Filter::read_from) read a filter of any kind. `From` converts a filter whose
/// type is known.
///
/// # Examples
///
/// ```
/// # #[cfg(feature = "growing")] {
/// use lockfree_cuckoo::{CuckooFilter, DynFilter, GrowingCuckooFilter};
///
/// fn filter(grows: bool) -> DynFilter {
///     if grows {
///         GrowingCuckooFilter::with_capacity(100).into()
///     } else {
///         CuckooFilter::with_capacity(100).into()
///     }
/// }
///
/// for filter in [filter(false), filter(true)] {
///     assert!(filter.insert_unique("a")?);
///     assert!(filter.contains("a"));
///     assert_eq!(filter.len(), 1);
/// }
/// # }
/// # Ok::<(), lockfree_cuckoo::InsertError>(())
/// ```
pub type DynFilter<S = RandomState> = Filter<Dyn, S>;

/// The engine of a [`DynFilter`]: any other engine, boxed.
#[derive(Debug)]
pub struct Dyn(Box<dyn RawFilter>);

impl Dyn {
    pub(super) fn of(engine: impl RawFilter) -> Result<Self, OutOfMemory> {
        Ok(Self(allocate::boxed(engine)?))
    }
}

impl Engine for Dyn {
    type Inner = dyn RawFilter;

    #[inline]
    fn inner(&self) -> &dyn RawFilter {
        &*self.0
    }

    fn inner_mut(&mut self) -> &mut dyn RawFilter {
        &mut *self.0
    }

    fn object(&self) -> &dyn RawFilter {
        &*self.0
    }

    fn empty_like(&self) -> Result<Self, OutOfMemory> {
        self.0.boxed_empty_like().map(Self)
    }

    fn snapshot(&self) -> Result<Self, SnapshotError> {
        self.0.boxed_snapshot().map(Self)
    }

    fn recognize(header: &Header) -> Result<(), ReadError> {
        header.kind().and_then(|_| header.shape()).map(drop)
    }

    // Compiled only where it is used: it contains the code of all engines.
    #[inline]
    fn read(header: &Header, source: &mut dyn Source, outside: usize) -> Result<Self, ReadError> {
        match header.kind()? {
            Kind::Fixed => read_layout::<Fixed>(header, source, outside),
            Kind::Rotating => read_layout::<Rotating>(header, source, outside),
            #[cfg(feature = "growing")]
            Kind::Growing => read_boxed::<Growing>(header, source, outside),
            #[cfg(not(feature = "growing"))]
            kind => Err(ReadError::OtherKind { kind }),
        }
    }
}

/// Reads an engine of this kind, with the layout that is stored.
fn read_layout<E: AnyLayout>(
    header: &Header,
    source: &mut dyn Source,
    outside: usize,
) -> Result<Dyn, ReadError> {
    header.shape()?.call(Read::<E> {
        header,
        source,
        outside,
        kind: PhantomData,
    })
}

/// Reads an engine of this kind with the layout that it is called for.
struct Read<'a, E> {
    header: &'a Header,
    source: &'a mut dyn Source,
    outside: usize,
    kind: PhantomData<fn() -> E>,
}

impl<E: AnyLayout> ForLayout for Read<'_, E> {
    type Output = Result<Dyn, ReadError>;

    fn call<L: Layout>(self) -> Self::Output {
        read_boxed::<E::With<L>>(self.header, self.source, self.outside)
    }
}

/// Reads an engine, and boxes it.
fn read_boxed<E: Buildable>(
    header: &Header,
    source: &mut dyn Source,
    outside: usize,
) -> Result<Dyn, ReadError> {
    E::recognize(header)?;
    let outside = outside - size_of::<Dyn>() + size_of::<E>();
    Ok(Dyn::of(E::read(header, source, outside)?)?)
}

/// Filters whose kind and layout are chosen at run time.
impl<S> DynFilter<S> {
    /// What the filter does when it is full, and as time passes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{DynFilter, RotatingCuckooFilter, filter::Kind};
    ///
    /// let filter: DynFilter = RotatingCuckooFilter::with_capacity(100).into();
    /// assert_eq!(filter.kind(), Kind::Rotating);
    /// ```
    #[must_use]
    pub fn kind(&self) -> Kind {
        self.engine().kind()
    }

    /// The layout of the buckets.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, DynFilter, layout::{Lanes, Shape}};
    ///
    /// let filter: DynFilter = CuckooFilter::with_capacity(100).into();
    /// assert_eq!(filter.shape(), Shape::of::<Lanes<4, 16>>());
    /// ```
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.engine().shape()
    }

    /// The methods of a rotating filter; `None` if this one does not rotate.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RotatingCuckooFilter;
    ///
    /// let filter = RotatingCuckooFilter::builder().capacity(1_000).build_smallest(0.01)?;
    /// filter.insert("flow")?;
    /// let rotating = filter.rotating().expect("it rotates");
    /// rotating.rotate()?;
    /// assert!(filter.contains("flow"));
    /// rotating.rotate()?;
    /// assert!(!filter.contains("flow")); // forgotten
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn rotating(&self) -> Option<&dyn Rotates> {
        self.engine().rotating()
    }

    /// The methods of a fixed filter whose layout has [values](crate::layout::WithValues); `None`
    /// if this one has no values.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, layout::{Lanes, Shape}};
    ///
    /// let shape = Shape::of::<Lanes<3, 13, 8>>();
    /// let filter = CuckooFilter::builder().capacity(1_000).build_shape(shape)?;
    /// let hops = filter.valued().expect("it has values");
    /// let hash = filter.hash_one("10.0.0.1");
    /// hops.insert_value_hash(hash, 17)?;
    /// assert_eq!((hops.value_hash(hash), hops.max_value()), (Some(17), 255));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn valued(&self) -> Option<&dyn StoresValues> {
        self.engine().valued()
    }
}

/// Boxes the engine. Nothing is copied.
impl<E: Buildable, S> From<Filter<E, S>> for DynFilter<S> {
    fn from(filter: Filter<E, S>) -> Self {
        Self::of(Dyn(Box::new(filter.engine)), filter.hasher)
    }
}

/// Filters whose layout is chosen at run time.
impl<E: Buildable, S> FilterBuilder<E, S> {
    /// Builds the smallest filter whose [rate of false positives](Filter::false_positive_rate) is
    /// at most `rate` when it holds the number of items that it is sized for. `rate` is from 1e-9
    /// to below 1.
    ///
    /// It chooses among the [`Layout`]s without values. If no layout has such a low rate at full
    /// load, or if a simpler layout takes less memory with a larger table, it enlarges the table.
    /// If the number of [`buckets`](Self::buckets) is set, it chooses the layout with which these
    /// buckets hold the most items. Among equal filters it prefers [`Lanes`](crate::layout::Lanes),
    /// and then the lowest rate.
    ///
    /// The rate also becomes the filter's
    /// [`max_false_positive_rate`](Self::max_false_positive_rate). For a rotating filter it is the
    /// rate with all generations full.
    ///
    /// A growing filter has buckets of 4 slots of 16 bits, so there is nothing to choose, as for
    /// [`layout`](Self::layout). Use `max_false_positive_rate`.
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
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let build = |rate| CuckooFilter::builder().capacity(100_000).build_smallest(rate);
    /// let (coarse, fine) = (build(0.05)?, build(1e-9)?);
    /// assert!(4 * coarse.memory_usage() < fine.memory_usage());
    ///
    /// fine.insert("a")?;
    /// assert!(fine.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn build_smallest(mut self, rate: f64) -> Result<DynFilter<S>, BuildError>
    where
        E: AnyLayout,
    {
        let (shape, plan) = smallest::<E>(&self.plan, rate)?;
        self.plan = plan;
        self.build_shape(shape)
    }

    /// Builds the filter with the layout of this shape. Not available for growing filters, like
    /// [`layout`](Self::layout).
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{RotatingCuckooFilter, layout::Shape};
    ///
    /// for &shape in Shape::ALL {
    ///     let filter = RotatingCuckooFilter::builder().build_shape(shape)?;
    ///     assert_eq!(filter.shape(), shape);
    /// }
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    pub fn build_shape(self, shape: Shape) -> Result<DynFilter<S>, BuildError>
    where
        E: AnyLayout,
    {
        shape.call(BuildWith(self))
    }
}

/// What the filter will take, before it is built.
impl<E: AnyLayout, S> FilterBuilder<E, S> {
    /// The [`measure`](Self::measure) of the filter that [`build_smallest`](Self::build_smallest)
    /// would return, with the layout that it would choose. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`measure`](Self::measure).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().capacity(1_000_000);
    /// for rate in [0.05, 0.01, 0.001] {
    ///     let measures = builder.measure_smallest(rate)?;
    ///     println!("{rate}: {} takes {} bytes", measures.layout, measures.memory_usage);
    /// }
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    pub fn measure_smallest(&self, rate: f64) -> Result<Measures, BuildError> {
        let (shape, plan) = smallest::<E>(&self.plan, rate)?;
        shape.call(Measure::<E, S>::of(&plan))
    }

    /// The [`measure`](Self::measure) of the filter that [`build_shape`](Self::build_shape) would
    /// return. Allocates nothing.
    ///
    /// # Errors
    ///
    /// As [`measure`](Self::measure).
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, layout::Shape};
    ///
    /// let builder = CuckooFilter::builder().capacity(1_000_000);
    /// for &shape in Shape::ALL {
    ///     println!("{shape}: {} bytes", builder.measure_shape(shape)?.memory_usage);
    /// }
    /// # Ok::<(), lockfree_cuckoo::BuildError>(())
    /// ```
    pub fn measure_shape(&self, shape: Shape) -> Result<Measures, BuildError> {
        shape.call(Measure::<E, S>::of(&self.plan))
    }
}

/// The layout of the smallest filter that keeps to a rate, and the plan of that filter.
pub(super) fn smallest<E: Buildable>(plan: &Plan, rate: f64) -> Result<(Shape, Plan), BuildError> {
    let (shape, size) = plan::smallest(plan.size()?, E::rated_load(plan), rate)?;
    let mut plan = plan.clone();
    plan.chosen = Some(size);
    plan.rate = Some(rate);
    Ok((shape, plan))
}

/// Measures a filter with the layout for which it is called.
struct Measure<'a, E, S> {
    plan: &'a Plan,
    filter: PhantomData<fn() -> Filter<E, S>>,
}

impl<'a, E, S> Measure<'a, E, S> {
    fn of(plan: &'a Plan) -> Self {
        let filter = PhantomData;
        Self { plan, filter }
    }
}

impl<E: AnyLayout, S> ForLayout for Measure<'_, E, S> {
    type Output = Result<Measures, BuildError>;

    fn call<L: Layout>(self) -> Self::Output {
        E::With::<L>::measures(self.plan, Filter::<E::With<L>, S>::BYTES)
    }
}

/// Builds with the layout for which it is called.
struct BuildWith<E: Buildable, S>(FilterBuilder<E, S>);

impl<E: AnyLayout, S> ForLayout for BuildWith<E, S> {
    type Output = Result<DynFilter<S>, BuildError>;

    fn call<L: Layout>(self) -> Self::Output {
        let Filter { engine, hasher } = self.0.layout::<L>().build()?;
        Ok(DynFilter::of(Dyn::of(engine)?, hasher))
    }
}
