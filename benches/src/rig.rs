//! The rig: one contender, its keys, and timed slices of every kind of work.
//!
//! Only the work itself is timed. Its preparation, filling and putting back, is done by the same
//! calls outside the clock.

use std::any::type_name;
use std::hint::black_box;
use std::iter;
use std::ops::{AddAssign, Range};
use std::sync::Arc;
use std::time::Duration;

use harness::machine::cores;
use harness::race::{Slice, race, share};

use crate::contender::Contender;
use crate::keys::Keys;
use crate::latency::{Latencies, mix_timed};
use crate::mixed::OPS_PER_BLOCK;
use crate::tally::Faults;
use crate::work::{
    Work, insert_known_many, insert_many, insert_unique_many, look_up_many, remove_many,
};

/// A contender under test.
#[derive(Debug)]
pub struct Rig<C> {
    table: C,
    keys: Arc<Keys>,
    /// The number of stored keys in the table, without those that the mixed work has exchanged.
    inserted: usize,
    /// The start of the next slice of lookups or removes.
    cursor: usize,
    /// The turns of the ring of the mixed work so far.
    turn: usize,
    /// Whether the keys were inserted by calls that leave out those that collide.
    is_unique: bool,
    faults: Faults,
}

/// A loop of calls, one for each of some keys. Returns the number of calls that returned true.
type Each<C> = fn(&C, &[u64]) -> usize;

/// The number of lookups that touch nearly every line of a table that fits a second-level cache.
const WARM_UP: usize = 1 << 16;

impl<C: Contender> Rig<C> {
    /// The threads that fill a table outside the clock.
    const FILLERS: usize = if C::SHARED { 2 } else { 1 };

    /// Makes an empty contender of the size that the keys fill.
    #[must_use]
    pub fn empty(keys: &Arc<Keys>) -> Self {
        Self::of(C::with_capacity(keys.stored.len()), 0, keys)
    }

    /// Makes a rig of a contender that holds this many of the items.
    #[must_use]
    pub fn of(table: C, inserted: usize, keys: &Arc<Keys>) -> Self {
        Self {
            table,
            keys: Arc::clone(keys),
            inserted,
            cursor: 0,
            turn: 0,
            is_unique: false,
            faults: Faults::default(),
        }
    }

    /// Makes a contender of the size that the keys fill, with all items in it.
    #[must_use]
    pub fn full(keys: &Arc<Keys>) -> Self {
        let mut rig = Self::empty(keys);
        rig.fill();
        rig
    }

    /// Empties the table.
    pub fn clear(&mut self) {
        self.table.clear(self.keys.stored.len());
        (self.inserted, self.cursor, self.turn) = (0, 0, 0);
        self.is_unique = false;
    }

    /// Inserts the missing items outside the clock, so that the table holds all items and no other.
    pub fn fill(&mut self) {
        if self.turn > 0 || self.is_unique {
            self.clear();
        }
        if self.inserted < self.items() {
            self.slice(Work::Insert, self.items(), Self::FILLERS);
        }
    }

    /// Returns the number of items of a full table.
    #[must_use]
    pub fn items(&self) -> usize {
        self.keys.stored.len()
    }

    /// Returns the contender.
    pub fn table(&self) -> &C {
        &self.table
    }

