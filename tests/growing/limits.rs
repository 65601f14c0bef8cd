//! Limits: what a filter may grow to, what it says when it may not, and that it loses nothing then.

use std::error::Error;

use crew::Crew;
use lockfree_cuckoo::{GrowthError, InsertError};
use model::hashers::AsGiven;
use model::mix;

use super::{Builder, Chain};

fn builder(capacity: usize) -> Builder<AsGiven> {
    Chain::builder().capacity(capacity).hasher(AsGiven)
}

/// Of segments that are all full: one of eight fingerprints each, of 65,535.
fn rate_of(segments: usize) -> f64 {
    1.0 - (1.0 - 1.0 / 65_535.0f64).powf(8.0 * segments as f64)
}

fn cannot_grow(error: InsertError) -> GrowthError {
    match error {
        InsertError::CannotGrow { error, .. } => error,
        other => panic!("not a limit: {other}"),
    }
}

/// Fills until it is refused. All that went in must be there; then every way of inserting is refused, until some
/// items have been removed.
fn fill(filter: &Chain<AsGiven>) -> GrowthError {
    let refused = |hash| filter.insert_hash(hash).err().map(|error| (hash, error));
    let (last, error) = (0..).map(mix).find_map(refused).expect("there is a limit");
    let items: Vec<u64> = (0..).map(mix).take_while(|&item| item != last).collect();
    let all_in = || items.iter().all(|&item| filter.contains_hash(item));
    let (segments, memory) = (filter.segments(), filter.memory_usage());
    assert!(all_in(), "the refusal lost an item");

    // By other ways into the same full buckets; the answer is the same, and each time nothing is lost.
    assert_eq!(filter.insert_hash(last), Err(error.clone()));
    assert_eq!(filter.insert(&last), Err(error.clone()));
    assert_eq!(
        filter.insert_many_hash(&[last]).unwrap_err().error(),
        &error
    );
    if !filter.contains_hash(last) {
        assert_eq!(filter.insert_unique_hash(last), Err(error.clone()));
    }
    assert!(all_in(), "a refusal lost an item");
    assert_eq!(filter.len(), items.len(), "not conserved");

    // The newest are in the segment that takes inserts.
    let (stay, newest) = items.split_at(items.len() - items.len().min(20));
    for &item in newest {
        assert!(filter.remove_hash(item), "a stored item");
    }
    for &item in &newest[..newest.len() / 2] {
        assert_eq!(filter.insert_hash(item), Ok(()), "there is room again");
    }
    assert_eq!(filter.len(), stay.len() + newest.len() / 2, "not conserved");
    assert_eq!(
        (filter.segments(), filter.memory_usage()),
        (segments, memory)
    );
    for &item in stay {
        assert!(filter.contains_hash(item), "a stored item is missed");
    }
    cannot_grow(error)
}

#[test]
fn grows_to_as_many_segments_as_the_rate_allows() {
    for segments in [1, 2, 3, 5, 8] {
        for (rate, allowed) in [
            (rate_of(segments) * 1.000_001, segments),
            (rate_of(segments + 1) * 0.999_999, segments),
            (rate_of(segments + 1) * 1.000_001, segments + 1),
        ] {
            let builder = builder(50).max_false_positive_rate(rate);
            let filter = builder.build().expect("a possible rate");
            let error = fill(&filter);
            assert_eq!(filter.segments(), allowed, "segments with a rate of {rate}");
            assert!(filter.false_positive_rate() <= rate);
            assert_eq!(error.segments(), allowed);
            assert!((error.false_positive_rate() / rate_of(allowed + 1) - 1.0).abs() < 1e-9);
            assert!(!error.is_out_of_memory());
        }
    }
}

