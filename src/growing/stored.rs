//! The stored form of the engine that grows.

use crate::allocate;
use crate::codec::header::{Entry, MAX_TABLES, WORD, demand};
use crate::codec::manifest::{Manifest, StoredTable, TableWords};
use crate::codec::reading::{Input, at_most_slots};
use crate::error::ReadError;
use crate::growing::item::{MAX_LEVEL, level_of};
use crate::growing::lane::{Depth, TAIL_BITS};
use crate::growing::several::{Limits, MAX_ADDED, Tables};
use crate::growing::sweep::{Region, Stage};
use crate::growing::table::{CountedGrowingTable, compared_when_first_full, geometry};
use crate::growing::word::Lanes16;
use crate::kernel::layout::{Bucket, Token};
use crate::kernel::sizing::any_of;
use crate::kernel::table::Table;

/// The stored value for "no limit", on machines of any word size.
const NO_LIMIT: u64 = u64::MAX;

/// Follows an unsplit bucket of a growing table, in place of its second child. No bucket is stored
/// as this.
const WHOLE: u64 = 1;

/// A table's entry in the list: its first level, its stage, and its items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Grown {
    first: u32,
    stage: Stage,
    items: usize,
}

/// Encodes the first level, the current level, whether the table grows, and the cursor in one
/// number.
fn shape(first: u32, stage: Stage) -> u64 {
    let growing = u64::from(stage.cursor.is_some());
    let cursor = stage.cursor.unwrap_or(0) as u64;
    u64::from(first) | u64::from(stage.level) << 8 | growing << 16 | cursor << 24
}

/// The stage in a number from [`shape`].
fn stage(shape: u64) -> Stage {
    Stage {
        level: shape as u32 >> 8 & 0xff,
        cursor: (shape >> 16 & 1 == 1).then_some((shape >> 24) as usize),
    }
}

impl Grown {
    /// Decodes an entry, if it is possible behind that of a `finer` table.
    fn decode(entry: Entry, finer: Option<Self>) -> Result<Self, ReadError> {
        let [first, level, growing, ..] = entry.shape.to_le_bytes().map(u32::from);
        let cursor = entry.shape >> 24;
        demand(growing <= 1, "whether a table grows is not 0 or 1")?;
        let size = level + growing;
        demand(
            (1..=level).contains(&first) && size <= (first + TAIL_BITS).min(MAX_LEVEL),
            "a table has doubled more often than it can",
        )?;
        demand(
            cursor <= u64::from(growing) << level,
            "more buckets of a table are split than there are",
        )?;
        demand(
            finer.is_none_or(|finer| level == first + TAIL_BITS && finer.first == level),
            "a table does not begin where the one before ends",
        )?;
        Ok(Self {
            first,
            stage: stage(entry.shape),
            items: at_most_slots(
                entry.items,
                geometry(size),
                "a table has more items than slots",
            )?,
        })
    }

    /// Whether a token can be in the table at this level: it has a head and a mark, and its tail is
    /// no shorter than the doublings leave.
    fn admits(&self, level: u32, token: Token<Lanes16>) -> bool {
        let lane = token.bits() as u16;
        let depth = if level == self.first {
            Depth::First
        } else {
            Depth::Deeper
        };
        let (head, low) = (lane >> TAIL_BITS, lane & ((1 << TAIL_BITS) - 1));
        let is_marked = depth == Depth::First || low != 0;
        head != 0 && is_marked && depth.tail(lane) >= TAIL_BITS - (level - self.first)
    }

    /// The region of a bucket, by its place, in stored words.
    fn region(&self, words: &Table<Lanes16>, place: usize) -> Region {
        let word = |place| words.load(place).as_bucket();
        if self.stage.cursor.is_none() {
            return Region::Whole(word(place));
        }
        match [2 * place, 2 * place + 1].map(word) {
            [content, mark] if mark.bits() == WHOLE => Region::Whole(content),
            parts => Region::Split(parts),
        }
    }

