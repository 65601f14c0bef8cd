//! Limits: the memory that a filter may take, checked before anything is allocated.
//!
//! They apply to clients only: a command that a primary, a log or another node has accepted is run
//! here too.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use cf::{Budget, Filter};

use crate::api::{Ctx, EVENT_CONFIG, Event, api};
use crate::config::MAX_FILTER_BYTES;
use crate::context::{Context, guarded};
use crate::metrics::UNCOUNTED_BYTES;

/// The limit that is stored with a filter: none, because this node's limits are checked here.
pub(crate) const NO_LIMIT: usize = usize::MAX;

/// The engine's `maxmemory`, 0 for none.
static MAXMEMORY: AtomicU64 = AtomicU64::new(0);

/// Whether the engine evicts keys when it has used all of that.
static EVICTS: AtomicBool = AtomicBool::new(false);

/// The context of the running command, or null. Commands run one after another.
static COMMAND: AtomicPtr<Ctx> = AtomicPtr::new(null_mut());

/// Whether the filter of the running command has grown, or shrunk.
static HAS_CHANGED: AtomicBool = AtomicBool::new(false);

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
    // SAFETY: the engine's context, for this call.
    guarded((), || read_settings(unsafe { Context::new(ctx) }));
}

fn read_settings(ctx: Context) {
    let (api, ctx) = (api(), ctx.raw());
    // SAFETY: INFO's data on memory, which lives until it is freed, and names of its fields. A text
    // in it ends with a null byte.
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

/// Records that a command runs from now on.
pub(crate) fn begin(ctx: Context) {
    COMMAND.store(ctx.raw(), Ordering::Relaxed);
}

/// Records that the command has ended.
pub(crate) fn end() {
    COMMAND.store(null_mut(), Ordering::Relaxed);
}

/// Returns whether the command was accepted elsewhere. Asking costs as much as an insert, and most
/// commands need not know.
pub(crate) fn obeys() -> bool {
    let command = COMMAND.load(Ordering::Relaxed);
    // SAFETY: the engine's context, until the command ends.
    !command.is_null() && unsafe { Context::new(command) }.obeys()
}

/// Returns the bytes that a new filter may take.
pub(crate) fn left() -> usize {
    if obeys() { usize::MAX } else { left_here(0) }
}

/// Returns the bytes that the limits of this node leave to a filter that takes `used` bytes.
fn left_here(used: usize) -> usize {
    MAX_FILTER_BYTES
        .get()
        .saturating_sub(used)
        .min(memory_left())
}

/// Returns the bytes that the engine may take. An engine that evicts makes room for all that
/// `maxmemory` allows, after the command.
pub(crate) fn memory_left() -> usize {
    let maxmemory = MAXMEMORY.load(Ordering::Relaxed);
    match maxmemory {
        0 => return usize::MAX,
        most if EVICTS.load(Ordering::Relaxed) => return most as usize,
        _ => {}
    }
    // SAFETY: it takes no argument. It returns the used share of `maxmemory`.
    let share = f64::from(unsafe { (api().get_used_memory_ratio)() });
    let left = (maxmemory as f64 * (1.0 - share)).max(0.0) as usize;
    let uncounted = usize::try_from(UNCOUNTED_BYTES.now()).unwrap_or(usize::MAX);
    left.saturating_sub(uncounted)
}

/// The budget of all filters.
#[derive(Debug)]
struct Growth;

impl Budget for Growth {
    fn left(&self, used: usize) -> usize {
        let left = left_here(used);
        // More than a growth takes: then it does not matter whether the command must be obeyed.
        let enough = used.saturating_mul(4).saturating_add(1 << 20);
        if left < enough && obeys() {
            usize::MAX
        } else {
            left
        }
    }

    fn has_changed(&self) {
        HAS_CHANGED.store(true, Ordering::Relaxed);
    }
}

/// Returns whether a filter has changed its memory since the last call.
pub(crate) fn take_growth() -> bool {
    let has_changed = HAS_CHANGED.load(Ordering::Relaxed);
    if has_changed {
        HAS_CHANGED.store(false, Ordering::Relaxed);
    }
    has_changed
}

/// Sets the budget of a filter.
pub(crate) fn limited(filter: Filter) -> Filter {
    /// The only budget, for all filters.
    static GROWTH: LazyLock<Arc<Growth>> = LazyLock::new(|| Arc::new(Growth));
    filter.with_budget(Arc::clone(&GROWTH) as Arc<dyn Budget>)
}
