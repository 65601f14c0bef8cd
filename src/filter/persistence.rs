//! Storing a filter as bytes, all at once or a chunk at a time, reading it back, and copying a
//! filter that other threads use.

use alloc::vec::Vec;
#[cfg(feature = "std")]
use std::io::{self, Read, Write};

use super::{Engine, Filter};
use crate::codec::header::{Header, Identity};
#[cfg(feature = "std")]
use crate::codec::source::Stream;
use crate::codec::source::{Slice, Source};
use crate::engine::chunks;
use crate::engine::chunks::Chunks;
use crate::error::{ReadError, SnapshotError};
use crate::random_state::RandomState;
use crate::typed_hasher::FilterHasher;

/// Storing. The stored form is the same on every machine, and documented byte by byte in
/// [`format`](crate::format).
impl<E: Engine, S: FilterHasher<Inner: 'static>> Filter<E, S> {
    /// The stored form as bytes, while other threads use the filter: eight bytes per bucket, 16 per
    /// table, and 76 more. [`from_bytes`](Filter::from_bytes) restores the filter.
    ///
    /// It has the content of a [`snapshot`](Self::snapshot): every item that is stored from before
    /// the call until after it. If no other thread writes meanwhile, it is exact, and only the
    /// bytes are allocated. Otherwise a snapshot is taken and stored. Takes time linear in the
    /// size.
    ///
    /// If no other thread writes, [`chunks`](Self::chunks) stores the filter without any
    /// allocation.
    ///
    /// # Errors
    ///
    /// As [`snapshot`](Self::snapshot).
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use std::sync::Arc;
    ///
    /// let filter = Arc::new(CuckooFilter::with_capacity(100));
    /// filter.insert("a")?;
    /// let bytes = filter.to_bytes()?;
    /// assert_eq!(bytes.len(), 92 + 2 * filter.slots());
    /// assert!(CuckooFilter::from_bytes(&bytes)?.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn to_bytes(&self) -> Result<Vec<u8>, SnapshotError> {
        let identity = Identity::of(&self.hasher);
        match chunks::to_vec(self.engine.object(), &identity) {
            Err(SnapshotError::Changed) => {
                let copy = Engine::snapshot(&self.engine)?;
                chunks::to_vec(copy.object(), &identity)
            }
            stored => stored,
        }
    }

    /// Writes the stored form, as [`to_bytes`](Self::to_bytes) returns it, and flushes. It is
    /// complete before the first write. [`read_from`](Filter::read_from) restores the filter.
    ///
    /// If the machine stops half way, a file that is being overwritten in place is lost. The
    /// example `storage` replaces it in one step.
    ///
    /// # Errors
    ///
    /// The errors of the writer, and a [`SnapshotError`] as the inner error of an [`io::Error`], of
    /// the kind `ResourceBusy`. The kind `OutOfMemory` has no inner error: the standard library
    /// allocates for it, and aborts if it gets no memory.
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
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// filter.write_to(std::fs::File::create(&path)?)?;
    ///
    /// let again = CuckooFilter::read_from(std::fs::File::open(&path)?)?;
    /// assert!(again.contains("a"));
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn write_to(&self, mut writer: impl Write) -> io::Result<()> {
        let bytes = self.to_bytes().map_err(|error| match error {
            SnapshotError::OutOfMemory(_) => io::ErrorKind::OutOfMemory.into(),
            error => io::Error::from(error),
        })?;
        writer.write_all(&bytes)?;
        writer.flush()
    }
}

/// Reading a filter that was stored with the default hasher, including its seed.
///
/// The filter gives the same answers as the stored one, and has its geometry, capacity, search
/// budget and number of items. A rotating filter also has its generations and its number of
/// rotations. A growing filter also has its tables and limits, and grows as the other would have.
/// If its tables are larger than its limits, it is read, but does not grow. (This can happen if the
/// limits were set on a machine with fewer processors.)
///
/// The bytes may come from anywhere: all of them are checked, and no input makes these calls panic,
/// hang, or allocate more than three times its own size and 640 KiB, or 1,280 KiB for a filter that
/// grows or rotates. This does not authenticate them: a checksum detects accidents, not malice.
impl<E: Engine> Filter<E, RandomState> {
    /// Restores a filter from its stored form, which must end where the bytes end. Takes time
    /// linear in the size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter stored with the default hasher, or
    /// the memory could not be allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, ReadError};
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let mut bytes = filter.to_bytes()?;
    ///
    /// let again = CuckooFilter::from_bytes(&bytes)?;
    /// assert!(again.contains("a"));
    /// assert_eq!((again.len(), again.capacity()), (1, 100));
    ///
    /// bytes[70] ^= 1;
    /// assert!(matches!(CuckooFilter::from_bytes(&bytes), Err(ReadError::Checksum)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, ReadError> {
        Self::read_with(&mut Slice::new(bytes), Identity::rebuild)
    }

    /// Reads a filter, and not a byte more, so that it can be one part of a larger stream.
    ///
    /// Reads in pieces of up to 16 KiB, so `reader` need not be buffered. The header, each entry of
    /// the list of tables, and each checksum are separate reads. The length of the input is known
    /// only at its end. So the table grows with the bytes that were read, whatever the header
    /// claims. Takes time linear in the size.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if its bytes are not a filter stored with
    /// the default hasher, or if the memory could not be allocated. It is then unspecified how much
    /// has been read.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::with_capacity(100);
    /// filter.insert("a")?;
    /// let mut stream = filter.to_bytes()?;
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
        Self::read_with(&mut Stream(reader), Identity::rebuild)
    }
}

