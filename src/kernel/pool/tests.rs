//! Who gets which descriptor, and how many there are.

use std::collections::HashSet;

use super::*;
use crate::kernel::layout::{Bucket, Lanes};
use crate::kernel::seats::THIS_PROCESS;
use crew::Crew;

type Pool = super::Pool<Lanes<4, 16>>;

/// Numbers of threads that machines run at once.
const MACHINES: [usize; 6] = [1, 2, 16, 128, 256, 1024];

/// Buckets of small and of large tables.
const BUCKETS: [usize; 8] = [
    1,
    2,
    511,
    512,
    1 << 13,
    1 << 16,
    (1 << 20) + 1,
    usize::MAX / 8,
];

fn pool(first: usize, most: usize) -> Pool {
    Pool::new(PoolSize { first, most }).expect("memory")
}

fn emptying(bucket: usize) -> Transfer<Lanes<4, 16>> {
    let old = Bucket::EMPTY;
    Transfer::Emptying { bucket, old }
}

fn len(pool: &Pool) -> usize {
    pool.last().end()
}

/// Claims until there is none left, or more than there may be.
fn claim_all(pool: &Pool) -> Vec<Claim<'_, Lanes<4, 16>>> {
    core::iter::from_fn(|| pool.claim())
        .take(pool.limits.most() + 1)
        .collect()
}

/// Pools to which no claim adds a segment: of these sizes, and some that have grown.
fn pools() -> impl Iterator<Item = Pool> {
    let made = [MAX_DESCRIPTORS, 64, 16, 4, 3, 2, 1].map(|size| pool(size, size));
    let grown = [1, 2, 3, 60].map(|size| {
        let pool = pool(size, 64);
        for buckets in [1 << 11, 1 << 13, 1 << 20] {
            pool.grow_on(2, buckets).expect("memory");
        }
        assert_eq!(len(&pool), 64);
        pool
    });
    made.into_iter().chain(grown)
}

/// Descriptors that belong to a thread alone, with the number of this thread.
fn owned(pool: &Pool) -> impl Iterator<Item = (usize, usize)> {
    let owners =
        |segment: Segment<'_>| (0..segment.own).map(move |owner| (segment.first + owner, owner));
    pool.segments().flat_map(owners)
}

/// Each of them within the one before.
#[test]
fn a_thread_gets_no_descriptor_twice_and_none_of_another_thread() {
    for pool in pools() {
        let claims = claim_all(&pool);
        let indexes: HashSet<usize> = claims.iter().map(|claim| claim.index).collect();
        assert_eq!(indexes.len(), claims.len(), "one descriptor, two owners");
        let thread = sync::thread_index();
        let others: HashSet<usize> = owned(&pool)
            .filter_map(|(index, owner)| (owner != thread).then_some(index))
            .collect();
        assert!(indexes.is_disjoint(&others), "another thread's");
        assert_eq!(claims.len(), len(&pool) - others.len());
        drop(claims);
        assert_eq!(claim_all(&pool).len(), len(&pool) - others.len());
    }
}

/// Claims that are never given back, as those of threads that stop for good.
#[test]
fn a_claim_adds_descriptors_when_all_are_taken() {
    for first in [1, 2, 3, 16, 64, 640, MAX_DESCRIPTORS - 1] {
        let mut pool = pool(first, MAX_DESCRIPTORS);
        let claims = claim_all(&pool);
        let indexes: HashSet<usize> = claims.iter().map(|claim| claim.index).collect();
        assert_eq!(indexes.len(), claims.len(), "one descriptor, two owners");
        // All but those that belong to other threads.
        let others = owned(&pool).filter(|&(_, owner)| owner != sync::thread_index());
        assert_eq!(claims.len(), MAX_DESCRIPTORS - others.count());
        assert_eq!(len(&pool), MAX_DESCRIPTORS);
        assert!(pool.claim().is_none(), "more than a reference can name");
        drop(claims);
        let bytes = (MAX_DESCRIPTORS - first) * size_of::<Descriptor>();
        let added = pool.bytes() - first * size_of::<Descriptor>();
        let boxes = (pool.segments().count() - 1) * size_of::<Descriptors>();
        assert_eq!(added, bytes + boxes);
        assert!(pool.segments().count() <= 11, "a long walk");
        pool.shrink();
        assert_eq!((len(&pool), pool.claim().is_some()), (first, true));
    }
}

