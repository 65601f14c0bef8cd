use super::*;
use crate::layout::{Lanes, Value};
use crate::table::{Geometry, Table};

type L = Lanes<4, 12, 4>;

const HASH: u64 = 0x111;

fn tokens() -> Tokens<L> {
    let table = Table::new(Geometry::with_buckets(2).expect("accepted")).expect("memory");
    Tokens::with_table(table, 2, Some(1)).expect("memory")
}

fn holding(values: &[Value]) -> Tokens<L> {
    let tokens = tokens();
    for &value in values {
        tokens.insert(HASH, value).expect("room");
    }
    tokens
}

fn values(tokens: &Tokens<L>) -> Vec<Value> {
    let mut values = Vec::new();
    tokens.values(HASH, |value| values.push(value));
    values.sort_unstable();
    values
}

/// Whatever the copy had of the class: fewer, more, or as many with other values.
#[test]
fn a_class_gets_the_tokens_that_were_found() {
    let found = holding(&[4, 9, 9]);
    let class = found.table.candidates(HASH);
    for before in [&[][..], &[4], &[4, 9, 9], &[4, 4, 9], &[9, 9, 9, 9, 9]] {
        let mut copy = holding(before);
        copy.insert(!HASH, 3).expect("room");
        let set = set_tokens(&mut copy, class, pair(&found, class));
        assert!(set.is_ok());
        assert_eq!(values(&copy), [4, 9, 9], "it had {before:?}");
        assert_eq!(copy.value(!HASH), Some(3), "a token of another class");
        assert_eq!(copy.taken(), 4);
    }
}
