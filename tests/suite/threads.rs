//! Real threads on one filter: what stays exact while they race.
//!
//! 1. No false negative: an item that stays in is found by every lookup, whatever is inserted, removed and
//!    relocated around it; also while its token hops, and while equal tokens are swapped under the reader.
//! 2. Conservation: afterwards the copies of every class are the inserts minus the successful removes, at any
//!    load, on tables of a few buckets, and if inserts are refused. All slots can be used again.
//! 3. Of threads that race to remove the copies of a token, exactly as many are told true as there were.
//! 4. Of threads that race to add an absent item with `insert_unique`, exactly one is told true.
//! 5. A thread reads its own writes: true after its insert, false after its remove.
//! 6. What several threads see of one class is linearizable: some order of the calls explains every result.
//! 7. `len` stays between 0 and the number of slots, and `count` never under-reports.
//! 8. An insert publishes what its thread wrote before, and so does a remove.
//! 9. All that with a single descriptor, where slow paths must fail and try again.
//!
//! Relocations are forced: by tables that are nearly full, and by the [seesaw](crate::seesaw), where each insert makes a
//! given token hop. Of each layout, that of the default one in a long form.

use std::array;
use std::hint;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crew::Crew;
use lockfree_cuckoo::{InsertError, Shape};
use model::geometry::distinct;
use model::history::{Call, Event, linearizable};
use rand::RngExt;

use crate::accounts::{Ledger, note, rng, settle_accounts};
use crate::door::{DEFAULT, DESCRIPTORS, THREADS, fixed, geometry_of, plain};
use crate::seesaw::Seesaw;

/// All layouts but the default one.
fn others() -> impl Iterator<Item = Shape> {
    plain().filter(|&shape| shape != DEFAULT)
}

/// Layouts, how many buckets and how many threads: these of the default layout, and of each other one a small table.
fn crowds(buckets: &[usize]) -> impl Iterator<Item = (Shape, usize, usize)> {
    let of_default = buckets.iter().flat_map(|&buckets| {
        let threads = THREADS.into_iter();
        threads.map(move |threads| (DEFAULT, buckets, threads))
    });
    of_default.chain(others().map(|shape| (shape, 64, 4)))
}

/// So many calls of the default layout, and a tenth of them of others.
fn share(shape: Shape, calls: usize) -> usize {
    if shape == DEFAULT { calls } else { calls / 10 }
}

