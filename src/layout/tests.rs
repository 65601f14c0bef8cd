//! Every layout's operations on a word, compared with lists of tokens.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{Bucket, Fingerprint, Lanes, Layout, Matches, SemiSorted, Token};

/// Builds the bucket of a list of tokens.
fn packed<L: Layout>(list: &[u32]) -> Bucket<L> {
    list.iter().fold(Bucket::EMPTY, |bucket, &bits| {
        bucket.with(token(bits)).expect("room")
    })
}

fn token<L: Layout>(bits: u32) -> Token<L> {
    Token::from_bits(bits).expect("not 0")
}

/// The tokens in a bucket, sorted: their order is the layout's.
fn listed<L: Layout>(bucket: Bucket<L>) -> Vec<u32> {
    sorted(bucket.tokens().map(Token::bits).collect())
}

fn sorted(mut list: Vec<u32>) -> Vec<u32> {
    list.sort_unstable();
    list
}

const fn ones(bits: u32) -> u32 {
    u32::MAX >> (u32::BITS - bits)
}

/// Makes a token from any bits: few values, so that equal lanes and neighbours that differ by a borrow are common.
fn made<L: Layout>(bits: u32) -> u32 {
    let all = ones(L::FINGERPRINT_BITS);
    let fingerprint = match bits % 8 {
        0 => all,
        1 => all - 1,
        2 => all >> 1,
        3 => (all >> 1) + 1,
        4 => 1,
        // Only the nibble of a semi-sorted one, or only the low part.
        5 => 1 << (L::FINGERPRINT_BITS - 1),
        6 => all >> 4,
        _ => (bits >> 3 & all).max(1),
    };
    // Some with a value, where there are any.
    match bits >> 16 & 1 & L::VALUE_BITS.min(1) {
        0 => fingerprint,
        value => fingerprint | value << L::FINGERPRINT_BITS,
    }
}

/// The list without one token that `which` names.
fn without(list: &[u32], which: impl Fn(u32) -> bool) -> Option<Vec<u32>> {
    let at = list.iter().rposition(|&bits| which(bits))?;
    let mut rest = list.to_vec();
    rest.remove(at);
    Some(rest)
}

fn behaves_like_a_list<L: Layout>(raw: &[u32], f: u32, g: u32) {
    let list: Vec<u32> = raw
        .iter()
        .take(L::SLOTS)
        .map(|&bits| made::<L>(bits))
        .collect();
    let (f, g) = (made::<L>(f), made::<L>(g));
    let named = |bits: u32| bits & ones(L::FINGERPRINT_BITS);
    let fingerprint = token::<L>(f).fingerprint();
    assert_eq!(fingerprint.bits(), named(f));

    let bucket = packed::<L>(&list);
    let copies = list.iter().filter(|&&bits| named(bits) == named(f)).count();
    assert_eq!(listed(bucket), sorted(list.clone()));
    assert_eq!(bucket.len(), list.len());
    assert_eq!(bucket.has_room(), list.len() < L::SLOTS);
    assert_eq!(bucket.vacancies() as usize, L::SLOTS - list.len());
    assert_eq!(bucket.contains(fingerprint), copies > 0);
    assert_eq!(bucket.count(fingerprint), copies);
    assert!(bucket.is_packed());

    let added = bucket.with(token(f));
    let longer = (list.len() < L::SLOTS).then(|| sorted([&list[..], &[f]].concat()));
    assert_eq!(added.map(listed), longer);

    let cleared = bucket.without(fingerprint).map(listed);
    let possible = list
        .iter()
        .filter(|&&bits| named(bits) == named(f))
        .map(|&bits| without(&list, |other| other == bits).map(sorted));
    let possible: BTreeSet<_> = possible.collect();
    assert!(possible.contains(&cleared) || cleared.is_none() && possible.is_empty());
    let exact = without(&list, |bits| bits == f);
    assert_eq!(
        bucket.without_token(token(f)).map(listed),
        exact.clone().map(sorted)
    );
    let replaced = exact.map(|rest| sorted([&rest[..], &[g]].concat()));
    assert_eq!(bucket.replacing(token(f), token(g)).map(listed), replaced);

    // Each content has one spelling, however it arose.
    for value in [
        added,
        bucket.without(fingerprint),
        bucket.replacing(token(f), token(g)),
    ] {
        let Some(value) = value else { continue };
        assert!(value.is_packed(), "{:#x}", value.bits());
        assert_eq!(L::referenced(value.bits()), None);
        let again = bucket_of_its_tokens(value);
        assert_eq!(again.bits(), value.bits());
    }
}

/// Rebuilds it in the order of its slots.
fn bucket_of_its_tokens<L: Layout>(bucket: Bucket<L>) -> Bucket<L> {
    packed(&bucket.tokens().map(Token::bits).collect::<Vec<_>>())
}

