//! Snapshots of a table of a fixed size, under others that let tokens hop.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::Relocate;
use lockfree_cuckoo::testing::hooks::{Event, Fate, stepping, tally};
use step_tests::{Led, at_each_step};

use crate::{alternate, hash, table};

/// Buckets of the table of a snapshot in passes, as a power of two.
const LOG: u32 = 6;

/// Notes that the log of such a table has room for.
const NOTES: usize = 64;

/// A hop before each access: the log runs full, and the table is read in passes, for a group of stripes each.
#[test]
fn a_log_that_runs_full_is_followed_by_passes_that_copy_each_token_once() {
    let filter = Arc::new(table(1 << LOG, 256));
    let at_rest: Vec<u64> = (0..60).map(|n| hash(LOG, n, 1_000 + 7 * n)).collect();
    let hopping: Vec<(u64, u64)> = (0..40)
        .map(|n| (5 * n % (1 << LOG), 20_000 + 13 * n))
        .collect();
    let of = |&(bucket, fingerprint): &(u64, u64)| hash(LOG, bucket, fingerprint);
    for token in at_rest.iter().copied().chain(hopping.iter().map(of)) {
        filter.insert_hash(token).expect("room");
    }
    let (before, hops) = (tally(), Rc::new(Cell::new(0)));
    let (others, counted, movers) = (Arc::clone(&filter), Rc::clone(&hops), hopping.clone());
    let on_step = move |step: usize| {
        let (bucket, fingerprint) = movers[step % movers.len()];
        let there = hash(LOG, bucket, fingerprint);
        let back = hash(LOG, alternate(LOG, bucket, fingerprint), fingerprint);
        if others.relocate_hash(there) || others.relocate_hash(back) {
            counted.set(counted.get() + 1);
        }
        Fate::Goes
    };
    let (copy, steps) = stepping(on_step, || filter.snapshot());
    let hints = tally().since(&before).of(Event::Hint);
    println!(
        "1 scenes: a snapshot of {steps} accesses, {} hops, {hints} hints",
        hops.get()
    );
    assert!(hints > NOTES, "the log did not run full");
    let copy = copy
        .expect("nobody dies")
        .expect("passes have room for the hints");
    for &token in &at_rest {
        assert_eq!(
            copy.count_hash(token),
            1,
            "a token at rest was not copied once"
        );
    }
    for token in hopping.iter().map(of) {
        assert_eq!(
            copy.count_hash(token),
            1,
            "a hopping token was not copied once"
        );
    }
    assert_eq!(copy.len(), at_rest.len() + hopping.len());
}

/// A mover learns of a scan, and notes its token only when the log has run full and the table is read again, in passes,
/// for another group of stripes. The token is not of that pass; a pass of its own comes later.
#[test]
fn a_note_for_an_earlier_pass_adds_no_token() {
    /// All stripes have been told of the scan, and few words have been read.
    const TOLD: usize = 1 + NOTES + 1 + 8 + 4;
    /// Few enough that each pass is met.
    const STRIDE: usize = 32;
    // Of the last stripe, so of the last group, however many there are.
    let late = hash(LOG, 40, 0x1000 | 127);
    let restless = hash(LOG, 1, 0x2000);
    let restless_back = hash(LOG, alternate(LOG, 1, 0x2000), 0x2000);
    let (mut scenes, mut late_notes) = (0, 0);
    at_each_step(|mover_at| {
        let mut mover_stops = false;
        at_each_step(|stride| {
            let filter = table(1 << LOG, 256);
            for token in [late, restless] {
                filter.insert_hash(token).expect("room");
            }
            let (copy, reached) = thread::scope(|scope| {
                let scanner_at = TOLD + 1 + STRIDE * stride;
                let mut scanner = Led::begin(scope, [TOLD, scanner_at], || filter.snapshot());
                let mover = Led::begin(scope, [mover_at], || filter.relocate_hash(late));
                mover_stops |= mover.has_stopped();
                for _ in 0..NOTES {
                    assert!(filter.relocate_hash(restless), "nobody is in the way");
                    assert!(filter.relocate_hash(restless_back), "nobody is in the way");
                }
                let reached = scanner.go_on();
                let before = tally();
                mover.finish();
                late_notes += tally().since(&before).of(Event::Hint);
                (scanner.finish(), reached)
            });
            scenes += 1;
            let copy = copy.expect("passes have room for the hints");
            assert_eq!(
                [late, restless].map(|token| copy.count_hash(token)),
                [1, 1],
                "accesses {mover_at} and {stride} times {STRIDE}: a token was not copied once"
            );
            reached
        });
        mover_stops
    });
    println!("{scenes} scenes: a snapshot in passes and a late note, {late_notes} times");
    assert!(late_notes > 0, "no mover came late");
}
