//! What is left by threads that died in the middle of a relocation.

use super::*;
use crate::layout::Lanes;
use crate::table::{Geometry, Table};
use crate::tokens::transfer::Transfer;

const HASH: u64 = 0x1234_5678_9abc_def1;

type Small = Tokens<Lanes<4, 16>>;

/// One token, which a thread was about to move to its other bucket when it died: at the given stage, with both
/// words still frozen.
fn abandoned(stage: State) -> Small {
    let geometry = Geometry::with_buckets(64).expect("possible");
    let table = Table::new(geometry).expect("memory");
    let tokens = Tokens::with_table(table, 16, None).expect("memory");
    tokens.insert(HASH, 0).expect("room");
    let class = geometry.candidates(HASH);
    let held = |bucket| tokens.peek(bucket).tokens().next();
    let (source, destination) = match held(class.first) {
        Some(_) => (class.first, class.second),
        None => (class.second, class.first),
    };
    let transfer = Transfer {
        moved: held(source),
        placed: None,
        source,
        destination,
        old_source: tokens.peek(source),
        old_destination: tokens.peek(destination),
    };
    let mut claim = tokens.pool.claim().expect("a descriptor");
    let (reference, pending) = claim.publish(transfer);
    for bucket in [source, destination] {
        let old = transfer.before(bucket);
        assert!(tokens.table.exchange(bucket, old, reference));
    }
    if stage != State::Pending {
        assert!(claim.decide(pending, stage));
    }
    core::mem::forget(claim);
    tokens
}

fn frozen(tokens: &Small) -> usize {
    (0..tokens.table.len())
        .filter(|&bucket| matches!(tokens.table.load(bucket).content(), Content::Reference(_)))
        .count()
}

/// How many descriptors this thread can have.
fn free(tokens: &Small) -> usize {
    let claims: Vec<_> = core::iter::from_fn(|| tokens.pool.claim()).collect();
    claims.len()
}

#[test]
fn what_dead_threads_left_is_settled() {
    for stage in [State::Pending, State::Committed, State::Aborted] {
        let tokens = abandoned(stage);
        assert_eq!(frozen(&tokens), 2, "{stage:?}");
        assert_eq!(tokens.settle_all(), 1, "{stage:?}");
        assert_eq!(frozen(&tokens), 0, "{stage:?}");
        assert!(tokens.contains(HASH), "{stage:?}");
        assert_eq!(tokens.count(HASH), 1, "{stage:?}");
    }
}

#[test]
fn descriptors_of_dead_threads_are_taken_back() {
    let tokens = abandoned(State::Pending);
    let all = free(&tokens.fresh().expect("memory"));
    assert_eq!(free(&tokens), all - 1);
    tokens.settle_all();
    assert_eq!(free(&tokens), all);
}
