//! Why a filter could not be built. If its rate of false positives is too high: the layouts that would do.

use core::fmt;

use super::{OutOfMemory, Rate};
use crate::layout::Shape;

/// Why a filter could not be built. Says what was asked for and what is possible.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::CuckooFilter;
///
/// let error = CuckooFilter::try_with_capacity(usize::MAX).unwrap_err();
/// assert_eq!(error.requested(), usize::MAX);
/// assert!(error.possible().is_some_and(|most| most < usize::MAX));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError(pub(crate) Cause);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cause {
    Capacity {
        items: usize,
        most: usize,
    },
    Buckets {
        buckets: usize,
        nearest: usize,
        /// Most ranges that a table is divided into.
        ranges: usize,
    },
    SearchBudget {
        budget: usize,
        nearest: usize,
    },
    OutOfMemory(OutOfMemory),
    RateOutOfRange {
        rate: Rate,
        /// The least that is possible; 0 if all above that are.
        least: Rate,
    },
    FalsePositives(TooManyFalsePositives),
    Memory {
        most: usize,
        least: usize,
    },
    Generations {
        generations: usize,
        nearest: usize,
    },
}

impl BuildError {
    /// Returns true if the request was valid, but its memory could not be allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// let error = lockfree_cuckoo::CuckooFilter::try_with_capacity(usize::MAX).unwrap_err();
    /// assert!(!error.is_out_of_memory());
    /// ```
    #[must_use]
    pub fn is_out_of_memory(&self) -> bool {
        matches!(self.0, Cause::OutOfMemory(_))
    }

    /// The number that was refused: items, buckets, the search budget, bytes of memory, or generations; 0 for a rate, which [`requested_rate`](Self::requested_rate) returns.
    #[must_use]
    pub fn requested(&self) -> usize {
        match self.0 {
            Cause::Capacity { items, .. } => items,
            Cause::Buckets { buckets, .. } => buckets,
            Cause::SearchBudget { budget, .. } => budget,
            Cause::OutOfMemory(error) => error.bytes(),
            Cause::RateOutOfRange { .. } | Cause::FalsePositives(_) => 0,
            Cause::Memory { most, .. } => most,
            Cause::Generations { generations, .. } => generations,
        }
    }

    /// The bytes that the filter would have needed at the start; `None` unless a limit on its memory was what was wrong.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().capacity(1_000_000).max_memory_usage(1 << 20);
    /// let error = builder.build().unwrap_err();
    /// assert!(error.memory_needed().is_some_and(|bytes| bytes > 1 << 20));
    /// ```
    #[must_use]
    pub fn memory_needed(&self) -> Option<usize> {
        match self.0 {
            Cause::Memory { least, .. } => Some(least),
            _ => None,
        }
    }

    /// Returns the nearest possible number of the same kind; there may not be enough memory for it. Returns `None`
    /// for a rate (see [`false_positive_rate`](Self::false_positive_rate)), and if memory could not be allocated, because the free memory is unknown.
    #[must_use]
    pub fn possible(&self) -> Option<usize> {
        match self.0 {
            Cause::Capacity { most, .. } => Some(most),
            Cause::Buckets { nearest, .. } | Cause::SearchBudget { nearest, .. } => Some(nearest),
            Cause::OutOfMemory(_) => None,
            Cause::RateOutOfRange { .. } | Cause::FalsePositives(_) => None,
            Cause::Memory { least, .. } => Some(least),
            Cause::Generations { nearest, .. } => Some(nearest),
        }
    }
}

/// Of a rate of false positives that was refused
/// ([`max_false_positive_rate`](crate::FilterBuilder::max_false_positive_rate)).
impl BuildError {
    /// The rate that was refused; `None` if something else was.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let builder = CuckooFilter::builder().capacity(1_000_000).max_false_positive_rate(0.000_01);
    /// let error = builder.build().unwrap_err();
    /// assert_eq!(error.requested_rate(), Some(0.000_01));
    /// assert!(error.false_positive_rate().is_some_and(|rate| rate > 0.000_01));
    /// assert!(error.layouts().all(|shape| shape.fingerprint_bits() > 16));
    /// ```
    #[must_use]
    pub fn requested_rate(&self) -> Option<f64> {
        match &self.0 {
            Cause::RateOutOfRange { rate, .. } => Some(rate.get()),
            Cause::FalsePositives(error) => Some(error.most.get()),
            _ => None,
        }
    }

    /// The rate that the filter would have had; `None` if that is not what was wrong.
    #[must_use]
    pub fn false_positive_rate(&self) -> Option<f64> {
        match &self.0 {
            Cause::FalsePositives(error) => Some(error.rate.get()),
            _ => None,
        }
    }

