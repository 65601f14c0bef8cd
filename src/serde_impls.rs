//! `Serialize` and `Deserialize`: filters as the bytes of their stored forms.

use alloc::vec::Vec;
use core::fmt;
use core::hash::BuildHasher;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};

use crate::allocate;
use crate::filter::CuckooFilter;
#[cfg(feature = "std")]
use crate::growing::{self, GrowingCuckooFilter};
use crate::scan::NoSnapshot;
use crate::snapshot::SnapshotError;
use crate::stored::{self, Identity, ReadError, Slice, Storable};
use crate::typed::TypedCuckooFilter;

/// As the bytes of the [stored form](crate::format) of a [`snapshot`](CuckooFilter::snapshot), so the filter may
/// be in use. Fails as that does. Takes memory for two copies of the table meanwhile.
impl<S: BuildHasher + 'static> Serialize for CuckooFilter<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let copy = || {
            let (tokens, items) = self.tokens.snapshot()?;
            let bytes = Storable::new(&tokens, items, self.capacity, &self.hasher).to_vec()?;
            Ok::<_, NoSnapshot>(bytes)
        };
        let bytes = copy().map_err(|error| T::Error::custom(SnapshotError::from(error)))?;
        serializer.serialize_bytes(&bytes)
    }
}

/// From the bytes of the [stored form](crate::format), checked as by
/// [`from_bytes`](CuckooFilter::from_bytes). The default hasher gets the seed that was stored; of any other,
/// `S::default()` has to be the one that the filter was stored with. (Without the feature `std` the default
/// hasher is no `Default`: take the bytes, and call `from_bytes`.)
impl<'de, S: BuildHasher + Default + 'static> Deserialize<'de> for CuckooFilter<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(StoredForm(PhantomData))
    }
}

/// As the bytes of the [stored form](crate::format#filters-that-grow) of a
/// [`snapshot`](GrowingCuckooFilter::snapshot), so the filter may be in use. Fails as that does. Takes memory for
/// two copies of the tables meanwhile.
#[cfg(feature = "std")]
impl<S: BuildHasher + 'static> Serialize for GrowingCuckooFilter<S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let bytes = self
            .to_bytes_in_use()
            .map_err(|error| T::Error::custom(SnapshotError::from(error)))?;
        serializer.serialize_bytes(&bytes)
    }
}

/// From the bytes of the [stored form](crate::format#filters-that-grow), checked as by
/// [`from_bytes`](GrowingCuckooFilter::from_bytes). The default hasher gets the seed that was stored; of any other,
/// `S::default()` has to be the one that the filter was stored with.
#[cfg(feature = "std")]
impl<'de, S: BuildHasher + Default + 'static> Deserialize<'de> for GrowingCuckooFilter<S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(StoredForm(PhantomData))
    }
}

/// As the filter for items of all types: the type of the items is not stored.
impl<T: ?Sized, S: BuildHasher + 'static> Serialize for TypedCuckooFilter<T, S> {
    fn serialize<R: Serializer>(&self, serializer: R) -> Result<R::Ok, R::Error> {
        self.as_untyped().serialize(serializer)
    }
}

/// As the filter for items of all types. Of what type its items are, only the caller can know.
impl<'de, T: ?Sized, S: BuildHasher + Default + 'static> Deserialize<'de>
    for TypedCuckooFilter<T, S>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        CuckooFilter::deserialize(deserializer).map(Self::from_untyped)
    }
}

/// The bytes of a filter `F`.
struct StoredForm<F>(PhantomData<F>);

/// What can be made of its stored form.
trait FromStored: Sized {
    fn from_stored(bytes: &[u8]) -> Result<Self, ReadError>;
}

impl<S: BuildHasher + Default + 'static> FromStored for CuckooFilter<S> {
    fn from_stored(bytes: &[u8]) -> Result<Self, ReadError> {
        stored::read(&mut Slice::new(bytes), Identity::rebuild_or_default)
    }
}

#[cfg(feature = "std")]
impl<S: BuildHasher + Default + 'static> FromStored for GrowingCuckooFilter<S> {
    fn from_stored(bytes: &[u8]) -> Result<Self, ReadError> {
        growing::read(&mut Slice::new(bytes), Identity::rebuild_or_default)
    }
}

impl<'de, F: FromStored> Visitor<'de> for StoredForm<F> {
    type Value = F;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the bytes of a stored cuckoo filter")
    }

    fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        F::from_stored(bytes).map_err(E::custom)
    }

    /// For formats without a type for bytes, such as JSON.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            if bytes.len() == bytes.capacity() {
                // As much as has come, whatever the sequence says of its length.
                grow(&mut bytes).map_err(A::Error::custom)?;
            }
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

fn grow(bytes: &mut Vec<u8>) -> Result<(), ReadError> {
    const LEAST: usize = 4096;
    Ok(allocate::grow(bytes, bytes.len().max(LEAST))?)
}
