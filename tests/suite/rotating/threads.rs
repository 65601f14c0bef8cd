//! Several threads, while the filter rotates.

use std::sync::atomic::{AtomicU64, Ordering};

use crew::Crew;
use model::mix;

use super::{as_given, distinct, geometry};

/// Each thread inserts items of its own, and looks them up until they expire. The filter rotates
/// all the time.
#[test]
fn an_item_is_found_in_its_time() {
    for generations in 2..=5 {
        let filter = as_given(4_000, generations);
        let (late, _) = Crew::run(
            3,
            |_, thread| {
                let mut unclear = 0;
                for item in 0..30_000u64 {
                    let hash = mix((thread as u64) << 32 | item);
                    let began = filter.rotations();
                    if filter.insert_hash(hash).is_err() {
                        continue;
                    }
                    let found = filter.contains_hash(hash);
                    let ended = filter.rotations();
                    if ended < began + generations as u64 {
                        assert!(found, "an item is missed in its time");
                    } else {
                        unclear += 1;
                    }
                }
                unclear
            },
            1,
            |crew, _| {
                while crew.at_work() {
                    filter.rotate().expect("no thread is in the way");
                }
            },
        );
        assert!(late.iter().sum::<usize>() < 90_000, "some are to be clear");
    }
}

/// An item that is inserted again and removed once is found by all threads at any time, and is in
/// each snapshot.
#[test]
fn refreshed_item_is_found() {
    for generations in 2..=4 {
        let filter = as_given(1_000, generations);
        let items = distinct(geometry(&filter), 50, 2);
        filter.insert_many_hash(&items).expect("room");
        let (_, looks) = Crew::run(
            1,
            |_, _| {
                for round in 0..4_000 {
                    for &item in &items {
                        filter.insert_hash(item).expect("room");
                        assert!(filter.remove_hash(item), "it is in");
                    }
                    if round % 4 == 0 {
                        filter.rotate().expect("no thread is in the way");
                    }
                }
            },
            3,
            |crew, helper| {
                let mut looks = 0;
                loop {
                    // The last thread is alone.
                    let at_work = crew.at_work();
                    let snapshot = (helper == 2).then(|| filter.snapshot().ok()).flatten();
                    looks += usize::from(helper != 2 || snapshot.is_some());
                    for &item in &items {
                        let copy = snapshot.as_ref().unwrap_or(&filter);
                        assert!(copy.contains_hash(item), "it is in all the while");
                        if helper == 0 {
                            assert!(filter.count_hash(item) > 0);
                            assert_eq!(filter.insert_unique_hash(item), Ok(false));
                        }
                    }
                    if !at_work {
                        return looks;
                    }
                }
            },
        );
        assert!(!looks.contains(&0), "no snapshot was taken");
        assert_eq!(filter.len(), items.len(), "not conserved");
    }
}

/// All threads add the same items, while one of them rotates: exactly one adds each, once in each
/// of its lives.
#[test]
fn new_once_in_each_life() {
    const LIVES: u64 = 40;
    for generations in [2, 3, 5] {
        let filter = as_given(2_000, generations);
        let items = distinct(geometry(&filter), 1_000, 4);
        let added: Vec<AtomicU64> = items.iter().map(|_| AtomicU64::new(0)).collect();
        Crew::workers(4, |crew, thread| {
            for life in 0..LIVES {
                for (at, &item) in items.iter().enumerate() {
                    // In the middle of the race, but not often enough to end a life.
                    if thread == 0 && at % 300 == 100 && at / 300 + 1 < generations {
                        filter.rotate().expect("no thread is in the way");
                    }
                    if filter.insert_unique_hash(item).expect("room") {
                        added[at].fetch_add(1, Ordering::Relaxed);
                    }
                    assert!(filter.contains_hash(item), "an added item is missed");
                }
                crew.meet();
                if thread == 0 {
                    for (at, &item) in items.iter().enumerate() {
                        let added = added[at].load(Ordering::Relaxed);
                        assert_eq!(added, life + 1, "not once in its life");
                        assert_eq!(filter.count_hash(item), 1, "copies of one item");
                    }
                    for _ in 0..generations {
                        filter.rotate().expect("alone");
                    }
                    assert!(filter.is_empty(), "the life is over");
                }
                crew.meet();
            }
        });
    }
}

/// If several threads ask for one rotation, one of them makes it. Others rotate at random times,
/// and the tokens are conserved.
#[test]
fn one_rotation_for_several() {
    let filter = as_given(500, 3);
    let items = distinct(geometry(&filter), 400, 6);
    let made = Crew::workers(4, |crew, thread| {
        let mut made = 0;
        for round in 0..2_000u64 {
            crew.meet();
            let mine = items.iter().skip(thread).step_by(4);
            mine.for_each(|&item| filter.insert_hash(item).expect("room"));
            made += u64::from(filter.rotate_if(round).expect("no thread is in the way"));
            assert_eq!(filter.rotations(), round + 1);
        }
        made
    });
    assert_eq!(made.iter().sum::<u64>(), 2_000);
    for _ in 0..3 {
        filter.rotate().expect("alone");
    }
    assert_eq!(filter.len(), 0, "tokens are counted exactly");
    assert!(items.iter().all(|&item| !filter.contains_hash(item)));
}

/// Several threads rotate as fast as they can while others write: expired items do not come back,
/// and the count is exact at the end.
#[test]
fn expired_items_stay_away() {
    for generations in 2..=4 {
        let filter = as_given(300, generations);
        let items = distinct(geometry(&filter), 2_000, 8);
        let (_, rotated) = Crew::run(
            2,
            |_, thread| {
                for turn in 0..60_000u64 {
                    let item = items[mix(turn << 1 | thread as u64) as usize % items.len()];
                    let began = filter.rotations();
                    let _ = filter.insert_hash(item);
                    if turn % 3 == 0 {
                        let _ = filter.insert_unique_hash(item);
                    }
                    if turn % 5 == 0 && filter.rotations() == began {
                        filter.remove_hash(item);
                    }
                }
            },
            2,
            |crew, _| {
                let mut rotated = 0u64;
                while crew.at_work() {
                    rotated += u64::from(filter.rotate().is_ok());
                }
                rotated
            },
        );
        assert_eq!(rotated.iter().sum::<u64>(), filter.rotations());
        for _ in 0..generations {
            filter.rotate().expect("alone");
        }
        // Also in the tables that hold no generation now.
        for _ in 0..=generations {
            assert_eq!(filter.len(), 0, "tokens are counted exactly");
            assert!(items.iter().all(|&item| filter.count_hash(item) == 0));
            filter.rotate().expect("alone");
        }
    }
}
