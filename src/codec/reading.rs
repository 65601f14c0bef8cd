//! From a source to the tables of an engine: front to back, everything checked.
//!
//! Reading trusts nothing unchecked, and allocates no more than the input has shown to be there.

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::allocate;
use crate::codec::header::{
    CHECKSUM, ENTRY, Entry, Header, HeaderFields, MAX_TABLES, PADDING, WORD, demand, malformed,
};
use crate::codec::source::Source;
use crate::error::ReadError;
use crate::kernel::geometry::Geometry;
use crate::kernel::layout::{Bucket, Layout};
use crate::kernel::table::{Partial, Table};

/// The geometry of a stored number of buckets.
pub(crate) fn geometry<L: Layout>(stored: u64) -> Result<Geometry<L>, ReadError> {
    let buckets = usize::try_from(stored)
        .ok()
        .filter(|&buckets| buckets <= Geometry::<L>::MAX_BUCKETS)
        .ok_or(ReadError::TooLarge { buckets: stored })?;
    Geometry::with_buckets(buckets).ok_or(malformed("its number of buckets is impossible"))
}

/// Checks only against the number of slots, not against the builder's choice: the sizing may
/// change.
pub(crate) fn at_most_slots<L: Layout>(
    stored: u64,
    geometry: Geometry<L>,
    reason: &'static str,
) -> Result<usize, ReadError> {
    let number = usize::try_from(stored).ok();
    number
        .filter(|&number| number <= geometry.slots())
        .ok_or(malformed(reason))
}

/// What follows the header of a filter: a source that has been read up to some position, with the
/// checksum of everything before it except the checksums.
///
/// An engine first takes its [numbers](Self::numbers) and checks them, and then its
/// [tables](Self::tables).
pub struct Input<'a> {
    header: &'a Header,
    source: &'a mut dyn Source,
    checksum: crc32fast::Hasher,
    /// Number of bytes read so far.
    found: u64,
    /// Number of bytes that there must be.
    expected: u64,
    /// Whether they are known to be there.
    known: bool,
}

impl<'a> Input<'a> {
    /// The input behind a header.
    pub(crate) fn behind(header: &'a Header, source: &'a mut dyn Source) -> Self {
        Self {
            header,
            source,
            checksum: header.begin_checksum(),
            found: Header::BYTES as u64,
            expected: Header::BYTES as u64,
            known: false,
        }
    }

    /// The numbers of an engine that can have these numbers of tables.
    pub(crate) fn numbers(&self, tables: RangeInclusive<usize>) -> Result<HeaderFields, ReadError> {
        let numbers = self.header.numbers()?;
        demand(
            tables.contains(&numbers.tables),
            "its number of tables is out of range",
        )?;
        Ok(numbers)
    }

    /// Reads the tables of an engine with these numbers, to the end. `decode` checks an entry of
    /// the list against the table before it, and `geometry` is that of its words.
    pub(crate) fn tables<T: Copy, L: Layout>(
        mut self,
        numbers: &HeaderFields,
        decode: impl Fn(Entry, Option<T>) -> Result<T, ReadError>,
        geometry: impl Fn(T) -> Geometry<L>,
    ) -> Result<Vec<(T, UncheckedWords<L>)>, ReadError> {
        let head = Header::BYTES + numbers.tables * ENTRY + PADDING + CHECKSUM;
        self.expect_at_least(head as u64);
        let mut entries = [Entry::default(); MAX_TABLES];
        let entries = &mut entries[..numbers.tables];
        for entry in &mut *entries {
            *entry = self.entry()?;
        }
        let mut padding = [0; PADDING];
        self.covered(&mut padding)?;
        self.checksum()?;
        demand(
            padding == [0; PADDING],
            "an unused byte behind the list is not 0",
        )?;
        let mut listed: Vec<T> = Vec::new();
        allocate::grow(&mut listed, numbers.tables)?;
        for entry in entries {
            listed.push(decode(*entry, listed.last().copied())?);
        }
        let words = listed.iter().map(|&table| geometry(table).buckets() as u64);
        let words: u64 = words.sum();
        self.expect((head + CHECKSUM) as u64 + words * WORD as u64)?;
        let mut tables = Vec::new();
        allocate::grow(&mut tables, numbers.tables)?;
        for table in listed {
            tables.push((table, self.words(geometry(table))?));
        }
        self.checksum()?;
        Ok(tables)
    }

