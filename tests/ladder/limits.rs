//! Limits: what a filter may grow to, what it says when it may not, and that it loses nothing then.

use std::error::Error;

use crew::Crew;
use lockfree_cuckoo::{GrowthError, InsertError};
use model::mix;

use crate::{ALL, Doubling, builder, filter, narrow, random};

/// Fills until it is refused. All that went in must be there, and there must be room again after a few removes.
fn fill(filter: &Doubling) -> (usize, GrowthError) {
    let mut items = Vec::new();
    let error = random(7).find_map(|hash| match filter.insert_hash(hash) {
        Ok(()) => {
            items.push(hash);
            None
        }
        Err(error) => Some(error),
    });
    let Some(InsertError::CannotGrow { error, .. }) = error else {
        panic!("not a limit: {error:?}");
    };
    assert_eq!(filter.len(), items.len());
    assert!(items.iter().all(|&hash| filter.contains_hash(hash)));
    let (gone, stay) = items.split_at(items.len().min(20));
    for &hash in gone {
        assert!(filter.remove_hash(hash));
    }
    for &hash in &gone[..gone.len() / 2] {
        assert_eq!(filter.insert_hash(hash), Ok(()), "there is room again");
    }
    assert!(stay.iter().all(|&hash| filter.contains_hash(hash)));
    (items.len(), error)
}

#[test]
fn memory_is_a_limit() {
    for most in [8 << 10, 40 << 10, 100 << 10, 1 << 20] {
        let filter = builder(100).max_memory_usage(most).build().expect("more");
        let (items, error) = fill(&filter);
        assert!(filter.memory_usage() <= most);
        // A doubling needs the words of both levels at a time.
        let least = (most / 3 - (6 << 10).min(most / 3)) / 4;
        assert!(items > least, "{items} items in {most} bytes");
        assert!(error.to_string().contains(&most.to_string()), "{error}");
        assert!(error.source().is_none() && !error.is_out_of_memory());
    }
}

#[test]
fn the_rate_of_false_positives_is_a_limit() {
    // Eight fingerprints of 65,535, and once more for each doubling.
    for (doublings, most) in [(0, 0.000_13), (1, 0.000_25), (4, 0.000_62)] {
        let filter = builder(8)
            .max_false_positive_rate(most)
            .build()
            .expect("low");
        let (_, error) = fill(&filter);
        assert_eq!(filter.slots(), 8 << doublings, "at {most}");
        assert!(filter.false_positive_rate() <= most);
        assert!(error.false_positive_rate() > most);
    }
}

#[test]
fn copies_of_one_item_do_not_make_it_grow() {
    for others in [0, 5, 500, 5_000] {
        let filter = filter(1);
        for hash in random(1).take(others) {
            filter.insert_hash(hash).expect("memory");
        }
        let hash = narrow(1, ALL);
        let before = filter.slots();
        let refused = (0..100).find_map(|_| filter.insert_hash(hash).err());
        assert!(
            matches!(refused, Some(InsertError::TooManyCopies { copies: 8, .. })),
            "{refused:?}"
        );
        assert!(
            filter.slots() <= 4 * before.max(8),
            "{before} to {}",
            filter.slots()
        );
        let copies = filter.count_hash(hash);
        assert!((8..=16).contains(&copies), "{copies}");
        while filter.remove_hash(hash) {}
        assert!(filter.insert_hash(hash).is_ok());
    }
}

/// One that is at its limit has no memory for another table besides, and wants it back all the more.
#[test]
fn one_at_its_limit_becomes_small_when_it_is_empty() {
    let mut filter = filter(1_000);
    let first = filter.slots();
    for hash in random(1).take(500_000) {
        filter.insert_hash(hash).expect("memory");
    }
    let large = filter.memory_usage();
    filter.set_max_memory_usage(large);
    filter.limit_memory_usage(large);
    for hash in random(1).take(500_000) {
        assert!(filter.remove_hash(hash));
    }
    filter.shrink_to_fit();
    assert_eq!(filter.slots(), first);
    if cfg!(target_os = "linux") {
        let small = filter.memory_usage();
        assert!(small < large / 4, "{small} of {large} bytes");
    }
    for hash in random(1).take(100_000) {
        filter
            .insert_hash(hash)
            .expect("as much as there was before");
    }
}

