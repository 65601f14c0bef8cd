//! The pool: how many descriptors a table has, which thread takes which, and how there come to be
//! more.

#[cfg(feature = "shared")]
use alloc::sync::Arc;
use core::iter;
use core::marker::PhantomData;
use core::ops::Range;

use crate::allocate;
use crate::allocate::Part;
use crate::error::OutOfMemory;
use crate::kernel::descriptor::{Claim, Control, Descriptor, Descriptors, Resolved, Status};
use crate::kernel::layout::Layout;
#[cfg(feature = "shared")]
use crate::kernel::seats::Seats;
use crate::kernel::seats::THIS_PROCESS;
#[cfg(feature = "growing")]
use crate::kernel::transfer::Transfer;
use crate::kernel::word::{MAX_DESCRIPTORS, Reference};
use crate::sync;
use crate::sync::{Event, OnceBox};

/// The descriptors of one table, shared by all its slow paths: a list of segments. A claim adds as
/// many as there are, up to the maximum.
///
/// A claim that finds all descriptors taken adds a segment, and so does a table that gets more
/// words. None is removed while the table is shared. So a thread that stops for good with a
/// descriptor costs memory, and no other thread's progress, as long as there are fewer than the
/// maximum.
#[derive(Debug)]
pub(crate) struct Pool<L> {
    first: Part<Descriptor>,
    /// How many of the first segment each belong to one thread.
    own: u16,
    limits: Limits,
    /// The processes that share it, if it is not of this one alone.
    #[cfg(feature = "shared")]
    seats: Option<Arc<dyn Seats>>,
    layout: PhantomData<L>,
}

/// What is the same for all segments of a pool.
#[derive(Clone, Copy, Debug)]
struct Limits {
    most: u16,
    exclusive: u16,
}

impl Limits {
    fn new(most: usize, exclusive: usize) -> Self {
        const { assert!(MAX_DESCRIPTORS <= u16::MAX as usize) };
        Self {
            most: most.min(MAX_DESCRIPTORS) as u16,
            exclusive: exclusive as u16,
        }
    }

    /// The maximum number of descriptors.
    fn most(self) -> usize {
        self.most as usize
    }

    /// The numbers below this one each belong to one thread alone: none if other processes have
    /// threads of these numbers too.
    fn exclusive(self) -> usize {
        self.exclusive as usize
    }

    /// How many descriptors of a segment of this length, which ends at `end`, each belong to one
    /// thread.
    ///
    /// Added segments do not change this: in each segment, a descriptor that a thread writes
    /// without a locked instruction always belongs to that thread, whichever segments other threads
    /// know of.
    #[inline]
    fn own(self, end: usize, length: usize) -> usize {
        // Leave at least half of each segment to be shared: threads without a number, and a signal
        // handler inside a call, need one too.
        (end / 4).min(self.exclusive()).min(length / 2)
    }
}

/// How many descriptors a pool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolSize {
    /// The number that it begins with.
    pub(crate) first: usize,
    /// The number that it never exceeds, up to [`MAX_DESCRIPTORS`].
    pub(crate) most: usize,
}

/// A segment of the pool.
#[derive(Clone, Copy, Debug)]
struct Segment<'a> {
    descriptors: &'a [Descriptor],
    /// The number of the first descriptor.
    first: usize,
    /// This many, from the first on, each belong to the thread of the same number. All other claims
    /// share the rest.
    own: usize,
    limits: Limits,
}

/// The fewest descriptors of a table: if a thread dies with one, another is left.
const MIN_DESCRIPTORS: usize = if sync::MODEL { 16 } else { 2 };

impl PoolSize {
    /// Four descriptors per thread that the machine runs, one of them its own, and at least 64, so
    /// that a claim seldom fails. A small table has fewer: that many transfers at once would
    /// disturb each other, and they would take more than a 16th of the bytes of its words.
    pub(crate) fn of_table(buckets: usize) -> Self {
        Self::on(sync::parallelism(), buckets)
    }

