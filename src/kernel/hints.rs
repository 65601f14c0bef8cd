//! Hints: how writers tell a scan of the table about tokens that move during the scan.
//!
//! A scan reads one word after the other, so a token can pass from a word that it has yet to read
//! to one that it has read. A writer that bumps a stripe learns from it whether a scan is under
//! way. If so, it leaves a hint for the class before the token moves. At its end the scan counts
//! these classes again.
//!
//! A superfluous hint costs one count, so no thread takes a hint back. A writer that is aborted,
//! dies, or leaves its hint so late that the next scan is under way does no harm.

use alloc::boxed::Box;
use core::iter;
use core::marker::PhantomData;
use core::ops::Range;

use once_cell::race::OnceBox;

use crate::allocate;
use crate::allocate::Part;
use crate::error::OutOfMemory;
use crate::kernel::layout::{Fingerprint, Layout};
use crate::sync;
use crate::sync::{AtomicU64, Ordering};

/// The messages from the writers of one filter to its scans.
///
/// Behind a pointer: without atomics inside, the tokens are a value that does not change, so the
/// compiler keeps the geometry and the other pointers in registers from one lookup to the next. And
/// hints do not disturb threads that read the neighbouring fields.
#[derive(Debug)]
pub(crate) struct Hints<L> {
    /// One, allocated as a slice because that can fail without a panic.
    shared: Box<[Shared]>,
    layout: PhantomData<L>,
}

#[derive(Debug)]
struct Shared {
    /// During a scan, the place of its log in the list, counted from 1, and above it the owner of
    /// the scan; else 0.
    scanning: AtomicU64,
    /// The cell that is used in place of `scanning`, if processes share it.
    #[cfg(feature = "shared")]
    of_processes: Option<Part<AtomicU64>>,
    /// Allocated at the first scan, unless processes share it.
    log: OnceBox<Log>,
}

#[derive(Debug)]
struct Log {
    /// The first is the number of hints left so far, which is larger than that of the slots if some
    /// hints found no room. The others are the slots, of which a vacant one is 0.
    cells: Part<AtomicU64>,
    /// The next log, for scans of the table when it has more words.
    larger: OnceBox<Self>,
}

/// The bits of a place in the list of logs.
const PLACE_BITS: u32 = u8::BITS;

/// A token's fingerprint and one of its buckets: names the class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) bucket: usize,
    pub(crate) fingerprint: Fingerprint,
}

/// The right to scan, returned on drop.
#[derive(Debug)]
pub(crate) struct Scan<'a, L> {
    hints: &'a Hints<L>,
    log: &'a Log,
}

/// Why a scan could not begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoScan {
    /// Another snapshot is in progress.
    Busy,
    OutOfMemory(OutOfMemory),
}

/// Buckets per slot. A scan takes some nanoseconds per bucket; in that time two threads that only
/// move tokens move a fiftieth of one.
const BUCKETS_PER_SLOT: usize = 16;

const MIN_SLOTS: usize = if sync::MODEL { 1 } else { 64 };

impl Hint {
    fn into_bits<L: Layout>(self) -> u64 {
        // A bucket and a fingerprint fit: see `Geometry::MAX_BUCKETS`.
        (self.bucket as u64) << L::FINGERPRINT_BITS | u64::from(self.fingerprint.bits())
    }

    fn from_bits<L: Layout>(bits: u64) -> Option<Self> {
        let fingerprint = bits & ((1 << L::FINGERPRINT_BITS) - 1);
        Some(Self {
            bucket: (bits >> L::FINGERPRINT_BITS) as usize,
            fingerprint: Fingerprint::from_bits(fingerprint as u32)?,
        })
    }
}

impl<L: Layout> Hints<L> {
    /// The heap bytes without a log.
    pub(crate) const BYTES: usize = size_of::<Shared>();

    pub(crate) fn new() -> Result<Self, OutOfMemory> {
        let shared = allocate::slice(1, || Shared {
            scanning: AtomicU64::new(0),
            #[cfg(feature = "shared")]
            of_processes: None,
            log: OnceBox::new(),
        })?;
        Ok(Self {
            shared,
            layout: PhantomData,
        })
    }

    /// With a cell that says whether a scan is on, and a log, that are there already.
    #[cfg(feature = "shared")]
    pub(crate) fn of_processes(
        scanning: Part<AtomicU64>,
        log: Part<AtomicU64>,
    ) -> Result<Self, OutOfMemory> {
        assert!(!scanning.is_empty() && !log.is_empty());
        let mut hints = Self::new()?;
        let log = allocate::boxed(Log {
            cells: log,
            larger: OnceBox::new(),
        })?;
        let shared = &mut hints.shared[0];
        shared.of_processes = Some(scanning);
        shared.log = OnceBox::with_value(log);
        Ok(hints)
    }