/// Property 1 and 2 at high load.
///
/// Residents are inserted first and stay. Churners replace items of their own and keep the table at 96 %.
/// Checkers look all residents up, in both orders of their buckets.
fn residents_among_churners(
    shape: Shape,
    buckets: usize,
    threads: usize,
    descriptors: Option<usize>,
) {
    let all_rounds = share(shape, 100_000);
    let filter = &*fixed(shape, buckets, 256, descriptors);
    let geometry = geometry_of(filter);
    let slots = filter.slots();
    let residents = distinct(geometry, slots * 60 / 100, 1);
    for &hash in &residents {
        filter.insert_hash(hash).expect("far from full");
    }
    let churners = threads / 2;
    let quota = slots * 36 / 100 / churners;
    let (ledgers, misses) = Crew::run(
        churners,
        |_, number| {
            let mut rng = rng(number);
            let mut ledger = Ledger::new();
            let mut own: Vec<u64> = Vec::new();
            for round in 0..all_rounds / churners + quota {
                if own.len() >= quota || round % 64 == 63 && !own.is_empty() {
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
        threads - churners,
        |crew, _| {
            let orders: Vec<u64> = residents
                .iter()
                .flat_map(|&hash| geometry.both_orders(geometry.class(hash)))
                .collect();
            let mut misses = 0;
            while crew.at_work() {
                misses += orders.iter().filter(|&&h| !filter.contains_hash(h)).count();
                for &hash in &residents {
                    misses += usize::from(filter.count_hash(hash) == 0);
                    misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
                }
            }
            misses
        },
    );
    assert_eq!(misses.iter().sum::<usize>(), 0, "lookups missed a resident");
    // A bucket of two or three slots refuses earlier.
    let (load, least) = (
        filter.load_factor(),
        if shape.slots() < 4 { 0.8 } else { 0.9 },
    );
    assert!(load > least, "the table was to be kept full, not at {load}");
    let residents = residents.iter().map(|&hash| (geometry.class(hash), 1));
    settle_accounts(filter, ledgers.into_iter().chain([residents.collect()]));
}

#[test]
fn residents_are_never_missed_and_tokens_conserved_at_high_load() {
    for (shape, buckets, threads) in crowds(&[64, 96, 15 << 8]) {
        residents_among_churners(shape, buckets, threads, None);
        if buckets == 64 {
            residents_among_churners(shape, buckets, threads, Some(1));
        }
    }
}

/// Property 1 at its hardest: the one token that is looked up is the one that hops, all the time.
#[test]
fn a_hopping_token_is_never_missed() {
    for (shape, _, threads) in crowds(&[64]) {
        for descriptors in DESCRIPTORS {
            let all_pushes = share(shape, 300_000);
            let seesaw = Seesaw::new(shape, descriptors);
            let filter = &seesaw.filter;
            filter
                .insert_hash(seesaw.rider()[0])
                .expect("two vacant slots");
            let pushers = threads / 2;
            let (pushed, misses) = Crew::run(
                pushers,
                |_, number| {
                    let pushes = all_pushes / pushers;
                    (0..pushes)
                        .filter(|at| seesaw.push((at + number) % 2))
                        .count()
                },
                threads - pushers,
                |crew, number| {
                    let mut misses = 0;
                    while crew.at_work() {
                        for at in 0..64 {
                            let hash = seesaw.rider()[(at + number) % 2];
                            misses += usize::from(!filter.contains_hash(hash));
                        }
                        let hash = seesaw.rider()[number % 2];
                        misses += usize::from(filter.count_hash(hash) != 1);
                        misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
                    }
                    misses
                },
            );
            assert_eq!(misses.iter().sum::<usize>(), 0, "the rider was missed");
            let pushed: usize = pushed.iter().sum();
            assert!(pushed > all_pushes / 20, "only {pushed} hops were made");
            seesaw.check(1);
        }
    }
}

/// Property 1 with no relocation at all: a copy is added in one bucket before the copy in the other is
/// removed, so that a reader can pass between the two.
#[test]
fn a_token_swapped_for_an_equal_one_is_never_missed() {
    for (shape, buckets, threads) in crowds(&[64]) {
        let swaps = share(shape, 500_000);
        let filter = &*fixed(shape, buckets, 256, None);
        let geometry = geometry_of(filter);
        let class = geometry.class(geometry.hash(3, 77, 0));
        let hashes = geometry.both_orders(class);
        filter.insert_hash(hashes[0]).expect("empty");
        // As many copies as there are threads fit.
        let swappers = (threads / 2).min(2 * shape.slots() - 1);
        let (_, misses) = Crew::run(
            swappers,
            |_, _| {
                // The bucket of the present copy; an insert takes the emptier one, the other.
                let mut bucket = 0;
                for _ in 0..swaps / swappers {
                    filter
                        .insert_hash(hashes[bucket])
                        .expect("more slots than swappers");
                    assert!(filter.remove_hash(hashes[bucket]), "a copy is lost");
                    bucket = 1 - bucket;
                }
            },
            threads - swappers,
            |crew, number| {
                let mut misses = 0;
                while crew.at_work() {
                    for at in 0..64 {
                        let hash = hashes[(at + number) % 2];
                        misses += usize::from(!filter.contains_hash(hash));
                    }
                    let hash = hashes[number % 2];
                    misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
                    let copies = filter.count_hash(hash);
                    misses += usize::from(copies == 0 || copies > 2 * shape.slots());
                }
                misses
            },
        );
        assert_eq!(misses.iter().sum::<usize>(), 0, "the class was never empty");
        settle_accounts(filter, [Ledger::from([(class, 1)])]);
    }
}

/// Property 2 where everybody meets everybody: few buckets, few fingerprints, all operations.
fn hot_table(shape: Shape, buckets: usize, threads: usize, descriptors: Option<usize>) {
    let calls = share(shape, 300_000);
    let filter = &*fixed(shape, buckets, 32, descriptors);
    let geometry = geometry_of(filter);
    // Neighbouring values, so that a wrong bit would hit another class.
    let largest = *geometry.layout.fingerprints().end();
    let bits = [1, 2, 3, largest / 2 + 1, largest];
    let universe: Vec<u64> = (0..buckets)
        .flat_map(|bucket| bits.map(|bits| geometry.hash(bucket, bits, 0)))
        .collect();
    let ledgers = Crew::workers(threads, |_, number| {
        let mut rng = rng(number);
        let mut ledger = Ledger::new();
        for _ in 0..calls / threads {
            let hash = universe[rng.random_range(0..universe.len())];
            let change = match rng.random_range(0..10) {
                0..4 => i64::from(filter.insert_hash(hash).is_ok()),
                4..6 => i64::from(filter.insert_unique_hash(hash) == Ok(true)),
                6..9 => -i64::from(filter.remove_hash(hash)),
                _ => {
                    hint::black_box(filter.contains_hash(hash));
                    assert!(filter.count_hash(hash) <= 2 * shape.slots());
                    0
                }
            };
            note(&mut ledger, geometry.class(hash), change);
        }
        ledger
    });
    settle_accounts(filter, ledgers);
}

#[test]
fn hot_tables_conserve_every_class() {
    for buckets in [2, 4, 6, 8] {
        for (shape, _, threads) in crowds(&[64]) {
            for descriptors in DESCRIPTORS {
                hot_table(shape, buckets, threads, descriptors);
            }
        }
    }
}

/// Adds the rider, however long the pushers are in the way.
fn mount(seesaw: &Seesaw) {
    for _ in 0..1_000_000 {
        if seesaw.filter.insert_hash(seesaw.rider()[0]).is_ok() {
            return;
        }
        thread::yield_now();
    }
    panic!("the rider finds no room, although pushes come and go");
}

/// Pushes while any worker is at work.
fn keep_pushing(seesaws: &[Seesaw], crew: &Crew, number: usize) -> usize {
    let mut pushed = 0;
    let mut end = number;
    while crew.at_work() {
        for seesaw in seesaws {
            pushed += (0..4).filter(|at| seesaw.push((end + at) % 2)).count();
        }
        end += 1;
    }
    pushed
}

/// Races, and pushers that make the token hop meanwhile.
const RACES: [(usize, usize); 6] = [(2, 0), (4, 0), (2, 1), (3, 1), (4, 2), (8, 2)];

/// Tokens that are raced for one after the other, so that threads that met once meet again.
const TOKENS: usize = 8;

struct Races {
    seesaws: Vec<Seesaw>,
    threads: usize,
    pushers: usize,
    rounds: usize,
    /// Whether nothing can refuse an insert.
    undisturbed: bool,
}

fn races() -> impl Iterator<Item = Races> {
    let of_default = RACES.map(|(threads, pushers)| (DEFAULT, threads, pushers));
    let others = others().map(|shape| (shape, 4, 1));
    let all = of_default.into_iter().chain(others);
    all.flat_map(|(shape, threads, pushers)| {
        DESCRIPTORS.map(|descriptors| Races {
            seesaws: (0..TOKENS)
                .map(|_| Seesaw::new(shape, descriptors))
                .collect(),
            threads,
            pushers,
            rounds: share(shape, 600),
            undisturbed: pushers == 0 && descriptors.is_none(),
        })
    })
}

/// Property 3, while the token hops.
#[test]
fn racing_removers_take_each_copy_once() {
    for race in races() {
        let (seesaws, all_rounds) = (&race.seesaws, race.rounds);
        let (rounds, _) = Crew::run(
            race.threads,
            |crew, number| {
                let mut seen = Vec::with_capacity(all_rounds);
                for round in 0..all_rounds {
                    if number == 0 {
                        for seesaw in seesaws {
                            (0..=round % 2).for_each(|_| mount(seesaw));
                        }
                    }
                    crew.meet();
                    let removed: [bool; TOKENS] = array::from_fn(|at| {
                        let seesaw = &seesaws[at];
                        seesaw.filter.remove_hash(seesaw.rider()[number % 2])
                    });
                    crew.meet();
                    let left = seesaws
                        .iter()
                        .filter(|s| s.filter.contains_hash(s.rider()[number % 2]))
                        .count();
                    crew.meet();
                    seen.push((removed, left));
                }
                seen
            },
            race.pushers,
            |crew, number| keep_pushing(seesaws, crew, number),
        );
        for round in 0..all_rounds {
            for token in 0..TOKENS {
                let removed = rounds.iter().filter(|seen| seen[round].0[token]).count();
                assert_eq!(removed, 1 + round % 2, "copies removed in round {round}");
            }
            let left: usize = rounds.iter().map(|seen| seen[round].1).sum();
            assert_eq!(left, 0, "copies seen after the last was removed");
        }
        seesaws.iter().for_each(|seesaw| seesaw.check(0));
    }
}

/// What one thread saw of one race for an absent item.
#[derive(Clone, Copy, Debug)]
struct Race {
    /// `None` is a refusal.
    admitted: Option<bool>,
    /// What `contains` said right after.
    present: bool,
    /// What `count` said when the race was over.
    copies: usize,
    /// Whether it won the race to remove the item again.
    removed: bool,
}

/// Property 4. Both orders of the buckets race, so that two threads freeze a bucket each and meet.
#[test]
fn racing_admissions_have_one_winner() {
    for race in races() {
        let (seesaws, all_rounds) = (&race.seesaws, race.rounds);
        let (rounds, _) = Crew::run(
            race.threads,
            |crew, number| {
                let mut seen = Vec::with_capacity(all_rounds);
                for round in 0..all_rounds {
                    let hash = |at: usize| seesaws[at].rider()[(number + round / 2) % 2];
                    crew.meet();
                    let mut races: [Race; TOKENS] = array::from_fn(|at| {
                        let filter = &seesaws[at].filter;
                        Race {
                            admitted: filter.insert_unique_hash(hash(at)).ok(),
                            // Nobody has removed it yet, so whoever was not refused sees it.
                            present: filter.contains_hash(hash(at)),
                            copies: 0,
                            removed: false,
                        }
                    });
                    crew.meet();
                    for (at, race) in races.iter_mut().enumerate() {
                        race.copies = seesaws[at].filter.count_hash(hash(at));
                    }
                    crew.meet();
                    for (at, race) in races.iter_mut().enumerate() {
                        race.removed = seesaws[at].filter.remove_hash(hash(at));
                    }
                    crew.meet();
                    seen.push(races);
                }
                seen
            },
            race.pushers,
            |crew, number| keep_pushing(seesaws, crew, number),
        );
        for (round, token) in (0..all_rounds).flat_map(|r| (0..TOKENS).map(move |t| (r, t))) {
            let races: Vec<Race> = rounds.iter().map(|seen| seen[round][token]).collect();
            check_race(&races, race.undisturbed);
        }
        for seesaw in seesaws {
            seesaw.check(0);
            assert_eq!(
                seesaw.filter.insert_unique_hash(seesaw.rider()[0]),
                Ok(true)
            );
        }
    }
}

fn check_race(races: &[Race], undisturbed: bool) {
    let winners = races.iter().filter(|r| r.admitted == Some(true)).count();
    let refused = races.iter().filter(|r| r.admitted.is_none()).count();
    // A refusal for want of a slot or a descriptor is possible. A second winner is not, nor is the answer
    // "present" if nobody has won.
    assert!(winners == 1 || refused == races.len(), "{races:#?}");
    if undisturbed {
        assert_eq!((winners, refused), (1, 0), "{races:#?}");
    }
    for race in races {
        assert!(race.present || race.admitted.is_none(), "{races:#?}");
        assert_eq!(race.copies, winners, "{races:#?}");
    }
    let removed = races.iter().filter(|race| race.removed).count();
    assert_eq!(removed, winners, "{races:#?}");
}

/// Property 5 for a token that hops: what its only owner did is what everybody is told at once.
#[test]
fn an_owner_reads_its_own_writes_while_its_token_hops() {
    const ROUNDS: usize = 50_000;
    for descriptors in DESCRIPTORS {
        for threads in THREADS {
            let seesaw = Seesaw::new(DEFAULT, descriptors);
            let filter = &seesaw.filter;
            let (stays, _) = Crew::run(
                1,
                |_, _| {
                    let mut stays = 0;
                    for round in 0..ROUNDS {
                        let [hash, other] = if round % 2 == 0 {
                            seesaw.rider()
                        } else {
                            [1, 0].map(|order| seesaw.rider()[order])
                        };
                        let admitted = if round % 4 < 2 {
                            filter.insert_hash(hash).map(|()| true)
                        } else {
                            filter.insert_unique_hash(hash)
                        };
                        match admitted {
                            Ok(inserted) => assert!(inserted, "nobody else inserts it"),
                            // Pushes took both slots.
                            Err(_) => {
                                thread::yield_now();
                                continue;
                            }
                        }
                        stays += 1;
                        for _ in 0..round % 8 {
                            assert!(filter.contains_hash(hash), "missed after its insert");
                            assert!(filter.contains_hash(other), "missed after its insert");
                            assert_eq!(filter.count_hash(hash), 1);
                        }
                        assert_eq!(filter.insert_unique_hash(other), Ok(false));
                        assert!(filter.remove_hash(other), "lost after its insert");
                        for hash in seesaw.rider() {
                            assert!(!filter.contains_hash(hash), "seen after its remove");
                            assert_eq!(filter.count_hash(hash), 0);
                            assert!(!filter.remove_hash(hash), "removed twice");
                        }
                    }
                    stays
                },
                threads - 1,
                |crew, number| keep_pushing(slice::from_ref(&seesaw), crew, number),
            );
            assert!(stays[0] > ROUNDS / 20, "only {} stays", stays[0]);
            seesaw.check(0);
        }
    }
}

/// Property 5 in a crowd: every thread owns a few classes in the same few buckets.
#[test]
fn owners_read_their_own_writes_in_a_crowd() {
    const CALLS: usize = 60_000;
    for buckets in [4, 8, 24] {
        for threads in THREADS {
            let filter = &*fixed(DEFAULT, buckets, 64, None);
            let geometry = geometry_of(filter);
            // One more than there is room for, shared out evenly.
            let own = filter.slots() / threads + 1;
            let all = distinct(geometry, own * threads, buckets as u64);
            let ledgers = Crew::workers(threads, |_, number| {
                let mut rng = rng(number);
                let mut ledger = Ledger::new();
                let items = &all[own * number..own * (number + 1)];
                let mut present = vec![false; own];
                for _ in 0..CALLS / threads {
                    let at = rng.random_range(0..own);
                    let (hash, was_in) = (items[at], present[at]);
                    let mut change = 0;
                    if was_in && rng.random_bool(0.4) {
                        assert!(filter.remove_hash(hash), "an own item is lost");
                        change = -1;
                    } else if !was_in && rng.random_bool(0.5) {
                        change = i64::from(filter.insert_hash(hash).is_ok());
                    } else if let Ok(inserted) = filter.insert_unique_hash(hash) {
                        assert_eq!(inserted, !was_in, "insert_unique of an own item");
                        change = i64::from(inserted);
                    }
                    present[at] = i64::from(was_in) + change > 0;
                    note(&mut ledger, geometry.class(hash), change);
                    for (&hash, &present) in items.iter().zip(&present) {
                        assert_eq!(filter.contains_hash(hash), present, "an own item");
                    }
                    assert_eq!(filter.count_hash(hash), usize::from(present[at]));
                }
                ledger
            });
            settle_accounts(filter, ledgers);
        }
    }
}

/// Property 6. Rounds of a few calls on the class that hops, each round explained or not.
#[test]
fn what_threads_see_of_a_class_is_linearizable() {
    const ROUNDS: usize = 2_000;
    const CALLS: usize = 8;
    for descriptors in DESCRIPTORS {
        for (threads, pushers) in [(2, 0), (2, 1), (3, 1), (4, 1), (4, 2)] {
            let seesaw = Seesaw::new(DEFAULT, descriptors);
            let filter = &seesaw.filter;
            let clock = AtomicU64::new(0);
            // AcqRel: a call can move to neither side of the moments that enclose it.
            let now = || clock.fetch_add(1, Ordering::AcqRel);
            let (histories, _) = Crew::run(
                threads,
                |crew, number| {
                    let mut rng = rng(number);
                    let mut events = Vec::with_capacity(ROUNDS * CALLS);
                    for _ in 0..ROUNDS {
                        crew.meet();
                        for _ in 0..CALLS {
                            let hash = seesaw.rider()[rng.random_range(0..2)];
                            let choice = rng.random_range(0..8);
                            let began = now();
                            let call = match choice {
                                0 | 1 => Call::Insert(filter.insert_hash(hash).is_ok()),
                                2 => Call::InsertUnique(filter.insert_unique_hash(hash).ok()),
                                3 | 4 => Call::Remove(filter.remove_hash(hash)),
                                _ => Call::Contains(filter.contains_hash(hash)),
                            };
                            let ended = now();
                            events.push(Event { call, began, ended });
                        }
                        crew.meet();
                    }
                    events
                },
                pushers,
                |crew, number| keep_pushing(slice::from_ref(&seesaw), crew, number),
            );
            let mut copies = 0;
            for round in 0..ROUNDS {
                let calls = round * CALLS..(round + 1) * CALLS;
                let round: Vec<&[Event]> = histories.iter().map(|h| &h[calls.clone()]).collect();
                assert!(
                    linearizable(&round, copies),
                    "no order explains these calls on {copies} copies: {round:#?}"
                );
                copies += round
                    .iter()
                    .copied()
                    .flatten()
                    .map(|e| e.call.change())
                    .sum::<i64>();
            }
            seesaw.check(usize::try_from(copies).expect("a number of copies"));
        }
    }
}

/// Property 7, the lower end: items are removed by other threads than insert them, so a removal can be
/// counted before the insert. A sum that wraps would pass for all slots in use.
#[test]
fn len_does_not_wrap_below_zero() {
    const ITEMS: usize = 100_000;
    for threads in THREADS {
        let filter = &*fixed(DEFAULT, 1 << 18, 256, None);
        let hashes = distinct(geometry_of(filter), ITEMS, 5);
        assert!(filter.slots() > 2 * ITEMS);
        let pairs = threads / 2;
        let (_, most) = Crew::run(
            threads,
            |_, number| {
                let own = hashes.iter().skip(number / 2).step_by(pairs);
                if number % 2 == 0 {
                    own.for_each(|&hash| filter.insert_hash(hash).expect("far from full"));
                } else {
                    own.for_each(|&hash| {
                        while !filter.remove_hash(hash) {
                            thread::yield_now();
                        }
                    });
                }
            },
            1,
            |crew, _| {
                let mut most = 0;
                while crew.at_work() {
                    most = most.max(filter.len());
                }
                most
            },
        );
        assert!(
            most[0] <= ITEMS,
            "len was {} with {ITEMS} inserts in all",
            most[0]
        );
        assert!(filter.is_empty());
    }
}

/// Property 7, the upper end: in a full table an insert can be counted before the removal that made room.
#[test]
fn len_does_not_exceed_the_slots() {
    const SWAPS: usize = 20_000;
    for threads in THREADS {
        let filter = &*fixed(DEFAULT, 128, 64, None);
        let geometry = geometry_of(filter);
        let full: Vec<u64> = (0..geometry.buckets)
            .flat_map(|bucket| (0..DEFAULT.slots() as u64).map(move |salt| (bucket, salt)))
            .map(|(bucket, salt)| geometry.hash(bucket, 4_711, salt))
            .collect();
        for &hash in &full {
            filter
                .insert_hash(hash)
                .expect("each bucket has room for four");
        }
        // One thread of a pair removes a token and names it to the other, which puts it back.
        let pairs = threads / 2;
        let holes: Vec<AtomicU64> = (0..pairs).map(|_| AtomicU64::new(0)).collect();
        let (_, most) = Crew::run(
            threads,
            |crew, number| {
                let mut rng = rng(number);
                let hole = &holes[number % pairs];
                let removes = number < pairs;
                for _ in 0..SWAPS / pairs {
                    let mut looks = 0u32;
                    while (hole.load(Ordering::Acquire) == 0) != removes {
                        looks += 1;
                        if looks.is_multiple_of(1 << 6) {
                            assert!(crew.at_work(), "another thread of the crew panicked");
                            thread::yield_now();
                        }
                    }
                    if removes {
                        let hash = full[rng.random_range(0..full.len())];
                        assert!(filter.remove_hash(hash), "seven copies at least");
                        hole.store(hash, Ordering::Release);
                    } else {
                        let hash = hole.load(Ordering::Acquire);
                        filter.insert_hash(hash).expect("the slot was given up");
                        hole.store(0, Ordering::Release);
                    }
                }
            },
            1,
            |crew, _| {
                let mut most = 0;
                while crew.at_work() {
                    most = most.max(filter.len());
                    assert!((0.0..=1.0).contains(&filter.load_factor()));
                }
                most
            },
        );
        assert!(most[0] <= filter.slots(), "len was {}", most[0]);
        assert_eq!(filter.len(), filter.slots());
    }
}

/// Property 2 for tables that are offered twice what they hold.
#[test]
fn refused_inserts_lose_nothing() {
    for descriptors in DESCRIPTORS {
        for buckets in [8, 64, 96, 1 << 10] {
            for threads in THREADS {
                let filter = &*fixed(DEFAULT, buckets, 256, descriptors);
                let geometry = geometry_of(filter);
                let slots = filter.slots();
                let all = distinct(geometry, 2 * slots, 11);
                let outcomes = Crew::workers(threads, |_, number| {
                    let mut inserted = Vec::new();
                    let mut refused = 0;
                    for &hash in all.iter().skip(number).step_by(threads) {
                        match filter.insert_hash(hash) {
                            Ok(()) => inserted.push(hash),
                            Err(InsertError::Full {
                                len, slots: told, ..
                            }) => {
                                assert!(told == slots && len <= slots, "{len} of {told}");
                                refused += 1;
                            }
                            Err(error) if error.is_transient() => refused += 1,
                            Err(other) => panic!("all classes are distinct: {other}"),
                        }
                        let recent = inserted.iter().rev().take(16);
                        let missed = recent.filter(|&&h| !filter.contains_hash(h)).count();
                        assert_eq!(missed, 0, "own items that were accepted");
                    }
                    (inserted, refused)
                });
                let refused: usize = outcomes.iter().map(|outcome| outcome.1).sum();
                assert_eq!(refused + filter.len(), all.len());
                let load = filter.load_factor();
                // A single descriptor is often in use, and then there is no path to be had.
                let least = if descriptors.is_none() { 0.8 } else { 0.5 };
                assert!(load > least, "{load} with {threads} threads");
                let ledgers = outcomes.into_iter().map(|(inserted, _)| {
                    let classes = inserted.into_iter().map(|hash| geometry.class(hash));
                    classes.map(|class| (class, 1)).collect()
                });
                settle_accounts(filter, ledgers);
            }
        }
    }
}

/// Property 8: a message that is written before the insert, and one before the remove, is there for whoever
/// sees the item come or go. The messages themselves order nothing.
#[test]
fn inserts_and_removes_publish_what_was_written_before() {
    const ITEMS: usize = 100_000;
    let filter = &*fixed(DEFAULT, 1 << 16, 256, None);
    let hashes = distinct(geometry_of(filter), ITEMS, 3);
    let messages: Vec<[AtomicU64; 2]> = (0..ITEMS).map(|_| Default::default()).collect();
    let torn = Crew::workers(3, |crew, number| {
        let mut torn = 0;
        for present in [true, false] {
            crew.meet();
            for (message, &hash) in messages.iter().zip(&hashes) {
                let message = &message[usize::from(present)];
                if number == 0 {
                    message.store(hash, Ordering::Relaxed);
                    if present {
                        filter.insert_hash(hash).expect("far from full");
                    } else {
                        assert!(filter.remove_hash(hash));
                    }
                    continue;
                }
                let mut looks = 0u32;
                while filter.contains_hash(hash) != present {
                    looks += 1;
                    if looks.is_multiple_of(1 << 10) {
                        assert!(crew.at_work(), "the writer is gone");
                        thread::yield_now();
                    }
                }
                torn += usize::from(message.load(Ordering::Relaxed) != hash);
            }
        }
        torn
    });
    assert_eq!(
        torn.iter().sum::<usize>(),
        0,
        "messages that were not there"
    );
    assert!(filter.is_empty());
}