    /// This number, to which none is added.
    pub(crate) fn exactly(descriptors: usize) -> Self {
        Self {
            first: descriptors,
            most: descriptors,
        }
    }

    /// The heap bytes of a new pool of this size.
    pub(crate) fn bytes(self) -> usize {
        self.first * size_of::<Descriptor>()
    }

    /// [`of_table`](Self::of_table) on a machine that runs this many threads.
    fn on(threads: usize, buckets: usize) -> Self {
        // Take a power of two: a descriptor has 64 bytes, 128 words have 1024.
        let affordable = (buckets / 128).max(1).ilog2();
        Self {
            first: enough(threads).min(MIN_DESCRIPTORS.max(1 << affordable)),
            most: MAX_DESCRIPTORS,
        }
    }
}

/// The number of descriptors that suffices for a table of any size, on a machine that runs this
/// many threads.
fn enough(threads: usize) -> usize {
    threads.saturating_mul(4).clamp(64, MAX_DESCRIPTORS)
}

impl<'a> Segment<'a> {
    /// The segment added after this one, if there is one.
    #[inline]
    fn next(self) -> Option<Self> {
        // Do not read the place for it if none can be added: in memory that other processes write,
        // anything may be there.
        if self.end() >= self.limits.most() {
            return None;
        }
        // Acquire, as `OnceBox` says: pairs with the Release of the thread that added the segment.
        let next = self.last()?.next.get()?;
        Some(self.followed_by(next))
    }

    /// The segment after this one: the one that is there, or a new one of `more` descriptors.
    /// Threads that add a segment at once meet here: one adds it, and all get the same.
    fn next_or_add(self, more: usize) -> Result<Self, OutOfMemory> {
        let Some(last) = self.last() else {
            return Ok(self);
        };
        // Link the new descriptors to the last one: the thread that links first decides for all.
        // Release and Acquire, as `OnceBox` says: who finds the segment finds it initialized.
        let added = || allocate::boxed(allocate::slice(more, Descriptor::new)?);
        let next = last.next.get_or_try_init(added)?;
        Ok(self.followed_by(next))
    }

    /// The last descriptor. No segment is empty.
    #[inline]
    fn last(self) -> Option<&'a Descriptor> {
        self.descriptors.last()
    }

    #[inline]
    fn followed_by(self, descriptors: &'a Descriptors) -> Self {
        let first = self.end();
        let end = first + descriptors.len();
        Self {
            descriptors,
            first,
            own: self.limits.own(end, descriptors.len()),
            limits: self.limits,
        }
    }

    /// The number of descriptors up to the end of this segment.
    #[inline]
    fn end(self) -> usize {
        self.first + self.descriptors.len()
    }

    /// An unused descriptor: the thread's own, or one of those that threads share.
    fn claim<L>(self, thread: usize, owner: u64) -> Option<Claim<'a, L>> {
        self.claim_own(thread)
            .or_else(|| self.claim_shared(thread, owner))
    }

    /// The thread's own descriptor, if it has one that is free: without a locked instruction.
    #[inline]
    fn claim_own<L>(self, thread: usize) -> Option<Claim<'a, L>> {
        (thread < self.own && self.descriptors[thread].take_own()).then(|| self.claimed(thread))
    }

    fn claim_shared<L>(self, thread: usize, owner: u64) -> Option<Claim<'a, L>> {
        // Try the shared ones in turn, each thread from a place of its own, so that they seldom
        // meet.
        let shared = self.descriptors.len() - self.own;
        (0..shared).find_map(|step| {
            let index = self.own + (thread + step) % shared;
            self.descriptors[index]
                .take_shared(owner)
                .then(|| self.claimed(index))
        })
    }

    fn claimed<L>(self, index: usize) -> Claim<'a, L> {
        Claim::of(&self.descriptors[index], self.first + index)
    }
}