/// Reading a filter that was stored with any hasher. The caller passes the same hasher: it must
/// hash as before, on another machine too. The call recognizes the hasher by its hash of a few
/// bytes.
impl<E: Engine, S: FilterHasher<Inner: 'static>> Filter<E, S> {
    /// As [`from_bytes`](Filter::from_bytes), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the bytes are not exactly one filter stored with this hasher, or the
    /// memory could not be allocated.
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
    /// let filter = CuckooFilter::with_capacity_and_hasher(100, hasher.clone());
    /// filter.insert("a")?;
    /// let bytes = filter.to_bytes()?;
    ///
    /// assert!(CuckooFilter::from_bytes_with_hasher(&bytes, hasher)?.contains("a"));
    /// // The same function with other keys.
    /// let other = CuckooFilter::from_bytes_with_hasher(&bytes, RandomState::new());
    /// assert!(matches!(other, Err(ReadError::OtherHasher)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn from_bytes_with_hasher(bytes: &[u8], hasher: S) -> Result<Self, ReadError> {
        Self::read_with(&mut Slice::new(bytes), |identity| identity.admit(hasher))
    }

    /// As [`read_from`](Filter::read_from), for a filter stored with this hasher.
    ///
    /// # Errors
    ///
    /// [`ReadError`], if the reader fails or ends early, if its bytes are not a filter stored with
    /// this hasher, or if the memory could not be allocated. It is then unspecified how much has
    /// been read.
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
    /// let filter = CuckooFilter::with_capacity_and_hasher(100, Fixed::default());
    /// filter.insert("a")?;
    /// let stored = filter.to_bytes()?;
    ///
    /// let again = CuckooFilter::read_from_with_hasher(stored.as_slice(), Fixed::default())?;
    /// assert!(again.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[cfg(feature = "std")]
    pub fn read_from_with_hasher(reader: impl Read, hasher: S) -> Result<Self, ReadError> {
        Self::read_with(&mut Stream(reader), |identity| identity.admit(hasher))
    }
}

impl<E: Engine, S> Filter<E, S> {
    fn read_with(
        source: &mut dyn Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
    ) -> Result<Self, ReadError> {
        let header = Header::read(source)?;
        E::recognize(&header)?;
        let hasher = hasher(&header.identity()?)?;
        Ok(Self::of(E::read(&header, source, Self::BYTES)?, hasher))
    }
}

impl<E: Engine, S: FilterHasher<Inner: 'static>> Filter<E, S> {
    /// The stored form, a chunk at a time: the bytes that [`to_bytes`](Self::to_bytes) returns, in
    /// pieces of the size that the caller asks for. Use it if the filter is shared but no thread
    /// writes to it meanwhile: in a server that runs one command at a time, or in the child of a
    /// fork.
    ///
    /// It does not copy the filter, and allocates nothing. The call reads the whole table once,
    /// because the header contains the number of items. It reads the words of a chunk when that
    /// chunk is requested.
    ///
    /// If other threads do write, there are two outcomes. Either a chunk, at the latest the last
    /// one, fails with [`Changed`](SnapshotError::Changed). Or all chunks together are a filter
    /// with the content of a [`snapshot`](Self::snapshot): every item that was stored from this
    /// call to the last chunk, and any part of what was inserted or removed meanwhile. Expect an
    /// error: use [`to_bytes`](Self::to_bytes) for a filter under constant writes.
    ///
    /// Lookups by other threads neither disturb it nor are disturbed.
    ///
    /// # Panics
    ///
    /// If the hasher panics when it is given bytes.
    ///
    /// # Examples
    ///
    /// [`Chunks`] shows how to store a filter. Here, another caller writes before the first chunk:
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, SnapshotError};
    ///
    /// let filter = CuckooFilter::with_capacity(100_000);
    /// let mut chunks = filter.chunks();
    /// filter.insert("a")?;
    ///
    /// // The header says that there is nothing in.
    /// let mut stored = vec![0; usize::try_from(chunks.total())?];
    /// assert_eq!(chunks.next_chunk(&mut stored), Err(SnapshotError::Changed));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn chunks(&self) -> Chunks<'_> {
        Chunks::of(self.engine.object(), &Identity::of(&self.hasher))
    }
}

