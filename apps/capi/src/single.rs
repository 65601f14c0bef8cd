//! The calls for one item, by its hash and by its bytes.

use std::ffi::{c_int, c_void};

use lockfree_cuckoo::RandomState;

use crate::handle::{either, lfcf_filter};
use crate::pointer::{array, place, value};
use crate::status::{Checked, answer};

/// What a call does with a hash.
pub(crate) type Call = fn(&lfcf_filter, u64) -> Checked<c_int>;

const INSERT: Call = |filter, hash| Ok(filter.writer()?.insert_hash(hash).map(|()| 0)?);
const INSERT_UNIQUE: Call = |filter, hash| Ok(filter.writer()?.insert_unique_hash(hash)?.into());
const CONTAINS: Call = |filter, hash| Ok(either!(filter, contains_hash(hash)).into());
const REMOVE: Call = |filter, hash| Ok(filter.writer()?.remove_hash(hash).into());
// It ends a call that it meets, so it may write.
const COUNT: Call = |filter, hash| Ok(filter.writer()?.count_hash(hash) as c_int);

/// Makes a call for a hash.
#[inline]
pub(crate) unsafe fn by_hash(filter: *const lfcf_filter, hash: u64, call: Call) -> c_int {
    answer(|| call(value(filter, "filter")?, hash))
}

/// Makes the same call for the hash of bytes.
#[inline]
pub(crate) unsafe fn by_bytes(
    filter: *const lfcf_filter,
    (item, size): (*const c_void, usize),
    call: Call,
) -> c_int {
    answer(|| {
        let filter = value(filter, "filter")?;
        let item = array(item.cast(), size, "item")?;
        call(filter, filter.hasher().hash_bytes(item))
    })
}

/// Adds one copy of an item, whether or not it is stored. Returns 0.
///
/// `LFCF_FULL`, `LFCF_POOR_HASHES`, `LFCF_TOO_MANY_COPIES`, `LFCF_CANNOT_GROW`: it is not added.
/// `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: try again. `LFCF_READ_ONLY`.
///
/// Threads: any. Cost: one exchange; a search of up to `search_budget` buckets in a filter that is
/// nearly full. One that grows may allocate, and moves a few buckets while it doubles.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, INSERT)
}

/// Adds an item if it is absent. Returns 1 if it was absent and this call added it, else 0: it is
/// stored, or a false positive. If several threads race for an absent item, one of them gets 1.
/// Errors as `lfcf_insert`, except `LFCF_TOO_MANY_COPIES`.
///
/// Threads: any. Cost: that of a lookup if it is stored, else four locked instructions; otherwise
/// as `lfcf_insert`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_unique(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, INSERT_UNIQUE)
}

/// Returns 1 if an item is stored, or now and then if it is absent; else 0.
///
/// Threads: any. Cost: two loads from the table, for each generation of one that rotates. Writes
/// and allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_contains(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, CONTAINS)
}

/// Removes one copy of an item that you inserted. Returns 1, or 0 if there was none. If several
/// threads race for one copy, one of them gets 1. One that rotates removes the oldest copy.
/// `LFCF_READ_ONLY`.
///
/// Threads: any. Cost: one exchange, or two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_remove(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, REMOVE)
}

/// Returns the number of copies of an item. It may be too high while other threads write the same
/// item. `LFCF_READ_ONLY`: it may have to end a call of another thread, which a reader cannot.
///
/// Threads: any. Cost: that of a lookup of an absent item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_count(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, COUNT)
}

/// Stores the hash of `size` bytes in `*hash`: what the calls by bytes use. With one seed it is the
/// same on every machine and in every later release: rapidhash v3 with secrets made from the seed,
/// which docs/format.md defines to the last bit, for programs without this library. Filters hash
/// alike if they have the same seed: `LFCF_SEEDED`, a stored filter, a snapshot.
///
/// Threads: any. Cost: two short hashes, about 9 ns in all for 8 bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_hash_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
    hash: *mut u64,
) -> c_int {
    answer(|| {
        let hash = place(hash, 0, "hash")?;
        let hasher = value(filter, "filter")?.hasher();
        *hash = hasher.hash_bytes(array(item.cast(), size, "item")?);
        Ok(0)
    })
}

/// Stores what `lfcf_hash_bytes` stores for a filter with this seed in `*hash`, without a filter:
/// for a thread or a program that hashes, and passes hashes on to where the filter is.
///
/// Threads: any. Cost: about three times that of `lfcf_hash_bytes`, as a filter prepares its seed
/// once, and this call does so each time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_hash_bytes_seeded(
    seed: u64,
    item: *const c_void,
    size: usize,
    hash: *mut u64,
) -> c_int {
    answer(|| {
        let hash = place(hash, 0, "hash")?;
        *hash = RandomState::with_seed(seed).hash_bytes(array(item.cast(), size, "item")?);
        Ok(0)
    })
}

/// `lfcf_insert` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), INSERT)
}

/// `lfcf_insert_unique` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_unique_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), INSERT_UNIQUE)
}

/// `lfcf_contains` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_contains_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), CONTAINS)
}

/// `lfcf_remove` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_remove_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), REMOVE)
}

/// `lfcf_count` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_count_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), COUNT)
}
