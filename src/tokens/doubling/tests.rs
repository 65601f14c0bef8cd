//! A table that doubles ten times, compared with the items that it holds.

use std::collections::HashMap;

use crew::Crew;

use super::*;
use crate::layout::prefix::TAIL_BITS;
use crate::sync::{AtomicU64, Ordering};
use crate::table::doubling::Blocks;
use crate::tokens::transfer::Transfer;

const BUDGET: usize = 256;

fn table(first: u32) -> Doubling {
    let blocks = Blocks::new(first).expect("memory");
    Doubling::with_blocks(blocks, BUDGET).expect("memory")
}

/// A table whose words were never written.
fn lazy_table(first: u32) -> Doubling {
    let blocks = Blocks::lazy(first).expect("memory");
    Doubling::with_blocks(blocks, BUDGET).expect("memory")
}

const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(SPREAD);
        let mut x = self.0;
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }
}

/// Few heads, and few index bits behind those of a table of this level: so that many prefixes are nested.
fn narrow(hash: u64, bits: u32) -> u64 {
    hash & u64::MAX << (64 - bits) | (hash & 3 | 1) << 10
}

/// Inserts, and doubles the table if there is no room. Returns false if the table is full, and cannot double.
fn insert(table: &Doubling, hash: u64) -> bool {
    loop {
        let hint = table.hint();
        match table.insert(hash, BUDGET) {
            Ok(()) => return true,
            Err(Refusal::NoPath) if !table.can_grow() => return false,
            Err(Refusal::NoPath) => table.begin_to_grow(hint).expect("memory"),
            Err(Refusal::AllCopies) => return false,
            Err(Refusal::Disturbed | Refusal::Starved) => {}
        }
    }
}

/// Random inserts and removes, until the table is full, and then removes. Every item that is in must be found at each
/// check, every remove must succeed, and at the end nothing may be left.
fn live_and_die(table: &Doubling, hash: impl Fn(u64) -> u64, seed: u64) -> u32 {
    let first = table.first();
    let mut random = Random(seed);
    let mut items = Vec::new();
    let mut check_at = 1;
    let mut refused = 0;
    while refused < 20 {
        let item = hash(random.next());
        if insert(table, item) {
            items.push(item);
        } else {
            refused += 1;
        }
        if random.below(10) < 3 && !items.is_empty() {
            let item = items.swap_remove(random.below(items.len()));
            assert!(table.remove(item), "not there: {item:x}");
        }
        if items.len() >= check_at {
            check_at += check_at / 4 + 1;
            assert!(items.iter().all(|&item| table.contains(item)));
        }
    }
    let doublings = table.level() - first;
    // Halfway down, everything else is still there.
    let mut removed = 0;
    while !items.is_empty() {
        let item = items.swap_remove(random.below(items.len()));
        assert!(table.remove(item), "not there: {item:x}");
        removed += 1;
        if removed % 1000 == 0 {
            assert!(items.iter().all(|&item| table.contains(item)));
            assert!(items.iter().all(|&item| table.count(item) > 0));
        }
    }
    assert_eq!(table.taken(), 0);
    doublings
}

#[test]
fn all_is_found_and_removed_through_ten_doublings() {
    for first in [1, 3, 5] {
        for table in [table(first), lazy_table(first)] {
            assert_eq!(live_and_die(&table, |hash| hash, 1), TAIL_BITS);
        }
    }
}

#[test]
fn items_with_nested_prefixes_are_not_taken_for_each_other() {
    for (first, seed) in [(2, 1), (3, 2), (4, 3)] {
        let bits = first + TAIL_BITS + 2;
        live_and_die(&table(first), |hash| narrow(hash, bits), seed);
    }
}

/// A thread that died during a split has left its reference in a word. With exclusive access, a call ends the growth
/// with all descriptors, including that of the dead thread.
#[test]
fn what_a_dead_thread_has_frozen_outlives_its_descriptor() {
    const LEVEL: u32 = 4;
    for place in [0, 5, (1 << LEVEL) - 1] {
        let mut table = table(LEVEL);
        let items: Vec<u64> = (1..=20u64).map(|item| item.wrapping_mul(SPREAD)).collect();
        assert!(items.iter().all(|&item| table.insert(item, BUDGET).is_ok()));
        table.begin_to_grow(table.hint()).expect("memory");
        let bucket = 1 << LEVEL | place;
        let content = table.look(bucket);
        let mut claim = table.pool.claim().expect("nobody has one");
        let (reference, _) = claim.publish(Transfer::split(bucket, content));
        assert!(table.blocks.exchange(bucket, content, reference));
        core::mem::forget(claim);
        assert_eq!(table.settle_all(), items.len());
        assert!(items.iter().all(|&item| table.contains(item)));
        table.clear();
        assert_eq!(table.taken(), 0);
    }
}

