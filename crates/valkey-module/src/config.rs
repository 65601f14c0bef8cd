//! The settings that an operator can change while the engine runs.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_longlong, c_uint, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicI64, AtomicPtr, AtomicU64, Ordering};

use crate::api::{CONFIG_MEMORY, ERR, OK, Str, api};
use crate::context::{Context, bytes_of, guarded};

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
/// Items of one lookup from which on a worker answers it.
pub(crate) static OFFLOAD_ITEMS: Setting = Setting::new(c"offload-items", 5_000, 1, i64::MAX, 0);

static NUMBERS: [&Setting; 6] = [
    &CAPACITY,
    &EXPANSION,
    &MAX_FILTER_BYTES,
    &MAX_DUMP_BYTES,
    &MAX_ITEM_BYTES,
    &OFFLOAD_ITEMS,
];

/// The rate of false positives at which growth ends, in bits; 1 for no end.
static GROWTH_RATE: AtomicU64 = AtomicU64::new(1.0_f64.to_bits());

/// The same as it was set.
static GROWTH_RATE_TEXT: AtomicPtr<Str> = AtomicPtr::new(null_mut());

/// The rate at which the growth of a filter ends for which no command gives one.
pub(crate) fn growth_rate() -> Option<f64> {
    let rate = f64::from_bits(GROWTH_RATE.load(Ordering::Relaxed));
    (rate < 1.0).then_some(rate)
}

/// A rate at which growth ends, 1 for none. Nothing if it is not a number that it can be.
fn rate(text: &[u8]) -> Option<f64> {
    let rate = std::str::from_utf8(text).ok()?.parse().ok()?;
    (1e-9..=1.0).contains(&rate).then_some(rate)
}

/// Announces the settings and takes the values that the operator gave them.
pub(crate) fn register(ctx: Context) -> bool {
    let api = api();
    let numbers = NUMBERS.into_iter().all(|setting| {
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
    // SAFETY: strings that end with a null byte.
    let rate = unsafe {
        (api.register_string_config)(
            ctx.raw(),
            c"max-false-positive-rate".as_ptr(),
            c"1".as_ptr(),
            0,
            get_rate,
            set_rate,
            None,
            null_mut(),
        )
    };
    // SAFETY: once all are announced.
    numbers && rate == OK && unsafe { (api.load_configs)(ctx.raw()) } == OK
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

unsafe extern "C" fn get_rate(_name: *const c_char, _data: *mut c_void) -> *mut Str {
    GROWTH_RATE_TEXT.load(Ordering::Relaxed)
}

unsafe extern "C" fn set_rate(
    _name: *const c_char,
    value: *mut Str,
    _data: *mut c_void,
    error: *mut *mut Str,
) -> c_int {
    guarded(ERR, || {
        let string = |text: &[u8]| {
            // SAFETY: it copies these bytes. Without a context, whoever has the string gives it back.
            unsafe { (api().create_string)(null_mut(), text.as_ptr().cast(), text.len()) }
        };
        // SAFETY: it is there for as long as this call.
        let text = unsafe { bytes_of(value) };
        let Some(rate) = rate(text) else {
            let why = string(b"a rate is a number from 0.000000001 to 1");
            // SAFETY: a place for what the engine says, and gives back.
            unsafe { *error = why };
            return ERR;
        };
        GROWTH_RATE.store(rate.to_bits(), Ordering::Relaxed);
        let before = GROWTH_RATE_TEXT.swap(string(text), Ordering::Relaxed);
        if !before.is_null() {
            // SAFETY: it was made here, without a context.
            unsafe { (api().free_string)(null_mut(), before) };
        }
        OK
    })
}