    /// Returns the failures so far.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.faults
    }

    /// Runs this many operations of some work: at most the missing inserts, always a quarter of the
    /// items as removes, and whole blocks of mixed work. Other work than inserts needs a full
    /// table, and leaves it full.
    pub fn slice(&mut self, work: Work, ops: usize, threads: usize) -> Slice {
        if self.is_unique && !work.fills() {
            self.fill();
        }
        match work {
            Work::Insert => self.insert(C::insert_each, ops, threads),
            Work::InsertMany => self.insert(insert_many, ops, threads),
            Work::Unique => self.insert_unique(C::insert_unique_each, ops, threads),
            Work::UniqueMany => self.insert_unique(insert_unique_many, ops, threads),
            Work::Known => self.insert_known(C::insert_known_each, ops, threads),
            Work::KnownMany => self.insert_known(insert_known_many, ops, threads),
            Work::Hit => self.look_up(C::contains_each, true, ops, threads),
            Work::HitMany => self.look_up(look_up_many, true, ops, threads),
            Work::Miss => self.look_up(C::contains_each, false, ops, threads),
            Work::MissMany => self.look_up(look_up_many, false, ops, threads),
            Work::Remove => self.remove(C::remove_each, threads),
            Work::RemoveMany => self.remove(remove_many, threads),
            Work::Mixed => self.mix(ops / OPS_PER_BLOCK, threads),
        }
    }

    fn insert(&mut self, insert: Each<C>, ops: usize, threads: usize) -> Slice {
        let part = self.inserted..self.items().min(self.inserted + ops);
        self.inserted = part.end;
        let (slice, inserted) = self.each(insert, part, threads);
        self.faults.refused += slice.ops - inserted;
        slice
    }

    /// Inserts absent keys. One that is not added must be found, because it collides with one that
    /// is stored. Otherwise it was refused.
    fn insert_unique(&mut self, insert: Each<C>, ops: usize, threads: usize) -> Slice {
        self.is_unique = true;
        let part = self.inserted..self.items().min(self.inserted + ops);
        self.inserted = part.end;
        let (slice, added) = self.each(insert, part.clone(), threads);
        if added < slice.ops {
            let found = self.table.contains_each(&self.keys.stored[part]);
            self.faults.refused += slice.ops - found;
        }
        slice
    }

    /// Inserts stored keys, none of which must be added.
    fn insert_known(&mut self, insert: Each<C>, ops: usize, threads: usize) -> Slice {
        let (slice, added) = self.endless(self.keys.residents(), insert, ops, threads);
        self.cursor += ops;
        self.faults.doubled += added;
        slice
    }

    /// Runs `call` on a part of the stored keys.
    fn each(&self, call: Each<C>, part: Range<usize>, threads: usize) -> (Slice, usize) {
        self.race(part.len(), threads, |thread| {
            let part = share(&part, thread, threads);
            call(&self.table, &self.keys.stored[part])
        })
    }

    fn look_up(&mut self, look_up: Each<C>, hit: bool, ops: usize, threads: usize) -> Slice {
        let keys = match hit {
            true => self.keys.residents(),
            false => &self.keys.absent,
        };
        let (slice, found) = self.endless(keys, look_up, ops, threads);
        self.cursor += ops;
        self.faults.missed += if hit { ops - found } else { 0 };
        slice
    }

    /// Runs `call` on as many keys, from the cursor on, of an endless repetition of `keys`.
    fn endless(&self, keys: &[u64], call: Each<C>, ops: usize, threads: usize) -> (Slice, usize) {
        let range = self.cursor..self.cursor + ops;
        self.race(ops, threads, |thread| {
            let runs = runs(keys, share(&range, thread, threads));
            runs.map(|run| call(&self.table, run)).sum::<usize>()
        })
    }

    /// Removes a quarter of the items. Then it puts them back; the next call removes the next
    /// quarter.
    fn remove(&mut self, remove: Each<C>, threads: usize) -> Slice {
        self.fill();
        let quarter = self.items() / 4;
        let start = self.cursor % 4 * quarter;
        self.cursor += 1;
        let part = start..start + quarter;
        let (slice, removed) = self.each(remove, part.clone(), threads);
        let (_, inserted) = self.each(C::insert_each, part, Self::FILLERS);
        self.faults.unremoved += quarter - removed;
        self.faults.refused += quarter - inserted;
        slice
    }

    fn mix(&mut self, blocks: usize, threads: usize) -> Slice {
        // The keys that a lap removes must be stored before it, and those that it inserts must not.
        let most = self.keys.ring.len() / 2;
        let mut sum = Slice::default();
        let end = self.turn + blocks;
        while self.turn < end {
            let part = self.turn..end.min(self.turn + most);
            let (slice, faults) = self.race(part.len() * OPS_PER_BLOCK, threads, |thread| {
                self.table.mix(&self.keys, share(&part, thread, threads))
            });
            self.faults += faults;
            self.turn = part.end;
            sum += slice;
        }
        sum
    }

    /// Times single operations of mixed work on a full table.
    pub fn mix_timed(&mut self, threads: usize, time: Duration) -> Latencies {
        self.fill();
        let times = mix_timed(&self.table, &self.keys, threads, time);
        self.faults += times.faults;
        times
    }

    /// Runs work under the clock. Each thread first brings the table back into the cache of its
    /// processor, which others have used meanwhile. With more threads than processors that is not
    /// possible.
    fn race<T: AddAssign + Send>(
        &self,
        ops: usize,
        threads: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> (Slice, T) {
        let some = &self.keys.stored[..self.items().min(WARM_UP)];
        let warm_up = || {
            if threads <= cores() {
                black_box(self.table.contains_each(some));
            }
        };
        race(ops, threads, warm_up, work)
    }

    /// Returns the share of absent keys that are found.
    #[must_use]
    pub fn false_positives(&self) -> f64 {
        let absent = &self.keys.absent;
        self.table.contains_each(absent) as f64 / absent.len() as f64
    }

    /// Looks up every key of a full table, and checks that nothing failed before.
    ///
    /// # Panics
    ///
    /// If the contender claims to be exact and is not.
    pub fn check(&mut self) {
        let half = self.keys.ring.len() / 2;
        let turning = runs(&self.keys.ring, self.turn..self.turn + half);
        let all = iter::once(self.keys.residents()).chain(turning);
        let found: usize = all.map(|run| self.table.contains_each(run)).sum();
        self.faults.missed += self.items() - found;
        let sound = !C::EXACT || self.faults == Faults::default();
        assert!(sound, "{}: {:?}", type_name::<C>(), self.faults);
    }
}

