//! Transfers: dump and load filters, a chunk at a time.
//!
//! An iterator has the number of the dump and the end of the chunk in it, so that any connection
//! can ask for the next one, and give it back.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::error::Error;
use crate::filter::{Filter, Identity};
use crate::stored::{HEADER, Loading};

/// The most bytes of a chunk.
const LARGEST: usize = 1 << 20;

/// The bits of an iterator that say where a chunk ends.
const END_BITS: u32 = 40;

/// The largest number of a dump; the first is 1. An iterator with more than this is still positive.
const LAST_NUMBER: u32 = 0x3f_ffff;

const FORGOTTEN_AFTER: Duration = Duration::from_secs(60);

/// The dumps in progress.
///
/// Both directions keep a whole filter in memory, until its last chunk or until no client has asked
/// for a minute. So they borrow that memory: `lend` is asked for a number of bytes, and dropping
/// its result `L` frees them. An error of `lend` ends the command. A client has one dump of a
/// filter at a time, and it goes with the filter.
///
/// No operation on a filter waits for transfers. They wait for each other while a filter is copied,
/// so that there is one such copy at a time.
#[derive(Debug)]
pub struct Transfers<L> {
    under_way: Mutex<UnderWay<L>>,
    /// The bytes of a chunk: it has to come back in a request.
    chunk: usize,
    at_rest: bool,
}

#[derive(Debug)]
struct UnderWay<L> {
    out: HashMap<u32, Outgoing<L>>,
    into: HashMap<Box<[u8]>, Incoming<L>>,
    last: u32,
}

#[derive(Debug)]
struct Outgoing<L> {
    filter: Identity,
    client: u64,
    bytes: Vec<u8>,
    used: Instant,
    _memory: L,
}

#[derive(Debug)]
struct Incoming<L> {
    loading: Loading,
    used: Instant,
    _memory: L,
}

impl<L> Transfers<L> {
    /// Makes transfers whose chunks fit into requests of `max_request` bytes.
    pub fn new(max_request: usize) -> Self {
        Self {
            under_way: Mutex::new(UnderWay {
                out: HashMap::new(),
                into: HashMap::new(),
                last: 0,
            }),
            chunk: LARGEST.min(max_request / 2),
            at_rest: false,
        }
    }

    /// Dumps without a copy. The caller makes sure that no thread writes to a filter during one of
    /// these calls.
    #[must_use]
    pub fn at_rest(self) -> Self {
        Self {
            at_rest: true,
            ..self
        }
    }

    /// Returns the chunk behind an iterator, 0 for the first, and the iterator to go on with.
    /// Returns nothing behind the last chunk, for a filter without items, and for an iterator that
    /// is larger than any, as RedisBloom does.
    ///
    /// A first chunk ends the dump of this filter that the same client has begun before. Any client
    /// may take the others.
    ///
    /// # Errors
    ///
    /// If the iterator was never given out for this filter, or its dump is forgotten: a part must
    /// not pass for the whole. If the dump cannot be made.
    pub fn next_chunk(
        &self,
        filter: &Filter,
        client: u64,
        iterator: i64,
        lend: impl Fn(usize) -> Result<L, Error>,
    ) -> Result<Option<(i64, Vec<u8>)>, Error> {
        let (number, start) = match iterator {
            0 if filter.items() == 0 => return Ok(None),
            0 => (self.begin(filter, client, lend)?, 0),
            _ => {
                let number = u32::try_from(iterator >> END_BITS).ok();
                number.zip(end_of(iterator)).ok_or(Error::Position)?
            }
        };
        // No iterator has these numbers, so this cuts no dump short.
        let is_behind = number > LAST_NUMBER || number == 0 && start > filter.memory_usage();
        if is_behind {
            return Ok(None);
        }
        let mut under_way = self.under_way();
        let outgoing = under_way.out.get_mut(&number);
        let outgoing = outgoing
            .filter(|outgoing| outgoing.filter == filter.identity())
            .ok_or(Error::Position)?;
        if start >= outgoing.bytes.len() {
            under_way.out.remove(&number);
            return Ok(None);
        }
        outgoing.used = Instant::now();
        let end = outgoing.bytes.len().min(start + self.chunk);
        let iterator = i64::from(number) << END_BITS | end as i64;
        Ok(Some((iterator, outgoing.bytes[start..end].to_vec())))
    }

