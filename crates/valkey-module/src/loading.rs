//! Chunks of a filter that is not whole yet.

use cf::{Error, Filter, Loading};

use crate::config::MAX_FILTER_BYTES;
use crate::limits;
use crate::stored::NO_LIMIT;

/// Begins with the first chunk of a dump. If that is all of it, there is the filter too. `held` are the bytes that are
/// free when it has begun.
///
/// # Errors
///
/// If it is no such chunk, or all of the dump takes more memory than is allowed.
pub(crate) fn begin(
    end: usize,
    chunk: &[u8],
    held: usize,
) -> Result<(Loading, Option<Filter>), Error> {
    if end != chunk.len() {
        return Err(Error::Chunk("the first chunk is missing"));
    }
    let mut loading = Loading::begin(chunk)?;
    check_memory(&loading, held)?;
    loading.reserve()?;
    let filter = filter(&loading)?;
    Ok((loading, filter))
}

/// Takes the chunk that ends at `end` in the dump. With the last one it returns the filter. After an error it is as before.
///
/// # Errors
///
/// If it is not the next one or, with the last one, what came is no filter or there is no memory for it.
pub(crate) fn take(
    loading: &mut Loading,
    end: usize,
    chunk: &[u8],
) -> Result<Option<Filter>, Error> {
    // What was in a snapshot has the memory of what had come, and others may have taken some since it began.
    if loading.memory_usage() < loading.total() || end == loading.total() {
        check_memory(loading, 0)?;
    }
    loading.reserve()?;
    let before = loading.bytes().len();
    loading.take(end, chunk)?;
    let taken = filter(loading);
    if taken.is_err() {
        loading.truncate(before);
    }
    taken
}

/// Looks that there is memory for the rest of the dump, and for the filter, which is about as large and made beside it.
fn check_memory(loading: &Loading, held: usize) -> Result<(), Error> {
    if limits::obeys() {
        return Ok(());
    }
    let (total, most) = (loading.total(), MAX_FILTER_BYTES.get());
    let needed = total.saturating_mul(2) - loading.memory_usage().min(total);
    let left = limits::memory_left().saturating_add(held);
    let words = if total > most {
        format!(
            "not enough memory: the filter takes about {total} bytes, and at most {most} are allowed (cf.max-filter-bytes)"
        )
    } else if needed > left {
        format!(
            "not enough memory: to load the filter takes {needed} bytes, and {left} are left (maxmemory)"
        )
    } else {
        return Ok(());
    };
    Err(Error::NoMemoryToTransfer(words))
}

fn filter(loading: &Loading) -> Result<Option<Filter>, Error> {
    let whole = loading.is_whole().then(|| loading.filter(NO_LIMIT));
    whole.transpose()
}

/// What was stored of one that is not whole.
pub(crate) fn of_stored(total: usize, bytes: &[u8]) -> Result<Loading, Error> {
    let loading = Loading::begin(bytes)?;
    if loading.total() == total && !loading.is_whole() {
        Ok(loading)
    } else {
        Err(Error::Chunk("it is no part of a dump"))
    }
}
