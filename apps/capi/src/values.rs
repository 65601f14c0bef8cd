//! The calls for values: a few bits beside each copy of an item.

use std::ffi::c_int;

use lockfree_cuckoo::{DynFilter, filter::StoresValues};

use crate::bulk::{LFCF_BULK_MAX, mask_of, within_mask};
use crate::handle::{Writer, lfcf_filter};
use crate::pointer::{array, change, place, places, value};
use crate::processes::Reader;
use crate::status::lfcf_status::{self, LFCF_WRONG_KIND};
use crate::status::{Checked, answer, failed};

/// The most values that `lfcf_values` stores.
pub const LFCF_VALUES_MAX: usize = 8;

/// The calls that only a filter with values has.
#[inline]
fn valued(filter: &DynFilter) -> Checked<&dyn StoresValues> {
    filter.valued().ok_or_else(has_no_values)
}

#[cold]
fn has_no_values() -> lfcf_status {
    let details = "the filter has no values: create one of LFCF_FIXED with `value_bits`";
    failed(LFCF_WRONG_KIND, details)
}

/// A filter for lookups, if it has values.
#[inline]
fn for_lookups(filter: &lfcf_filter) -> Checked<Result<&dyn StoresValues, &Reader>> {
    Ok(match filter.for_lookups() {
        Ok(filter) => Ok(valued(filter)?),
        Err(reader) if reader.shape().value_bits() == 0 => return Err(has_no_values()),
        Err(reader) => Err(reader),
    })
}

/// Adds one copy of an item with a value, whatever copies are stored. Returns 0. `lfcf_insert` adds
/// one with the value 0.
///
/// Errors as `lfcf_insert`. `LFCF_INVALID`: the value is too large. `LFCF_WRONG_KIND`.
///
/// Threads and cost: as `lfcf_insert`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_value(
    filter: *const lfcf_filter,
    hash: u64,
    value: u16,
) -> c_int {
    answer(|| {
        valued(&*writer(filter)?)?.insert_value_hash(hash, value)?;
        Ok(0)
    })
}

/// Adds an item with the value in `*value` if the item is absent. Returns 1 if this call added it.
/// Otherwise it returns 0, and stores the value in `*value` that was found: that of the item, or
/// rarely that of a false positive. So afterwards `*value` is the value in the filter. If several
/// threads race for an absent item, one of them gets 1, and the others get its value.
///
/// Errors as `lfcf_insert_unique`. `LFCF_INVALID`: the value is too large. `LFCF_WRONG_KIND`. An
/// error leaves `*value` as it is.
///
/// Threads and cost: as `lfcf_insert_unique`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_insert_unique_value(
    filter: *const lfcf_filter,
    hash: u64,
    value: *mut u16,
) -> c_int {
    answer(|| {
        let value = change(value, "value")?;
        let found = valued(&*writer(filter)?)?.insert_unique_value_hash(hash, *value)?;
        *value = found.unwrap_or(*value);
        Ok(found.is_none().into())
    })
}

/// Looks an item up. Returns 1 and stores its value in `*value`, or returns 0 and stores 0. Of an
/// item with several copies it finds any. For an absent item it finds, now and then, the value of
/// another item. `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: about that of `lfcf_contains`. Writes and allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_value(
    filter: *const lfcf_filter,
    hash: u64,
    value: *mut u16,
) -> c_int {
    answer(|| {
        let place = place(value, 0, "value")?;
        let found = match for_lookups(self::value(filter, "filter")?)? {
            Ok(filter) => filter.value_hash(hash),
            Err(reader) => reader.value_hash(hash),
        };
        *place = found.unwrap_or(0);
        Ok(found.is_some().into())
    })
}

/// Stores the values of all copies of an item in `values`, which has room for `LFCF_VALUES_MAX`, in
/// no order. Returns their number. While other threads write the same item, it may find the value
/// of a copy that is being removed beside that of one that has just been inserted.
/// `LFCF_WRONG_KIND`. `LFCF_READ_ONLY` as `lfcf_count`.
///
/// Threads: any. Cost: that of `lfcf_count`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_values(
    filter: *const lfcf_filter,
    hash: u64,
    values: *mut u16,
) -> c_int {
    answer(|| {
        let values = places(values, LFCF_VALUES_MAX, 0, "values")?;
        let found = valued(&*writer(filter)?)?.values_hash(hash);
        let count = found.len() as c_int;
        for (value, found) in values.iter_mut().zip(found) {
            *value = found;
        }
        Ok(count)
    })
}

/// Changes the value of one copy of an item that you inserted from `from` to `to`, in one exchange.
/// Returns 1, or 0 if no copy has the value `from`. If several threads replace the value of one
/// copy, one of them gets 1. The item is never absent meanwhile, and no room is needed: it works in
/// a full filter too.
///
/// `LFCF_INVALID`: `to` is too large. `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: one exchange, or two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_replace_value(
    filter: *const lfcf_filter,
    hash: u64,
    from: u16,
    to: u16,
) -> c_int {
    answer(|| {
        Ok(valued(&*writer(filter)?)?
            .replace_value_hash(hash, from, to)?
            .into())
    })
}

/// Removes one copy of an item that you inserted with this value. Returns 1, or 0 if there was
/// none. `lfcf_remove` removes a copy with any value. `LFCF_WRONG_KIND`.
///
/// Threads and cost: as `lfcf_remove`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_remove_value(
    filter: *const lfcf_filter,
    hash: u64,
    value: u16,
) -> c_int {
    answer(|| {
        Ok(valued(&*writer(filter)?)?
            .remove_value_hash(hash, value)
            .into())
    })
}

/// Makes `lfcf_value` for up to 64 hashes: sets bit `i` of `*mask` if it finds `hashes[i]`, and
/// stores the value in `values[i]`, else 0. Returns the number of bits that are set.
/// `LFCF_INVALID`: there are more than 64. `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: that of `lfcf_value` for each hash, with prefetching. Allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_value_bulk(
    filter: *const lfcf_filter,
    hashes: *const u64,
    count: usize,
    mask: *mut u64,
    values: *mut u16,
) -> c_int {
    answer(|| {
        let mask = place(mask, 0, "mask")?;
        let filter = for_lookups(value(filter, "filter")?)?;
        within_mask(count)?;
        let hashes = array(hashes, count, "hashes")?;
        let values = places(values, count, 0, "values")?;
        let found = &mut [None; LFCF_BULK_MAX];
        match filter {
            Ok(filter) => filter.value_many_hash(hashes, &mut found[..count]),
            Err(reader) => reader.value_many_hash(hashes, &mut found[..count]),
        }
        for (value, found) in values.iter_mut().zip(&*found) {
            *value = found.unwrap_or(0);
        }
        *mask = mask_of(&found.map(|found| found.is_some()));
        Ok(mask.count_ones() as c_int)
    })
}

/// The filter behind a pointer of the caller, for calls that may write.
#[inline]
unsafe fn writer<'a>(filter: *const lfcf_filter) -> Checked<Writer<'a>> {
    value(filter, "filter")?.writer()
}
