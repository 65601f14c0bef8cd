//! Descriptors: the change that a frozen word is part of, how far it has come, and the pool they
//! come from.
//!
//! A descriptor is reused. Each use has a number, and the word's reference carries its low bits, 38
//! for 4 x 16: fields that belong to another use are recognised, never waited for. That makes the
//! fields a sequence lock keyed by the use, without a writer that anybody waits for.
//!
//! Only the owner installs references. Any other writer that meets one decides a use that is
//! pending, and writes back what is decided; a lookup only reads. A writer aborts a hop, which
//! needs two installs, and lets an admission that is no rival be. So an install that comes late
//! only ever installs a reference to an aborted use, which reads as the old content.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::compiler_fence;

use crate::allocate;
use crate::error::OutOfMemory;
use crate::kernel::layout::{Bucket, Layout, Token};
use crate::kernel::word::{MAX_DESCRIPTORS, Reference};
use crate::sync;
use crate::sync::{AtomicU64, Event, OnceBox, Ordering, fence};

/// Two words before and after: the change that a descriptor describes, as a pure value.
///
/// There are four kinds. A *relocation* moves a token from its source to its destination, its
/// alternate bucket, and may place another token in the slot it leaves. An *admission* adds a token
/// to its source if the witness holds no equal one: in a fixed table that is its destination; in
/// one that doubles only its owner knows it. An *emptying* removes all tokens of its source. A
/// *split*, in a table that doubles, hands the tokens of its source over to two new words. All but
/// a relocation freeze the source alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Transfer<L: Layout> {
    /// The token that moves from the source to the destination; `None` except in a relocation.
    pub(crate) moved: Option<Token<L>>,
    /// The token that is new in the source.
    pub(crate) placed: Option<Token<L>>,
    pub(crate) source: usize,
    pub(crate) destination: usize,
    pub(crate) old_source: Bucket<L>,
    pub(crate) old_destination: Bucket<L>,
}

/// Integers that a transfer is stored in.
pub(crate) const FIELDS: usize = 5;

impl<L: Layout> Transfer<L> {
    /// The removal of all tokens of `bucket`.
    pub(crate) fn emptying(bucket: usize, content: Bucket<L>) -> Self {
        Self {
            moved: None,
            placed: None,
            source: bucket,
            destination: bucket,
            old_source: content,
            old_destination: Bucket::EMPTY,
        }
    }

    /// Whether it removes all tokens of its source. Also true of a split: no table has both.
    pub(crate) fn is_emptying(&self) -> bool {
        self.moved.is_none() && self.placed.is_none()
    }

    /// The content of `bucket` before the transfer.
    pub(crate) fn before(&self, bucket: usize) -> Bucket<L> {
        if bucket == self.source {
            self.old_source
        } else {
            self.old_destination
        }
    }

    /// Returns what `bucket` holds after the transfer, or `None` if the transfer is impossible
    /// there.
    pub(crate) fn after(&self, bucket: usize) -> Option<Bucket<L>> {
        match (bucket == self.source, self.moved, self.placed) {
            (true, Some(moved), Some(placed)) => self.old_source.replacing(moved, placed),
            (true, Some(moved), None) => self.old_source.without_token(moved),
            (true, None, Some(placed)) => self.old_source.with(placed),
            (false, Some(moved), _) => self.old_destination.with(moved),
            (true, None, None) => Some(Bucket::EMPTY),
            (false, None, _) => None,
        }
    }

    pub(crate) fn into_fields(self) -> [u64; FIELDS] {
        let bits = |token: Option<Token<L>>| u64::from(token.map_or(0, Token::bits));
        [
            bits(self.moved) | bits(self.placed) << u32::BITS,
            self.source as u64,
            self.destination as u64,
            self.old_source.bits(),
            self.old_destination.bits(),
        ]
    }

    pub(crate) fn from_fields(fields: [u64; FIELDS]) -> Self {
        Self {
            moved: Token::from_bits(fields[0] as u32),
            placed: Token::from_bits((fields[0] >> u32::BITS) as u32),
            source: fields[1] as usize,
            destination: fields[2] as usize,
            old_source: Bucket::from_bits(fields[3]),
            old_destination: Bucket::from_bits(fields[4]),
        }
    }
}

