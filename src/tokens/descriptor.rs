//! Descriptors: the meaning of a frozen word, and the pool they come from.
//!
//! A descriptor is reused. Each use has a number, and the word's reference carries its low
//! bits, 38 for 4 x 16: fields that belong to another use are recognised, never waited for. That makes the fields a
//! sequence lock keyed by the use, without a writer that anybody waits for.
//!
//! Only the owner installs references. Any other thread aborts a pending use or finishes a decided one. So an
//! install that comes late only ever installs a reference to an aborted use, which reads as the old content.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ops::Range;
use core::sync::atomic::compiler_fence;

use once_cell::race::OnceBox;

use super::transfer::{FIELDS, Transfer};
use crate::allocate;
use crate::error::OutOfMemory;
use crate::layout::{Bucket, Layout};
use crate::sync::{self, AtomicU64, Ordering, fence};
use crate::table::{MAX_DESCRIPTORS, Reference};

/// One cache line, reused for one transfer after another.
#[derive(Debug)]
#[repr(align(64))]
struct Descriptor {
    control: AtomicU64,
    owned: AtomicU64,
    fields: [AtomicU64; FIELDS],
    /// Descriptors added to the pool, kept in its last descriptor, which has the room and is claimed the least.
    added: OnceBox<Added>,
}

type Added = Box<[Descriptor]>;

/// The number of a use and its state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Control(u64);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Pending = 0,
    Committed = 1,
    Aborted = 2,
}

/// What a reference means for the word it stands in.
#[derive(Clone, Copy, Debug)]
pub(super) enum Resolved<L: Layout> {
    /// The use is over; the word has changed since it was loaded.
    Stale,
    /// Decided: the word has this content, whichever thread writes it back.
    Settled(Bucket<L>),
    /// Undecided: until the decision, the word has the old content.
    Pending(Pending<L>),
}

/// A transfer that was pending when it was read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending<L: Layout> {
    pub(super) reference: Reference<L>,
    pub(super) control: Control,
    pub(super) transfer: Transfer<L>,
    pub(super) old: Bucket<L>,
}

/// The descriptors of one table, shared by all its slow paths. A table that grows adds some. None is removed while the
/// table is shared.
#[derive(Debug)]
pub(super) struct Pool<L> {
    descriptors: Added,
    layout: PhantomData<L>,
}

/// Descriptors that were allocated together.
#[derive(Clone, Copy, Debug)]
struct Part<'a> {
    descriptors: &'a [Descriptor],
    /// The number of the first descriptor.
    first: usize,
}

/// The right to use one descriptor; given back when dropped.
///
/// A thread that stops for good while it holds one leaks it until [`Pool::reclaim`]. Taking it away from
/// its owner would be unsound: the owner could still install a reference to a use that is not its own.
#[derive(Debug)]
pub(super) struct Claim<'a, L> {
    descriptor: &'a Descriptor,
    index: usize,
    layout: PhantomData<L>,
}

const STATE_BITS: u32 = 2;

/// The fewest descriptors of a table: if a thread dies with one, another is left. If claims keep failing, the insert is
/// refused.
const FEWEST: usize = if sync::MODEL { 16 } else { 2 };

/// Descriptors are added only if the table needs this many times as many as it has, or the maximum.
#[cfg(feature = "std")]
const STEP: usize = 4;

impl State {
    /// What becomes of a change that is permitted, or is not.
    pub(super) fn of_verdict(permitted: bool) -> Self {
        if permitted {
            Self::Committed
        } else {
            Self::Aborted
        }
    }
}

impl Control {
    fn pending(uses: u64) -> Self {
        Self(uses << STATE_BITS | State::Pending as u64)
    }

    fn uses(self) -> u64 {
        self.0 >> STATE_BITS
    }

    fn decided(self, state: State) -> Self {
        Self(self.uses() << STATE_BITS | state as u64)
    }

    pub(super) fn state(self) -> State {
        match self.0 & ((1 << STATE_BITS) - 1) {
            0 => State::Pending,
            1 => State::Committed,
            _ => State::Aborted,
        }
    }
}

