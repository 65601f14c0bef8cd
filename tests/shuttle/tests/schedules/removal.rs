//! Removes that race with the relocations of their victims.

use lockfree_cuckoo::testing::hooks::Event;
use shuttle_tests::explore::explore;
use shuttle_tests::threads::together;

use crate::caravan::Caravan;

#[test]
fn a_token_that_hops_is_removed_exactly_once() {
    let needed = [
        Event::Hop,
        Event::Kick,
        Event::Broken,
        Event::Abort,
        Event::Help,
    ];
    explore("removes of riders that hop", 6_000, &needed, || {
        let caravan = Caravan::new(16, 3, None);
        let filter = &caravan.filter;
        let removed = together(5, |number| {
            if number < 2 {
                caravan.keep_pushing(number, 6);
                return Vec::new();
            }
            let riders = caravan.riders.iter();
            riders
                .map(|hashes| {
                    let removed = filter.remove_hash(hashes[number % 2]);
                    // Nobody puts it back.
                    assert!(
                        !filter.contains_hash(hashes[(number + 1) % 2]),
                        "a removed rider was seen"
                    );
                    removed
                })
                .collect()
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
    let needed = [Event::Kick, Event::Broken, Event::Abort, Event::Help];
    explore("owners of riders that hop", 10_000, &needed, || {
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
