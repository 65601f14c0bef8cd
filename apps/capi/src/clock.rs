//! The clock of a filter that rotates.

use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::time::{Duration, Instant};

use lockfree_cuckoo::{RotationClock, filter::Rotates};

use crate::ageing::rotating;
use crate::cancellation::answer_uncancelled;
use crate::handle::lfcf_filter;
use crate::pointer::{change, owned, place, value};
use crate::status::lfcf_status::LFCF_INVALID;
use crate::status::{Checked, failed};

/// Says when a filter that rotates is to rotate. It knows the period, what tells it the time, and
/// when the last rotation had taken effect.
pub struct lfcf_clock {
    clock: RotationClock,
    time: Time,
}

/// Tells a clock the time, in nanoseconds since any moment. It gets the `context` that was passed
/// with it. It returns, without a call for the clock.
pub type lfcf_now = Option<unsafe extern "C" fn(context: *mut c_void) -> u64>;

/// Where a clock has the time from.
enum Time {
    /// The monotonic clock of the system, from this moment on.
    System(Instant),
    Told(unsafe extern "C" fn(*mut c_void) -> u64, *mut c_void),
}

impl Time {
    fn now(&self) -> Duration {
        match *self {
            Self::System(start) => start.elapsed(),
            // SAFETY: the caller of `lfcf_clock_create` promised that it may be called with this.
            Self::Told(now, context) => Duration::from_nanos(unsafe { now(context) }),
        }
    }
}

impl lfcf_clock {
    /// Takes notice of rotations that this clock did not make. Returns the time.
    fn observe(&mut self, filter: &dyn Rotates) -> Duration {
        // The number first: the rotation with this number was made before the time.
        let rotations = filter.rotations();
        let now = self.time.now();
        self.clock.observe(rotations, now);
        now
    }
}

/// A call for a filter and its clock.
unsafe fn with_clock(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
    call: impl FnOnce(&dyn Rotates, &mut lfcf_clock) -> Checked<c_int>,
) -> c_int {
    // What tells the time may be a call that ends cancelled threads.
    answer_uncancelled(|| {
        let filter = value(filter, "filter")?.writer()?;
        call(rotating(&filter)?, change(clock, "clock")?)
    })
}

/// A call that stores nanoseconds.
unsafe fn with_nanoseconds(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
    nanoseconds: *mut u64,
    call: impl FnOnce(&RotationClock, Duration) -> Duration,
) -> c_int {
    with_clock(filter, clock, |filter, clock| {
        let nanoseconds = place(nanoseconds, 0, "nanoseconds")?;
        let now = clock.observe(filter);
        let found = call(&clock.clock, now).as_nanos();
        *nanoseconds = u64::try_from(found).unwrap_or(u64::MAX);
        Ok(0)
    })
}

/// Creates a clock in `*clock` for a filter that rotates: the first period begins now. NULL if it
/// fails. `period` is in nanoseconds. To remember each item for at least a time `w` with `n`
/// generations, it is `w / (n - 1)`.
///
/// `now` tells the time; `context` is passed to it. If `now` is NULL, the clock reads the system's
/// monotonic clock, CLOCK_MONOTONIC on Linux. It is never set, and it stands still while the
/// machine is suspended: then nothing is inserted, and items stay longer, never shorter. If they
/// are to leave by then, pass a function that reads CLOCK_BOOTTIME. Do not read CLOCK_REALTIME, nor
/// whole seconds: setting that clock, or cutting the time, makes items leave early. If the time
/// goes back all the same, the period begins again.
///
/// `LFCF_INVALID`: the period is 0. `LFCF_WRONG_KIND`. `LFCF_READ_ONLY`. `LFCF_OUT_OF_MEMORY`.
///
/// Threads: any. Memory: the clock is the caller's, until `lfcf_clock_destroy`. It does not keep
/// the filter. Cost: one small allocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_clock_create(
    filter: *const lfcf_filter,
    period: u64,
    now: lfcf_now,
    context: *mut c_void,
    clock: *mut *mut lfcf_clock,
) -> c_int {
    answer_uncancelled(|| {
        let clock = place(clock, null_mut(), "clock")?;
        let filter = value(filter, "filter")?.writer()?;
        let filter = rotating(&filter)?;
        if period == 0 {
            return Err(failed(LFCF_INVALID, "`period` is 0: it can be 1 or more"));
        }
        let time = now.map_or_else(
            || Time::System(Instant::now()),
            |now| Time::Told(now, context),
        );
        let mut created = lfcf_clock {
            clock: RotationClock::new(Duration::from_nanos(period), time.now()),
            time,
        };
        created.observe(filter);
        *clock = owned(created)?;
        Ok(0)
    })
}