impl Descriptor {
    fn new() -> Self {
        Self {
            control: AtomicU64::new(Control::pending(0).decided(State::Aborted).0),
            owned: AtomicU64::new(0),
            fields: core::array::from_fn(|_| AtomicU64::new(0)),
            added: OnceBox::new(),
        }
    }

    fn control(&self) -> Control {
        // SeqCst, as the words: a commit changes what two words mean, and all threads must agree on the
        // order of commits and exchanges. As an Acquire it pairs with the decision, so that what the owner
        // did before a commit (the bump) is visible to any thread that sees the commit.
        Control(self.control.load(Ordering::SeqCst))
    }

    /// Takes a descriptor for its own thread. Returns false if that has it already: in a signal handler inside another
    /// call, or because the last thread of this number died with it.
    #[inline]
    fn take_own(&self) -> bool {
        // Relaxed: no other thread writes this cell, except with exclusive access to the pool (`reclaim`). A thread
        // that takes over a number continues its last holder: taking it acquires what the return released.
        if self.owned.load(Ordering::Relaxed) != 0 {
            return false;
        }
        self.owned.store(1, Ordering::Relaxed);
        // For a signal handler that uses the descriptor: before this, or after the number of the last use is read.
        compiler_fence(Ordering::SeqCst);
        true
    }

    /// Decides a pending use. Fails if the use is already decided or has ended.
    fn decide(&self, pending: Control, state: State) -> bool {
        // SeqCst: see `control`. As a Release, a commit publishes the bump and both installs. On failure
        // the loser goes on to act on the other's decision.
        self.control
            .compare_exchange(
                pending.0,
                pending.decided(state).0,
                Ordering::SeqCst,
                Ordering::SeqCst,
            )
            .is_ok()
    }
}

impl<'a> Part<'a> {
    /// The part added after this one, if there is one.
    fn next(self) -> Option<Self> {
        let last = self.descriptors.last()?;
        Some(Self {
            descriptors: last.added.get()?,
            first: self.end(),
        })
    }

    /// The number of descriptors up to the end of this part.
    fn end(self) -> usize {
        self.first + self.descriptors.len()
    }

