//! Who gets which descriptor.

use std::collections::HashSet;
use std::thread;

use super::*;
use crate::layout::{Bucket, Lanes};
use crate::table::Word;

type Pool = super::Pool<Lanes<4, 16>>;

/// Claims until there is none left, or one more than there are.
fn claim_all(pool: &Pool) -> Vec<Claim<'_, Lanes<4, 16>>> {
    core::iter::from_fn(|| pool.claim())
        .take(pool.len() + 1)
        .collect()
}

/// Each of them within the one before.
#[test]
fn a_thread_gets_no_descriptor_twice_and_none_of_another_thread() {
    for size in [MAX_DESCRIPTORS, 64, 16, 4, 3, 1] {
        let pool = Pool::new(size).expect("memory");
        let claims = claim_all(&pool);
        let indexes: HashSet<usize> = claims.iter().map(|claim| claim.index).collect();
        assert_eq!(indexes.len(), claims.len(), "one descriptor, two owners");
        let own = sync::thread_index();
        let others = |&index: &usize| index < pool.own() && index != own;
        assert_eq!(
            indexes.iter().filter(|&index| others(index)).count(),
            0,
            "another thread's"
        );
        let all = size - pool.own() + usize::from(own < pool.own());
        assert_eq!(claims.len(), all, "of {size}");
        drop(claims);
        assert_eq!(claim_all(&pool).len(), all, "after they were given back");
    }
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
    let pool = Pool::new(MAX_DESCRIPTORS).expect("memory");
    assert!(
        pool.own() <= sync::EXCLUSIVE,
        "{} of {}",
        pool.own(),
        sync::EXCLUSIVE
    );
}

/// Threads that come and go, so that each number has many holders, and some have none.
#[test]
fn no_reference_is_given_twice() {
    const THREADS: usize = 8;
    const USES: usize = 100;
    let pool = Pool::new(4 * THREADS).expect("memory");
    let (mut seen, mut used) = (HashSet::new(), 0);
    for _ in 0..50 {
        let uses = || -> Vec<u64> {
            let next = || {
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
}
