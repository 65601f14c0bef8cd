//! What a filter is and holds.

use std::ffi::c_int;

use lockfree_cuckoo::filter::{Kind, Rotates};

use crate::create::{lfcf_kind, lfcf_options};
use crate::handle::{either, lfcf_filter};
use crate::pointer::{change, size_of_struct, value};
use crate::status::lfcf_status::LFCF_WRONG_KIND;
use crate::status::{Checked, answer, failed};

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

/// The number of a kind in C.
fn number(kind: Kind) -> Checked<u32> {
    Ok(match kind {
        Kind::Fixed => lfcf_kind::LFCF_FIXED,
        Kind::Growing => lfcf_kind::LFCF_GROWING,
        Kind::Rotating => lfcf_kind::LFCF_ROTATING,
        kind => {
            let details = format_args!("a {kind} has no number in C");
            return Err(failed(LFCF_WRONG_KIND, details));
        }
    } as u32)
}

/// The place of measures, of any version of the struct. A later version has more fields, which stay
/// as they are.
unsafe fn place_of<'a>(measures: *mut lfcf_measures) -> Checked<&'a mut lfcf_measures> {
    size_of_struct(measures, "measures")?;
    change(measures, "measures")
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
        let measures = place_of(measures)?;
        let filter = value(filter, "filter")?;
        let (tables, generations, rotations) = match filter.for_lookups() {
            Ok(filter) => {
                let rotating = filter.rotating();
                let generations = rotating.map(Rotates::generations);
                (
                    filter.tables(),
                    generations,
                    rotating.map(Rotates::rotations),
                )
            }
            Err(reader) => {
                let generations = reader.generations();
                (generations.unwrap_or(1), generations, reader.rotations())
            }
        };
        let shape = either!(filter, shape());
        *measures = lfcf_measures {
            size: measures.size,
            kind: number(either!(filter, kind()))?,
            generations: generations.unwrap_or(0) as u32,
            items: either!(filter, len()),
            capacity: either!(filter, capacity()),
            slots: either!(filter, slots()),
            tables,
            memory: either!(filter, memory_usage()),
            rotations: rotations.unwrap_or(0),
            seed: filter.hasher().seed(),
            load_factor: either!(filter, load_factor()),
            false_positive_rate: either!(filter, false_positive_rate()),
            bucket_slots: shape.slots() as u32,
            fingerprint_bits: shape.fingerprint_bits(),
            value_bits: shape.value_bits(),
            reserved: 0,
        };
        Ok(0)
    })
}

/// Fills `*measures`, whose `size` you have set, with what `lfcf_measure` would tell of a filter
/// that `lfcf_create` makes of these options: its memory above all, and the layout that
/// LFCF_SMALLEST chooses. But `false_positive_rate` is the one at capacity: of a filter that
/// rotates with all generations full, of one that grows before its first doubling, each of which
/// adds as much. `seed` is 0 unless `options` has one. Allocates nothing.
///
/// Errors as `lfcf_create`, but for `LFCF_OUT_OF_MEMORY`. An error leaves `*measures` as it is.
///
/// Threads: any. Cost: about ten microseconds, and 200 with LFCF_SMALLEST.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_measure_options(
    options: *const lfcf_options,
    measures: *mut lfcf_measures,
) -> c_int {
    answer(|| {
        let measures = place_of(measures)?;
        let (planned, seed) = lfcf_options::measure(options)?;
        let rotates = planned.kind == Kind::Rotating;
        *measures = lfcf_measures {
            size: measures.size,
            kind: number(planned.kind)?,
            generations: if rotates { planned.tables as u32 } else { 0 },
            items: 0,
            capacity: planned.capacity,
            slots: planned.slots,
            tables: planned.tables,
            memory: planned.memory_usage,
            rotations: 0,
            seed,
            load_factor: 0.0,
            false_positive_rate: planned.false_positive_rate,
            bucket_slots: planned.layout.slots() as u32,
            fingerprint_bits: planned.layout.fingerprint_bits(),
            value_bits: planned.layout.value_bits(),
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
    answer(|| Ok(either!(value(filter, "filter")?, is_full()).into()))
}