#[test]
fn a_refusal_says_which_rate_there_would_be() {
    let builder = builder(50).max_false_positive_rate(0.0003);
    let filter = builder.build().expect("a possible rate");
    let whole = (0..).find_map(|item| filter.insert_hash(mix(item)).err());
    let whole = whole.expect("there is a limit");
    let error = cannot_grow(whole.clone());
    assert_eq!(
        error.to_string(),
        "there is no room in 2 segments, and growth could raise the false-positive rate to 0.000366, \
         above the limit of 0.0003"
    );
    assert_eq!(
        whole.to_string(),
        error.to_string(),
        "the insert says the same"
    );
    assert!(error.source().is_none() && whole.source().is_none());
}

/// One with a single segment says "segment".
#[test]
fn a_refusal_says_how_much_memory_there_would_be() {
    let start = builder(1_000).build().expect("memory").memory_usage();
    let most = start + 100;
    let filter = builder(1_000)
        .max_memory_usage(most)
        .build()
        .expect("memory");
    let error = fill(&filter);
    let text = error.to_string();
    let rest =
        text.strip_prefix("there is no room in 1 segment, and growth would raise the memory to ");
    let rest = rest.unwrap_or_else(|| panic!("{text}"));
    let (bytes, rest) = rest.split_once(' ').expect("a number of bytes");
    assert_eq!(rest, format!("bytes, above the limit of {most}"));
    assert!(bytes.parse::<usize>().expect("a number") > most);
    assert_eq!((error.segments(), error.false_positive_rate()), (1, 0.0));
    assert!(!error.is_out_of_memory() && error.memory_needed().is_some_and(|needed| needed > most));
}

#[test]
fn never_takes_more_memory_than_allowed() {
    for capacity in [8, 100, 1_000, 10_000] {
        let start = builder(capacity).build().expect("memory").memory_usage();
        for most in [start, start * 2, start * 5, start * 20, 200_000 + start] {
            let filter = builder(capacity).max_memory_usage(most).build();
            let filter = filter.expect("enough for the first segment");
            fill(&filter);
            let used = filter.memory_usage();
            assert!(
                used <= most,
                "{used} bytes of {most} for {capacity} items at first"
            );
        }
    }
}

/// As somebody must who reads a filter that somebody else allowed more, or less.
#[test]
fn a_limit_can_be_set_later() {
    let mut filter = builder(1_000).build().expect("memory");
    let start = filter.memory_usage();
    filter.set_max_memory_usage(start - 1);
    fill(&filter);
    assert_eq!(filter.memory_usage(), start, "it keeps what it has");
    filter.clear();
    filter.set_max_memory_usage(20 * start);
    fill(&filter);
    let used = filter.memory_usage();
    assert!(
        (2 * start..=20 * start).contains(&used),
        "{used} of {start}"
    );
}

/// As one of many filters that share their memory must.
#[test]
fn a_limit_is_set_while_others_use_the_filter() {
    let mut filter = builder(1_000).build().expect("memory");
    let start = filter.memory_usage();
    let refused = || {
        let error = (0..)
            .map(mix)
            .find_map(|hash| filter.insert_hash(hash).err());
        cannot_grow(error.expect("there is a limit")).memory_needed()
    };
    filter.limit_memory_usage(start);
    let needed = refused().expect("the memory");
    assert_eq!(filter.memory_usage(), start);
    filter.limit_memory_usage(needed - 1);
    assert_eq!(refused(), Some(needed));
    filter.limit_memory_usage(needed);
    let more = refused().expect("the memory");
    assert!(more > needed && filter.memory_usage() == needed);
    // The other limit counts as before, and is what is stored.
    let mut other = filter.try_clone().expect("memory");
    let bytes = other.to_bytes();
    other.limit_memory_usage(1);
    assert!(other.to_bytes() == bytes);
    other.set_max_memory_usage(needed);
    other.limit_memory_usage(usize::MAX);
    let error = (0..)
        .map(mix)
        .find_map(|hash| other.insert_hash(hash).err());
    assert_eq!(
        cannot_grow(error.expect("a limit")).memory_needed(),
        Some(more)
    );
}

