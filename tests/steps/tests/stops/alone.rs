//! Threads that have died in the midst of something, or stand still, in a filter that doubles: calls that have it alone
//! afterwards, and inserts that find no descriptor.

use std::thread;

use lockfree_cuckoo::testing::{Double, Relocate};
use lockfree_cuckoo::{FilterBuilder, Growing, InsertError};
use model::hashers::AsGiven;
use step_tests::{Led, at_each_step, bounded, dies_at, fill, tell};

use crate::doubling::{Doubling, filter, filter_at, filter_at_the_end, head, items};

/// What the dead thread adds, or removes. No token of another item covers it.
const OWN: u64 = head(63);

/// Those that are in, none with the head of [`OWN`].
fn stored() -> impl Iterator<Item = u64> {
    items().filter(|item| item >> 10 & 63 != 63).take(60)
}

/// A call, and the copies of the filter that it makes. It leaves what is in.
type Call = fn(&mut Doubling) -> Option<Doubling>;

/// What is stored is read back.
fn read(bytes: &[u8]) -> Option<Doubling> {
    Some(Doubling::from_bytes_with_hasher(bytes, AsGiven).expect("sound"))
}

const CALLS: [(&str, Call); 2] = [
    // Also after a death in a scan: it needs none while nobody writes.
    ("to_bytes", |filter| {
        read(&filter.to_bytes().expect("nobody writes"))
    }),
    ("shrink_to_fit", |filter| {
        filter.shrink_to_fit();
        None
    }),
];

fn at_rest() -> Doubling {
    let filter = filter_at(5);
    fill(&filter, stored());
    filter
}

/// One whose words are to be split.
fn growing() -> Doubling {
    let filter = at_rest();
    assert!(filter.begin_to_double());
    filter
}

fn with_own(filter: Doubling) -> Doubling {
    filter.insert_hash(OWN).expect("room");
    filter
}

fn of_two_tables() -> Doubling {
    let filter = filter_at_the_end();
    fill(&filter, stored());
    assert!(filter.add_table());
    filter
}

fn insert(filter: &Doubling) {
    filter.insert_hash(OWN).expect("room");
}

fn remove(filter: &Doubling) {
    assert!(filter.remove_hash(OWN), "a stored item");
}

fn hop(filter: &Doubling) {
    assert!(filter.relocate_hash(OWN), "there is room");
}

fn admit(filter: &Doubling) {
    assert_eq!(filter.insert_unique_hash(OWN), Ok(true));
}

/// What the dead thread has done: how many of its own item there may be. Fewer accesses than the last number would mean that
/// it did not do what its name says.
type Death = (
    &'static str,
    fn() -> Doubling,
    fn(&Doubling),
    [usize; 2],
    usize,
);

const DEATHS: [Death; 9] = [
    ("an insert that splits", growing, insert, [0, 1], 100),
    (
        "a remove that splits",
        || with_own(growing()),
        remove,
        [0, 1],
        100,
    ),
    ("a hop", || with_own(at_rest()), hop, [1, 1], 15),
    (
        "a hop over two levels",
        || with_own(growing()),
        hop,
        [1, 1],
        15,
    ),
    ("an admission", at_rest, admit, [0, 1], 15),
    ("an admission over two levels", growing, admit, [0, 1], 100),
    (
        "an admission in the second table",
        of_two_tables,
        admit,
        [0, 1],
        15,
    ),
    (
        "the end of a growth",
        growing,
        |filter| assert!(filter.finish_doubling()),
        [0, 0],
        200,
    ),
    (
        "a snapshot",
        at_rest,
        |filter| drop(filter.snapshot().expect("nobody else")),
        [0, 0],
        256,
    ),
];

fn assert_all_are_in(filter: &Doubling, own: [usize; 2]) {
    let lost = stored().find(|&item| !filter.contains_hash(item));
    assert_eq!(lost, None, "a stored item is lost");
    let there = filter.count_hash(OWN);
    assert!(own.contains(&there), "{there} of its own item");
}

/// The call keeps all, and the copies that it makes have all.
fn keeps_all(filter: &mut Doubling, call: Call, own: [usize; 2]) {
    let copy = bounded(|| call(filter));
    bounded(|| {
        for filter in copy.iter().chain([&*filter]) {
            assert_all_are_in(filter, own);
        }
    });
    if let Some(copy) = copy {
        let len = stored().count() + copy.count_hash(OWN);
        assert_eq!(copy.len(), len, "a token too many, or too few");
    }
}

