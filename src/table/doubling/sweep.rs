//! The sweep: how far the words of a level have been split, and which of them a thread splits next.
//!
//! ```text
//! ... gone | gone, or taken by a thread that splits them | free ...
//!          cursor                                        taken
//! ```
//!
//! The cursor alone says what is done. That words are taken is a suggestion, so that threads split different ones. Who took
//! some may stop, so others split them in the end.

use core::ops::Range;

use crate::sync::{self, AtomicU64, Ordering};

#[derive(Debug)]
pub(super) struct Sweep {
    /// The first word that need not be gone yet.
    cursor: AtomicU64,
    /// The first word that nobody has taken, unless the cursor has come further.
    taken: AtomicU64,
}

/// Words that one insert splits while the table grows, two cache lines. So a growth is over after an insert for each 16
/// words, or two where threads stop.
const CHUNK: usize = if sync::MODEL { 1 } else { 16 };

/// Words that are taken from the cursor on, at most. When a thread has stopped, others do its work, and one looks at all
/// these at once to move the cursor on.
const AHEAD: usize = if sync::MODEL { 2 } else { 64 * CHUNK };

impl Sweep {
    /// Of a table that begins at this level, or is there.
    pub(super) fn new(level: u32) -> Self {
        Self {
            cursor: AtomicU64::new(1 << level),
            taken: AtomicU64::new(1 << level),
        }
    }

    pub(super) fn cursor(&self) -> usize {
        // Acquire: pairs with the exchange in `move_on`; the splits of all words before it.
        self.cursor.load(Ordering::Acquire) as usize
    }

    /// The words that the caller is to split, of a level that ends at `end`: some that nobody has taken. If there are none,
    /// or others are late, those at the cursor.
    pub(super) fn next_chunk(&self, end: usize) -> Range<usize> {
        let cursor = self.cursor();
        // The cursor may be in the next level by now, and must not go back.
        let chunk = |from: usize| from..(from + CHUNK).min(end).max(from);
        // Relaxed, here and below: nothing depends on it.
        let mut old = self.taken.load(Ordering::Relaxed);
        loop {
            let free = cursor.max(old as usize);
            if free >= end.min(cursor + AHEAD) {
                return chunk(cursor);
            }
            let chunk = chunk(free);
            let (order, new) = (Ordering::Relaxed, chunk.end as u64);
            match self.taken.compare_exchange(old, new, order, order) {
                Ok(_) => return chunk,
                Err(now) => old = now,
            }
        }
    }

    /// The words of a chunk are gone. If they are those at the cursor, moves it past them, and past what others have split
    /// beyond them. Returns true if all words up to `end` are gone.
    pub(super) fn move_on(
        &self,
        chunk: Range<usize>,
        end: usize,
        is_gone: impl Fn(usize) -> bool,
    ) -> bool {
        if self.cursor() != chunk.start {
            return false;
        }
        let taken = self.taken.load(Ordering::Relaxed) as usize;
        let others = chunk.end..taken.min(end).min(chunk.start + AHEAD);
        let to = chunk.end + others.take_while(|&word| is_gone(word)).count();
        // Release: who goes on from there has the splits behind it.
        let _ = self.cursor.compare_exchange(
            chunk.start as u64,
            to as u64,
            Ordering::AcqRel,
            Ordering::Relaxed,
        );
        to == end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEVEL: u32 = 12;
    const END: usize = 2 << LEVEL;

    #[test]
    fn each_takes_other_words_and_the_cursor_goes_over_what_is_gone() {
        let sweep = Sweep::new(LEVEL);
        let [a, b, c] = [(); 3].map(|()| sweep.next_chunk(END));
        assert_eq!((a.start, a.end, b.end), (1 << LEVEL, b.start, c.start));
        let first = a.start;
        // The second one is not first, so it leaves the cursor alone.
        assert!(!sweep.move_on(b.clone(), END, |_| true));
        assert_eq!(sweep.cursor(), first);
        // The third one is under way.
        assert!(!sweep.move_on(a, END, |word| b.contains(&word)));
        assert_eq!(sweep.cursor(), c.start);
        assert!(!sweep.move_on(c.clone(), END, |_| true));
        assert_eq!(sweep.cursor(), c.end, "nobody has taken more");
    }

    /// Others go on for a while, and then do the work of one that has stopped.
    #[test]
    fn one_that_stops_is_overtaken() {
        let sweep = Sweep::new(LEVEL);
        let stopped = sweep.next_chunk(END);
        for _ in 1..AHEAD / CHUNK {
            let chunk = sweep.next_chunk(END);
            assert_ne!(chunk, stopped);
            assert!(!sweep.move_on(chunk, END, |_| true));
            assert_eq!(sweep.cursor(), stopped.start);
        }
        let chunk = sweep.next_chunk(END);
        assert_eq!(chunk, stopped);
        assert!(!sweep.move_on(chunk, END, |_| true));
        assert_eq!(sweep.cursor(), stopped.start + AHEAD);
        assert!(!sweep.move_on(stopped, END, |_| true), "it comes late");
        assert_eq!(sweep.cursor(), (1 << LEVEL) + AHEAD);
    }

    #[test]
    fn the_last_words_of_a_level_are_done_though_one_has_stopped() {
        let level = 4;
        let end = 2 << level;
        let sweep = Sweep::new(level);
        let stopped = sweep.next_chunk(end);
        let mut chunks = vec![stopped.clone()];
        while sweep.next_chunk(end) != stopped {
            chunks.push(stopped.clone());
            assert!(chunks.len() <= 1 << level);
        }
        assert!(sweep.move_on(stopped, end, |_| true));
        assert_eq!(sweep.cursor(), end);
        // Whoever comes before the hint has moved on finds that there is nothing to do.
        let rest = sweep.next_chunk(end);
        assert!(rest.is_empty() && sweep.move_on(rest, end, |_| true));
        // A late one that has the old hint leaves the next level alone.
        let next = sweep.next_chunk(2 * end);
        assert_eq!(next.start, end);
        assert!(!sweep.move_on(next.clone(), 2 * end, |_| true));
        let late = sweep.next_chunk(end);
        assert!(late.is_empty() && !sweep.move_on(late, end, |_| true));
        assert_eq!(sweep.cursor(), next.end);
    }
}
