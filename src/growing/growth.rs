//! Growth and shrinking: replacing the list.

use std::sync::Arc;

use super::GrowingCuckooFilter;
use super::chain::Chain;
use super::segment::Segment;
use crate::allocate::OutOfMemory;
use crate::bucket::Bucket;
use crate::error::{GrowthError, InsertError, Limit};
use crate::geometry::Geometry;
use crate::insertion::ATTEMPTS;
use crate::measures::any_of;
use crate::published::{Guard, pin};
use crate::sync::{self, Event};
use crate::tokens::Refusal;

/// What a filter may grow to, and how fast.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) factor: usize,
    pub(crate) false_positive_rate: f64,
    pub(crate) memory: usize,
}

/// Disturbed attempts that an insert makes before it takes the segment for full: so many only bad luck explains,
/// and in another segment it meets nobody.
const PERSEVERANCE: usize = 16 * ATTEMPTS;

/// One of so many slots must be in use before a segment is taken for full. What refuses an item at less is full
/// of copies, or hashed badly, and more memory would not help.
const LEAST_LOAD: usize = 8;

/// Buckets that are built in the time of one yield, about.
const BUCKETS_PER_YIELD: usize = 64;

/// Times that a thread has to be seen unpinned before what it could see is freed, and as often again, because
/// that sealing comes before unlinking.
const ADVANCES: usize = if sync::MODEL { 2 } else { 10 };

/// The false-positive rate of this many segments that are all full.
pub(crate) fn rate_of_full(segments: usize) -> f64 {
    any_of(segments as f64 * 2.0 * Bucket::SLOTS as f64)
}

impl Limits {
    /// The geometry of the next segment, or why there is none.
    fn next(&self, chain: &Chain, bytes: usize) -> Result<Geometry, Limit> {
        let rate = rate_of_full(chain.segments().len() + 1);
        if rate > self.false_positive_rate {
            return Err(Limit::FalsePositiveRate {
                rate: rate.to_bits(),
                most: self.false_positive_rate.to_bits(),
            });
        }
        if chain.segments().len() >= Chain::MOST {
            return Err(Limit::Segments);
        }
        let target = chain.target().geometry();
        let geometry = target.refined(self.factor).ok_or(Limit::Buckets)?;
        let more = Segment::bytes_for(geometry).map_err(Limit::from)?;
        let bytes = bytes.saturating_add(more);
        if bytes > self.memory {
            return Err(Limit::Memory {
                bytes,
                most: self.memory,
            });
        }
        Ok(geometry)
    }
}

impl From<OutOfMemory> for Limit {
    fn from(OutOfMemory { bytes }: OutOfMemory) -> Self {
        Self::OutOfMemory { bytes }
    }
}

impl<S> GrowingCuckooFilter<S> {
    /// After a refusal: sees to it that another attempt makes sense, or says why none does.
    #[cold]
    pub(super) fn make_room(
        &self,
        chain: &Chain,
        refusal: Refusal,
        disturbed: &mut usize,
        guard: &Guard,
    ) -> Result<(), InsertError> {
        let target = chain.target();
        match refusal {
            Refusal::AllCopies => Err(InsertError::TooManyCopies {
                copies: 2 * Bucket::SLOTS,
            }),
            Refusal::Disturbed => {
                *disturbed += ATTEMPTS - 1;
                self.go_on(chain, disturbed, guard)
            }
            Refusal::NoPath => {
                let (len, slots) = (target.len(), target.slots());
                if len >= slots / LEAST_LOAD {
                    return self.grow(chain, guard);
                }
                // It may have been full when there was no path, and emptied since.
                *disturbed += PERSEVERANCE / 2;
                if *disturbed > PERSEVERANCE {
                    return Err(InsertError::Full { len, slots });
                }
                Ok(())
            }
        }
    }

    /// After an attempt that others disturbed.
    pub(super) fn go_on(
        &self,
        chain: &Chain,
        disturbed: &mut usize,
        guard: &Guard,
    ) -> Result<(), InsertError> {
        *disturbed += 1;
        if *disturbed < PERSEVERANCE {
            return Ok(());
        }
        *disturbed = 0;
        self.grow(chain, guard)
    }

