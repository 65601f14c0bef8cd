//! Real threads on one filter, in a short form: `tests/threads.rs` has the long one for the default layout.
//!
//! 1. Few buckets, few fingerprints, all operations: afterwards the copies of every class are the inserts minus the
//!    successful removes, and every slot can be used again.
//! 2. At high load an item that stays in is found by every lookup.
//! 3. So is the token that hops, all the time, and one that is swapped for an equal one.
//! 4. Of threads that race to add an absent item with `insert_unique`, or to remove the one copy, exactly one is told
//!    true.

use crew::Crew;
use lockfree_cuckoo::Layout;
use model::geometry::{Geometry, distinct};
use rand::RngExt;

use crate::common::accounts::{DESCRIPTORS, Ledger, filter, note, rng, settle_accounts};
use crate::common::model_of;
use crate::common::seesaw::Seesaw;

/// More than the processors of a small machine.
const THREADS: usize = 4;

fn hot_table<L: Layout>(buckets: usize, descriptors: Option<usize>) {
    const CALLS: usize = 60_000;
    let filter = filter::<L>(buckets, 32, descriptors);
    let geometry = Geometry::with_slots(model_of::<L>(), filter.slots());
    // Neighbouring values, so that a wrong bit would hit another class.
    let largest = *geometry.layout.fingerprints().end();
    let bits = [1, 2, 3, largest / 2 + 1, largest];
    let universe: Vec<u64> = (0..buckets)
        .flat_map(|bucket| bits.map(|bits| geometry.hash(bucket, bits, 0)))
        .collect();
    let ledgers = Crew::workers(THREADS, |_, number| {
        let mut rng = rng(number);
        let mut ledger = Ledger::new();
        for _ in 0..CALLS / THREADS {
            let hash = universe[rng.random_range(0..universe.len())];
            let change = match rng.random_range(0..10) {
                0..4 => i64::from(filter.insert_hash(hash).is_ok()),
                4..6 => i64::from(filter.insert_unique_hash(hash) == Ok(true)),
                6..9 => -i64::from(filter.remove_hash(hash)),
                _ => {
                    assert!(filter.count_hash(hash) <= 2 * L::SLOTS);
                    0
                }
            };
            note(&mut ledger, geometry.class(hash), change);
        }
        ledger
    });
    settle_accounts(&filter, ledgers);
}

pub(crate) fn hot_tables_conserve_every_class<L: Layout>() {
    for buckets in [2, 4, 6] {
        for descriptors in DESCRIPTORS {
            hot_table::<L>(buckets, descriptors);
        }
    }
}

/// Residents stay. Churners replace items of their own, and fill up what room there is.
pub(crate) fn residents_are_never_missed_at_high_load<L: Layout>() {
    const ROUNDS: usize = 20_000;
    let filter = filter::<L>(64, 256, None);
    let slots = filter.slots();
    let geometry = Geometry::with_slots(model_of::<L>(), slots);
    let residents = distinct(geometry, slots * 60 / 100, 1);
    for &hash in &residents {
        filter.insert_hash(hash).expect("far from full");
    }
    let quota = slots * 36 / 100 / 2;
    let (ledgers, misses) = Crew::run(
        2,
        |_, number| {
            let mut rng = rng(number);
            let mut ledger = Ledger::new();
            let mut own: Vec<u64> = Vec::new();
            for round in 0..ROUNDS {
                if own.len() >= quota || round % 16 == 15 && !own.is_empty() {
                    let hash = own.swap_remove(rng.random_range(0..own.len()));
                    assert!(filter.contains_hash(hash), "an own item is missed");
                    assert!(filter.remove_hash(hash), "an own item is lost");
                    note(&mut ledger, geometry.class(hash), -1);
                }
                let hash = rng.random();
                // A table this full refuses some.
                if filter.insert_hash(hash).is_ok() {
                    own.push(hash);
                    note(&mut ledger, geometry.class(hash), 1);
                }
            }
            ledger
        },
        2,
        |crew, number| {
            let mut misses = 0;
            while crew.at_work() {
                for &hash in &residents {
                    let hash = geometry.both_orders(geometry.class(hash))[number % 2];
                    misses += usize::from(!filter.contains_hash(hash));
                    misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
                }
            }
            misses
        },
    );
    assert_eq!(misses.iter().sum::<usize>(), 0, "lookups missed a resident");
    assert!(filter.load_factor() > 0.8, "{}", filter.load_factor());
    let residents = residents.iter().map(|&hash| (geometry.class(hash), 1));
    settle_accounts(&filter, ledgers.into_iter().chain([residents.collect()]));
}

