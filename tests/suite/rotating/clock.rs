//! Rotations by a clock, with a time that the tests set: threads stop and clocks jump.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crew::Crew;
use lockfree_cuckoo::{DynFilter, RotatingCuckooFilter, RotationClock, filter::Rotates};
use model::hashers::AsGiven;
use proptest::prelude::*;

use super::{as_given, distinct, geometry};

/// The period, in the tests' unit of time.
const PERIOD: u64 = 1_000;

const fn time(units: u64) -> Duration {
    Duration::from_micros(units)
}

fn clock(now: u64) -> RotationClock {
    RotationClock::new(time(PERIOD), time(now))
}

/// Rotates on one thread, with pauses between its calls and in the middle of each. Returns a time
/// just before each rotation took effect, and one just after it.
fn rotate(filter: &RotatingCuckooFilter<impl Sized>, stalls: &[[u64; 4]]) -> Vec<[u64; 2]> {
    let now = Cell::new(0);
    let pass = |units: u64| now.set(now.get() + units);
    let mut clock = clock(0);
    let mut effects = Vec::new();
    for &[sleep, before, between, after] in stalls {
        pass(clock.until_due(time(now.get())).as_micros() as u64 + sleep);
        let reads = Cell::new([0; 2]);
        let mut turn = 0;
        let rotated = filter.rotate_if_due(&mut clock, || {
            // The first is read before the rotation, the second after it.
            let [first, _] = reads.get();
            if turn == 0 {
                pass(before);
                reads.set([now.get(), 0]);
                let read = time(now.get());
                pass(between);
                turn += 1;
                read
            } else {
                reads.set([first, now.get()]);
                pass(after);
                time(now.get())
            }
        });
        if rotated.expect("alone") {
            effects.push(reads.get());
        }
    }
    effects
}

proptest! {
    /// However late rotations come, no item leaves early. An item that came just before a rotation
    /// expires at the `n`-th rotation from there on.
    #[test]
    fn no_item_leaves_early(
        generations in 2..=5usize,
        stalls in prop::collection::vec(
            prop::array::uniform4(prop_oneof![4 => Just(0), 2 => 0..PERIOD, 1 => 0..20 * PERIOD]),
            1..60,
        ),
    ) {
        let filter = as_given(100, generations);
        let effects = rotate(&filter, &stalls);
        prop_assert_eq!(effects.len(), stalls.len(), "each rotation was waited for");
        prop_assert_eq!(filter.rotations(), stalls.len() as u64);
        let periods = generations - 1;
        for ([_, inserted], [forgotten, _]) in effects.iter().zip(effects.iter().skip(periods)) {
            prop_assert!(forgotten - inserted >= periods as u64 * PERIOD);
        }
    }
}

/// Without stalls a rotation comes every period.
#[test]
fn rotates_every_period() {
    let filter = as_given(100, 2);
    let effects = rotate(&filter, &[[0; 4]; 50]);
    let expected: Vec<[u64; 2]> = (1..=50).map(|turn| [turn * PERIOD; 2]).collect();
    assert_eq!(effects, expected);
}

/// After a long sleep there is one rotation, and items of the last moment stay for a period.
#[test]
fn after_a_long_sleep_there_is_one_rotation() {
    let filter = RotatingCuckooFilter::with_capacity(100);
    let mut clock = clock(0);
    filter.insert("a").expect("room");
    let mut rotations = 0;
    for now in 100 * PERIOD..101 * PERIOD {
        rotations += u32::from(
            filter
                .rotate_if_due(&mut clock, || time(now))
                .expect("alone"),
        );
    }
    assert_eq!(rotations, 1);
    assert!(filter.contains("a"));
    assert!(
        filter
            .rotate_if_due(&mut clock, || time(101 * PERIOD))
            .expect("alone")
    );
    assert!(!filter.contains("a"));
}

/// A clock that is set back delays a rotation by a period at most.
#[test]
fn clock_set_back() {
    let filter = as_given(100, 2);
    let mut clock = clock(1_000 * PERIOD);
    let mut rotate = |now| {
        filter
            .rotate_if_due(&mut clock, || time(now))
            .expect("alone")
    };
    assert!(!rotate(5));
    assert!(!rotate(5 + PERIOD - 1));
    assert!(rotate(5 + PERIOD));
}