    pub(crate) fn bytes(&self) -> usize {
        let of_a_log = |log: &Log| size_of::<Log>() + allocate::bytes(&log.cells);
        allocate::bytes(&self.shared) + self.shared().logs().map(of_a_log).sum::<usize>()
    }

    pub(crate) fn place(&self) -> Range<usize> {
        allocate::place(&self.shared)
    }

    /// Leaves a hint that tokens of a class are about to move. Only for writers that learnt of a
    /// scan from a stripe.
    #[cold]
    pub(crate) fn note(&self, hint: Hint) {
        // Find the log of the scan. The stripe brought it along. If that scan is over, there is
        // none, or it is the log of a later one.
        // Relaxed, here and below: a scan that needs the hint has acquired the move, which comes
        // after.
        let place = self.shared().scanning().load(Ordering::Relaxed) as u8;
        let place = usize::from(place);
        let log = place
            .checked_sub(1)
            .and_then(|others| self.shared().logs().nth(others));
        let Some(log) = log else {
            return;
        };
        // Take one slot after the other, until one is vacant. Stop when the log has overflowed: the
        // scan must begin again anyway.
        let (notes, slots) = log.parts();
        while notes.load(Ordering::Relaxed) <= slots.len() as u64 {
            let turn = notes.fetch_add(1, Ordering::Relaxed) as usize;
            // Leave without a slot: the number of notes tells the scan that one found no room.
            let Some(slot) = slots.get(turn) else {
                return;
            };
            // Fill the slot by an exchange, because a writer that took its number in an earlier
            // scan may have filled it.
            let vacant = slot.compare_exchange(
                0,
                hint.into_bits::<L>(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            if vacant.is_ok() {
                return;
            }
        }
    }

    /// Begins a scan by this owner, of a table with this many buckets, unless one is in progress.
    pub(crate) fn scan(&self, owner: u64, buckets: usize) -> Result<Scan<'_, L>, NoScan> {
        // Take the right to scan. Until the log is known, 1 names the first one: a hint that is
        // left there meanwhile is superfluous.
        // Acquire: pairs with the Release in `Scan::drop`; the last scan's changes to the log are
        // done.
        let scanning = self.shared().scanning();
        let owned = owner << PLACE_BITS;
        scanning
            .compare_exchange(0, owned | 1, Ordering::Acquire, Ordering::Relaxed)
            .map_err(|_| NoScan::Busy)?;
        match self.shared().log_for(buckets) {
            Ok((place, log)) => {
                // Say which log writers shall use.
                // Relaxed: the announcement in the stripes comes after.
                scanning.store(owned | place, Ordering::Relaxed);
                Ok(Scan { hints: self, log })
            }
            // Give the right back: another thread may have the memory.
            Err(error) => {
                self.end_scan();
                Err(NoScan::OutOfMemory(error))
            }
        }
    }
}

impl<L> Hints<L> {
    fn shared(&self) -> &Shared {
        &self.shared[0]
    }

    /// Also the scan of a thread that died in it, for a caller who has the tokens alone.
    pub(crate) fn end_scan(&self) {
        // Release: pairs with the Acquire of the next scan.
        self.shared().scanning().store(0, Ordering::Release);
    }
}

/// For a table that several processes share.
#[cfg(feature = "shared")]
impl<L> Hints<L> {
    /// The owner of the scan; 0 if there is none.
    pub(crate) fn scanner(&self) -> u64 {
        // Relaxed: it only tells what to look at.
        self.shared().scanning().load(Ordering::Relaxed) >> PLACE_BITS
    }

    /// Makes the scan of a dead process one of `heir`, to be ended. Returns false if another
    /// process has it.
    pub(crate) fn inherit_scan(&self, dead: u64, heir: u64) -> bool {
        let scanning = self.shared().scanning();
        let place = scanning.load(Ordering::Relaxed) & ((1 << PLACE_BITS) - 1);
        // Acquire: the changes of the dead scan to the log are done.
        let old = dead << PLACE_BITS | place;
        let new = heir << PLACE_BITS | place;
        scanning
            .compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }
}

impl Shared {
    fn scanning(&self) -> &AtomicU64 {
        #[cfg(feature = "shared")]
        if let Some([scanning, ..]) = self.of_processes.as_deref() {
            return scanning;
        }
        &self.scanning
    }

    fn logs(&self) -> impl Iterator<Item = &Log> {
        iter::successors(self.log.get(), |log| log.larger.get())
    }

