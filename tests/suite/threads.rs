//! Real threads on one filter: what stays exact while they race.
//!
//! 1. No false negative: every lookup finds an item that stays stored, whatever is inserted,
//!    removed and relocated around it; also while its token hops, and while equal tokens are
//!    swapped during the lookup.
//! 2. Conservation: at the end the copies of every class are the inserts minus the successful
//!    removes, at any load, on tables of a few buckets, and if inserts are refused. All slots can
//!    be used again.
//! 3. If threads race to remove the copies of a token, exactly as many succeed as there were
//!    copies.
//! 4. If threads race to add an absent item with `insert_unique`, exactly one succeeds.
//! 5. A thread reads its own writes: true after its insert, false after its remove. (`values` tests
//!    this with more threads.)
//! 6. `len` stays between 0 and the number of slots, and `count` is never too low.
//! 7. An insert publishes the earlier writes of its thread, and so does a remove.
//! 8. All this holds with a single descriptor too, where slow paths must fail and try again.
//!
//! That some order explains all results of the calls on a class is tested by `values`, and by the
//! suite `histories` of `cargo verify`.
//!
//! Relocations are forced by nearly full tables, and by the [seesaw](crate::seesaw), where each
//! insert makes a given token hop. The default layout has long runs, the others short ones.

use std::array;
use std::hint;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use crew::Crew;
use lockfree_cuckoo::{Filter, InsertError, filter::Engine, layout::Shape};
use model::geometry::distinct;
use rand::RngExt;

use crate::accounts::{Ledger, note, rng, settle_accounts};
use crate::door::{DEFAULT, DESCRIPTORS, THREADS, fixed, geometry_of, plain};
use crate::seesaw::Seesaw;

/// Returns all layouts except the default one.
fn others() -> impl Iterator<Item = Shape> {
    plain().filter(|&shape| shape != DEFAULT)
}

/// Returns layouts with numbers of buckets and threads: these numbers for the default layout, and a
/// small table for each other.
fn crowds(buckets: &[usize]) -> impl Iterator<Item = (Shape, usize, usize)> {
    let of_default = buckets.iter().flat_map(|&buckets| {
        let threads = THREADS.into_iter();
        threads.map(move |threads| (DEFAULT, buckets, threads))
    });
    of_default.chain(others().map(|shape| (shape, 64, 4)))
}

/// Returns this number of calls for the default layout, and a tenth of it for others.
fn share(shape: Shape, calls: usize) -> usize {
    if shape == DEFAULT { calls } else { calls / 10 }
}