fn finds_every_copy_and_nothing_else<L: Layout>(first: &[u32], second: &[u32], f: u32) {
    let list = |raw: &[u32]| -> Vec<u32> {
        raw.iter()
            .take(L::SLOTS)
            .map(|&bits| made::<L>(bits))
            .collect()
    };
    let (a, b) = (packed::<L>(&list(first)), packed::<L>(&list(second)));
    let f = token::<L>(made::<L>(f)).fingerprint();
    let (in_a, in_b) = (a.count(f), b.count(f));
    let present = in_a + in_b > 0;
    let sight = L::look(f.bits(), a.bits(), b.bits());
    assert_eq!(sight.is_sure(), L::are_plain(a.bits(), b.bits()));
    assert!(!sight.is_sure() || sight.found() == present);
    let matches = Matches::of(f, a, b);
    assert_eq!(matches.is_single(), in_a + in_b == 1);
    assert_eq!(matches.in_first(), in_a > 0);
    if present {
        let found = if matches.in_first() { a } else { b };
        let cleared = found.cleared(matches.slot());
        assert_eq!(cleared.count(f), found.count(f) - 1);
        assert_eq!(cleared.len(), found.len() - 1);
        assert!(cleared.is_packed());
    }
}

/// A word is a bucket exactly if it is built from its tokens.
fn only_what_is_written_is_a_bucket<L: Layout>(word: u64) {
    let bucket = Bucket::<L>::from_bits(word);
    let is_one = L::referenced(word).is_none() && {
        let tokens: Vec<u32> = bucket.tokens().map(Token::bits).collect();
        tokens
            .iter()
            .all(|bits| bits & ones(L::FINGERPRINT_BITS) != 0)
            && packed::<L>(&tokens).bits() == word
    };
    assert_eq!(bucket.is_packed(), is_one, "{word:#018x}");
}

fn references_are_no_buckets<L: Layout>() {
    // Enough for a descriptor's number of uses for years.
    const { assert!(L::REFERENCE_BITS >= 48) };
    let most = u64::MAX >> (u64::BITS - L::REFERENCE_BITS);
    for bits in [1, 2, most / 2, most - 1, most] {
        let word = L::reference(bits);
        assert_eq!(L::referenced(word), Some(bits));
        assert!(!Bucket::<L>::from_bits(word).is_packed());
        assert!(!L::are_plain(word, 0) && !L::are_plain(0, word));
        let f = token::<L>(1).fingerprint();
        let looks = [(word, 0), (0, word)].map(|(a, b)| L::look(f.bits(), a, b));
        assert!(looks.iter().all(|sight| !sight.is_sure()));
    }
    let full = packed::<L>(&vec![made::<L>(0); L::SLOTS]).bits();
    for word in [
        0,
        full,
        packed::<L>(&[2]).bits(),
        packed::<L>(&[made::<L>(0)]).bits(),
    ] {
        assert_eq!(L::referenced(word), None);
        assert!(L::are_plain(word, 0) && L::are_plain(full, word));
    }
}

fn zero_is_never_a_fingerprint<L: Layout>() {
    let all = u64::from(ones(L::FINGERPRINT_BITS));
    let of_hash = |hash| Fingerprint::of_hash::<L>(hash).bits();
    assert_eq!(Fingerprint::from_bits(0), None);
    assert_eq!(of_hash(!all), 1);
    assert_eq!(u64::from(of_hash(u64::MAX)), all);
    assert_eq!(Fingerprint::values::<L>(), ones(L::FINGERPRINT_BITS));
}

macro_rules! each_layout {
    ($($name:ident: $layout:ty;)*) => {$(
        mod $name {
            use super::*;

            type L = $layout;

            proptest! {
                #[test]
                fn behaves_like_a_list(
                    list in prop::collection::vec(any::<u32>(), 0..=8),
                    f in any::<u32>(),
                    g in any::<u32>(),
                ) {
                    super::behaves_like_a_list::<L>(&list, f, g);
                }

                #[test]
                fn finds_every_copy_and_nothing_else(
                    first in prop::collection::vec(any::<u32>(), 0..=8),
                    second in prop::collection::vec(any::<u32>(), 0..=8),
                    f in any::<u32>(),
                ) {
                    super::finds_every_copy_and_nothing_else::<L>(&first, &second, f);
                }

                #[test]
                fn only_what_is_written_is_a_bucket(word in any::<u64>(), cut in 0..64u32) {
                    super::only_what_is_written_is_a_bucket::<L>(word);
                    super::only_what_is_written_is_a_bucket::<L>(word << cut);
                    super::only_what_is_written_is_a_bucket::<L>(word >> cut);
                }
            }

            #[test]
            fn references_are_no_buckets() {
                super::references_are_no_buckets::<L>();
            }

            #[test]
            fn zero_is_never_a_fingerprint() {
                super::zero_is_never_a_fingerprint::<L>();
            }
        }
    )*};
}

model::layouts_without_values!(each_layout);
model::layouts_with_values!(each_layout);
