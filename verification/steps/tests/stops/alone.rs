//! Dead and stopped threads in a filter that doubles: calls with exclusive access afterwards, and
//! inserts that find no descriptor.

use std::thread;

use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{FilterBuilder, InsertError, filter::Growing};
use model::hashers::AsGiven;
use step_tests::{Led, Playing, at_each_step, bounded, dies_at, fill, tell};

use crate::doubling::{Doubling, double, filter_at, filter_at_the_end, head, items};

/// The item that the dead thread inserts or removes. No token of another item covers it.
const OWN: u64 = head(63);

/// Returns the stored items, none with the head of [`OWN`].
fn stored() -> impl Iterator<Item = u64> {
    items().filter(|item| item >> 10 & 63 != 63).take(60)
}

/// A call that keeps the stored items, and the copy of the filter if it makes one.
type Call = fn(&mut Doubling) -> Option<Doubling>;

/// Reads stored bytes.
fn read(bytes: &[u8]) -> Option<Doubling> {
    Some(Doubling::from_bytes_with_hasher(bytes, AsGiven).expect("sound"))
}

const CALLS: [(&str, Call); 2] = [
    // Also after a death in a scan: this call needs no scan while no thread writes.
    ("to_bytes", |filter| {
        read(&filter.to_bytes().expect("no thread writes"))
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

/// Returns a filter whose words are to be split.
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

/// Returns a filter of two tables, neither of which can hold all copies of the one item.
fn of_two_tables_that_stay() -> Doubling {
    let filter = filter_at_the_end();
    fill(&filter, [OWN; 8]);
    assert!(filter.add_table());
    fill(&filter, [OWN; 8]);
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

/// The call of the dead thread, with the possible numbers of copies of its item. With fewer
/// accesses than the last number, the call would not do what its name says.
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
        |filter| drop(filter.snapshot().expect("no other thread")),
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

/// Checks that the call keeps all items, and that its copies have all of them.
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

/// The last call is `clear`, or the only one. It need not keep anything, and everything can be
/// inserted again.
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

/// A scan of a dead thread ends in each table, also if it scanned a table that stays when the
/// filter shrinks. The scene stops at some of its many accesses.
#[test]
fn scan_of_a_dead_thread() {
    const STRIDE: usize = 101;
    let mut scenes = 0;
    for at in (0..).step_by(STRIDE) {
        let _playing = Playing(format!("a death at access {at} of a snapshot"));
        let mut filter = of_two_tables_that_stay();
        let died = dies_at(at, || drop(filter.snapshot().expect("no other thread")));
        bounded(|| filter.shrink_to_fit());
        assert_eq!(filter.tables(), 2, "one holds all copies");
        let copy = bounded(|| filter.snapshot());
        assert!(copy.is_ok(), "no scan can begin: {copy:?}");
        assert_eq!(copy.map_or(0, |copy| copy.count_hash(OWN)), 16);
        scenes += 1;
        if !died {
            break;
        }
    }
    tell("a death in a snapshot of two tables", scenes, 30);
}

/// An item with a head of its own, so that it can hop between its two buckets.
const HOPPER: u64 = head(1);

/// Returns a filter of two buckets to which no descriptors are added.
fn few() -> Doubling {
    let builder = FilterBuilder::<Growing, _>::with_hasher(AsGiven).buckets(2);
    builder.descriptors(2).build().expect("memory")
}

/// Lets threads die in hops, one after another, until this thread finds no descriptor. Returns the
/// number of deaths.
fn lose_all_descriptors(filter: &Doubling) -> usize {
    // A claim takes more accesses the more descriptors are lost, so the middle of a hop is not
    // always the same access.
    for (deaths, at) in (0..60).cycle().take(3_000).enumerate() {
        dies_at(at, || filter.relocate_hash(HOPPER));
        // The count settles the words.
        assert_eq!(bounded(|| filter.count_hash(HOPPER)), 1);
        if !bounded(|| filter.relocate_hash(HOPPER)) {
            return deaths;
        }
    }
    panic!("a descriptor is left");
}

/// Returns the filter with the hopping item and without a free descriptor.
fn without_descriptors(filter: Doubling) -> Doubling {
    filter.insert_hash(HOPPER).expect("room");
    lose_all_descriptors(&filter);
    filter
}

/// Returns the first refusal among at most this number of items.
fn refused(filter: &Doubling, number: usize) -> Option<InsertError> {
    let mut items = items().take(number);
    items.find_map(|item| bounded(|| filter.insert_hash(item)).err())
}

/// Checks the error: a thread without a descriptor must return instead of looping.
fn needs_a_descriptor(error: Option<InsertError>) {
    let transient = error.as_ref().is_some_and(InsertError::is_transient);
    assert!(transient, "it needs a descriptor: {error:?}");
}

/// An insert ends when dead threads have all descriptors.
#[test]
fn dead_have_all_descriptors() {
    let filter = without_descriptors(few());
    needs_a_descriptor(refused(&filter, 100));
    let admitted = bounded(|| filter.insert_unique_hash(7 << 54 | head(9)));
    needs_a_descriptor(admitted.err());
}

/// An insert that finds no descriptor makes no table grow. A larger table need not have more of
/// them.
#[test]
fn no_descriptor_no_growth() {
    let filter = few();
    (1..4).for_each(|_| double(&filter));
    let filter = without_descriptors(filter);
    let slots = filter.slots();
    let error = refused(&filter, slots);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor)),
        "{error:?}"
    );
    assert_eq!(filter.slots(), slots, "it has grown");
}

/// An insert ends when sleeping threads have all descriptors.
#[test]
fn sleepers_have_all_descriptors() {
    let filter = few();
    filter.insert_hash(HOPPER).expect("room");
    let error = thread::scope(|scope| {
        let filter = &filter;
        // Threads stopped at each access, most of them with a descriptor.
        let asleep = (0..40).map(|at| Led::begin(scope, [at], || filter.relocate_hash(HOPPER)));
        let asleep: Vec<_> = asleep.collect();
        // This thread has a descriptor of its own.
        lose_all_descriptors(filter);
        let error = std::panic::catch_unwind(|| refused(filter, 100));
        let ended = asleep.into_iter().map(Led::finish);
        assert_eq!(ended.count(), 40);
        error.expect("the insert ends")
    });
    needs_a_descriptor(error);
    // Now there are free descriptors again.
    assert_eq!(refused(&filter, 100), None);
}

/// A lack of descriptors is not reported as a limit. The filter has reached its limit on memory,
/// and the growth under way needs a descriptor. The error must not say that memory is short.
#[test]
fn no_descriptor_is_no_limit() {
    let filter = without_descriptors(few());
    assert!(filter.begin_to_double());
    filter.set_memory_allowance(filter.memory_usage());
    let error = refused(&filter, 100);
    assert!(
        matches!(error, Some(InsertError::NoDescriptor)),
        "{error:?}"
    );
}

/// A call with exclusive access takes back the descriptors of the dead threads.
#[test]
fn alone_reclaims_descriptors() {
    let calls: [fn(&mut Doubling); 2] = [Doubling::shrink_to_fit, Doubling::clear];
    for call in calls {
        let mut filter = few();
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
