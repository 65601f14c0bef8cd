//! Simulated caches: count the accesses for which a cache line changes hands. See the program
//! `cache-lines`.

pub mod queue;

use std::collections::HashMap;
use std::ops::Range;

/// The bytes of a line.
pub const LINE: usize = 64;

/// The lines of a cache: 1 MiB, as large as a second-level cache.
const SETS: usize = 1 << 10;
const WAYS: usize = 16;

/// A set of processors, at most 128.
type Processors = u128;

/// The state of a line.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    /// The processors that hold it.
    holders: Processors,
    /// The processors that held it until another one wrote to it.
    lost: Processors,
    /// Whether the only holder has changed it.
    is_dirty: bool,
}

/// The lines of one set, each with the time of its last use.
type Set = Vec<(usize, u64)>;

/// The private caches of some processors, which follow the MESI rules.
///
/// A line *changes hands* if a processor needs it and another one has changed it, or taken it away,
/// since the processor last held it; and if a processor writes to a line that others hold too. A
/// line that comes from memory, or that is only read, does not.
#[derive(Debug)]
pub struct Caches {
    lines: HashMap<usize, Line>,
    sets: Vec<Set>,
    time: u64,
}

impl Caches {
    /// Creates empty caches for this many processors, at most 128.
    #[must_use]
    pub fn new(processors: usize) -> Self {
        Self {
            lines: HashMap::new(),
            sets: vec![Vec::with_capacity(WAYS); processors * SETS],
            time: 0,
        }
    }

    /// Records an access of a processor. Returns whether the line has changed hands for it.
    pub fn access(&mut self, processor: usize, address: usize, writes: bool) -> bool {
        let number = address / LINE;
        let me = 1 << processor;
        self.hold(processor, number);
        let line = self.lines.entry(number).or_default();
        let others = line.holders & !me;
        let has_lost = line.lost & me != 0;
        let changes_hands = has_lost || others != 0 && (writes || line.is_dirty);
        line.lost &= !me;
        if writes {
            line.lost |= others;
            (line.holders, line.is_dirty) = (me, true);
        } else {
            // The processor that changed it writes it back.
            line.is_dirty &= others == 0;
            line.holders |= me;
        }
        changes_hands
    }

    /// Puts a line into a cache, in place of the least recently used one.
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

/// The parts of a structure, by their places in memory. Several can have one name.
pub type Parts = Vec<(&'static str, Range<usize>)>;

/// The accesses to the parts of a structure, and how often their lines changed hands.
#[derive(Debug)]
pub struct Ledger {
    processors: usize,
    caches: Caches,
    parts: Parts,
    /// The counts of each part, and of all other memory.
    changed_hands: Vec<u64>,
    /// The counts of single lines of each part.
    of_lines: HashMap<(usize, usize), u64>,
    /// The stripes, if they are simulated elsewhere than they are.
    moved: Option<Moved>,
}

/// How the simulation moves the stripes: a table of another number of them, or with another
/// distance between two, behaves the same way.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// The bytes from one stripe to the next in memory.
    pub unit: usize,
    /// The number of stripes, a power of two. Those that agree in their low bits are one.
    pub number: usize,
    /// The bytes from one to the next.
    pub spacing: usize,
}

/// The stripes in memory, and how they are moved.
#[derive(Debug)]
struct Moved {
    from: Range<usize>,
    spread: Spread,
}

impl Moved {
    fn move_address(&self, address: usize) -> usize {
        if !self.from.contains(&address) {
            return address;
        }
        let Spread {
            unit,
            number,
            spacing,
        } = self.spread;
        // To the first line boundary, so that the result does not depend on where the stripes are.
        let number = (address - self.from.start) / unit % number;
        self.from.start.next_multiple_of(LINE) + number * spacing
    }
}

impl Ledger {
    /// Creates a ledger for this many processors, at most 128.
    #[must_use]
    pub fn new(processors: usize, parts: Parts) -> Self {
        Self {
            processors,
            caches: Caches::new(processors),
            changed_hands: vec![0; parts.len() + 1],
            of_lines: HashMap::new(),
            moved: None,
            parts,
        }
    }

    /// Creates a ledger that moves the part called `stripes`.
    ///
    /// # Panics
    ///
    /// If there is no such part.
    #[must_use]
    pub fn with_stripes(self, spread: Spread) -> Self {
        let mut parts = self.parts.iter();
        let stripes = parts.find(|(name, _)| *name == "stripes");
        let (_, from) = stripes.expect("a part with this name").clone();
        Self {
            moved: Some(Moved { from, spread }),
            ..self
        }
    }

    /// Lets every processor read the stripes, as each has long before. (In a short run few processors
    /// meet the same stripe.)
    pub fn share_stripes(&mut self) {
        let parts = self.parts.iter();
        let stripes = parts.filter(|(name, _)| *name == "stripes");
        let cells = stripes.flat_map(|(_, range)| range.clone().step_by(size_of::<u64>()));
        let cells: Vec<usize> = cells.collect();
        for processor in 0..self.processors {
            for &cell in &cells {
                self.access(processor, cell, false);
            }
        }
    }

