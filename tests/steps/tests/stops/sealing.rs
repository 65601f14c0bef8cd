//! Segments that are taken out of the list.
//!
//! Epochs are the whole process's. What another test does can only delay a seal, and so hide a fault; the driver runs
//! each test in a process of its own.

use std::thread;

use crossbeam_epoch::pin;
use lockfree_cuckoo::testing::AddSegment;
use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use step_tests::{Led, at_each_step};

use crate::first_segment;

const ITEM: u64 = 0x1234_5678_9abc_def1;

/// In the new segment, so that it is not the one to go.
const RESIDENT: u64 = !ITEM;

/// The exchange of an insert, after it has loaded its two words.
const EXCHANGE: usize = 2;

/// Lets what is deferred run, if no thread is in its way.
fn move_epochs_on(times: usize) {
    (0..times).for_each(|_| pin().flush());
}

/// An insert is on its way to the old segment when another thread looks whether that can be taken out. Before each
/// access of the latter the insert comes to its end, and the segment is sealed. Had it been found empty before it was
/// found sealed, it would go with the item.
#[test]
fn a_segment_is_looked_through_after_it_was_found_sealed() {
    let steps = at_each_step(|step| {
        let filter = first_segment();
        let reached = thread::scope(|scope| {
            // The first pin of a thread moves the epoch on, so it comes ahead of the one that counts.
            drop(pin());
            let insert = Led::begin(scope, [EXCHANGE], || {
                drop(pin());
                filter.insert_hash(ITEM)
            });
            assert!(filter.add_segment(4));
            filter.insert_hash(RESIDENT).expect("room");
            // By one and no more: the insert is pinned.
            move_epochs_on(8);
            let unlinking = Led::begin(scope, [step], || {
                drop(pin());
                filter.shrink_to_fit();
            });
            assert!(insert.finish().is_ok());
            // Now it can be sealed.
            move_epochs_on(64);
            let reached = unlinking.has_stopped();
            unlinking.finish();
            reached
        });
        assert!(
            filter.contains_hash(ITEM),
            "access {step}: an item is lost with its segment"
        );
        reached
    });
    println!("{steps} scenes: a segment is taken out, and an insert by an older list");
    assert!(steps > 5, "{steps} accesses");
}

/// A thread dies between the exchange that adds its item and the count. The item is in, though the count says that its
/// segment is empty.
#[test]
fn an_item_that_was_not_counted_keeps_its_segment() {
    let mut uncounted = 0;
    let steps = at_each_step(|step| {
        let filter = first_segment();
        let dies = move |now| if now == step { Fate::Dies } else { Fate::Goes };
        let (inserted, _) = stepping(dies, || filter.insert_hash(ITEM));
        let is_in = filter.contains_hash(ITEM);
        uncounted += usize::from(is_in && filter.is_empty());
        assert!(filter.add_segment(4));
        filter.insert_hash(RESIDENT).expect("room");
        // If it stays it is there each time.
        let goes = (0..1_000).any(|_| {
            move_epochs_on(1);
            filter.shrink_to_fit();
            thread::yield_now();
            filter.segments() == 1
        });
        assert_eq!(
            filter.contains_hash(ITEM),
            is_in,
            "access {step}: an item is lost with its segment"
        );
        assert_eq!(goes, !is_in, "access {step}: the segment was not looked at");
        inserted.is_none()
    });
    println!("{steps} scenes: an insert that dies in a segment");
    assert!(uncounted > 0, "no item was in without being counted");
}
