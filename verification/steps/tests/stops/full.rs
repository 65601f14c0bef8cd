//! Nearly full fixed filters, where inserts need paths: one or two threads die in calls, and calls
//! overlap.

use std::thread;

use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{CuckooFilter, FilterBuilder, InsertError, SnapshotError, filter::Fixed};
use model::hashers::AsGiven;
use model::mix;
use step_tests::{Led, accesses, at_each_step, at_each_two_steps, bounded, dies_at};

type Full = CuckooFilter<AsGiven>;

/// The stored items, and those of the calls.
struct Cast {
    stored: Vec<u64>,
    /// Two absent items whose inserts need a path.
    newcomers: [u64; 2],
    /// An item with two copies, one in each of its buckets.
    twin: u64,
    /// An item that can move to its other bucket.
    mover: u64,
}

/// Returns an empty filter with one descriptor more than threads die.
fn empty() -> Full {
    let builder = FilterBuilder::<Fixed, _>::with_hasher(AsGiven).buckets(16);
    let builder = builder.search_budget(64).descriptors(3);
    builder.build().expect("memory")
}

impl Cast {
    /// With this number of 64 slots filled, an insert may find both its buckets full.
    const STORED: usize = 54;

    fn new() -> Self {
        let (probe, mut stored) = (empty(), Vec::new());
        // No two of one class.
        let mut items = (0..).map(mix).filter(|&item| {
            let fresh = probe.count_hash(item) == 0;
            fresh && probe.insert_hash(item).is_ok()
        });
        stored.extend(items.by_ref().take(Self::STORED));
        let twin = items.next().expect("endless");
        let mut cast = Self {
            stored,
            newcomers: [0; 2],
            twin,
            mover: 0,
        };
        let hops = |item: &&u64| cast.filter().relocate_hash(**item);
        cast.mover = *cast.stored.iter().find(hops).expect("there is room");
        let filter = cast.filter();
        let absent = (1 << 20..)
            .map(mix)
            .filter(|&item| filter.count_hash(item) == 0);
        let mut needs_path = absent.filter(|&item| {
            let filter = cast.filter();
            accesses(|| filter.insert_hash(item)) > 20 && filter.count_hash(item) == 1
        });
        let newcomers = [(); 2].map(|()| needs_path.next().expect("it is nearly full"));
        drop(needs_path);
        Self { newcomers, ..cast }
    }

    fn filter(&self) -> Full {
        let filter = empty();
        for &item in self.stored.iter().chain([&self.twin; 2]) {
            filter.insert_hash(item).expect("room");
        }
        filter
    }

    /// Checks an idle filter: every item that no call touches is stored once, and the others as
    /// often as `may_be` allows. `len` is off by at most one for each dead thread.
    fn check(&self, filter: &Full, may_be: [(u64, [usize; 2]); 3], dead: usize, scans: bool) {
        let count = |item| bounded(|| filter.count_hash(item));
        let lost = self.stored.iter().find(|&&item| count(item) != 1);
        assert_eq!(lost, None, "an item was lost or made");
        let mut all = self.stored.len();
        for (item, [least, most]) in may_be {
            let there = count(item);
            assert!((least..=most).contains(&there), "{there} of an item");
            assert_eq!(bounded(|| filter.contains_hash(item)), there > 0);
            all += there;
        }
        assert!(filter.len().abs_diff(all) <= dead, "the count is off");
        match bounded(|| filter.snapshot()) {
            Ok(copy) => {
                let items = self.stored.iter().copied();
                let mut items = items.chain(may_be.map(|(item, _)| item));
                let differs = items.find(|&item| copy.count_hash(item) != count(item));
                assert_eq!((differs, copy.len()), (None, all), "a copy differs");
            }
            Err(SnapshotError::Busy) if scans => {}
            Err(error) => panic!("no thread is at work: {error}"),
        }
        let admitted = bounded(|| filter.insert_unique_hash(mix(1 << 30)));
        let refused = matches!(admitted, Err(InsertError::NoDescriptor));
        assert!(!refused, "refused for the dead");
    }
}

/// The numbers of copies that a call can add or remove, in the order in which [`Cast::check`] gets
/// the items: both newcomers, and the twin.
#[derive(Clone, Copy)]
struct Call {
    name: &'static str,
    call: fn(&Full, &Cast) -> bool,
    changes: Option<usize>,
    /// With fewer accesses, the call would not do what its name says.
    least: usize,
}

