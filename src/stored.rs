//! The stored form of a filter: bytes to engines and back.
//!
//! [`format`](crate::format) documents the form for users: a header, a list of tables, their words, and checksums.
//! Before memory for the words is allocated, all numbers in header and list are checked to be in range. Reading trusts
//! nothing unchecked.

mod chunks;
mod frame;
#[cfg(feature = "std")]
mod growing;
mod sized;
mod source;

pub use chunks::Chunks;
pub(crate) use chunks::Listing;
pub(crate) use frame::{Frame, Identity};
#[cfg(feature = "std")]
pub(crate) use source::Stream;
pub(crate) use source::{Slice, Source};

use alloc::vec::Vec;
use core::ops::RangeInclusive;

use crate::allocate;
use crate::engine::{Build, Operations};
use crate::error::{ReadError, SnapshotError};
use crate::layout::Layout;
use crate::table::Geometry;
use frame::Numbers;
use source::{Input, Words};

/// An engine that can be stored.
pub trait Stored: Operations {
    /// What to store.
    fn listing(&self) -> Listing<'_>;
}

/// An engine that can be restored from its stored form.
pub trait Restored: Stored + Build {
    /// The possible numbers of tables.
    const TABLES: RangeInclusive<usize>;

    /// A valid entry of the list.
    type Table: Copy;

    /// Checks the numbers that only this kind has.
    fn check(numbers: &Numbers) -> Result<(), ReadError>;
    /// Checks an entry of the list against the table `before` it.
    fn table(
        numbers: &Numbers,
        entry: Entry,
        before: Option<Self::Table>,
    ) -> Result<Self::Table, ReadError>;
    /// The words of a table.
    fn geometry(table: Self::Table) -> Geometry<Self::Layout>;
    /// The engine with these tables, if the words are valid in them. `outside` is the number of bytes of the filter
    /// outside of the engine's heap.
    fn assemble(
        numbers: &Numbers,
        tables: Vec<(Self::Table, Words<Self::Layout>)>,
        outside: usize,
    ) -> Result<Self, ReadError>;
}

/// A table's entry in the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// Its number of buckets, or an encoding of it.
    shape: u64,
    /// The occupied slots.
    items: u64,
}

/// Bytes of a word, of a checksum, and of an entry.
const WORD: usize = size_of::<u64>();
const CHECKSUM: usize = size_of::<u32>();
const ENTRY: usize = 2 * WORD;

/// Number of bytes stored between two checks for changes of the engine.
const PIECE: usize = 1 << 14;

/// The maximum number of tables in a filter.
const MOST_TABLES: usize = 15;

/// The stored form as bytes. Fails if the engine changes meanwhile, or if there is no memory for the bytes.
pub(crate) fn to_vec(
    engine: &(impl Stored + ?Sized),
    identity: &Identity,
) -> Result<Vec<u8>, SnapshotError> {
    let mut chunks = Chunks::of(engine, identity);
    let all = usize::try_from(chunks.bytes()).unwrap_or(usize::MAX);
    let mut bytes = Vec::new();
    allocate::grow(&mut bytes, all)?;
    bytes.resize(all, 0);
    // In pieces: an early change ends it early.
    for piece in bytes.chunks_mut(PIECE) {
        chunks.next_chunk(piece)?;
    }
    Ok(bytes)
}

/// Reads what follows the header of a filter of this kind and layout.
pub(crate) fn read<E: Restored>(
    frame: &Frame,
    source: &mut dyn Source,
    outside: usize,
) -> Result<E, ReadError> {
    let numbers = frame.numbers()?;
    demand(
        E::TABLES.contains(&numbers.tables),
        "its number of tables is out of range",
    )?;
    E::check(&numbers)?;

    let mut input = Input::behind(frame, source);
    let list = Frame::BYTES + numbers.tables * ENTRY + CHECKSUM;
    input.expect_at_least(list as u64);
    let mut entries = [Entry::default(); MOST_TABLES];
    let entries = &mut entries[..numbers.tables];
    for entry in &mut *entries {
        *entry = input.entry()?;
    }
    input.checksum()?;
    let mut listed: Vec<E::Table> = Vec::new();
    allocate::grow(&mut listed, numbers.tables)?;
    for entry in entries {
        listed.push(E::table(&numbers, *entry, listed.last().copied())?);
    }
    let words = |&table: &E::Table| E::geometry(table).buckets() as u64;
    let words: u64 = listed.iter().map(words).sum();
    input.expect((list + CHECKSUM) as u64 + words * WORD as u64)?;
    let mut tables = Vec::new();
    allocate::grow(&mut tables, numbers.tables)?;
    for table in listed {
        tables.push((table, input.words(E::geometry(table))?));
    }
    input.checksum()?;
    E::assemble(&numbers, tables, outside)
}

/// The geometry of a stored number of buckets.
fn geometry<L: Layout>(stored: u64) -> Result<Geometry<L>, ReadError> {
    let buckets = usize::try_from(stored)
        .ok()
        .filter(|&buckets| buckets <= Geometry::<L>::MAX_BUCKETS)
        .ok_or(ReadError::TooLarge { buckets: stored })?;
    Geometry::with_buckets(buckets).ok_or(malformed("its number of buckets is impossible"))
}

/// Checks only against the number of slots, not against the builder's choice: the sizing may change.
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

fn malformed(reason: &'static str) -> ReadError {
    ReadError::Malformed { reason }
}

fn demand(condition: bool, reason: &'static str) -> Result<(), ReadError> {
    condition.then_some(()).ok_or(malformed(reason))
}