    /// Replaces the list by one with another segment, or finds that it has been replaced.
    #[cold]
    fn grow(&self, chain: &Chain, guard: &Guard) -> Result<(), InsertError> {
        if !self.chain.is(chain, guard) {
            return Ok(());
        }
        let cannot = |limit| {
            // Another one's growth is everybody's.
            if !self.chain.is(chain, guard) {
                return Ok(());
            }
            let error = GrowthError {
                segments: chain.segments().len(),
                limit,
            };
            Err(InsertError::CannotGrow { error })
        };
        let geometry = match self.limits.next(chain, self.bytes_of(chain)) {
            Ok(geometry) => geometry,
            Err(limit) => return cannot(limit),
        };
        if chain.announce_builder() > 0 && self.is_replaced_soon(chain, geometry, guard) {
            return Ok(());
        }
        match Segment::new(geometry, self.search_budget) {
            Ok(segment) => {
                self.retarget(chain, segment, guard);
            }
            Err(error) => return cannot(error.into()),
        }
        self.unlink_drained(guard);
        Ok(())
    }

    /// Gives the one who builds already about the time that it takes. Not more: it may never finish.
    fn is_replaced_soon(&self, chain: &Chain, geometry: Geometry, guard: &Guard) -> bool {
        let patience = if sync::MODEL {
            0
        } else {
            geometry.buckets() / BUCKETS_PER_YIELD
        };
        (0..=patience).any(|_| {
            let replaced = !self.chain.is(chain, guard);
            if !replaced {
                sync::yield_now();
            }
            replaced
        })
    }

    /// Makes a new segment the target. False: the list has been replaced, and it was built in vain.
    fn retarget(&self, chain: &Chain, segment: Segment, guard: &Guard) -> bool {
        if chain.segments().len() >= Chain::MOST {
            return false;
        }
        let last = Arc::clone(chain.target());
        let replaced = self.chain.replace(chain, chain.with_target(segment), guard);
        if replaced {
            sync::happened(Event::Growth);
            // Whoever may still insert there is pinned now. When that is over, no insert comes any more.
            guard.defer(move || last.seal());
            // Handed to all threads: this one may not come back for long.
            guard.flush();
        } else {
            sync::happened(Event::Vain);
        }
        replaced
    }

    /// Adds a segment of so many buckets, which takes the inserts from now on, unless another thread is quicker.
    /// Inserts do this on their own when there is no room; checks want it at will.
    #[doc(hidden)]
    pub fn add_segment(&self, buckets: usize) -> bool {
        let guard = pin();
        let chain = self.chain.load(&guard);
        let geometry = Geometry::with_buckets(buckets)
            .filter(|geometry| geometry.ranges() == self.start.ranges())
            .expect("a refinement, or one of which this is one");
        let segment = Segment::new(geometry, self.search_budget).expect("memory");
        self.retarget(chain, segment, &guard)
    }

    /// Takes out the segments that removal has emptied for ever.
    pub(super) fn unlink_drained(&self, guard: &Guard) {
        let chain = self.chain.load(guard);
        if let Some(shorter) = chain.without_drained()
            && self.chain.replace(chain, shorter, guard)
        {
            sync::happened(Event::Unlink);
            guard.flush();
        }
    }

    /// Frees what is empty, while others go on: takes out the segments that removal has emptied, and if the whole
    /// filter is empty, begins anew with a segment of the first size.
    ///
    /// A segment is freed when every thread has been seen outside of an operation of any filter that grows (or of
    /// anything else that uses the same [epochs](https://docs.rs/crossbeam-epoch)). So while others are at work
    /// some of it may come later, with the next growth, removal or call of this; and the memory of a segment
    /// that holds a single item stays.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let filter = GrowingCuckooFilter::with_capacity(100);
    /// let start = filter.memory_usage();
    /// for item in 0..10_000 {
    ///     filter.insert(&item)?;
    /// }
    /// assert!(filter.memory_usage() > 4 * start);
    /// for item in 0..10_000 {
    ///     assert!(filter.remove(&item));
    /// }
    /// filter.shrink_to_fit();
    /// assert_eq!(filter.memory_usage(), start);
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    pub fn shrink_to_fit(&self) {
        for _ in 0..ADVANCES {
            let guard = pin();
            self.unlink_drained(&guard);
            let chain = self.chain.load(&guard);
            // Not before the others are gone: if a thread stands still they stay, and would be more each time.
            if let [last] = chain.segments()
                && last.geometry() != self.start
                && last.len() == 0
                && let Ok(segment) = Segment::new(self.start, self.search_budget)
            {
                self.retarget(chain, segment, &guard);
            }
            guard.flush();
        }
    }
}
