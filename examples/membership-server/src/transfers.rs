//! Filters on their way out of the server and into it, a chunk at a time.
//!
//! A dump is `LFCDUMP1`, the length of all of it, what a snapshot's entry says of a filter, and the library's stored
//! form. The iterator that goes with a chunk is the number of the dump and where the chunk ends in it, so that any
//! connection can ask for the next one, and give it back.
//!
//! Both directions keep a whole filter in memory for a while. They count against the limit for filters, and are
//! forgotten after a minute in which nobody asks for more.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use lockfree_cuckoo::ReadError;

use crate::catalogue::{Catalogue, CreateError};
use crate::filter::{Filter, Kind, Settings, WriteError};

const MAGIC: &[u8; 8] = b"LFCDUMP1";

/// Magic, length, kind, expansion, maximal iterations, capacity, deleted items.
const HEADER: usize = 8 + 8 + 1 + 2 + 2 + 8 + 8;

/// Bytes of a chunk.
const CHUNK: usize = 1 << 20;

/// Bits of an iterator that say where a chunk ends.
const END_BITS: u32 = 40;

const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

#[derive(Debug, thiserror::Error)]
pub(crate) enum TransferError {
    #[error("Invalid position")]
    Iterator,
    #[error("{most} bytes are the most that filters and dumps can take together")]
    Memory { most: usize },
    #[error("Couldn't load chunk! {0}")]
    Chunk(&'static str),
    #[error("Couldn't load chunk! {0}")]
    Read(#[from] ReadError),
    #[error(transparent)]
    Create(#[from] CreateError),
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// What is under way. Behind a mutex, which no command of an item takes; it is held while a filter is copied, so that
/// there is one such copy at a time.
#[derive(Debug, Default)]
pub(crate) struct Transfers(Mutex<UnderWay>);

#[derive(Debug, Default)]
struct UnderWay {
    out: HashMap<u32, Outgoing>,
    into: HashMap<Box<[u8]>, Incoming>,
    last: u32,
}

#[derive(Debug)]
struct Outgoing {
    key: Box<[u8]>,
    bytes: Bytes,
    used: Instant,
}

#[derive(Debug)]
struct Incoming {
    bytes: Vec<u8>,
    used: Instant,
}

impl Transfers {
    /// The chunk behind an iterator, 0 for the first, and the iterator to go on with; nothing behind the last.
    pub(crate) fn next_chunk(
        &self,
        catalogue: &Catalogue,
        key: &[u8],
        filter: &Filter,
        iterator: i64,
    ) -> Result<Option<(i64, Bytes)>, TransferError> {
        let iterator = u64::try_from(iterator).map_err(|_| TransferError::Iterator)?;
        let (number, start) = if iterator == 0 {
            (self.begin(catalogue, key, filter)?, 0)
        } else {
            let number = u32::try_from(iterator >> END_BITS).ok();
            let start = usize::try_from(iterator & ((1 << END_BITS) - 1)).ok();
            number.zip(start).ok_or(TransferError::Iterator)?
        };
        let mut under_way = self.under_way();
        let outgoing = under_way.out.get_mut(&number);
        let outgoing = outgoing
            .filter(|outgoing| *outgoing.key == *key && start <= outgoing.bytes.len())
            .ok_or(TransferError::Iterator)?;
        if start == outgoing.bytes.len() {
            under_way.out.remove(&number);
            return Ok(None);
        }
        outgoing.used = Instant::now();
        let end = outgoing.bytes.len().min(start + CHUNK);
        let iterator = i64::from(number) << END_BITS | end as i64;
        Ok(Some((iterator, outgoing.bytes.slice(start..end))))
    }

    fn begin(
        &self,
        catalogue: &Catalogue,
        key: &[u8],
        filter: &Filter,
    ) -> Result<u32, TransferError> {
        let mut under_way = self.under_way();
        under_way.forget_old();
        under_way.check_room(catalogue, filter.memory_usage())?;
        let bytes = dump(filter)?;
        // Few enough to be positive in an iterator.
        under_way.last = under_way.last % 0x3f_ffff + 1;
        let number = under_way.last;
        let outgoing = Outgoing {
            key: key.into(),
            bytes: bytes.into(),
            used: Instant::now(),
        };
        under_way.out.insert(number, outgoing);
        Ok(number)
    }

    /// Takes the next chunk. Behind the last one, the filter is there.
    pub(crate) fn take_chunk(
        &self,
        catalogue: &Catalogue,
        key: &[u8],
        iterator: i64,
        chunk: &[u8],
    ) -> Result<(), TransferError> {
        let iterator = u64::try_from(iterator).map_err(|_| TransferError::Iterator)?;
        let end = usize::try_from(iterator & ((1 << END_BITS) - 1));
        let end = end.map_err(|_| TransferError::Iterator)?;
        let start = end
            .checked_sub(chunk.len())
            .ok_or(TransferError::Iterator)?;
        if catalogue.get(key).is_some() {
            return Err(CreateError::Exists.into());
        }
        let mut under_way = self.under_way();
        under_way.forget_old();
        under_way.check_room(catalogue, chunk.len())?;
        if start == 0 {
            let total = total_of(chunk)?;
            if total > catalogue.max_memory() {
                let most = catalogue.max_memory();
                return Err(TransferError::Memory { most });
            }
            let incoming = Incoming {
                bytes: Vec::new(),
                used: Instant::now(),
            };
            under_way.into.insert(key.into(), incoming);
        }
        let incoming = under_way.into.get_mut(key);
        let incoming = incoming.ok_or(TransferError::Chunk("the first one is missing"))?;
        if incoming.bytes.len() != start {
            return Err(TransferError::Chunk("it is not the next one"));
        }
        incoming.bytes.extend_from_slice(chunk);
        incoming.used = Instant::now();
        let total = total_of(&incoming.bytes)?;
        if incoming.bytes.len() < total {
            return Ok(());
        }
        let whole = under_way.into.remove(key).map(|incoming| incoming.bytes);
        let filter = read(&whole.unwrap_or_default(), catalogue.max_growth())?;
        Ok(catalogue.adopt(key, filter)?)
    }

    /// Lets go of what nobody asks for any more.
    pub(crate) fn forget_old(&self) {
        self.under_way().forget_old();
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        // Nothing in it is ever half done.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    fn forget_old(&mut self) {
        let now = Instant::now();
        let is_young = |used: Instant| now.saturating_duration_since(used) < FORGOTTEN_AFTER;
        self.out.retain(|_, outgoing| is_young(outgoing.used));
        self.into.retain(|_, incoming| is_young(incoming.used));
    }

    fn check_room(&self, catalogue: &Catalogue, bytes: usize) -> Result<(), TransferError> {
        let out = self.out.values().map(|outgoing| outgoing.bytes.len());
        let into = self.into.values().map(|incoming| incoming.bytes.capacity());
        let taken = out.chain(into).sum::<usize>();
        if taken.saturating_add(bytes) > catalogue.memory_left() {
            let most = catalogue.max_memory();
            return Err(TransferError::Memory { most });
        }
        Ok(())
    }
}

fn dump(filter: &Filter) -> Result<Vec<u8>, WriteError> {
    let mut bytes = vec![0; HEADER];
    filter.write(&mut bytes)?;
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    let Settings {
        capacity,
        expansion,
        max_iterations,
    } = filter.settings;
    bytes[at::MAGIC].copy_from_slice(MAGIC);
    bytes[at::LENGTH].copy_from_slice(&length.to_le_bytes());
    bytes[at::KIND].copy_from_slice(&[filter.kind() as u8]);
    bytes[at::EXPANSION].copy_from_slice(&expansion.to_le_bytes());
    bytes[at::MAX_ITERATIONS].copy_from_slice(&max_iterations.to_le_bytes());
    bytes[at::CAPACITY].copy_from_slice(&(capacity as u64).to_le_bytes());
    bytes[at::DELETED].copy_from_slice(&filter.deletions.sum().to_le_bytes());
    Ok(bytes)
}

fn total_of(bytes: &[u8]) -> Result<usize, TransferError> {
    if bytes.len() < HEADER || &bytes[at::MAGIC] != MAGIC {
        return Err(TransferError::Chunk(
            "it does not begin like a dump of this server",
        ));
    }
    usize::try_from(number(bytes, at::LENGTH))
        .ok()
        .filter(|&total| total >= HEADER && bytes.len() <= total)
        .ok_or(TransferError::Chunk("its length is wrong"))
}

fn read(bytes: &[u8], most: usize) -> Result<Filter, TransferError> {
    let kind = match number(bytes, at::KIND) {
        1 => Kind::Fixed,
        2 => Kind::Growing,
        _ => return Err(TransferError::Chunk("it has an unknown kind of filter")),
    };
    let too_large = TransferError::Chunk("its capacity is too large");
    let settings = Settings {
        capacity: usize::try_from(number(bytes, at::CAPACITY)).map_err(|_| too_large)?,
        expansion: number(bytes, at::EXPANSION) as u16,
        max_iterations: number(bytes, at::MAX_ITERATIONS) as u16,
    };
    let deleted = number(bytes, at::DELETED);
    Ok(Filter::read(
        kind,
        settings,
        deleted,
        most,
        &bytes[HEADER..],
    )?)
}

/// Where the header has what.
mod at {
    use super::Range;

    pub(super) const MAGIC: Range<usize> = 0..8;
    pub(super) const LENGTH: Range<usize> = 8..16;
    pub(super) const KIND: Range<usize> = 16..17;
    pub(super) const EXPANSION: Range<usize> = 17..19;
    pub(super) const MAX_ITERATIONS: Range<usize> = 19..21;
    pub(super) const CAPACITY: Range<usize> = 21..29;
    pub(super) const DELETED: Range<usize> = 29..37;
}

/// A little-endian number of at most 8 bytes.
fn number(bytes: &[u8], at: Range<usize>) -> u64 {
    bytes[at]
        .iter()
        .rev()
        .fold(0, |number, &byte| number << 8 | u64::from(byte))
}