    /// Builds the table with these words, if they are valid in it.
    fn build(
        &self,
        words: &Table<Lanes16>,
        search_budget: usize,
    ) -> Result<CountedGrowingTable, ReadError> {
        let mut items = 0;
        for place in 0..1 << self.stage.level {
            let region = self.region(words, place);
            demand(
                matches!(region, Region::Split(_)) || !self.stage.has_passed(place),
                "a bucket that the sweep has passed is not split",
            )?;
            for (bucket, content) in region.buckets(1 << self.stage.level | place) {
                demand(
                    content.is_packed(),
                    "a bucket is not one that the layout has",
                )?;
                let level = level_of(bucket);
                demand(
                    content.tokens().all(|token| self.admits(level, token)),
                    "a token has fewer bits than its table has left it",
                )?;
            }
            items += region.len();
        }
        demand(
            items == self.items,
            "its number of items differs from the stored number",
        )?;
        let region = |place| self.region(words, place);
        Ok(CountedGrowingTable::with_regions(
            self.first,
            self.stage,
            region,
            items,
            search_budget,
        )?)
    }
}

impl TableWords for CountedGrowingTable {
    fn count(&self, shape: u64) -> usize {
        1 << stage(shape).size()
    }

    fn announcements(&self) -> u64 {
        self.tokens().announcements()
    }

    fn settle(&self, shape: u64) -> usize {
        self.tokens().settle_each(stage(shape).level)
    }

    fn copy(&self, shape: u64, from: usize, to: &mut [[u8; WORD]]) -> usize {
        let stage = stage(shape);
        let stored = |region| match region {
            Region::Whole(content) => [content.bits(), WHOLE],
            Region::Split(parts) => parts.map(Bucket::bits),
        };
        // Two words per bucket while the table grows, otherwise the first of them.
        let words = 1 << (stage.size() - stage.level);
        let copy = |(words, place): (&mut [[u8; WORD]], usize)| {
            let region = self.tokens().region_at(stage.level, place);
            // A bucket that has been split twice is in a table that now has another size, so the
            // chunks are not current.
            let region = region.unwrap_or(Region::Whole(Bucket::EMPTY));
            for (word, stored) in words.iter_mut().zip(stored(region)) {
                *word = stored.to_le_bytes();
            }
            region.len()
        };
        let buckets = to.chunks_mut(words).zip(from / words..);
        buckets.map(copy).sum()
    }

    /// Whether no growth has begun since. A growth in progress may have advanced or ended: the two
    /// words of a bucket are read at once, and describe it at that time.
    fn is_current(&self, shape: u64) -> bool {
        // A size never recurs.
        self.size() == stage(shape).size()
    }
}

/// The tables from the newest to the oldest, with the limits of the filter. An added table changes
/// their list.
pub(crate) fn manifest(tables: &Tables) -> Manifest<'_> {
    let Limits { rate, memory, .. } = *tables.limits();
    let memory = match memory {
        usize::MAX => NO_LIMIT,
        bytes => bytes as u64,
    };
    let count = tables.count();
    Manifest::new(
        [rate.to_bits(), memory],
        tables.oldest().tokens().search_budget(),
        tables.first(count).map(|table| {
            // Before the announcements and the words: see `Levels::stage`.
            let shape = shape(table.tokens().first(), table.tokens().stage());
            StoredTable::new(table, shape)
        }),
        count as u64,
    )
}

/// The rate of the first table with no vacant slot left: no limit is lower.
fn lowest_rate() -> f64 {
    any_of::<Lanes16>(compared_when_first_full())
}

/// Reads the tables of a growing filter, from the oldest to the newest, and its limits.
pub(crate) fn restore(
    input: Input<'_>,
) -> Result<(impl Iterator<Item = CountedGrowingTable>, f64, usize), ReadError> {
    let numbers = input.numbers(1..=MAX_ADDED + 1)?;
    let [rate, memory] = numbers.own;
    let rate = f64::from_bits(rate);
    // Also false for NaN.
    demand(
        rate >= lowest_rate(),
        "its limit on the rate of false positives is out of range",
    )?;
    let tables = input.tables(&numbers, Grown::decode, |table| {
        geometry(table.stage.size())
    })?;
    // A limit beyond the address space is no limit.
    let memory = usize::try_from(memory).unwrap_or(usize::MAX);
    let mut built = Vec::new();
    allocate::grow(&mut built, tables.len())?;
    for (table, words) in tables {
        built.push(table.build(&words.unchecked(), numbers.search_budget)?);
    }
    Ok((built.into_iter().rev(), rate, memory))
}

const _: () = assert!(MAX_ADDED < MAX_TABLES);
