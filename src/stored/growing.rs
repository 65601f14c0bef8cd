//! The stored form of a filter that doubles: a header, a list of its tables, their words, a checksum.

use core::convert::Infallible;

use super::chunks::{Chunks, StoredTable, Words};
use super::frame::{Frame, Kind};
use super::source::{Input, Source, put_copied};
use super::{CHECKSUM, Identity, Stored, WORD, at_most_slots, demand, search_budget};
use crate::allocate;
use crate::counted::{GrowingTable, geometry};
use crate::engine::Growing;
use crate::engine::growing::{LATER, Limits, Tables, lowest_rate};
use crate::error::{OutOfMemory, ReadError};
use crate::layout::prefix::{Depth, TAIL_BITS};
use crate::layout::{Bucket, Token};
use crate::table::Table;
use crate::table::doubling::{DEEPEST, Lanes16, Region, Stage, level_of};
use crate::tokens::doubling::Doubling;

/// The list entry of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    first: u32,
    stage: Stage,
    items: usize,
    search_budget: usize,
}

/// Where the fields begin that other headers do not have.
mod at {
    pub(super) const UNUSED: usize = 32;
    pub(super) const RATE: usize = 40;
    pub(super) const MEMORY: usize = 48;
    pub(super) const TABLES: usize = 56;
}

/// The stored value for "no limit", on machines of any word size.
const NO_LIMIT: u64 = u64::MAX;

/// Behind a bucket of a table that grows, where its second child would be: it is not split. No bucket is stored as this.
const WHOLE: u64 = 1;

const ENTRY_BYTES: usize = 24;

/// Those of an entry but for its checksum.
const COVERED: usize = ENTRY_BYTES - CHECKSUM;

impl Entry {
    /// In place of one that there is not.
    const NONE: Self = Self {
        first: 0,
        stage: Stage {
            level: 0,
            cursor: None,
        },
        items: 0,
        search_budget: 0,
    };

    fn of(table: &GrowingTable, stage: Stage, items: usize) -> Self {
        Self {
            first: table.tokens().first(),
            stage,
            items,
            search_budget: table.tokens().search_budget(),
        }
    }

    fn encode(&self) -> [u8; COVERED] {
        let mut bytes = [0; COVERED];
        let growing = u64::from(self.stage.cursor.is_some());
        let cursor = self.stage.cursor.unwrap_or(0) as u64;
        let stage = u64::from(self.stage.level) | growing << 8 | cursor << 16;
        bytes[..8].copy_from_slice(&(u64::from(self.first) | stage << 8).to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.items as u64).to_le_bytes());
        bytes[16..].copy_from_slice(&(self.search_budget as u32).to_le_bytes());
        bytes
    }

    /// Decodes an entry, and checks that it is possible behind that of a `finer` table.
    fn decode(bytes: &[u8; COVERED], finer: Option<Self>) -> Result<Self, ReadError> {
        fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            core::array::from_fn(|index| bytes[at + index])
        }
        let [first, level, growing] = field(bytes, 0).map(u32::from);
        let cursor = u64::from_le_bytes(field(bytes, 0)) >> 24;
        demand(growing <= 1, "whether a table grows is not 0 or 1")?;
        let size = level + growing;
        demand(
            (1..=level).contains(&first) && size <= (first + TAIL_BITS).min(DEEPEST),
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
        let cursor = (growing == 1).then_some(cursor as usize);
        Ok(Self {
            first,
            stage: Stage { level, cursor },
            items: at_most_slots(
                u64::from_le_bytes(field(bytes, 8)),
                geometry(size),
                "a table has more items than slots",
            )?,
            search_budget: search_budget(field(bytes, 16))?,
        })
    }

    /// Whether a token can be in the table, at this level: it has a head and a mark, and no shorter tail than the doublings
    /// leave.
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

    /// What has become of a bucket, by its place, as stored words say.
    fn region(&self, words: &Table<Lanes16>, place: usize) -> Region {
        let word = |place| words.load(place).plain();
        if self.stage.cursor.is_none() {
            return Region::Whole(word(place));
        }
        match [2 * place, 2 * place + 1].map(word) {
            [content, mark] if mark.bits() == WHOLE => Region::Whole(content),
            parts => Region::Split(parts),
        }
    }

    /// The table that has these words, if it can have them.
    fn read(&self, words: &Table<Lanes16>) -> Result<GrowingTable, ReadError> {
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
        let table =
            GrowingTable::with_regions(self.first, self.stage, region, items, self.search_budget)?;
        Ok(table)
    }
}

