//! The stored form of a filter that rotates: a header, the numbers of items, the words of the generations, a checksum.
//!
//! The form is documented for users in [`format`](crate::format#filters-that-rotate).

use alloc::vec::Vec;

use super::chunks::{Chunks, StoredTable};
use super::frame::{Frame, Kind};
use super::source::{Input, Source, put_words};
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
mod tests {
    //! The header, byte by byte.

    use super::*;
    use crate::layout::{LONG_BUDGET, Lanes, MIN_BUDGET};

    type Header = super::Header<Lanes<4, 16>>;

    fn decode(bytes: &[u8]) -> Result<Header, ReadError> {
        let frame = Frame::decode(bytes)?;
        let identity = frame.check::<Lanes<4, 16>>(Kind::Rotating)?;
        Header::of_fields(&frame, identity)
    }

    fn encode(header: &Header) -> [u8; 64] {
        header.frame().encode()
    }

    /// 24 buckets, that is three ranges of eight.
    fn header() -> Header {
        Header {
            identity: Identity {
                seed: Some(0x0807_0605_0403_0201),
                check: 0x1817_1615_1413_1211,
            },
            geometry: Geometry::with_buckets(24).expect("possible"),
            capacity: 0x2a,
            rotations: 0x0102_0304_0506,
            search_budget: 0x1000,
            generations: 15,
        }
    }

    /// The checksum is from another implementation.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
        1, 0, 64, 0, 16, 4, 3, 1,
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
        24, 0, 0, 0, 0, 0, 0, 0,
        0x2a, 0, 0, 0, 0, 0, 0, 0,
        6, 5, 4, 3, 2, 1, 0, 0,
        0, 0x10, 15, 0, 0xbe, 0x0d, 0x6b, 0x98,
    ];

    /// With other bytes at an offset, and a checksum that matches.
    fn changed(at: usize, new: &[u8]) -> [u8; 64] {
        let mut frame = Frame::decode(&BYTES).expect("valid");
        frame.put(at, new);
        frame.encode()
    }

    #[test]
    fn these_are_the_bytes_for_ever() {
        assert_eq!(encode(&header()), BYTES);
        assert_eq!(decode(&BYTES).expect("valid"), header());
        let (geometry, generations) = (header().geometry, header().generations);
        let each = 8 + 24 * 8;
        assert_eq!(stored_bytes(geometry, generations), 64 + 15 * each + 4);
    }

    #[test]
    fn every_field_is_checked() {
        let most = MOST_ROTATIONS.to_le_bytes();
        for valid in [
            changed(at::ROTATIONS, &most),
            changed(at::SEARCH_BUDGET, &(MIN_BUDGET as u16).to_le_bytes()),
            changed(at::GENERATIONS, &[2]),
            changed(at::CAPACITY, &[96]),
        ] {
            let header = decode(&valid).expect("in range");
            assert_eq!(encode(&header), valid);
        }
        let too_many = (MOST_ROTATIONS + 1).to_le_bytes();
        for (invalid, reason) in [
            (changed(at::BUCKETS, &[127]), "number of buckets"),
            (changed(at::CAPACITY, &[97]), "capacity"),
            (changed(at::ROTATIONS, &too_many), "rotations"),
            (changed(at::SEARCH_BUDGET, &[1, 0]), "search budget"),
            (
                changed(at::SEARCH_BUDGET, &(LONG_BUDGET as u16 + 1).to_le_bytes()),
                "search budget",
            ),
            (changed(at::GENERATIONS, &[1]), "generations"),
            (changed(at::GENERATIONS, &[16]), "generations"),
            (changed(at::UNUSED, &[1]), "unused"),
        ] {
            let error = decode(&invalid).expect_err(reason);
            assert!(matches!(error, ReadError::Malformed { .. }), "{error}");
            assert!(error.to_string().contains(reason), "{error}");
        }
    }

    #[test]
    fn other_kinds_are_told_apart() {
        for (kind, grows) in [(1, false), (2, true)] {
            let error = decode(&changed(14, &[kind])).expect_err("another kind");
            assert_other_kind(&error, grows, false);
        }
        let frame = Frame::decode(&BYTES).expect("valid");
        let error = frame.shape(Kind::Fixed).expect_err("another kind");
        assert_other_kind(&error, false, true);
    }

    fn assert_other_kind(error: &ReadError, grows: bool, rotates: bool) {
        let expected = ReadError::OtherKind { grows, rotates };
        assert_eq!(format!("{error:?}"), format!("{expected:?}"));
    }
}
