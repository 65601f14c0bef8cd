//! The settings that an operator can change while the engine runs.
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

    // Relaxed: it is set and read by the engine's main thread.
    pub(crate) fn get(&self) -> usize {
        usize::try_from(self.now.load(Ordering::Relaxed)).unwrap_or(0)
    }
}

/// Items that a filter is made for that a command makes on the way.
pub(crate) static CAPACITY: Setting = Setting::new(c"capacity", 1_024, 4, i64::MAX, 0);
/// Whether it grows.
pub(crate) static EXPANSION: Setting = Setting::new(c"expansion", 1, 0, 32_768, 0);
/// Bytes that one filter may take.
pub(crate) static MAX_FILTER_BYTES: Setting = Setting::new(
    c"max-filter-bytes",
    128 << 20,
    1 << 10,
    i64::MAX,
    CONFIG_MEMORY,
);
/// Bytes that all dumps may take that clients have begun.
pub(crate) static MAX_DUMP_BYTES: Setting = Setting::new(
    c"max-dump-bytes",
    256 << 20,
    1 << 10,
    i64::MAX,
    CONFIG_MEMORY,
);
/// Bytes that an item may have.
pub(crate) static MAX_ITEM_BYTES: Setting =
    Setting::new(c"max-item-bytes", 1 << 20, 1, i64::MAX, CONFIG_MEMORY);
static NUMBERS: [&Setting; 5] = [
    &CAPACITY,
    &EXPANSION,
    &MAX_FILTER_BYTES,
    &MAX_DUMP_BYTES,
    &MAX_ITEM_BYTES,
];

/// Announces the settings and takes the values that the operator gave them.
pub(crate) fn register(ctx: Context) -> bool {
    let api = api();
    let all = NUMBERS.into_iter().all(|setting| {
        let place: *const Setting = setting;
        // SAFETY: the setting is there for ever, and the functions know that it is one.
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
    // SAFETY: once all are announced.
    all && unsafe { (api.load_configs)(ctx.raw()) } == OK
}

unsafe extern "C" fn get(_name: *const c_char, setting: *mut c_void) -> c_longlong {
    // SAFETY: what was registered.
    let setting = unsafe { &*setting.cast::<Setting>() };
    setting.now.load(Ordering::Relaxed)
}

unsafe extern "C" fn set(
    _name: *const c_char,
    value: c_longlong,
    setting: *mut c_void,
    _error: *mut *mut Str,
) -> c_int {
    // SAFETY: what was registered.
    let setting = unsafe { &*setting.cast::<Setting>() };
    setting.now.store(value, Ordering::Relaxed);
    OK
}
