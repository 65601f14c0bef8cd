//! Tests of windows, by a clock that they set: all times are far longer than a test takes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::scope;

use super::*;
use crate::settings::{Settings, Window};

const HOUR: Duration = Duration::from_secs(3_600);

/// Makes a filter that knows items for this many hours.
fn window(hours: u32, generations: usize) -> Filter {
    let settings = Settings {
        window: Window::new(HOUR * hours, generations),
        ..Settings::new(10_000, false)
    };
    Filter::new(settings, usize::MAX, usize::MAX).expect("room")
}

/// Stores the filter for this time, and reads it.
fn stored_for(filter: &Filter, time: Duration) -> Filter {
    let dump = filter.dump().whole().expect("room");
    let copy = Filter::of_dump(&mut dump.as_slice(), usize::MAX).expect("valid");
    copy.elapse(time);
    copy
}

fn rotations_until(filter: &Filter, time: Duration) -> usize {
    let now = Instant::now() + time;
    filter.catch_up(now).expect("a window")
}

#[test]
fn refuses_impossible_windows() {
    for generations in 2..=15 {
        assert!(Window::new(HOUR, generations).is_some());
    }
    for generations in [0, 1, 16, usize::MAX] {
        assert_eq!(Window::new(HOUR, generations), None);
    }
    let nanosecond = Duration::from_nanos(1);
    for (length, is_possible) in [
        (Duration::ZERO, false),
        (Duration::from_millis(100) - nanosecond, false),
        (Duration::from_millis(100), true),
        (Duration::from_secs(1_000_000_000), true),
        (Duration::from_secs(1_000_000_000) + nanosecond, false),
        (Duration::MAX, false),
    ] {
        assert_eq!(Window::new(length, 15).is_some(), is_possible, "{length:?}");
    }
}

#[test]
fn all_periods_but_one_cover_the_window() {
    for nanoseconds in [
        100_000_000,
        100_000_001,
        999_999_999,
        1_000_000_000_000_000_000,
    ] {
        let length = Duration::from_nanos(nanoseconds);
        for generations in 2..=15 {
            let window = Window::new(length, generations).expect("possible");
            let least = window.period() * (generations as u32 - 1);
            assert!(least >= length, "{window:?}");
            assert!(least - length < Duration::from_nanos(15), "{window:?}");
        }
    }
}

/// An item stays for a window, and at most a period longer.
#[test]
fn an_item_stays_for_its_window() {
    for generations in 2..=15 {
        let filter = window(generations as u32 - 1, generations);
        // A period is an hour.
        for item in 0..3 * generations {
            filter.insert(&item.to_le_bytes()).expect("room");
            let now = Instant::now();
            assert!(
                !filter
                    .rotate_if_due(now + HOUR - HOUR / 60)
                    .expect("a window")
            );
            let due = filter.next_rotation().expect("a window");
            assert!(filter.rotate_if_due(due).expect("a window"));
            assert!(!filter.rotate_if_due(due).expect("a window"));
            assert!(!filter.is_clean());
            filter.clean();
            assert!(filter.is_clean());
            for other in 0..=item {
                let is_known = item - other < generations - 1;
                assert_eq!(
                    filter.contains(&other.to_le_bytes()),
                    is_known,
                    "{other} of {item}"
                );
            }
            assert_eq!(filter.rotations(), item as u64 + 1);
        }
    }
}

/// Checks that missed periods do not count: nothing tells whether items came meanwhile.
#[test]
fn a_late_rotation_counts_once() {
    let filter = window(1, 2);
    filter.insert(b"a").expect("room");
    filter.elapse(100 * HOUR);
    assert!(filter.rotate_if_due(Instant::now()).expect("a window"));
    assert!(filter.contains(b"a"));
    assert!(filter.next_rotation().expect("a window") >= Instant::now() + HOUR - HOUR / 60);
}

/// Compares with the generations of items that came an hour after each other.
#[test]
fn a_stored_filter_forgets_due_generations() {
    for generations in [2, 3, 15] {
        // The age of the youngest generation, and the time until the filter is read.
        for age in [0, 1, 30, 59] {
            for minutes in [
                0,
                1,
                29,
                31,
                59,
                61,
                90,
                121,
                60 * 14,
                60 * 15,
                60 * 1_000_000,
            ] {
                let filter = window(generations as u32 - 1, generations);
                for item in 0..generations {
                    filter.insert(&item.to_le_bytes()).expect("room");
                    if item + 1 < generations {
                        filter.rotate().expect("a window");
                    }
                }
                filter.elapse(HOUR * age / 60);
                let copy = stored_for(&filter, HOUR * minutes / 60);
                let due = ((age + minutes) / 60) as usize;
                let made = rotations_until(&copy, Duration::ZERO);
                assert_eq!(made, due.min(generations));
                for item in 0..generations {
                    let is_known = copy.contains(&item.to_le_bytes());
                    assert_eq!(is_known, item >= due, "{item} after {minutes} minutes");
                }
                let rest = HOUR * ((age + minutes) % 60) / 60;
                let is_young = (rest..rest + HOUR / 60).contains(&copy.age().expect("a window"));
                assert!(is_young, "{:?} instead of {rest:?}", copy.age());
                assert_eq!(rotations_until(&copy, Duration::ZERO), 0);
            }
        }
    }
}