impl<L: Layout> Pool<L> {
    pub(crate) fn new(size: PoolSize) -> Result<Self, OutOfMemory> {
        debug_assert!((1..=MAX_DESCRIPTORS).contains(&size.first));
        let limits = Limits::new(size.most, sync::EXCLUSIVE);
        Ok(Self {
            first: allocate::slice(size.first, Descriptor::new)?.into(),
            own: limits.own(size.first, size.first) as u16,
            limits,
            #[cfg(feature = "shared")]
            seats: None,
            layout: PhantomData,
        })
    }

    /// The descriptors that are there already, of several processes.
    #[cfg(feature = "shared")]
    pub(crate) fn of_processes(descriptors: Part<Descriptor>, seats: Arc<dyn Seats>) -> Self {
        Self {
            limits: Limits::new(descriptors.len(), 0),
            first: descriptors,
            own: 0,
            seats: Some(seats),
            layout: PhantomData,
        }
    }

    /// The owner of what the calling thread claims. `None` if its process
    /// has none.
    #[cfg_attr(not(feature = "shared"), allow(clippy::unnecessary_wraps))]
    pub(crate) fn owner(&self) -> Option<u64> {
        #[cfg(feature = "shared")]
        if let Some(seats) = &self.seats {
            return seats.own();
        }
        Some(THIS_PROCESS)
    }

    /// The size of a pool like this one when it was new.
    pub(crate) fn size(&self) -> PoolSize {
        PoolSize {
            first: self.first.len(),
            most: self.limits.most(),
        }
    }

