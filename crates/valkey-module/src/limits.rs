//! How much memory a filter may take, which is asked before anything is allocated.
//!
//! Only of those who ask first: what a primary, a log or another node has accepted is done here too.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use cf::{Budget, Filter};

use crate::api::{Ctx, EVENT_CONFIG, Event, api};
use crate::config::MAX_FILTER_BYTES;
use crate::context::{Context, guarded};
use crate::metrics::UNCOUNTED_BYTES;

/// No limit of another machine is stored with a filter, and none of this one is set: it is asked here.
pub(crate) const NO_LIMIT: usize = usize::MAX;

/// The engine's `maxmemory`, 0 for none.
static MAXMEMORY: AtomicU64 = AtomicU64::new(0);

/// Whether the engine evicts keys when it has taken all of it.
static EVICTS: AtomicBool = AtomicBool::new(false);

/// Whether the command that is being done was accepted elsewhere. Commands are done one after another.
static OBEYS: AtomicBool = AtomicBool::new(false);

/// Follows `maxmemory` and its policy.
pub(crate) fn register(ctx: Context) -> bool {
    read_settings(ctx);
    ctx.subscribe(EVENT_CONFIG, configuration_changed)
}

unsafe extern "C" fn configuration_changed(
    ctx: *mut Ctx,
    _event: Event,
    _what: u64,
    _data: *mut c_void,
) {
    // SAFETY: the engine's, for as long as this call lasts.
    guarded((), || read_settings(unsafe { Context::new(ctx) }));
}

fn read_settings(ctx: Context) {
    let (api, ctx) = (api(), ctx.raw());
    // SAFETY: what INFO says of memory, which is there until it is given back, and names of it. A text of it ends with a
    // null byte.
    let (most, evicts) = unsafe {
        let info = (api.get_server_info)(ctx, c"memory".as_ptr());
        let most = (api.server_info_get_field_unsigned)(info, c"maxmemory".as_ptr(), null_mut());
        let policy = (api.server_info_get_field_c)(info, c"maxmemory_policy".as_ptr());
        let evicts = !policy.is_null() && CStr::from_ptr(policy) != c"noeviction";
        (api.free_server_info)(ctx, info);
        (most, evicts)
    };
    MAXMEMORY.store(most, Ordering::Relaxed);
    EVICTS.store(evicts, Ordering::Relaxed);
}

/// Says whether what follows was accepted elsewhere.
pub(crate) fn set_obeys(obeys: bool) {
    OBEYS.store(obeys, Ordering::Relaxed);
}

pub(crate) fn obeys() -> bool {
    OBEYS.load(Ordering::Relaxed)
}

/// Bytes that a filter may take that takes `used` now.
pub(crate) fn left(used: usize) -> usize {
    if obeys() {
        return usize::MAX;
    }
    MAX_FILTER_BYTES
        .get()
        .saturating_sub(used)
        .min(memory_left())
}

/// Bytes that the engine may take. One that evicts makes room for all that `maxmemory` allows, behind the command.
pub(crate) fn memory_left() -> usize {
    let maxmemory = MAXMEMORY.load(Ordering::Relaxed);
    match maxmemory {
        0 => return usize::MAX,
        most if EVICTS.load(Ordering::Relaxed) => return most as usize,
        _ => {}
    }
    // SAFETY: it takes no argument. It is the share of `maxmemory` that is in use.
    let share = f64::from(unsafe { (api().get_used_memory_ratio)() });
    let left = (maxmemory as f64 * (1.0 - share)).max(0.0) as usize;
    let uncounted = usize::try_from(UNCOUNTED_BYTES.now()).unwrap_or(usize::MAX);
    left.saturating_sub(uncounted)
}

/// How far a filter may grow.
#[derive(Debug)]
struct Growth;

impl Budget for Growth {
    fn left(&self, used: usize) -> usize {
        left(used)
    }
}

/// The filter, which grows as far as it may.
pub(crate) fn limited(filter: Filter) -> Filter {
    /// One for all filters.
    static GROWTH: LazyLock<Arc<Growth>> = LazyLock::new(|| Arc::new(Growth));
    filter.with_budget(Arc::clone(&GROWTH) as Arc<dyn Budget>)
}
