//! Filters on their way out of the server and into it, a chunk at a time.
//!
//! A dump is `LFCDUMP1`, the length of all of it in 8 bytes, what [`entry`](crate::entry) says of a filter, and the
//! library's stored form. The iterator that goes with a chunk is the number of the dump and where the chunk ends in it, so that any
//! connection can ask for the next one, and give it back.
//!
//! Both directions keep a whole filter in memory for a while. They count against the limit for filters, and are
//! forgotten after a minute in which nobody asks for more.

use std::collections::HashMap;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use lockfree_cuckoo::ReadError;

use crate::catalogue::{Catalogue, CreateError, Loan};
use crate::entry::Entry;
use crate::filter::{Filter, WriteError};

const MAGIC: &[u8; 8] = b"LFCDUMP1";

/// Magic, length, entry.
const HEADER: usize = MAGIC.len() + 8 + Entry::BYTES;

/// Most bytes of a chunk.
const LARGEST: usize = 1 << 20;

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
#[derive(Debug)]
pub(crate) struct Transfers {
    under_way: Mutex<UnderWay>,
    /// Bytes of a chunk: it has to come back in a request.
    chunk: usize,
}

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
    _memory: Loan,
}

#[derive(Debug)]
struct Incoming {
    bytes: Vec<u8>,
    total: usize,
    used: Instant,
    _memory: Loan,
}

impl Transfers {
    pub(crate) fn new(max_request: usize) -> Self {
        Self {
            under_way: Mutex::default(),
            chunk: LARGEST.min(max_request / 2),
        }
    }

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
        let end = outgoing.bytes.len().min(start + self.chunk);
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
        // The dump is about as large as the filter, and a copy of it is made on the way.
        let memory = lend(catalogue, filter.memory_usage().saturating_add(HEADER))?;
        let copy = lend(catalogue, filter.memory_usage())?;
        let bytes = dump(filter)?;
        drop(copy);
        // Few enough to be positive in an iterator.
        under_way.last = under_way.last % 0x3f_ffff + 1;
        let number = under_way.last;
        let outgoing = Outgoing {
            key: key.into(),
            bytes: bytes.into(),
            used: Instant::now(),
            _memory: memory,
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
        if start == 0 {
            let total = total_of(chunk)?;
            let incoming = Incoming {
                bytes: Vec::new(),
                total,
                used: Instant::now(),
                _memory: lend(catalogue, total)?,
            };
            under_way.into.insert(key.into(), incoming);
        }
        let incoming = under_way.into.get_mut(key);
        let incoming = incoming.ok_or(TransferError::Chunk("the first one is missing"))?;
        if incoming.bytes.len() != start {
            return Err(TransferError::Chunk("it is not the next one"));
        }
        if end > incoming.total {
            return Err(TransferError::Chunk("it is longer than the dump"));
        }
        incoming.bytes.extend_from_slice(chunk);
        incoming.used = Instant::now();
        if end < incoming.total {
            return Ok(());
        }
        let Some(whole) = under_way.into.remove(key) else {
            return Ok(());
        };
        // It becomes a filter of about the same size.
        let copy = lend(catalogue, whole.total)?;
        let filter = read(&whole.bytes, catalogue)?;
        drop((whole, copy));
        Ok(catalogue.adopt(key, filter)?)
    }

    /// Lets go of what nobody asks for any more.
    pub(crate) fn forget_old(&self) {
        self.under_way().forget_old();
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        // Nothing in it is ever half done.
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl UnderWay {
    fn forget_old(&mut self) {
        let now = Instant::now();
        let is_young = |used: Instant| now.saturating_duration_since(used) < FORGOTTEN_AFTER;
        self.out.retain(|_, outgoing| is_young(outgoing.used));
        self.into.retain(|_, incoming| is_young(incoming.used));
    }
}

fn lend(catalogue: &Catalogue, bytes: usize) -> Result<Loan, TransferError> {
    let most = catalogue.max_memory();
    catalogue.lend(bytes).ok_or(TransferError::Memory { most })
}

fn dump(filter: &Filter) -> Result<Vec<u8>, WriteError> {
    let mut bytes = vec![0; HEADER];
    filter.write(&mut bytes)?;
    let length = u64::try_from(bytes.len()).map_err(io::Error::other)?;
    let (magic, rest) = bytes.split_at_mut(MAGIC.len());
    magic.copy_from_slice(MAGIC);
    rest[..8].copy_from_slice(&length.to_le_bytes());
    rest[8..][..Entry::BYTES].copy_from_slice(&Entry::of(filter).to_bytes());
    Ok(bytes)
}

/// The length of all of the dump that begins like this.
fn total_of(bytes: &[u8]) -> Result<usize, TransferError> {
    let length = bytes
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.first_chunk());
    let length = length.filter(|_| bytes.len() >= HEADER);
    let length = length.ok_or(TransferError::Chunk(
        "it does not begin like a dump of this server",
    ))?;
    usize::try_from(u64::from_le_bytes(*length))
        .ok()
        .filter(|&total| total >= HEADER && bytes.len() <= total)
        .ok_or(TransferError::Chunk("its length is wrong"))
}

fn read(bytes: &[u8], catalogue: &Catalogue) -> Result<Filter, TransferError> {
    let entry = bytes[MAGIC.len() + 8..].first_chunk();
    let entry = entry.and_then(Entry::from_bytes);
    let entry = entry.ok_or(TransferError::Chunk("no filter begins like this"))?;
    let stored = &mut &bytes[HEADER..];
    let filter = entry.read(&mut *stored, catalogue.max_growth(), catalogue.is_locked())?;
    if stored.is_empty() {
        Ok(filter)
    } else {
        Err(TransferError::Chunk("there is more behind its end"))
    }
}