pub(crate) fn a_hopping_token_is_never_missed<L: Layout>() {
    const PUSHES: usize = 40_000;
    for descriptors in DESCRIPTORS {
        let seesaw = Seesaw::<L>::of_layout(descriptors);
        let filter = &seesaw.filter;
        let rider = seesaw.rider();
        filter.insert_hash(rider[0]).expect("two vacant slots");
        let (pushed, misses) = Crew::run(
            2,
            |_, number| {
                let pushes = 0..PUSHES / 2;
                pushes.filter(|at| seesaw.push((at + number) % 2)).count()
            },
            2,
            |crew, number| {
                let mut misses = 0;
                while crew.at_work() {
                    let hash = rider[number % 2];
                    misses += usize::from(!filter.contains_hash(hash));
                    misses += usize::from(filter.count_hash(hash) != 1);
                    misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
                }
                misses
            },
        );
        assert_eq!(misses.iter().sum::<usize>(), 0, "the rider was missed");
        let pushed: usize = pushed.iter().sum();
        assert!(pushed > PUSHES / 20, "only {pushed} hops were made");
        seesaw.check(1);
    }
}

/// No relocation: a copy is added in one bucket before the copy in the other is removed.
pub(crate) fn a_token_swapped_for_an_equal_one_is_never_missed<L: Layout>() {
    const SWAPS: usize = 100_000;
    let filter = filter::<L>(64, 256, None);
    let geometry = Geometry::with_slots(model_of::<L>(), filter.slots());
    let class = geometry.class(geometry.hash(3, 77, 0));
    let hashes = geometry.both_orders(class);
    filter.insert_hash(hashes[0]).expect("empty");
    let (_, misses) = Crew::run(
        1,
        |_, _| {
            for at in 0..SWAPS {
                let hash = hashes[at % 2];
                filter.insert_hash(hash).expect("two copies at most");
                assert!(filter.remove_hash(hash), "a copy is lost");
            }
        },
        3,
        |crew, number| {
            let mut misses = 0;
            while crew.at_work() {
                misses += usize::from(!filter.contains_hash(hashes[number % 2]));
            }
            misses
        },
    );
    assert_eq!(misses.iter().sum::<usize>(), 0, "the class was never empty");
    settle_accounts(&filter, [Ledger::from([(class, 1)])]);
}

pub(crate) fn racing_threads_add_and_take_each_token_once<L: Layout>() {
    const ROUNDS: usize = 300;
    const TOKENS: usize = 16;
    let filter = filter::<L>(64, 256, None);
    let geometry = Geometry::with_slots(model_of::<L>(), filter.slots());
    let classes = distinct(geometry, TOKENS, 2).into_iter();
    let items: Vec<[u64; 2]> = classes
        .map(|hash| geometry.both_orders(geometry.class(hash)))
        .collect();
    let seen = Crew::workers(THREADS, |crew, number| {
        let mut seen = Vec::with_capacity(2 * ROUNDS * TOKENS);
        for _ in 0..ROUNDS {
            crew.meet();
            let added = items.iter().map(|item| {
                let added = filter.insert_unique_hash(item[number % 2]);
                added.expect("far from full")
            });
            seen.extend(added);
            crew.meet();
            let removed = items
                .iter()
                .map(|item| filter.remove_hash(item[number % 2]));
            seen.extend(removed);
        }
        seen
    });
    for at in 0..2 * ROUNDS * TOKENS {
        let told = seen.iter().filter(|seen| seen[at]).count();
        assert_eq!(told, 1, "threads told true in race {at}");
    }
    assert!(filter.is_empty());
}
