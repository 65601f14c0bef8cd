//! Rotation: rotates filters on time. A primary decides, and replicates each rotation.
//!
//! The engine calls between commands, never within a transaction or a script: its cron about ten
//! times a second, and a timer in between, when the first rotation is due. The timer depends on the
//! clock of the machine, which can be set, so the cron checks in any case.
#![allow(unsafe_code)]

use std::ffi::{c_int, c_longlong, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cf::{Error, Filter};

use crate::api::{
    Ctx, EVENT_LOADING, EVENT_ROLE, EVENT_SLOTS, Event, RawKey, ScanCursor, Str, api, sub_events,
};
use crate::context::{Context, bytes_of, guarded, unix_milliseconds};
use crate::key::{Key, value_of};
use crate::metrics;
use crate::names;
use crate::replicate;
use crate::value::Value;
use crate::windows::{self, Due, Listed, Place};

/// Rotations that are made before other clients have a turn.
const TOGETHER: usize = 100;

/// The steps of a search that are made before that. Each looks at a key or two.
const STEPS: usize = 500;

/// The event since which this node decides: earlier rotations may be overdue, with nothing added
/// since.
static SINCE: AtomicU8 = AtomicU8::new(LONG);

const LONG: u8 = 0;
const PROMOTION: u8 = 1;
const LOAD: u8 = 2;

/// Whether the data that is loaded comes from a file of this node, so that the time since the save
/// is known.
static FROM_FILE: AtomicBool = AtomicBool::new(false);

/// The timer that is set, and its time.
static TIMER: Mutex<Option<(u64, Instant)>> = Mutex::new(None);

/// Subscribes to changes of the node's role.
pub(crate) fn register(ctx: Context) -> bool {
    // Engines before Valkey 9 do not know the last event.
    let _ = ctx.subscribe(EVENT_SLOTS, slots_moved);
    ctx.subscribe(EVENT_LOADING, loading) && ctx.subscribe(EVENT_ROLE, role_changed)
}

unsafe extern "C" fn loading(ctx: *mut Ctx, _: Event, what: u64, _: *mut c_void) {
    guarded((), || {
        // SAFETY: the engine's context, for this call.
        let ctx = unsafe { Context::new(ctx) };
        let is_file = matches!(what, sub_events::LOADING_RDB | sub_events::LOADING_LOG);
        FROM_FILE.store(is_file, Ordering::Relaxed);
        if what == sub_events::LOADING_ENDED && ctx.is_primary() {
            windows::clean_all();
            begin(LOAD);
        }
    });
}

unsafe extern "C" fn role_changed(_: *mut Ctx, _: Event, what: u64, _: *mut c_void) {
    guarded((), || {
        if what == sub_events::NOW_PRIMARY {
            begin(PROMOTION);
        }
    });
}

fn begin(since: u8) {
    SINCE.store(since, Ordering::Relaxed);
    windows::begin_anew();
}

unsafe extern "C" fn slots_moved(_: *mut Ctx, _: Event, what: u64, _: *mut c_void) {
    guarded((), || {
        // If several imports run at a time, both nodes rotate the filters that are still coming,
        // each as if it were alone.
        if what == sub_events::IMPORT_COMPLETED {
            windows::take_over();
        }
    });
}

/// Returns the place of the key of a command.
pub(crate) fn place(ctx: Context, name: *mut Str) -> Place {
    Place {
        database: ctx.database(),
        // SAFETY: the name lives as long as the command.
        name: unsafe { bytes_of(name) }.into(),
    }
}

/// Lists a filter with a window that comes by a command.
pub(crate) fn list(ctx: Context, name: *mut Str, value: &mut Value) {
    if value.window().is_some() {
        value.list(|| place(ctx, name), ctx.imports());
        if ctx.may_write() {
            set_timer(ctx);
        }
    }
}

/// Records that a command uses a listed filter.
pub(crate) fn follow(ctx: Context, name: *mut Str, listed: &mut Listed) {
    // SAFETY: the name lives as long as the command.
    listed.is_at(ctx.database(), unsafe { bytes_of(name) });
}

/// Records that a command adds something to a filter with a window.
pub(crate) fn touch(value: &Value) {
    if SINCE.load(Ordering::Relaxed) != LONG
        && let Some(listed) = value.listed()
    {
        listed.touch();
    }
}

/// Returns how long a filter was stored in a file of this node, by its clock: zero for a filter
/// from another node, whose clock may differ.
pub(crate) fn stored_for(stored: u64) -> Duration {
    let is_known = FROM_FILE.load(Ordering::Relaxed);
    let milliseconds = unix_milliseconds().saturating_sub(stored);
    Duration::from_millis(if is_known { milliseconds } else { 0 })
}

/// Makes a filter older by the time since a command was logged at `logged`, when the log is read.
pub(crate) fn elapse(value: &Value, logged: Option<u64>) {
    if let (Some(logged), Some(filter)) = (logged, value.window()) {
        filter.elapse(stored_for(logged));
        if let Some(listed) = value.listed() {
            listed.aged();
        }
    }
}

/// Rotates for `CF.ROTATE`, unless the rotation of this number was made before. Returns whether it
/// rotated.
pub(crate) fn rotate(value: &Value, number: Option<u64>) -> Result<bool, Error> {
    let filter = value.window().ok_or(Error::NoWindow)?;
    let has_rotated = match number {
        None => filter.rotate().map(|_| true)?,
        Some(number) => filter.rotate_as(number)?,
    };
    if has_rotated {
        turned(value, filter, 1);
    }
    Ok(has_rotated)
}

fn turned(value: &Value, filter: &Arc<Filter>, rotations: u64) {
    metrics::ROTATIONS.add(rotations);
    windows::clean(filter);
    if let Some(listed) = value.listed() {
        listed.aged();
    }
}

/// Rotates the filters that are due, if this node decides.
pub(crate) fn rotate_due(ctx: Context) {
    if !ctx.may_write() {
        return;
    }
    let since = SINCE.load(Ordering::Relaxed);
    let now = Instant::now();
    for _ in 0..TOGETHER {
        let Some(due) = windows::take_due(now) else {
            SINCE.store(LONG, Ordering::Relaxed);
            break;
        };
        if let Err(error) = rotate_one(ctx, &due, since, now) {
            ctx.warn(&format!("a filter could not be rotated: {error}"));
        }
    }
    if windows::has_lost() {
        search(ctx);
    }
    set_timer(ctx);
}

fn rotate_one(ctx: Context, due: &Due, since: u8, now: Instant) -> Result<(), Error> {
    if !ctx.select(due.place.database) {
        return Ok(());
    }
    let name = ctx.string(&due.place.name);
    let mut key = Key::open(ctx, name.raw(), true);
    let found = key.value().ok().flatten();
    let is_it = |value: &&mut Value| value.listed().is_some_and(|listed| listed.is(due));
    let Some(value) = found.filter(is_it) else {
        windows::lose(due);
        return Ok(());
    };
    let Some(filter) = value.window() else {
        return Ok(());
    };
    let rotated = if is_late(filter, due, since) {
        filter.catch_up(now)? as u64
    } else {
        filter.rotate_if_due(now)?.into()
    };
    if rotated == 0 {
        return Ok(());
    }
    turned(value, filter, rotated);
    let last = filter.rotations();
    for number in last - rotated + 1..=last {
        replicate::rotation(ctx, name.raw(), filter, number);
    }
    drop(key);
    ctx.signal_modified(name.raw());
    ctx.notify(names::of("CF.ROTATE"), name.raw());
    Ok(())
}

/// Returns whether the rotation was due before this node could make it. Then the next one is not
/// delayed by that.
///
/// After a promotion, a primary may have added items just before it was to rotate.
fn is_late(filter: &Filter, due: &Due, since: u8) -> bool {
    let period = filter.settings().window.map(|window| window.period());
    let is_overdue = filter.age() >= period.map(|period| 2 * period);
    due.is_untouched && (since == LOAD || since == PROMOTION && is_overdue)
}

/// A walk over the keys of all databases.
struct Walk {
    cursor: *mut ScanCursor,
    database: c_int,
}

// SAFETY: a cursor is memory of the engine, and belongs to its owner.
unsafe impl Send for Walk {}

/// Searches a few more of all keys, for filters that are lost.
fn search(ctx: Context) {
    static WALK: Mutex<Option<Walk>> = Mutex::new(None);
    let mut walk = WALK.lock().unwrap_or_else(PoisonError::into_inner);
    for _ in 0..STEPS {
        let Walk { cursor, database } = *walk.get_or_insert_with(|| Walk {
            // SAFETY: it takes no argument.
            cursor: unsafe { (api().scan_cursor_create)() },
            database: 0,
        });
        // SAFETY: a cursor that is freed below, and a function for keys that takes no data.
        let has_more = ctx.select(database)
            && unsafe { (api().scan)(ctx.raw(), cursor, look_at, null_mut()) } != 0;
        if has_more {
            continue;
        }
        // SAFETY: it is used no more.
        unsafe { (api().scan_cursor_destroy)(cursor) };
        *walk = None;
        if !ctx.select(database + 1) {
            return;
        }
        // SAFETY: as above.
        let cursor = unsafe { (api().scan_cursor_create)() };
        let database = database + 1;
        *walk = Some(Walk { cursor, database });
    }
}

unsafe extern "C" fn look_at(ctx: *mut Ctx, name: *mut Str, key: *mut RawKey, _: *mut c_void) {
    guarded((), || {
        // SAFETY: the engine's context, for this call. Some of its walks give names alone.
        let (ctx, opened) = unsafe { (Context::new(ctx), value_of(key)) };
        let mut own = key.is_null().then(|| Key::open(ctx, name, false));
        let value = match &mut own {
            Some(own) => own.value().ok().flatten(),
            None => opened,
        };
        if let Some(listed) = value.and_then(Value::listed_mut) {
            // SAFETY: as above.
            listed.find(ctx.database(), unsafe { bytes_of(name) });
        }
    });
}

/// Sets the timer for the first rotation.
fn set_timer(ctx: Context) {
    let Some(next) = windows::next() else { return };
    let mut timer = TIMER.lock().unwrap_or_else(PoisonError::into_inner);
    if timer.is_some_and(|(_, time)| time <= next) {
        return;
    }
    if let Some((set, _)) = timer.take() {
        // SAFETY: a timer of this module, or none any more.
        unsafe { (api().stop_timer)(ctx.raw(), set, null_mut()) };
    }
    let rest = next.saturating_duration_since(Instant::now());
    // Rounded up, so that the rotation is due then.
    let rest = rest.as_micros().div_ceil(1000);
    let rest = c_longlong::try_from(rest).unwrap_or(c_longlong::MAX / 1_000_000);
    // SAFETY: a function for timers, which takes no data.
    let set = unsafe { (api().create_timer)(ctx.raw(), rest, time_has_come, null_mut()) };
    *timer = Some((set, next));
}

unsafe extern "C" fn time_has_come(ctx: *mut Ctx, _: *mut c_void) {
    guarded((), || {
        *TIMER.lock().unwrap_or_else(PoisonError::into_inner) = None;
        // SAFETY: the engine's context, for this call.
        rotate_due(unsafe { Context::new(ctx) });
    });
}