    fn begin(
        &self,
        filter: &Filter,
        client: u64,
        lend: impl Fn(usize) -> Result<L, Error>,
    ) -> Result<u32, Error> {
        let mut under_way = self.under_way();
        under_way.forget_old();
        let identity = filter.identity();
        let is_other = |dump: &Outgoing<L>| dump.client != client || dump.filter != identity;
        under_way.out.retain(|_, dump| is_other(dump));
        let (memory, bytes) = if self.at_rest {
            let dump = filter.dump();
            (lend(dump.bytes())?, dump.whole()?)
        } else {
            // The dump is about as large as the filter, and a copy of it is made on the way.
            let memory = lend(filter.memory_usage().saturating_add(HEADER))?;
            let _copy = lend(filter.memory_usage())?;
            (memory, filter.copy()?.dump().whole()?)
        };
        under_way.last = under_way.last % LAST_NUMBER + 1;
        let number = under_way.last;
        let outgoing = Outgoing {
            filter: identity,
            client,
            bytes,
            used: Instant::now(),
            _memory: memory,
        };
        under_way.out.insert(number, outgoing);
        Ok(number)
    }

    /// Takes the next chunk, which ends at `end` in its dump, for a key that has no filter. With
    /// the last one it returns the filter. If it grows, it may grow to `most` bytes.
    ///
    /// # Errors
    ///
    /// If the chunk is not the next one, or not part of a dump.
    pub fn take_chunk(
        &self,
        key: &[u8],
        end: usize,
        chunk: &[u8],
        most: usize,
        lend: impl Fn(usize) -> Result<L, Error>,
    ) -> Result<Option<Filter>, Error> {
        let mut under_way = self.under_way();
        under_way.forget_old();
        let begins = end == chunk.len();
        if begins {
            let mut loading = Loading::begin(chunk)?;
            // The client begins anew.
            under_way.into.remove(key);
            let memory = lend(loading.total())?;
            // The filter will be about as large as the dump: if there is no room for it, refuse at
            // the first chunk.
            drop(lend(loading.total())?);
            loading.reserve()?;
            let incoming = Incoming {
                _memory: memory,
                loading,
                used: Instant::now(),
            };
            under_way.into.insert(key.into(), incoming);
        }
        let incoming = under_way.into.get_mut(key);
        let incoming = incoming.ok_or(Error::Chunk("the first chunk is missing"))?;
        incoming.used = Instant::now();
        let loading = &mut incoming.loading;
        // Ask for the memory of the filter, as at the first chunk.
        let is_last = end == loading.total();
        let _copy = is_last.then(|| lend(loading.total())).transpose()?;
        let filter = if begins {
            loading.filter(most)?
        } else {
            loading.take(end, chunk, most)?
        };
        if filter.is_some() {
            under_way.into.remove(key);
        }
        Ok(filter)
    }

    /// Frees the dumps that no client has asked for in a minute, and those of filters that are
    /// gone.
    pub fn forget_old(&self) {
        self.under_way().forget_old();
    }

    fn under_way(&self) -> MutexGuard<'_, UnderWay<L>> {
        // Ignore poison: nothing in it is ever half done.
        self.under_way
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl<L> UnderWay<L> {
    fn forget_old(&mut self) {
        let now = Instant::now();
        let is_young = |used: Instant| now.saturating_duration_since(used) < FORGOTTEN_AFTER;
        self.out
            .retain(|_, outgoing| is_young(outgoing.used) && !outgoing.filter.is_gone());
        self.into.retain(|_, incoming| is_young(incoming.used));
    }
}

/// Returns where the chunk of an iterator ends in its dump. `None` if the iterator was never given
/// out.
pub(crate) fn end_of(iterator: i64) -> Option<usize> {
    let iterator = u64::try_from(iterator).ok()?;
    usize::try_from(iterator & ((1 << END_BITS) - 1)).ok()
}
