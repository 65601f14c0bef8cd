//! Snapshots, while other calls make tokens hop, split words, and insert and remove items.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::testing::hooks::{Event, Fate, stepping, tally};
use step_tests::{Led, at_each_step, at_each_two_steps, bounded, fill, overtaken, tell};

use crate::doubling::{Doubling, double, filter_at, items};
use crate::fixed::{alternate, hash, table};

/// The buckets, as a power of two, of the table whose snapshot takes passes.
const LOG: u32 = 6;

/// The notes for which the log of such a table has room.
const NOTES: usize = 64;

/// Passes after a full log copy each token once. A hop before each access fills the log, and the
/// table is read again in passes, one for each group of stripes.
#[test]
fn passes_after_a_full_log() {
    let filter = Arc::new(table(1 << LOG, 256, 2));
    let at_rest = (0..60).map(|n| hash(LOG, n, 1_000 + 7 * n));
    // Each with a hash for either bucket.
    let hopping = (0..40).map(|n| (5 * n % (1 << LOG), 20_000 + 13 * n));
    let hopping =
        hopping.map(|(bucket, f)| [bucket, alternate(LOG, bucket, f)].map(|b| hash(LOG, b, f)));
    let hopping: Vec<[u64; 2]> = hopping.collect();
    let tokens: Vec<u64> = at_rest.chain(hopping.iter().map(|both| both[0])).collect();
    fill(&*filter, &tokens);
    let (before, others) = (tally(), Arc::clone(&filter));
    let on_step = move |step: usize| {
        let mut both = hopping[step % hopping.len()].iter();
        both.any(|&token| others.relocate_hash(token));
        Fate::Goes
    };
    let (copy, steps) = stepping(on_step, || filter.snapshot());
    let hints = tally().since(&before).of(Event::Hint);
    let name = format!("a snapshot of {steps} accesses, {hints} hints");
    tell(&name, 1, 0);
    assert!(hints > NOTES, "the log did not run full");
    let copy = copy.expect("no thread dies");
    let copy = copy.expect("passes have room for the hints");
    for &token in &tokens {
        assert_eq!(copy.count_hash(token), 1, "a token was not copied once");
    }
    assert_eq!(copy.len(), tokens.len());
}

/// A mover sees a scan, and notes its token only when the log is full and the table is read again
/// in passes, for another group of stripes. The token does not belong to that pass; its own pass
/// comes later.
#[test]
fn a_note_for_an_earlier_pass_adds_no_token() {
    /// The scan is announced to all stripes, and few words have been read.
    const TOLD: usize = 2 + NOTES + 1 + 8 + 12;
    /// Small enough that each pass is hit.
    const STRIDE: usize = 32;
    // Of the last stripe, and so of the last group, whatever their number.
    let late = hash(LOG, 40, 0x1000 | 127);
    let restless = [1, alternate(LOG, 1, 0x2000)].map(|bucket| hash(LOG, bucket, 0x2000));
    let mut late_notes = 0;
    at_each_two_steps(
        "a snapshot in passes and a late note",
        0,
        |[mover_at, stride]| {
            let filter = table(1 << LOG, 256, 2);
            fill(&filter, [late, restless[0]]);
            let (copy, reached) = thread::scope(|scope| {
                let scanner_at = [TOLD, TOLD + 1 + STRIDE * stride];
                let mut scanner = Led::begin(scope, scanner_at, || filter.snapshot());
                let mover = Led::begin(scope, [mover_at], || filter.relocate_hash(late));
                let mover_stops = mover.has_stopped();
                for _ in 0..NOTES {
                    assert!(
                        restless.iter().all(|&token| filter.relocate_hash(token)),
                        "in the way"
                    );
                }
                let reached = scanner.go_on();
                let before = tally();
                mover.finish();
                late_notes += tally().since(&before).of(Event::Hint);
                (scanner.finish(), (mover_stops, reached))
            });
            let copy = copy.expect("passes have room for the hints");
            let copied = [late, restless[0]].map(|token| copy.count_hash(token));
            assert_eq!(copied, [1, 1], "a token was not copied once");
            reached
        },
    );
    assert!(late_notes > 0, "no mover came late");
}

/// The accesses of a snapshot before it reads the words of a small table that doubles: it empties
/// the log, and announces itself to all stripes.
const ANNOUNCING: usize = 60;