#[test]
fn stores_the_whole_window() {
    let filter = window(7, 4);
    filter.insert(b"a").expect("room");
    filter.rotate().expect("a window");
    filter.elapse(HOUR);
    let copy = stored_for(&filter, Duration::ZERO);
    assert_eq!(copy.settings(), filter.settings());
    assert_eq!((copy.rotations(), copy.contains(b"a")), (1, true));
    assert!((HOUR..2 * HOUR).contains(&copy.age().expect("a window")));
    // A copy that is made while other threads go on.
    let copy = filter.copy().expect("room");
    assert_eq!(copy.settings(), filter.settings());
    assert!((HOUR..2 * HOUR).contains(&copy.age().expect("a window")));
    // The age alone differs between machines.
    let other = stored_for(&filter, HOUR);
    let dumps = [&filter, &other].map(|filter| filter.dump().whole().expect("room"));
    assert!(dumps[0] != dumps[1]);
    let dumps = [&filter, &other].map(|filter| filter.ageless_dump().whole().expect("room"));
    assert!(dumps[0] == dumps[1]);
}

/// Checks that a copy is made between two rotations, with the age of its youngest generation.
#[test]
fn copies_succeed_while_the_filter_rotates() {
    let filter = window(1, 2);
    let is_over = AtomicBool::new(false);
    scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                filter.elapse(HOUR);
                filter.rotate().expect("a window");
            }
        });
        for _ in 0..200 {
            let copy = filter.copy().expect("a copy");
            assert!(copy.age().expect("a window") <= 2 * HOUR);
        }
        is_over.store(true, Ordering::Relaxed);
    });
    assert!(filter.rotations() > 200);
    // While a copy is made, the clock does not wait for it.
    let turn = filter.clock().expect("a window").take_turn();
    let due = Instant::now() + 2 * HOUR;
    assert!(!filter.rotate_if_due(due).expect("a window"));
    drop(turn);
    assert!(filter.rotate_if_due(due).expect("a window"));
}

/// Tries ages that no clock can tell, as a damaged dump may have.
#[test]
fn accepts_any_age() {
    let filter = window(1, 2);
    filter.insert(b"a").expect("room");
    for time in [
        Duration::MAX,
        Duration::from_nanos(u64::MAX),
        Duration::from_nanos(1),
    ] {
        filter.elapse(time);
        assert!(filter.next_rotation().expect("a window") <= Instant::now());
    }
    assert_eq!(
        stored_for(&filter, Duration::MAX).age(),
        Some(Duration::MAX)
    );
    assert_eq!(rotations_until(&filter, HOUR), 2);
    assert!(!filter.contains(b"a") && filter.insert_unique(b"a").expect("room"));
}

#[test]
fn refuses_rotations_without_a_window() {
    let filter = Filter::new(Settings::new(10, true), usize::MAX, usize::MAX).expect("room");
    let now = Instant::now();
    let refused = [
        filter.rotate().map(drop),
        filter.rotate_as(1).map(drop),
        filter.rotate_if_due(now).map(drop),
        filter.catch_up(now).map(drop),
        filter.refresh_each(&[b"a"]).map(drop),
    ];
    assert!(
        refused
            .iter()
            .all(|refused| matches!(refused, Err(Error::NoWindow)))
    );
    filter.elapse(HOUR);
    filter.clean();
    assert_eq!(
        (filter.age(), filter.next_rotation(), filter.rotations()),
        (None, None, 0)
    );
}

/// Lets a client and a clock ask for the same rotation. Items are new once, and stay. No thread
/// gives up: with 15 generations, and without optimization, rivals that do not pause abort each
/// other until their attempts end.
#[test]
fn threads_agree_on_rotations_and_new_items() {
    const ITEMS: u32 = 2_000;
    for is_locked in [false, true] {
        let filter = window(1, 15);
        let filter = if is_locked {
            filter.behind_a_mutex()
        } else {
            filter
        };
        let (rotated, new) = (AtomicUsize::new(0), AtomicUsize::new(0));
        scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for item in 0..ITEMS {
                        let is_new = filter.insert_unique(&item.to_le_bytes()).expect("room");
                        new.fetch_add(usize::from(is_new), Ordering::Relaxed);
                        if item % 200 == 100 {
                            let number = u64::from(item) / 200 + 1;
                            let is_first = filter.rotate_as(number).expect("it is the next one");
                            rotated.fetch_add(usize::from(is_first), Ordering::Relaxed);
                            filter.clean();
                        }
                    }
                });
            }
            scope.spawn(|| {
                for _ in 0..20 {
                    let copy = filter.copy().expect("room");
                    assert!(copy.rotations() <= filter.rotations());
                }
            });
        });
        assert_eq!(rotated.into_inner(), 10);
        assert_eq!(filter.rotations(), 10);
        // Only false positives are missing.
        let known = (0..ITEMS).filter(|item| filter.contains(&item.to_le_bytes()));
        assert_eq!(known.count(), ITEMS as usize);
        assert_eq!(new.into_inner(), filter.items());
    }
}