impl<E: Engine, S: Clone> Filter<E, S> {
    /// Copies the filter while other threads read and write it.
    ///
    /// The copy contains every item that is stored from before the call until after it, with all
    /// its copies, even if inserts of other items move it. It may contain any part of what is
    /// inserted or removed during the call. So the copy does not show the whole filter at one
    /// moment, but each class of items at a moment of its own.
    ///
    /// Reads the whole table once, and allocates the copy. (The first call also allocates,
    /// permanently, a log of a sixteenth of the table.) Writers do not wait: a writer that
    /// relocates an item meanwhile records it in the log, and the snapshot counts the recorded
    /// items again at the end. If the log fills up, the snapshot reads the table again several
    /// times, each time for a part of the items.
    ///
    /// The tables of a growing filter are copied one after the other. The copy has the limits of
    /// the filter. The generations of a rotating filter are copied one after the other, and all
    /// again if it rotated meanwhile.
    ///
    /// # Errors
    ///
    /// [`SnapshotError`]: [`Busy`](SnapshotError::Busy) if another snapshot of this filter is in
    /// progress, [`Disturbed`](SnapshotError::Disturbed) if too much changed meanwhile, or the
    /// memory could not be allocated.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    /// use std::thread;
    ///
    /// let filter = CuckooFilter::with_capacity(1_000);
    /// filter.insert("a")?;
    /// let copy = thread::scope(|scope| {
    ///     scope.spawn(|| (0..900).all(|n| filter.insert(&n).is_ok()));
    ///     filter.snapshot()
    /// })?;
    /// assert!(copy.contains("a"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "clone")]
    pub fn snapshot(&self) -> Result<Self, SnapshotError> {
        let engine = Engine::snapshot(&self.engine)?;
        Ok(Self::of(engine, self.hasher.clone()))
    }
}

#[cfg(feature = "serde")]
mod with_serde {
    //! `Serialize` and `Deserialize`: filters as the bytes of their stored forms.

    use alloc::vec::Vec;
    use core::fmt;
    use core::marker::PhantomData;

    use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
    use serde::ser::{Error as _, Serialize, Serializer};

    use crate::allocate;
    use crate::codec::header::Identity;
    use crate::codec::source::Slice;
    use crate::error::ReadError;
    use crate::filter::{Engine, Filter};
    use crate::typed_hasher::FilterHasher;

    /// As [`to_bytes`](Filter::to_bytes), so the filter may be in use. Fails in the same cases.
    impl<E: Engine, S: FilterHasher<Inner: 'static>> Serialize for Filter<E, S> {
        fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
            let bytes = self.to_bytes().map_err(T::Error::custom)?;
            serializer.serialize_bytes(&bytes)
        }
    }

    /// From the bytes of the [stored form](crate::format), checked as by
    /// [`from_bytes`](Filter::from_bytes). The default hasher gets the stored seed. With any other
    /// hasher, `S::default()` must be the one that the filter was stored with. (Without the feature
    /// `std` the default hasher does not implement `Default`: read the bytes, and call
    /// `from_bytes`.)
    impl<'de, E: Engine, S: FilterHasher<Inner: Default + 'static>> Deserialize<'de> for Filter<E, S> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_bytes(StoredForm(PhantomData))
        }
    }

    /// The bytes of a filter `F`.
    struct StoredForm<F>(PhantomData<F>);

    impl<'de, E: Engine, S: FilterHasher<Inner: Default + 'static>> Visitor<'de>
        for StoredForm<Filter<E, S>>
    {
        type Value = Filter<E, S>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            out.write_str("the bytes of a stored cuckoo filter")
        }

        fn visit_bytes<R: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, R> {
            Filter::read_with(&mut Slice::new(bytes), Identity::rebuild_or_default)
                .map_err(R::custom)
        }

        /// For formats without a type for bytes, such as JSON.
        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = sequence.next_element()? {
                if bytes.len() == bytes.capacity() {
                    // Allocate for the bytes read, whatever length the sequence claims.
                    grow(&mut bytes).map_err(A::Error::custom)?;
                }
                bytes.push(byte);
            }
            self.visit_bytes(&bytes)
        }
    }

    fn grow(bytes: &mut Vec<u8>) -> Result<(), ReadError> {
        const MIN_GROWTH: usize = 4096;
        Ok(allocate::grow(bytes, bytes.len().max(MIN_GROWTH))?)
    }
}
