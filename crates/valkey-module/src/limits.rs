//! How much memory a filter may take, which is asked before anything is allocated.
//!
//! Only of those who ask first: what a primary, a log or another node has accepted is done here too.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use cf::{Budget, Filter};

use crate::api::{Ctx, EVENT_CONFIG, Event, api};
use crate::boundary::guarded;
use crate::config::MAX_FILTER_BYTES;
use crate::context::Context;

/// The engine's `maxmemory`, 0 for none.
static MAXMEMORY: AtomicU64 = AtomicU64::new(0);

/// Whether the command that is being done was accepted elsewhere. Commands are done one after another.
static OBEYS: AtomicBool = AtomicBool::new(false);

/// Follows `maxmemory`.
pub(crate) fn register(ctx: Context) -> bool {
    read_maxmemory(ctx);
    ctx.subscribe(EVENT_CONFIG, configuration_changed)
}

unsafe extern "C" fn configuration_changed(
    ctx: *mut Ctx,
    _event: Event,
    _what: u64,
    _data: *mut c_void,
) {
    // SAFETY: the engine's, for as long as this call lasts.
    guarded((), || read_maxmemory(unsafe { Context::new(ctx) }));
}

fn read_maxmemory(ctx: Context) {
    let value = ctx.setting(c"maxmemory");
    let number = value.and_then(|value| std::str::from_utf8(&value).ok()?.parse().ok());
    MAXMEMORY.store(number.unwrap_or(0), Ordering::Relaxed);
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

/// Bytes that the engine may take.
pub(crate) fn memory_left() -> usize {
    let maxmemory = MAXMEMORY.load(Ordering::Relaxed);
    if maxmemory == 0 {
        return usize::MAX;
    }
    // SAFETY: it takes no argument. It is the share of `maxmemory` that is in use.
    let share = f64::from(unsafe { (api().get_used_memory_ratio)() });
    (maxmemory as f64 * (1.0 - share)).max(0.0) as usize
}

/// Asks whether a filter may grow.
#[derive(Debug, Default)]
pub(crate) struct Growth {
    filter: OnceLock<Weak<Filter>>,
}

impl Budget for Growth {
    fn left(&self) -> usize {
        if obeys() {
            return usize::MAX;
        }
        let filter = self.filter.get().and_then(Weak::upgrade);
        left(filter.map_or(0, |filter| filter.memory_usage()))
    }

    fn has_changed(&self) {}
}

/// The filter, which asks before it grows.
pub(crate) fn limited(filter: Filter) -> Arc<Filter> {
    let growth = Arc::new(Growth::default());
    let filter = Arc::new(filter.with_budget(Arc::clone(&growth) as Arc<dyn Budget>));
    // It is set once, here.
    let _ = growth.filter.set(Arc::downgrade(&filter));
    filter
}