    /// Counts an access.
    pub fn access(&mut self, processor: usize, address: usize, writes: bool) {
        let mut parts = self.parts.iter();
        let part = parts.position(|(_, range)| range.contains(&address));
        let moved = self.moved.as_ref();
        let address = moved.map_or(address, |moved| moved.move_address(address));
        if self.caches.access(processor, address, writes) {
            let part = part.unwrap_or(self.parts.len());
            self.changed_hands[part] += 1;
            *self.of_lines.entry((part, address / LINE)).or_default() += 1;
        }
    }

    /// Forgets the counts, but not the content of the caches.
    pub fn forget(&mut self) {
        self.changed_hands.fill(0);
        self.of_lines.clear();
    }

    /// Returns how often the line that changed hands most often did so, per operation, of the parts
    /// with these names.
    #[must_use]
    pub fn busiest(&self, operations: usize, is_meant: impl Fn(&str) -> bool) -> f64 {
        let is_meant: Vec<bool> = self.names().map(is_meant).collect();
        let lines = self.of_lines.iter();
        let counts = lines.filter_map(|((part, _), &count)| is_meant[*part].then_some(count));
        counts.max().unwrap_or(0) as f64 / operations as f64
    }

    fn names(&self) -> impl Iterator<Item = &'static str> {
        let names = self.parts.iter().map(|(name, _)| *name);
        names.chain(["elsewhere"])
    }

    /// Returns the counts per operation, by the names of the parts.
    #[must_use]
    pub fn rates(&self, operations: usize) -> Vec<(&'static str, f64)> {
        let mut sums: Vec<(&'static str, f64)> = Vec::new();
        for (name, &count) in self.names().zip(&self.changed_hands) {
            let rate = count as f64 / operations as f64;
            match sums.iter_mut().find(|(known, _)| *known == name) {
                Some((_, sum)) => *sum += rate,
                None => sums.push((name, rate)),
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const READ: bool = false;
    const WRITE: bool = true;

    #[test]
    fn private_and_read_only_lines_stay() {
        let mut caches = Caches::new(3);
        assert!(!caches.access(0, 0, WRITE));
        assert!(!caches.access(0, LINE - 1, READ));
        assert!(!caches.access(0, 0, WRITE));
        for processor in [0, 1, 2, 1, 0] {
            assert!(!caches.access(processor, LINE, READ));
        }
    }

    #[test]
    fn a_changed_line_goes_once_to_each_reader() {
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
    fn a_line_with_two_writers_goes_back_and_forth() {
        let mut caches = Caches::new(2);
        assert!(!caches.access(0, 0, WRITE));
        for turn in 1..10 {
            assert!(caches.access(turn % 2, 0, WRITE));
        }
    }

    /// Two stripes that share a line, and the same two in lines of their own, or as one.
    #[test]
    fn the_busiest_line_is_counted() {
        let spread = |number, spacing| Spread {
            unit: 8,
            number,
            spacing,
        };
        for (spread, all, busiest) in [
            (spread(2, 8), 1.0, 1.0),
            (spread(2, LINE), 1.25, 0.75),
            (spread(1, 8), 1.0, 1.0),
        ] {
            let parts = vec![("stripes", 4 * LINE..4 * LINE + 16)];
            let mut ledger = Ledger::new(2, parts).with_stripes(spread);
            ledger.access(0, 4 * LINE, WRITE);
            ledger.access(0, 4 * LINE + 8, WRITE);
            // Not of the stripes.
            ledger.access(1, LINE, WRITE);
            for (processor, stripe) in [(1, 0), (0, 0), (0, 1), (1, 1), (1, 0), (0, 1)] {
                ledger.access(processor, 4 * LINE + 8 * stripe, WRITE);
            }
            assert_eq!(
                ledger.rates(4),
                [("stripes", all), ("elsewhere", 0.0)],
                "{spread:?}"
            );
            assert_eq!(ledger.busiest(4, |_| true), busiest, "{spread:?}");
            assert_eq!(ledger.busiest(4, |name| name == "elsewhere"), 0.0);
            ledger.forget();
            assert_eq!(ledger.busiest(4, |_| true), 0.0);
        }
    }

    #[test]
    fn stripes_are_shared_from_the_start() {
        let parts = vec![("stripes", 0..2 * LINE), ("table", 2 * LINE..4 * LINE)];
        let mut ledger = Ledger::new(2, parts);
        ledger.share_stripes();
        for part in [0, 2 * LINE] {
            ledger.access(0, part, WRITE);
        }
        assert_eq!(ledger.rates(1)[..2], [("stripes", 1.0), ("table", 0.0)]);
    }

    #[test]
    fn evicted_lines_come_from_memory() {
        let mut caches = Caches::new(2);
        assert!(!caches.access(0, 0, WRITE));
        for other in 1..=WAYS {
            assert!(!caches.access(0, other * SETS * LINE, READ));
        }
        assert!(!caches.access(1, 0, WRITE), "it went back to memory");
        assert!(caches.access(0, 0, READ));
    }
}
