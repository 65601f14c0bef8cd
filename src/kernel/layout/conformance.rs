//! Every layout's operations on a word, compared with a second implementation of the documentation.

use proptest::prelude::*;

use crate::kernel::layout::Layout;
use crate::kernel::layout::bucket::{Bucket, Matches};
use crate::kernel::layout::lanes::Lanes;
use crate::kernel::layout::semi_sorted::SemiSorted;
use crate::kernel::layout::token::{Fingerprint, Token};

/// The same layout, as data.
fn model<L: Layout>() -> model::Layout {
    match L::VALUE_BITS {
        0 => model::Layout::of(L::SLOTS, L::FINGERPRINT_BITS),
        bits => model::Layout::with_values(L::SLOTS, L::FINGERPRINT_BITS, bits),
    }
}

/// A token of any bits: few fingerprints for the most part, so that equal ones are common, and
/// neighbours. Some with a value, where there are any.
fn made<L: Layout>(bits: u32) -> u32 {
    let model = model::<L>();
    let all = *model.fingerprints().end();
    let half = all >> 1;
    let some = [1, 2, all, all - 1, all >> 4, (all >> 4) + 1, half, half + 1];
    let fingerprint = match bits % 16 {
        at @ 0..8 => some[at as usize],
        _ => (bits >> 4 & all).max(1),
    };
    let most = (1 << L::VALUE_BITS) - 1;
    model.token(
        fingerprint,
        [0, 0, 1, most][(bits >> 20) as usize % 4] & most,
    )
}

/// The bucket of these tokens, as both have it.
fn bucket_of<L: Layout>(raw: &[u32]) -> Bucket<L> {
    let tokens = raw.iter().take(L::SLOTS).map(|&bits| made::<L>(bits));
    tokens.fold(Bucket::EMPTY, |bucket, bits| {
        let longer = bucket.with(token(bits));
        let expected = model::<L>().with(bucket.bits(), bits);
        assert_eq!(
            longer.map(Bucket::bits),
            expected,
            "{bucket:?} with {bits:#x}"
        );
        longer.expect("room")
    })
}

fn token<L: Layout>(bits: u32) -> Token<L> {
    Token::from_bits(bits).expect("not 0")
}

fn changes_words_alike<L: Layout>(raw: &[u32], f: u32, g: u32) {
    let model = model::<L>();
    let (bucket, f, g) = (bucket_of::<L>(raw), made::<L>(f), made::<L>(g));
    let (word, old, new) = (bucket.bits(), token::<L>(f), token::<L>(g));
    let class = old.fingerprint();
    let named = (class.bits(), old.value());
    assert_eq!(named, (model.fingerprint_of(f), model.value_of(f)));
    assert_eq!(Token::with_value(class, old.value()), old);
    assert_eq!(bucket.vacancies() as usize, model.vacancies(word));
    assert_eq!(bucket.len(), L::SLOTS - model.vacancies(word));
    assert_eq!(bucket.has_room(), model.has_room(word));
    assert_eq!(bucket.contains(class), model.contains(word, class.bits()));
    assert_eq!(bucket.count(class), model.count(word, class.bits()));
    assert_eq!(
        bucket.find(class).map(Token::bits),
        model.find(word, class.bits())
    );
    assert!(
        bucket.tokens().map(Token::bits).eq(model.tokens(word)),
        "{bucket:?}"
    );
    for slot in 0..L::SLOTS {
        let occupant = bucket.occupant(slot).map(Token::bits);
        assert_eq!(
            occupant,
            model.occupant(word, slot),
            "slot {slot} of {bucket:?}"
        );
    }
    for (changed, expected, how) in [
        (bucket.with(old), model.with(word, f), "with"),
        (
            bucket.without(class),
            model.without(word, class.bits()),
            "without one like",
        ),
        (
            bucket.without_token(old),
            model.without_token(word, f),
            "without",
        ),
        (
            bucket.replacing(old, new),
            model.replacing(word, f, g),
            "replaced in it",
        ),
    ] {
        assert_eq!(
            changed.map(Bucket::bits),
            expected,
            "{bucket:?} {how} {f:#x}, {g:#x}"
        );
    }
}

