//! The stored form of a filter that rotates: a header, the numbers of items, the words of the generations, a checksum.
//!
//! The form is documented for users in [`format`](crate::format#filters-that-rotate).

use alloc::vec::Vec;

use super::chunks::{Chunks, StoredTable};
use super::frame::{Frame, Kind};
use super::input::Input;
use super::source::Source;
use super::words::put_words;
use super::{
    CHECKSUM, Identity, Stored, WORD, at_most_slots, demand, geometry, malformed, search_budget,
};
use crate::allocate;
use crate::counted::CountedTable;
use crate::engine::rotating::{Generations, MOST_ROTATIONS};
use crate::engine::{Operations, Rotating};
use crate::error::{OutOfMemory, ReadError};
use crate::layout::Layout;
use crate::table::Geometry;

/// What the stored form says ahead of the numbers of items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header<L> {
    identity: Identity,
    geometry: Geometry<L>,
    /// Of each generation.
    capacity: usize,
    rotations: u64,
    search_budget: usize,
    generations: usize,
}

/// Where the fields begin that other headers do not have.
mod at {
    pub(super) const BUCKETS: usize = 32;
    pub(super) const CAPACITY: usize = 40;
    pub(super) const ROTATIONS: usize = 48;
    pub(super) const SEARCH_BUDGET: usize = 56;
    pub(super) const GENERATIONS: usize = 58;
    pub(super) const UNUSED: usize = 59;
}

impl<L: Layout> Header<L> {
    fn of(engine: &Rotating<L>, identity: &Identity, rotations: u64) -> Self {
        Self {
            identity: *identity,
            geometry: engine.geometry(),
            capacity: engine.capacity(),
            rotations,
            search_budget: engine.search_budget(),
            generations: engine.generations(),
        }
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::new::<L>(Kind::Rotating, &self.identity);
        frame.put(at::BUCKETS, &(self.geometry.buckets() as u64).to_le_bytes());
        frame.put(at::CAPACITY, &(self.capacity as u64).to_le_bytes());
        frame.put(at::ROTATIONS, &self.rotations.to_le_bytes());
        frame.put(
            at::SEARCH_BUDGET,
            &(self.search_budget as u16).to_le_bytes(),
        );
        frame.put(at::GENERATIONS, &[self.generations as u8]);
        frame
    }

    /// The header with these fields, if they can be true.
    fn of_fields(frame: &Frame, identity: Identity) -> Result<Self, ReadError> {
        let geometry = geometry(frame.number(at::BUCKETS))?;
        let [low, high] = frame.get(at::SEARCH_BUDGET);
        let [[generations], [unused]] = [at::GENERATIONS, at::UNUSED].map(|at| frame.get(at));
        let count = usize::from(generations);
        let generations = Generations { count }
            .check()
            .map_err(|_| malformed("its number of generations is out of range"))?;
        let rotations = frame.number(at::ROTATIONS);
        demand(
            rotations <= MOST_ROTATIONS,
            "its number of rotations is out of range",
        )?;
        demand(unused == 0, "the unused byte at offset 59 is not 0")?;
        Ok(Self {
            identity,
            geometry,
            capacity: at_most_slots(
                frame.number(at::CAPACITY),
                geometry,
                "its capacity is larger than its number of slots",
            )?,
            rotations,
            search_budget: search_budget([low, high, 0, 0])?,
            generations,
        })
    }
}

/// The bytes of the whole stored form.
fn stored_bytes<L: Layout>(geometry: Geometry<L>, generations: usize) -> u64 {
    let generation = WORD as u64 + geometry.buckets() as u64 * WORD as u64;
    (Frame::BYTES + CHECKSUM) as u64 + generations as u64 * generation
}

impl<L: Layout> Stored for Rotating<L> {
    const KIND: Kind = Kind::Rotating;

    fn stored_bytes(&mut self) -> u64 {
        stored_bytes(self.geometry(), self.generations())
    }

    fn put<E>(
        &mut self,
        identity: &Identity,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let frame = Header::of(self, identity, self.rotations()).frame();
        put(&frame.encode())?;
        let mut checksum = frame.begin_checksum();
        let generations = self.generations();
        for (index, table) in self.tables_mut().enumerate() {
            // Of the spare too: what dead threads held of it is taken back. Not the counter's sum: a thread that
            // stopped between its exchange and the count left it off.
            let items = (table.tokens().settle_all() as u64).to_le_bytes();
            if index < generations {
                checksum.update(&items);
                put(&items)?;
            }
        }
        for table in self.tables_mut().take(generations) {
            put_words(table.tokens(), &mut checksum, &mut put)?;
        }
        put(&checksum.finalize().to_le_bytes())
    }

    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory> {
        let (rotations, generations) = self.between_rotations();
        let mut tables = Vec::new();
        allocate::grow(&mut tables, self.generations())?;
        tables.extend(generations.map(|table| StoredTable::of(table.tokens())));
        let frame = Header::of(self, identity, rotations).frame();
        let (mut head, mut checksum) = (frame.encode().to_vec(), frame.begin_checksum());
        for table in &tables {
            let items = (table.items as u64).to_le_bytes();
            checksum.update(&items);
            head.extend_from_slice(&items);
        }
        let are_current = move || self.rotations() == rotations;
        Ok(Chunks::new(head, checksum, tables, are_current))
    }

    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        _: usize,
    ) -> Result<(Self, S), ReadError> {
        let identity = frame.check::<L>(Self::KIND)?;
        let header = Header::<L>::of_fields(frame, identity)?;
        let hasher = hasher(&identity)?;
        let mut input = Input::behind(Frame::BYTES as u64, frame.begin_checksum(), source);
        let tables = read_tables(&mut input, &header)?;
        let engine = Self::of_tables(tables, header.capacity, header.rotations);
        Ok((engine, hasher))
    }
}

/// Reads the generations, from the oldest to the young one, and adds a spare.
fn read_tables<L: Layout>(
    input: &mut Input<'_, impl Source>,
    header: &Header<L>,
) -> Result<Vec<CountedTable<L>>, ReadError> {
    let (geometry, generations) = (header.geometry, header.generations);
    input.expect(stored_bytes(geometry, generations))?;
    let mut items = Vec::new();
    allocate::grow(&mut items, generations)?;
    for _ in 0..generations {
        let mut number = [0; WORD];
        input.covered(&mut number)?;
        items.push(u64::from_le_bytes(number));
    }
    let mut read = Vec::new();
    allocate::grow(&mut read, generations)?;
    for _ in 0..generations {
        read.push(input.words(geometry)?);
    }
    input.checksum()?;
    let mut tables = Vec::new();
    allocate::grow(&mut tables, generations + 1)?;
    for (items, words) in items.into_iter().zip(read) {
        let items = at_most_slots(items, geometry, "a generation has more items than slots")?;
        let table = words.check(items)?;
        tables.push(CountedTable::with_table(
            table,
            items,
            header.search_budget,
        )?);
    }
    tables.push(CountedTable::new(geometry, header.search_budget, None)?);
    Ok(tables)
}

#[cfg(test)]
mod tests;
