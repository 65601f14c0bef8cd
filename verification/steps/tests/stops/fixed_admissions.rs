//! Admissions of one item in a fixed table: if two succeed, a remove must have come between.

use std::mem;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo::testing::hooks::access;
use lockfree_cuckoo::testing::{Internals, Places};
use step_tests::{
    At, Led, accesses, assert_counts, at_all_steps, at_each_step, bounded, fill, overtaken,
};

use crate::fixed::{alternate, hash, table};

/// Two hashes of one class in a table of two buckets, one for each order of the candidates.
const ITEM: u64 = hash(1, 0, 0x1111);
const FLIPPED: u64 = hash(1, 1, 0x1111);

fn admit(filter: &CuckooFilter, hash: u64) -> bool {
    filter.insert_unique_hash(hash).expect("room")
}

fn empty() -> CuckooFilter {
    table(2, 16, 8)
}

/// Returns the accesses of an admission into an empty table at which it may have a frozen word, and
/// some more: the number of accesses to get a descriptor and to count varies.
fn frozen() -> Range<usize> {
    const TO_THE_END: usize = 8;
    const MORE: usize = 2;
    let filter = empty();
    let all = accesses(|| admit(&filter, ITEM));
    all.saturating_sub(TO_THE_END)..all + MORE
}

/// Checks that of an admission and one that overtakes it one is told true.
fn one_of_two(name: &str, begin: impl Fn() -> CuckooFilter, [mine, theirs]: [u64; 2]) {
    at_each_step(name, 15, |step| {
        let (filter, mut early) = (begin(), false);
        let overtake = || early = admit(&filter, theirs);
        let (late, reached) = overtaken(step, overtake, || admit(&filter, mine));
        assert!(early != late, "not exactly one was told true");
        assert_counts(&filter, [(mine, 1)]);
        reached
    });
}

/// A token that another thread has helped to admit is seen, though its word stays the emptier one.
#[test]
fn token_in_the_emptier_word() {
    let neighbours = || {
        let filter = empty();
        fill(&filter, [100, 200].map(|f| hash(1, 1, f)));
        assert!(
            filter.relocate_hash(hash(1, 0, 200)),
            "it is in the emptier word"
        );
        filter
    };
    for hashes in [[ITEM, ITEM], [ITEM, FLIPPED]] {
        one_of_two("two admissions, and neighbours", neighbours, hashes);
    }
}

/// An admission that makes room in a full pair does not place its token by that. Meanwhile a rival
/// makes room and succeeds, and the pair is full again.
#[test]
fn rival_in_a_full_pair() {
    const LOG: u32 = 2;
    let apart = |offset| (100..).filter(move |&f| alternate(LOG, 0, f) == offset);
    let full = || {
        let filter = table(1 << LOG, 16, 8);
        // These two can leave the pair.
        fill(&filter, apart(3).take(2).map(|f| hash(LOG, 0, f)));
        let second = apart(3).nth(1).expect("there are some");
        assert!(
            filter.relocate_hash(hash(LOG, 3, second)),
            "it is in the emptier word"
        );
        fill(&filter, apart(2).take(6).map(|f| hash(LOG, 0, f)));
        filter
    };
    let fingerprint = apart(2).nth(6).expect("there are some");
    let [item, flipped] = [0, 2].map(|first| hash(LOG, first, fingerprint));
    for hashes in [[item, item], [item, flipped]] {
        one_of_two("two admissions into a full pair", full, hashes);
    }
}

/// A third call meets two rivals, both frozen, and decides each by its witness.
#[test]
fn third_call_meets_two_rivals() {
    let frozen = frozen();
    for hashes in [[ITEM, FLIPPED], [FLIPPED, ITEM]] {
        at_all_steps("two rivals, and a count", 500, |[first, other, more]| {
            let second = frozen.start.max(first + 1) + more;
            let other = frozen.start + other;
            let filter = empty();
            let (told, reached) = thread::scope(|scope| {
                let mut one = Led::begin(scope, [first, second], || admit(&filter, hashes[0]));
                let one_stops = one.has_stopped() && first < frozen.end;
                let two = Led::begin(scope, [other], || admit(&filter, hashes[1]));
                let two_stops = two.has_stopped() && other < frozen.end;
                let again = one.go_on() && second < frozen.end;
                // The count settles words as a writer does.
                let _ = filter.count_hash(ITEM);
                ([one.finish(), two.finish()], [one_stops, two_stops, again])
            });
            assert!(told[0] != told[1], "not exactly one was told true");
            assert_counts(&filter, [(ITEM, 1)]);
            reached
        });
    }
}

/// An admission has loaded its two words, and has not frozen one.
const LOADED: usize = 2;