    fn first(&self) -> Segment<'_> {
        Segment {
            descriptors: &self.first,
            first: 0,
            own: self.own as usize,
            limits: self.limits,
        }
    }

    fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        iter::successors(Some(self.first()), |segment| segment.next())
    }

    fn last(&self) -> Segment<'_> {
        self.segments().last().unwrap_or(self.first())
    }

    pub(crate) fn bytes(&self) -> usize {
        let segments = self
            .segments()
            .map(|segment| allocate::bytes(segment.descriptors));
        // Each added segment is in a separate box.
        segments.sum::<usize>() + (self.segments().count() - 1) * size_of::<Descriptors>()
    }

    pub(crate) fn place(&self) -> Range<usize> {
        allocate::place(&self.first)
    }

    /// The segment behind `last`, the last segment when it was read. It is added unless another
    /// thread has added one: then there are twice as many descriptors, or the maximum. `None` at
    /// the maximum, or if there is no memory.
    #[cold]
    fn add<'a>(&self, last: Segment<'a>) -> Option<Segment<'a>> {
        // Double their number, or fill up to the maximum.
        let room = self.limits.most().saturating_sub(last.end());
        match last.end().min(room) {
            0 => last.next(),
            more => last.next_or_add(more).ok(),
        }
    }

    /// Frees the added segments. No word may be frozen, and no descriptor claimed.
    pub(crate) fn shrink(&mut self) {
        // Drop the second segment: each segment owns the one after it.
        if let Some(last) = self.first.own_mut().and_then(<[_]>::last_mut) {
            last.next = OnceBox::new();
        }
    }

    /// An unused descriptor. `None` if all of the maximum stay in use for some time, or if there
    /// are fewer and no memory for more.
    #[inline]
    pub(crate) fn claim(&self) -> Option<Claim<'_, L>> {
        self.try_to_claim()
            .or_else(|| self.claim_later(sync::yield_now))
    }

    /// [`claim`](Self::claim) when all are in use. `wait` lets other threads run.
    #[cold]
    fn claim_later(&self, mut wait: impl FnMut()) -> Option<Claim<'_, L>> {
        sync::trace(Event::Starved);
        // Do not wait if the process can have none.
        self.owner()?;
        // Try again, after others have run: owners may need the processor to finish. A small table
        // has few descriptors, so this is not so rare where threads are preempted. Do not try long:
        // on a busy machine each time takes as long as the turns of all other threads.
        self.claim_after(sync::YIELDS_BEFORE_FAILING / 16, &mut wait)
            // Add descriptors: owners may have stopped for good.
            .or_else(|| self.claim_behind(self.last()))
            // No more can be added: only time may help.
            .or_else(|| self.claim_after(sync::YIELDS_BEFORE_FAILING, &mut wait))
    }

    fn claim_after(&self, waits: usize, wait: &mut impl FnMut()) -> Option<Claim<'_, L>> {
        (0..waits).find_map(|_| {
            wait();
            self.try_to_claim()
        })
    }

    /// A descriptor that is added behind `last`, the last segment when it was read.
    fn claim_behind<'a>(&'a self, mut last: Segment<'a>) -> Option<Claim<'a, L>> {
        // Other threads may take what is added, but only so often: each round ends at a segment
        // behind the last.
        loop {
            last = self.add(last)?;
            if let Some(claim) = last.claim(sync::thread_index(), self.owner()?) {
                return Some(claim);
            }
        }
    }

    /// An unused descriptor.
    #[inline]
    fn try_to_claim(&self) -> Option<Claim<'_, L>> {
        let thread = sync::thread_index();
        // Begin with the thread's own in the first segment: most often it has one.
        self.first()
            .claim_own(thread)
            .or_else(|| self.claim_other(thread))
    }

    /// One of the descriptors added last, if one of them is free; otherwise an earlier one.
    #[inline(never)]
    fn claim_other(&self, thread: usize) -> Option<Claim<'_, L>> {
        // Begin with the segment added last: most often it is the largest.
        claim_from(self.first(), thread, self.owner()?)
    }

    /// The descriptor that a reference names. `None` only if the word was not written by this
    /// crate.
    #[inline]
    fn descriptor(&self, reference: Reference<L>) -> Option<&Descriptor> {
        // Look in the first segment, where nearly all are.
        let index = reference.index();
        self.first.get(index).or_else(|| self.later(index))
    }

    /// One that is not in the first segment.
    #[cold]
    fn later(&self, index: usize) -> Option<&Descriptor> {
        let mut segments = self.segments();
        // Whoever installed the reference had found the segment (or added it) before; the caller
        // read the word with Acquire, so it finds the segment too. Find the segment that the number
        // is in.
        let segment = segments.find(|segment| index < segment.end())?;
        segment.descriptors.get(index - segment.first)
    }

    /// The transfer that a reference stands for, and how it is decided: see [`Descriptor::read`].
    #[cfg(feature = "growing")]
    pub(crate) fn read(&self, reference: Reference<L>) -> Option<(Transfer<L>, Control)> {
        self.descriptor(reference)?.read(reference)
    }

    /// The meaning of `reference`, found in `bucket`.
    pub(crate) fn resolve(&self, bucket: usize, reference: Reference<L>) -> Resolved<L> {
        match self.descriptor(reference) {
            Some(descriptor) => descriptor.resolve(bucket, reference),
            None => Resolved::Stale,
        }
    }

    /// Whether the use that was `pending` when it was read still is.
    pub(crate) fn is_pending(&self, reference: Reference<L>, pending: Control) -> bool {
        self.descriptor(reference)
            .is_some_and(|descriptor| descriptor.control() == pending)
    }

    /// Decides the use that was `pending` when it was read.
    pub(crate) fn decide(&self, reference: Reference<L>, pending: Control, status: Status) {
        if let Some(descriptor) = self.descriptor(reference) {
            descriptor.decide(pending, status);
        }
    }

    /// Takes back the descriptors that dead threads held. Requires exclusive access to the tokens:
    /// a descriptor that is taken from a living owner would have two.
    pub(crate) fn reclaim(&self) {
        let descriptors = self.segments().flat_map(|segment| segment.descriptors);
        descriptors.for_each(Descriptor::reclaim);
    }
}