    /// A log that is large enough for this many buckets, and its place. Requires the right to scan.
    fn log_for(&self, buckets: usize) -> Result<(u64, &Log), OutOfMemory> {
        let slots = slots_for(buckets);
        // Walk along the list, in which each log is larger than those before it. Add one at its
        // end if none is large enough. No log is removed: late writers may still be in one.
        let (mut place, mut log) = (1, &self.log);
        loop {
            let found = log.get_or_try_init(|| allocate::boxed(Log::new(slots)?))?;
            if found.parts().1.len() >= slots {
                return Ok((place, found));
            }
            (place, log) = (place + 1, &found.larger);
        }
    }
}

impl Log {
    fn new(slots: usize) -> Result<Self, OutOfMemory> {
        Ok(Self {
            cells: allocate::slice(1 + slots, || AtomicU64::new(0))?.into(),
            larger: OnceBox::new(),
        })
    }

    /// The number of hints, and the slots.
    fn parts(&self) -> (&AtomicU64, &[AtomicU64]) {
        let (notes, slots) = self.cells.split_first().expect("a log has a first cell");
        (notes, slots)
    }
}

/// The number of cells of the log of a table with this many buckets.
#[cfg(feature = "shared")]
pub(crate) fn log_cells(buckets: usize) -> usize {
    1 + slots_for(buckets)
}

/// The slots of a log for this many buckets.
fn slots_for(buckets: usize) -> usize {
    (buckets / BUCKETS_PER_SLOT).max(MIN_SLOTS)
}

impl<L: Layout> Scan<'_, L> {
    /// Clears the log. Hints of writers that learnt of an earlier scan are not needed: this scan
    /// has not announced itself yet, and will see what these writers did before.
    pub(crate) fn forget(&self) {
        // Vacate all slots. If a late writer fills one again, its hint is superfluous, and the next
        // writer takes another slot.
        let (notes, slots) = self.log.parts();
        for slot in slots {
            slot.store(0, Ordering::Relaxed);
        }
        notes.store(0, Ordering::Relaxed);
    }

    /// The hints since [`forget`](Self::forget), or `None` if some found no room.
    pub(crate) fn hints(&self) -> Option<impl Iterator<Item = Hint>> {
        // Take the slots that were taken. There are fewer slots than notes if one found no room.
        let (notes, slots) = self.log.parts();
        let noted = slots.get(..notes.load(Ordering::Relaxed) as usize)?;
        // Skip vacant slots: their writers have yet to write them, and so have not moved anything.
        let read = |slot: &AtomicU64| Hint::from_bits::<L>(slot.load(Ordering::Relaxed));
        Some(noted.iter().filter_map(read))
    }
}

impl<L> Drop for Scan<'_, L> {
    fn drop(&mut self) {
        self.hints.end_scan();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::layout::Lanes;
    use crate::kernel::seats::THIS_PROCESS;
    use std::vec::Vec;

    type FourBySixteen = Lanes<4, 16>;
    type Hints = super::Hints<FourBySixteen>;

    fn hint(bucket: usize) -> Hint {
        let fingerprint = Fingerprint::from_bits(0xffff).expect("not 0");
        Hint {
            bucket,
            fingerprint,
        }
    }

    fn noted(scan: &Scan<'_, FourBySixteen>) -> Vec<Hint> {
        scan.hints().expect("all found room").collect()
    }

    #[test]
    fn a_table_that_has_grown_has_a_larger_log() {
        let hints = Hints::new().expect("memory");
        for (buckets, logs) in [(1 << 10, 1), (1 << 14, 2), (1 << 10, 2), (1 << 15, 3)] {
            let scan = hints.scan(THIS_PROCESS, buckets).expect("memory");
            scan.forget();
            let slots = buckets / BUCKETS_PER_SLOT;
            (0..slots).for_each(|bucket| hints.note(hint(bucket)));
            assert!(noted(&scan).into_iter().eq((0..slots).map(hint)));
            hints.note(hint(7));
            assert!(scan.hints().is_none(), "one found no room");
            drop(scan);
            assert_eq!(hints.shared().logs().count(), logs);
            // From a writer that is late by the whole scan.
            hints.note(hint(7));
        }
        let slots: usize = hints.shared().logs().map(|log| log.parts().1.len()).sum();
        assert!(hints.bytes() > slots * size_of::<u64>());
    }

    #[test]
    fn a_late_note_replaces_no_other() {
        let hints = Hints::new().expect("memory");
        let scan = hints.scan(THIS_PROCESS, 0).expect("memory");
        scan.forget();
        // A writer that took the first turn of an earlier scan, and writes only now.
        scan.log.parts().1[0].store(hint(1).into_bits::<FourBySixteen>(), Ordering::Relaxed);
        hints.note(hint(2));
        assert_eq!(noted(&scan), [hint(1), hint(2)]);
    }
}