    /// The layouts with which the same filter would have had so low a rate, from the one with the most slots to the one
    /// with the fewest. Empty if no layout has, if the filter grows and so has no other, and if the rate is not what was
    /// wrong.
    pub fn layouts(&self) -> impl Iterator<Item = Shape> {
        let others = match &self.0 {
            Cause::FalsePositives(error) => error.others,
            _ => None,
        };
        others.into_iter().flat_map(Shapes::iter)
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Cause::Capacity { items, most } => {
                write!(
                    out,
                    "a capacity of {items} items is too large: at most {most} are possible"
                )
            }
            Cause::Buckets {
                buckets,
                nearest,
                ranges,
            } => write!(
                out,
                "{buckets} buckets are not possible: the number must be a power of two from 2, times a factor of at most {ranges}; \
                 use {nearest}, the nearest possible number"
            ),
            Cause::SearchBudget { budget, nearest } => write!(
                out,
                "a search budget of {budget} buckets is out of range: use {nearest}, the nearest possible number"
            ),
            Cause::OutOfMemory(error) => error.fmt(out),
            Cause::RateOutOfRange { rate, least } if least.get() > 0.0 => write!(
                out,
                "a false-positive rate of {} is not possible: use a rate of at least {} and below 1",
                rate.exact(),
                least.exact()
            ),
            Cause::RateOutOfRange { rate, .. } => write!(
                out,
                "a false-positive rate of {} is not possible: use a rate above 0 and below 1",
                rate.exact()
            ),
            Cause::FalsePositives(ref error) => error.fmt(out),
            Cause::Generations {
                generations,
                nearest,
            } => write!(
                out,
                "{generations} generations are not possible: use {nearest}, the nearest possible number"
            ),
            Cause::Memory { most, least } => write!(
                out,
                "a memory limit of {most} bytes is too low: the filter needs {least} bytes at the start"
            ),
        }
    }
}

impl core::error::Error for BuildError {}

impl BuildError {
    /// No `From`: with a second one, a `?` in a closure could not tell which error is meant.
    pub(crate) fn out_of_memory(error: OutOfMemory) -> Self {
        Self(Cause::OutOfMemory(error))
    }
}

/// A filter that has a rate of false positives at capacity of more than it may have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TooManyFalsePositives {
    /// The rate that was asked for.
    pub(crate) most: Rate,
    /// The rate of the layout.
    pub(crate) rate: Rate,
    /// The layout that the caller chose, or the one with the lowest rate.
    pub(crate) shape: Shape,
    pub(crate) content: Content,
    /// The layouts whose rate is low enough; `None` if the caller left the choice to the builder.
    pub(crate) others: Option<Shapes>,
}

/// What is in a filter when its rate is judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// So many items in each table.
    Items { items: usize, tables: usize },
    /// The only table has no vacant slot: of a growing filter, which has no other layout.
    Full,
}

/// A set of layouts.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Shapes(u16);

impl Shapes {
    /// The layouts in it, in the order of [`Shape::ALL`].
    pub(crate) fn iter(self) -> impl Iterator<Item = Shape> {
        const { assert!(Shape::ALL.len() <= u16::BITS as usize) };
        let all = Shape::ALL.into_iter().enumerate();
        all.filter_map(move |(index, shape)| (self.0 >> index & 1 == 1).then_some(shape))
    }
}

impl FromIterator<Shape> for Shapes {
    fn from_iter<T: IntoIterator<Item = Shape>>(shapes: T) -> Self {
        Self(shapes.into_iter().fold(0, |set, shape| {
            let index = Shape::ALL.iter().position(|&other| other == shape);
            index.map_or(set, |index| set | 1 << index)
        }))
    }
}

impl fmt::Debug for Shapes {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for Content {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Items { items, tables: 1 } => write!(out, "with {items} items"),
            Self::Items { items, tables } => {
                write!(out, "with {tables} generations of {items} items each")
            }
            Self::Full => out.write_str("when the first table is full"),
        }
    }
}

impl fmt::Display for TooManyFalsePositives {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            most,
            rate,
            shape,
            content,
            others,
        } = self;
        let most = most.exact();
        let Some(others) = others else {
            return write!(
                out,
                "a false-positive rate of {most} is too low for every layout: the lowest, that of `{shape}`, is {rate} \
                 {content}; set a higher one",
            );
        };
        write!(
            out,
            "a false-positive rate of {most} is too low for the layout `{shape}`, which has {rate} {content}: ",
        )?;
        if *content == Content::Full {
            return out.write_str("a growing filter has no other layout, so set a higher one");
        }
        let count = others.iter().count();
        for (index, other) in others.iter().enumerate() {
            let before = match index {
                0 => "use ",
                _ if index + 1 == count => " or ",
                _ => ", ",
            };
            write!(out, "{before}`{other}`")?;
        }
        if count == 0 {
            out.write_str("no other layout has so low a rate, so set a higher one")?;
        }
        Ok(())
    }
}
