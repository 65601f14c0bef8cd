//! Limits on growth: the filter keeps to them, reports which limit it reached, and loses nothing.

use std::error::Error;

use crew::Crew;
use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{GrowthError, InsertError};
use model::mix;

use super::{Growing, assert_all_in, builder, filter, in_buckets, insert_all, remove_all};
use crate::door::random;

fn cannot_grow(error: InsertError) -> GrowthError {
    match error {
        InsertError::CannotGrow(error) => error,
        other => panic!("not a limit: {other}"),
    }
}

/// More items than any limit here allows.
const MOST: usize = 500_000;

/// Fills a filter until it refuses. All inserted items must be stored. Then every way of inserting
/// is refused, until some items have been removed.
fn fill(filter: &Growing) -> (usize, GrowthError) {
    let mut items = Vec::new();
    let refused = random(7)
        .take(MOST)
        .find_map(|hash| match filter.insert_hash(hash) {
            Ok(()) => {
                items.push(hash);
                None
            }
            Err(error) => Some((hash, error)),
        });
    let (last, whole) = refused.expect("there is a limit");
    let error = cannot_grow(whole.clone());
    assert_eq!(
        whole.to_string(),
        error.to_string(),
        "the insert says the same"
    );
    assert!(error.source().is_none() && whole.source().is_none());

    // Other calls that need the same full buckets.
    let many = filter.insert_many_hash(&[last]);
    let unique = match filter.insert_unique_hash(last) {
        Ok(false) if filter.contains_hash(last) => Err(whole),
        other => other.map(|_| ()),
    };
    for other in [
        filter.insert_hash(last),
        filter.insert(&last),
        many.map_err(|stopped| stopped.error().clone()),
        unique,
    ] {
        cannot_grow(other.expect_err("a limit"));
    }
    assert_all_in(filter, &items);
    assert_eq!(filter.len(), items.len(), "not conserved");

    let slots = filter.slots();
    // The latest items, which are in the table that takes inserts; enough for a search that
    // examines a part of it.
    let (stay, gone) = items.split_at(items.len() - items.len().min(20).max(items.len() / 20));
    remove_all(filter, gone);
    // There is room again.
    insert_all(filter, &gone[..gone.len() / 2]);
    assert_all_in(filter, stay);
    assert_eq!(filter.slots(), slots);
    (items.len(), error)
}

fn memory_needed(error: GrowthError) -> usize {
    match error {
        GrowthError::MemoryLimit { needed, .. } => needed,
        other => panic!("{other}"),
    }
}

#[test]
fn memory_is_a_limit() {
    for most in [8 << 10, 40 << 10, 100 << 10, 1 << 20] {
        let filter = builder(100).max_memory_usage(most).build().expect("more");
        let (items, error) = fill(&filter);
        assert!(filter.memory_usage() <= most);
        // A doubling needs the words of both levels at the same time.
        let least = (most / 3 - (6 << 10).min(most / 3)) / 4;
        assert!(items > least, "{items} items in {most} bytes");
        let needed = memory_needed(error.clone());
        assert!(needed > most);
        let text =
            format!("growth would raise the memory to {needed} bytes, above the limit of {most}");
        assert!(error.to_string().ends_with(&text), "{error}");
    }
}

/// Returns the rate of full tables: eight fingerprints of 65,535, and as many again for each
/// doubling. The factor of a 32nd is for one of 64 heads that is twice as frequent.
fn rate_of(times: i32) -> f64 {
    1.0 - (1.0 - 1.0 / 65_535.0f64).powf(8.25 * f64::from(times))
}

