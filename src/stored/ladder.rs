//! The stored form of a filter that doubles: a header, a list of its tables, their words, a checksum.

use core::convert::Infallible;

use super::chunks::{Chunks, StoredTable, Words};
use super::frame::{Frame, Kind};
use super::input::Input;
use super::source::Source;
use super::words::{copy_contents, put_copied};
use super::{CHECKSUM, Identity, Stored, WORD, at_most_slots, demand, malformed, search_budget};
use crate::allocate;
use crate::engine::Ladder;
use crate::engine::ladder::{LATER, Limits, Tables, lowest_rate};
use crate::error::{OutOfMemory, ReadError};
use crate::layout::Token;
use crate::layout::prefix::{Depth, TAIL_BITS};
use crate::segment::{Rung, geometry};
use crate::table::doubling::{DEEPEST, Lanes16};
use crate::tokens::doubling::Doubling;

/// The list entry of one table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    first: u32,
    level: u32,
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

const ENTRY_BYTES: usize = 24;

/// Those of an entry but for its checksum.
const COVERED: usize = ENTRY_BYTES - CHECKSUM;

impl Entry {
    fn of(rung: &Rung, items: usize) -> Self {
        Self {
            first: rung.tokens().first(),
            level: rung.tokens().level(),
            items,
            search_budget: rung.tokens().search_budget(),
        }
    }

    fn encode(&self) -> [u8; COVERED] {
        let mut bytes = [0; COVERED];
        bytes[0] = self.first as u8;
        bytes[1] = self.level as u8;
        bytes[8..16].copy_from_slice(&(self.items as u64).to_le_bytes());
        bytes[16..].copy_from_slice(&(self.search_budget as u32).to_le_bytes());
        bytes
    }

    /// Decodes an entry, and checks that it is possible behind that of a `finer` table.
    fn decode(bytes: &[u8; COVERED], finer: Option<Self>) -> Result<Self, ReadError> {
        fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            core::array::from_fn(|index| bytes[at + index])
        }
        let (first, level) = (u32::from(bytes[0]), u32::from(bytes[1]));
        demand(
            field::<6>(bytes, 2) == [0; 6],
            "an unused byte of a list entry is not 0",
        )?;
        demand(
            (1..=level).contains(&first) && level <= (first + TAIL_BITS).min(DEEPEST),
            "a table has doubled more often than it can",
        )?;
        demand(
            finer.is_none_or(|finer| level == first + TAIL_BITS && finer.first == level),
            "a table does not begin where the one before ends",
        )?;
        Ok(Self {
            first,
            level,
            items: at_most_slots(
                u64::from_le_bytes(field(bytes, 8)),
                geometry(level),
                "a table has more items than slots",
            )?,
            search_budget: search_budget(field(bytes, 16))?,
        })
    }

    /// Whether a token can be in the table: it has a head and a mark, and no shorter tail than its doublings leave.
    fn admits(&self, token: Token<Lanes16>) -> bool {
        let lane = token.bits() as u16;
        let depth = if self.level == self.first {
            Depth::First
        } else {
            Depth::Deeper
        };
        let (head, low) = (lane >> TAIL_BITS, lane & ((1 << TAIL_BITS) - 1));
        let is_marked = depth == Depth::First || low != 0;
        head != 0 && is_marked && depth.tail(lane) >= TAIL_BITS - (self.level - self.first)
    }
}

/// The bytes of the whole stored form.
fn stored_bytes(levels: impl Iterator<Item = u32>) -> u64 {
    let of_table = |level: u32| ENTRY_BYTES as u64 + ((WORD as u64) << level);
    (Frame::BYTES + CHECKSUM) as u64 + levels.map(of_table).sum::<u64>()
}

