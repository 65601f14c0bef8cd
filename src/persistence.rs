//! Filters as bytes: to store one, and to have it again.

use alloc::vec::Vec;
use core::hash::BuildHasher;
#[cfg(feature = "std")]
use std::io::{self, Read, Write};

use crate::filter::CuckooFilter;
#[cfg(feature = "std")]
use crate::stored::Stream;
use crate::stored::{self, Identity, ReadError, Slice, Storable};

/// Storing. The stored form is the same on every machine, and documented byte by byte in
/// [`format`](crate::format).
impl<S: BuildHasher + 'static> CuckooFilter<S> {
    /// Writes the stored form, from which [`read_from`](CuckooFilter::read_from) makes the same filter again:
    /// eight bytes a bucket and 68 more.
    ///
    /// Writes in pieces of up to 16 KiB, so `writer` need not be buffered, and flushes at the end. Allocates
    /// nothing. Takes time linear in the size.
    ///
    /// Needs `&mut self`: nobody else reads or writes meanwhile. A filter that is in use, or in an `Arc`, is
    /// stored by `filter.snapshot()?.write_to(writer)`: see [`snapshot`](CuckooFilter::snapshot). Like [`clear`](CuckooFilter::clear), it takes back what threads
    /// that died in the middle of an insert held.
    ///
    /// A file that is overwritten in place is lost if the machine stops half way. The example `save_and_load`
    /// replaces it in one step.
    ///
    /// # Errors
    ///
    /// Those of the writer. The filter is as it was, and can be written again.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let path = std::env::temp_dir().join(format!("{}.lfcf", std::process::id()));
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.write_to(std::fs::File::create(&path)?)?;
    ///
    /// let again = CuckooFilter::read_from(std::fs::File::open(&path)?)?;
    /// assert!(again.contains("a"));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn write_to(&mut self, mut writer: impl Write) -> io::Result<()> {
        self.storable().put(|piece| writer.write_all(piece))?;
        writer.flush()
    }

    /// The stored form as bytes. As [`write_to`](Self::write_to), with one allocation.
    ///
    /// # Panics
    ///
    /// If the memory cannot be had, or the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let bytes = filter.to_bytes();
    /// assert_eq!(bytes.len(), 64 + 2 * filter.slots() + 4);
    /// assert!(CuckooFilter::from_bytes(&bytes)?.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    #[track_caller]
    pub fn to_bytes(&mut self) -> Vec<u8> {
        match self.storable().to_vec() {
            Ok(bytes) => bytes,
            Err(error) => panic!(
                "{} bytes of memory for a filter could not be allocated",
                error.bytes
            ),
        }
    }

    fn storable(&mut self) -> Storable<'_> {
        let items = self.tokens.settle_all();
        Storable::new(&self.tokens, items, self.capacity, &self.hasher)
    }
}

/// Reading what was stored with the default hasher. Its seed is stored along.
///
/// The filter that is read answers as the one that was written, and has its geometry, capacity, search budget
/// and number of items.
///
/// The bytes may come from anywhere: all of them are checked, and no input makes these calls panic, hang, or
/// allocate more than three times its own size and 640 KiB. That says nothing about who wrote them: a checksum
/// finds accidents, not malice.
impl CuckooFilter {
    /// Makes a filter of its stored form, which must end where the bytes end. Takes time linear in the size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter stored with the default hasher, or the memory
    /// cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, ReadError};
    ///
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a").expect("room");
    /// let mut bytes = filter.to_bytes();
    ///
    /// let again = CuckooFilter::from_bytes(&bytes)?;
    /// assert!(again.contains("a"));
    /// assert_eq!((again.len(), again.capacity()), (1, 100));
    ///
    /// bytes[70] ^= 1;
    /// assert!(matches!(CuckooFilter::from_bytes(&bytes), Err(ReadError::Checksum)));
    /// # Ok::<(), ReadError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        stored::read(&mut Slice::new(bytes), Identity::rebuild)
    }

    /// Reads a filter, and not a byte more, so that it can be one part of a larger stream.
    ///
    /// Reads in pieces of up to 16 KiB, so `reader` need not be buffered. How long the input is turns out only
    /// at its end, so the table grows with what has come, whatever the header claims. Takes time linear in the
    /// size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if what it gives is not a filter stored with the
    /// default hasher, or if the memory cannot be had. How much has been read is then unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let mut filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let mut stream = filter.to_bytes();
    /// stream.extend(b"what follows");
    ///
    /// let mut reader = stream.as_slice();
    /// let again = CuckooFilter::read_from(&mut reader)?;
    /// assert!(again.contains("a"));
    /// assert_eq!(reader, b"what follows");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn read_from(reader: impl Read) -> Result<Self, ReadError> {
        stored::read(&mut Stream(reader), Identity::rebuild)
    }
}

/// Reading what was stored with any hasher, by handing over the same one: one that hashes as it did then, on
/// another machine too if the filter goes to one. It is recognized by what it makes of a few bytes.
impl<S: BuildHasher + 'static> CuckooFilter<S> {
    /// As [`from_bytes`](CuckooFilter::from_bytes), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter stored with this hasher, or the memory cannot be
    /// had.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, ReadError};
    /// use std::hash::RandomState;
    ///
    /// let hasher = RandomState::new();
    /// let mut filter = CuckooFilter::with_capacity_and_hasher(100, hasher.clone());
    /// filter.insert("a")?;
    /// let bytes = filter.to_bytes();
    ///
    /// assert!(CuckooFilter::from_bytes_with_hasher(&bytes, hasher)?.contains("a"));
    /// // The same function with other keys.
    /// let other = CuckooFilter::from_bytes_with_hasher(&bytes, RandomState::new());
    /// assert!(matches!(other, Err(ReadError::OtherHasher)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes_with_hasher(bytes: &[u8], hasher: S) -> Result<Self, ReadError> {
        stored::read(&mut Slice::new(bytes), |identity| identity.admit(hasher))
    }

    /// As [`read_from`](CuckooFilter::read_from), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if what it gives is not a filter stored with this
    /// hasher, or if the memory cannot be had. How much has been read is then unspecified.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    ///
    /// type Fixed = BuildHasherDefault<DefaultHasher>;
    ///
    /// let mut filter = CuckooFilter::with_capacity_and_hasher(100, Fixed::default());
    /// filter.insert("a")?;
    /// let mut stored = Vec::new();
    /// filter.write_to(&mut stored)?;
    ///
    /// let again = CuckooFilter::read_from_with_hasher(stored.as_slice(), Fixed::default())?;
    /// assert!(again.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn read_from_with_hasher(reader: impl Read, hasher: S) -> Result<Self, ReadError> {
        stored::read(&mut Stream(reader), |identity| identity.admit(hasher))
    }
}