fn compares_words_alike<L: Layout>(first: &[u32], second: &[u32], f: u32) {
    let model = model::<L>();
    let (a, b) = (bucket_of::<L>(first), bucket_of::<L>(second));
    let class = token::<L>(made::<L>(f)).fingerprint();
    let f = class.bits();
    // From the lowest lane of the first up.
    let from_below = |bucket: Bucket<L>| {
        let lanes = model.lanes(bucket.bits());
        lanes.into_iter().take(L::SLOTS).rev()
    };
    let lanes = from_below(a).chain(from_below(b)).zip(0..);
    let mask = lanes.fold(0, |mask, (lane, at)| {
        let same = model.fingerprint_of(lane) == f;
        let ones = u64::from(same) * ((1 << L::BITS_PER_MATCH) - 1);
        mask | ones << (at * L::BITS_PER_MATCH)
    });
    let (words, found) = ((a.bits(), b.bits()), mask != 0);
    let matches = L::matches(f, words.0, words.1);
    assert_eq!(u64::from(matches), mask, "{f:#x} in {a:?} and {b:?}");
    assert_eq!(
        a.either_contains(b, class),
        found,
        "{f:#x} in {a:?} and {b:?}"
    );
    let look = L::probe(f, words.0, words.1);
    if model.surely_buckets(words.0, words.1) {
        let sure_and_found = (look.no_reference(), look.found());
        assert_eq!(sure_and_found, (true, found), "{f:#x} in {a:?} and {b:?}");
    }
    let matches = Matches::of(class, a, b);
    let (in_a, in_b) = (a.count(class), b.count(class));
    let expected = (found, in_a + in_b == 1, in_a > 0);
    assert_eq!(
        (matches.any(), matches.is_single(), matches.in_first()),
        expected
    );
    if found {
        let holder = if in_a > 0 { a } else { b };
        let cleared = holder.cleared(matches.slot());
        assert_eq!(Some(cleared.bits()), model.without(holder.bits(), f));
    }
}

/// What a word is: a bucket, a reference, or neither. And the fingerprint of a hash.
fn tells_words_alike<L: Layout>(word: u64) {
    let model = model::<L>();
    let is_packed = Bucket::<L>::from_bits(word).is_packed();
    assert_eq!(is_packed, model.is_packed(word), "{word:#018x}");
    let is_reference = L::referenced(word).is_some();
    assert_eq!(is_reference, model.is_reference(word), "{word:#018x}");
    for other in [0, word, model.reference(0, 0), u64::MAX] {
        let plain = model.surely_buckets(word, other);
        assert_eq!(L::surely_buckets(word, other), plain, "{word:#018x}");
        assert_eq!(L::surely_buckets(other, word), plain, "{word:#018x}");
        for f in [1, model.fingerprint_of(made::<L>(word as u32))] {
            let looks = [L::probe(f, word, other), L::probe(f, other, word)];
            assert_eq!(
                looks.map(|look| look.no_reference()),
                [plain; 2],
                "{f:#x} in {word:#018x}"
            );
        }
    }
    assert_eq!(
        Fingerprint::of_hash::<L>(word).bits(),
        model.fingerprint(word)
    );
}

/// All values of the highest 16 bits, where codes and tags are, and what is beside each.
fn tells_every_code_alike<L: Layout>() {
    for high in 0..1u64 << 16 {
        let word = high << 48;
        for word in [word, word.wrapping_sub(1), word | 1, word | ((1 << 48) - 1)] {
            tells_words_alike::<L>(word);
        }
    }
}

fn names_descriptors_alike<L: Layout>() {
    // Enough for a descriptor's number of uses for years.
    const { assert!(L::REFERENCE_BITS >= 48) };
    let model = model::<L>();
    assert_eq!(L::REFERENCE_BITS, model.reference_bits());
    assert_eq!(Fingerprint::values::<L>(), *model.fingerprints().end());
    let sequence = model.sequence_bits();
    for descriptor in [0, 1, 517, 1_022] {
        for uses in [0, 1, (1 << sequence) - 1] {
            let bits = (descriptor as u64 + 1) << sequence | uses;
            assert_eq!(L::reference(bits), model.reference(descriptor, uses));
            assert_eq!(L::referenced(model.reference(descriptor, uses)), Some(bits));
        }
    }
}

macro_rules! each_layout {
    ($($name:ident: $layout:ty;)*) => {$(
        mod $name {
            use super::*;

            proptest! {
                #[test]
                fn changes_words_alike(
                    list in prop::collection::vec(any::<u32>(), 0..=8),
                    f in any::<u32>(),
                    g in any::<u32>(),
                ) {
                    super::changes_words_alike::<$layout>(&list, f, g);
                }

                #[test]
                fn compares_words_alike(
                    first in prop::collection::vec(any::<u32>(), 0..=8),
                    second in prop::collection::vec(any::<u32>(), 0..=8),
                    f in any::<u32>(),
                ) {
                    super::compares_words_alike::<$layout>(&first, &second, f);
                }

                #[test]
                fn tells_words_alike(word in any::<u64>(), cut in 0..64u32) {
                    super::tells_words_alike::<$layout>(word);
                    super::tells_words_alike::<$layout>(word << cut);
                    super::tells_words_alike::<$layout>(word >> cut);
                }
            }

            #[test]
            fn tells_every_code_alike() {
                super::tells_every_code_alike::<$layout>();
            }

            #[test]
            fn names_descriptors_alike() {
                super::names_descriptors_alike::<$layout>();
            }
        }
    )*};
}

model::layouts_without_values!(each_layout);
model::layouts_with_values!(each_layout);
