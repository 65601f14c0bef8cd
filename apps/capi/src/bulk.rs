//! The calls for many hashes: of up to 64 with a bit mask, and of any number with an array.

use std::ffi::c_int;
use std::ptr::null_mut;

use lockfree_cuckoo::InsertManyError;

use crate::ageing::rotating;
use crate::handle::{either, lfcf_filter};
use crate::pointer::{array, place, places, value, wanted};
use crate::status::lfcf_status::LFCF_INVALID;
use crate::status::{Checked, answer, failed};

/// The most hashes of a call that answers with a bit mask.
pub const LFCF_BULK_MAX: usize = 64;

/// A filter, and hashes for it, as callers pass them.
type Request = (*const lfcf_filter, *const u64, usize);

/// Sets answers for hashes, all of which are false before. What the filter refused is the inner
/// error.
type Call = fn(&lfcf_filter, &[u64], &mut [bool]) -> Checked<Result<(), InsertManyError>>;

const CONTAINS: Call = |filter, hashes, found| {
    either!(filter, contains_many_hash(hashes, found));
    Ok(Ok(()))
};

const INSERT_UNIQUE: Call =
    |filter, hashes, added| Ok(filter.writer()?.insert_unique_many_hash(hashes, added));

const REFRESH: Call = |filter, hashes, new| {
    let filter = filter.writer()?;
    Ok(rotating(&filter)?.refresh_many_hash(hashes, new))
};

/// Tells the caller how many hashes were done, if it wants to know.
#[inline]
fn report(
    done: Option<&mut usize>,
    count: usize,
    result: Result<(), InsertManyError>,
) -> Checked<()> {
    if let Some(done) = done {
        *done = result
            .as_ref()
            .map_or_else(InsertManyError::inserted, |()| count);
    }
    Ok(result?)
}

/// Makes a call whose answers are bits. Returns the number of bits that are set.
#[inline]
unsafe fn with_mask(request: Request, mask: *mut u64, done: *mut usize, call: Call) -> c_int {
    answer(|| {
        let (filter, hashes, count) = request;
        let done = wanted(done, "done")?;
        let mask = place(mask, 0, "mask")?;
        let filter = value(filter, "filter")?;
        within_mask(count)?;
        let hashes = array(hashes, count, "hashes")?;
        let answers = &mut [false; LFCF_BULK_MAX];
        let result = call(filter, hashes, &mut answers[..count])?;
        *mask = mask_of(answers);
        report(done, count, result)?;
        Ok(mask.count_ones() as c_int)
    })
}

/// Whether a mask has a bit for each hash.
#[inline]
pub(crate) fn within_mask(count: usize) -> Checked<()> {
    if count > LFCF_BULK_MAX {
        let details = format_args!("{count} hashes: a mask has room for {LFCF_BULK_MAX}");
        return Err(failed(LFCF_INVALID, details));
    }
    Ok(())
}

/// Bit `i` is answer `i`.
#[inline]
pub(crate) fn mask_of(answers: &[bool; LFCF_BULK_MAX]) -> u64 {
    let (eights, _) = answers.as_chunks::<8>();
    eights.iter().rev().fold(0, |mask, &eight| {
        // Gathers the lowest bits of eight bytes in the highest byte: that of byte `i` is shifted
        // to bit `56 + i`.
        let bits = u64::from_le_bytes(eight.map(u8::from)).wrapping_mul(0x0102_0408_1020_4080);
        mask << 8 | bits >> 56
    })
}

/// Makes a call whose answers are elements of an array.
unsafe fn with_array(request: Request, answers: *mut bool, done: *mut usize, call: Call) -> c_int {
    answer(|| {
        let (filter, hashes, count) = request;
        let done = wanted(done, "done")?;
        let filter = value(filter, "filter")?;
        let hashes = array(hashes, count, "hashes")?;
        let answers = places(answers, count, false, "answers")?;
        report(done, count, call(filter, hashes, answers)?)?;
        Ok(0)
    })
}