/// One cache line, reused for one transfer after another.
#[derive(Debug)]
#[repr(align(64))]
struct Descriptor {
    control: AtomicU64,
    owned: AtomicU64,
    fields: [AtomicU64; FIELDS],
    /// The next segment of the pool, if this is the last descriptor of a segment. It fits into the
    /// cache line, and of all descriptors the last is claimed least often.
    next: OnceBox<Descriptors>,
}

type Descriptors = Box<[Descriptor]>;

/// The number of a use and its status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Control(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Pending = 0,
    Committed = 1,
    Aborted = 2,
}

/// The meaning of a reference for the word it stands in.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Resolved<L: Layout> {
    /// The use is over; the word has changed since it was loaded.
    Stale,
    /// Decided: the word has this content, whichever thread writes it back.
    Settled(Bucket<L>),
    /// Undecided: until the decision, the word has the old content.
    Pending(Pending<L>),
}

/// A transfer that was pending when it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pending<L: Layout> {
    pub(crate) reference: Reference<L>,
    pub(crate) control: Control,
    pub(crate) transfer: Transfer<L>,
    pub(crate) old: Bucket<L>,
}

/// The descriptors of one table, shared by all its slow paths: a list of segments, each twice as
/// long as all before it or longer, unless the last one reaches the maximum.
///
/// A table that grows adds a segment, and so does a claim that finds all descriptors taken. None is
/// removed while the table is shared. So a thread that stops for good with a descriptor costs
/// memory, and no other thread's progress, as long as there are fewer than the maximum.
#[derive(Debug)]
pub(crate) struct Pool<L> {
    first: Descriptors,
    /// The maximum number of descriptors.
    most: usize,
    layout: PhantomData<L>,
}

/// How many descriptors a pool has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PoolSize {
    /// The number that it begins with.
    pub(crate) first: usize,
    /// The number that it never exceeds, up to [`MAX_DESCRIPTORS`].
    pub(crate) most: usize,
}

/// Descriptors that were allocated together.
#[derive(Clone, Copy, Debug)]
struct Segment<'a> {
    descriptors: &'a [Descriptor],
    /// The number of the first descriptor.
    first: usize,
}

/// The right to use one descriptor; given back when dropped.
///
/// A thread that stops for good while it holds one leaks it until [`Pool::reclaim`]. Taking it away
/// from its owner would be unsound: the owner could still install a reference to a use that is not
/// its own. So a claim that finds none adds some.
#[derive(Debug)]
pub(crate) struct Claim<'a, L> {
    descriptor: &'a Descriptor,
    index: usize,
    layout: PhantomData<L>,
}

const STATUS_BITS: u32 = 2;

/// The fewest descriptors of a table: if a thread dies with one, another is left.
const MIN_DESCRIPTORS: usize = if sync::MODEL { 16 } else { 2 };

impl Status {
    /// Commits a change that is permitted, and aborts one that is not.
    pub(crate) fn of_verdict(permitted: bool) -> Self {
        if permitted {
            Self::Committed
        } else {
            Self::Aborted
        }
    }
}

impl Control {
    fn pending(uses: u64) -> Self {
        Self(uses << STATUS_BITS | Status::Pending as u64)
    }

    fn uses(self) -> u64 {
        self.0 >> STATUS_BITS
    }

    fn decided(self, status: Status) -> Self {
        Self(self.uses() << STATUS_BITS | status as u64)
    }

    pub(crate) fn status(self) -> Status {
        match self.0 & ((1 << STATUS_BITS) - 1) {
            0 => Status::Pending,
            1 => Status::Committed,
            _ => Status::Aborted,
        }
    }
}

impl Descriptor {
    fn new() -> Self {
        Self {
            control: AtomicU64::new(Control::pending(0).decided(Status::Aborted).0),
            owned: AtomicU64::new(0),
            fields: core::array::from_fn(|_| AtomicU64::new(0)),
            next: OnceBox::new(),
        }
    }

