//! The header: what kind of filter follows, its layout, its hasher, and its numbers.
//!
//! The header identifies the hasher of a filter. With another hasher the filter would miss all its
//! items.

use core::any::Any;
use core::hash::{BuildHasher, Hasher};

use crate::codec::source::Source;
use crate::engine::kind::Kind;
use crate::error::ReadError;
use crate::kernel::layout::Shape;
use crate::kernel::search::sizes::{LONG_BUDGET, MIN_BUDGET};
use crate::random_state::RandomState;
use crate::typed_hasher::FilterHasher;

/// The bytes of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    bytes: [u8; BYTES],
}

/// The numbers of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HeaderFields {
    /// Their meaning depends on the kind.
    pub(crate) own: [u64; 2],
    pub(crate) search_budget: usize,
    pub(crate) tables: usize,
}

/// A table's entry in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its number of buckets, or an encoding of it.
    pub(crate) shape: u64,
    /// The occupied slots.
    pub(crate) items: u64,
}

/// Bytes of a word, of a checksum, and of an entry.
pub(crate) const WORD: usize = size_of::<u64>();
pub(crate) const CHECKSUM: usize = size_of::<u32>();
pub(crate) const ENTRY: usize = 2 * WORD;

/// Bytes of zeros behind the list: with them and the checksum, the words begin at a multiple of
/// their size. So a program that maps a stored filter can read its words in place.
pub(crate) const PADDING: usize = WORD - CHECKSUM;

/// The maximum number of tables in a filter.
pub(crate) const MAX_TABLES: usize = 15;

const BYTES: usize = 64;

/// Modelled on PNG's: a byte that is not text, a name, and line ends that a transfer as text would
/// change.
const MAGIC: [u8; 8] = *b"\x89LFCF\r\n\x1a";

/// Of memory that processes share.
#[cfg(feature = "shared")]
const SHARED_MAGIC: [u8; 8] = *b"\x89LFCS\r\n\x1a";

const VERSION: u16 = 1;

/// Bits for the number of slots in their byte. Above them are the bits of a value.
const SLOTS_BITS: u32 = 4;

const DEFAULT_HASHER: u8 = 1;
const CUSTOM_HASHER: u8 = 2;

fn kind_byte(kind: Kind) -> u8 {
    match kind {
        Kind::Fixed => 1,
        Kind::Growing => 2,
        Kind::Rotating => 3,
    }
}

/// Offsets of the fields.
mod at {
    pub(crate) const VERSION: usize = 8;
    pub(crate) const LENGTH: usize = 10;
    pub(crate) const SHAPE: usize = 12;
    pub(crate) const KIND: usize = 14;
    pub(crate) const HASHER: usize = 15;
    pub(crate) const SEED: usize = 16;
    pub(crate) const CHECK: usize = 24;
    pub(crate) const OWN: [usize; 2] = [32, 40];
    pub(crate) const SEARCH_BUDGET: usize = 48;
    pub(crate) const TABLES: usize = 52;
    pub(crate) const UNUSED: usize = 56;
    pub(crate) const CHECKSUM: usize = 60;
}

impl Header {
    pub(crate) const BYTES: usize = BYTES;

    pub(crate) fn new(
        kind: Kind,
        layout: Shape,
        identity: &Identity,
        numbers: &HeaderFields,
    ) -> Self {
        let slots = layout.slots() as u8 | (layout.value_bits() as u8) << SLOTS_BITS;
        let (hasher, seed) = match identity.seed {
            Some(seed) => (DEFAULT_HASHER, seed),
            None => (CUSTOM_HASHER, 0),
        };
        let mut header = Self { bytes: [0; BYTES] };
        header.put(0, &MAGIC);
        header.put(at::VERSION, &VERSION.to_le_bytes());
        header.put(at::LENGTH, &(Self::BYTES as u16).to_le_bytes());
        header.put(at::SHAPE, &[layout.fingerprint_bits() as u8, slots]);
        header.put(at::KIND, &[kind_byte(kind)]);
        header.put(at::HASHER, &[hasher]);
        header.put(at::SEED, &seed.to_le_bytes());
        header.put(at::CHECK, &identity.check.to_le_bytes());
        for (at, own) in at::OWN.into_iter().zip(numbers.own) {
            header.put(at, &own.to_le_bytes());
        }
        let budget = numbers.search_budget as u32;
        header.put(at::SEARCH_BUDGET, &budget.to_le_bytes());
        header.put(at::TABLES, &(numbers.tables as u32).to_le_bytes());
        header
    }