/// Frees a clock. NULL is no error: it does nothing.
///
/// Threads: one, as the last call for this clock. Cost: that of freeing the memory.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_clock_destroy(clock: *mut lfcf_clock) -> c_int {
    answer_uncancelled(|| {
        if !clock.is_null() {
            drop(Box::from_raw(change(clock, "clock")?));
        }
        Ok(0)
    })
}

/// Rotates if a period has passed since the last rotation. Returns 1 if this call rotated, else 0.
/// Call it as often as you like, for example between two batches: however late it comes, an item
/// stays for at least `n - 1` periods, minus the duration of its insert. A late call rotates once,
/// and the next period begins when the rotation has taken effect. If another thread rotates, or
/// `lfcf_rotate` does, the period begins with that.
///
/// `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: it did not rotate; it is still due. `LFCF_WRONG_KIND`.
///
/// Threads: any for the filter, one at a time for the clock. So give each thread that rotates a
/// clock of its own: together they rotate once per period. Or share one under a lock. Cost: one
/// load, and the time is read; if it is due, as `lfcf_rotate`, and the time is read twice.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_rotate_if_due(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
) -> c_int {
    with_clock(filter, clock, |filter, clock| {
        let lfcf_clock { clock, time } = clock;
        Ok(filter.rotate_if_due(clock, &mut || time.now())?.into())
    })
}

/// Stores the time until the next rotation is due in `*nanoseconds`: 0 if it is, and at most a
/// period. `LFCF_WRONG_KIND`.
///
/// Threads: as `lfcf_rotate_if_due`. Cost: one load, and the time is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_until_due(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
    nanoseconds: *mut u64,
) -> c_int {
    with_nanoseconds(filter, clock, nanoseconds, RotationClock::until_due)
}

/// Stores the age of the young generation in `*nanoseconds`: the time since the last rotation. Store
/// it with the filter, for `lfcf_catch_up`. Make the call after the copy, as `lfcf_to_bytes`: if
/// there was a rotation between both, items stay longer. `LFCF_WRONG_KIND`.
///
/// Threads: as `lfcf_rotate_if_due`. Cost: one load, and the time is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_young_age(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
    nanoseconds: *mut u64,
) -> c_int {
    with_nanoseconds(filter, clock, nanoseconds, RotationClock::age)
}

/// Makes the rotations that came due while a filter was stored, so that it forgets what it would
/// have forgotten. Returns their number: at most the number of generations, as nothing is left
/// then. `elapsed` is the age of the young generation when the filter was stored, as
/// `lfcf_young_age` told it, plus the time for which it was stored. The clock goes on with what is
/// left of it.
///
/// For a filter in use, `lfcf_rotate_if_due` is right: this call would end the life of items that
/// came meanwhile too early.
///
/// `LFCF_DISTURBED`, `LFCF_NO_DESCRIPTOR`: part of the rotations is made, and `elapsed` is counted;
/// try again with 0 for it. `LFCF_WRONG_KIND`.
///
/// Threads: before other threads use the filter; one at a time for the clock. Cost: for each
/// rotation as `lfcf_rotate`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_catch_up(
    filter: *const lfcf_filter,
    clock: *mut lfcf_clock,
    elapsed: u64,
) -> c_int {
    with_clock(filter, clock, |filter, clock| {
        clock.clock.elapse(Duration::from_nanos(elapsed));
        Ok(filter.catch_up(&mut clock.clock, clock.time.now())? as c_int)
    })
}

/// For items that carry their own times, as the packets of a capture, and come in about the order
/// of these: stores in `*periods` how many periods have ended by the time that `now` returns, and
/// begins the present one when the last of them ended. Returns 1; or 0, and stores 0, if the time is
/// before the present period. Call `lfcf_rotate` so often, or as often as there are generations,
/// which forgets everything. As no item of the ended periods is still to come, no rotation is late.
/// For such a clock this is the only call: the others count from the moment of a rotation.
///
/// Threads: one at a time for the clock. Cost: the time is read.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn lfcf_periods(clock: *mut lfcf_clock, periods: *mut u64) -> c_int {
    answer_uncancelled(|| {
        let periods = place(periods, 0, "periods")?;
        let lfcf_clock { clock, time } = change(clock, "clock")?;
        let ended = clock.periods(time.now());
        *periods = ended.unwrap_or(0);
        Ok(ended.is_some().into())
    })
}