const INSERT: Call = Call {
    name: "an insert by a path",
    call: |filter, cast| filter.insert_hash(cast.newcomers[0]).is_ok(),
    changes: Some(0),
    least: 20,
};
const ADMISSION: Call = Call {
    name: "an admission by a path",
    call: |filter, cast| filter.insert_unique_hash(cast.newcomers[1]) == Ok(true),
    changes: Some(1),
    least: 30,
};
const REMOVE: Call = Call {
    name: "a remove of one of two equal tokens",
    call: |filter, cast| {
        assert!(filter.remove_hash(cast.twin), "an item was missed");
        true
    },
    changes: Some(2),
    least: 6,
};
const HOP: Call = Call {
    name: "a hop",
    call: |filter, cast| filter.relocate_hash(cast.mover),
    changes: None,
    least: 12,
};
const SNAPSHOT: Call = Call {
    name: "a snapshot",
    call: |filter, _| filter.snapshot().is_ok(),
    changes: None,
    least: 100,
};
const LOOKUP: Call = Call {
    name: "a lookup",
    call: |filter, cast| {
        assert!(filter.contains_hash(cast.mover), "an item was missed");
        true
    },
    changes: None,
    least: 3,
};
const COUNT: Call = Call {
    name: "a count",
    call: |filter, cast| {
        assert_eq!(filter.count_hash(cast.mover), 1, "an item was missed");
        true
    },
    changes: None,
    least: 3,
};

/// Returns the possible numbers of copies after calls that took effect, did not, or may have.
fn after(cast: &Cast, calls: &[(Call, Option<bool>)]) -> [(u64, [usize; 2]); 3] {
    let [a, b] = cast.newcomers;
    let mut may_be = [(a, [0, 0]), (b, [0, 0]), (cast.twin, [2, 2])];
    for &(call, took_effect) in calls {
        let Some(place) = call.changes else {
            continue;
        };
        let [least, most] = &mut may_be[place].1;
        match (place, took_effect) {
            (_, Some(false)) => {}
            (2, Some(true)) => (*least, *most) = (*least - 1, *most - 1),
            (2, None) => *least -= 1,
            (_, Some(true)) => (*least, *most) = (*least + 1, *most + 1),
            (_, None) => *most += 1,
        }
    }
    may_be
}

#[test]
fn a_call_that_dies_loses_nothing() {
    let cast = Cast::new();
    for call in [INSERT, ADMISSION, REMOVE, HOP, SNAPSHOT] {
        at_each_step(&format!("a death in {}", call.name), call.least, |step| {
            let filter = cast.filter();
            let died = dies_at(step, || (call.call)(&filter, &cast));
            let effect = if died { None } else { Some(true) };
            let scans = call.name == SNAPSHOT.name;
            cast.check(&filter, after(&cast, &[(call, effect)]), 1, scans);
            died
        });
    }
}

/// The second call finds words that the first has left frozen, and dies while it settles them.
#[test]
fn two_calls_that_die_lose_nothing() {
    let cast = Cast::new();
    for first in [INSERT, ADMISSION, HOP] {
        for second in [INSERT, ADMISSION, REMOVE, HOP] {
            let name = format!("a death in {}, and one in {}", first.name, second.name);
            at_each_two_steps(&name, first.least * second.least, |steps| {
                let filter = cast.filter();
                let calls = [first, second];
                let died = [0, 1].map(|at| dies_at(steps[at], || (calls[at].call)(&filter, &cast)));
                // Surviving calls may not have taken effect either: the other one may have taken
                // the room.
                let may_be = after(&cast, &calls.map(|call| (call, None)));
                cast.check(&filter, may_be, 2, false);
                died.into()
            });
        }
    }
}

/// One call begins, the other runs, and each is finished while the other is stopped.
#[test]
fn calls_that_overlap_are_as_good_as_others() {
    let cast = Cast::new();
    let calls = [INSERT, ADMISSION, REMOVE, HOP, LOOKUP, COUNT];
    for first in calls {
        for second in calls {
            let name = format!("{} within {}", second.name, first.name);
            let least = first.least * second.least / 2;
            at_each_two_steps(&name, least, |[first_at, second_at]| {
                let filter = cast.filter();
                let (took_effect, reached) = thread::scope(|scope| {
                    let a = Led::begin(scope, [first_at], || (first.call)(&filter, &cast));
                    let b = Led::begin(scope, [second_at], || (second.call)(&filter, &cast));
                    let reached = (a.has_stopped(), b.has_stopped());
                    ([a.finish(), b.finish()], reached)
                });
                let done = [
                    (first, Some(took_effect[0])),
                    (second, Some(took_effect[1])),
                ];
                cast.check(&filter, after(&cast, &done), 0, false);
                reached
            });
        }
    }
}
