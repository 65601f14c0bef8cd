//! Creating a filter, and ending it.

use std::ffi::c_int;
use std::ptr::null_mut;
use std::slice;

use lockfree_cuckoo::{
    CuckooFilter, DynFilter, FilterBuilder, GrowingCuckooFilter, RotatingCuckooFilter,
    filter::{AnyLayout, Buildable, Growing, Measures},
    layout::Shape,
};

use crate::cancellation::answer_uncancelled;
use crate::handle::lfcf_filter;
use crate::pointer::{change, owned, place, size_of_struct};
use crate::processes::Shareable;
use crate::status::lfcf_status::{self, LFCF_INVALID};
use crate::status::{Checked, failed};

/// What a filter does when it is full, and as time passes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub enum lfcf_kind {
    /// The size is fixed. A full filter refuses inserts.
    LFCF_FIXED = 0,
    /// It doubles when it is full.
    LFCF_GROWING = 1,
    /// The size is fixed. Items leave one to two periods after their insert: see `lfcf_rotate`.
    LFCF_ROTATING = 2,
}

/// A flag: `seed` counts. Otherwise the seed is random, so that no attacker knows it.
pub const LFCF_SEEDED: u32 = 1;

/// A flag: choose the layout, and with it the size, that takes the least memory for
/// `max_false_positive_rate`. It has no values.
pub const LFCF_SMALLEST: u32 = 2;

/// How to build a filter. Set all to 0, `size` to the size of the struct, and then what you need. 0
/// is the default of each option.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct lfcf_options {
    /// `sizeof(lfcf_options)`. So the library knows the version of the header that the caller was
    /// compiled with.
    pub size: usize,
    /// An `lfcf_kind`.
    pub kind: u32,
    /// `LFCF_SEEDED`, `LFCF_SMALLEST`, both, or 0.
    pub flags: u32,
    /// The items to have room for: 1,024 unless set. One that grows begins with this. Of one that
    /// rotates it is the items of one period, the busiest: each table has room for that many.
    pub capacity: usize,
    /// The number of buckets instead of `capacity`: a power of two from 2, times at most 31.
    pub buckets: usize,
    /// The seed of `lfcf_hash_bytes`, if `flags` has `LFCF_SEEDED`.
    pub seed: u64,
    /// The most bytes that the filter may take.
    pub max_memory: usize,
    /// The most false positives in lookups of absent items, above 0 and below 1. A filter that
    /// could have more, when it has as many items as it is sized for, is not built. One that grows
    /// does not grow beyond it.
    pub max_false_positive_rate: f64,
    /// The buckets that one insert may search for room, 2 to 4,096.
    pub search_budget: usize,
    /// Of a filter that rotates: the number of rotations that end the life of an item, 2 to 15.
    pub generations: u32,
    /// The layout of the buckets: slots in a bucket. The layouts, as slots and bits, are 8 and 8, 6
    /// and 10, 6 and 12, 5 and 12, 5 and 14, 4 and 16 (the default), 4 and 17, 3 and 21, 2 and 31.
    /// One that grows has the default.
    pub slots: u32,
    /// The layout of the buckets: bits of a fingerprint. Set both or none.
    pub fingerprint_bits: u32,
    /// Of a fixed filter: the bits of the value of each copy, 4, 8 or 15; 0 for none. It chooses
    /// the layout: 4 slots of 12 bits, 3 of 13, 2 of 16. So an item takes about 17, 23 or 37 bits
    /// in all, and a full filter finds an absent item in 0.19, 0.07 or 0.006 % of the lookups. An
    /// item has at most 8, 6 or 4 copies.
    pub value_bits: u32,
}

/// Slots of a bucket and bits of a fingerprint, unless set.
const DEFAULT: (u32, u32) = (4, 16);

/// What is done with a builder that has the options.
pub(crate) trait Use {
    type Made;

    fn growing(self, builder: FilterBuilder<Growing>) -> Checked<Self::Made>;
    fn with_shape<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        shape: Shape,
    ) -> Checked<Self::Made>;
    fn smallest<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        rate: f64,
    ) -> Checked<Self::Made>;
}

/// Builds the filter.
struct Build;

impl Use for Build {
    type Made = DynFilter;

    fn growing(self, builder: FilterBuilder<Growing>) -> Checked<DynFilter> {
        Ok(builder.build()?.into())
    }

