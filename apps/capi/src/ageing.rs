//! The calls of filters that rotate.

use std::ffi::{c_int, c_void};

use lockfree_cuckoo::{DynFilter, filter::Rotates};

use crate::handle::lfcf_filter;
use crate::pointer::{array, place, value};
use crate::single::{Call, by_bytes, by_hash};
use crate::status::lfcf_status::{self, LFCF_WRONG_KIND};
use crate::status::{Checked, answer, failed};

/// The calls that only such a filter has.
#[inline]
pub(crate) fn rotating(filter: &DynFilter) -> Checked<&dyn Rotates> {
    filter.rotating().ok_or_else(does_not_rotate)
}

#[cold]
fn does_not_rotate() -> lfcf_status {
    let details = "the filter does not rotate: create one of LFCF_ROTATING";
    failed(LFCF_WRONG_KIND, details)
}

fn rotations_of(filter: &lfcf_filter) -> Checked<u64> {
    match filter.for_lookups() {
        Ok(filter) => Ok(rotating(filter)?.rotations()),
        Err(reader) => reader.rotations().ok_or_else(does_not_rotate),
    }
}

fn age_of(filter: &lfcf_filter, hash: u64) -> Checked<Option<usize>> {
    match filter.for_lookups() {
        Ok(filter) => Ok(rotating(filter)?.age_hash(hash)),
        Err(reader) => {
            reader.generations().ok_or_else(does_not_rotate)?;
            Ok(reader.age_hash(hash))
        }
    }
}

const REFRESH: Call = |filter, hash| Ok(rotating(&*filter.writer()?)?.refresh_hash(hash)?.into());

/// Forgets the oldest generation, and directs inserts to an empty one. With `n` generations, two
/// unless set, the `n`-th rotation after its insert ends the life of an item. Returns 0. To rotate
/// by the time, use `lfcf_rotate_if_due`; to rotate when the young generation is full,
/// `lfcf_rotate_if`.
///
/// `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: it did not rotate; try again. `LFCF_WRONG_KIND`.
/// `LFCF_READ_ONLY`.
///
/// Threads: any; if several call it, each rotates once. Cost: the rotation is one exchange; then
/// this call empties a table, in time linear in the size of a generation. Allocates nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_rotate(filter: *const lfcf_filter) -> c_int {
    answer(|| {
        rotating(&*value(filter, "filter")?.writer()?)?.rotate()?;
        Ok(0)
    })
}

/// Rotates if there have been `rotations` rotations so far, and returns 1. If there have been more,
/// returns 0: another thread has done this rotation. So it does for a number that is still to come.
/// Errors as `lfcf_rotate`. To rotate when an
/// insert is refused, read `lfcf_rotations` before the insert: then threads that are refused at the
/// same time rotate once.
///
/// Threads: any; if several ask for one rotation, one of them gets 1. Cost: as `lfcf_rotate`, or
/// one load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_rotate_if(filter: *const lfcf_filter, rotations: u64) -> c_int {
    answer(|| {
        let filter = value(filter, "filter")?.writer()?;
        Ok(rotating(&filter)?.rotate_if(rotations)?.into())
    })
}

/// Stores in `*rotations` how often the filter has rotated. `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: one load.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_rotations(filter: *const lfcf_filter, rotations: *mut u64) -> c_int {
    answer(|| {
        let rotations = place(rotations, 0, "rotations")?;
        *rotations = rotations_of(value(filter, "filter")?)?;
        Ok(0)
    })
}

/// Begins the life of an item anew: adds a copy to the young generation if it has none. Returns 1
/// if the item is new, that is, in no generation, else 0. Do not remove an item that you refresh:
/// it may have a copy in each generation.
///
/// Errors as `lfcf_insert_unique`, and `LFCF_WRONG_KIND`.
///
/// Threads: any; if several race for a new item, it is new to one of them. Cost: that of a lookup
/// if the young generation has it, else as `lfcf_insert_unique`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_refresh(filter: *const lfcf_filter, hash: u64) -> c_int {
    by_hash(filter, hash, REFRESH)
}

/// `lfcf_refresh` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_refresh_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
) -> c_int {
    by_bytes(filter, (item, size), REFRESH)
}

/// The age of an item that is in a generation, at its place.
unsafe fn store_age(filter: &lfcf_filter, hash: u64, age: *mut u32) -> Checked<c_int> {
    let age = place(age, 0, "age")?;
    let found = age_of(filter, hash)?;
    *age = found.map_or(0, |found| found as u32);
    Ok(found.is_some().into())
}

/// Tells the age of an item: stores the number of rotations since its insert, or since its last
/// refresh, in `*age`, and returns 1. If the item is in no generation, it stores 0 and returns 0.
/// With `n` generations, the `n - age`-th rotation from now forgets the item. A false positive has
/// an age, too, and can make an item seem younger. `LFCF_WRONG_KIND`.
///
/// Threads: any. Cost: that of a lookup of an absent item, as it always reads all generations.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_age(filter: *const lfcf_filter, hash: u64, age: *mut u32) -> c_int {
    answer(|| store_age(value(filter, "filter")?, hash, age))
}

/// `lfcf_age` of `lfcf_hash_bytes`. Threads and cost: as those.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_age_bytes(
    filter: *const lfcf_filter,
    item: *const c_void,
    size: usize,
    age: *mut u32,
) -> c_int {
    answer(|| {
        let filter = value(filter, "filter")?;
        let item = array(item.cast(), size, "item")?;
        store_age(filter, filter.hasher().hash_bytes(item), age)
    })
}
