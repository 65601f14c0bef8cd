//! Who gets which descriptor.

use std::collections::HashSet;
#[cfg(feature = "std")]
use std::thread;

use super::*;
#[cfg(feature = "std")]
use crate::layout::Bucket;
use crate::layout::Lanes;
#[cfg(feature = "std")]
use crate::table::Word;

type Pool = super::Pool<Lanes<4, 16>>;

/// Claims until there is none left, or one more than there are.
fn claim_all(pool: &Pool) -> Vec<Claim<'_, Lanes<4, 16>>> {
    core::iter::from_fn(|| pool.claim())
        .take(pool.len() + 1)
        .collect()
}

/// Pools of these sizes, and some that have grown.
fn pools() -> impl Iterator<Item = Pool> {
    let made = [MAX_DESCRIPTORS, 64, 16, 4, 3, 2, 1].map(|size| Pool::new(size).expect("memory"));
    made.into_iter().chain(grown())
}

/// Pools only grow where filters do.
#[cfg(not(feature = "std"))]
fn grown() -> [Pool; 0] {
    []
}

#[cfg(feature = "std")]
fn grown() -> [Pool; 4] {
    [1, 2, 3, 60].map(|size| {
        let pool = Pool::new(size).expect("memory");
        for size in [16, 64, Pool::most()] {
            pool.grow(size).expect("memory");
        }
        assert_eq!(pool.len(), Pool::most());
        pool
    })
}

/// Each of them within the one before.
#[test]
fn a_thread_gets_no_descriptor_twice_and_none_of_another_thread() {
    for pool in pools() {
        let claims = claim_all(&pool);
        let indexes: HashSet<usize> = claims.iter().map(|claim| claim.index).collect();
        assert_eq!(indexes.len(), claims.len(), "one descriptor, two owners");
        let thread = sync::thread_index();
        let owners = |part: Part<'_>| (0..part.own()).map(move |owner| (part.first + owner, owner));
        let others: HashSet<usize> = pool
            .parts()
            .flat_map(owners)
            .filter_map(|(index, owner)| (owner != thread).then_some(index))
            .collect();
        assert!(indexes.is_disjoint(&others), "another thread's");
        assert_eq!(claims.len(), pool.len() - others.len());
        drop(claims);
        let again = claim_all(&pool).len();
        assert_eq!(
            again,
            pool.len() - others.len(),
            "after they were given back"
        );
    }
}

/// By its number, a claim that was made before the pool grew, and one of what was added.
#[cfg(feature = "std")]
#[test]
fn a_reference_is_to_the_descriptor_that_was_claimed() {
    let pool = Pool::new(2).expect("memory");
    let mut claims = claim_all(&pool);
    for size in [8, 64, Pool::most()] {
        pool.grow(size).expect("memory");
        claims.extend(claim_all(&pool));
    }
    assert!(claims.len() > 32);
    let uses: Vec<_> = claims
        .iter_mut()
        .enumerate()
        .map(|(bucket, claim)| claim.publish(Transfer::emptying(bucket, Bucket::EMPTY)))
        .collect();
    for (bucket, &(reference, pending)) in uses.iter().enumerate() {
        let (transfer, control) = pool.read(reference).expect("the last use");
        assert_eq!((transfer.source, control), (bucket, pending));
        pool.decide(reference, pending, State::Committed);
        assert_eq!(claims[bucket].state(), State::Committed);
    }
}

#[cfg(feature = "std")]
#[test]
fn grows_by_what_it_says() {
    for size in [1, 2, 4, 64, MAX_DESCRIPTORS] {
        let mut pool = Pool::new(size).expect("memory");
        let made = pool.bytes();
        for wanted in (0..=20).map(|level| Pool::size_for(1 << level)) {
            let (before, more) = (pool.bytes(), pool.bytes_to_grow(wanted));
            pool.grow(wanted).expect("memory");
            assert_eq!(pool.bytes(), before + more);
            assert!(4 * pool.len() > wanted);
        }
        assert_eq!(pool.len(), size.max(Pool::most()));
        pool.shrink();
        assert_eq!((pool.len(), pool.bytes()), (size, made));
    }
}

#[test]
fn small_tables_have_few() {
    let of = [2, 64, 384, 512, 768, 3_072].map(Pool::size_for);
    assert_eq!(of, [2, 2, 2, 4, 4, 16]);
    assert_eq!(Pool::size_for(1 << 30), Pool::most());
}

/// As if a thread had died with it, and another had its number now.
#[test]
fn a_descriptor_that_is_lost_is_the_only_one() {
    let pool = Pool::new(MAX_DESCRIPTORS).expect("memory");
    let all = claim_all(&pool).len();
    core::mem::forget(pool.claim());
    assert_eq!(claim_all(&pool).len(), all - 1);
    pool.reclaim();
    assert_eq!(claim_all(&pool).len(), all);
}

/// Two threads can have one number above those that belong to one thread alone.
#[test]
fn a_number_that_threads_share_owns_no_descriptor() {
    for own in pools().flat_map(|pool| pool.parts().map(Part::own).collect::<Vec<_>>()) {
        assert!(own <= sync::EXCLUSIVE, "{own} of {}", sync::EXCLUSIVE);
    }
}

/// Threads that come and go, so that each number has many holders, and some have none. Meanwhile the pool grows.
#[cfg(feature = "std")]
#[test]
fn no_reference_is_given_twice() {
    const THREADS: usize = 8;
    const USES: usize = 100;
    let pool = Pool::new(2 * THREADS).expect("memory");
    let (mut seen, mut used) = (HashSet::new(), 0);
    for round in 0..50 {
        let uses = || -> Vec<u64> {
            let mut turn = 0;
            let mut next = || {
                turn += 1;
                if round == 25 && turn == USES / 2 {
                    pool.grow(Pool::most()).expect("memory");
                }
                let (reference, _) = pool.claim()?.publish(Transfer::emptying(0, Bucket::EMPTY));
                Some(Word::from(reference).bits())
            };
            (0..USES).filter_map(|_| next()).collect()
        };
        let references: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(uses)).collect();
            let each = threads.into_iter().map(|thread| thread.join());
            each.flat_map(|uses| uses.expect("no panic")).collect()
        });
        used += references.len();
        seen.extend(references);
    }
    assert_eq!(used, 50 * THREADS * USES, "all have one");
    assert_eq!(seen.len(), used, "two uses of one number");
    assert_eq!(pool.parts().count(), 2, "not one for each who asked");
}
