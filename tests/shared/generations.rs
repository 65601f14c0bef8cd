//! The readers in other languages look into rotating filters:
//!
//! 1. they answer as the library does, whatever table is young;
//! 2. they find what is refreshed in each generation, while one after the other is forgotten, at
//!    whatever load they stop;
//! 3. they read a bucket that is being emptied as the library does, and not the spare.

use std::fs;
use std::path::Path;

use crew::Crew;
use lockfree_cuckoo::filter::Rotating;
use lockfree_cuckoo::{RotatingCuckooFilter, SharedFilter, SharedReader};
use model::geometry::{Geometry, distinct};
use model::layout::Layout;

use crate::golden::{bytes_of, number, set};
use crate::languages::{Language, answers, c_stops, file, lines_of, python_stops};
use crate::path_of;

const LAYOUT: Layout = Layout::of(4, 16);
const GEOMETRY: Geometry = Geometry::with_buckets(LAYOUT, 32);

fn filter(generations: usize) -> SharedFilter<Rotating> {
    let builder = RotatingCuckooFilter::builder().buckets(GEOMETRY.buckets);
    let builder = builder.generations(generations).seed(7);
    builder.build_shared().expect("memory")
}

/// Compares the answers of the readers with these, of the library.
fn compare(path: &Path, hashes: &[u64], expected: &[bool], what: &str) {
    for language in [Language::C, Language::Python] {
        let lines = lines_of(hashes.iter().copied());
        if let Some(said) = answers(language, path, &["--hashes"], lines) {
            assert_eq!(said, expected, "{what}");
        }
    }
}

#[test]
fn answers_are_those_of_the_library_in_any_generation() {
    for generations in [2, 3, 15] {
        let filter = filter(generations);
        let hashes = distinct(GEOMETRY, 100, 1);
        let mut stored = 0;
        // Each table is young, and the spare, once.
        for (turn, new) in hashes.chunks(5).take(generations + 2).enumerate() {
            filter.rotate().expect("no one is in the way");
            for &hash in new {
                filter.insert_hash(hash).expect("room");
            }
            let expected: Vec<_> = (hashes.iter())
                .map(|&hash| filter.contains_hash(hash))
                .collect();
            stored = expected.iter().filter(|is_in| **is_in).count();
            let what = format!("{generations} generations, turn {turn}");
            if generations < 4 || turn % 4 == 0 {
                compare(&path_of(&filter), &hashes, &expected, &what);
            }
        }
        assert_eq!(stored, 5 * generations, "what is older is forgotten");
    }
}

/// Items that are refreshed before each rotation are there all the time, also when the older token
/// of two is removed.
fn finds_what_is_refreshed(language: Language, lookups: usize) {
    let filter = filter(2);
    let hashes = distinct(GEOMETRY, 3, 1);
    let refresh = || {
        for &hash in &hashes {
            let is_new = filter.refresh_hash(hash).expect("room");
            assert!(is_new || filter.remove_hash(hash), "it has two tokens");
        }
    };
    refresh();
    let (said, rotations) = Crew::run(
        1,
        |_, _| {
            let lines = lines_of(hashes.iter().copied().cycle().take(lookups));
            answers(language, &path_of(&filter), &["--hashes"], lines)
        },
        1,
        |crew, _| {
            while crew.at_work() {
                refresh();
                filter.rotate().expect("no one is in the way");
            }
            filter.rotations()
        },
    );
    let Some(said) = said.into_iter().flatten().next() else {
        return;
    };
    assert!(rotations[0] > 100, "hardly any rotation");
    assert_eq!(said.len(), lookups);
    let missed = said.iter().filter(|is_in| !**is_in).count();
    assert_eq!(missed, 0, "of {lookups}");
}

#[test]
fn c_finds_what_is_refreshed() {
    finds_what_is_refreshed(Language::C, 50_000);
    finds_what_is_refreshed(Language::SlowC, 10_000);
}

/// On AArch64 the program does not claim it: see its head.
#[test]
#[cfg(target_arch = "x86_64")]
fn python_finds_what_is_refreshed() {
    finds_what_is_refreshed(Language::Python, 5_000);
}

