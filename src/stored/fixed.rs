//! The stored form of one table: a header, the words, a checksum.

use alloc::vec;

use super::chunks::{Chunks, StoredTable};
use super::frame::{Frame, Kind};
use super::input::Input;
use super::source::Source;
use super::words::put_words;
use super::{CHECKSUM, Identity, Stored, WORD, at_most_slots, geometry, search_budget};
use crate::counted::CountedTable;
use crate::engine::Fixed;
use crate::error::{OutOfMemory, ReadError};
use crate::layout::Layout;
use crate::table::Geometry;

/// What the stored form says ahead of the words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Header<L> {
    identity: Identity,
    geometry: Geometry<L>,
    capacity: usize,
    items: usize,
    search_budget: usize,
}

/// Where the fields begin that other headers do not have.
mod at {
    pub(super) const BUCKETS: usize = 32;
    pub(super) const CAPACITY: usize = 40;
    pub(super) const ITEMS: usize = 48;
    pub(super) const SEARCH_BUDGET: usize = 56;
}

impl<L: Layout> Header<L> {
    fn of(engine: &Fixed<L>, identity: &Identity, items: usize) -> Self {
        let tokens = engine.table.tokens();
        Self {
            identity: *identity,
            geometry: tokens.geometry(),
            capacity: engine.capacity,
            items,
            search_budget: tokens.search_budget(),
        }
    }

    fn frame(&self) -> Frame {
        let mut frame = Frame::new::<L>(Kind::Fixed, &self.identity);
        frame.put(at::BUCKETS, &(self.geometry.buckets() as u64).to_le_bytes());
        frame.put(at::CAPACITY, &(self.capacity as u64).to_le_bytes());
        frame.put(at::ITEMS, &(self.items as u64).to_le_bytes());
        frame.put(
            at::SEARCH_BUDGET,
            &(self.search_budget as u32).to_le_bytes(),
        );
        frame
    }

    /// The header with these fields, if they can be true.
    fn of_fields(frame: &Frame, identity: Identity) -> Result<Self, ReadError> {
        let geometry = geometry(frame.number(at::BUCKETS))?;
        let at_most_slots = |at, reason| at_most_slots(frame.number(at), geometry, reason);
        Ok(Self {
            identity,
            geometry,
            search_budget: search_budget(frame.get(at::SEARCH_BUDGET))?,
            capacity: at_most_slots(
                at::CAPACITY,
                "its capacity is larger than its number of slots",
            )?,
            items: at_most_slots(at::ITEMS, "it has more items than slots")?,
        })
    }
}

/// The bytes of the whole stored form.
fn stored_bytes<L: Layout>(geometry: Geometry<L>) -> u64 {
    (Frame::BYTES + CHECKSUM) as u64 + geometry.buckets() as u64 * WORD as u64
}

impl<L: Layout> Stored for Fixed<L> {
    const KIND: Kind = Kind::Fixed;

    fn stored_bytes(&mut self) -> u64 {
        stored_bytes(self.table.geometry())
    }

    fn put<E>(
        &mut self,
        identity: &Identity,
        mut put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        // Not the counter's sum: a thread that stopped between its exchange and the count left it off.
        let tokens = self.table.tokens();
        let frame = Header::of(self, identity, tokens.settle_all()).frame();
        put(&frame.encode())?;
        let mut checksum = frame.begin_checksum();
        put_words(tokens, &mut checksum, &mut put)?;
        put(&checksum.finalize().to_le_bytes())
    }

    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory> {
        let table = StoredTable::of(self.table.tokens());
        let frame = Header::of(self, identity, table.items).frame();
        let head = frame.encode().to_vec();
        // The table is the same for as long as the filter is borrowed.
        let are_current = || true;
        Ok(Chunks::new(
            head,
            frame.begin_checksum(),
            vec![table],
            are_current,
        ))
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
        input.expect(stored_bytes(header.geometry))?;
        let words = input.words(header.geometry)?;
        input.checksum()?;
        let table = words.check(header.items)?;
        let table = CountedTable::with_table(table, header.items, header.search_budget)?;
        let capacity = header.capacity;
        Ok((Self { table, capacity }, hasher))
    }
}

#[cfg(test)]
mod tests;
