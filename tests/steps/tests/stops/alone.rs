//! Calls that have a filter alone, after a thread has died in the midst of something.

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::testing::{Double, Relocate};
use model::hashers::AsGiven;
use step_tests::{at_each_step, bounded};

use crate::doubling::{Doubling, filter_at, filter_at_the_end, head, items};

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

pub(crate) const CALLS: [(&str, Call); 4] = [
    ("try_clone", |filter| {
        Some(filter.try_clone().expect("memory"))
    }),
    ("to_bytes", |filter| read(&filter.to_bytes())),
    ("write_to", |filter| {
        let mut bytes = Vec::new();
        filter.write_to(&mut bytes).expect("a vector takes all");
        read(&bytes)
    }),
    ("shrink_to_fit", |filter| {
        filter.shrink_to_fit();
        None
    }),
];

/// What the dead thread has done: how many of its own item there may be.
struct Death {
    name: &'static str,
    begin: fn() -> Doubling,
    act: fn(&Doubling),
    own: [usize; 2],
    /// Fewer accesses would mean that it did not do what its name says.
    fewest: usize,
}

/// One whose words are to be split.
fn growing() -> Doubling {
    let filter = at_rest();
    assert!(filter.begin_to_double());
    filter
}

fn at_rest() -> Doubling {
    let filter = filter_at(5);
    for item in stored() {
        filter.insert_hash(item).expect("room");
    }
    filter
}

fn with_own(filter: Doubling) -> Doubling {
    filter.insert_hash(OWN).expect("room");
    filter
}

const DEATHS: [Death; 9] = [
    Death {
        name: "an insert that splits",
        begin: growing,
        act: |filter| filter.insert_hash(OWN).expect("room"),
        own: [0, 1],
        fewest: 100,
    },
    Death {
        name: "a remove that splits",
        begin: || {
            let filter = with_own(at_rest());
            assert!(filter.begin_to_double());
            filter
        },
        act: |filter| assert!(filter.remove_hash(OWN), "a stored item"),
        own: [0, 1],
        fewest: 100,
    },
    Death {
        name: "a hop",
        begin: || with_own(at_rest()),
        act: |filter| assert!(filter.relocate_hash(OWN), "there is room"),
        own: [1, 1],
        fewest: 15,
    },
    Death {
        name: "a hop over two levels",
        begin: || with_own(growing()),
        act: |filter| assert!(filter.relocate_hash(OWN), "there is room"),
        own: [1, 1],
        fewest: 15,
    },
    Death {
        name: "an admission",
        begin: at_rest,
        act: |filter| assert_eq!(filter.insert_unique_hash(OWN), Ok(true)),
        own: [0, 1],
        fewest: 15,
    },
    Death {
        name: "an admission over two levels",
        begin: growing,
        act: |filter| assert_eq!(filter.insert_unique_hash(OWN), Ok(true)),
        own: [0, 1],
        fewest: 100,
    },
    Death {
        name: "an admission in the second table",
        begin: || {
            let filter = filter_at_the_end();
            stored().for_each(|item| filter.insert_hash(item).expect("room"));
            assert!(filter.add_table());
            filter
        },
        act: |filter| assert_eq!(filter.insert_unique_hash(OWN), Ok(true)),
        own: [0, 1],
        fewest: 15,
    },
    Death {
        name: "the end of a growth",
        begin: growing,
        act: |filter| assert!(filter.finish_doubling()),
        own: [0, 0],
        fewest: 200,
    },
    Death {
        name: "a snapshot",
        begin: at_rest,
        act: |filter| drop(filter.snapshot().expect("nobody else is about")),
        own: [0, 0],
        fewest: 256,
    },
];

fn assert_all_are_in(filter: &Doubling, own: [usize; 2], scene: &str) {
    for item in stored() {
        assert!(filter.contains_hash(item), "{scene}: a stored item is lost");
    }
    let there = filter.count_hash(OWN);
    assert!(own.contains(&there), "{scene}: {there} of its own item");
}

#[test]
fn each_returns_and_nothing_is_lost() {
    for Death {
        name,
        begin,
        act,
        own,
        fewest,
    } in DEATHS
    {
        let mut scenes = 0;
        for (call_name, call) in CALLS {
            let steps = at_each_step(|step| {
                let mut filter = begin();
                let dies = move |now| if now == step { Fate::Dies } else { Fate::Goes };
                let (survived, _) = stepping(dies, || act(&filter));
                let scene = format!("{call_name} after a death in {name}, access {step}");
                let copy = bounded(|| call(&mut filter));
                bounded(|| {
                    for filter in copy.iter().chain([&filter]) {
                        assert_all_are_in(filter, own, &scene);
                    }
                });
                if let Some(copy) = copy {
                    let len = stored().count() + copy.count_hash(OWN);
                    assert_eq!(copy.len(), len, "{scene}: a token too many, or too few");
                }
                assert!(filter.snapshot().is_ok(), "{scene}: no scan can begin");
                bounded(|| filter.clear());
                assert!(filter.is_empty(), "{scene}");
                assert!(!stored().any(|item| filter.contains_hash(item)), "{scene}");
                survived.is_none()
            });
            assert!(steps >= fewest, "{name} makes {steps} accesses");
            scenes += steps;
        }
        println!("{scenes} scenes: deaths in {name}, and calls that have the filter alone");
    }
}

/// The same of clear, which need not keep anything.
#[test]
fn clear_returns_and_leaves_nothing() {
    for Death {
        name, begin, act, ..
    } in DEATHS
    {
        let steps = at_each_step(|step| {
            let mut filter = begin();
            let dies = move |now| if now == step { Fate::Dies } else { Fate::Goes };
            let (survived, _) = stepping(dies, || act(&filter));
            let scene = format!("clear after a death in {name}, access {step}");
            bounded(|| filter.clear());
            assert!(filter.is_empty(), "{scene}");
            let left = stored().chain([OWN]).any(|item| filter.contains_hash(item));
            assert!(!left, "{scene}: something is left");
            for item in stored() {
                filter.insert_hash(item).expect("room");
            }
            assert_all_are_in(&filter, [0, 0], &scene);
            survived.is_none()
        });
        println!("{steps} scenes: deaths in {name}, and clear");
    }
}
