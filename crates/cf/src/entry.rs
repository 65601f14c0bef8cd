//! What is kept of a filter beside its stored form, in snapshots and in dumps.
//!
//! | part | bytes |
//! |---|---|
//! | expansion: 0 for a filter that does not grow | 2 |
//! | maximal iterations | 2 |
//! | capacity | 8 |
//! | deleted items | 8 |
//!
//! All numbers are little-endian.

use std::io::Read;

use lockfree_cuckoo::ReadError;

use crate::filter::Filter;
use crate::layout::Layout;
use crate::settings::Settings;

/// What is kept of a filter beside its stored form, in [`BYTES`](Self::BYTES) bytes. No checksum is part of it. The layout
/// is in the stored form.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Entry {
    settings: Settings,
    deleted: u64,
}

/// More than any server has deleted; less leaves room to go on counting.
const MOST_DELETED: u64 = 1 << 62;

impl Entry {
    /// The bytes of any entry.
    pub const BYTES: usize = 2 + 2 + 8 + 8;

    /// Of a filter as it is.
    pub fn of(filter: &Filter) -> Self {
        Self {
            settings: filter.settings(),
            deleted: filter.deleted(),
        }
    }

    /// The entry in bytes.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let Settings {
            capacity,
            expansion,
            max_iterations,
            // It is in the stored form.
            layout: _,
        } = self.settings;
        let mut bytes = [0; Self::BYTES];
        bytes[..2].copy_from_slice(&expansion.to_le_bytes());
        bytes[2..4].copy_from_slice(&max_iterations.to_le_bytes());
        bytes[4..12].copy_from_slice(&(capacity as u64).to_le_bytes());
        bytes[12..].copy_from_slice(&self.deleted.to_le_bytes());
        bytes
    }

    /// Nothing if no filter has such an entry.
    pub fn from_bytes(bytes: &[u8; Self::BYTES]) -> Option<Self> {
        let (expansion, rest) = bytes.split_first_chunk()?;
        let (max_iterations, rest) = rest.split_first_chunk()?;
        let (capacity, rest) = rest.split_first_chunk()?;
        let (deleted, _) = rest.split_first_chunk()?;
        let expansion = u16::from_le_bytes(*expansion);
        (expansion == 0 || expansion.is_power_of_two()).then_some(())?;
        let deleted = u64::from_le_bytes(*deleted);
        (deleted <= MOST_DELETED).then_some(())?;
        Some(Self {
            settings: Settings {
                capacity: usize::try_from(u64::from_le_bytes(*capacity)).ok()?,
                expansion,
                max_iterations: u16::from_le_bytes(*max_iterations),
                layout: Layout::default(),
            },
            deleted,
        })
    }

    /// The filter whose stored form comes next. A growing one may grow to `most` bytes.
    ///
    /// Of any source by one function: the code of all layouts is compiled here, and not once more for each kind of source.
    ///
    /// # Errors
    ///
    /// If the source fails, or no filter of this kind is stored in it.
    pub fn read(self, source: &mut dyn Read, most: usize) -> Result<Filter, ReadError> {
        Filter::read(self.settings, self.deleted, source, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comes_back_as_it_was() {
        let settings = Settings {
            capacity: 1_234_567,
            expansion: 4,
            max_iterations: 300,
            layout: Layout::default(),
        };
        let entry = Entry {
            settings,
            deleted: 42,
        };
        let bytes = entry.to_bytes();
        assert_eq!(Entry::from_bytes(&bytes), Some(entry));
        for (at, wrong) in [(0, 3), (0, 5), (1, 1), (19, 0xff)] {
            let mut bytes = bytes;
            bytes[at] = wrong;
            assert_eq!(Entry::from_bytes(&bytes), None, "{wrong} at {at}");
        }
    }
}