/// For a table that several processes share.
#[cfg(feature = "shared")]
impl<L: Layout> Pool<L> {
    pub(crate) fn seats(&self) -> Option<&dyn Seats> {
        self.seats.as_deref()
    }

    /// The descriptors in use, each with its owner.
    pub(crate) fn claimed(&self) -> impl Iterator<Item = (&Descriptor, u64)> {
        let owned = |descriptor| (descriptor, Descriptor::owner(descriptor));
        self.first
            .iter()
            .map(owned)
            .filter(|&(_, owner)| owner != 0)
    }
}

/// For a table that gets more words, and may come to need more descriptors.
#[cfg(feature = "growing")]
impl<L: Layout> Pool<L> {
    /// Descriptors are added only if the table needs this many times as many as it has, or as many
    /// as suffice for a table of any size.
    const GROWTH_FACTOR: usize = 4;

    /// The number to add behind `now` descriptors for a table of this many buckets: 0 if it has
    /// about as many as it needs.
    fn missing(&self, threads: usize, buckets: usize, now: usize) -> usize {
        let PoolSize { first: needed, .. } = PoolSize::on(threads, buckets);
        // Add at the last step, and before it only by large factors: each segment is another step
        // of every walk over the list.
        if needed == enough(threads) || needed >= Self::GROWTH_FACTOR * now {
            needed.min(self.limits.most()).saturating_sub(now)
        } else {
            0
        }
    }

    /// The bytes that [`grow`](Self::grow) would add.
    pub(crate) fn bytes_to_grow(&self, buckets: usize) -> usize {
        match self.missing(sync::parallelism(), buckets, self.last().end()) {
            0 => 0,
            missing => missing * size_of::<Descriptor>() + size_of::<Descriptors>(),
        }
    }

    /// Adds descriptors, if a table of this many buckets needs many more than there are.
    pub(crate) fn grow(&self, buckets: usize) -> Result<(), OutOfMemory> {
        self.grow_on(sync::parallelism(), buckets)
    }

    /// [`grow`](Self::grow) on a machine that runs this many threads.
    fn grow_on(&self, threads: usize, buckets: usize) -> Result<(), OutOfMemory> {
        // One walk: what is missing is counted up to the segment that the new one goes behind.
        self.grow_behind(self.last(), threads, buckets)
    }

    /// [`grow_on`](Self::grow_on) behind `last`, the last segment when it was read.
    fn grow_behind<'a>(
        &'a self,
        mut last: Segment<'a>,
        threads: usize,
        buckets: usize,
    ) -> Result<(), OutOfMemory> {
        // Threads that add behind one segment get the same segment. If another thread added fewer
        // there, the next round adds the rest.
        loop {
            match self.missing(threads, buckets, last.end()) {
                0 => return Ok(()),
                missing => last = last.next_or_add(missing)?,
            }
        }
    }

    /// Frees what a table of this many buckets does not need, if there is memory for the rest. No
    /// word may be frozen, and no descriptor claimed.
    pub(crate) fn shrink_to(&mut self, buckets: usize) {
        let needed = PoolSize::of_table(buckets).first.min(self.limits.most());
        // Keep the first segment if it is enough; otherwise make one new segment of what is needed,
        // so that claims do not walk. Keep all if there is no memory for it.
        if needed <= self.first.len() {
            self.shrink();
        } else if needed < self.last().end()
            && let Ok(pool) = Self::new(PoolSize {
                first: needed,
                most: self.limits.most(),
            })
        {
            *self = pool;
        }
    }
}

/// One of the descriptors added last, if one of them is free; otherwise one of an earlier segment,
/// down to `segment`.
fn claim_from<L>(segment: Segment<'_>, thread: usize, owner: u64) -> Option<Claim<'_, L>> {
    segment
        .next()
        .and_then(|next| claim_from(next, thread, owner))
        .or_else(|| segment.claim(thread, owner))
}

#[cfg(all(test, feature = "growing"))]
mod tests;
