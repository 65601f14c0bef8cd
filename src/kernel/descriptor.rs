//! Descriptors: the record that a frozen word refers to. It says which change the word is part of,
//! and how far that has come.
//!
//! A descriptor is reused. Each use has a number, and the word's reference carries its low bits, 38
//! for 4 x 16: fields that belong to another use are recognised, never waited for. That makes the
//! fields a sequence lock keyed by the use, and no thread waits for its writer.
//!
//! Only the owner installs references. Any other writer that settles a frozen word decides a use
//! that is pending, and writes back what is decided; a lookup only reads. It aborts a hop, which
//! needs two installs. (An admission that reads its witness lets another one be that is no rival.)
//! So an install that comes late only ever installs a reference to an aborted use, which reads as
//! the old content.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::sync::atomic::compiler_fence;

use crate::kernel::layout::{Bucket, Layout};
use crate::kernel::transfer::{FIELDS, Transfer};
use crate::kernel::word::Reference;
use crate::sync;
use crate::sync::{AtomicU64, OnceBox, Ordering, fence};

/// One cache line, reused for one transfer after another.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct Descriptor {
    control: AtomicU64,
    /// 0 if it is not claimed.
    owner: AtomicU64,
    fields: [AtomicU64; FIELDS],
    /// Of the last one of a segment of the [pool](crate::kernel::pool): the next segment. Each line
    /// has a place for it; the last descriptor is claimed least often.
    pub(crate) next: OnceBox<Descriptors>,
}

/// Descriptors that were allocated together.
pub(crate) type Descriptors = Box<[Descriptor]>;

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
    pub(crate) control: Control,
    pub(crate) transfer: Transfer<L>,
    pub(crate) old: Bucket<L>,
}

/// The right to use one descriptor; given back when dropped.
///
/// A thread that stops for good while it holds one leaks it until the pool is
/// [reclaimed](crate::kernel::pool::Pool::reclaim). Taking it away from its owner would be unsound:
/// the owner could still install a reference to a use that is not its own. So a claim that finds
/// none adds some.
#[derive(Debug)]
pub(crate) struct Claim<'a, L> {
    descriptor: &'a Descriptor,
    pub(crate) index: usize,
    layout: PhantomData<L>,
}

