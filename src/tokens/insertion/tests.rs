//! Refusals whose cause lies with other threads.

use super::*;
use crate::layout::{LONG_BUDGET, Lanes};
use crate::table::{Geometry, Table};

type Tokens = super::Tokens<Lanes<4, 16>>;

const DESCRIPTORS: usize = 2;

/// A table that random tokens have filled until both buckets of a class were full, and a hash of that class.
fn crowded() -> (Tokens, u64) {
    let geometry = Geometry::with_buckets(64).expect("accepted");
    let table = Table::new(geometry).expect("memory");
    let tokens = Tokens::with_table(table, LONG_BUDGET, Some(DESCRIPTORS)).expect("memory");
    let mut hash = 1u64;
    loop {
        hash = hash.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
        let class = geometry.candidates(hash ^ hash >> 32);
        let full = |bucket| !tokens.peek(bucket).has_room();
        if full(class.first) && full(class.second) && !tokens.contains(hash ^ hash >> 32) {
            return (tokens, hash ^ hash >> 32);
        }
        tokens.insert(hash ^ hash >> 32, 0).expect("there is room");
    }
}

#[test]
fn an_insert_without_a_descriptor_says_so() {
    let (tokens, hash) = crowded();
    let claims: Vec<_> = (0..DESCRIPTORS).map(|_| tokens.pool.claim()).collect();
    assert!(claims.iter().all(Option::is_some), "all are held");
    assert_eq!(tokens.insert(hash, 0), Err(Refusal::Starved));
    assert_eq!(tokens.insert_unique(hash), Err(Refusal::Starved));
    drop(claims);
    assert_eq!(tokens.insert(hash, 0), Ok(()));
}

/// Where there is room, an admission needs a descriptor and an insert does not.
#[test]
fn an_admission_to_an_empty_table_without_a_descriptor_says_so() {
    let table = Table::new(Geometry::with_buckets(64).expect("accepted")).expect("memory");
    let tokens = Tokens::with_table(table, LONG_BUDGET, Some(1)).expect("memory");
    let claim = tokens.pool.claim();
    assert!(claim.is_some());
    assert_eq!(tokens.insert_unique(1), Err(Refusal::Starved));
    assert_eq!(tokens.insert(1, 0), Ok(()));
}
