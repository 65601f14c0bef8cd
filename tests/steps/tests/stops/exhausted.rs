//! All descriptors of a filter that doubles are with threads that have stopped for good, or stand still. An insert that
//! needs one must come back with an error: no thread may go round for ever.

use std::thread;

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::testing::{Double, Relocate};
use lockfree_cuckoo::{FilterBuilder, Growing, InsertError};
use model::hashers::AsGiven;
use step_tests::{Led, bounded};

use crate::alone::CALLS;
use crate::doubling::{Doubling, filter, filter_at, head, items};

/// Of its own head, so that it can hop from one of two buckets to the other.
const HOPPER: u64 = head(1);

/// Threads die in hops, one after the other, until this one finds no descriptor.
fn lose_all_descriptors(filter: &Doubling) {
    filter.insert_hash(HOPPER).expect("room");
    lose_the_rest(filter);
}

/// Returns the number of deaths.
fn lose_the_rest(filter: &Doubling) -> usize {
    // A claim takes the more accesses the more descriptors are lost, so the midst is not always at the same one.
    for (deaths, at) in (0..60).cycle().take(3_000).enumerate() {
        let dies = move |step| if step == at { Fate::Dies } else { Fate::Goes };
        let _ = stepping(dies, || filter.relocate_hash(HOPPER));
        // Whoever comes by settles the words.
        assert_eq!(bounded(|| filter.count_hash(HOPPER)), 1);
        if !bounded(|| filter.relocate_hash(HOPPER)) {
            return deaths;
        }
    }
    panic!("a descriptor is left");
}

/// The first refusal, of so many items at most.
fn refused(filter: &Doubling, items: usize) -> Option<InsertError> {
    let mut items = self::items().take(items);
    items.find_map(|item| bounded(|| filter.insert_hash(item)).err())
}

#[test]
fn an_insert_ends_when_dead_threads_have_all_descriptors() {
    let filter = filter();
    lose_all_descriptors(&filter);
    let error = refused(&filter, 100);
    assert!(
        error.as_ref().is_some_and(InsertError::is_transient),
        "it needs a descriptor: {error:?}"
    );
}

/// A larger table need not have more of them.
#[test]
fn an_insert_that_finds_no_descriptor_makes_no_table_grow() {
    let filter = filter_at(4);
    let slots = filter.slots();
    lose_all_descriptors(&filter);
    let error = refused(&filter, slots);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor { .. })),
        "it needs a descriptor: {error:?}"
    );
    assert_eq!(filter.slots(), slots, "it has grown");
}

#[test]
fn an_admission_ends_when_dead_threads_have_all_descriptors() {
    let filter = filter();
    lose_all_descriptors(&filter);
    let admitted = bounded(|| filter.insert_unique_hash(7 << 54 | head(9)));
    assert!(
        admitted.as_ref().is_err_and(InsertError::is_transient),
        "it needs a descriptor: {admitted:?}"
    );
}

#[test]
fn an_insert_ends_when_sleeping_threads_have_all_descriptors() {
    let filter = filter();
    filter.insert_hash(HOPPER).expect("room");
    let (error, asleep) = thread::scope(|scope| {
        let filter = &filter;
        // Stopped at each access, most of them with a descriptor.
        let asleep: Vec<_> = (0..40)
            .map(|at| Led::begin(scope, [at], || filter.relocate_hash(HOPPER)))
            .collect();
        // This thread has one of its own.
        lose_the_rest(filter);
        let error = std::panic::catch_unwind(|| refused(filter, 100));
        let number = asleep.len();
        asleep.into_iter().for_each(|led| {
            led.finish();
        });
        (error.expect("the insert ends"), number)
    });
    assert!(
        error.as_ref().is_some_and(InsertError::is_transient),
        "it needs a descriptor: {error:?}, {asleep} are asleep"
    );
    // Now there are descriptors again.
    assert_eq!(refused(&filter, 100), None);
}

/// The filter must not grow by more than it may, and its growth that is under way needs a descriptor. The error must not
/// say that memory is short.
#[test]
fn who_needs_a_descriptor_is_not_told_that_a_limit_is_reached() {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven).buckets(2);
    let filter: Doubling = builder.build().expect("memory");
    lose_all_descriptors(&filter);
    assert!(filter.begin_to_double());
    filter.limit_memory_usage(filter.memory_usage());
    let error = refused(&filter, 100);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor { .. })),
        "it needs a descriptor: {error:?}"
    );
}

/// Who has the filter alone takes back what the dead threads had.
#[test]
fn a_call_that_has_the_filter_alone_takes_all_descriptors_back() {
    for (name, call) in CALLS {
        let mut filter = filter();
        filter.insert_hash(HOPPER).expect("room");
        let deaths = lose_the_rest(&filter);
        assert!(deaths > 1, "{deaths} deaths");
        bounded(|| call(&mut filter));
        let again = lose_the_rest(&filter);
        assert_eq!(again, deaths, "{name}: not all descriptors are back");
        bounded(|| filter.clear());
        filter.insert_hash(HOPPER).expect("room");
        let again = lose_the_rest(&filter);
        assert_eq!(again, deaths, "clear: not all descriptors are back");
    }
    println!("{} scenes: descriptors are taken back", 2 * CALLS.len());
}