/// A period begins with the rotation of another thread, which has rotated because the filter was
/// full.
#[test]
fn rotation_by_another_thread() {
    let filter = as_given(100, 2);
    let mut clock = clock(0);
    assert_eq!(filter.rotate(), Ok(()));
    let mut rotate = |now| {
        filter
            .rotate_if_due(&mut clock, || time(now))
            .expect("alone")
    };
    assert!(!rotate(PERIOD));
    assert!(!rotate(2 * PERIOD - 1));
    assert!(rotate(2 * PERIOD));
    assert_eq!(filter.rotations(), 2);
}

/// Each has a clock of its own, and none is much ahead of another.
#[test]
fn threads_rotate_together_once_per_period() {
    const THREADS: usize = 3;
    const END: u64 = 200 * PERIOD;
    let filter = as_given(100, 2);
    let now = AtomicU64::new(0);
    let (reads, _) = Crew::run(
        THREADS,
        |_, thread| {
            let mut clock = clock(0);
            let mut rotated = Vec::new();
            while now.fetch_add(thread as u64 + 1, Ordering::SeqCst) < END {
                let mut reads = Vec::new();
                let has_rotated = filter.rotate_if_due(&mut clock, || {
                    let read = now.fetch_add(1, Ordering::SeqCst);
                    reads.push(read);
                    time(read)
                });
                if has_rotated.expect("others only rotate") {
                    rotated.push((filter.rotations(), reads[0]));
                }
            }
            rotated
        },
        0,
        |_, _: usize| (),
    );
    let mut before: Vec<_> = reads.into_iter().flatten().map(|(_, read)| read).collect();
    before.sort_unstable();
    assert_eq!(filter.rotations(), before.len() as u64);
    assert!(before.len() > 20, "{} rotations", before.len());
    let spaces = before.windows(2).map(|pair| pair[1] - pair[0]);
    assert!(spaces.clone().all(|space| space >= PERIOD), "{before:?}");
}

/// Compares it with a filter that rotated in each of its periods while the other was stored.
#[test]
fn a_stored_filter_forgets_what_is_due() {
    for generations in [2, 3, 15] {
        for age in [0, 1, PERIOD / 2, PERIOD - 1] {
            for away in [
                0,
                1,
                PERIOD - 1,
                PERIOD,
                3 * PERIOD / 2,
                14 * PERIOD,
                1_000_000 * PERIOD,
            ] {
                let filter = as_given(100, generations);
                let items = distinct(geometry(&filter), generations, 1);
                for (turn, &item) in items.iter().enumerate() {
                    filter.insert_hash(item).expect("room");
                    if turn + 1 < generations {
                        filter.rotate().expect("alone");
                    }
                }
                let stored = filter.to_bytes().expect("memory");
                let filter = RotatingCuckooFilter::from_bytes_with_hasher(&stored, AsGiven);
                let filter = filter.expect("valid");
                // The clock of another process.
                let mut clock = clock(7);
                clock.elapse(time(age));
                clock.elapse(time(away));
                let due = ((age + away) / PERIOD) as usize;
                let made = filter.catch_up(&mut clock, time(7)).expect("alone");
                assert_eq!(made, due.min(generations));
                for (turn, &item) in items.iter().enumerate() {
                    assert_eq!(
                        filter.contains_hash(item),
                        turn >= due,
                        "{turn} after {away}"
                    );
                }
                assert_eq!(filter.catch_up(&mut clock, time(7)), Ok(0));
                let rest = PERIOD - (age + away) % PERIOD;
                assert_eq!(clock.until_due(time(7)), time(rest));
                // The next one is on time.
                let before = filter.rotations();
                let mut rotate = |now| {
                    filter
                        .rotate_if_due(&mut clock, || time(now))
                        .expect("alone")
                };
                assert!(!rotate(7 + rest - 1) && rotate(7 + rest));
                assert_eq!(filter.rotations(), before + 1);
            }
        }
    }
}

/// A filter chosen at run time rotates by a clock.
#[test]
fn chosen_at_run_time() {
    let filter: DynFilter = RotatingCuckooFilter::with_capacity(100).into();
    let rotating: &dyn Rotates = filter.rotating().expect("it rotates");
    let mut clock = clock(0);
    assert_eq!(
        rotating.rotate_if_due(&mut clock, &mut || time(PERIOD)),
        Ok(true)
    );
    assert_eq!(rotating.catch_up(&mut clock, time(4 * PERIOD)), Ok(2));
    assert_eq!(rotating.rotations(), 3);
}
