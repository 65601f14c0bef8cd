//! The batch calls: the single calls, item by item, whatever grows on the way.

use crew::Crew;
use lockfree_cuckoo::{Filter, FilterBuilder, Grows, InsertError, Ladder};
use model::hashers::AsGiven;
use model::mix;

use crate::common::batches::agree;
use crate::{as_given, assert_empty, distinct, geometry, shrink};

use super::Chain;

#[test]
fn answers_as_the_single_calls_do_at_every_length() {
    for length in (0..70).chain([255, 256, 257, 600, 1_000]) {
        let items: Vec<u64> = (0..length).map(mix).collect();
        let probes: Vec<u64> = (length / 2..2 * length).map(mix).collect();
        agree([8; 3].map(as_given), &items, &probes);
        agree([8; 3].map(doubling), &items, &probes);
    }
}

fn doubling(capacity: usize) -> Filter<Ladder, AsGiven> {
    let builder = FilterBuilder::with_hasher(AsGiven).capacity(capacity);
    builder.build().expect("memory")
}

#[test]
fn adds_what_is_absent_as_the_single_calls_do() {
    all_add_the_same(|| [8; 3].map(as_given));
    all_add_the_same(|| [8; 3].map(doubling));
}

fn all_add_the_same<E: Grows>(filters: impl Fn() -> [Filter<E, AsGiven>; 3]) {
    for length in (0..70).chain([255, 256, 257, 600, 1_000]) {
        let [single, typed, hashed] = filters();
        let mut items: Vec<u64> = (0..length).map(mix).collect();
        items.extend((length / 4..length).map(mix));
        let add = |item| single.insert_unique(item).expect("memory");
        let expected: Vec<bool> = items.iter().map(add).collect();
        let [mut added, mut others] = [true, false].map(|stale| vec![stale; items.len()]);
        typed
            .insert_unique_many(&items, &mut added)
            .expect("memory");
        hashed
            .insert_unique_many_hash(&items, &mut others)
            .expect("memory");
        assert_eq!([&added, &others], [&expected; 2], "{length}");
        assert_eq!([typed.len(), hashed.len()], [single.len(); 2], "{length}");
        assert_eq!(
            [typed.segments(), hashed.segments()],
            [single.segments(); 2],
            "{length}"
        );
    }
}

#[test]
fn a_refused_item_ends_a_unique_batch() {
    let builder = Chain::builder()
        .capacity(300)
        .seed(1)
        .max_false_positive_rate(0.000_25);
    let items: Vec<u64> = (0..5_000).collect();
    let [typed, hashed] = [(); 2].map(|()| builder.clone().build().expect("a possible rate"));
    let hashes: Vec<u64> = items.iter().map(|item| hashed.hash_one(item)).collect();
    let [mut added, mut others] = [(); 2].map(|()| vec![true; items.len()]);
    let stopped = typed
        .insert_unique_many(&items, &mut added)
        .expect_err("more than it takes");
    let other = hashed
        .insert_unique_many_hash(&hashes, &mut others)
        .expect_err("more than it takes");
    assert!(
        stopped.inserted() > 512,
        "in the third of the parts that it is done in, or later"
    );
    assert_eq!((&stopped, &added), (&other, &others));
    assert!(
        !added[stopped.inserted()..].contains(&true),
        "added behind the refused one"
    );
    assert_eq!(typed.len(), added.iter().filter(|&&added| added).count());
    let (before, behind) = items.split_at(stopped.inserted());
    assert!(before.iter().all(|item| typed.contains(item)));
    assert_eq!(
        typed.insert_unique(&behind[0]),
        Err(stopped.error().clone())
    );
}

/// Those before the one that is refused are in, those behind it are not.
#[test]
fn a_refused_batch_says_how_far_it_came() {
    let builder = Chain::builder()
        .capacity(300)
        .max_false_positive_rate(0.000_25);
    let items: Vec<u64> = (0..5_000).collect();
    for seed in 0..20 {
        let typed = builder.clone().seed(seed).build().expect("a possible rate");
        let hashed = builder.clone().seed(seed).build().expect("a possible rate");
        let hashes: Vec<u64> = items.iter().map(|item| hashed.hash_one(item)).collect();
        let stopped = typed.insert_many(&items).expect_err("more than it takes");
        let other = hashed
            .insert_many_hash(&hashes)
            .expect_err("more than it takes");
        assert_eq!(stopped, other);
        assert!(matches!(stopped.error(), InsertError::CannotGrow { .. }));
        assert_eq!(
            stopped.to_string(),
            format!(
                "stopped after {} items: {}",
                stopped.inserted(),
                stopped.error()
            )
        );
        for filter in [&typed, &hashed] {
            assert_eq!(filter.len(), stopped.inserted());
            let (before, behind) = items.split_at(stopped.inserted());
            assert!(
                before.iter().all(|item| filter.contains(item)),
                "one before it is missed"
            );
            assert_eq!(filter.insert(&behind[0]), Err(stopped.error().clone()));
        }
    }
}

#[test]
#[should_panic(expected = "3 items, but room for 2 answers")]
fn slices_of_different_lengths_are_a_panic() {
    as_given(8).contains_many(&[1u64, 2, 3], &mut [false; 2]);
}

#[test]
#[should_panic(expected = "1 items, but room for 2 answers")]
fn so_are_those_of_hashes() {
    as_given(8).contains_many_hash(&[1], &mut [false; 2]);
}

/// A batch in the midst of which the segments change misses nothing that its thread has put in.
#[test]
fn batches_of_several_threads_conserve_the_copies() {
    const ROUNDS: u64 = 60;
    for threads in [2, 4] {
        let filter = as_given(8);
        let all = distinct(geometry(&filter), 500 * threads, 11);
        Crew::workers(threads, |crew, thread| {
            let own = &all[500 * thread..][..500];
            for round in 0..ROUNDS {
                filter.insert_many_hash(own).expect("memory");
                let mut found = [false; 500];
                filter.contains_many_hash(own, &mut found);
                assert_eq!(found, [true; 500], "an own item is missed");
                assert_eq!(filter.remove_many_hash(own), 500, "an own item is lost");
                if thread == 0 {
                    filter.shrink_to_fit();
                }
                if round % 4 == 0 {
                    crew.meet();
                }
            }
        });
        shrink(&filter, 1);
        assert_empty(&filter, all);
    }
}