#[test]
fn the_rate_of_false_positives_is_a_limit() {
    let mut hashes = random(8);
    // After ten doublings there is another table.
    for doublings in [0, 1, 4, 10] {
        for (most, allowed) in [
            (rate_of(doublings + 1) * 1.000_001, doublings),
            (rate_of(doublings + 2) * 0.999_999, doublings),
            (rate_of(doublings + 2) * 1.000_001, doublings + 1),
        ] {
            let filter = builder(8).max_false_positive_rate(most).build();
            let filter = filter.expect("a possible rate");
            let (_, error) = fill(&filter);
            assert_eq!(filter.slots(), 8 << allowed, "at {most}");
            assert!(filter.false_positive_rate() <= most);
            let GrowthError::FalsePositiveRate { rate, limit } = error else {
                panic!("{error}");
            };
            let told = rate / rate_of(allowed + 2);
            assert!((told - 1.0).abs() < 1e-9 && limit == most, "{told}");
            // With a limit equal to the rate in the error, the filter grows exactly to that rate.
            let filter = builder(8).max_false_positive_rate(rate);
            let filter = filter.build().expect("a possible rate");
            let refused = hashes
                .by_ref()
                .take(MOST)
                .find_map(|hash| filter.insert_hash(hash).err());
            cannot_grow(refused.expect("there is a limit"));
            assert!(filter.slots() > 8 << allowed, "beside {most}");
        }
    }
    let filter = builder(50).max_false_positive_rate(0.000_3).build();
    let (_, error) = fill(&filter.expect("one doubling"));
    let text = "growth could raise the false-positive rate to 3.78e-4, above the limit of 0.0003";
    assert!(error.to_string().ends_with(text), "{error}");
}

/// A program needs this if it reads a filter that was stored with another limit.
#[test]
fn a_limit_can_be_set_later() {
    let mut filter = filter(1_000);
    let (start, slots) = (filter.memory_usage(), filter.slots());
    filter.set_max_memory_usage(start - 1);
    fill(&filter);
    assert_eq!((filter.slots(), filter.memory_usage()), (slots, start));
    filter.clear();
    filter.set_max_memory_usage(20 * start);
    fill(&filter);
    let used = filter.memory_usage();
    assert!(
        (2 * start..=20 * start).contains(&used),
        "{used} of {start}"
    );
}

/// An early snapshot does not disturb later ones. A log of hints made for a small table has room
/// for few hints of a large one.
#[test]
fn early_snapshot() {
    let filter = filter(8);
    filter.snapshot().expect("no thread disturbs it");
    insert_all(&filter, random(1).take(400_000));
    let before = filter.memory_usage();
    filter.snapshot().expect("no thread disturbs it");
    let log = filter.memory_usage() - before;
    assert!(
        log > filter.slots() / 64 * 8 * 3 / 4,
        "a log of {log} bytes"
    );
}

/// Racing growers do not exceed a limit.
#[test]
fn threads_keep_to_the_limits_together() {
    for round in 0..40 {
        // Four doublings.
        let builder = builder(8).max_false_positive_rate(0.000_64);
        let filter = builder.build().expect("a possible rate");
        let stored = Crew::workers(4, |_, thread| {
            let items = (0..200).map(|item| mix(mix(round) ^ (thread as u64) << 32 ^ item));
            let stored = items.filter(|&item| match filter.insert_hash(item) {
                Ok(()) => true,
                Err(error) => {
                    let error = cannot_grow(error);
                    let told = matches!(error, GrowthError::FalsePositiveRate { rate, .. } if rate > 0.000_64);
                    assert!(told, "{error}");
                    false
                }
            });
            stored.collect::<Vec<u64>>()
        });
        assert_eq!((filter.slots(), filter.tables()), (8 << 4, 1));
        let stored: Vec<u64> = stored.into_iter().flatten().collect();
        assert_eq!(filter.len(), stored.len(), "not conserved");
        assert_all_in(&filter, &stored);
        remove_all(&filter, &stored);
        assert!(filter.is_empty());
    }
}

/// The size in the error is enough, and no more, at each size: words, descriptors, cells of the
/// counter, another table.
#[test]
fn the_memory_in_the_error_is_enough() {
    for capacity in [8, 1_000] {
        let filter = filter(capacity);
        let mut most = filter.memory_usage();
        filter.set_memory_allowance(most);
        for hash in random(5).take(100_000) {
            if let Err(error) = filter.insert_hash(hash) {
                most = memory_needed(cannot_grow(error));
                filter.set_memory_allowance(most);
                assert_eq!(filter.insert_hash(hash), Ok(()));
            }
            let memory = filter.memory_usage();
            assert!(memory <= most, "{memory} bytes, and it asked for {most}");
        }
    }
}

