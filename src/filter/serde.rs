//! `Serialize` and `Deserialize`: filters as the bytes of their stored forms.

use alloc::vec::Vec;
use core::fmt;
use core::hash::BuildHasher;
use core::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};
use serde::ser::{Error as _, Serialize, Serializer};

use super::{Engine, Filter};
use crate::allocate;
use crate::error::ReadError;
use crate::stored::{Identity, Slice};

/// As [`snapshot_to_bytes`](Filter::snapshot_to_bytes), so the filter may be in use. Fails as that does.
impl<E: Engine, S: BuildHasher + 'static> Serialize for Filter<E, S> {
    fn serialize<T: Serializer>(&self, serializer: T) -> Result<T::Ok, T::Error> {
        let bytes = self.snapshot_to_bytes().map_err(T::Error::custom)?;
        serializer.serialize_bytes(&bytes)
    }
}

/// From the bytes of the [stored form](crate::format), checked as by [`from_bytes`](Filter::from_bytes). The
/// default hasher gets the seed that was stored; of any other, `S::default()` has to be the one that the filter was
/// stored with. (Without the feature `std` the default hasher does not implement `Default`: read the bytes, and
/// call `from_bytes`.)
impl<'de, E: Engine, S: BuildHasher + Default + 'static> Deserialize<'de> for Filter<E, S> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(StoredForm(PhantomData))
    }
}

/// The bytes of a filter `F`.
struct StoredForm<F>(PhantomData<F>);

impl<'de, E: Engine, S: BuildHasher + Default + 'static> Visitor<'de> for StoredForm<Filter<E, S>> {
    type Value = Filter<E, S>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("the bytes of a stored cuckoo filter")
    }

    fn visit_bytes<R: serde::de::Error>(self, bytes: &[u8]) -> Result<Self::Value, R> {
        Filter::read_with(&mut Slice::new(bytes), Identity::rebuild_or_default).map_err(R::custom)
    }

    /// For formats without a type for bytes, such as JSON.
    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        let mut bytes = Vec::new();
        while let Some(byte) = sequence.next_element()? {
            if bytes.len() == bytes.capacity() {
                // Allocates for the bytes that were read, whatever length the sequence claims.
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
