//! Metrics: the counts of the module, and its section of INFO.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::api::{InfoCtx, OK, api};
use crate::context::{Context, guarded};

/// A number that any thread may change.
#[derive(Debug)]
pub(crate) struct Count(AtomicU64);

impl Count {
    const fn new() -> Self {
        Self(AtomicU64::new(0))
    }

    // Relaxed: a count orders nothing.
    pub(crate) fn add(&self, number: u64) {
        self.0.fetch_add(number, Ordering::Relaxed);
    }

    pub(crate) fn subtract(&self, number: u64) {
        self.0.fetch_sub(number, Ordering::Relaxed);
    }

    pub(crate) fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

pub(crate) static FILTERS: Count = Count::new();
pub(crate) static HALF_LOADED: Count = Count::new();
pub(crate) static WINDOWS: Count = Count::new();
pub(crate) static ROTATIONS: Count = Count::new();
pub(crate) static BYTES: Count = Count::new();
/// The bytes of these that the engine does not count.
pub(crate) static UNCOUNTED_BYTES: Count = Count::new();
pub(crate) static DUMPS: Count = Count::new();
pub(crate) static DUMP_BYTES: Count = Count::new();
pub(crate) static REFUSED_ITEMS: Count = Count::new();
pub(crate) static REFUSED_FOR_MEMORY: Count = Count::new();
pub(crate) static PANICS: Count = Count::new();

static ALL: [(&CStr, &Count); 11] = [
    (c"filters", &FILTERS),
    (c"half_loaded", &HALF_LOADED),
    (c"windows", &WINDOWS),
    (c"rotations", &ROTATIONS),
    (c"bytes", &BYTES),
    (c"uncounted_bytes", &UNCOUNTED_BYTES),
    (c"dumps", &DUMPS),
    (c"dump_bytes", &DUMP_BYTES),
    (c"refused_items", &REFUSED_ITEMS),
    (c"refused_for_memory", &REFUSED_FOR_MEMORY),
    (c"panics", &PANICS),
];

/// Adds the section to INFO.
pub(crate) fn register(ctx: Context) -> bool {
    // SAFETY: a function for INFO.
    unsafe { (api().register_info_func)(ctx.raw(), add) == OK }
}

unsafe extern "C" fn add(info: *mut InfoCtx, _for_crash_report: c_int) {
    guarded((), || {
        let api = api();
        // SAFETY: the engine asks for the section with this context.
        unsafe {
            // The empty name stands for that of the module.
            (api.info_add_section)(info, c"".as_ptr());
            for (name, count) in ALL {
                (api.info_add_field_u_long_long)(info, name.as_ptr(), count.now());
            }
        }
    });
}
