//! Every layout's operations on a word, compared with a second implementation of the documentation.

use proptest::prelude::*;

use super::{Lanes, Layout, SemiSorted};

/// The same layout, as data.
fn model<L: Layout>() -> model::Layout {
    model::Layout::of(L::SLOTS, L::FINGERPRINT_BITS)
}

/// A fingerprint of any bits: few values for the most part, so that equal ones are common, and neighbours.
fn made<L: Layout>(bits: u32) -> u32 {
    let all = *model::<L>().fingerprints().end();
    let some = [
        1,
        2,
        all,
        all - 1,
        all >> 4,
        (all >> 4) + 1,
        all >> 1,
        (all >> 1) + 1,
    ];
    match bits % 16 {
        at @ 0..8 => some[at as usize],
        _ => (bits >> 4 & all).max(1),
    }
}

/// The bucket of these fingerprints, equal in both.
fn bucket_of<L: Layout>(raw: &[u32]) -> u64 {
    let fingerprints = raw.iter().take(L::SLOTS).map(|&bits| made::<L>(bits));
    fingerprints.fold(0, |bucket, f| {
        let word = L::with(bucket, f);
        assert_eq!(
            word,
            model::<L>().with(bucket, f),
            "{bucket:#x} with {f:#x}"
        );
        word.expect("room")
    })
}

fn changes_words_alike<L: Layout>(raw: &[u32], f: u32, g: u32) {
    let model = model::<L>();
    let (bucket, f, g) = (bucket_of::<L>(raw), made::<L>(f), made::<L>(g));
    assert_eq!(L::with(bucket, f), model.with(bucket, f));
    assert_eq!(L::vacancies(bucket) as usize, model.vacancies(bucket));
    assert_eq!(L::has_room(bucket), model.has_room(bucket));
    assert_eq!(L::contains(bucket, f), model.contains(bucket, f));
    for slot in 0..L::SLOTS {
        let occupant = model.occupant(bucket, slot).unwrap_or(0);
        assert_eq!(
            L::occupant(bucket, slot),
            occupant,
            "slot {slot} of {bucket:#x}"
        );
    }
    let lane = L::lane_of(bucket, f);
    assert_eq!(L::lane_of_token(bucket, f), lane);
    let cleared = lane.map(|lane| L::cleared(bucket, lane));
    assert_eq!(
        cleared,
        model.without(bucket, f),
        "{bucket:#x} without {f:#x}"
    );
    let replaced = lane.map(|lane| L::replaced(bucket, lane, f, g));
    assert_eq!(
        replaced,
        model.replacing(bucket, f, g),
        "{f:#x} for {g:#x} in {bucket:#x}"
    );
}

fn compares_words_alike<L: Layout>(first: &[u32], second: &[u32], f: u32) {
    let model = model::<L>();
    let (a, b, f) = (bucket_of::<L>(first), bucket_of::<L>(second), made::<L>(f));
    // From the lowest lane of the first up.
    let from_below = |bucket| {
        let lanes = model.lanes(bucket);
        lanes.into_iter().take(L::SLOTS).rev()
    };
    let mask = from_below(a)
        .chain(from_below(b))
        .zip(0..)
        .fold(0, |mask, (lane, at)| {
            let ones = u64::from(lane == f) * ((1 << L::BITS_PER_MATCH) - 1);
            mask | ones << (at * L::BITS_PER_MATCH)
        });
    assert_eq!(
        u64::from(L::matches(f, a, b)),
        mask,
        "{f:#x} in {a:#x} and {b:#x}"
    );
    assert_eq!(
        L::either_contains(f, a, b),
        mask != 0,
        "{f:#x} in {a:#x} and {b:#x}"
    );
    let look = L::look(f, a, b);
    if model.are_plain(a, b) {
        let sure_and_found = (look.is_sure(), look.found());
        assert_eq!(
            sure_and_found,
            (true, mask != 0),
            "{f:#x} in {a:#x} and {b:#x}"
        );
    }
}

/// The kind of a word: a bucket, a reference, or neither.
fn tells_words_alike<L: Layout>(word: u64) {
    let model = model::<L>();
    assert_eq!(L::is_bucket(word), model.is_packed(word), "{word:#018x}");
    assert_eq!(
        L::referenced(word).is_some(),
        model.is_reference(word),
        "{word:#018x}"
    );
    for other in [0, word, model.reference(0, 0), u64::MAX] {
        assert_eq!(
            L::are_plain(word, other),
            model.are_plain(word, other),
            "{word:#018x}"
        );
        for f in [1, made::<L>(word as u32)] {
            assert_eq!(
                L::look(f, word, other).is_sure(),
                model.are_plain(word, other),
                "{f:#x} in {word:#018x}"
            );
        }
        assert_eq!(
            L::are_plain(other, word),
            model.are_plain(other, word),
            "{word:#018x}"
        );
    }
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
    let model = model::<L>();
    assert_eq!(L::REFERENCE_BITS, model.reference_bits());
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