/// The bytes of the whole stored form of tables that have these sizes.
fn stored_bytes(sizes: impl Iterator<Item = u32>) -> u64 {
    let of_table = |size: u32| ENTRY_BYTES as u64 + ((WORD as u64) << size);
    (Frame::BYTES + CHECKSUM) as u64 + sizes.map(of_table).sum::<u64>()
}

/// Copies the stored words of a table from one on, an even number of them. Returns the tokens in them.
fn copy_words(tokens: &Doubling, stage: Stage, from: usize, to: &mut [[u8; WORD]]) -> usize {
    let stored = |region| match region {
        Region::Whole(content) => [content.bits(), WHOLE],
        Region::Split(parts) => parts.map(Bucket::bits),
    };
    // Two words of a bucket while the table grows, and of each the first if it does not.
    let words = 1 << (stage.size() - stage.level);
    let copy = |(words, place): (&mut [[u8; WORD]], usize)| {
        let region = tokens.region_at(stage.level, place);
        // What has been split twice is in a table that has another size now, so the chunks are not current.
        let region = region.unwrap_or(Region::Whole(Bucket::EMPTY));
        for (word, stored) in words.iter_mut().zip(stored(region)) {
            *word = stored.to_le_bytes();
        }
        region.len()
    };
    let buckets = to.chunks_mut(words).zip(from / words..);
    buckets.map(copy).sum()
}

fn frame(engine: &Growing, identity: &Identity, tables: usize) -> Frame {
    let memory = match engine.memory() {
        usize::MAX => NO_LIMIT,
        bytes => bytes as u64,
    };
    let rate = engine.limits().false_positive_rate.to_bits();
    let mut frame = Frame::new::<Lanes16>(Kind::Doubling, identity);
    frame.put(at::RATE, &rate.to_le_bytes());
    frame.put(at::MEMORY, &memory.to_le_bytes());
    frame.put(at::TABLES, &(tables as u32).to_le_bytes());
    frame
}

/// Settles each word. Returns the tables from the finest on, each with the announcements before that.
fn settle_and_list(tables: &Tables) -> Result<Vec<(Entry, u64, &GrowingTable)>, OutOfMemory> {
    let count = tables.count();
    let mut entries = Vec::new();
    allocate::grow(&mut entries, count)?;
    for table in tables.first(count) {
        let tokens = table.tokens();
        // Ahead of the words: see `Blocks::stage`.
        let (stage, announcements) = (tokens.stage(), tokens.announcements());
        let items = tokens.settle_each(stage.level);
        entries.push((Entry::of(table, stage, items), announcements, table));
    }
    Ok(entries)
}

/// Hands over what is ahead of the words. Returns the checksum of it.
fn put_list<E>(
    frame: Frame,
    entries: &[Entry],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<crc32fast::Hasher, E> {
    put(&frame.encode())?;
    let mut checksum = frame.begin_checksum();
    for entry in entries {
        let entry = entry.encode();
        checksum.update(&entry);
        put(&entry)?;
        put(&checksum.clone().finalize().to_le_bytes())?;
    }
    Ok(checksum)
}

/// The words of a table at the stage that it had.
#[derive(Clone, Copy)]
struct Level<'a> {
    table: &'a GrowingTable,
    stage: Stage,
}

impl Level<'_> {
    /// Whether no growth has begun since. One that was under way may have gone on, or be over: the two words of a bucket are
    /// read at once, and say what it is by then.
    fn is_current(&self) -> bool {
        // A size does not come back.
        self.table.size() == self.stage.size()
    }
}

impl Words for Level<'_> {
    fn count(&self) -> usize {
        1 << self.stage.size()
    }

    fn announcements(&self) -> u64 {
        self.table.tokens().announcements()
    }

    fn copy(&self, from: usize, to: &mut [[u8; WORD]]) -> usize {
        copy_words(self.table.tokens(), self.stage, from, to)
    }
}

impl Stored for Growing {
    const KIND: Kind = Kind::Doubling;