/// Removes alone complete a growth, and each takes the longest token though splits are in progress.
#[test]
fn removes_take_part_in_a_growth() {
    for first in [4, 9] {
        let table = table(first);
        let mut random = Random(1);
        let mut items = Vec::new();
        while items.len() < 7 << (first - 1) {
            let item = random.next();
            if table.insert(item, BUDGET).is_ok() {
                items.push(item);
            }
        }
        table.begin_to_grow(table.hint()).expect("memory");
        let mut removed = 0;
        while table.level() == first {
            let item = items.pop().expect("they are enough");
            assert!(table.remove(item));
            removed += 1;
        }
        assert!(removed <= (1 << first) / 16 + 1, "{removed}");
        assert!(items.iter().all(|&item| table.contains(item)));
        assert!(items.iter().all(|&item| table.remove(item)));
        assert_eq!(table.taken(), 0);
    }
}

/// As small as it began, from each level, and larger again. Each remove finds a token of its own.
#[test]
fn what_is_left_fits_into_fewer_levels() {
    let first = 3;
    for (levels, bits) in [
        (1, 64),
        (2, 64),
        (TAIL_BITS, 64),
        (TAIL_BITS, first + TAIL_BITS + 2),
    ] {
        let hash = |hash: u64| if bits == 64 { hash } else { narrow(hash, bits) };
        let large = table(first);
        let mut random = Random(levels.into());
        let mut items = Vec::new();
        while large.level() < first + levels {
            let item = hash(random.next());
            if insert(&large, item) {
                items.push(item);
            }
        }
        for level in (first..first + levels).rev() {
            let small = loop {
                large.settle_all();
                let small = Doubling::empty(first, level, BUDGET).expect("memory");
                if items.len() <= 3 << level && small.add_all(&large) {
                    break small;
                }
                for _ in 0..=items.len() / 16 {
                    let item = items.swap_remove(random.below(items.len()));
                    assert!(large.remove(item));
                }
            };
            assert!(
                bits < 64 || items.len() > 2 << level,
                "{} at {level}",
                items.len()
            );
            assert_eq!(small.taken(), items.len());
            assert!(items.iter().all(|&item| small.contains(item)));
            // It can double as often as before, and loses nothing.
            let mut added = Vec::new();
            while small.level() < small.last() || added.len() % 64 != 0 {
                let item = hash(random.next());
                if insert(&small, item) {
                    added.push(item);
                }
            }
            let all = || items.iter().chain(&added);
            assert!(all().all(|&item| small.contains(item)));
            let mut left = all().copied().collect::<Vec<_>>();
            while !left.is_empty() {
                let item = left.swap_remove(random.below(left.len()));
                assert!(small.remove(item), "not there: {item:x}");
            }
            assert_eq!(small.taken(), 0);
        }
    }
}

/// Otherwise the table would omit words that a dead thread has taken to split, for a while, and its copy would not.
#[test]
fn a_table_goes_on_as_its_copy_does() {
    const LEVEL: u32 = 8;
    let table = table(LEVEL);
    let items = (1..=900u64).map(|item| item.wrapping_mul(SPREAD));
    assert!(
        items
            .clone()
            .take(700)
            .all(|item| table.insert(item, BUDGET).is_ok())
    );
    table.begin_to_grow(table.hint()).expect("memory");
    for _ in 0..3 {
        let taken = table.blocks.next_chunk(table.hint());
        assert!(!taken.is_empty());
    }
    table.settle_all();
    let (copy, _) = table.snapshot().expect("nobody disturbs it");
    for item in items.skip(700) {
        assert!(table.insert(item, BUDGET).is_ok() && copy.insert(item, BUDGET).is_ok());
        assert_eq!(table.stage(), copy.stage());
        let regions = |of: &Doubling| {
            let places = 0..1 << of.level();
            let regions = places.map(|place| of.region_at(of.level(), place));
            regions.collect::<Vec<_>>()
        };
        assert_eq!(regions(&table), regions(&copy));
    }
    assert_eq!(table.doubled(), None, "it is over");
}