    /// This many, from the first on, each belong to the thread of the same number. All other claims share the rest.
    ///
    /// Added parts do not change this: in each part, a descriptor that a thread writes without a locked instruction
    /// always belongs to that thread, whichever parts other threads know of.
    #[inline]
    #[allow(
        clippy::unnecessary_min_or_max,
        reason = "without the standard library no thread has a number of its own"
    )]
    fn own(self) -> usize {
        (self.end() / 4)
            .min(sync::EXCLUSIVE)
            .min(self.descriptors.len() / 2)
    }

    /// An unused descriptor: the thread's own without a locked instruction, or one of those that threads share.
    #[inline]
    fn claim<L>(self) -> Option<Claim<'a, L>> {
        let thread = sync::thread_index();
        if thread < self.own() && self.descriptors[thread].take_own() {
            return Some(self.claimed(thread));
        }
        self.claim_shared(thread)
    }

    #[inline(never)]
    fn claim_shared<L>(self, thread: usize) -> Option<Claim<'a, L>> {
        let shared = self.descriptors.len() - self.own();
        (0..shared).find_map(|step| {
            let index = self.own() + (thread + step) % shared;
            // Acquire: pairs with the Release in `Claim::drop`, so that the new owner continues the numbers
            // of the last one. A number used twice would make an old reference valid again.
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
    /// Four descriptors per thread, one of them its own, so that a claim seldom fails. A small table has fewer: that
    /// many transfers at once would disturb each other, and they would take more than a 16th of the bytes of its words.
    pub(super) fn size_for(buckets: usize) -> usize {
        let affordable = (buckets / 128).max(1).ilog2();
        Self::most().min(FEWEST.max(1 << affordable))
    }

    fn most() -> usize {
        (4 * sync::parallelism()).clamp(64, MAX_DESCRIPTORS)
    }

    pub(super) fn new(size: usize) -> Result<Self, OutOfMemory> {
        debug_assert!((1..=MAX_DESCRIPTORS).contains(&size));
        Ok(Self {
            descriptors: allocate::slice(size, Descriptor::new)?,
            layout: PhantomData,
        })
    }

    fn first(&self) -> Part<'_> {
        Part {
            descriptors: &self.descriptors,
            first: 0,
        }
    }

    fn parts(&self) -> impl Iterator<Item = Part<'_>> {
        core::iter::successors(Some(self.first()), |part| part.next())
    }

    fn all(&self) -> impl Iterator<Item = &Descriptor> {
        self.parts().flat_map(|part| part.descriptors)
    }

    pub(super) fn len(&self) -> usize {
        self.all().count()
    }

    pub(super) fn bytes(&self) -> usize {
        let parts = self.parts().map(|part| allocate::bytes(part.descriptors));
        // Each added part is in a separate box.
        parts.sum::<usize>() + (self.parts().count() - 1) * size_of::<Added>()
    }

    pub(super) fn place(&self) -> Range<usize> {
        allocate::place(&self.descriptors)
    }

    /// The number to add for a table that needs this many: none, if there are about as many.
    #[cfg(feature = "std")]
    fn missing(&self, size: usize) -> usize {
        let now = self.len();
        if size == Self::most() || size >= STEP * now {
            size.saturating_sub(now)
        } else {
            0
        }
    }

    /// The bytes that [`grow`](Self::grow) would add.
    #[cfg(feature = "std")]
    pub(super) fn bytes_to_grow(&self, size: usize) -> usize {
        match self.missing(size) {
            0 => 0,
            missing => missing * size_of::<Descriptor>() + size_of::<Added>(),
        }
    }

    /// Adds descriptors, if a table that needs this many has much fewer.
    #[cfg(feature = "std")]
    pub(super) fn grow(&self, size: usize) -> Result<(), OutOfMemory> {
        let missing = self.missing(size);
        if let Some(last) = self.all().last()
            && missing > 0
        {
            let added = || allocate::slice(missing, Descriptor::new).map(Box::new);
            last.added.get_or_try_init(added)?;
        }
        Ok(())
    }

    /// Frees the added parts. No word may be frozen, and no descriptor claimed.
    #[cfg(feature = "std")]
    pub(super) fn shrink(&mut self) {
        if let Some(last) = self.descriptors.last_mut() {
            last.added = OnceBox::new();
        }
    }

    /// An unused descriptor, if there is one within a short time.
    #[inline]
    pub(super) fn claim(&self) -> Option<Claim<'_, L>> {
        self.try_to_claim().or_else(|| self.claim_later())
    }

    /// [`claim`](Self::claim) when all are in use: their owners may need the processor to finish. A small table has
    /// few, so this is not so rare where threads are preempted.
    #[cold]
    fn claim_later(&self) -> Option<Claim<'_, L>> {
        (0..sync::PATIENCE).find_map(|_| {
            sync::yield_now();
            self.try_to_claim()
        })
    }

    /// One of the descriptors added last, if one of them is free; otherwise an earlier one.
    #[inline]
    fn try_to_claim(&self) -> Option<Claim<'_, L>> {
        let first = self.first();
        match first.next() {
            None => first.claim(),
            Some(next) => claim_added(next).or_else(|| first.claim()),
        }
    }

    /// The descriptor that a reference names.
    #[inline]
    fn descriptor(&self, reference: Reference<L>) -> &Descriptor {
        let index = reference.index();
        match self.descriptors.get(index) {
            Some(descriptor) => descriptor,
            None => self.added(index),
        }
    }

    #[cold]
    fn added(&self, index: usize) -> &Descriptor {
        let mut parts = self.parts();
        // The owner had the part before it installed the reference; the caller read the word with Acquire.
        let part = parts.find(|part| index < part.end());
        let part = part.expect("a descriptor that was claimed is there");
        &part.descriptors[index - part.first]
    }

    /// What a reference stands for, and how it is decided. `None` if that use is over; the word has then
    /// changed.
    pub(super) fn read(&self, reference: Reference<L>) -> Option<(Transfer<L>, Control)> {
        let descriptor = self.descriptor(reference);
        // Relaxed: the fence and the control below reject fields of a later use; the Acquire that brought
        // the reference rules out those of an earlier one.
        let fields = core::array::from_fn(|field| descriptor.fields[field].load(Ordering::Relaxed));
        // Acquire fence: pairs with the Release fence in `publish`. If a field is of a later use, the
        // control read next is of that use or a later one.
        fence(Ordering::Acquire);
        let control = descriptor.control();
        (Reference::new(reference.index(), control.uses()) == reference)
            .then(|| (Transfer::from_fields(fields), control))
    }

    /// What `reference`, found in `bucket`, means there.
    pub(super) fn resolve(&self, bucket: usize, reference: Reference<L>) -> Resolved<L> {
        let Some((transfer, control)) = self.read(reference) else {
            return Resolved::Stale;
        };
        let old = transfer.before(bucket);
        match control.state() {
            State::Pending => Resolved::Pending(Pending {
                reference,
                control,
                transfer,
                old,
            }),
            State::Aborted => Resolved::Settled(old),
            // The owner checked that the change is possible before it published it.
            State::Committed => Resolved::Settled(transfer.after(bucket).unwrap_or(old)),
        }
    }

    /// The current control of the descriptor that a reference names.
    pub(super) fn control(&self, reference: Reference<L>) -> Control {
        self.descriptor(reference).control()
    }

    /// Decides the use that was `pending` when it was read.
    pub(super) fn decide(&self, reference: Reference<L>, pending: Control, state: State) {
        self.descriptor(reference).decide(pending, state);
    }

    /// Takes back the descriptors that dead threads held. Requires exclusive access to the tokens: a descriptor that is
    /// taken from a living owner would have two.
    pub(super) fn reclaim(&self) {
        for descriptor in self.all() {
            descriptor.owned.store(0, Ordering::Relaxed);
        }
    }
}