const STATUS_BITS: u32 = 2;

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
    pub(crate) fn new() -> Self {
        Self {
            control: AtomicU64::new(Control::pending(0).decided(Status::Aborted).0),
            owner: AtomicU64::new(0),
            fields: core::array::from_fn(|_| AtomicU64::new(0)),
            next: OnceBox::new(),
        }
    }

    /// The number of the use that was begun last, and its status.
    pub(crate) fn control(&self) -> Control {
        // SeqCst, as the words: a commit changes what two words mean, and all threads must agree on
        // the order of commits and exchanges (`design::protocol`, "Orderings": four threads can see
        // it). As an Acquire it pairs with the decision, so that what the owner did before a commit
        // (the bump) is visible to any thread that sees the commit.
        Control(self.control.load(Ordering::SeqCst))
    }

    /// Takes a descriptor for its own thread. Returns false if that has it already: in a signal
    /// handler inside another call, or because the last thread of this number died with it.
    #[inline]
    pub(crate) fn take_own(&self) -> bool {
        // Relaxed: no other thread writes this cell, except with exclusive access to the pool
        // (`reclaim`). A thread that takes over a number continues its last holder: taking it
        // acquires what the return released.
        if self.owner.load(Ordering::Relaxed) != 0 {
            return false;
        }
        self.owner.store(1, Ordering::Relaxed);
        // Keep the store before the read of the last use's number: a signal handler that wants the
        // descriptor runs as a whole before it, or finds the descriptor taken.
        compiler_fence(Ordering::SeqCst);
        true
    }

    /// Takes a descriptor that threads share, for an owner that is not 0. Returns false if it is
    /// taken.
    pub(crate) fn take_shared(&self, owner: u64) -> bool {
        // Acquire: pairs with the Release in `Claim::drop`, so that the new owner continues the
        // numbers of the last one. A number used twice would make an old reference valid again.
        self.owner
            .compare_exchange(0, owner, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Takes it from its owner. Requires exclusive access to the tokens.
    pub(crate) fn reclaim(&self) {
        // Relaxed: the caller has the tokens alone, and whatever follows is ordered by that.
        self.owner.store(0, Ordering::Relaxed);
    }

    /// Its owner; 0 if it is free.
    #[cfg(feature = "shared")]
    pub(crate) fn owner(&self) -> u64 {
        // Relaxed: it only tells where to look.
        self.owner.load(Ordering::Relaxed)
    }

    /// The transfer of the last use, as far as it was written. The owner must be dead.
    #[cfg(feature = "shared")]
    pub(crate) fn last<L: Layout>(&self) -> Transfer<L> {
        // Relaxed: the system has said that the owner is dead, and what it wrote is there. If it
        // died while it wrote the fields, no word has the reference to them.
        let fields = core::array::from_fn(|field| self.fields[field].load(Ordering::Relaxed));
        Transfer::from_fields(fields)
    }

    /// Takes it from its owner, which must be dead, and must have left no word frozen by it.
    #[cfg(feature = "shared")]
    pub(crate) fn take_from(&self, owner: u64) -> bool {
        // Release: pairs with the Acquire of the next claim, which continues the numbers of uses.
        self.owner
            .compare_exchange(owner, 0, Ordering::Release, Ordering::Relaxed)
            .is_ok()
    }

    /// Reads the transfer that a reference to this descriptor stands for, and how it is decided.
    /// `None` if that use is over; the word has then changed.
    pub(crate) fn read<L: Layout>(
        &self,
        reference: Reference<L>,
    ) -> Option<(Transfer<L>, Control)> {
        // Read the fields first, then the number of the use that they belong to.
        // Relaxed: the fence and the control below reject fields of a later use; the Acquire that
        // brought the reference rules out those of an earlier one.
        let fields = core::array::from_fn(|field| self.fields[field].load(Ordering::Relaxed));
        // Acquire fence: pairs with the Release fence in `publish`. If a field is of a later use,
        // the control read next is of that use or a later one.
        fence(Ordering::Acquire);
        let control = self.control();
        // Reject the fields, unless the use is still the one of the reference. A reference has only
        // the low bits of its number: to be deceived, a thread would have to sleep through all of
        // them.
        reference
            .names(control.uses())
            .then(|| (Transfer::from_fields(fields), control))
    }

    /// Returns the meaning of a reference to this descriptor, found in `bucket`.
    pub(crate) fn resolve<L: Layout>(&self, bucket: usize, reference: Reference<L>) -> Resolved<L> {
        let Some((transfer, control)) = self.read(reference) else {
            // The use is over. Its owner wrote the word back before it began the next one.
            return Resolved::Stale;
        };
        // Compute what the word held before.
        let old = transfer.before(bucket);
        match control.status() {
            Status::Pending => Resolved::Pending(Pending {
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

    /// Decides a pending use. Fails if the use is already decided or has ended.
    pub(crate) fn decide(&self, pending: Control, status: Status) -> bool {
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

impl<'a, L> Claim<'a, L> {
    /// The right to use a descriptor that the caller has taken, which has this number.
    pub(crate) fn of(descriptor: &'a Descriptor, index: usize) -> Self {
        Self {
            descriptor,
            index,
            layout: PhantomData,
        }
    }
}

impl<L: Layout> Claim<'_, L> {
    /// Begins a new use. Returns the reference to install, and the control that means "pending".
    #[inline]
    pub(crate) fn publish(&mut self, transfer: Transfer<L>) -> (Reference<L>, Control) {
        // Take the next number. The use is pending from here on, and no thread knows of it yet.
        // Relaxed: only the owner begins uses, and the claim brought the last owner's number.
        let last = Control(self.descriptor.control.load(Ordering::Relaxed));
        let pending = Control::pending(last.uses() + 1);
        // Another thread may be about to decide the last use: it does so before this, or not at
        // all.
        // Release: another thread sees the new number only after all writes of the last use.
        sync::store_among_exchanges(&self.descriptor.control, pending.0, Ordering::Release);
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
        self.descriptor.owner.store(0, Ordering::Release);
    }
}

#[cfg(feature = "shared")]
#[allow(unsafe_code, reason = "the compiler cannot check it")]
// SAFETY: it is made of atomics, of which each value is valid. Its `next` is never read in a pool
// of several processes, and it is never dropped there.
unsafe impl crate::allocate::Plain for Descriptor {}
