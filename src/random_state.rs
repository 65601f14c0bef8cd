//! The default hasher: seeded, fast, and the same on every machine and in every release.

use core::hash::{BuildHasher, Hasher};
use rapidhash::v3::{RapidSecrets, rapidhash_v3_inline};

/// Builds a filter's default hasher: rapidhash v3 with secrets made from a 64-bit seed.
///
/// [`new`](Self::new) draws a random seed, which needs the feature `std`;
/// [`with_seed`](Self::with_seed) fixes it. For byte strings, `str` and integers, the hash of a
/// value depends on the seed alone: it is equal on every machine, of either byte order and of 32 or
/// 64 bits, and stays equal in later releases. For other types, their `Hash` decides what they feed
/// to a hasher.
///
/// The function is rapidhash v3 by Nicolas De Carli, as implemented by the crate `rapidhash`, which
/// promises that its output never changes, with secrets that are made from the seed: with those
/// that rapidhash publishes, everybody knows items that collide whatever the seed is. Each value
/// that `Hash` writes is hashed with the previous hash as the seed. The function is keyed but not
/// cryptographic. If an adversary chooses the items *and* can learn about the seed, use a keyed
/// cryptographic function such as SipHash, with
/// [`with_capacity_and_hasher`](crate::CuckooFilter::with_capacity_and_hasher).
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::RandomState;
/// use std::hash::BuildHasher;
///
/// let state = RandomState::with_seed(7);
/// assert_eq!(state.hash_one("flow"), RandomState::with_seed(7).hash_one("flow"));
/// assert_ne!(state.hash_one("flow"), RandomState::with_seed(8).hash_one("flow"));
/// ```
#[derive(Clone)]
pub struct RandomState {
    seed: u64,
    secrets: RapidSecrets,
}

impl RandomState {
    /// Returns a state with a random seed. Each call draws a new seed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::RandomState;
    ///
    /// assert_ne!(RandomState::new().seed(), RandomState::new().seed());
    /// ```
    #[cfg(feature = "std")]
    #[must_use]
    pub fn new() -> Self {
        // The standard library's keys come from the system's random source.
        Self::with_seed(std::hash::RandomState::new().hash_one(0u64))
    }

    /// Returns the state with this seed.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::{CuckooFilter, RandomState};
    ///
    /// let filter = CuckooFilter::with_capacity_and_hasher(100, RandomState::with_seed(7));
    /// filter.insert("a")?;
    /// # Ok::<(), lockfree_cuckoo::InsertError>(())
    /// ```
    #[must_use]
    pub const fn with_seed(seed: u64) -> Self {
        Self {
            seed,
            secrets: RapidSecrets::seed(seed),
        }
    }

    /// The hash of a byte string: the same on every machine, with every version of Rust, and in
    /// every later release.
    ///
    /// It is rapidhash v3 with secrets made from the seed: of the length, as eight little-endian
    /// bytes, and with that as the seed, of the bytes. [`format`](crate::format) defines it to the
    /// last bit, for programs in other languages. Today `hash_one` of a `[u8]` gives the same, but
    /// the standard library does not promise how `Hash` passes a slice to a hasher. Where hashes
    /// are kept, or compared between machines, use this and the methods that take a hash.
    ///
    /// # Examples
    ///
    /// ```
    /// use lockfree_cuckoo::CuckooFilter;
    ///
    /// let filter = CuckooFilter::builder().capacity(100).seed(7).build()?;
    /// filter.insert_hash(filter.hasher().hash_bytes(b"flow"))?;
    /// assert!(filter.contains(b"flow".as_slice()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    #[must_use]
    pub fn hash_bytes(&self, bytes: &[u8]) -> u64 {
        let mut hasher = self.build_hasher();
        hasher.write(&(bytes.len() as u64).to_le_bytes());
        hasher.write(bytes);
        hasher.finish()
    }

    /// Returns the seed. Anyone who knows it can make items that collide.
    ///
    /// # Examples
    ///
    /// ```
    /// assert_eq!(lockfree_cuckoo::RandomState::with_seed(7).seed(), 7);
    /// ```
    #[must_use]
    pub const fn seed(&self) -> u64 {
        self.seed
    }
}

#[cfg(feature = "std")]
impl Default for RandomState {
    fn default() -> Self {
        Self::new()
    }
}

/// Omits the seed: logs should not contain it.
impl core::fmt::Debug for RandomState {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_struct("RandomState").finish_non_exhaustive()
    }
}

impl BuildHasher for RandomState {
    type Hasher = SeededHasher;

    #[inline]
    fn build_hasher(&self) -> SeededHasher {
        SeededHasher {
            state: self.secrets,
        }
    }
}

/// The hasher that [`RandomState`] builds.
///
/// # Examples
///
/// ```
/// use lockfree_cuckoo::RandomState;
/// use std::hash::{BuildHasher, Hasher};
///
/// let mut hasher = RandomState::with_seed(7).build_hasher();
/// hasher.write(b"flow");
/// assert_ne!(hasher.finish(), RandomState::with_seed(8).build_hasher().finish());
/// ```
#[derive(Clone)]
pub struct SeededHasher {
    /// The secrets of the filter. Their `seed` is the hash so far.
    state: RapidSecrets,
}

impl core::fmt::Debug for SeededHasher {
    fn fmt(&self, out: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        out.debug_struct("SeededHasher").finish_non_exhaustive()
    }
}

/// On every machine, integers hash as their little-endian bytes, and sizes as 64-bit integers.
macro_rules! write_as_bytes {
    ($($method:ident: $from:ty as $to:ty),*) => {
        $(
            #[inline]
            fn $method(&mut self, value: $from) {
                self.write(&(value as $to).to_le_bytes());
            }
        )*
    };
}

impl Hasher for SeededHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        self.state.seed = rapidhash_v3_inline::<true, false, false>(bytes, &self.state);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.state.seed
    }

    write_as_bytes!(
        write_u8: u8 as u8,
        write_u16: u16 as u16,
        write_u32: u32 as u32,
        write_u64: u64 as u64,
        write_u128: u128 as u128,
        write_usize: usize as u64,
        write_i8: i8 as i8,
        write_i16: i16 as i16,
        write_i32: i32 as i32,
        write_i64: i64 as i64,
        write_i128: i128 as i128,
        write_isize: isize as i64
    );
}