/// One of the descriptors added last, if one of them is free; otherwise one of an earlier part, down to `part`.
#[inline(never)]
fn claim_added<L>(part: Part<'_>) -> Option<Claim<'_, L>> {
    part.next().and_then(claim_added).or_else(|| part.claim())
}

impl<L: Layout> Claim<'_, L> {
    /// Begins a new use. Returns the reference to install, and the control that means "pending".
    pub(super) fn publish(&mut self, transfer: Transfer<L>) -> (Reference<L>, Control) {
        // Relaxed: only the owner begins uses, and the claim brought the last owner's number.
        let last = Control(self.descriptor.control.load(Ordering::Relaxed));
        let pending = Control::pending(last.uses() + 1);
        // Release: another thread sees the new number only after all writes of the last use.
        self.descriptor.control.store(pending.0, Ordering::Release);
        // Release fence: pairs with the Acquire fence in `read`: the number changes before the fields do.
        fence(Ordering::Release);
        for (cell, value) in self.descriptor.fields.iter().zip(transfer.into_fields()) {
            cell.store(value, Ordering::Relaxed);
        }
        (Reference::new(self.index, pending.uses()), pending)
    }

    /// Decides the last use. [`state`](Self::state) returns the outcome.
    pub(super) fn decide(&mut self, pending: Control, state: State) -> bool {
        self.descriptor.decide(pending, state)
    }

    /// The state of the use begun last.
    pub(super) fn state(&self) -> State {
        self.descriptor.control().state()
    }
}

impl<L> Drop for Claim<'_, L> {
    fn drop(&mut self) {
        // Release: pairs with the Acquire of the next claim. For a thread's own descriptor it need not order anything.
        self.descriptor.owned.store(0, Ordering::Release);
    }
}

#[cfg(all(test, feature = "std"))]
mod tests;
