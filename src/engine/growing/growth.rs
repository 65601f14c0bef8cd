//! Growth and shrinking: replacing the list.

use super::Growing;
use super::chain::Chain;
use super::kept::Fresh;
use super::link::Link;
use super::published::{Guard, Next, pin};
use crate::error::{GrowthError, InsertError, OutOfMemory};
use crate::layout::Layout;
use crate::sync::{self, Event};
use crate::table::Geometry;
use crate::table::sizing::pair_slots;
use crate::tokens::{ATTEMPTS, Refusal};

/// The number of disturbed attempts after which an insert treats the segment as full. Only bad luck explains so
/// many, and in a new segment no other writer disturbs it.
const PERSEVERANCE: usize = 16 * ATTEMPTS;

/// A segment counts as full only if at least one of this many slots is in use. If a segment refuses an item at a
/// lower load, it has too many copies or a poor hasher, and more memory would not help.
const LEAST_LOAD: usize = 8;

/// About the number of buckets that a thread can build in the time of one yield.
const BUCKETS_PER_YIELD: usize = 64;

/// How often a thread must be seen unpinned before a segment that it could insert into is sealed, and taken out.
const ADVANCES: usize = if sync::MODEL { 2 } else { 10 };

impl<L: Layout> Growing<L> {
    /// After a refusal: makes another attempt useful, or returns why it would be useless.
    #[cold]
    pub(super) fn make_room(
        &self,
        chain: &Chain<L>,
        refusal: Refusal,
        disturbed: &mut usize,
        guard: &Guard,
    ) -> Result<(), InsertError> {
        let target = chain.target();
        match refusal {
            Refusal::AllCopies => Err(InsertError::TooManyCopies {
                copies: pair_slots::<L>(),
            }),
            Refusal::Disturbed | Refusal::Starved => {
                *disturbed += ATTEMPTS - 1;
                self.go_on(chain, disturbed, guard)
            }
            Refusal::NoPath => {
                let (len, slots) = (target.segment.len(), target.segment.slots());
                if len >= slots / LEAST_LOAD {
                    return self.grow(chain, guard);
                }
                // The segment may have been full when no path was found, and emptied since.
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
        chain: &Chain<L>,
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
    fn grow(&self, chain: &Chain<L>, guard: &Guard) -> Result<(), InsertError> {
        if !self.published.is(chain, guard) {
            return Ok(());
        }
        let cannot = |limit| {
            // The filter has grown after all: another thread has replaced the list.
            if !self.published.is(chain, guard) {
                return Ok(());
            }
            let error = GrowthError {
                segments: chain.links().count(),
                limit,
            };
            Err(InsertError::CannotGrow { error })
        };
        let bytes = |geometry| self.bytes_with(chain, geometry);
        let geometry = match self.limits.next(chain, bytes, self.memory_now()) {
            Ok(geometry) => geometry,
            Err(limit) => return cannot(limit),
        };
        if chain.announce_builder() > 0 && self.is_replaced_soon(chain, geometry, guard) {
            return Ok(());
        }
        match self.next_link(geometry) {
            Ok(next) => {
                self.retarget(chain, next, guard);
            }
            Err(error) => return cannot(error.into()),
        }
        self.unlink_drained(guard);
        Ok(())
    }

    /// A segment of this geometry that was parked, or a new one.
    fn next_link(&self, geometry: Geometry<L>) -> Result<Next<'_, L>, OutOfMemory> {
        match self.published.take(geometry) {
            Some(link) => Ok(Next::Used(link)),
            None => Ok(Next::New(Fresh::new(self.new_link(geometry)?))),
        }
    }

    /// Waits about as long as building takes, for the thread that already builds. Not longer, because it may never
    /// finish.
    fn is_replaced_soon(&self, chain: &Chain<L>, geometry: Geometry<L>, guard: &Guard) -> bool {
        let patience = if sync::MODEL {
            0
        } else {
            geometry.buckets() / BUCKETS_PER_YIELD
        };
        (0..=patience).any(|_| {
            let replaced = !self.published.is(chain, guard);
            if !replaced {
                sync::yield_now();
            }
            replaced
        })
    }

    /// Makes a segment the target. Returns false if the list has been replaced; then it was built in vain.
    fn retarget(&self, chain: &Chain<L>, next: Next<'_, L>, guard: &Guard) -> bool {
        let last = chain.target();
        let replaced = self.published.retarget(chain, next, guard);
        if replaced {
            sync::happened(Event::Growth);
            // Every thread that may still insert there is pinned now. After they are all unpinned, no further
            // insert comes.
            guard.defer(last.sealing());
            // Handed to all threads: this one may not come back for long.
            guard.flush();
        } else {
            sync::happened(Event::Vain);
        }
        replaced
    }

    /// Adds a segment of this many buckets, which takes the inserts from now on, unless another thread is quicker.
    /// Inserts do this on their own when there is no room; checks want it at will.
    pub(crate) fn add_segment(&self, buckets: usize) -> bool {
        let guard = pin();
        let chain = self.published.load(&guard);
        let geometry = Geometry::with_buckets(buckets)
            .filter(|geometry| geometry.ranges() == self.start.ranges())
            .expect("a refinement, or one of which this is one");
        if chain.links().count() >= Chain::<L>::MOST {
            return false;
        }
        let next = self.next_link(geometry).expect("memory");
        self.retarget(chain, next, &guard)
    }

    /// Takes out the segments that removal has emptied, and parks them.
    pub(super) fn unlink_drained(&self, guard: &Guard) {
        let chain = self.published.load(guard);
        if let Some((list, drained)) = chain.without_drained()
            && self.published.replace(chain, &list, guard)
        {
            sync::happened(Event::Unlink);
            drained.into_iter().for_each(Link::park);
            guard.flush();
        }
    }

    /// Gives back what is empty, while other threads go on: takes out the segments that removal has emptied, and if the
    /// whole filter is empty, begins anew with a segment of the first size.
    pub(crate) fn shrink_to_fit(&self) {
        for _ in 0..ADVANCES {
            let guard = pin();
            self.unlink_drained(&guard);
            let chain = self.published.load(&guard);
            // Only when the other segments are gone from the list: while a thread is stopped they stay, and every
            // call would add one more.
            let mut links = chain.links();
            if let (Some(last), None) = (links.next(), links.next())
                && last.geometry() != self.start
                && last.segment.len() == 0
                && let Ok(first) = self.next_link(self.start)
            {
                self.retarget(chain, first, &guard);
            }
            guard.flush();
        }
    }
}