/// An added table takes the memory in the error, all at once.
#[test]
fn memory_of_an_added_table() {
    let filter = filter(8);
    let mut hashes = random(5).take(MOST);
    let mut last = 0;
    while filter.tables() == 1 {
        last = hashes.next().expect("a table is added");
        filter.finish_doubling();
        filter.set_memory_allowance(usize::MAX);
        if filter.slots() == 8 << 10 {
            filter.set_memory_allowance(filter.memory_usage());
        }
        if let Err(error) = filter.insert_hash(last) {
            let needed = memory_needed(cannot_grow(error));
            assert!(filter.add_table(), "the table has its last level");
            assert_eq!(filter.memory_usage(), needed);
        }
    }
    filter.set_memory_allowance(usize::MAX);
    assert_eq!(filter.insert_hash(last), Ok(()));
}

/// An insert that finds no path in a doubling ends it if there will be room. Items with the same
/// two buckets before and after the doubling under way fill both. Another one needs a further
/// doubling, and that the present one ends first.
#[test]
fn insert_ends_a_doubling() {
    // The hashes first differ in this bit: the tenth of the index bits, the fifteenth.
    for (bit, separates) in [(54, true), (49, false)] {
        let filter = in_buckets(512).build().expect("memory");
        insert_all(&filter, random(1).take(700));
        let items = [0, 1].map(|number: u64| mix(7) ^ number << bit);
        let stored = (0..8).map(|copy| items[copy % 2]);
        let room = filter.len();
        let stored: Vec<u64> = stored
            .take_while(|&item| filter.insert_hash(item).is_ok())
            .collect();
        assert_eq!((filter.len(), filter.slots()), (room + stored.len(), 2_048));
        assert!(filter.begin_to_double());
        filter.set_memory_allowance(filter.memory_usage());
        while filter.insert_hash(items[1]).is_ok() {}
        // Refused: it leaves the doubling as it is.
        let before = filter.to_bytes().expect("quiet");
        cannot_grow(filter.insert_hash(items[1]).expect_err("no memory"));
        assert!(filter.doubled().is_some_and(|part| part < 0.5));
        assert!(filter.to_bytes().expect("quiet") == before);
        filter.set_memory_allowance(usize::MAX);
        let inserted = filter.insert_hash(items[1]);
        if separates {
            assert_eq!((inserted, filter.slots()), (Ok(()), 8_192));
        } else {
            // The table would be nearly empty before they have different buckets.
            assert!(matches!(
                inserted,
                Err(InsertError::Full { slots: 8_192, .. })
            ));
            assert!(filter.to_bytes().expect("quiet") == before);
        }
        assert_all_in(&filter, &stored);
    }
}

/// A limit is set while others use the filter. Many filters that share their memory need this.
#[test]
fn limit_is_set_among_others() {
    let mut filter = filter(1_000);
    let slots = filter.slots();
    let refused = |filter: &Growing| {
        let error = random(3)
            .take(MOST)
            .find_map(|hash| filter.insert_hash(hash).err());
        memory_needed(cannot_grow(error.expect("a limit")))
    };
    filter.set_memory_allowance(filter.memory_usage());
    let needed = refused(&filter);
    assert_eq!(filter.slots(), slots);
    filter.set_memory_allowance(needed - 1);
    assert_eq!(refused(&filter), needed);
    // The other limit, to the byte.
    filter.set_memory_allowance(usize::MAX);
    filter.set_max_memory_usage(needed - 1);
    assert_eq!(refused(&filter), needed);
    filter.set_max_memory_usage(usize::MAX);
    filter.set_memory_allowance(needed);
    let more = refused(&filter);
    assert!(more > needed && filter.memory_usage() <= needed);
    assert_eq!(filter.slots(), 2 * slots);
    // The other limit counts as before, and is stored.
    let mut other = filter.snapshot().expect("memory");
    let bytes = other.to_bytes().expect("quiet");
    other.set_memory_allowance(1);
    assert!(other.to_bytes().expect("quiet") == bytes);
    other.set_max_memory_usage(filter.memory_usage());
    other.set_memory_allowance(usize::MAX);
    refused(&other);
    assert_eq!(other.slots(), 2 * slots);
}