    fn stored_bytes(&mut self) -> u64 {
        stored_bytes(self.list().all().map(GrowingTable::size))
    }

    fn put<E>(
        &mut self,
        identity: &Identity,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // Not the counters' sums: a thread that stopped between its exchange and the count left them off.
        let mut entries = [Entry::NONE; LATER + 1];
        let mut tables = 0;
        for (entry, table) in entries.iter_mut().zip(self.list().all()) {
            let items = table.tokens().settle_all();
            *entry = Entry::of(table, table.tokens().stage(), items);
            tables += 1;
        }
        let frame = frame(self, identity, tables);
        let mut checksum = put_list(frame, &entries[..tables], &mut put)?;
        for (table, &Entry { stage, .. }) in self.list().all().zip(&entries) {
            let copy = |from, to: &mut [[u8; WORD]]| copy_words(table.tokens(), stage, from, to);
            put_copied(1 << stage.size(), copy, &mut checksum, &mut put)?;
        }
        put(&checksum.finalize().to_le_bytes())
    }

    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory> {
        let found = settle_and_list(self.list())?;
        let count = found.len();
        let (mut entries, mut tables, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        allocate::grow(&mut entries, count)?;
        allocate::grow(&mut tables, count)?;
        allocate::grow(&mut levels, count)?;
        for (entry, announcements, table) in found {
            let words = Level {
                table,
                stage: entry.stage,
            };
            entries.push(entry);
            levels.push(words);
            tables.push(StoredTable::of_words(words, entry.items, announcements));
        }
        let frame = frame(self, identity, count);
        let mut head = Vec::new();
        allocate::grow(&mut head, Frame::BYTES + count * ENTRY_BYTES)?;
        let Ok(checksum) = put_list(frame, &entries, &mut |piece: &[u8]| {
            head.extend_from_slice(piece);
            Ok::<(), Infallible>(())
        });
        let are_current =
            move || levels.iter().all(Level::is_current) && self.list().count() == count;
        Ok(Chunks::new(head, checksum, tables, are_current))
    }

    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        outside: usize,
    ) -> Result<(Self, S), ReadError> {
        let identity = frame.check::<Lanes16>(Self::KIND)?;
        let tables = u32::from_le_bytes(frame.get(at::TABLES)) as usize;
        demand(
            (1..=LATER + 1).contains(&tables),
            "its number of tables is out of range",
        )?;
        demand(
            frame.number(at::UNUSED) == 0,
            "an unused byte of the header is not 0",
        )?;
        let rate = f64::from_bits(frame.number(at::RATE));
        // Also false for NaN.
        demand(
            rate >= lowest_rate(),
            "its limit on the rate of false positives is out of range",
        )?;
        let limits = Limits {
            false_positive_rate: rate,
        };
        // More than there can be is no limit.
        let memory = usize::try_from(frame.number(at::MEMORY)).unwrap_or(usize::MAX);
        let hasher = hasher(&identity)?;
        let mut input = Input::behind(Frame::BYTES as u64, frame.begin_checksum(), source);
        let tables = read_tables(&mut input, tables)?;
        Ok((Self::of_tables(tables, limits, memory, outside), hasher))
    }
}

/// The tables, from the finest to the coarsest.
fn read_tables(
    input: &mut Input<'_, impl Source>,
    tables: usize,
) -> Result<Vec<GrowingTable>, ReadError> {
    input.expect_at_least((Frame::BYTES + tables * ENTRY_BYTES) as u64);
    let mut entries: Vec<Entry> = Vec::new();
    allocate::grow(&mut entries, tables)?;
    for _ in 0..tables {
        let mut bytes = [0; COVERED];
        input.covered(&mut bytes)?;
        input.checksum()?;
        entries.push(Entry::decode(&bytes, entries.last().copied())?);
    }
    input.expect(stored_bytes(entries.iter().map(|entry| entry.stage.size())))?;
    let mut read = Vec::new();
    allocate::grow(&mut read, tables)?;
    for entry in &entries {
        read.push(input.words(geometry(entry.stage.size()))?);
    }
    input.checksum()?;
    let mut built = Vec::new();
    allocate::grow(&mut built, tables)?;
    for (entry, words) in entries.iter().zip(read) {
        built.push(entry.read(&words.unchecked())?);
    }
    Ok(built)
}
