//! Bytes that nobody stored are an error, or a filter that keeps every promise.
//!
//! 1. A stored filter that is cut anywhere or has any bit flipped is an error, from bytes and from a reader.
//! 2. With the checksums made to match again it is an error, or a filter that holds what its words say, and works.
//! 3. A word is a bucket as the filter would write it, or an error.

use lockfree_cuckoo::{Engine, Filter, Fixed, Layout, ReadError, Rotating};
use model::geometry::Geometry;
use model::mix;
use model::stored;

use crate::common::damage::{flipped, nothing_passes, read};
use crate::common::model_of;
use crate::golden;

pub(crate) fn a_cut_or_a_flipped_bit_is_found<L: Layout>() {
    nothing_passes::<Fixed<L>>(&golden::fixed::<L>());
    nothing_passes::<Rotating<L>>(&golden::rotating::<L>());
}

/// Copies of items in each.
const COPIES: usize = 21;

/// Works with what was read of `bytes`.
fn works<E: Engine>(bytes: &[u8], mut filter: Filter<E>) {
    assert!(filter.to_bytes() == bytes, "it is what was read, all of it");
    let len = filter.len();
    assert!(len <= filter.slots());
    let copy = filter.snapshot().expect("nobody disturbs it");
    assert_eq!(copy.len(), len);
    let mut added = Vec::new();
    for hash in (0..8).map(mix) {
        let before = filter.count_hash(hash);
        assert_eq!(filter.contains_hash(hash), before > 0);
        if filter.insert_hash(hash).is_ok() {
            assert!(filter.count_hash(hash) > before);
            assert_eq!(filter.insert_unique_hash(hash), Ok(false));
            added.push(hash);
        }
    }
    assert_eq!(filter.len(), len + added.len());
    for hash in added {
        assert!(filter.remove_hash(hash));
    }
    assert_eq!(filter.len(), len);
    filter.clear();
    assert!(filter.is_empty());
}

/// How many of the changed forms are filters.
fn passing<E: Engine>(bytes: &[u8], check: impl Fn(&[u8], &Filter<E>)) -> usize {
    let mut passed = 0;
    for bit in 0..8 * bytes.len() {
        let mut changed = flipped(bytes, bit);
        stored::repair(&mut changed);
        if let Ok(filter) = read::<E>(&changed) {
            check(&changed, &filter);
            works(&changed, filter);
            passed += 1;
        }
    }
    passed
}

/// Each token that the words say is found and removed, and nothing is left.
fn holds_what_its_words_say<L: Layout>(bytes: &[u8], filter: &Filter<Fixed<L>>) {
    let layout = model_of::<L>();
    assert!(
        stored::words(bytes)
            .into_iter()
            .all(|word| layout.is_packed(word))
    );
    let geometry = Geometry::with_slots(layout, filter.slots());
    let tokens = stored::tokens(layout, bytes).into_iter();
    let hashes: Vec<u64> = tokens.map(|(at, f)| geometry.hash(at, f, 0)).collect();
    assert_eq!(filter.len(), hashes.len());
    let emptied = filter.snapshot().expect("nobody disturbs it");
    assert!(hashes.iter().all(|&hash| emptied.contains_hash(hash)));
    assert!(hashes.iter().all(|&hash| emptied.remove_hash(hash)));
    assert!(emptied.is_empty());
}

pub(crate) fn with_repaired_checksums_it_is_an_error_or_a_filter_that_works<L: Layout>() {
    let fixed = passing::<Fixed<L>>(&golden::fixed::<L>(), holds_what_its_words_say);
    let rotating = passing::<Rotating<L>>(&golden::rotating::<L>(), |_, _| {});
    // Other fingerprints make another filter, so most bits of the tokens may be flipped.
    let least = COPIES * (L::FINGERPRINT_BITS as usize - 4) / 2;
    assert!(fixed > least && rotating > least, "{fixed} {rotating}");
}

pub(crate) fn a_word_is_a_bucket_or_an_error<L: Layout>() {
    let layout = model_of::<L>();
    let bytes = golden::fixed::<L>();
    let others =
        stored::tokens(layout, &bytes).len() - layout.tokens(stored::words(&bytes)[0]).count();
    let read_with = |word: u64| {
        let mut bytes = bytes.clone();
        stored::set_word(&mut bytes, 0, word);
        // Whatever number goes with it, for a reader may count a word that is no bucket in its own way.
        let counts = (0..=L::SLOTS).filter(|&count| {
            let mut bytes = bytes.clone();
            stored::ITEMS.set(&mut bytes, (others + count) as u64);
            stored::repair(&mut bytes);
            match read::<Fixed<L>>(&bytes) {
                Ok(filter) => {
                    holds_what_its_words_say(&bytes, &filter);
                    true
                }
                Err(ReadError::Malformed { .. }) => false,
                Err(error) => panic!("{word:#018x}, {count} tokens: {error}"),
            }
        });
        counts.collect::<Vec<_>>()
    };
    let mut buckets = 0;
    let mut check = |word: u64| {
        let is_bucket = layout.is_packed(word);
        let expected = is_bucket.then(|| layout.tokens(word).count());
        assert_eq!(read_with(word), Vec::from_iter(expected), "{word:#018x}");
        buckets += usize::from(is_bucket);
    };
    for random in (0..300).map(mix) {
        for shift in [0, 1, 8, 31, 48] {
            check(random >> shift);
            check(random << shift);
        }
        // All values of the code and of the tag, with vacant lanes and without.
        check(random << 48);
        check(layout.reference(random as usize % 1_000, random));
        let fingerprints = (0..random as usize % (L::SLOTS + 1))
            .map(|at| layout.fingerprint(mix(random ^ at as u64)));
        check(fingerprints.fold(0, |bucket, f| layout.with(bucket, f).expect("room")));
    }
    assert!(buckets > 300, "only {buckets} of them were buckets");
}
