//! The shapes of tables, and how often each is filled.

use std::thread;

use lockfree_cuckoo::Layout;

use crate::filling::{Fillings, fill};

/// So many ranges of `2^log` buckets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shape {
    pub(crate) ranges: usize,
    pub(crate) log: u32,
}

/// Slots that are filled of each shape, of one range and of several, unless that is too seldom or too often.
const SLOTS: [usize; 2] = [12_000_000, 2_000_000];
const FEWEST: usize = 12;
const MOST: usize = 1_000_000;

/// Numbers of ranges of which tables are filled, to check what is computed from those of one range.
const SEVERAL: [usize; 3] = [3, 9, 31];

impl Shape {
    pub(crate) fn buckets(self) -> usize {
        self.ranges << self.log
    }

    pub(crate) fn seed(self) -> u64 {
        (self.ranges as u64) << 8 | u64::from(self.log)
    }

    /// All shapes, of one range first.
    pub(crate) fn grid(large: bool) -> Vec<Self> {
        let single = (1..=19).chain(large.then_some(22)).map(|log| (1, log));
        let several = (1..=14)
            .step_by(2)
            .flat_map(|log| SEVERAL.map(|ranges| (ranges, log)));
        let all = single.chain(several);
        all.map(|(ranges, log)| Self { ranges, log }).collect()
    }

    fn times<L: Layout>(self, factor: usize) -> usize {
        let slots = SLOTS[usize::from(self.ranges > 1)];
        (slots / (self.buckets() * L::SLOTS)).clamp(FEWEST, MOST) * factor
    }
}

/// Fills tables of all shapes, on several threads.
pub(crate) fn fill_all<L: Layout>(
    shapes: &[Shape],
    factor: usize,
    threads: usize,
) -> Vec<Fillings> {
    let fill_some = |thread| {
        let some = shapes.iter().skip(thread).step_by(threads);
        some.map(|&shape| fill::<L>(shape, shape.times::<L>(factor)))
            .collect::<Vec<_>>()
    };
    let mut done: Vec<Fillings> = thread::scope(|scope| {
        let start = |thread| scope.spawn(move || fill_some(thread));
        let running: Vec<_> = (0..threads).map(start).collect();
        let finished = running.into_iter().map(|thread| thread.join());
        finished
            .flat_map(|filled| filled.expect("no panic"))
            .collect()
    });
    done.sort_by_key(|fillings| fillings.shape);
    done
}