    fn put(&mut self, at: usize, field: &[u8]) {
        self.bytes[at..at + field.len()].copy_from_slice(field);
    }

    fn get<const N: usize>(&self, at: usize) -> [u8; N] {
        core::array::from_fn(|index| self.bytes[at + index])
    }

    fn number(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.get(at))
    }

    fn short(&self, at: usize) -> usize {
        u32::from_le_bytes(self.get(at)) as usize
    }

    /// The bytes, with their checksum.
    pub(crate) fn encode(mut self) -> [u8; BYTES] {
        let checksum = self.begin_checksum().finalize();
        self.put(at::CHECKSUM, &checksum.to_le_bytes());
        self.bytes
    }

    /// A checksum that already covers the header, to continue over what follows. So words do not
    /// match the header of another filter, as after a truncated write over an older file of the
    /// same size. It excludes the header's own checksum, because a CRC over data and their CRC is
    /// the same whatever the data.
    pub(crate) fn begin_checksum(&self) -> crc32fast::Hasher {
        let mut checksum = crc32fast::Hasher::new();
        checksum.update(&self.bytes[..at::CHECKSUM]);
        checksum
    }

    /// The same header, in front of memory that processes share.
    #[cfg(feature = "shared")]
    pub(crate) fn of_shared(mut self) -> Self {
        self.put(0, &SHARED_MAGIC);
        self
    }

    /// [`decode`](Self::decode) of memory that processes share.
    #[cfg(feature = "shared")]
    pub(crate) fn decode_shared(found: &[u8]) -> Result<Self, ReadError> {
        Self::decode_as(&SHARED_MAGIC, found)
    }

    /// Reads a header.
    pub(crate) fn read(source: &mut dyn Source) -> Result<Self, ReadError> {
        let mut bytes = [0; BYTES];
        let found = source.take(&mut bytes)?;
        Self::decode(&bytes[..found])
    }

    /// Decodes `found`, the first 64 bytes of the input, or all if there are fewer.
    ///
    /// Checks the general fields first, so that the error names the cause and not a consequence.
    pub(crate) fn decode(found: &[u8]) -> Result<Self, ReadError> {
        Self::decode_as(&MAGIC, found)
    }

    fn decode_as(magic: &[u8; 8], found: &[u8]) -> Result<Self, ReadError> {
        if !magic.starts_with(&found[..found.len().min(magic.len())]) {
            return Err(ReadError::NotAFilter);
        }
        // Check the version before the length and the checksum: a later version may have others.
        if let Some(&[low, high]) = found.get(at::VERSION..at::LENGTH) {
            let version = u16::from_le_bytes([low, high]);
            if version > VERSION {
                return Err(ReadError::NewerVersion {
                    found: version,
                    supported: VERSION,
                });
            }
        }
        let bytes = found.try_into().map_err(|_| ReadError::Truncated {
            expected: Self::BYTES as u64,
            found: found.len() as u64,
        })?;
        let header = Self { bytes };
        if u32::from_le_bytes(header.get(at::CHECKSUM)) != header.begin_checksum().finalize() {
            return Err(ReadError::Checksum);
        }
        demand(
            u16::from_le_bytes(header.get(at::VERSION)) == VERSION,
            "its version does not exist",
        )?;
        demand(
            usize::from(u16::from_le_bytes(header.get(at::LENGTH))) == Self::BYTES,
            "its header is not 64 bytes long",
        )?;
        Ok(header)
    }

    /// The kind of the filter.
    pub(crate) fn kind(&self) -> Result<Kind, ReadError> {
        let [found] = self.get(at::KIND);
        let mut kinds = [Kind::Fixed, Kind::Growing, Kind::Rotating].into_iter();
        let kind = kinds.find(|&kind| kind_byte(kind) == found);
        kind.ok_or(malformed("its kind of filter is unknown"))
    }

    /// The layout.
    pub(crate) fn shape(&self) -> Result<Shape, ReadError> {
        let [bits, slots] = self.get(at::SHAPE);
        let (slots, values) = (slots & ((1 << SLOTS_BITS) - 1), slots >> SLOTS_BITS);
        Shape::with(slots, bits, values).ok_or(malformed("its layout is unknown"))
    }

    /// The numbers, if the search budget is in range.
    pub(crate) fn numbers(&self) -> Result<HeaderFields, ReadError> {
        let search_budget = self.short(at::SEARCH_BUDGET);
        demand(
            (MIN_BUDGET..=LONG_BUDGET).contains(&search_budget),
            "its search budget is out of range",
        )?;
        demand(
            self.short(at::UNUSED) == 0,
            "an unused byte of the header is not 0",
        )?;
        Ok(HeaderFields {
            own: at::OWN.map(|at| self.number(at)),
            search_budget,
            tables: self.short(at::TABLES),
        })
    }

    /// Checks for a filter of this kind and layout.
    pub(crate) fn check(&self, kind: Kind, layout: Shape) -> Result<(), ReadError> {
        let found = self.kind()?;
        if found != kind {
            return Err(ReadError::OtherKind { kind: found });
        }
        let shape = self.shape()?;
        if shape != layout {
            return Err(ReadError::OtherLayout { shape });
        }
        Ok(())
    }

    /// What is known of the hasher.
    pub(crate) fn identity(&self) -> Result<Identity, ReadError> {
        let [hasher] = self.get(at::HASHER);
        let seed = match (hasher, self.number(at::SEED)) {
            (DEFAULT_HASHER, seed) => Some(seed),
            (CUSTOM_HASHER, 0) => None,
            _ => {
                return Err(malformed(
                    "its kind of hasher is unknown, or it is a custom hasher with a seed",
                ));
            }
        };
        Ok(Identity {
            seed,
            check: self.number(at::CHECK),
        })
    }
}

