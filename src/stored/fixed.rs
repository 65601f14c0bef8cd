//! The stored form of one table: a header, the words, a checksum.

use alloc::vec;

use super::chunks::{Chunks, StoredTable};
use super::frame::{Frame, Kind};
use super::source::{Input, Source, put_words};
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
mod tests {
    //! The header, byte by byte.

    use super::*;
    use crate::layout::{ForLayout, LONG_BUDGET, Lanes, MIN_BUDGET, Shape};
    use crate::stored::frame::at::{HASHER, LENGTH, SHAPE, VERSION};

    type Header = super::Header<Lanes<4, 16>>;

    fn decode(bytes: &[u8]) -> Result<Header, ReadError> {
        let frame = Frame::decode(bytes)?;
        let identity = frame.check::<Lanes<4, 16>>(Kind::Fixed)?;
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
            items: 0x29,
            search_budget: 0x10,
        }
    }

    /// The checksum is from another implementation.
    #[rustfmt::skip]
    const BYTES: [u8; 64] = [
        0x89, b'L', b'F', b'C', b'F', 0x0d, 0x0a, 0x1a,
        1, 0, 64, 0, 16, 4, 1, 1,
        0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
        0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18,
        24, 0, 0, 0, 0, 0, 0, 0,
        0x2a, 0, 0, 0, 0, 0, 0, 0,
        0x29, 0, 0, 0, 0, 0, 0, 0,
        0x10, 0, 0, 0, 0x05, 0xaa, 0x99, 0x63,
    ];

    /// With another checksum that matches.
    fn repaired(mut bytes: [u8; 64]) -> [u8; 64] {
        let checksum = crc32fast::hash(&bytes[..60]);
        bytes[60..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    #[test]
    fn these_are_the_bytes_for_ever() {
        assert_eq!(encode(&header()), BYTES);
        assert_eq!(decode(&BYTES).expect("valid"), header());
        assert_eq!(stored_bytes(header().geometry), 64 + 24 * 8 + 4);
    }

    #[test]
    fn a_custom_hasher_has_no_seed() {
        let mut custom = header();
        custom.identity.seed = None;
        let bytes = encode(&custom);
        assert_eq!((bytes[15], &bytes[16..24]), (2, &[0; 8][..]));
        assert_eq!(decode(&bytes).expect("valid"), custom);
    }

    #[test]
    fn a_later_version_is_told_by_its_first_ten_bytes() {
        let mut later = BYTES;
        later[8] = 2;
        // Its checksum need not be where ours is.
        for length in 10..=64 {
            let error = decode(&later[..length]).expect_err("later");
            let found = matches!(
                error,
                ReadError::NewerVersion {
                    found: 2,
                    supported: 1
                }
            );
            assert!(found, "{length}: {error:?}");
        }
    }

    #[test]
    fn what_is_cut_is_cut_and_what_is_foreign_is_foreign() {
        for length in 0..64 {
            let error = decode(&BYTES[..length]).expect_err("cut");
            let cut = matches!(error, ReadError::Truncated { expected: 64, found } if found == length as u64);
            assert!(cut, "{length}: {error:?}");
        }
        for at in 0..8 {
            let mut foreign = BYTES;
            foreign[at] ^= 1;
            for length in at + 1..=64 {
                let error = decode(&foreign[..length]).expect_err("foreign");
                assert!(matches!(error, ReadError::NotAFilter), "{at}: {error:?}");
            }
        }
    }

    #[test]
    fn a_flipped_bit_behind_the_version_is_found_by_the_checksum() {
        for bit in 10 * 8..64 * 8 {
            let mut damaged = BYTES;
            damaged[bit / 8] ^= 1 << (bit % 8);
            let error = decode(&damaged).expect_err("damaged");
            assert!(matches!(error, ReadError::Checksum), "bit {bit}: {error:?}");
        }
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        // Offset, number of bytes, value, and a part of the error text.
        let cases: [(usize, usize, u64, &str); 23] = [
            (VERSION, 2, 0, "its version does not exist"),
            (LENGTH, 2, 63, "64 bytes long"),
            (LENGTH, 2, 65, "64 bytes long"),
            (SHAPE, 1, 8, "is unknown"),
            (SHAPE + 1, 1, 8, "is unknown"),
            (SHAPE + 1, 1, 0x14, "is unknown"),
            (SHAPE, 2, 0x0405, "is unknown"),
            (SHAPE + 2, 1, 5, "is unknown"),
            (HASHER, 1, 0, "kind of hasher"),
            // A custom hasher has no seed, but this header has one.
            (HASHER, 1, 2, "kind of hasher"),
            (HASHER, 1, 3, "kind of hasher"),
            (at::BUCKETS, 8, 0, "number of buckets"),
            (at::BUCKETS, 8, 1, "number of buckets"),
            (at::BUCKETS, 8, 25, "number of buckets"),
            (at::BUCKETS, 8, 33 << 4, "number of buckets"),
            (at::BUCKETS, 8, 1 << 62, "on this machine"),
            (at::BUCKETS, 8, u64::MAX, "on this machine"),
            (at::CAPACITY, 8, 24 * 4 + 1, "capacity"),
            (at::ITEMS, 8, 24 * 4 + 1, "items"),
            (at::ITEMS, 8, u64::MAX, "items"),
            (at::SEARCH_BUDGET, 4, 1, "search budget"),
            (
                at::SEARCH_BUDGET,
                4,
                LONG_BUDGET as u64 + 1,
                "search budget",
            ),
            (at::SEARCH_BUDGET, 4, 0xffff_ffff, "search budget"),
        ];
        for (at, length, value, said) in cases {
            let mut bytes = BYTES;
            bytes[at..at + length].copy_from_slice(&value.to_le_bytes()[..length]);
            let error = decode(&repaired(bytes)).expect_err(said);
            assert!(error.to_string().contains(said), "{at} = {value}: {error}");
        }
    }

    #[test]
    fn numbers_at_their_limits_are_taken() {
        for (at, value) in [
            (at::CAPACITY, 0),
            (at::CAPACITY, 24 * 4),
            (at::ITEMS, 0),
            (at::ITEMS, 24 * 4),
            (at::SEARCH_BUDGET, MIN_BUDGET),
            (at::SEARCH_BUDGET, LONG_BUDGET),
        ] {
            let mut bytes = BYTES;
            bytes[at..at + 4].copy_from_slice(&(value as u32).to_le_bytes());
            assert!(decode(&repaired(bytes)).is_ok(), "{at} = {value}");
        }
    }

    /// The bytes of every layout for ever: bits of a fingerprint, slots, bits of a value.
    #[test]
    fn a_header_of_another_layout_is_told_apart() {
        let shapes = [
            (0x08, 0x08, "Lanes<8, 8>"),
            (0x0a, 0x06, "Lanes<6, 10>"),
            (0x0c, 0x06, "SemiSorted<6, 12>"),
            (0x0c, 0x05, "Lanes<5, 12>"),
            (0x0e, 0x05, "SemiSorted<5, 14>"),
            (0x10, 0x04, "Lanes<4, 16>"),
            (0x11, 0x04, "SemiSorted<4, 17>"),
            (0x15, 0x03, "Lanes<3, 21>"),
            (0x1f, 0x02, "Lanes<2, 31>"),
            (0x0c, 0x44, "Lanes<4, 12, 4>"),
            (0x0d, 0x83, "Lanes<3, 13, 8>"),
            (0x10, 0xf2, "Lanes<2, 16, 15>"),
        ];
        assert_eq!(shapes.len(), Shape::ALL.len());
        for (bits, slots, name) in shapes {
            let mut bytes = BYTES;
            bytes[SHAPE..SHAPE + 2].copy_from_slice(&[bits, slots]);
            let frame = Frame::decode(&repaired(bytes)).expect("valid");
            let shape = frame.shape(Kind::Fixed).expect("a layout");
            assert_eq!(shape.to_string(), name);
            // And it is written so.
            let written = shape.call(Written(header().identity));
            assert_eq!(written[SHAPE..SHAPE + 2], [bits, slots]);
            match frame.check::<Lanes<4, 16>>(Kind::Fixed) {
                Ok(_) => assert_eq!(name, "Lanes<4, 16>"),
                Err(ReadError::OtherLayout { shape: other }) => assert_eq!(other, shape),
                Err(error) => panic!("{error}"),
            }
        }
    }

    /// The header of a layout.
    struct Written(Identity);

    impl ForLayout for Written {
        type Output = [u8; 64];

        fn call<L: Layout>(self) -> [u8; 64] {
            Frame::new::<L>(Kind::Fixed, &self.0).encode()
        }
    }
}