/// Those of dead threads in all segments.
#[test]
fn reclaims_all_segments() {
    let pool = pool(2, MAX_DESCRIPTORS);
    for _ in 0..100 {
        core::mem::forget(pool.claim());
    }
    assert!(pool.segments().count() > 5);
    pool.reclaim();
    let free = core::iter::from_fn(|| pool.try_to_claim().map(core::mem::forget)).count();
    let others = owned(&pool).filter(|&(_, owner)| owner != sync::thread_index());
    assert_eq!(free, len(&pool) - others.count());
}

/// The first segment stays if a table of this size needs no more, and otherwise one new segment.
#[test]
fn shrinks_to_what_is_needed() {
    let needed = [
        (1, 4),
        (1 << 9, 4),
        (1 << 10, 8),
        (1 << 12, 32),
        (1 << 20, 64),
    ];
    for (buckets, expected) in needed {
        let mut pool = pool(4, MAX_DESCRIPTORS);
        while len(&pool) < 600 {
            core::mem::forget(pool.claim());
        }
        pool.reclaim();
        assert!(pool.segments().count() > 1);
        sync::on_processors(16, || pool.shrink_to(buckets));
        let left = (len(&pool), pool.segments().count());
        assert_eq!(left, (expected, 1), "{buckets} buckets");
    }
    // As many as are needed stay as they are.
    let mut pool = pool(4, 8);
    (0..8).for_each(|_| core::mem::forget(pool.claim()));
    pool.reclaim();
    pool.shrink_to(1 << 20);
    assert_eq!((len(&pool), pool.segments().count()), (8, 2));
}

/// At the maximum only time may help: another thread gives its descriptor back.
#[test]
fn waits_at_the_maximum() {
    let pool = pool(1, 1);
    for turn in [1, 5, sync::YIELDS_BEFORE_FAILING] {
        let (mut turns, mut held) = (0, pool.claim());
        let claimed = pool.claim_later(|| {
            turns += 1;
            if turns == turn {
                held = None;
            }
        });
        assert!(claimed.is_some(), "gave up before turn {turn}");
    }
    let _held = pool.claim();
    let mut turns = 0;
    assert!(pool.claim_later(|| turns += 1).is_none());
    let yields = sync::YIELDS_BEFORE_FAILING;
    assert_eq!(turns, yields / 16 + yields);
}

/// Other threads have added a segment, and taken all of it.
#[test]
fn a_claim_that_comes_late_adds_a_part_of_its_own() {
    let pool = pool(2, MAX_DESCRIPTORS);
    let first = pool.last();
    pool.grow_on(2, 1 << 10).expect("memory");
    let added = pool.last();
    let claim = |thread| added.claim(thread, THIS_PROCESS);
    let claim_any = || (0..added.descriptors.len()).find_map(claim);
    let _taken: Vec<Claim<'_, Lanes<4, 16>>> = core::iter::from_fn(claim_any).collect();
    let claim = pool.claim_behind(first).expect("one is added");
    assert!(claim.index >= added.end(), "descriptor {}", claim.index);
}

/// Another thread has added a segment that is too short for the table.
#[test]
fn a_doubling_that_comes_late_adds_the_rest() {
    let pool = pool(2, MAX_DESCRIPTORS);
    let first = pool.last();
    pool.grow_on(2, 1 << 10).expect("memory");
    assert_eq!(len(&pool), 8);
    pool.grow_behind(first, 2, 1 << 12).expect("memory");
    assert_eq!(len(&pool), 32);
}

/// Not at each doubling of the table.
#[test]
fn descriptors_are_added_when_four_times_as_many_are_needed() {
    let pool = pool(4, MAX_DESCRIPTORS);
    for (log, expected) in [(9, 4), (10, 4), (11, 16), (12, 16), (13, 64), (20, 64)] {
        pool.grow_on(2, 1 << log).expect("memory");
        assert_eq!(len(&pool), expected, "for 2^{log} buckets");
    }
    pool.grow_on(256, 1 << 14).expect("memory");
    assert_eq!(len(&pool), 64, "128 are needed");
}

/// The last segment is shorter than its share: half of it is for all threads.
#[test]
fn a_short_part_is_not_only_for_its_owners() {
    let pool = pool(MAX_DESCRIPTORS - 8, MAX_DESCRIPTORS);
    let claims = claim_all(&pool).len();
    let own = pool.last().own;
    assert_eq!((pool.last().descriptors.len(), own), (8, 4));
    let others = owned(&pool).filter(|&(_, owner)| owner != sync::thread_index());
    assert_eq!(claims, MAX_DESCRIPTORS - others.count());
}