/// At whatever load a reader stops, while an item is refreshed, its older token is removed, and
/// generations are forgotten.
#[test]
fn what_is_refreshed_is_found_by_who_stops() {
    let filter = filter(2);
    let [hash] = distinct(GEOMETRY, 1, 1)[..] else {
        unreachable!("one was asked for")
    };
    filter.insert_hash(hash).expect("room");
    let mut memory = vec![bytes_of(&filter)];
    for _ in 0..3 {
        filter.rotate().expect("no one is in the way");
        memory.push(bytes_of(&filter));
        assert_eq!(filter.refresh_hash(hash), Ok(false));
        memory.push(bytes_of(&filter));
        assert!(filter.remove_hash(hash), "the older of two");
        memory.push(bytes_of(&filter));
    }
    for stops in [c_stops, python_stops].map(|stops| stops(&memory, &[hash])) {
        assert!(stops.is_none_or(|stops| stops > 200), "it hardly stops");
    }
}

/// Where the descriptors and the words of a table begin, as the page on the format says.
pub(crate) fn places(bytes: &[u8], table: usize) -> (usize, usize) {
    let [buckets, stripes, cells, log] = [64, 72, 80, 88].map(|at| number(bytes, at) as usize);
    let mut from = 8_192;
    for others in 0.. {
        let stripes_at = from + 128 + 128 * cells;
        let descriptors = (stripes_at + 8 * stripes).next_multiple_of(128);
        let log_at = (descriptors + 64 * 1_023).next_multiple_of(128);
        let words = (log_at + 8 * log).next_multiple_of(4_096);
        if others == table {
            return (descriptors, words);
        }
        from = (words + 8 * buckets).next_multiple_of(4_096);
    }
    unreachable!("there are as many as one wants")
}

/// A process that empties the spare may have stopped; then that is young again, or old.
#[test]
fn buckets_are_emptied_as_in_the_library() {
    let filter = filter(2);
    let hashes: Vec<u64> = distinct(GEOMETRY, 40, 1);
    for &hash in &hashes {
        filter.insert_hash(hash).expect("room");
    }
    let young_of = |bytes: &[u8]| number(bytes, 2_048) as usize >> 1 & 15;
    let table = young_of(&bytes_of(&filter));
    let late: Vec<u64> = (GEOMETRY.buckets / 2..GEOMETRY.buckets)
        .map(|bucket| GEOMETRY.hash(bucket, 0xabcd, 0))
        .collect();
    for rotations in 0..2 {
        let mut bytes = bytes_of(&filter);
        // What comes late into the spare is not there.
        let spare = (young_of(&bytes) + 1) % 3;
        let (_, words) = places(&bytes, spare);
        for &hash in &late {
            let at = words + 8 * GEOMETRY.first(hash);
            assert_eq!(number(&bytes, at), 0, "the spare is empty");
            set(&mut bytes, at, 0xabcd << 48);
        }
        let (descriptors, words) = places(&bytes, table);
        let is_there = |bucket: usize| number(&bytes, words + 8 * bucket) != 0;
        let buckets: Vec<usize> = (0..GEOMETRY.buckets)
            .filter(|&bucket| is_there(bucket))
            .collect();
        // Pending, committed and aborted.
        for (status, &bucket) in buckets.iter().step_by(3).take(3).enumerate() {
            let (index, uses) = (100 + status, 7 + status as u64);
            let (bucket_at, of) = (words + 8 * bucket, bucket as u64);
            let old = number(&bytes, bucket_at);
            let fields = [uses << 2 | status as u64, 1 << 10, 0, of, of, old, 0];
            for (field, value) in fields.into_iter().enumerate() {
                set(&mut bytes, descriptors + 64 * index + 8 * field, value);
            }
            set(&mut bytes, bucket_at, LAYOUT.reference(index, uses));
        }
        let copy = file("emptied");
        fs::write(&copy, &bytes).expect("a place to write to");
        let reader = SharedReader::<Rotating>::open(&copy).expect("a filter");
        let all: Vec<u64> = hashes.iter().chain(&late).copied().collect();
        let expected: Vec<bool> = all.iter().map(|&hash| reader.contains_hash(hash)).collect();
        let gone = expected.iter().filter(|is_in| !**is_in).count() - late.len();
        assert!((1..=4).contains(&gone), "one bucket is empty: {gone}");
        compare(&copy, &all, &expected, &format!("{rotations} rotations"));
        fs::remove_file(&copy).expect("its own");
        filter.rotate().expect("no one is in the way");
    }
}