/// A log of hints that was made for a small table has room for few hints of a large one.
#[test]
fn an_early_snapshot_does_not_disturb_later_ones() {
    let filter = filter(8);
    filter.snapshot().expect("nobody disturbs it");
    for hash in random(1).take(400_000) {
        filter.insert_hash(hash).expect("memory");
    }
    let before = filter.memory_usage();
    filter.snapshot().expect("nobody disturbs it");
    let log = filter.memory_usage() - before;
    assert!(
        log > filter.slots() / 64 * 8 * 3 / 4,
        "a log of {log} bytes"
    );
}

/// Growers that race get past no limit.
#[test]
fn threads_keep_to_the_limits_together() {
    for round in 0..40 {
        // As above: four doublings.
        let builder = builder(8).max_false_positive_rate(0.000_62);
        let filter = builder.build().expect("a possible rate");
        let stored = Crew::workers(4, |_, thread| {
            let items = (0..200).map(|item| mix(mix(round) ^ (thread as u64) << 32 ^ item));
            let stored = items.filter(|&item| match filter.insert_hash(item) {
                Ok(()) => true,
                Err(InsertError::CannotGrow { error, .. }) => {
                    assert!(error.false_positive_rate() > 0.000_62, "{error}");
                    false
                }
                Err(error) => panic!("{error}"),
            });
            stored.collect::<Vec<u64>>()
        });
        assert_eq!((filter.slots(), filter.segments()), (8 << 4, 1));
        let stored: Vec<u64> = stored.into_iter().flatten().collect();
        assert_eq!(filter.len(), stored.len(), "not conserved");
        for &item in &stored {
            assert!(filter.contains_hash(item), "a stored item is lost");
        }
        for &item in &stored {
            assert!(filter.remove_hash(item), "a stored item is lost");
        }
        assert!(filter.is_empty());
    }
}

/// What has been given back can be had again.
#[test]
fn a_limit_is_for_what_there_is_at_present() {
    let builder = builder(8).max_false_positive_rate(0.000_62);
    let filter = builder.build().expect("a possible rate");
    for round in 0..10 {
        let fits = |hash: &u64| filter.insert_hash(*hash).is_ok();
        let stored: Vec<u64> = random(round).take_while(fits).collect();
        assert_eq!(filter.slots(), 8 << 4, "round {round}");
        for &hash in &stored {
            assert!(filter.remove_hash(hash), "a stored item");
        }
        crate::restart::shrink(&filter, || filter.slots() == 8);
    }
}

/// As one of many filters that share their memory must.
#[test]
fn a_limit_is_set_while_others_use_the_filter() {
    let mut filter = filter(1_000);
    let slots = filter.slots();
    let refused = |filter: &Doubling| {
        let error = random(3).find_map(|hash| filter.insert_hash(hash).err());
        match error {
            Some(InsertError::CannotGrow { error, .. }) => error.memory_needed(),
            error => panic!("not a limit: {error:?}"),
        }
    };
    filter.limit_memory_usage(filter.memory_usage());
    let needed = refused(&filter).expect("the memory");
    assert_eq!(filter.slots(), slots);
    filter.limit_memory_usage(needed - 1);
    assert_eq!(refused(&filter), Some(needed));
    filter.limit_memory_usage(needed);
    let more = refused(&filter).expect("the memory");
    assert!(more > needed && filter.memory_usage() <= needed);
    assert_eq!(filter.slots(), 2 * slots);
    // The other limit counts as before, and is what is stored.
    let mut other = filter.try_clone().expect("memory");
    let bytes = other.to_bytes();
    other.limit_memory_usage(1);
    assert!(other.to_bytes() == bytes);
    other.set_max_memory_usage(filter.memory_usage());
    other.limit_memory_usage(usize::MAX);
    assert!(refused(&other).is_some());
    assert_eq!(other.slots(), 2 * slots);
}