    fn control(&self) -> Control {
        // SeqCst, as the words: a commit changes what two words mean, and all threads must agree on
        // the order of commits and exchanges (`design::protocol`, "Orderings": four threads tell).
        // As an Acquire it pairs with the decision, so that what the owner did before a commit (the
        // bump) is visible to any thread that sees the commit.
        Control(self.control.load(Ordering::SeqCst))
    }

    /// Takes a descriptor for its own thread. Returns false if that has it already: in a signal
    /// handler inside another call, or because the last thread of this number died with it.
    #[inline]
    fn take_own(&self) -> bool {
        // Relaxed: no other thread writes this cell, except with exclusive access to the pool
        // (`reclaim`). A thread that takes over a number continues its last holder: taking it
        // acquires what the return released.
        if self.owned.load(Ordering::Relaxed) != 0 {
            return false;
        }
        self.owned.store(1, Ordering::Relaxed);
        // Keep the store before the read of the last use's number: a signal handler that wants the
        // descriptor runs as a whole before it, or finds the descriptor taken.
        compiler_fence(Ordering::SeqCst);
        true
    }

    /// Decides a pending use. Fails if the use is already decided or has ended.
    fn decide(&self, pending: Control, status: Status) -> bool {
        // Exchange the control, which has the number of the use: a thread that is late by a use
        // decides nothing, and of several the first decides.
        // SeqCst: see `control`. As a Release, a commit publishes the bump and both installs. On
        // failure Relaxed would do: the loser reads the decision, or knows that it was to abort.
        self.control
            .compare_exchange(
                pending.0,
                pending.decided(status).0,
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
    }
}

impl PoolSize {
    /// Four descriptors per thread that the machine runs, one of them its own, so that a claim
    /// seldom fails. A small table has fewer: that many transfers at once would disturb each other,
    /// and they would take more than a 16th of the bytes of its words.
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
    fn next(self) -> Option<Self> {
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
    fn last(self) -> Option<&'a Descriptor> {
        self.descriptors.last()
    }

    fn followed_by(self, descriptors: &'a Descriptors) -> Self {
        Self {
            descriptors,
            first: self.end(),
        }
    }

    /// The number of descriptors up to the end of this segment.
    fn end(self) -> usize {
        self.first + self.descriptors.len()
    }

    /// This many, from the first on, each belong to the thread of the same number. All other claims
    /// share the rest.
    ///
    /// Added segments do not change this: in each segment, a descriptor that a thread writes
    /// without a locked instruction always belongs to that thread, whichever segments other threads
    /// know of.
    #[inline]
    #[allow(
        clippy::unnecessary_min_or_max,
        reason = "without the standard library no thread has a number of its own"
    )]
    fn own(self) -> usize {
        // Leave at least half of each segment to be shared: threads without a number, and a signal
        // handler inside a call, need one too.
        (self.end() / 4)
            .min(sync::EXCLUSIVE)
            .min(self.descriptors.len() / 2)
    }

    /// An unused descriptor: the thread's own without a locked instruction, or one of those that
    /// threads share.
    #[inline]
    fn claim<L>(self) -> Option<Claim<'a, L>> {
        let thread = sync::thread_index();
        // Take the thread's own descriptor, if it has one that is free.
        if thread < self.own() && self.descriptors[thread].take_own() {
            return Some(self.claimed(thread));
        }
        // Take a shared one otherwise.
        self.claim_shared(thread)
    }

    #[inline(never)]
    fn claim_shared<L>(self, thread: usize) -> Option<Claim<'a, L>> {
        // Try the shared ones in turn, each thread from a place of its own, so that they seldom
        // meet.
        let shared = self.descriptors.len() - self.own();
        (0..shared).find_map(|step| {
            let index = self.own() + (thread + step) % shared;
            // Acquire: pairs with the Release in `Claim::drop`, so that the new owner continues the
            // numbers of the last one. A number used twice would make an old reference valid again.
            self.descriptors[index]
                .owned
                .compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed)
                .ok()
                .map(|_| self.claimed(index))
        })
    }

    fn claimed<L>(self, index: usize) -> Claim<'a, L> {
        Claim {
            descriptor: &self.descriptors[index],
            index: self.first + index,
            layout: PhantomData,
        }
    }
}