    /// Expects this many bytes in total.
    fn expect(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.expected = bytes;
        self.known = self.source.has_exactly(bytes)?;
        Ok(())
    }

    /// Expects at least this many bytes.
    fn expect_at_least(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    fn take(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        let count = self.source.take(buffer)?;
        self.found += count as u64;
        if count < buffer.len() {
            return Err(ReadError::Truncated {
                expected: self.expected,
                found: self.found,
            });
        }
        Ok(())
    }

    /// Reads the next bytes, and adds them to the checksum.
    fn covered(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.take(buffer)?;
        self.checksum.update(buffer);
        Ok(())
    }

    /// Reads an entry of the list.
    fn entry(&mut self) -> Result<Entry, ReadError> {
        let mut numbers = [[0; WORD]; 2];
        self.covered(numbers.as_flattened_mut())?;
        let [shape, items] = numbers.map(u64::from_le_bytes);
        Ok(Entry { shape, items })
    }

    /// Checks a checksum of everything before it.
    fn checksum(&mut self) -> Result<(), ReadError> {
        let mut stored = [0; CHECKSUM];
        self.take(&mut stored)?;
        if u32::from_le_bytes(stored) == self.checksum.clone().finalize() {
            Ok(())
        } else {
            Err(ReadError::Checksum)
        }
    }
}

/// Words that were read. Only the checksum shows whether they are undamaged.
#[derive(Debug)]
pub(crate) struct UncheckedWords<L> {
    geometry: Geometry<L>,
    table: Partial<L>,
    items: usize,
    packed: bool,
}

/// Number of bytes read at once, on the stack.
const CHUNK: usize = 1 << 14;

impl Input<'_> {
    /// Reads the words of one table.
    fn words<L: Layout>(&mut self, geometry: Geometry<L>) -> Result<UncheckedWords<L>, ReadError> {
        let buckets = geometry.buckets();
        let mut words = UncheckedWords {
            geometry,
            table: Partial::new(),
            items: 0,
            packed: true,
        };
        let mut chunk = [[0; WORD]; CHUNK / WORD];
        while words.table.len() < buckets {
            let left = buckets - words.table.len();
            let count = chunk.len().min(left);
            let chunk = &mut chunk[..count];
            // Read the words before they get memory: a source of unknown length may not have them.
            self.covered(chunk.as_flattened_mut())?;
            if words.table.room() < count {
                // Double the table, so that each word is moved a bounded number of times.
                let some = words.table.len().max(count);
                words
                    .table
                    .reserve(if self.known { left } else { left.min(some) })?;
            }
            for &word in &*chunk {
                words.push(Bucket::from_bits(u64::from_le_bytes(word)));
            }
        }
        Ok(words)
    }
}

impl<L: Layout> UncheckedWords<L> {
    fn push(&mut self, bucket: Bucket<L>) {
        self.packed &= bucket.is_packed();
        self.items += bucket.len();
        self.table.push(bucket);
    }

    /// The unchecked words, for a caller that checks them.
    #[cfg(feature = "growing")]
    pub(crate) fn unchecked(self) -> Table<L> {
        self.table.build(self.geometry)
    }

    /// Returns the table if it is valid and holds `items` items. Call it after the checksum: the
    /// checksum detects damage, and this detects bytes that this crate did not write.
    pub(crate) fn check(self, items: usize) -> Result<Table<L>, ReadError> {
        demand(self.packed, "a bucket is not one that the layout has")?;
        demand(
            self.items == items,
            "its number of items differs from the stored number",
        )?;
        Ok(self.table.build(self.geometry))
    }
}
