//! An input that is read from front to back, and checked on the way.

use super::CHECKSUM;
use super::source::Source;
use crate::error::ReadError;

/// A source that has been read up to some place, with the checksum of all up to there but for the checksums.
#[derive(Debug)]
pub(super) struct Input<'a, T> {
    source: &'a mut T,
    checksum: crc32fast::Hasher,
    /// Bytes read so far.
    found: u64,
    /// Bytes that there must be.
    expected: u64,
    /// Whether they are known to be there.
    known: bool,
}

impl<'a, T: Source> Input<'a, T> {
    /// Behind a header.
    pub(super) fn behind(header: u64, checksum: crc32fast::Hasher, source: &'a mut T) -> Self {
        Self {
            source,
            checksum,
            found: header,
            expected: header,
            known: false,
        }
    }

    /// There is so much in all.
    pub(super) fn expect(&mut self, bytes: u64) -> Result<(), ReadError> {
        self.expected = bytes;
        self.known = self.source.has_exactly(bytes)?;
        Ok(())
    }

    /// At least so much has to be there, and perhaps more.
    #[cfg(feature = "std")]
    pub(super) fn expect_at_least(&mut self, bytes: u64) {
        self.expected = bytes;
    }

    /// Whether what is left to read is there.
    pub(super) fn is_known(&self) -> bool {
        self.known
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

    /// The next bytes, which a checksum is to cover.
    pub(super) fn covered(&mut self, buffer: &mut [u8]) -> Result<(), ReadError> {
        self.take(buffer)?;
        self.checksum.update(buffer);
        Ok(())
    }

    /// A checksum, of all that is before it.
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