/// Checks properties 1 and 2 at high load.
///
/// Residents are inserted first and stay. Churners replace their own items and keep the table at 96
/// %. Checkers look up all residents, in both orders of their buckets.
fn residents_among_churners(
    shape: Shape,
    buckets: usize,
    threads: usize,
    descriptors: Option<usize>,
) {
    let all_rounds = share(shape, 100_000);
    let filter = &fixed(shape, buckets, 256, descriptors);
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
                match filter.insert_hash(hash) {
                    Ok(()) => {
                        own.push(hash);
                        note(&mut ledger, geometry.class(hash), 1);
                    }
                    Err(InsertError::Full { len, slots: told }) => {
                        assert!(told == slots && len <= slots, "{len} of {told}");
                    }
                    Err(error) => assert!(error.is_transient(), "{error}"),
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

/// Residents are never missed, and tokens are conserved, at high load.
#[test]
fn residents_at_high_load() {
    for (shape, buckets, threads) in crowds(&[64, 96, 15 << 8]) {
        residents_among_churners(shape, buckets, threads, None);
        if buckets == 64 {
            residents_among_churners(shape, buckets, threads, Some(1));
        }
    }
}

/// Looks up a class that is never empty, in both orders of its buckets. Returns how often it was
/// missed, or had too many copies.
fn misses<E: Engine, S>(
    crew: &Crew,
    filter: &Filter<E, S>,
    orders: [u64; 2],
    number: usize,
    most: usize,
) -> usize {
    let mut misses = 0;
    while crew.at_work() {
        for at in 0..64 {
            let hash = orders[(at + number) % 2];
            misses += usize::from(!filter.contains_hash(hash));
        }
        let hash = orders[number % 2];
        let copies = filter.count_hash(hash);
        misses += usize::from(!(1..=most).contains(&copies));
        misses += usize::from(filter.insert_unique_hash(hash) != Ok(false));
    }
    misses
}

/// Property 1 in its hardest case: the token that is looked up hops all the time.
#[test]
fn a_hopping_token_is_never_missed() {
    for (shape, _, threads) in crowds(&[64]) {
        for descriptors in DESCRIPTORS {
            let seesaw = Seesaw::new(shape, descriptors);
            rider_is_never_missed(&seesaw, threads, share(shape, 300_000));
        }
    }
}

/// The same in each table of a window, the young one in turn.
#[test]
fn a_token_that_hops_in_a_window_is_never_missed() {
    for generations in [2, 3] {
        for rotations in 0..=generations {
            let seesaw = Seesaw::in_window(generations, rotations);
            rider_is_never_missed(&seesaw, 4, 30_000);
        }
    }
}

fn rider_is_never_missed<E: Engine>(seesaw: &Seesaw<E>, threads: usize, all_pushes: usize) {
    let filter = &seesaw.filter;
    filter
        .insert_hash(seesaw.rider()[0])
        .expect("two vacant slots");
    let pushers = threads / 2;
    let (pushed, missed) = Crew::run(
        pushers,
        |_, number| {
            let pushes = all_pushes / pushers;
            (0..pushes)
                .filter(|at| seesaw.push((at + number) % 2))
                .count()
        },
        threads - pushers,
        |crew, number| misses(crew, &**filter, seesaw.rider(), number, 1),
    );
    assert_eq!(missed.iter().sum::<usize>(), 0, "the rider was missed");
    let pushed: usize = pushed.iter().sum();
    assert!(pushed > all_pushes / 20, "only {pushed} hops were made");
    seesaw.check(1);
}

/// A token swapped for an equal one is never missed. Property 1 without any relocation: a copy is
/// added in one bucket before the copy in the other is removed, so a reader can pass between the
/// two.
#[test]
fn swapped_token_is_found() {
    for (shape, buckets, threads) in crowds(&[64]) {
        let swaps = share(shape, 500_000);
        let filter = &fixed(shape, buckets, 256, None);
        let geometry = geometry_of(filter);
        let class = geometry.class(geometry.hash(3, 77, 0));
        let hashes = geometry.both_orders(class);
        filter.insert_hash(hashes[0]).expect("empty");
        // There is room for as many copies as threads.
        let swappers = (threads / 2).min(2 * shape.slots() - 1);
        let (_, missed) = Crew::run(
            swappers,
            |_, _| {
                // The bucket of the present copy. An insert takes the emptier bucket, which is the
                // other one.
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
            |crew, number| misses(crew, filter, hashes, number, 2 * shape.slots()),
        );
        assert_eq!(missed.iter().sum::<usize>(), 0, "the class was never empty");
        settle_accounts(filter, [Ledger::from([(class, 1)])]);
    }
}

/// Checks property 2 with the most conflicts: few buckets, few fingerprints, all operations.
fn hot_table(shape: Shape, buckets: usize, threads: usize, descriptors: Option<usize>) {
    let calls = share(shape, 300_000);
    let filter = &fixed(shape, buckets, 32, descriptors);
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

/// Numbers of racing threads, with pushers that make the token hop meanwhile.
const RACES: [(usize, usize); 6] = [(2, 0), (4, 0), (2, 1), (3, 1), (4, 2), (8, 2)];

/// The number of tokens that are raced for in turn, so that threads that met once meet again.
const TOKENS: usize = 8;

struct Races {
    seesaws: Vec<Seesaw>,
    threads: usize,
    pushers: usize,
    rounds: usize,
    /// Whether no insert can be refused.
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
            rounds: share(shape, 200),
            undisturbed: pushers == 0 && descriptors.is_none(),
        })
    })
}

