//! The rig: one contender, its keys, and timed slices of every kind of work.
//!
//! Only the work itself is timed. What has to be done so that there is work, filling and putting back, is
//! done by the same calls outside the clock.

use std::hint::black_box;
use std::iter;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::contender::Contender;
use crate::faults::Faults;
use crate::keys::Keys;
use crate::lap::Lap;
use crate::latency::{Latencies, mix_timed};
use crate::machine::cores;
use crate::race::{race, share};
use crate::work::{
    insert_each, insert_many, look_up_each, look_up_many, mix, remove_each, remove_many,
};

/// A contender under test.
#[derive(Debug)]
pub struct Rig<C> {
    table: C,
    keys: Arc<Keys>,
    /// Where the next slice of lookups or removes begins.
    cursor: usize,
    /// How far the ring of the mixed work has turned.
    turn: usize,
    faults: Faults,
}

/// Does something to each of some keys. The number of calls that said yes.
type Each<C> = fn(&C, &[u64]) -> usize;

/// Lookups that touch nearly every line of a table that fits a second-level cache.
const WARM_UP: usize = 1 << 16;

impl<C: Contender> Rig<C> {
    /// Threads that fill a table while nobody looks at the clock.
    const FILLERS: usize = if C::MOST_THREADS < 2 { 1 } else { 2 };

    /// An empty contender of the size that the keys make full.
    #[must_use]
    pub fn empty(keys: &Arc<Keys>) -> Self {
        Self::of(C::with_capacity(keys.stored.len()), keys)
    }

    /// One that is there already: empty, or with all items in it.
    #[must_use]
    pub fn of(table: C, keys: &Arc<Keys>) -> Self {
        Self {
            table,
            keys: Arc::clone(keys),
            cursor: 0,
            turn: 0,
            faults: Faults::default(),
        }
    }

    /// The same with all items in it.
    #[must_use]
    pub fn full(keys: &Arc<Keys>) -> Self {
        let mut rig = Self::empty(keys);
        rig.insert(0..keys.stored.len(), Self::FILLERS);
        rig
    }

    /// Empties the table. The next work is [`insert`](Self::insert).
    pub fn clear(&mut self) {
        self.table.clear();
        self.cursor = 0;
        self.turn = 0;
    }

    /// The number of items of a full table.
    #[must_use]
    pub fn items(&self) -> usize {
        self.keys.stored.len()
    }

    /// The contender.
    pub fn table(&self) -> &C {
        &self.table
    }

    /// What went wrong so far.
    #[must_use]
    pub fn faults(&self) -> Faults {
        self.faults
    }

    /// Inserts a part of the items, into a table that does not have them.
    pub fn insert(&mut self, part: Range<usize>, threads: usize) -> Lap {
        self.insert_by(insert_each::<C>, part, threads)
    }

    /// As [`insert`](Self::insert), in batches.
    pub fn insert_many(&mut self, part: Range<usize>, threads: usize) -> Lap {
        self.insert_by(insert_many::<C>, part, threads)
    }

    fn insert_by(&mut self, insert: Each<C>, part: Range<usize>, threads: usize) -> Lap {
        let (table, stored) = (&self.table, &self.keys.stored);
        let (lap, inserted) = self.race(threads, |thread| {
            insert(table, &stored[share(&part, thread, threads)])
        });
        self.faults.refused += part.len() - inserted;
        lap
    }

    /// Looks up so many keys that are in a full table.
    pub fn hit(&mut self, lookups: usize, threads: usize) -> Lap {
        let (lap, found) = self.look_up(self.keys.residents(), lookups, threads, look_up_each::<C>);
        self.found(found, lookups);
        lap
    }

    /// Looks up so many keys, of which all are among the first that were inserted.
    pub fn hit_first(&mut self, inserted: usize, lookups: usize, threads: usize) -> Lap {
        let keys = &self.keys.stored[..inserted];
        let (lap, found) = self.look_up(keys, lookups, threads, look_up_each::<C>);
        self.found(found, lookups);
        lap
    }

    /// Looks up so many keys that are not in. Their number, but for false positives, is found.
    pub fn miss(&mut self, lookups: usize, threads: usize) -> (Lap, usize) {
        let result = self.look_up(&self.keys.absent, lookups, threads, look_up_each::<C>);
        self.cursor += lookups;
        result
    }

    /// As [`hit`](Self::hit), in batches.
    pub fn hit_many(&mut self, lookups: usize, threads: usize) -> Lap {
        let (lap, found) = self.look_up(self.keys.residents(), lookups, threads, look_up_many::<C>);
        self.found(found, lookups);
        lap
    }

    /// As [`miss`](Self::miss), in batches.
    pub fn miss_many(&mut self, lookups: usize, threads: usize) -> (Lap, usize) {
        let result = self.look_up(&self.keys.absent, lookups, threads, look_up_many::<C>);
        self.cursor += lookups;
        result
    }