    fn with_shape<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        shape: Shape,
    ) -> Checked<DynFilter> {
        Ok(builder.build_shape(shape)?)
    }

    fn smallest<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        rate: f64,
    ) -> Checked<DynFilter> {
        Ok(builder.build_smallest(rate)?)
    }
}

/// Tells what the filter would take.
struct Measure;

impl Use for Measure {
    type Made = Measures;

    fn growing(self, builder: FilterBuilder<Growing>) -> Checked<Measures> {
        Ok(builder.measure()?)
    }

    fn with_shape<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        shape: Shape,
    ) -> Checked<Measures> {
        Ok(builder.measure_shape(shape)?)
    }

    fn smallest<E: AnyLayout + Shareable>(
        self,
        builder: FilterBuilder<E>,
        rate: f64,
    ) -> Checked<Measures> {
        Ok(builder.measure_smallest(rate)?)
    }
}

impl lfcf_options {
    /// The options behind a pointer of the caller, of any version of the struct.
    pub(crate) unsafe fn of<'a>(options: *const Self) -> Checked<&'a Self> {
        let size = size_of_struct(options, "options")?;
        let bytes = slice::from_raw_parts(options.cast::<u8>(), size);
        if bytes[size_of::<Self>()..].iter().any(|&byte| byte != 0) {
            return Err(invalid("`options` has an option of a later version"));
        }
        Ok(&*options)
    }

    /// What the filter will take, and its seed, or 0 if that is random.
    pub(crate) unsafe fn measure(options: *const Self) -> Checked<(Measures, u64)> {
        let options = Self::of(options)?;
        Ok((options.make(Measure)?, options.seed))
    }

    pub(crate) fn make<U: Use>(&self, with: U) -> Checked<U::Made> {
        if self.flags & !(LFCF_SEEDED | LFCF_SMALLEST) != 0 {
            return Err(invalid("`options` has a flag of a later version"));
        }
        if self.seed != 0 && self.flags & LFCF_SEEDED == 0 {
            return Err(invalid("`seed` is set, and `flags` has no LFCF_SEEDED"));
        }
        if self.capacity != 0 && self.buckets != 0 {
            return Err(invalid("`capacity` and `buckets` are both set"));
        }
        let grows = self.kind == lfcf_kind::LFCF_GROWING as u32;
        let rotates = self.kind == lfcf_kind::LFCF_ROTATING as u32;
        if self.generations != 0 && !rotates {
            return Err(invalid("only a filter that rotates has `generations`"));
        }
        let is_fixed = self.kind == lfcf_kind::LFCF_FIXED as u32;
        if self.value_bits != 0 && !is_fixed {
            return Err(invalid(
                "only a filter of LFCF_FIXED has values: `value_bits` is set",
            ));
        }
        if is_fixed {
            self.with_layout(with, CuckooFilter::builder())
        } else if rotates {
            let mut builder = RotatingCuckooFilter::builder();
            if self.generations != 0 {
                builder = builder.generations(self.generations as usize);
            }
            self.with_layout(with, builder)
        } else if !grows {
            Err(invalid(format_args!("{} is not an lfcf_kind", self.kind)))
        } else if self.flags & LFCF_SMALLEST != 0
            || !matches!((self.slots, self.fingerprint_bits), (0, 0) | DEFAULT)
        {
            Err(invalid("a filter that grows has 4 slots of 16 bits"))
        } else {
            with.growing(self.with_numbers(GrowingCuckooFilter::builder()))
        }
    }

    fn with_layout<U: Use, E: AnyLayout + Shareable>(
        &self,
        with: U,
        builder: FilterBuilder<E>,
    ) -> Checked<U::Made> {
        let builder = self.with_numbers(builder);
        if self.flags & LFCF_SMALLEST == 0 {
            return with.with_shape(builder, self.shape()?);
        }
        if self.slots != 0 || self.fingerprint_bits != 0 || self.value_bits != 0 {
            return Err(invalid(
                "LFCF_SMALLEST chooses a layout without values: set none of `slots`, `fingerprint_bits` and `value_bits`",
            ));
        }
        with.smallest(builder, self.max_false_positive_rate)
    }

