//! Chunks of a filter that is not whole yet.

use cf::{Error, Filter, Loading};

use crate::limits;
use crate::stored::NO_LIMIT;

/// Begins with the first chunk of a dump. If that is all of it, there is the filter too.
///
/// # Errors
///
/// If it is no such chunk, or all of the dump takes more memory than is allowed.
pub(crate) fn begin(end: usize, chunk: &[u8]) -> Result<(Loading, Option<Filter>), Error> {
    if end != chunk.len() {
        return Err(Error::Chunk("the first chunk is missing"));
    }
    let loading = Loading::begin(chunk)?;
    let (total, left) = (loading.total(), limits::left(0));
    if total > left {
        let words = format!(
            "not enough memory: the filter takes about {total} bytes, and at most {left} are allowed (cf.max-filter-bytes, maxmemory)"
        );
        return Err(Error::Other(words));
    }
    let filter = filter(&loading)?;
    Ok((loading, filter))
}

/// Takes the chunk that ends at `end` in the dump. With the last one it returns the filter. After an error it is as before.
///
/// # Errors
///
/// If it is not the next one or, with the last one, what came is no filter.
pub(crate) fn take(
    loading: &mut Loading,
    end: usize,
    chunk: &[u8],
) -> Result<Option<Filter>, Error> {
    let before = loading.bytes().len();
    loading.take(end, chunk)?;
    let taken = filter(loading);
    if taken.is_err() {
        *loading = Loading::begin(&loading.bytes()[..before])?;
    }
    taken
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