/// The stored identity of a hasher: enough to rebuild the default hasher, and to recognize any
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The seed of the default hasher; `None` for a custom one.
    pub(crate) seed: Option<u64>,
    /// The hash of [`PROBE`] by this hasher.
    pub(crate) check: u64,
}

/// The bytes whose hash identifies a hasher. They are written at once, so that the hasher gets the
/// same input on every machine.
const PROBE: &[u8] = b"lockfree-cuckoo";

impl Identity {
    pub(crate) fn of<S: FilterHasher<Inner: 'static>>(hasher: &S) -> Self {
        let hasher = hasher.inner();
        let default = (hasher as &dyn Any).downcast_ref::<RandomState>();
        let mut probed = hasher.build_hasher();
        probed.write(PROBE);
        Self {
            seed: default.map(RandomState::seed),
            check: probed.finish(),
        }
    }

    /// Returns the given hasher, if it is this one.
    pub(crate) fn admit<S: FilterHasher<Inner: 'static>>(&self, hasher: S) -> Result<S, ReadError> {
        if Self::of(&hasher) == *self {
            Ok(hasher)
        } else {
            Err(ReadError::OtherHasher)
        }
    }

    /// Rebuilds the default hasher from its seed.
    pub(crate) fn rebuild(&self) -> Result<RandomState, ReadError> {
        let seed = self.seed.ok_or(ReadError::HasherNeeded)?;
        self.admit(RandomState::with_seed(seed))
    }

    /// If it is the default hasher, rebuilds it from its seed; else the default of its type, if
    /// that is this one.
    #[cfg(feature = "serde")]
    pub(crate) fn rebuild_or_default<S: FilterHasher<Inner: Default + 'static>>(
        &self,
    ) -> Result<S, ReadError> {
        let mut rebuilt: Option<S::Inner> = None;
        if let Some(rebuilt) = (&mut rebuilt as &mut dyn Any).downcast_mut::<Option<RandomState>>()
        {
            *rebuilt = Some(self.rebuild()?);
        }
        let hasher = match rebuilt {
            Some(hasher) => hasher,
            None => self.admit(S::Inner::default())?,
        };
        Ok(S::from_inner(hasher))
    }
}

pub(crate) fn malformed(reason: &'static str) -> ReadError {
    ReadError::Malformed { reason }
}

pub(crate) fn demand(condition: bool, reason: &'static str) -> Result<(), ReadError> {
    condition.then_some(()).ok_or(malformed(reason))
}