/// The results of one thread in one race for an absent item.
#[derive(Clone, Copy, Debug)]
struct Race {
    /// The result of `insert_unique`; `None` if it was refused.
    admitted: Option<bool>,
    /// The result of `contains` right after it.
    present: bool,
    /// The result of `count` after the race.
    copies: usize,
    /// Whether the thread won the race to remove a copy again.
    removed: bool,
    /// The result of `contains` when all were removed.
    left: bool,
}

/// Racing admissions and racing removes have one winner. Properties 3 and 4, while the token hops.
/// Threads use both orders of the buckets, so that two of them freeze a bucket each and meet. In
/// every other round there is a second copy to remove.
#[test]
fn races_have_one_winner() {
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
                            // It has not been removed yet, so every thread that was not refused
                            // sees it.
                            present: filter.contains_hash(hash(at)),
                            copies: 0,
                            removed: false,
                            left: false,
                        }
                    });
                    crew.meet();
                    for (at, race) in races.iter_mut().enumerate() {
                        race.copies = seesaws[at].filter.count_hash(hash(at));
                    }
                    crew.meet();
                    if number == 0 && round % 2 == 1 {
                        seesaws.iter().for_each(mount);
                    }
                    crew.meet();
                    for (at, race) in races.iter_mut().enumerate() {
                        race.removed = seesaws[at].filter.remove_hash(hash(at));
                    }
                    crew.meet();
                    for (at, race) in races.iter_mut().enumerate() {
                        race.left = seesaws[at].filter.contains_hash(hash(at));
                    }
                    seen.push(races);
                }
                seen
            },
            race.pushers,
            |crew, number| keep_pushing(seesaws, crew, number),
        );
        for (round, token) in (0..all_rounds).flat_map(|r| (0..TOKENS).map(move |t| (r, t))) {
            let races: Vec<Race> = rounds.iter().map(|seen| seen[round][token]).collect();
            check_race(&races, race.undisturbed, round % 2);
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

/// Checks one race, with `more` other copies.
fn check_race(races: &[Race], undisturbed: bool, more: usize) {
    let winners = races.iter().filter(|r| r.admitted == Some(true)).count();
    let refused = races.iter().filter(|r| r.admitted.is_none()).count();
    // A refusal for want of a slot or a descriptor is possible. A second winner is not, nor is the
    // answer "present" without a winner.
    assert!(winners == 1 || refused == races.len(), "{races:#?}");
    if undisturbed {
        assert_eq!((winners, refused), (1, 0), "{races:#?}");
    }
    for race in races {
        assert!(race.present || race.admitted.is_none(), "{races:#?}");
        assert_eq!(race.copies, winners, "{races:#?}");
        assert!(!race.left, "{races:#?}");
    }
    let removed = races.iter().filter(|race| race.removed).count();
    assert_eq!(removed, winners + more, "{races:#?}");
}

/// Property 6, the lower limit: threads remove items of other threads, so a removal can be counted
/// before the insert. A wrapped sum would look as if all slots were in use.
#[test]
fn len_does_not_wrap_below_zero() {
    const ITEMS: usize = 100_000;
    for threads in THREADS {
        let filter = &fixed(DEFAULT, 1 << 18, 256, None);
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
        assert!(most[0] <= ITEMS, "len was {} of {ITEMS}", most[0]);
        assert!(filter.is_empty());
    }
}

/// Property 6, the upper limit: in a full table an insert can be counted before the removal that
/// made room.
#[test]
fn len_does_not_exceed_the_slots() {
    const SWAPS: usize = 4_000;
    for threads in [2, 4] {
        // Enough for a cell of the count for each thread: a single one cannot be read halfway.
        let filter = &fixed(DEFAULT, 1 << 12, 64, None);
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
        // One thread of a pair removes a token and passes it to the other, which puts it back.
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

/// Inserts and removes publish earlier writes. Property 7: a message written before the insert, and
/// one before the remove, are visible to a thread that sees the item appear or disappear. The
/// accesses to the messages order nothing.
#[test]
fn writes_are_published() {
    const ITEMS: usize = 100_000;
    let filter = &fixed(DEFAULT, 1 << 16, 256, None);
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
