//! The stored form of a filter that grows: its header and its list of segments, as values.
//!
//! The form is documented for users in [`format`](crate::format#filters-that-grow-by-segments).

mod reading;
mod writing;

use super::chunks::Chunks;
use super::frame::{Frame, Kind};
use super::source::Source;
use super::{CHECKSUM, Identity, Stored, WORD, demand, malformed};
use crate::engine::Growing;
use crate::engine::growing::{LARGEST_FACTOR, Limits, rate_of_full};
use crate::error::{OutOfMemory, ReadError};
use crate::layout::Layout;
use crate::table::Geometry;

/// The header of the stored form.
#[derive(Clone, Copy, Debug)]
struct Header<L> {
    identity: Identity,
    start: Geometry<L>,
    limits: Limits,
    memory: usize,
    segments: usize,
    target: usize,
}

/// The list entry of one segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry<L> {
    geometry: Geometry<L>,
    items: usize,
    search_budget: usize,
}

/// Where the fields begin that other headers do not have.
mod at {
    pub(super) const START: usize = 32;
    pub(super) const RATE: usize = 40;
    pub(super) const MEMORY: usize = 48;
    pub(super) const SEGMENTS: usize = 56;
    pub(super) const TARGET: usize = 57;
    pub(super) const LOG_FACTOR: usize = 58;
    pub(super) const UNUSED: usize = 59;
}

/// The stored value for "no limit", on machines of any word size.
const NO_LIMIT: u64 = u64::MAX;

impl<L: Layout> Header<L> {
    fn frame(&self) -> Frame {
        let memory = match self.memory {
            usize::MAX => NO_LIMIT,
            bytes => bytes as u64,
        };
        let rate = self.limits.false_positive_rate.to_bits();
        let byte = |number: usize| [u8::try_from(number).expect("a chain is no longer")];
        let mut frame = Frame::new::<L>(Kind::Growing, &self.identity);
        frame.put(at::START, &(self.start.buckets() as u64).to_le_bytes());
        frame.put(at::RATE, &rate.to_le_bytes());
        frame.put(at::MEMORY, &memory.to_le_bytes());
        frame.put(at::SEGMENTS, &byte(self.segments));
        frame.put(at::TARGET, &byte(self.target));
        frame.put(at::LOG_FACTOR, &[self.limits.factor.ilog2() as u8]);
        frame
    }

    /// The header with these fields, if they can be true.
    fn of_fields(frame: &Frame, identity: Identity) -> Result<Self, ReadError> {
        let [segments, target, log_factor, unused] =
            [at::SEGMENTS, at::TARGET, at::LOG_FACTOR, at::UNUSED].map(|at| frame.get::<1>(at)[0]);
        demand(segments > 0, "it has no segments")?;
        demand(
            target < segments,
            "the index of the segment that takes inserts is out of range",
        )?;
        let factor = 1usize
            .checked_shl(log_factor.into())
            .filter(|factor| (2..=LARGEST_FACTOR).contains(factor))
            .ok_or(malformed("its growth factor is out of range"))?;
        demand(unused == 0, "the unused byte at offset 59 is not 0")?;
        let rate = f64::from_bits(frame.number(at::RATE));
        // Also false for NaN.
        demand(
            rate >= rate_of_full::<L>(1),
            "its limit on the rate of false positives is out of range",
        )?;
        Ok(Self {
            identity,
            start: super::geometry(frame.number(at::START))?,
            limits: Limits {
                factor,
                false_positive_rate: rate,
            },
            // More than there can be is no limit.
            memory: usize::try_from(frame.number(at::MEMORY)).unwrap_or(usize::MAX),
            segments: segments.into(),
            target: target.into(),
        })
    }
}

/// The bytes of the header and of the list of this many segments.
fn list_bytes(segments: usize) -> u64 {
    (Frame::BYTES + segments * ENTRY_BYTES) as u64
}

/// The bytes of the whole stored form, with this many segments of these geometries.
fn stored_bytes<L: Layout>(segments: usize, geometries: impl Iterator<Item = Geometry<L>>) -> u64 {
    let words: u64 = geometries.map(|geometry| geometry.buckets() as u64).sum();
    list_bytes(segments) + words * WORD as u64 + CHECKSUM as u64
}

const ENTRY_BYTES: usize = 24;

/// Those of an entry but for its checksum.
const COVERED: usize = ENTRY_BYTES - CHECKSUM;

impl<L: Layout> Entry<L> {
    fn encode(&self) -> [u8; COVERED] {
        let mut bytes = [0; COVERED];
        bytes[..8].copy_from_slice(&(self.geometry.buckets() as u64).to_le_bytes());
        bytes[8..16].copy_from_slice(&(self.items as u64).to_le_bytes());
        bytes[16..].copy_from_slice(&(self.search_budget as u32).to_le_bytes());
        bytes
    }

    /// Decodes an entry, and checks that it is possible after a segment of the shape `finer`.
    fn decode(bytes: &[u8; COVERED], finer: Option<Geometry<L>>) -> Result<Self, ReadError> {
        fn field<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
            core::array::from_fn(|index| bytes[at + index])
        }
        let geometry = super::geometry(u64::from_le_bytes(field(bytes, 0)))?;
        let refined = finer.is_none_or(|finer| {
            finer.ranges() == geometry.ranges() && finer.buckets() >= geometry.buckets()
        });
        demand(refined, "a segment does not refine the next segment")?;
        Ok(Self {
            geometry,
            items: super::at_most_slots(
                u64::from_le_bytes(field(bytes, 8)),
                geometry,
                "a segment has more items than slots",
            )?,
            search_budget: super::search_budget(field(bytes, 16))?,
        })
    }
}

impl<L: Layout> Stored for Growing<L> {
    const KIND: Kind = Kind::Growing;

    fn stored_bytes(&mut self) -> u64 {
        writing::stored_bytes(self)
    }

    fn put<E>(
        &mut self,
        identity: &Identity,
        put: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        writing::put(self, identity, put)
    }

    fn chunks(&self, identity: &Identity) -> Result<Chunks<'_>, OutOfMemory> {
        writing::chunks(self, identity)
    }

    fn read<S>(
        frame: &Frame,
        source: &mut impl Source,
        hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
        outside: usize,
    ) -> Result<(Self, S), ReadError> {
        reading::read(frame, source, hasher, outside)
    }
}

#[cfg(test)]
mod tests;
