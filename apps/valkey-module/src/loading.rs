//! Loading: takes the chunks of a filter that is not complete yet.

use cf::{Error, Loading};

use crate::config::MAX_FILTER_BYTES;
use crate::limits::{self, NO_LIMIT};
use crate::value::{Content, Value};

/// Takes the chunk that ends at `end` in its dump, for the value of a key. Returns the value to set
/// if there is none yet. Changes nothing on an error.
pub(crate) fn take_chunk(
    found: Option<&mut Value>,
    end: usize,
    chunk: &[u8],
) -> Result<Option<Value>, Error> {
    let held = match found.as_deref().map(Value::content) {
        Some(Content::Filter(_)) => return Err(Error::Exists),
        Some(Content::Loading(loading)) => loading.memory_usage(),
        None => 0,
    };
    // A failed load can begin again.
    if end == chunk.len() {
        let mut loading = Loading::begin(chunk)?;
        check_memory(&loading, held)?;
        loading.reserve()?;
        let new = match loading.filter(NO_LIMIT)? {
            Some(filter) => Value::new(filter),
            None => Value::loading(loading),
        };
        return Ok(match found {
            Some(value) => {
                *value = new;
                None
            }
            None => Some(new),
        });
    }
    let missing = Error::Chunk("the first chunk is missing");
    let value = found.ok_or(missing)?;
    if let Content::Loading(loading) = value.content_mut() {
        // A value from a snapshot has the memory of its chunks only, and others may have taken
        // memory since it began.
        if loading.memory_usage() < loading.total() || end == loading.total() {
            check_memory(loading, 0)?;
        }
        loading.reserve()?;
        match loading.take(end, chunk, NO_LIMIT)? {
            Some(filter) => *value = Value::new(filter),
            None => value.count(),
        }
    }
    Ok(None)
}

/// Checks that there is memory for the rest of the dump, and for the filter, which is about as
/// large and made beside it. `held` bytes are freed when the load has begun.
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