/// Others act before each access of a snapshot. A copy must have every item once; few snapshots may
/// fail.
fn copied_at_each_step(name: &str, others: impl Fn(&Doubling, &[u64])) {
    let stored: Vec<u64> = items().take(24).collect();
    let mut copies = 0;
    at_each_step(&format!("a snapshot, and {name}"), 100, |step| {
        let filter = filter_at(4);
        fill(&filter, &stored);
        let (copy, reached) = overtaken(step, || others(&filter, &stored), || filter.snapshot());
        if let Ok(copy) = copy {
            copies += 1;
            let once = |&item: &u64| bounded(|| copy.count_hash(item)) == 1;
            assert!(stored.iter().all(once), "not copied once");
            assert_eq!(copy.len(), stored.len(), "{copy:?}");
        }
        reached
    });
    assert!(copies > 100, "{copies} copies");
}

fn hop_all(filter: &Doubling, items: &[u64]) {
    for &item in items {
        filter.relocate_hash(item);
    }
}

#[test]
fn a_copy_has_a_token_that_hops_meanwhile() {
    copied_at_each_step("hops", hop_all);
}

/// A copy of each item is inserted, and another one removed from the second bucket for items of the
/// first.
#[test]
fn a_copy_has_items_whose_copies_take_turns() {
    copied_at_each_step("items that take turns", |filter, items| {
        for &item in items {
            filter.insert_hash(item).expect("room");
            assert!(filter.remove_hash(item), "a stored item was not removed");
        }
    });
}

/// A copy has all items while words are split.
#[test]
fn all_items_during_splits() {
    copied_at_each_step("a growth", |filter, _| double(filter));
    copied_at_each_step("the begin of a growth", |filter, _| {
        filter.begin_to_double();
    });
}

/// A copy has a token that hops while words are split.
#[test]
fn token_hops_during_splits() {
    copied_at_each_step("hops, a growth and hops", |filter, items| {
        hop_all(filter, items);
        double(filter);
        hop_all(filter, items);
    });
    // Hops into buckets whose parents must be split first.
    copied_at_each_step("hops in a growth", |filter, items| {
        filter.begin_to_double();
        let extra = 0x5555_5555_5555;
        filter.insert_hash(extra).expect("room");
        hop_all(filter, items);
        assert!(filter.remove_hash(extra), "a stored item was not removed");
    });
}

/// An item that hops in a table of four buckets.
const ITEM: u64 = 3 << 60 | 5 << 10;

/// Returns a filter with the item in its second bucket, so that it hops to the first, which a scan
/// has already read.
fn with_item() -> Doubling {
    let filter = filter_at(2);
    filter.insert_hash(ITEM).expect("room");
    assert!(filter.relocate_hash(ITEM), "no thread is in the way");
    filter
}

/// A copy has a token that hops at each step. A hop begins before each access of a snapshot, and
/// stops at each of its own accesses until the snapshot has ended.
#[test]
fn token_hops_at_each_step() {
    at_each_two_steps(
        "a hop and a snapshot, both stopped",
        500,
        |[hop_at, scan_at]| {
            let filter = with_item();
            let (copy, reached) = thread::scope(|scope| {
                let scan = Led::begin(scope, [ANNOUNCING + scan_at], || filter.snapshot());
                let hop = Led::begin(scope, [hop_at], || filter.relocate_hash(ITEM));
                let reached = (hop.has_stopped(), scan.has_stopped());
                let copy = scan.finish();
                hop.finish();
                (copy, reached)
            });
            let copied = copy.map_or(1, |copy| copy.count_hash(ITEM));
            assert_eq!(copied, 1, "not copied once");
            reached
        },
    );
}

/// A copy has a token that hops and hops back. An item hops between two accesses of a snapshot, and
/// hops back between two later ones: each bucket is read while the item is in the other one.
#[test]
fn token_hops_back() {
    at_each_two_steps("a snapshot, and two hops", 1_000, |[first, second]| {
        let filter = with_item();
        let hop_at = [ANNOUNCING + first, ANNOUNCING + first + 1 + second];
        let (copy, reached) = thread::scope(|scope| {
            let mut scan = Led::begin(scope, hop_at, || filter.snapshot());
            let first_stops = scan.has_stopped();
            filter.relocate_hash(ITEM);
            let second_stops = scan.go_on();
            filter.relocate_hash(ITEM);
            (scan.finish(), (first_stops, second_stops))
        });
        let copied = copy.map_or(1, |copy| copy.count_hash(ITEM));
        assert_eq!(copied, 1, "not copied once");
        reached
    });
}