impl<L: Layout> Pool<L> {
    pub(crate) fn new(size: PoolSize) -> Result<Self, OutOfMemory> {
        debug_assert!((1..=MAX_DESCRIPTORS).contains(&size.first));
        Ok(Self {
            first: allocate::slice(size.first, Descriptor::new)?,
            most: size.most.min(MAX_DESCRIPTORS),
            layout: PhantomData,
        })
    }

    /// The size of a pool like this one when it was new.
    pub(crate) fn size(&self) -> PoolSize {
        PoolSize {
            first: self.first.len(),
            most: self.most,
        }
    }

    fn first(&self) -> Segment<'_> {
        Segment {
            descriptors: &self.first,
            first: 0,
        }
    }

    fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        core::iter::successors(Some(self.first()), |segment| segment.next())
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
        match last.end().min(self.most.saturating_sub(last.end())) {
            0 => last.next(),
            more => last.next_or_add(more).ok(),
        }
    }

    /// Frees the added segments. No word may be frozen, and no descriptor claimed.
    pub(crate) fn shrink(&mut self) {
        // Drop the second segment: each segment owns the one after it.
        if let Some(last) = self.first.last_mut() {
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
            if let Some(claim) = last.claim() {
                return Some(claim);
            }
        }
    }

    /// One of the descriptors added last, if one of them is free; otherwise an earlier one.
    #[inline]
    fn try_to_claim(&self) -> Option<Claim<'_, L>> {
        // Begin with the segment added last: it is the largest.
        let first = self.first();
        match first.next() {
            None => first.claim(),
            Some(next) => claim_added(next).or_else(|| first.claim()),
        }
    }

    /// The descriptor that a reference names.
    #[inline]
    fn descriptor(&self, reference: Reference<L>) -> &Descriptor {
        // Look in the first segment, where nearly all are.
        let index = reference.index();
        match self.first.get(index) {
            Some(descriptor) => descriptor,
            None => self.later(index),
        }
    }

    /// One that is not in the first segment.
    #[cold]
    fn later(&self, index: usize) -> &Descriptor {
        let mut segments = self.segments();
        // Whoever installed the reference had found the segment (or added it) before; the caller
        // read the word with Acquire, so it finds the segment too. Find the segment that the number
        // is in.
        let segment = segments.find(|segment| index < segment.end());
        let segment = segment.expect("a descriptor that was claimed is there");
        &segment.descriptors[index - segment.first]
    }

    /// Reads the transfer that a reference stands for, and how it is decided. `None` if that use is
    /// over; the word has then changed.
    pub(crate) fn read(&self, reference: Reference<L>) -> Option<(Transfer<L>, Control)> {
        let descriptor = self.descriptor(reference);
        // Read the fields first, then the number of the use that they belong to.
        // Relaxed: the fence and the control below reject fields of a later use; the Acquire that
        // brought the reference rules out those of an earlier one.
        let fields = core::array::from_fn(|field| descriptor.fields[field].load(Ordering::Relaxed));
        // Acquire fence: pairs with the Release fence in `publish`. If a field is of a later use,
        // the control read next is of that use or a later one.
        fence(Ordering::Acquire);
        let control = descriptor.control();
        // Reject the fields, unless the use is still the one of the reference. A reference has only
        // the low bits of its number: to be deceived, a thread would have to sleep through all of
        // them.
        reference
            .names(control.uses())
            .then(|| (Transfer::from_fields(fields), control))
    }

    /// Returns the meaning of `reference`, found in `bucket`.
    pub(crate) fn resolve(&self, bucket: usize, reference: Reference<L>) -> Resolved<L> {
        let Some((transfer, control)) = self.read(reference) else {
            // The use is over. Its owner wrote the word back before it began the next one.
            return Resolved::Stale;
        };
        // Compute what the word held before.
        let old = transfer.before(bucket);
        match control.status() {
            Status::Pending => Resolved::Pending(Pending {
                reference,
                control,
                transfer,
                old,
            }),
            // Keep what it held: nothing has changed.
            Status::Aborted => Resolved::Settled(old),
            // Compute what it holds now. The owner checked that the change is possible before it
            // published it.
            Status::Committed => Resolved::Settled(transfer.after(bucket).unwrap_or(old)),
        }
    }

    /// The current control of the descriptor that a reference names.
    pub(crate) fn control(&self, reference: Reference<L>) -> Control {
        self.descriptor(reference).control()
    }

    /// Decides the use that was `pending` when it was read.
    pub(crate) fn decide(&self, reference: Reference<L>, pending: Control, status: Status) {
        self.descriptor(reference).decide(pending, status);
    }

    /// Takes back the descriptors that dead threads held. Requires exclusive access to the tokens:
    /// a descriptor that is taken from a living owner would have two.
    pub(crate) fn reclaim(&self) {
        // Relaxed: the caller has the tokens alone, and whatever follows is ordered by that.
        for descriptor in self.segments().flat_map(|segment| segment.descriptors) {
            descriptor.owned.store(0, Ordering::Relaxed);
        }
    }
}

