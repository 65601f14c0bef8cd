//! The configuration: settings that an operator can change while the engine runs.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_longlong, c_uint, c_void};
use std::sync::atomic::{AtomicI64, Ordering};

use crate::api::{CONFIG_MEMORY, OK, Str, api};
use crate::context::Context;

/// A number with its bounds.
#[derive(Debug)]
pub(crate) struct Setting {
    name: &'static CStr,
    unless_set: i64,
    least: i64,
    most: i64,
    flags: c_uint,
    now: AtomicI64,
}

impl Setting {
    const fn new(
        name: &'static CStr,
        unless_set: i64,
        least: i64,
        most: i64,
        flags: c_uint,
    ) -> Self {
        Self {
            name,
            unless_set,
            least,
            most,
            flags,
            now: AtomicI64::new(unless_set),
        }
    }

    // Relaxed: the engine's main thread sets and reads it.
    pub(crate) fn get(&self) -> usize {
        usize::try_from(self.now.load(Ordering::Relaxed)).unwrap_or(0)
    }
}

/// The capacity, in items, of a filter that a command creates without `CF.RESERVE`.
pub(crate) static CAPACITY: Setting = Setting::new(c"capacity", 1_024, 4, i64::MAX, 0);
/// The expansion of such a filter; 0 if it does not grow.
pub(crate) static EXPANSION: Setting = Setting::new(c"expansion", 1, 0, 32_768, 0);
/// The most bytes of one filter.
pub(crate) static MAX_FILTER_BYTES: Setting = Setting::new(
    c"max-filter-bytes",
    128 << 20,
    1 << 10,
    i64::MAX,
    CONFIG_MEMORY,
);
/// The most bytes of all dumps in progress.
pub(crate) static MAX_DUMP_BYTES: Setting = Setting::new(
    c"max-dump-bytes",
    256 << 20,
    1 << 10,
    i64::MAX,
    CONFIG_MEMORY,
);
/// The most bytes of an item.
pub(crate) static MAX_ITEM_BYTES: Setting =
    Setting::new(c"max-item-bytes", 1 << 20, 1, i64::MAX, CONFIG_MEMORY);
static NUMBERS: [&Setting; 5] = [
    &CAPACITY,
    &EXPANSION,
    &MAX_FILTER_BYTES,
    &MAX_DUMP_BYTES,
    &MAX_ITEM_BYTES,
];

/// Registers the settings, and takes the values that the operator gave them.
pub(crate) fn register(ctx: Context) -> bool {
    let api = api();
    let all = NUMBERS.into_iter().all(|setting| {
        let place: *const Setting = setting;
        // SAFETY: the setting is static, and the functions know its type.
        let result = unsafe {
            (api.register_numeric_config)(
                ctx.raw(),
                setting.name.as_ptr(),
                setting.unless_set,
                setting.flags,
                setting.least,
                setting.most,
                get,
                set,
                None,
                place.cast_mut().cast(),
            )
        };
        result == OK
    });
    // SAFETY: all are registered.
    all && unsafe { (api.load_configs)(ctx.raw()) } == OK
}

unsafe extern "C" fn get(_name: *const c_char, setting: *mut c_void) -> c_longlong {
    // SAFETY: the pointer that was registered.
    let setting = unsafe { &*setting.cast::<Setting>() };
    setting.now.load(Ordering::Relaxed)
}

unsafe extern "C" fn set(
    _name: *const c_char,
    value: c_longlong,
    setting: *mut c_void,
    _error: *mut *mut Str,
) -> c_int {
    // SAFETY: the pointer that was registered.
    let setting = unsafe { &*setting.cast::<Setting>() };
    setting.now.store(value, Ordering::Relaxed);
    OK
}
