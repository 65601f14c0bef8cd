//! What a filter is and holds.

use std::ffi::c_int;

use lockfree_cuckoo::filter::Kind;

use crate::create::{lfcf_filter, lfcf_kind};
use crate::pointer::{change, size_of_struct, value};
use crate::status::lfcf_status::LFCF_WRONG_KIND;
use crate::status::{answer, failed};

/// What a filter is and holds. Set `size` before the call.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lfcf_measures {
    /// `sizeof(lfcf_measures)`.
    pub size: usize,
    /// An `lfcf_kind`.
    pub kind: u32,
    /// The generations of one that rotates, else 0.
    pub generations: u32,
    /// The number of stored copies. Exact while no thread writes.
    pub items: usize,
    /// The items that it is sized for: one that grows at present, one that rotates in each
    /// generation.
    pub capacity: usize,
    /// The slots of all tables.
    pub slots: usize,
    /// The number of tables that hold items.
    pub tables: usize,
    /// All bytes in use.
    pub memory: usize,
    /// How often it has rotated.
    pub rotations: u64,
    /// The seed of `lfcf_hash_bytes`. Keep it secret from those who choose the items.
    pub seed: u64,
    /// The fraction of the slots in use.
    pub load_factor: f64,
    /// The share of lookups of absent items that find one, at the present load, with well mixed
    /// hashes.
    pub false_positive_rate: f64,
    /// The layout: slots of a bucket.
    pub bucket_slots: u32,
    /// The layout: bits of a fingerprint.
    pub fingerprint_bits: u32,
    /// The layout: bits of a value, else 0. The largest value is `(1 << value_bits) - 1`.
    pub value_bits: u32,
    /// 0.
    pub reserved: u32,
}

/// Fills `*measures`, whose `size` you have set. They are approximate while other threads write.
///
/// Threads: any. Cost: about 64 loads for each table.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_measure(
    filter: *const lfcf_filter,
    measures: *mut lfcf_measures,
) -> c_int {
    answer(|| {
        size_of_struct(measures, "measures")?;
        let measures = change(measures, "measures")?;
        let filter = &value(filter, "filter")?.0;
        let rotating = filter.rotating();
        // A later version has more fields. They stay what the caller has set them to.
        *measures = lfcf_measures {
            size: measures.size,
            kind: match filter.kind() {
                Kind::Fixed => lfcf_kind::LFCF_FIXED,
                Kind::Growing => lfcf_kind::LFCF_GROWING,
                Kind::Rotating => lfcf_kind::LFCF_ROTATING,
                kind => {
                    return Err(failed(
                        LFCF_WRONG_KIND,
                        format!("a {kind} has no number in C"),
                    ));
                }
            } as u32,
            generations: rotating.map_or(0, |rotating| rotating.generations() as u32),
            items: filter.len(),
            capacity: filter.capacity(),
            slots: filter.slots(),
            tables: filter.tables(),
            memory: filter.memory_usage(),
            rotations: rotating.map_or(0, |rotating| rotating.rotations()),
            seed: filter.hasher().seed(),
            load_factor: filter.load_factor(),
            false_positive_rate: filter.false_positive_rate(),
            bucket_slots: filter.shape().slots() as u32,
            fingerprint_bits: filter.shape().fingerprint_bits(),
            value_bits: filter.shape().value_bits(),
            reserved: 0,
        };
        Ok(0)
    })
}

/// Returns 1 if the filter holds as many items as it is sized for, else 0. An insert may still find
/// room. One that grows grows soon. Of one that rotates it says whether the young generation is
/// full: rotate.
///
/// Threads: any. Cost: about 64 loads, so not for every item.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_is_full(filter: *const lfcf_filter) -> c_int {
    answer(|| Ok(value(filter, "filter")?.0.is_full().into()))
}