/// The last call is clear, or the only one. It need not keep anything, and everything can be added again.
#[test]
fn each_returns_and_nothing_is_lost() {
    for (death, begin, act, own, fewest) in DEATHS {
        for call in CALLS.into_iter().map(Some).chain([None]) {
            let name = call.map_or("clear", |(name, _)| name);
            let name = format!("{name} after a death in {death}");
            at_each_step(&name, fewest - 1, |step| {
                let mut filter = begin();
                let died = dies_at(step, || act(&filter));
                if let Some((_, call)) = call {
                    keeps_all(&mut filter, call, own);
                }
                bounded(|| filter.clear());
                assert!(filter.snapshot().is_ok(), "no scan can begin");
                assert!(filter.is_empty());
                let left = stored().chain([OWN]).any(|item| filter.contains_hash(item));
                assert!(!left, "something is left");
                fill(&filter, stored());
                assert_all_are_in(&filter, [0, 0]);
                died
            });
        }
    }
}

/// Of its own head, so that it can hop from one of two buckets to the other.
const HOPPER: u64 = head(1);

/// Threads die in hops, one after the other, until this one finds no descriptor. Returns the number of deaths.
fn lose_all_descriptors(filter: &Doubling) -> usize {
    // A claim takes the more accesses the more descriptors are lost, so the midst is not always at the same one.
    for (deaths, at) in (0..60).cycle().take(3_000).enumerate() {
        dies_at(at, || filter.relocate_hash(HOPPER));
        // Whoever comes by settles the words.
        assert_eq!(bounded(|| filter.count_hash(HOPPER)), 1);
        if !bounded(|| filter.relocate_hash(HOPPER)) {
            return deaths;
        }
    }
    panic!("a descriptor is left");
}

/// With the hopper, and no descriptor.
fn without_descriptors(filter: Doubling) -> Doubling {
    filter.insert_hash(HOPPER).expect("room");
    lose_all_descriptors(&filter);
    filter
}

/// The first refusal, of so many items at most.
fn refused(filter: &Doubling, number: usize) -> Option<InsertError> {
    let mut items = items().take(number);
    items.find_map(|item| bounded(|| filter.insert_hash(item)).err())
}

/// It must come back with an error: no thread may go round for ever.
fn needs_a_descriptor(error: Option<InsertError>) {
    let transient = error.as_ref().is_some_and(InsertError::is_transient);
    assert!(transient, "it needs a descriptor: {error:?}");
}

#[test]
fn an_insert_ends_when_dead_threads_have_all_descriptors() {
    let filter = without_descriptors(filter());
    needs_a_descriptor(refused(&filter, 100));
    let admitted = bounded(|| filter.insert_unique_hash(7 << 54 | head(9)));
    needs_a_descriptor(admitted.err());
}

/// A larger table need not have more of them.
#[test]
fn an_insert_that_finds_no_descriptor_makes_no_table_grow() {
    let filter = without_descriptors(filter_at(4));
    let slots = filter.slots();
    let error = refused(&filter, slots);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor { .. })),
        "{error:?}"
    );
    assert_eq!(filter.slots(), slots, "it has grown");
}

#[test]
fn an_insert_ends_when_sleeping_threads_have_all_descriptors() {
    let filter = filter();
    filter.insert_hash(HOPPER).expect("room");
    let error = thread::scope(|scope| {
        let filter = &filter;
        // Stopped at each access, most of them with a descriptor.
        let asleep = (0..40).map(|at| Led::begin(scope, [at], || filter.relocate_hash(HOPPER)));
        let asleep: Vec<_> = asleep.collect();
        // This thread has one of its own.
        lose_all_descriptors(filter);
        let error = std::panic::catch_unwind(|| refused(filter, 100));
        let ended = asleep.into_iter().map(Led::finish);
        assert_eq!(ended.count(), 40);
        error.expect("the insert ends")
    });
    needs_a_descriptor(error);
    // Now there are descriptors again.
    assert_eq!(refused(&filter, 100), None);
}

/// The filter must not grow by more than it may, and its growth that is under way needs a descriptor. The error must not
/// say that memory is short.
#[test]
fn who_needs_a_descriptor_is_not_told_that_a_limit_is_reached() {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven).buckets(2);
    let filter = without_descriptors(builder.build().expect("memory"));
    assert!(filter.begin_to_double());
    filter.limit_memory_usage(filter.memory_usage());
    let error = refused(&filter, 100);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor { .. })),
        "{error:?}"
    );
}

/// Who has the filter alone takes back what the dead threads had.
#[test]
fn a_call_that_has_the_filter_alone_takes_all_descriptors_back() {
    let calls: [fn(&mut Doubling); 2] = [Doubling::shrink_to_fit, Doubling::clear];
    for call in calls {
        let mut filter = filter();
        filter.insert_hash(HOPPER).expect("room");
        let deaths = lose_all_descriptors(&filter);
        assert!(deaths > 1, "{deaths} deaths");
        bounded(|| call(&mut filter));
        if filter.is_empty() {
            filter.insert_hash(HOPPER).expect("room");
        }
        let again = lose_all_descriptors(&filter);
        assert_eq!(again, deaths, "not all descriptors are back");
    }
    tell("descriptors are taken back", 2, 0);
}