/// Stops an admission when it has loaded its words, and at its witness: at the first load of a word
/// after it has frozen one. Counts its accesses to words from there on.
fn at_the_witness(
    filter: &CuckooFilter,
    later: &Arc<AtomicUsize>,
) -> impl FnMut(usize) -> At + Send + 'static {
    let mut places = filter.places().into_iter();
    let (_, words) = places.find(|&(name, _)| name == "table").expect("words");
    let (later, mut frozen, mut stopped) = (Arc::clone(later), false, false);
    move |step| {
        if step == LOADED {
            return At::Stops;
        }
        let access = access().expect("an access");
        if !words.contains(&access.address) {
            return At::Goes;
        }
        later.fetch_add(usize::from(stopped), Ordering::Relaxed);
        if access.writes || stopped || !mem::take(&mut frozen) {
            frozen = access.writes;
            return At::Goes;
        }
        stopped = true;
        later.store(1, Ordering::Relaxed);
        At::Stops
    }
}

/// Stops an admission of each of two items at its witness, which is the target of the other. Then
/// one goes on, and then the other. Returns what they are told, and the accesses of the second.
fn two_at_the_witness(hashes: [u64; 2], first: usize) -> ([bool; 2], usize) {
    let filter = empty();
    let counts = [(); 2].map(|()| Arc::new(AtomicUsize::new(0)));
    let told = thread::scope(|scope| {
        let mut calls = [0, 1].map(|n| {
            let (filter, hook) = (&filter, at_the_witness(&filter, &counts[n]));
            Some(Led::hooked(scope, hook, move || admit(filter, hashes[n])))
        });
        calls.iter_mut().flatten().for_each(Led::wait);
        for call in calls.iter_mut().flatten() {
            assert!(call.go_on(), "it has a witness");
        }
        let mut told = [false; 2];
        for n in [first, 1 - first] {
            told[n] = calls[n].take().expect("once").finish();
        }
        told
    });
    (told, counts[1 - first].load(Ordering::Relaxed))
}

/// Of two rivals that are frozen at once, the one with the lower target wins, whichever goes on
/// first: if each gave way, or neither, they could disturb each other at every attempt.
#[test]
fn the_lower_target_wins() {
    for first in [0, 1] {
        let (told, _) = two_at_the_witness([ITEM, FLIPPED], first);
        assert_eq!(told, [true, false], "{first} goes on first");
    }
}

/// Admissions of two items do not disturb each other, though each freezes the other's witness.
#[test]
fn another_item_is_no_rival() {
    for first in [0, 1] {
        let (told, accesses) = two_at_the_witness([ITEM, hash(1, 1, 0x2222)], first);
        assert_eq!(told, [true; 2], "{first} goes on first");
        assert_eq!(accesses, 2, "it had to begin again");
    }
}

/// A third call meets the target of one of two rivals, and decides that one. It must not commit it
/// as long as the other one is frozen, whose owner may have read its witness before.
#[test]
fn third_call_meets_one_of_two_rivals() {
    const LOG: u32 = 2;
    let apart = |offset| (0x1000..).find(|&f| alternate(LOG, 0, f) == offset);
    let [near, far] = [2, 3].map(|offset| apart(offset).expect("there are some"));
    // Buckets 0 and 2, in either order, and 0 and 3, and 2 and 1.
    let [item, flipped] = [0, 2].map(|first| hash(LOG, first, near));
    for meets in [0, 2].map(|first| hash(LOG, first, far)) {
        let frozen = frozen();
        at_all_steps("one of two rivals, and a count", 50, |[one, two]| {
            let filter = table(1 << LOG, 16, 8);
            let (one, two) = (frozen.start + one, frozen.start + two);
            let (told, reached) = thread::scope(|scope| {
                let mut late = Led::begin(scope, [LOADED, two], || admit(&filter, flipped));
                let early = Led::begin(scope, [one], || admit(&filter, item));
                let early_stops = early.has_stopped() && one < frozen.end;
                let late_stops = late.go_on() && two < frozen.end;
                // The count settles words as a writer does.
                let _ = bounded(|| filter.count_hash(meets));
                ([early.finish(), late.finish()], [early_stops, late_stops])
            });
            assert!(told[0] != told[1], "not exactly one was told true");
            assert_counts(&filter, [(item, 1)]);
            reached
        });
    }
}

/// A rival stalls while it meets an admission that succeeds. The owner then uses its descriptor
/// again for other items, and the token stays.
#[test]
fn a_rival_stalls_over_other_uses() {
    const LOG: u32 = 2;
    let far = |offset| (0x1000..).filter(move |&f| alternate(LOG, 0, f) == offset);
    let near = far(2).next().expect("there are some");
    let [item, flipped] = [0, 2].map(|first| hash(LOG, first, near));
    // In buckets 1 and 3.
    let others: Vec<u64> = far(2).skip(1).take(2).map(|f| hash(LOG, 1, f)).collect();
    for (rival, uses) in [(item, 1), (item, 2), (flipped, 1), (flipped, 2)] {
        let name = format!("a rival that stalls over {uses} other uses");
        at_all_steps(&name, 50, |[first, stall]| {
            // A descriptor for each.
            let (filter, frozen) = (table(1 << LOG, 16, 2), frozen());
            let (first, stall) = (frozen.start + first, frozen.start + stall);
            let (told, theirs, reached) = thread::scope(|scope| {
                let mut other = Led::begin(scope, [LOADED, stall], || admit(&filter, rival));
                let owner = Led::begin(scope, [first], || {
                    let told = admit(&filter, item);
                    assert!(others[..uses].iter().all(|&other| admit(&filter, other)));
                    told
                });
                let owner_stops = owner.has_stopped() && first < frozen.end;
                let stalls = other.go_on() && stall < frozen.end;
                let told = owner.finish();
                (told, other.finish(), [owner_stops, stalls])
            });
            assert!(told != theirs, "not exactly one was told true");
            assert_counts(&filter, [(item, 1)]);
            reached
        });
    }
}