    fn with_numbers<E: Buildable>(&self, mut builder: FilterBuilder<E>) -> FilterBuilder<E> {
        if self.capacity != 0 {
            builder = builder.capacity(self.capacity);
        }
        if self.buckets != 0 {
            builder = builder.buckets(self.buckets);
        }
        if self.flags & LFCF_SEEDED != 0 {
            builder = builder.seed(self.seed);
        }
        if self.max_memory != 0 {
            builder = builder.max_memory_usage(self.max_memory);
        }
        if self.max_false_positive_rate != 0.0 {
            builder = builder.max_false_positive_rate(self.max_false_positive_rate);
        }
        if self.search_budget != 0 {
            builder = builder.search_budget(self.search_budget);
        }
        builder
    }

    fn shape(&self) -> Checked<Shape> {
        let wanted = match (self.slots, self.fingerprint_bits) {
            (0, 0) if self.value_bits == 0 => Some(DEFAULT),
            (0, 0) => None,
            numbers => Some(numbers),
        };
        let is_wanted = |shape: &&Shape| {
            let numbers = (shape.slots() as u32, shape.fingerprint_bits());
            shape.value_bits() == self.value_bits && wanted.is_none_or(|wanted| wanted == numbers)
        };
        let found = Shape::ALL.iter().find(is_wanted).copied();
        found.ok_or_else(|| {
            let values = self.value_bits;
            match wanted {
                None => invalid(format_args!("values have 4, 8 or 15 bits, not {values}")),
                Some((slots, bits)) => invalid(format_args!(
                    "no layout has {slots} slots of {bits} bits, with {values} bits of a value"
                )),
            }
        })
    }
}

pub(crate) fn invalid(details: impl std::fmt::Display) -> lfcf_status {
    failed(LFCF_INVALID, details)
}

/// Hands a filter over to the caller.
pub(crate) fn hand_over(filter: impl Into<lfcf_filter>, to: &mut *mut lfcf_filter) -> Checked<()> {
    *to = owned(filter.into())?;
    Ok(())
}

/// Creates an empty filter in `*filter`; NULL if it fails.
///
/// `LFCF_INVALID`: an option is not possible; `lfcf_last_error` says which, and often the nearest
/// that is possible. `LFCF_LIMIT`: `max_memory` or `max_false_positive_rate` is too low.
/// `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any. Memory: the filter is the caller's, until `lfcf_destroy`; the options are not
/// kept. Cost: time linear in the size. It allocates all that the filter will ever use: two bytes
/// an item, three times that if it rotates: `lfcf_measure_options` tells how much. Only a filter
/// that grows allocates later, in inserts.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_create(
    options: *const lfcf_options,
    filter: *mut *mut lfcf_filter,
) -> c_int {
    answer_uncancelled(|| {
        let filter = place(filter, null_mut(), "filter")?;
        hand_over(lfcf_options::of(options)?.make(Build)?, filter)?;
        Ok(0)
    })
}

/// Frees a filter. NULL is no error: it does nothing. Memory that processes share goes with the
/// last descriptor and the last name that it has.
///
/// Threads: alone, as the last call for this filter. Cost: that of freeing the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_destroy(filter: *mut lfcf_filter) -> c_int {
    answer_uncancelled(|| {
        if !filter.is_null() {
            drop(Box::from_raw(change(filter, "filter")?));
        }
        Ok(0)
    })
}

/// Removes all items. One that grows has its first size again. One that rotates keeps its number of
/// rotations.
///
/// `LFCF_SHARED`, `LFCF_READ_ONLY`: it is in memory that processes share. Make a new one instead.
///
/// Threads: alone. It also frees the descriptors of threads that were killed in calls. Cost: time
/// linear in the size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_clear(filter: *mut lfcf_filter) -> c_int {
    answer_uncancelled(|| {
        change(filter, "filter")?.alone()?.clear();
        Ok(0)
    })
}

/// Makes a filter that grows as small as its items allow, but not smaller than it was created. It
/// undoes doublings, so false positives become rarer. Nothing is lost, and it can grow again. It
/// does nothing to a filter of another kind. Returns 0, also if the memory for the smaller table
/// cannot be allocated: then the filter keeps its size. `LFCF_SHARED` and `LFCF_READ_ONLY` as
/// `lfcf_clear`.
///
/// Threads: alone. Cost: time linear in the size, and meanwhile the memory of the smaller table as
/// well.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_shrink_to_fit(filter: *mut lfcf_filter) -> c_int {
    answer_uncancelled(|| {
        change(filter, "filter")?.alone()?.shrink_to_fit();
        Ok(0)
    })
}
