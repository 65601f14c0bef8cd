//! Threads that stop for ever, at every access they make: nobody waits for them and nothing is lost.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::testing::hooks::dying_after;
use lockfree_cuckoo::testing::{Descriptors, Relocate};
use lockfree_cuckoo::{CuckooFilter, InsertError};
use loom_tests::check::check;
use loom_tests::tiny::{far, fill, in_pair, near, pair, spawn, square};
use model::Fingerprint;

const F: Fingerprint = 0x1111;
const G: Fingerprint = 0x2222;

/// Runs `model` with the number of accesses after which its thread dies, from 0 until it survives.
fn at_every_access(name: &'static str, least: usize, model: fn(usize) -> bool) {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    for accesses in 0.. {
        let died = Arc::new(AtomicBool::new(false));
        let seen = died.clone();
        check(&format!("{name} {accesses}"), 1, move || {
            if model(accesses) {
                seen.store(true, Ordering::Relaxed);
            }
        });
        if !died.load(Ordering::Relaxed) {
            assert!(accesses >= least, "{name} makes only {accesses} accesses");
            return;
        }
    }
}

#[test]
fn a_dead_mover_loses_nothing() {
    at_every_access("a mover that dies at access", 15, |accesses| {
        let filter = pair(1);
        fill(&filter, [in_pair(0, F)]);
        let mover = spawn(&filter, move |filter| {
            dying_after(accesses, || filter.relocate_hash(in_pair(0, F))).is_none()
        });
        assert!(filter.contains_hash(in_pair(1, F)), "a token was missed");
        let died = mover.join().expect("the mover's thread");
        assert!(filter.contains_hash(in_pair(0, F)), "a token was missed");
        filter.insert_hash(in_pair(0, G)).expect("room");
        assert!(
            filter.remove_hash(in_pair(1, F)),
            "a stored token was not found"
        );
        assert!(
            !filter.contains_hash(in_pair(1, F)),
            "a removed token was seen"
        );
        assert!(filter.contains_hash(in_pair(1, G)), "a token was missed");
        died
    });
}

#[test]
fn writers_pass_a_dead_mover() {
    at_every_access("writers pass a mover that dies at access", 15, |accesses| {
        let filter = pair(1);
        fill(&filter, [in_pair(0, F)]);
        let mover = spawn(&filter, move |filter| {
            dying_after(accesses, || filter.relocate_hash(in_pair(0, F))).is_none()
        });
        assert!(
            filter.remove_hash(in_pair(1, F)),
            "a stored token was not found"
        );
        filter.insert_hash(in_pair(1, G)).expect("room");
        let died = mover.join().expect("the mover's thread");
        assert_eq!(
            filter.count_hash(in_pair(0, F)),
            0,
            "a removed token was seen"
        );
        assert_eq!(
            filter.count_hash(in_pair(0, G)),
            1,
            "a token was lost or made"
        );
        died
    });
}

#[test]
fn a_dead_admission_is_all_or_nothing() {
    at_every_access("an insert_unique that dies at access", 15, |accesses| {
        let filter = pair(2);
        let racer = spawn(&filter, move |filter| {
            dying_after(accesses, || filter.insert_unique_hash(in_pair(1, F))).is_none()
        });
        let mine = filter.insert_unique_hash(in_pair(0, F)).expect("room");
        let died = racer.join().expect("the racer's thread");
        assert!(
            filter.contains_hash(in_pair(0, F)),
            "an item that was said to be in is missing"
        );
        assert_eq!(
            filter.count_hash(in_pair(1, F)),
            1,
            "not exactly one token is stored"
        );
        assert!(filter.remove_hash(in_pair(1, F)));
        assert!(mine || !filter.contains_hash(in_pair(0, F)));
        died
    });
}

#[test]
fn a_dead_kick_loses_nothing() {
    // With its descriptor gone and no other left, another kick is refused in finite time.
    at_every_access("a kicking insert that dies at access", 20, |accesses| {
        let filter = square(1);
        // Two tokens can leave the full pair, one for each of the two inserts.
        fill(&filter, [far(0, 0), far(2, 1)]);
        fill(&filter, (0..6).map(|n| near(0, n)));
        let inserter = spawn(&filter, move |filter| {
            dying_after(accesses, || filter.insert_hash(near(0, 10))).is_none()
        });
        assert!(
            filter.contains_hash(far(3, 0)),
            "the victim of a kick was missed"
        );
        let died = inserter.join().expect("the inserter's thread");
        let mine = filter.insert_hash(near(0, 11));
        assert!(
            mine.is_ok() || died,
            "a path was not found though nobody died"
        );
        assert_eq!(filter.contains_hash(near(2, 11)), mine.is_ok());
        assert_all_in(&filter);
        died
    });
}

fn assert_all_in(filter: &CuckooFilter) {
    for victim in [far(0, 0), far(2, 1)] {
        assert_eq!(
            filter.count_hash(victim),
            1,
            "the victim of a kick was lost or made"
        );
    }
    for n in 0..6 {
        assert_eq!(
            filter.count_hash(near(0, n)),
            1,
            "a resting token was lost or made"
        );
    }
}

#[test]
fn a_leaked_descriptor_can_be_reclaimed() {
    check("clear takes back the descriptor of a dead owner", 1, || {
        let mut filter = CuckooFilter::builder()
            .buckets(4)
            .descriptors(1)
            .seed(0)
            .build()
            .expect("valid");
        fill(&filter, [far(0, 0)]);
        fill(&filter, (0..7).map(|n| near(0, n)));
        // Between the claim and the install of the first reference.
        assert!(dying_after(12, || filter.insert_hash(near(0, 10))).is_none());
        assert!(matches!(
            filter.insert_hash(near(0, 10)),
            Err(InsertError::NoDescriptor { .. })
        ));
        filter.clear();
        fill(&filter, [far(0, 0)]);
        fill(&filter, (0..8).map(|n| near(0, n)));
        assert_eq!(filter.len(), 9);
    });
}
