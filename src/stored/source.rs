//! The source of a stored form, and an input that reads it front to back and checks it.
//!
//! Reading trusts nothing unchecked, and allocates no more than the input has shown to be there.

#[cfg(feature = "std")]
use std::io::{ErrorKind, Read};

use super::{CHECKSUM, Entry, Frame, WORD, demand};
use crate::error::ReadError;
use crate::layout::{Bucket, Layout};
use crate::table::{Geometry, Partial, Table};

/// The source of a stored form.
pub trait Source {
    /// Takes the next bytes, as many as fit, or fewer if there are no more. Returns their number.
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError>;

    /// Whether the source is known to have exactly this many bytes in total. False: not known. An error: it has fewer,
    /// or more.
    fn has_exactly(&self, bytes: u64) -> Result<bool, ReadError>;
}

/// Bytes in memory, which must end where the filter ends.
#[derive(Debug)]
pub(crate) struct Slice<'a> {
    bytes: &'a [u8],
    taken: usize,
}

/// A reader of unknown length.
#[cfg(feature = "std")]
#[derive(Debug)]
pub(crate) struct Stream<R>(pub(crate) R);

impl<'a> Slice<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, taken: 0 }
    }
}

impl Source for Slice<'_> {
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let rest = &self.bytes[self.taken..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.taken += count;
        Ok(count)
    }

    fn has_exactly(&self, expected: u64) -> Result<bool, ReadError> {
        let found = self.bytes.len() as u64;
        match found.cmp(&expected) {
            core::cmp::Ordering::Less => Err(ReadError::Truncated { expected, found }),
            core::cmp::Ordering::Equal => Ok(true),
            core::cmp::Ordering::Greater => Err(ReadError::TrailingBytes { expected, found }),
        }
    }
}

#[cfg(feature = "std")]
impl<R: Read> Source for Stream<R> {
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError> {
        let mut taken = 0;
        while taken < buffer.len() {
            match self.0.read(&mut buffer[taken..]) {
                Ok(0) => break,
                // A reader may claim more than it was offered. The checksums check its bytes.
                Ok(count) => taken = taken.saturating_add(count).min(buffer.len()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(ReadError::Io(error)),
            }
        }
        Ok(taken)
    }

    fn has_exactly(&self, _: u64) -> Result<bool, ReadError> {
        Ok(false)
    }
}

/// A source that has been read up to some position, with the checksum of everything before it except the checksums.
pub(super) struct Input<'a> {
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
    pub(super) fn behind(frame: &Frame, source: &'a mut dyn Source) -> Self {
        Self {
            source,
            checksum: frame.begin_checksum(),
            found: Frame::BYTES as u64,
            expected: Frame::BYTES as u64,
            known: false,
        }
    }

    /// Expects this many bytes in total.
    pub(super) fn expect(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.expected = bytes;
        self.known = self.source.has_exactly(bytes)?;
        Ok(())
    }

    /// Expects at least this many bytes.
    pub(super) fn expect_at_least(&mut self, bytes: u64) {
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
    pub(super) fn entry(&mut self) -> Result<Entry, ReadError> {
        let mut numbers = [[0; WORD]; 2];
        self.covered(numbers.as_flattened_mut())?;
        let [shape, items] = numbers.map(u64::from_le_bytes);
        Ok(Entry { shape, items })
    }

    /// Checks a checksum of everything before it.
    pub(super) fn checksum(&mut self) -> Result<(), ReadError> {
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
pub struct Words<L> {
    geometry: Geometry<L>,
    table: Partial<L>,
    items: usize,
    packed: bool,
}

/// Number of bytes read at once, on the stack.
const CHUNK: usize = 1 << 14;

/// Maximum number of bytes of a table allocated before a source of unknown length has given more.
const AHEAD: usize = 1 << 19;

impl Input<'_> {
    /// Reads the words of one table.
    pub(super) fn words<L: Layout>(
        &mut self,
        geometry: Geometry<L>,
    ) -> Result<Words<L>, ReadError> {
        let buckets = geometry.buckets();
        let mut words = Words {
            geometry,
            table: Partial::new(),
            items: 0,
            packed: true,
        };
        let mut chunk = [[0; WORD]; CHUNK / WORD];
        while words.table.len() < buckets {
            let left = buckets - words.table.len();
            let count = chunk.len().min(left);
            if words.table.room() < count {
                // Double the table, so that each word is moved a bounded number of times.
                let some = words.table.len().max(AHEAD / WORD);
                words
                    .table
                    .reserve(if self.known { left } else { left.min(some) })?;
            }
            let chunk = &mut chunk[..count];
            self.covered(chunk.as_flattened_mut())?;
            for &word in &*chunk {
                words.push(Bucket::from_bits(u64::from_le_bytes(word)));
            }
        }
        Ok(words)
    }
}

impl<L: Layout> Words<L> {
    fn push(&mut self, bucket: Bucket<L>) {
        self.packed &= bucket.is_packed();
        self.items += bucket.len();
        self.table.push(bucket);
    }

    /// The unchecked words, for a caller who checks them.
    #[cfg(feature = "std")]
    pub(super) fn unchecked(self) -> Table<L> {
        self.table.build(self.geometry)
    }

    /// Returns the table if it is valid and holds `items` items. Call it after the checksum: the checksum detects
    /// damage, and this detects bytes that this crate did not write.
    pub(super) fn check(self, items: usize) -> Result<Table<L>, ReadError> {
        demand(self.packed, "a bucket is not one that the layout has")?;
        demand(
            self.items == items,
            "its number of items differs from the stored number",
        )?;
        Ok(self.table.build(self.geometry))
    }
}