/// As long as claims are given back, there are as many as at the beginning.
#[test]
fn a_claim_that_is_given_back_adds_none() {
    let pool = pool(2, MAX_DESCRIPTORS);
    for _ in 0..1_000 {
        drop(pool.claim().expect("one is free"));
    }
    assert_eq!(len(&pool), 2);
}

/// By its number, a claim that was made before the pool grew, and one of what was added.
#[test]
fn a_reference_is_to_the_descriptor_that_was_claimed() {
    let pool = pool(2, MAX_DESCRIPTORS);
    let mut claims: Vec<_> = core::iter::from_fn(|| pool.claim()).take(9).collect();
    for buckets in [1 << 13, 1 << 20] {
        pool.grow_on(2, buckets).expect("memory");
        claims.extend(core::iter::from_fn(|| pool.claim()).take(40));
    }
    let uses: Vec<_> = claims
        .iter_mut()
        .enumerate()
        .map(|(bucket, claim)| claim.publish(emptying(bucket)))
        .collect();
    for (bucket, &(reference, pending)) in uses.iter().enumerate() {
        let (transfer, control) = pool.read(reference).expect("the last use");
        assert_eq!(
            (transfer, control),
            (emptying(bucket), pending),
            "another descriptor"
        );
        pool.decide(reference, pending, Status::Committed);
        assert_eq!(claims[bucket].status(), Status::Committed);
    }
}

/// Two threads can have one number above those that belong to one thread alone.
#[test]
fn a_number_that_threads_share_owns_no_descriptor() {
    for own in pools().flat_map(|pool| {
        pool.segments()
            .map(|segment| segment.own)
            .collect::<Vec<_>>()
    }) {
        assert!(own <= sync::EXCLUSIVE, "{own} of {}", sync::EXCLUSIVE);
    }
}

#[test]
fn every_machine_has_a_number_that_references_can_name() {
    for threads in MACHINES {
        for buckets in BUCKETS {
            let PoolSize { first, most } = PoolSize::on(threads, buckets);
            assert!(
                (MIN_DESCRIPTORS..=MAX_DESCRIPTORS).contains(&first),
                "{first}"
            );
            assert_eq!(most, MAX_DESCRIPTORS);
            assert!(
                first <= MIN_DESCRIPTORS.max(buckets / 128),
                "more than is affordable"
            );
        }
        let large = PoolSize::on(threads, 1 << 20).first;
        assert!(large >= (4 * threads).min(MAX_DESCRIPTORS), "{large}");
    }
}

/// A doubling adds what is missing once, whichever threads begin it.
#[test]
fn threads_that_grow_a_pool_at_once_add_one_part() {
    const THREADS: usize = 3;
    const ROUNDS: usize = 2_000;
    for (threads, buckets, first) in [(2, 1 << 13, 2), (160, 1 << 17, 256), (256, 1 << 20, 256)] {
        let expected = PoolSize::on(threads, buckets).first;
        let pools: Vec<Pool> = (0..ROUNDS / (expected / 64))
            .map(|_| pool(first, MAX_DESCRIPTORS))
            .collect();
        Crew::workers(THREADS, |crew, _| {
            for pool in &pools {
                crew.meet();
                pool.grow_on(threads, buckets).expect("memory");
            }
        });
        for pool in &pools {
            assert_eq!(len(pool), expected);
            assert_eq!(pool.segments().count(), 2);
        }
    }
}

/// Claims that add a segment meet a doubling that adds one.
#[test]
fn claims_and_a_doubling_add_no_more_than_references_can_name() {
    const THREADS: usize = 4;
    for round in 0..200 {
        let pool = pool(1 + round % 2 * 255, MAX_DESCRIPTORS);
        let claims = Crew::workers(THREADS, |crew, worker| {
            crew.meet();
            if worker == 0 {
                pool.grow_on(256, 1 << 20).expect("memory");
            }
            core::iter::from_fn(|| pool.claim())
                .take(5)
                .collect::<Vec<_>>()
        });
        let claims: Vec<_> = claims.into_iter().flatten().collect();
        let indexes: HashSet<usize> = claims.iter().map(|claim| claim.index).collect();
        assert_eq!((claims.len(), indexes.len()), (5 * THREADS, 5 * THREADS));
        assert_eq!(len(&pool), MAX_DESCRIPTORS);
    }
}

#[test]
#[should_panic(expected = "no reference names descriptor 1023")]
fn a_reference_to_a_descriptor_that_it_cannot_name_is_refused() {
    let _ = Reference::<Lanes<4, 16>>::new(MAX_DESCRIPTORS, 0);
}
