//! The stored form of a filter: bytes to engines and back.
//!
//! The form is documented for users in [`format`](crate::format). A header of 64 bytes becomes numbers that are all
//! in range, or an error, before anything is allocated. Reading trusts nothing that it has not checked.

mod chunks;
mod fixed;
mod frame;
#[cfg(feature = "std")]
mod growing;
mod rotating;
mod source;

pub use chunks::Chunks;
pub(crate) use frame::{Frame, Identity, Kind};
#[cfg(feature = "std")]
pub(crate) use source::Stream;
pub(crate) use source::{Slice, Source};

use alloc::vec::Vec;
use core::convert::Infallible;

use crate::allocate;
use crate::engine::Operations;
use crate::error::{OutOfMemory, ReadError};
use crate::layout::{LONG_BUDGET, Layout, MIN_BUDGET};
use crate::table::Geometry;

/// An engine that can be stored.
pub trait Stored: Operations {
    /// What the header says it is.
    const KIND: Kind;

    /// The bytes of the stored form.
    fn stored_bytes(&mut self) -> u64;

    /// Hands the stored form to `put`, a piece at a time, until it fails. Leaves no word frozen.
    fn put<E>(
        &mut self,
        identity: &Identity,
        put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E>;

    /// The stored form a chunk at a time, while others may look at the filter.
    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory>;

    /// Reads what follows the header. `hasher` makes the hasher that goes with what is stored of it, or finds that it
    /// cannot. `outside` are the bytes of the filter outside of the engine's heap.
    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        outside: usize,
    ) -> Result<(Self, S), ReadError>;
}

/// The stored form as bytes.
pub(crate) fn to_vec(
    engine: &mut impl Stored,
    identity: &Identity,
) -> Result<Vec<u8>, OutOfMemory> {
    let all = engine.stored_bytes();
    let mut bytes = Vec::new();
    allocate::grow(&mut bytes, usize::try_from(all).unwrap_or(usize::MAX))?;
    let Ok(()) = engine.put(identity, |piece| {
        bytes.extend_from_slice(piece);
        Ok::<(), Infallible>(())
    });
    Ok(bytes)
}

/// Bytes of a word, and of a checksum.
const WORD: usize = size_of::<u64>();
const CHECKSUM: usize = size_of::<u32>();

/// The geometry of a stored number of buckets.
fn geometry<L: Layout>(stored: u64) -> Result<Geometry<L>, ReadError> {
    let buckets = usize::try_from(stored)
        .ok()
        .filter(|&buckets| buckets <= Geometry::<L>::MAX_BUCKETS)
        .ok_or(ReadError::TooLarge { buckets: stored })?;
    Geometry::with_buckets(buckets).ok_or(malformed("its number of buckets is impossible"))
}

/// Checks only against the number of slots, not against what a builder would choose: the sizing may change.
fn at_most_slots<L: Layout>(
    stored: u64,
    geometry: Geometry<L>,
    reason: &'static str,
) -> Result<usize, ReadError> {
    let number = usize::try_from(stored).ok();
    number
        .filter(|&number| number <= geometry.slots())
        .ok_or(malformed(reason))
}

fn search_budget(stored: [u8; 4]) -> Result<usize, ReadError> {
    usize::try_from(u32::from_le_bytes(stored))
        .ok()
        .filter(|budget| (MIN_BUDGET..=LONG_BUDGET).contains(budget))
        .ok_or(malformed("its search budget is out of range"))
}

fn malformed(reason: &'static str) -> ReadError {
    ReadError::Malformed { reason }
}

fn demand(condition: bool, reason: &'static str) -> Result<(), ReadError> {
    condition.then_some(()).ok_or(malformed(reason))
}
