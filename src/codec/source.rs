//! The source of a stored form.

#[cfg(feature = "std")]
use std::io::{ErrorKind, Read};

use crate::error::ReadError;

/// The source of a stored form.
pub trait Source {
    /// Takes the next bytes, as many as fit, or fewer if there are no more. Returns their number.
    fn take(&mut self, buffer: &mut [u8]) -> Result<usize, ReadError>;

    /// Whether the source is known to have exactly this many bytes in total. False: not known. An
    /// error: it has fewer, or more.
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
                // Bound the count: a reader may claim more than it was offered. The checksums check
                // its bytes.
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