fn frame(engine: &Ladder, identity: &Identity, tables: usize) -> Frame {
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
fn settle_and_list(tables: &Tables) -> Result<Vec<(Entry, u64, &Doubling)>, OutOfMemory> {
    let count = tables.count();
    let mut entries = Vec::new();
    allocate::grow(&mut entries, count)?;
    for rung in tables.first(count) {
        let tokens = rung.tokens();
        // If it cannot, the chunks are not current from the beginning.
        tokens.finish_growth();
        let announcements = tokens.announcements();
        let level = tokens.level();
        let items = tokens.settle_each();
        let entry = Entry {
            level,
            ..Entry::of(rung, items)
        };
        entries.push((entry, announcements, tokens));
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

/// The words of one level of a table.
#[derive(Clone, Copy)]
struct Level<'a> {
    tokens: &'a Doubling,
    level: u32,
}

impl Level<'_> {
    /// Whether the table still has this level, for good or until it grows.
    fn is_current(&self) -> bool {
        // A level does not come back.
        let hint = self.tokens.hint();
        hint.level() == self.level && !self.tokens.is_growing(hint)
    }
}

impl Words for Level<'_> {
    fn buckets(&self) -> usize {
        1 << self.level
    }

    fn announcements(&self) -> u64 {
        self.tokens.announcements()
    }

    fn copy(&self, from: usize, to: &mut [[u8; WORD]]) -> usize {
        copy_contents(from, to, |place| self.tokens.content(self.level, place))
    }
}

impl Stored for Ladder {
    const KIND: Kind = Kind::Doubling;

    fn stored_bytes(&mut self) -> u64 {
        // A growth that is under way is over before anything is written.
        stored_bytes(self.tables().all().map(Rung::size))
    }

    fn put<E>(
        &mut self,
        identity: &Identity,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // Not the counters' sums: a thread that stopped between its exchange and the count left them off.
        let entry = |rung: &Rung| {
            let items = rung.tokens().settle_all();
            Entry::of(rung, items)
        };
        let mut entries = [None; LATER + 1];
        for (place, rung) in entries.iter_mut().zip(self.tables().all()) {
            *place = Some(entry(rung));
        }
        let tables = entries.iter().flatten().count();
        let entries = entries.map(|entry| {
            entry.unwrap_or(Entry {
                first: 0,
                level: 0,
                items: 0,
                search_budget: 0,
            })
        });
        let frame = frame(self, identity, tables);
        let mut checksum = put_list(frame, &entries[..tables], &mut put)?;
        for (rung, entry) in self.tables().all().zip(&entries) {
            let content = |place| rung.tokens().content(entry.level, place);
            let copy = |from, to: &mut [[u8; WORD]]| copy_contents(from, to, content);
            put_copied(1 << entry.level, copy, &mut checksum, &mut put)?;
        }
        put(&checksum.finalize().to_le_bytes())
    }

    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory> {
        let found = settle_and_list(self.tables())?;
        let count = found.len();
        let (mut entries, mut tables, mut levels) = (Vec::new(), Vec::new(), Vec::new());
        allocate::grow(&mut entries, count)?;
        allocate::grow(&mut tables, count)?;
        allocate::grow(&mut levels, count)?;
        for (entry, announcements, tokens) in found {
            let words = Level {
                tokens,
                level: entry.level,
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
            move || levels.iter().all(Level::is_current) && self.tables().count() == count;
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
        let rungs = read_tables(&mut input, tables)?;
        Ok((Self::of_rungs(rungs, limits, memory, outside), hasher))
    }
}

/// The tables, from the finest to the coarsest.
fn read_tables(input: &mut Input<'_, impl Source>, tables: usize) -> Result<Vec<Rung>, ReadError> {
    input.expect_at_least((Frame::BYTES + tables * ENTRY_BYTES) as u64);
    let mut entries: Vec<Entry> = Vec::new();
    allocate::grow(&mut entries, tables)?;
    for _ in 0..tables {
        let mut bytes = [0; COVERED];
        input.covered(&mut bytes)?;
        input.checksum()?;
        entries.push(Entry::decode(&bytes, entries.last().copied())?);
    }
    input.expect(stored_bytes(entries.iter().map(|entry| entry.level)))?;
    let mut read = Vec::new();
    allocate::grow(&mut read, tables)?;
    for entry in &entries {
        read.push(input.words(geometry(entry.level))?);
    }
    input.checksum()?;
    let mut rungs = Vec::new();
    allocate::grow(&mut rungs, tables)?;
    for (entry, words) in entries.iter().zip(read) {
        if !words.all(|token| entry.admits(token)) {
            return Err(malformed(
                "a token has fewer bits than its table has left it",
            ));
        }
        let table = words.check(entry.items)?;
        let rung = Rung::with_table(entry.first, &table, entry.items, entry.search_budget)?;
        rungs.push(rung);
    }
    Ok(rungs)
}
