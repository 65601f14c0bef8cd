//! Who gets which descriptor.

use std::collections::HashSet;

use super::*;
use crate::layout::Lanes;

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
    let grown = [1, 2, 3, 60].map(|size| {
        let pool = Pool::new(size).expect("memory");
        for size in [16, 64, Pool::most()] {
            pool.grow(size).expect("memory");
        }
        assert_eq!(pool.len(), Pool::most());
        pool
    });
    made.into_iter().chain(grown)
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
        assert_eq!(claim_all(&pool).len(), pool.len() - others.len());
    }
}

/// By its number, a claim that was made before the pool grew, and one of what was added.
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

/// Two threads can have one number above those that belong to one thread alone.
#[test]
fn a_number_that_threads_share_owns_no_descriptor() {
    for own in pools().flat_map(|pool| pool.parts().map(Part::own).collect::<Vec<_>>()) {
        assert!(own <= sync::EXCLUSIVE, "{own} of {}", sync::EXCLUSIVE);
    }
}