/// The owner of an admission has found an equal token in its witness. Before it has said so, a
/// remove takes that token, which it saw before the target was frozen. Then a helper finds none.
#[test]
fn helper_asks_after_the_owner() {
    /// The exchange of a remove, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    at_all_steps("an owner, a remove, and a helper", 50, |[first, more]| {
        let filter = empty();
        let stops = [first, first + 1 + more];
        let (told, reached) = thread::scope(|scope| {
            let mut owner = Led::begin(scope, stops, || admit(&filter, ITEM));
            let owner_stops = owner.has_stopped();
            filter.insert_hash(FLIPPED).expect("room");
            let remove = Led::begin(scope, [EXCHANGE], || filter.remove_hash(FLIPPED));
            let again = owner.go_on();
            assert!(remove.finish(), "a stored item");
            // The count settles words as a writer does.
            let _ = bounded(|| filter.count_hash(ITEM));
            (owner.finish(), [owner_stops, again])
        });
        // One came, and one went.
        assert_counts(&filter, [(ITEM, usize::from(told))]);
        reached
    });
}

/// The owner of an admission and a helper ask the witness at different times: an equal token comes
/// there, and goes again. The decision of the one who is first stands.
#[test]
fn owner_and_helper_disagree() {
    /// The exchange of an insert, after it has loaded its two words.
    const EXCHANGE: usize = 2;
    let frozen = frozen();
    at_all_steps("an owner, and a helper", 500, |[first, helper, more]| {
        let filter = empty();
        let stops = [first, first + 1 + more];
        let (told, reached) = thread::scope(|scope| {
            // It has read both words as empty, and is about to add to the witness.
            let equal = Led::begin(scope, [EXCHANGE], || filter.insert_hash(FLIPPED));
            let mut owner = Led::begin(scope, stops, || admit(&filter, ITEM));
            let owner_stops = owner.has_stopped() && first < frozen.end;
            let help = Led::begin(scope, [helper], || filter.count_hash(ITEM));
            let helps = help.has_stopped();
            equal.finish().expect("room");
            let again = owner.go_on() && stops[1] < frozen.end;
            assert!(filter.remove_hash(ITEM), "a stored item");
            help.finish();
            (owner.finish(), [owner_stops, helps, again])
        });
        // Two came, or one, and one went.
        assert_counts(&filter, [(ITEM, usize::from(told))]);
        reached
    });
}

/// A rival stalls while it meets an admission, whose owner ends that use of its descriptor and
/// begins the next one.
#[test]
fn a_rival_stalls_over_a_reuse() {
    let frozen = frozen();
    for rival in [ITEM, FLIPPED] {
        let name = "a rival that stalls over a reuse";
        at_all_steps(name, 1_000, |[first, helper, more]| {
            let (filter, first) = (table(2, 16, 2), frozen.start + first);
            let stops = [first, first + 1 + more];
            let (told, theirs, reached) = thread::scope(|scope| {
                let mut owner = Led::begin(scope, stops, || {
                    let told = admit(&filter, ITEM);
                    assert_eq!(told && filter.remove_hash(FLIPPED), told, "a stored item");
                    [told, admit(&filter, FLIPPED)]
                });
                let owner_stops = owner.has_stopped() && first < frozen.end;
                let other = Led::begin(scope, [helper], || admit(&filter, rival));
                let helps = other.has_stopped() && helper < frozen.end;
                let again = owner.go_on();
                let theirs = other.finish();
                (owner.finish(), theirs, [owner_stops, helps, again])
            });
            // What the owner is told first is removed.
            assert!(told[1] != theirs, "not exactly one was told true");
            assert_counts(&filter, [(ITEM, 1)]);
            reached
        });
    }
}

/// An item that is stored is never refused, though its token hops past the reads of an admission and
/// the pair is full before and after.
#[test]
fn stored_item_is_not_refused() {
    at_each_step("an admission of a stored item", 2, |step| {
        let filter = table(2, 16, 8);
        filter.insert_hash(ITEM).expect("room");
        fill(&filter, (0..7).map(|n| hash(1, (n + 1) % 2, 100 + n)));
        let hop = || {
            assert!(
                filter.remove_hash(hash(1, 1, 100)),
                "it is in the other word"
            );
            assert!(filter.relocate_hash(ITEM), "it is in its first word");
            filter.insert_hash(hash(1, 0, 200)).expect("the slot");
        };
        let admit = || filter.insert_unique_hash(FLIPPED);
        let (outcome, reached) = overtaken(step, hop, admit);
        assert_eq!(outcome, Ok(false), "refused, or told true");
        reached
    });
}