/// For a table that doubles.
#[cfg(feature = "growing")]
impl<L: Layout> Pool<L> {
    /// Descriptors are added only if the table needs this many times as many as it has, or the
    /// maximum.
    const GROWTH_FACTOR: usize = 4;

    /// The number to add behind `now` descriptors for a table of this many buckets: 0 if it has
    /// about as many as it needs.
    fn missing(&self, threads: usize, buckets: usize, now: usize) -> usize {
        let PoolSize { first: needed, .. } = PoolSize::on(threads, buckets);
        // Add at the last step, and before it only by large factors: each segment is another step
        // of every walk over the list.
        if needed == enough(threads) || needed >= Self::GROWTH_FACTOR * now {
            needed.min(self.most).saturating_sub(now)
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
        let needed = PoolSize::of_table(buckets).first.min(self.most);
        // Keep the first segment if it is enough; otherwise make one new segment of what is needed,
        // so that claims do not walk. Keep all if there is no memory for it.
        if needed <= self.first.len() {
            self.shrink();
        } else if needed < self.last().end()
            && let Ok(pool) = Self::new(PoolSize {
                first: needed,
                most: self.most,
            })
        {
            *self = pool;
        }
    }
}

/// One of the descriptors added last, if one of them is free; otherwise one of an earlier segment,
/// down to `segment`.
#[inline(never)]
fn claim_added<L>(segment: Segment<'_>) -> Option<Claim<'_, L>> {
    segment
        .next()
        .and_then(claim_added)
        .or_else(|| segment.claim())
}

impl<L: Layout> Claim<'_, L> {
    /// Begins a new use. Returns the reference to install, and the control that means "pending".
    pub(crate) fn publish(&mut self, transfer: Transfer<L>) -> (Reference<L>, Control) {
        // Take the next number. The use is pending from here on, and no thread knows of it yet.
        // Relaxed: only the owner begins uses, and the claim brought the last owner's number.
        let last = Control(self.descriptor.control.load(Ordering::Relaxed));
        let pending = Control::pending(last.uses() + 1);
        // Release: another thread sees the new number only after all writes of the last use.
        self.descriptor.control.store(pending.0, Ordering::Release);
        // Release fence: pairs with the Acquire fence in `read`: the number changes before the
        // fields do.
        fence(Ordering::Release);
        // Write the new fields. No word has the new reference before the install.
        for (cell, value) in self.descriptor.fields.iter().zip(transfer.into_fields()) {
            cell.store(value, Ordering::Relaxed);
        }
        // Hand out the reference. The exchange that installs it releases the fields.
        (Reference::new(self.index, pending.uses()), pending)
    }

    /// Decides the last use. [`status`](Self::status) returns the outcome.
    pub(crate) fn decide(&mut self, pending: Control, status: Status) -> bool {
        self.descriptor.decide(pending, status)
    }

    /// The status of the use begun last.
    pub(crate) fn status(&self) -> Status {
        self.descriptor.control().status()
    }
}

impl<L> Drop for Claim<'_, L> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire of the next claim. For a thread's own descriptor it need
        // not order anything.
        self.descriptor.owned.store(0, Ordering::Release);
    }
}

#[cfg(all(test, feature = "growing"))]
mod tests;
