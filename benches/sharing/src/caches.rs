//! Private caches that follow the MESI rules, and what passes between them.

use std::collections::HashMap;

/// Bytes of a line.
pub const LINE: usize = 64;

/// Lines of a cache: 1 MiB, as large as a second-level cache.
const SETS: usize = 1 << 10;
const WAYS: usize = 16;

/// A set of processors, at most 128.
type Processors = u128;

/// What is known of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// Who has it.
    holders: Processors,
    /// Who had it until another one wrote to it.
    lost: Processors,
    /// Whether the only holder has changed it.
    is_dirty: bool,
}

/// The lines of one set, each with the time of its last use.
type Set = Vec<(usize, u64)>;

/// The caches of some processors.
///
/// A line *changes hands* if a processor needs it and another one has changed it, or took it away, since the processor last
/// had it; and if a processor writes to a line that others have too. A line that comes from memory, or is read by many and
/// written by nobody, does not.
#[derive(Debug)]
pub struct Caches {
    lines: HashMap<usize, Line>,
    sets: Vec<Set>,
    time: u64,
}

impl Caches {
    /// Empty ones of so many processors, at most 128.
    #[must_use]
    pub fn new(processors: usize) -> Self {
        Self {
            lines: HashMap::new(),
            sets: vec![Vec::with_capacity(WAYS); processors * SETS],
            time: 0,
        }
    }

    /// An access of a processor. Returns whether the line has changed hands for it.
    pub fn access(&mut self, processor: usize, address: usize, writes: bool) -> bool {
        let number = address / LINE;
        let me = 1 << processor;
        self.hold(processor, number);
        let line = self.lines.entry(number).or_default();
        let others = line.holders & !me;
        let has_lost = line.lost & me != 0;
        let changes_hands = if writes {
            others != 0 || has_lost
        } else {
            line.is_dirty && others != 0 || has_lost
        };
        line.lost &= !me;
        if writes {
            line.lost |= others;
            (line.holders, line.is_dirty) = (me, true);
        } else {
            // Who had changed it writes it back.
            line.is_dirty &= others == 0;
            line.holders |= me;
        }
        changes_hands
    }

    /// Gives a line a place in a cache, that of the line which was not used for the longest time.
    fn hold(&mut self, processor: usize, number: usize) {
        self.time += 1;
        let set = &mut self.sets[processor * SETS + number % SETS];
        if let Some((_, used)) = set.iter_mut().find(|(held, _)| *held == number) {
            *used = self.time;
            return;
        }
        if set.len() == WAYS {
            let oldest = (0..WAYS).min_by_key(|&way| set[way].1).expect("ways");
            let (evicted, _) = set.swap_remove(oldest);
            let line = self.lines.entry(evicted).or_default();
            line.holders &= !(1 << processor);
            line.is_dirty &= line.holders != 0;
        }
        set.push((number, self.time));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: bool = false;
    const WRITE: bool = true;

    #[test]
    fn what_only_one_uses_or_all_only_read_stays() {
        let mut caches = Caches::new(3);
        assert!(!caches.access(0, 0, WRITE));
        assert!(!caches.access(0, LINE - 1, READ));
        assert!(!caches.access(0, 0, WRITE));
        for processor in [0, 1, 2, 1, 0] {
            assert!(!caches.access(processor, LINE, READ));
        }
    }

    #[test]
    fn a_changed_line_goes_once_to_each_who_reads_it() {
        let mut caches = Caches::new(3);
        assert!(!caches.access(0, 0, WRITE));
        assert!(caches.access(1, 8, READ));
        assert!(!caches.access(1, 8, READ));
        assert!(!caches.access(2, 0, READ), "clean by now, and never had");
        assert!(caches.access(0, 0, WRITE), "two others have it");
        for processor in [1, 2] {
            assert!(caches.access(processor, 0, READ));
            assert!(!caches.access(processor, 0, READ));
        }
    }

    #[test]
    fn a_line_that_two_write_goes_to_and_fro() {
        let mut caches = Caches::new(2);
        assert!(!caches.access(0, 0, WRITE));
        for turn in 1..10 {
            assert!(caches.access(turn % 2, 0, WRITE));
        }
    }

    #[test]
    fn what_found_no_room_comes_from_memory() {
        let mut caches = Caches::new(2);
        assert!(!caches.access(0, 0, WRITE));
        for other in 1..=WAYS {
            assert!(!caches.access(0, other * SETS * LINE, READ));
        }
        assert!(!caches.access(1, 0, WRITE), "it went back to memory");
        assert!(caches.access(0, 0, READ));
    }
}
