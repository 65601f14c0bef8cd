//! A process that writes anything to the memory, while another one uses it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crew::Crew;
use lockfree_cuckoo::filter::{Dyn, Fixed, Rotating, Shareable};
use lockfree_cuckoo::layout::{Lanes, Layout, SemiSorted};
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{Filter, FilterBuilder, SharedFilter};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

use crate::generations::places;
use crate::golden::{bytes_of, set};
use crate::opened;

/// Random words, and words that look like those of the filter: copies of others, with a bit or two
/// changed.
fn write_anything(file: &File, rng: &mut SmallRng) {
    let len = file.metadata().expect("memory").len();
    // Anywhere behind the header, which is read once; often at the state of a rotation.
    let place = |rng: &mut SmallRng| match rng.random_range(0..8) {
        0 => 2048,
        _ => rng.random_range(16..len / 8) * 8,
    };
    let mut word = [0; 8];
    file.read_exact_at(&mut word, place(rng)).expect("within");
    let word = u64::from_le_bytes(word);
    let word = match rng.random_range(0..4) {
        0 => rng.random(),
        1 => word ^ 1 << rng.random_range(0..64),
        2 => word.wrapping_add(rng.random_range(0..5)).wrapping_sub(2),
        _ => u64::MAX << rng.random_range(0..64),
    };
    file.write_all_at(&word.to_le_bytes(), place(rng))
        .expect("within");
}

/// What else a filter of this kind can do.
type Others<E> = fn(&SharedFilter<E>);

/// No call panics or hangs, whatever its answer is.
fn survives<E: Shareable>(builder: FilterBuilder<E>, others: Others<E>) {
    let filter = builder.seed(7).build_shared().expect("memory");
    let file = opened(&filter);
    Crew::run(
        1,
        |_, _| {
            for round in 0..3_000u64 {
                let item = round % 400;
                let _ = filter.insert_unique(&item);
                let _ = filter.insert(&(item + 1));
                let _ = (filter.contains(&item), filter.count(&item));
                let _ = filter.remove(&item);
                if round % 100 == 0 {
                    others(&filter);
                }
                if round % 1_000 == 0 {
                    let _ = (filter.recover(), filter.len(), filter.to_bytes());
                    let _ = SharedFilter::<E>::attach(&filter).map(|other| other.len());
                    let _ = SharedFilter::<Dyn>::attach(&filter).map(|other| other.len());
                }
            }
        },
        1,
        |crew, _| {
            let mut rng = SmallRng::seed_from_u64(1);
            while crew.at_work() {
                write_anything(&file, &mut rng);
            }
        },
    );
}

fn fixed<L: Layout>() {
    survives(Filter::<Fixed<L>>::builder().capacity(300), |filter| {
        let _ = filter.snapshot();
    });
}

fn rotating<L: Layout>(generations: usize) {
    let builder = Filter::<Rotating<L>>::builder().capacity(100);
    survives(builder.generations(generations), |filter| {
        let _ = (filter.rotate(), filter.rotations(), filter.age(&1u64));
        let _ = filter.refresh(&1u64);
        let _ = filter.snapshot();
    });
}

/// Freezes the first word, with the first use of the first descriptor: what its numbers are from
/// the control on.
fn freeze<E: Shareable>(filter: &SharedFilter<E>, descriptor: [u64; 7]) {
    let mut bytes = bytes_of(filter);
    let (descriptors, words) = places(&bytes, 0);
    for (number, content) in descriptor.into_iter().enumerate() {
        set(&mut bytes, descriptors + 8 * number, content);
    }
    set(&mut bytes, words, 1 << 63 | 1 << 53 | 1);
    opened(filter)
        .write_all_at(&bytes[descriptors..], descriptors as u64)
        .expect("within");
}

/// A word is frozen by a descriptor that says the word held another reference. A private copy of it
/// would follow that for ever.
#[test]
fn the_content_of_a_word_is_no_reference() {
    type Engine = Fixed<Lanes<2, 31>>;
    for status in 0..3 {
        let filter = Filter::<Engine>::builder().build_shared().expect("memory");
        // A removal of all tokens.
        freeze(&filter, [1 << 2 | status, 0, 0, 0, 0, u64::MAX, 0]);
        let copy = filter.snapshot().expect("no one scans");
        assert_eq!((copy.len(), filter.taken()), (0, 0), "status {status}");
    }
}

/// A word is frozen by a hop to a bucket that is not there, or by an admission that reads one.
#[test]
fn a_transfer_is_between_buckets_of_the_table() {
    type Engine = Fixed<Lanes<2, 31>>;
    for tokens in [5, 5 << 32] {
        for status in 0..3 {
            let filter = Filter::<Engine>::builder().build_shared().expect("memory");
            freeze(&filter, [1 << 2 | status, 0, tokens, 0, 1 << 40, 0, 0]);
            let copy = filter.snapshot().expect("no one scans");
            assert_eq!(copy.len(), filter.taken(), "status {status}");
        }
    }
}

#[test]
fn nothing_that_is_written_does_harm() {
    fixed::<Lanes<4, 16>>();
    fixed::<Lanes<2, 31>>();
    fixed::<Lanes<3, 21>>();
    fixed::<SemiSorted<4, 17>>();
    fixed::<SemiSorted<6, 12>>();
}

#[test]
fn nothing_that_is_written_does_harm_to_a_rotation() {
    rotating::<Lanes<4, 16>>(2);
    rotating::<Lanes<4, 16>>(3);
    rotating::<SemiSorted<4, 17>>(15);
}