/// Each thread has items of its own, whose prefixes are nested with those of others.
#[test]
fn threads_find_and_remove_what_is_theirs() {
    for (first, narrowed) in [(1, false), (3, false), (3, true), (4, true)] {
        let table = if first == 3 {
            lazy_table(first)
        } else {
            table(first)
        };
        let capacity = (4u64 << (first + TAIL_BITS)) * 8 / 10;
        let len = AtomicU64::new(0);
        Crew::workers(4, |crew, thread| {
            let mut random = Random(thread as u64 * 7919 + u64::from(first));
            let mut items: Vec<u64> = Vec::new();
            crew.meet();
            while len.load(Ordering::Relaxed) < capacity {
                let hash = random.next();
                let item = if narrowed {
                    narrow(hash, first + TAIL_BITS + 2)
                } else {
                    hash
                };
                len.fetch_add(1, Ordering::Relaxed);
                if insert(&table, item) {
                    items.push(item);
                } else if !narrowed {
                    break;
                }
                if random.below(10) < 3 && !items.is_empty() {
                    let item = items.swap_remove(random.below(items.len()));
                    assert!(table.remove(item));
                }
                for _ in 0..4 {
                    let item = items.get(random.below(items.len() + 1));
                    assert!(item.is_none_or(|&item| table.contains(item)));
                }
            }
            assert!(items.iter().all(|&item| table.contains(item)));
            crew.meet();
            for item in items {
                assert!(table.remove(item));
            }
        });
        assert_eq!(table.taken(), 0);
        if !narrowed {
            assert_eq!(table.level(), first + TAIL_BITS);
        }
    }
}

/// There are no other tables.
struct NoOtherTables;

impl OtherTables for NoOtherTables {
    fn earlier_hold_none(&self) -> bool {
        true
    }

    fn later_hold_none(&self) -> bool {
        true
    }
}

#[test]
fn one_of_several_threads_admits_an_item() {
    let rounds = 3000;
    let table = table(2);
    let admit = |item| {
        loop {
            if table.contains(item) {
                return false;
            }
            let hint = table.hint();
            match table.try_to_admit(item, BUDGET, &NoOtherTables) {
                Ok(Attempt::Admitted) => return true,
                Ok(Attempt::Present) => return false,
                Ok(Attempt::Disturbed | Attempt::Starved) => {}
                Err(Refusal::NoPath) => table.begin_to_grow(hint).expect("memory"),
                Err(_) => {}
            }
        }
    };
    let admitted: Vec<HashMap<u64, usize>> = Crew::workers(4, |crew, _| {
        let mut random = Random(5);
        let mut mine = HashMap::new();
        for round in 0..rounds {
            let item = random.next();
            if round % 64 == 0 {
                crew.meet();
            }
            *mine.entry(item).or_default() += usize::from(admit(item));
        }
        mine
    });
    let mut total = 0;
    for item in admitted[0].keys() {
        let times: usize = admitted.iter().map(|mine| mine[item]).sum();
        assert!(times <= 1, "{times} times");
        assert!(table.contains(*item));
        total += times;
    }
    assert_eq!(table.taken(), total);
    assert!(total > rounds * 99 / 100, "{total}");
}

/// An insert that finds both its buckets full splits the one that the sweep comes to earlier. So as long as the sweep is on
/// the first side, lookups find nearly all words of the second one where they guess that they are.
#[test]
fn inserts_split_few_words_in_front_of_the_sweep() {
    const LEVEL: u32 = 12;
    let table = table(LEVEL);
    let mut random = Random(1);
    while table.insert(random.next(), BUDGET).is_ok() {}
    table.begin_to_grow(table.hint()).expect("memory");
    let gone = |side: usize| {
        let words = (2 | side) << (LEVEL - 1)..(3 + side) << (LEVEL - 1);
        let words =
            words.filter(|&bucket| bucket >= (1 << LEVEL) + table.blocks.cursor(table.hint()));
        words.filter(|&bucket| table.peek(bucket).is_none()).count()
    };
    while table.doubled() < Some(0.25) {
        table.insert(random.next(), BUDGET).expect("room");
    }
    let words = 1 << LEVEL;
    assert!(gone(0) < words / 128, "{} of {words}", gone(0));
    assert!(gone(1) < words / 256, "{} of {words}", gone(1));
}