/// Returns the elements of an endless repetition of `keys` at the positions `range`, in contiguous
/// runs.
fn runs(keys: &[u64], range: Range<usize>) -> impl Iterator<Item = &[u64]> {
    let mut at = range.start % keys.len();
    let mut left = range.len();
    iter::from_fn(move || {
        let run = keys[at..].len().min(left);
        let slice = &keys[at..at + run];
        at = 0;
        left -= run;
        (run > 0).then_some(slice)
    })
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use lockfree_cuckoo::CuckooFilter;

    use super::*;
    use crate::contender::Calls;
    use crate::limit::Limit;

    #[test]
    fn runs_wrap_around() {
        let keys = [1, 2, 3];
        let all: Vec<u64> = runs(&keys, 4..12).flatten().copied().collect();
        assert_eq!(all, [2, 3, 1, 2, 3, 1, 2, 3]);
        assert_eq!(runs(&keys, 5..5).count(), 0);
    }

    fn every_work_can_be_repeated<C: Contender>() {
        let keys = Arc::new(Keys::generate(20_000));
        let mut rig = Rig::<C>::full(&keys);
        for threads in [1, 2, 3] {
            for &work in Work::value_variants() {
                for _ in 0..if work == Work::Mixed { 1 } else { 5 } {
                    let ops = rig.slice(work, 30_001, threads).ops;
                    assert_eq!(ops == 0, work.fills(), "{work:?}");
                }
            }
            rig.check();
            rig.fill();
        }
        rig.clear();
        assert_eq!(rig.slice(Work::Insert, 7, 1).ops, 7);
        assert_eq!(rig.slice(Work::InsertMany, 30_000, 2).ops, 19_993);
        rig.check();
        for work in [Work::Unique, Work::UniqueMany] {
            rig.clear();
            assert_eq!(rig.slice(work, 7, 1).ops, 7);
            assert_eq!(rig.slice(work, 30_000, 2).ops, 19_993);
            rig.check();
        }
        // Each key is in once more.
        rig.slice(Work::Remove, 0, 2);
        rig.check();
    }

    /// A contender that claims to be exact. It forgets one key in a thousand, takes another for a
    /// stored one, and adds a third whether it is stored or not.
    struct Forgetful(CuckooFilter);

    impl Contender for Forgetful {
        const CALLS: Calls = CuckooFilter::CALLS;

        fn with_capacity(items: usize) -> Self {
            Self(CuckooFilter::with_capacity(items))
        }

        fn insert(&self, hash: u64) -> bool {
            hash.is_multiple_of(1_000) || self.0.insert_hash(hash).is_ok()
        }

        fn insert_unique(&self, hash: u64) -> bool {
            match hash % 1_000 {
                0 => false,
                1 => self.0.insert_hash(hash).is_ok(),
                _ => self.0.insert_unique_hash(hash) == Ok(true),
            }
        }

        fn contains(&self, hash: u64) -> bool {
            self.0.contains_hash(hash)
        }
    }

    #[test]
    fn counts_what_unique_inserts_did_wrong() {
        let keys = Arc::new(Keys::generate(20_000));
        let mut rig = Rig::<Forgetful>::empty(&keys);
        rig.slice(Work::Unique, 20_000, 2);
        let refused = keys.stored.iter().filter(|&&key| key.is_multiple_of(1_000));
        assert_eq!(rig.faults.refused, refused.count());
        assert_eq!((rig.faults.doubled, rig.faults.missed), (0, 0));
        let residents = keys.residents();
        rig.slice(Work::Known, residents.len(), 2);
        let doubled = residents.iter().filter(|&&key| key % 1_000 == 1);
        assert_eq!(rig.faults.doubled, doubled.count());
        assert!(rig.faults.doubled > 0 && rig.faults.refused > 0);
    }

    #[test]
    #[should_panic(expected = "missed")]
    fn notices_a_contender_that_forgets() {
        Rig::<Forgetful>::full(&Arc::new(Keys::generate(20_000))).check();
    }

    #[test]
    fn runs_all_work_with_the_filter_and_the_limit() {
        every_work_can_be_repeated::<CuckooFilter>();
        every_work_can_be_repeated::<Limit>();
    }
}
