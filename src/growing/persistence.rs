//! Filters that grow as bytes: to store one, and to have it again.

use core::hash::BuildHasher;
use std::io::{self, Read, Write};

use super::GrowingCuckooFilter;
use super::stored::{self, Storable};
#[cfg(feature = "serde")]
use crate::scan::NoSnapshot;
use crate::stored::{Identity, ReadError, Slice, Stream};

/// Storing: all segments in one piece. The stored form is the same on every machine, and documented byte by byte
/// in [`format`](crate::format#filters-that-grow).
impl<S: BuildHasher + 'static> GrowingCuckooFilter<S> {
    /// Writes the stored form, from which [`read_from`](GrowingCuckooFilter::read_from) makes the same filter
    /// again: two bytes a [slot](Self::slots), 24 for each segment, and 68 more.
    ///
    /// Writes in pieces of up to 16 KiB, so `writer` need not be buffered, and flushes at the end. Allocates
    /// nothing. Takes time linear in the size.
    ///
    /// Needs `&mut self`: nobody else reads or writes meanwhile. A filter that is in use, or in an `Arc`, is
    /// stored by `filter.snapshot()?.write_to(writer)`: see [`snapshot`](Self::snapshot).
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
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let path = std::env::temp_dir().join(format!("growing-{}.lfcf", std::process::id()));
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.write_to(std::fs::File::create(&path)?)?;
    ///
    /// let again = GrowingCuckooFilter::read_from(std::fs::File::open(&path)?)?;
    /// assert!(again.contains("a"));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
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
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// for item in 0..1_000 {
    ///     filter.insert(&item)?;
    /// }
    /// let bytes = filter.to_bytes();
    /// assert_eq!(bytes.len(), 64 + 24 * filter.segments() + 2 * filter.slots() + 4);
    /// assert!(GrowingCuckooFilter::from_bytes(&bytes)?.contains(&999));
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
        // Not pinned: a slow writer must not delay what others give up.
        let chain = self.chain.get_mut();
        Storable::new(chain, self.start, self.limits, &self.hasher)
    }

    /// The stored form of a snapshot.
    #[cfg(feature = "serde")]
    pub(crate) fn to_bytes_in_use(&self) -> Result<Vec<u8>, NoSnapshot> {
        let chain = self.copy_of_chain()?;
        Ok(Storable::new(&chain, self.start, self.limits, &self.hasher).to_vec()?)
    }
}

/// Reading what was stored with the default hasher. Its seed is stored along.
///
/// The filter that is read answers as the one that was written, and grows as it would have: it has its segments,
/// limits, growth factor and number of items. If its segments are larger than the limits, which may have been set
/// on a machine with fewer processors, it is read, and does not grow.
///
/// The bytes may come from anywhere: all of them are checked, and no input makes these calls panic, hang, or
/// allocate more than three times its own size and 1,280 KiB. That says nothing about who wrote them: a checksum
/// finds accidents, not malice.
impl GrowingCuckooFilter {
    /// Makes a filter of its stored form, which must end where the bytes end. Takes time linear in the size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter that grows, stored with the default hasher, or the
    /// memory for its tables cannot be had.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter, ReadError};
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a").expect("room");
    /// let mut bytes = filter.to_bytes();
    /// assert!(GrowingCuckooFilter::from_bytes(&bytes)?.contains("a"));
    ///
    /// // It is another one than the filter of one table.
    /// let other = CuckooFilter::from_bytes(&bytes);
    /// assert!(matches!(other, Err(ReadError::OtherKind { grows: true, .. })));
    ///
    /// bytes[100] ^= 1;
    /// let damaged = GrowingCuckooFilter::from_bytes(&bytes);
    /// assert!(matches!(damaged, Err(ReadError::Checksum)));
    /// # Ok::<(), ReadError>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        stored::read(&mut Slice::new(bytes), Identity::rebuild)
    }

    /// Reads a filter, and not a byte more, so that it can be one part of a larger stream.
    ///
    /// Reads in pieces of up to 16 KiB, so `reader` need not be buffered; but the list of segments, a few dozen
    /// bytes, comes in two reads for each. How long the input is turns out only at its end, so the tables grow with
    /// what has come, whatever the list claims. Takes time linear in the size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if what it gives is not a filter that grows, stored with
    /// the default hasher, or if the memory for its tables cannot be had. How much has been read is then
    /// unspecified.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    ///
    /// let mut filter = GrowingCuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let mut stream = filter.to_bytes();
    /// stream.extend(b"what follows");
    ///
    /// let mut reader = stream.as_slice();
    /// let again = GrowingCuckooFilter::read_from(&mut reader)?;
    /// assert!(again.contains("a"));
    /// assert_eq!(reader, b"what follows");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_from(reader: impl Read) -> Result<Self, ReadError> {
        stored::read(&mut Stream(reader), Identity::rebuild)
    }
}

/// Reading what was stored with any hasher, by handing over the same one: one that hashes as it did then, on
/// another machine too if the filter goes to one. It is recognized by what it makes of a few bytes.
impl<S: BuildHasher + 'static> GrowingCuckooFilter<S> {
    /// As [`from_bytes`](GrowingCuckooFilter::from_bytes), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter that grows, stored with this hasher, or the memory
    /// for its tables cannot be had.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{GrowingCuckooFilter, ReadError};
    /// use std::hash::RandomState;
    ///
    /// let hasher = RandomState::new();
    /// let mut filter = GrowingCuckooFilter::builder().hasher(hasher.clone()).build()?;
    /// filter.insert("a")?;
    /// let bytes = filter.to_bytes();
    ///
    /// assert!(GrowingCuckooFilter::from_bytes_with_hasher(&bytes, hasher)?.contains("a"));
    /// // The same function with other keys.
    /// let other = GrowingCuckooFilter::from_bytes_with_hasher(&bytes, RandomState::new());
    /// assert!(matches!(other, Err(ReadError::OtherHasher)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes_with_hasher(bytes: &[u8], hasher: S) -> Result<Self, ReadError> {
        stored::read(&mut Slice::new(bytes), |identity| identity.admit(hasher))
    }

    /// As [`read_from`](GrowingCuckooFilter::read_from), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if what it gives is not a filter that grows, stored with
    /// this hasher, or if the memory for its tables cannot be had. How much has been read is then unspecified.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::GrowingCuckooFilter;
    /// use std::hash::{BuildHasherDefault, DefaultHasher};
    ///
    /// type Fixed = BuildHasherDefault<DefaultHasher>;
    ///
    /// let mut filter = GrowingCuckooFilter::builder().hasher(Fixed::default()).build()?;
    /// filter.insert("a")?;
    /// let mut stored = Vec::new();
    /// filter.write_to(&mut stored)?;
    ///
    /// let again = GrowingCuckooFilter::read_from_with_hasher(stored.as_slice(), Fixed::default())?;
    /// assert!(again.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read_from_with_hasher(reader: impl Read, hasher: S) -> Result<Self, ReadError> {
        stored::read(&mut Stream(reader), |identity| identity.admit(hasher))
    }
}
