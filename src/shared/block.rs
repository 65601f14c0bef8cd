//! The block: where the parts of the tables are in memory that processes share.
//!
//! ```text
//! 0        header, the sizes, at 2,048 the state of a rotation, and behind it the boot
//! 1 page   the number of processes so far
//! 2 pages  for each table: the cell of scans, the cells of the counter, stripes, descriptors, log,
//!          each from a multiple of 128 on, and from a page on the words
//! ```
//!
//! Every process computes the places from the sizes in the header, which it has copied and checked.

use crate::codec::header::demand;
use crate::error::ReadError;
use crate::kernel::counter;
use crate::kernel::descriptor::Descriptor;
use crate::kernel::geometry::Geometry;
use crate::kernel::hints;
use crate::kernel::layout::Layout;
use crate::kernel::stripes::Stripes;
use crate::kernel::word::MAX_DESCRIPTORS;

/// What begins a page begins one of every size that a supported processor has by default.
const PAGE: usize = 1 << 12;

/// Two cache lines, which some processors fetch together.
const LINE: usize = 128;

/// Processes that can have the memory at once, with the right to write to it.
pub(crate) const SEATS: usize = 1023;

/// Where the number of processes so far is. Not beside the state, which all calls read.
pub(crate) const COUNT_AT: usize = PAGE;

/// Where the state of a rotation is.
pub(crate) const STATE_AT: usize = PAGE / 2;

/// Where it says in which boot of a machine the memory was made.
pub(crate) const BOOT_AT: usize = STATE_AT + WORD;

/// Where the first table begins.
const TABLES_AT: usize = 2 * PAGE;

/// The numbers of the elements of one table; all tables of a block are alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sizes {
    pub(crate) buckets: usize,
    pub(crate) stripes: usize,
    pub(crate) cells: usize,
    pub(crate) log: usize,
    pub(crate) tables: usize,
}

/// Where the parts of a table begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Places {
    pub(crate) scanning: usize,
    pub(crate) cells: usize,
    pub(crate) stripes: usize,
    pub(crate) descriptors: usize,
    pub(crate) log: usize,
    pub(crate) words: usize,
    end: usize,
}

/// The bytes that describe the sizes, behind the header.
pub(crate) const SIZES: usize = 64;

const WORD: usize = size_of::<u64>();

impl Sizes {
    /// Those of new memory. All descriptors that a reference can name are there: a process cannot
    /// add any.
    pub(crate) fn of(buckets: usize, fingerprint_bits: u32, tables: usize) -> Self {
        Self {
            buckets,
            stripes: Stripes::<0>::number(buckets, fingerprint_bits),
            cells: counter::cells_for(buckets),
            log: hints::log_cells(buckets),
            tables,
        }
    }

    /// The places of the table of this number. `None` if they are beyond all addresses.
    pub(crate) fn places(&self, table: usize) -> Option<Places> {
        let first = self.places_from(TABLES_AT)?;
        let stride = first.end - TABLES_AT;
        let from = stride.checked_mul(table)?.checked_add(TABLES_AT)?;
        self.places_from(from)
    }

    fn places_from(&self, from: usize) -> Option<Places> {
        // Each part ends where the next one begins.
        let after = |at: usize, elements: usize, size: usize, unit: usize| {
            let end = elements.checked_mul(size)?.checked_add(at)?;
            end.checked_next_multiple_of(unit)
        };
        let scanning = from;
        let cells = after(scanning, 1, WORD, LINE)?;
        let stripes = after(cells, self.cells, LINE, LINE)?;
        let descriptors = after(stripes, self.stripes, WORD, LINE)?;
        let log = after(descriptors, MAX_DESCRIPTORS, size_of::<Descriptor>(), LINE)?;
        let words = after(log, self.log, WORD, PAGE)?;
        let end = after(words, self.buckets, WORD, PAGE)?;
        Some(Places {
            scanning,
            cells,
            stripes,
            descriptors,
            log,
            words,
            end,
        })
    }

    /// All bytes. `None` if they are more than there are addresses.
    pub(crate) fn bytes(&self) -> Option<usize> {
        let last = self.tables.checked_sub(1)?;
        Some(self.places(last)?.end)
    }

    fn numbers(self) -> [u64; 6] {
        let bytes = self.bytes().unwrap_or(usize::MAX);
        [
            self.buckets,
            self.stripes,
            self.cells,
            self.log,
            self.tables,
            bytes,
        ]
        .map(|number| number as u64)
    }

    /// Eight numbers of eight bytes; the last has a CRC-32 of the header and of what is before it.
    pub(crate) fn encode(self, mut checksum: crc32fast::Hasher) -> [u8; SIZES] {
        let mut bytes = [0; SIZES];
        for (place, number) in bytes.chunks_exact_mut(WORD).zip(self.numbers()) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        checksum.update(&bytes[..SIZES - WORD]);
        let checksum = u64::from(checksum.finalize());
        bytes[SIZES - WORD..].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// Reads them, and checks all that the code relies on.
    pub(crate) fn decode<L: Layout>(
        bytes: &[u8; SIZES],
        mut checksum: crc32fast::Hasher,
    ) -> Result<(Self, Geometry<L>), ReadError> {
        let mut numbers = [0; SIZES / WORD];
        for (number, place) in numbers.iter_mut().zip(bytes.chunks_exact(WORD)) {
            *number = place
                .iter()
                .rev()
                .fold(0, |number, &byte| number << 8 | u64::from(byte));
        }
        checksum.update(&bytes[..SIZES - WORD]);
        let [all @ .., unused, found] = numbers;
        if found != u64::from(checksum.finalize()) {
            return Err(ReadError::Checksum);
        }
        demand(unused == 0, "an unused byte of the header is not 0")?;
        let all = all.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
        let [buckets, stripes, cells, log, tables, bytes] = all;
        let geometry = Geometry::with_buckets(buckets);
        let geometry = geometry.ok_or(ReadError::TooLarge {
            buckets: buckets as u64,
        })?;
        let sizes = Self {
            buckets,
            stripes,
            cells,
            log,
            tables,
        };
        let most = Stripes::<0>::MAX;
        demand(
            stripes.is_power_of_two() && stripes <= most,
            "its number of stripes is not possible",
        )?;
        demand(
            (1..=counter::MAX_CELLS).contains(&cells),
            "its number of counter cells is not possible",
        )?;
        demand(log > 1, "its log is too short")?;
        demand(sizes.bytes() == Some(bytes), "its sizes do not match")?;
        Ok((sizes, geometry))
    }
}
