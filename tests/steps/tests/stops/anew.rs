//! Filters that double and begin anew when they are empty, under threads that are late or asleep.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use step_tests::{Led, at_each_step, bounded, overtaken};

use crate::doubling::{Doubling, add_table, filter, filter_at_the_end, head, items, places};
use crate::run_what_is_deferred;

/// Removes what [`filter_at_the_end`] and [`add_table`] have put there.
fn remove_all(filter: &Doubling) {
    let added = (0..9).map(|tail| 999 << 54 | tail << 45 | head(7));
    for item in items().take(1 << 11).chain(added) {
        assert!(filter.remove_hash(item), "a stored item was not removed");
    }
}

/// An insert has found a word of the second table that nobody has written to, and stands still. The filter begins anew, and
/// gives back that table: the word is again as if nobody had written to it, but nobody would look there any more.
#[test]
fn an_insert_is_not_lost_in_a_table_that_was_sealed() {
    /// At which the second table begins.
    const LEVEL: u32 = 11;
    // Its word on the first side is in a page that is given back.
    let item = items()
        .skip(1 << 11)
        .find(|&item| (512..1024).contains(&places(item, LEVEL)[0]))
        .expect("endless");
    let mut late = 0;
    let steps = at_each_step(|step| {
        let filter = filter_at_the_end();
        add_table(&filter);
        remove_all(&filter);
        let filter = Arc::new(filter);
        let others: Arc<Doubling> = Arc::clone(&filter);
        let begin_anew = move || {
            others.shrink_to_fit();
            run_what_is_deferred();
        };
        let (inserted, reached) = overtaken(step, begin_anew, || filter.insert_hash(item));
        inserted.expect("memory");
        late += usize::from(reached && filter.segments() == 1);
        let there = bounded(|| filter.count_hash(item));
        assert_eq!(there, 1, "access {step}: an item was lost with its table");
        reached
    });
    println!("{steps} scenes: an insert, and a filter that begins anew");
    assert!(late > 5, "{late} late inserts, {steps} accesses");
}

fn shrink(filter: &Doubling, slots: usize) {
    let shrunk = (0..2_000).any(|turn| {
        filter.shrink_to_fit();
        // Threads of other tests may be asleep while they are pinned.
        thread::sleep(Duration::from_millis(u64::from(turn > 100)));
        filter.slots() == slots
    });
    assert!(shrunk, "it does not begin anew: {filter:?}");
}

/// A filter in its second generation, which has grown and was emptied.
fn emptied() -> Doubling {
    const ITEMS: usize = 100;
    let filter = filter();
    let slots = filter.slots();
    for generation in 0..2 {
        for item in items().take(ITEMS) {
            filter.insert_hash(item).expect("memory");
        }
        for item in items().take(ITEMS) {
            assert!(filter.remove_hash(item), "a stored item was not removed");
        }
        if generation == 0 {
            shrink(&filter, slots);
        }
    }
    filter
}

/// Who has sealed a generation stands still at each access. A lookup of another thread leaves it, and that thread sleeps
/// from then on, outside of any call. What it has left is freed all the same.
#[test]
fn what_a_thread_leaves_is_freed_while_it_sleeps() {
    let steps = at_each_step(|step| {
        let filter = emptied();
        let full = filter.memory_usage();
        let ((tell, news), (wake, sleep)) = (channel(), channel::<()>());
        thread::scope(|scope| {
            let shrinking = Led::begin(scope, [step], || filter.shrink_to_fit());
            let reached = shrinking.has_stopped();
            let filter = &filter;
            scope.spawn(move || {
                let _ = tell.send(filter.contains_hash(0));
                let _ = sleep.recv();
            });
            let seen = news.recv().expect("it goes on");
            assert!(!seen, "access {step}: nothing is in");
            shrinking.finish();
            let freed = (0..2_000).any(|turn| {
                crossbeam_epoch::pin().flush();
                thread::sleep(Duration::from_millis(u64::from(turn > 100)));
                filter.memory_usage() < full
            });
            drop(wake);
            assert!(freed, "access {step}: a sleeper keeps what it left");
            reached
        })
    });
    println!("{steps} scenes: a generation that is left by who sleeps then");
    assert!(steps > 100, "{steps} accesses");
}