    fn look_up(
        &self,
        keys: &[u64],
        lookups: usize,
        threads: usize,
        look_up: impl Fn(&C, &[u64]) -> usize + Sync,
    ) -> (Lap, usize) {
        let range = self.cursor..self.cursor + lookups;
        self.race(threads, |thread| {
            runs(keys, share(&range, thread, threads))
                .map(|run| look_up(&self.table, run))
                .sum()
        })
    }

    fn found(&mut self, found: usize, lookups: usize) {
        self.faults.missed += lookups - found;
        self.cursor += lookups;
    }

    /// Removes a quarter of the items from a full table. The number of removes and their time. The items are
    /// put back, and the next call removes the next quarter.
    pub fn remove(&mut self, threads: usize) -> (usize, Lap) {
        self.remove_by(remove_each::<C>, threads)
    }

    /// As [`remove`](Self::remove), in batches.
    pub fn remove_many(&mut self, threads: usize) -> (usize, Lap) {
        self.remove_by(remove_many::<C>, threads)
    }

    fn remove_by(&mut self, remove: Each<C>, threads: usize) -> (usize, Lap) {
        let quarter = self.items() / 4;
        let start = self.cursor % 4 * quarter;
        self.cursor += 1;
        let part = start..start + quarter;
        let (table, stored) = (&self.table, &self.keys.stored);
        let (lap, removed) = self.race(threads, |thread| {
            remove(table, &stored[share(&part, thread, threads)])
        });
        self.faults.unremoved += quarter - removed;
        self.insert(part, Self::FILLERS);
        (quarter, lap)
    }

    /// Does so many blocks of mixed work on a full table.
    pub fn mix(&mut self, blocks: usize, threads: usize) -> Lap {
        // What a slice removes must be in before it, and what it inserts must not.
        let most = self.keys.ring.len() / 2;
        let mut sum = Lap::default();
        let mut left = blocks;
        while left > 0 {
            let slice = self.turn..self.turn + left.min(most);
            let (table, keys) = (&self.table, &*self.keys);
            let (lap, faults) = self.race(threads, |thread| {
                mix(table, keys, share(&slice, thread, threads))
            });
            self.faults += faults;
            sum += lap;
            left -= slice.len();
            self.turn = slice.end;
        }
        sum
    }

    /// The times of single operations of mixed work on a full table, which it fills anew if it has to.
    pub fn mix_timed(&mut self, threads: usize, time: Duration) -> (Lap, Latencies) {
        if self.turn > 0 {
            self.clear();
            self.insert(0..self.items(), Self::FILLERS);
        }
        let (lap, times) = mix_timed(&self.table, &self.keys, threads, time);
        self.faults += times.faults;
        (lap, times)
    }

    /// Runs work under the clock. Before, each thread brings the table back into the cache of the processor
    /// that it happens to be on; others have used it meanwhile. Of more threads than processors, none can.
    fn race<T: iter::Sum + Send>(
        &self,
        threads: usize,
        work: impl Fn(usize) -> T + Sync,
    ) -> (Lap, T) {
        let some = &self.keys.stored[..self.items().min(WARM_UP)];
        let warm_up = || {
            if threads <= cores() {
                black_box(look_up_each(&self.table, some));
            }
        };
        race(threads, warm_up, work)
    }

    /// Looks up every key that is in, and counts those that are not found.
    pub fn audit(&mut self) {
        let half = self.keys.ring.len() / 2;
        let turning = runs(&self.keys.ring, self.turn..self.turn + half);
        let all = iter::once(self.keys.residents()).chain(turning);
        let found: usize = all.map(|run| look_up_each(&self.table, run)).sum();
        self.faults.missed += self.items() - found;
    }

    /// Checks a full table, and that nothing went wrong before.
    ///
    /// # Panics
    ///
    /// If the contender claims to be exact and is not.
    pub fn check(&mut self) {
        self.audit();
        assert!(
            !C::EXACT || self.faults.are_none(),
            "{}: {}",
            C::NAME,
            self.faults
        );
    }
}

/// The elements of an endless repetition of `keys` at the positions `range`, in contiguous runs.
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
    use lockfree_cuckoo::CuckooFilter;

    use super::*;
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
            rig.hit(30_001, threads);
            rig.miss(30_001, threads);
            for _ in 0..5 {
                rig.remove(threads);
                rig.remove_many(threads);
            }
        }
        for threads in [1, 2, 3] {
            rig.mix(10_001, threads);
            rig.check();
        }
        rig.clear();
        rig.insert(0..7, 1);
        rig.insert_many(7..rig.items(), 2);
        rig.check();
    }

    #[test]
    fn the_filter_stays_exact() {
        every_work_can_be_repeated::<CuckooFilter>();
    }

    #[test]
    fn the_limit_goes_through_it_all() {
        every_work_can_be_repeated::<Limit>();
    }
}
