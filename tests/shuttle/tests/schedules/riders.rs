//! Riders on a [caravan](crate::caravan): tokens that pushes from both ends make hop along paths of several hops.

use lockfree_cuckoo::SnapshotError;
use lockfree_cuckoo::testing::hooks::Event::{
    Abort, Arrival, Broken, Help, Hint, Hop, Kick, Rejected, Starved,
};
use shuttle_tests::{choice, explore, together};

use crate::caravan::{Caravan, Filter, STORM};

/// Buckets, and hops of the only path.
const ROADS: [(usize, usize); 3] = [(8, 3), (16, 4), (64, 6)];

#[test]
fn riders_are_never_missed_in_a_storm_of_hops() {
    explore(4_000, &STORM, || {
        let (buckets, hops) = ROADS[choice(ROADS.len())];
        let caravan = Caravan::new(buckets, hops, None);
        together(5, |number| match number {
            0..3 => caravan.keep_pushing(number, 16),
            _ => (0..12).for_each(|_| caravan.look_for_riders()),
        });
        caravan.check_complete();
    });
}

/// Whoever finds no descriptor tries again, and is refused in the end.
#[test]
fn one_descriptor_serves_six_threads() {
    let needed = [Starved, Hop, Kick, Arrival];
    explore(4_000, &needed, || {
        let caravan = Caravan::new(16, 3, Some(1));
        together(6, |number| match number {
            0..4 => caravan.keep_pushing(number, 8),
            _ => (0..10).for_each(|_| caravan.look_for_riders()),
        });
        caravan.check_complete();
    });
}

/// The road has two vacant slots, and pushes come and go: they move the one who is already in, and take the
/// slots that are raced for.
#[test]
fn at_most_one_admission_is_told_true_among_movers() {
    let needed = [Rejected, Kick, Broken, Abort, Help];
    explore(10_000, &needed, || {
        let descriptors = [None, Some(1), Some(3)][choice(3)];
        let caravan = Caravan::road(8, 2, descriptors);
        let filter = &caravan.filter;
        let rider = |number: usize| caravan.riders[0][number % 2];
        let other = caravan.riders[1][0];
        filter.insert_hash(other).expect("three vacant slots");
        let outcomes = together(6, |number| {
            if number >= 4 {
                caravan.keep_pushing(number, 3);
                return None;
            }
            let outcome = filter.insert_unique_hash(rider(number)).ok();
            if outcome.is_some() {
                assert!(filter.contains_hash(rider(number + 1)), "missed");
            }
            outcome
        });
        let winners = outcomes.iter().filter(|&&won| won == Some(true)).count();
        let refused = outcomes[..4].iter().all(Option::is_none);
        let one_or_none = winners == 1 || winners == 0 && refused;
        assert!(one_or_none, "not exactly one was told true: {outcomes:?}");
        caravan.check(&[winners, 1]);
        // And as many are told that they took it out again.
        let removed = together(6, |number| {
            if number >= 4 {
                caravan.keep_pushing(number, 2);
                return false;
            }
            filter.remove_hash(rider(number))
        });
        let removed = removed.iter().filter(|&&took| took).count();
        assert_eq!(removed, winners, "not exactly one token was removed");
        caravan.check(&[0, 1]);
    });
}

#[test]
fn a_token_that_hops_is_removed_exactly_once() {
    let needed = [Hop, Kick, Broken, Abort, Help];
    explore(6_000, &needed, || {
        let caravan = Caravan::new(16, 3, None);
        let filter = &caravan.filter;
        let removed = together(5, |number| {
            if number < 2 {
                caravan.keep_pushing(number, 6);
                return Vec::new();
            }
            let remove = |hashes: &[u64; 2]| {
                let removed = filter.remove_hash(hashes[number % 2]);
                // Nobody puts it back.
                let seen = filter.contains_hash(hashes[(number + 1) % 2]);
                assert!(!seen, "a removed rider was seen");
                removed
            };
            caravan.riders.iter().map(remove).collect()
        });
        for rider in 0..caravan.riders.len() {
            let removes = removed[2..].iter().filter(|took| took[rider]).count();
            assert_eq!(removes, 1, "a rider was removed {removes} times");
        }
        caravan.check(&[0, 0, 0]);
    });
}

/// What its only owner did with a rider is what everybody is told at once, whoever moves it meanwhile.
#[test]
fn an_owner_reads_its_own_writes_while_its_token_hops() {
    let needed = [Kick, Broken, Abort, Help];
    explore(10_000, &needed, || {
        let caravan = Caravan::new(8, 3, None);
        let filter = &caravan.filter;
        let copies = together(5, |number| {
            let Some(hashes) = caravan.riders.get(number) else {
                caravan.keep_pushing(number, 12);
                return 0;
            };
            let mut present = true;
            for at in 0..12 {
                let (hash, other) = (hashes[at % 2], hashes[(at + 1) % 2]);
                if present {
                    assert!(filter.remove_hash(hash), "an own rider was lost");
                    present = false;
                } else {
                    // Pushes may have the slots.
                    present = filter.insert_unique_hash(hash) == Ok(true);
                }
                assert_eq!(filter.contains_hash(other), present, "an own rider");
            }
            usize::from(present)
        });
        caravan.check(&copies[..caravan.riders.len()]);
    });
}

/// A snapshot, or nothing if another thread is taking one.
fn snapshot(filter: &Filter) -> Option<Filter> {
    let copy = filter.snapshot();
    let disturbed = copy
        .as_ref()
        .is_err_and(|error| *error != SnapshotError::Busy);
    assert!(!disturbed, "so little cannot disturb it");
    copy.ok()
}

#[test]
fn a_snapshot_holds_riders_that_hop() {
    let needed = [Hint, Hop, Kick, Abort];
    explore(5_000, &needed, || {
        let caravan = Caravan::new(16, 3, None);
        let taken = together(4, |number| {
            if number < 2 {
                caravan.keep_pushing(number, 12);
                return 0;
            }
            let copies = (0..2).filter_map(|_| snapshot(&caravan.filter));
            copies.inspect(|copy| caravan.check_copy(copy)).count()
        });
        assert!(taken.iter().sum::<usize>() > 0, "all found another at it");
        caravan.check_complete();
    });
}

/// One mover, so that there are many schedules in which it stands still between two of its accesses while a whole
/// snapshot is taken.
#[test]
fn a_snapshot_holds_the_only_token_that_hops() {
    let needed = [Hint, Kick, Abort];
    explore(12_000, &needed, || {
        let caravan = Caravan::new(8, 1, None);
        together(2, |number| {
            if number == 0 {
                caravan.keep_pushing(0, 24);
                return;
            }
            for _ in 0..3 {
                let copy = snapshot(&caravan.filter).expect("nobody else takes one");
                let copied = copy.count_hash(caravan.riders[0][0]);
                assert_eq!(copied, 1, "a hopping token was not copied once");
            }
        });
        caravan.check_complete();
    });
}