#[test]
fn memory_that_is_allowed_is_used() {
    let start = builder(1_000).build().expect("memory").memory_usage();
    for factor in [2, 4] {
        let builder = builder(1_000)
            .growth_factor(factor)
            .max_memory_usage(1 << 20);
        let filter = builder.build().expect("memory");
        fill(&filter);
        // Another segment would be larger than the last one by the factor, and that is most of all.
        let used = filter.memory_usage();
        assert!(
            used > start && used * (factor + 1) > 1 << 20,
            "{used} bytes, times {factor}"
        );
    }
}

/// Growers that race get past no limit.
#[test]
fn threads_keep_to_the_limits_together() {
    for round in 0..40 {
        let rate = rate_of(4) * 1.000_001;
        let builder = builder(20).max_false_positive_rate(rate);
        let filter = builder.build().expect("a possible rate");
        let stored = Crew::workers(4, |_, thread| {
            let items = (0..2_000).map(|item| mix(mix(round) ^ (thread as u64) << 32 ^ item));
            let stored = items.filter(|&item| match filter.insert_hash(item) {
                Ok(()) => true,
                Err(error) => {
                    assert_eq!(cannot_grow(error).segments(), 4);
                    false
                }
            });
            stored.collect::<Vec<u64>>()
        });
        assert_eq!(filter.segments(), 4, "segments that are allowed");
        let stored: Vec<u64> = stored.into_iter().flatten().collect();
        assert_eq!(filter.len(), stored.len(), "not conserved");
        assert!(
            stored.iter().all(|&item| filter.contains_hash(item)),
            "a stored item is lost"
        );
        assert!(
            stored.iter().all(|&item| filter.remove_hash(item)),
            "a stored item is lost"
        );
        assert!(filter.is_empty());
    }
}

/// What has been given back can be had again.
#[test]
fn a_limit_is_for_what_there_is_at_present() {
    let rate = rate_of(3) * 1.000_001;
    let builder = builder(20).max_false_positive_rate(rate);
    let filter = builder.build().expect("a possible rate");
    for round in 0..10 {
        let start = round << 32;
        let fits = |item: &u64| filter.insert_hash(mix(*item)).is_ok();
        let stored = (start..).take_while(fits).count() as u64;
        assert_eq!(filter.segments(), 3, "round {round}");
        for item in start..start + stored {
            assert!(filter.remove_hash(mix(item)), "a stored item");
        }
        crate::shrink(&filter, 1);
    }
}

#[test]
fn each_segment_is_larger_by_the_factor() {
    for factor in [2, 4, 16, 1 << 16] {
        for capacity in [8, 20, 300, 10_000] {
            if factor * capacity > 1 << 20 {
                continue;
            }
            let filter = builder(capacity)
                .growth_factor(factor)
                .build()
                .expect("memory");
            let (mut last, mut sum) = (filter.slots(), filter.slots());
            let mut items = (0..).map(mix);
            while filter.slots() < 1 << 16 && filter.segments() < 5 {
                filter
                    .insert_hash(items.next().expect("endless"))
                    .expect("memory");
                if filter.slots() != sum {
                    let added = filter.slots() - sum;
                    assert_eq!(added, last * factor, "{capacity} items, times {factor}");
                    (last, sum) = (added, filter.slots());
                }
            }
            assert!(filter.segments() > 1);
        }
    }
}