/// Looks up to 64 hashes up, and sets bit `i` of `*mask` to the answer for `hashes[i]`. Returns the
/// number of bits that are set. `LFCF_INVALID`: there are more than 64.
///
/// Threads: any. Cost: that of `lfcf_contains` for each hash, but all their memory accesses begin
/// at once: the words of up to 32 hashes are prefetched first, and those of the others meanwhile.
/// Allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_contains_bulk(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    mask: *mut u64,
) -> c_int {
    with_mask((filter, hashes, count), mask, null_mut(), CONTAINS)
}

/// Makes `lfcf_insert_unique` for up to 64 hashes in order, and sets bit `i` of `*mask` if this
/// call added `hashes[i]`. Returns the number of bits that are set. A hash that occurs twice is
/// added once.
///
/// An error ends it at the first hash that is refused: `*done` is the index of that hash, the bits
/// before it are right, and the hashes behind it were not tried. `done` may be NULL; without an
/// error `*done` is `count`.
///
/// Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert_unique` for each hash,
/// with prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_unique_bulk(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    mask: *mut u64,
    done: *mut usize,
) -> c_int {
    with_mask((filter, hashes, count), mask, done, INSERT_UNIQUE)
}

/// Makes `lfcf_refresh` for up to 64 hashes in order, and sets bit `i` of `*mask` if `hashes[i]` is
/// new. Returns the number of bits that are set. `done` and errors are those of
/// `lfcf_insert_unique_bulk`, and `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: that of `lfcf_refresh` for each hash, with prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_refresh_bulk(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    mask: *mut u64,
    done: *mut usize,
) -> c_int {
    with_mask((filter, hashes, count), mask, done, REFRESH)
}

/// Looks any number of hashes up, and sets `answers[i]` to the answer for `hashes[i]`. Returns 0.
///
/// Threads: any. Cost: that of `lfcf_contains` for each hash, with prefetching. Allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_contains_many(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    answers: *mut bool,
) -> c_int {
    with_array((filter, hashes, count), answers, null_mut(), CONTAINS)
}

/// Makes `lfcf_insert_unique` for any number of hashes in order, and sets `answers[i]` to whether
/// this call added `hashes[i]`. Returns 0. `done` and errors are those of
/// `lfcf_insert_unique_bulk`.
///
/// Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert_unique` for each hash,
/// with prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_unique_many(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    answers: *mut bool,
    done: *mut usize,
) -> c_int {
    with_array((filter, hashes, count), answers, done, INSERT_UNIQUE)
}

/// Makes `lfcf_refresh` for any number of hashes in order, and sets `answers[i]` to whether
/// `hashes[i]` is new. Returns 0. `done` and errors are those of `lfcf_insert_unique_bulk`, and
/// `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: that of `lfcf_refresh` for each hash, with prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_refresh_many(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    answers: *mut bool,
    done: *mut usize,
) -> c_int {
    with_array((filter, hashes, count), answers, done, REFRESH)
}

/// Makes `lfcf_insert` for any number of hashes in order. Returns 0. `done` and errors are those of
/// `lfcf_insert_unique_bulk`.
///
/// Threads: any; the hashes go in one by one. Cost: that of `lfcf_insert` for each hash, with
/// prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_many(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    done: *mut usize,
) -> c_int {
    answer(|| {
        let done = wanted(done, "done")?;
        let filter = value(filter, "filter")?.writer()?;
        let hashes = array(hashes, count, "hashes")?;
        report(done, count, filter.insert_many_hash(hashes))?;
        Ok(0)
    })
}

/// Makes `lfcf_remove` for any number of hashes. Returns 0; `*removed` is the number of copies that
/// it removed, and may be NULL. `LFCF_READ_ONLY`.
///
/// Threads: any. Cost: that of `lfcf_remove` for each hash, with prefetching.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_remove_many(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    removed: *mut usize,
) -> c_int {
    answer(|| {
        let removed = wanted(removed, "removed")?;
        let filter = value(filter, "filter")?.writer()?;
        let hashes = array(hashes, count, "hashes")?;
        *removed.unwrap_or(&mut 0) = filter.remove_many_hash(hashes);
        Ok(0)
    })
}