#[test]
fn the_builder_names_what_is_possible() {
    for (factor, nearest) in [
        (0, 2),
        (1, 2),
        (3, 4),
        (5, 8),
        ((1 << 16) + 1, 1 << 16),
        (usize::MAX, 1 << 16),
    ] {
        let error = builder(8).growth_factor(factor).build().unwrap_err();
        assert_eq!(
            (error.requested(), error.possible()),
            (factor, Some(nearest))
        );
        assert!(!error.is_out_of_memory());
        assert_eq!(
            error.to_string(),
            format!(
                "a growth factor of {factor} is not possible: use {nearest}, the nearest possible power of two"
            )
        );
        assert!(builder(8).growth_factor(nearest).build().is_ok());
    }
    let error = builder(usize::MAX).build().unwrap_err();
    assert_eq!(error.requested(), usize::MAX);
    assert!(error.possible().is_some_and(|most| most < usize::MAX));
}

#[test]
fn the_builder_refuses_rates_that_are_out_of_reach() {
    let error = builder(8)
        .max_false_positive_rate(0.000_1)
        .build()
        .unwrap_err();
    assert_eq!((error.requested(), error.possible()), (0, None));
    assert_eq!(
        error.to_string(),
        "a false-positive rate of 0.0001 is too low for the layout `Lanes<4, 16>`, which has 0.000122 with one full \
         table: use `SemiSorted<4, 17>`, `Lanes<3, 21>` or `Lanes<2, 31>`"
    );
    assert!(error.source().is_none());
    let error = builder(8)
        .max_false_positive_rate(1e-10)
        .build()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "a false-positive rate of 1e-10 is too low for the layout `Lanes<4, 16>`, which has 0.000122 with one \
         full table: no other layout has so low a rate, so set a higher one"
    );
    for rate in [0.000_123, 0.5, 1.0f64.next_down()] {
        assert!(builder(8).max_false_positive_rate(rate).build().is_ok());
    }
}

#[test]
fn the_builder_refuses_less_memory_than_it_begins_with() {
    for capacity in [8, 1_000, 100_000] {
        for most in [0, 1, 100] {
            let error = builder(capacity)
                .max_memory_usage(most)
                .build()
                .unwrap_err();
            assert_eq!(error.requested(), most);
            let least = error.possible().expect("a number of bytes");
            assert_eq!(
                error.to_string(),
                format!(
                    "a memory limit of {most} bytes is too low: the filter needs {least} bytes at the start"
                )
            );
            let filter = builder(capacity).max_memory_usage(least).build();
            assert!(filter.is_ok(), "what is said to be possible is: {filter:?}");
        }
        let least = builder(capacity).build().expect("memory").memory_usage();
        assert!(builder(capacity).max_memory_usage(least).build().is_ok());
        assert!(
            builder(capacity)
                .max_memory_usage(least - 1)
                .build()
                .is_err()
        );
    }
}

/// More than any machine has: an error at the start, and no trace of it later.
#[test]
fn memory_that_cannot_be_had_is_an_error() {
    let error = builder(1 << 46).build().unwrap_err();
    assert!(error.is_out_of_memory(), "{error}");
    let builder = builder(1 << 20).growth_factor(1 << 16);
    let filter = builder.build().expect("memory");
    for item in 0..1 << 20 {
        filter.insert_hash(mix(item)).expect("sized for it");
    }
    let error = (1 << 20..).find_map(|item| filter.insert_hash(mix(item)).err());
    let error = cannot_grow(error.expect("no machine has so much"));
    assert!(error.is_out_of_memory(), "{error}");
    assert_eq!((error.segments(), error.false_positive_rate()), (1, 0.0));
    let text = error.to_string();
    assert!(
        text.starts_with("there is no room in 1 segment, and growth needs "),
        "{text}"
    );
    assert!(
        text.ends_with(" bytes of memory that could not be allocated"),
        "{text}"
    );
    assert!(
        (0..1 << 20).all(|item| filter.contains_hash(mix(item))),
        "a stored item is lost"
    );
    assert!(filter.remove_hash(mix(0)) && filter.insert_hash(mix(0)).is_ok());
}

#[test]
#[should_panic(expected = "at most")]
fn the_short_way_panics_with_the_same_error() {
    let _ = Chain::with_capacity(usize::MAX);
}
