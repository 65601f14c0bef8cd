//! Fixed tables: calls that other calls overtake at each access.

use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::testing::{Descriptors, Internals};
use lockfree_cuckoo::{CuckooFilter, CuckooFilterBuilder, InsertError, RandomState};
use model::Layout;
use model::geometry::Geometry;
use step_tests::{
    Led, at_each_step, at_each_two_steps, bounded, fill, interrupted, overtaken, tell,
};

/// Returns a filter with this number of buckets, a power of two.
pub(crate) fn table(buckets: usize, search_budget: usize, descriptors: usize) -> CuckooFilter {
    let builder = CuckooFilterBuilder::with_hasher(RandomState::with_seed(1)).buckets(buckets);
    let builder = builder.search_budget(search_budget);
    builder.descriptors(descriptors).build().expect("memory")
}

/// Enough descriptors that each thread has its own, whatever its number.
const FOR_ALL: usize = 256;

/// Returns the hash of an item with a fingerprint and a first candidate, in a table of 2 to the
/// power of `log` buckets.
pub(crate) const fn hash(log: u32, first: u64, fingerprint: u64) -> u64 {
    first << (u64::BITS - log) | fingerprint
}

/// Returns the other candidate in such a table.
pub(crate) fn alternate(log: u32, bucket: u64, fingerprint: u64) -> u64 {
    let geometry = Geometry::with_buckets(Layout::DEFAULT, 1 << log);
    let fingerprint = u32::try_from(fingerprint).expect("a fingerprint");
    geometry.alternate(bucket as usize, fingerprint) as u64
}

/// Fills a table of two buckets, removes a token from the second candidate of an item before each
/// access of its insert, and checks that the insert is refused only if the removal came after its
/// last look.
fn room_at_each_step(name: &str, item: u64, residents: &[u64], goes: u64) {
    /// The reads of the two words by a refused insert: on the fast path, before the search, and at
    /// the refusal.
    const LOOKS: usize = 3 * 2;
    at_each_step(&format!("an insert into {name}"), LOOKS - 1, |step| {
        // No search: nothing can hop.
        let filter = table(2, 2, 2);
        fill(&filter, residents);
        let make_room = || assert!(filter.remove_hash(goes), "a stored item");
        let (inserted, reached) = overtaken(step, make_room, || filter.insert_hash(item));
        assert_eq!(inserted.is_ok(), step < LOOKS, "{inserted:?}");
        reached
    });
}

/// An insert is refused only if there was no room at its last look. An insert without a path checks
/// again for room before it is refused, and a ninth copy checks that there are eight.
#[test]
fn refused_after_a_last_look() {
    // Each is in its own first candidate, which is in turn the emptier one.
    let residents: Vec<u64> = (0..8).map(|n| hash(1, (n + 1) % 2, 100 + n)).collect();
    room_at_each_step("a full pair", hash(1, 0, 99), &residents, residents[0]);
    let [item, flipped] = [0, 1].map(|first| hash(1, first, 99));
    room_at_each_step("a pair full of copies", item, &[item; 8], flipped);
}

/// An insert ends though it is disturbed at each attempt. Before each access of the insert, a token
/// of its full pair is replaced by another, so each hop finds its bucket changed. The pair stays
/// full.
#[test]
fn disturbed_insert_ends() {
    const LOG: u32 = 2;
    let apart = |offset| (100..).filter(move |&f| alternate(LOG, 0, f) == offset);
    let exit = hash(LOG, 0, apart(3).next().expect("there are some"));
    // More than the accesses between the read of a word and its exchange, so that no earlier
    // content comes back meanwhile.
    const OTHERS: usize = 97;
    let near: Vec<u64> = apart(2).take(7 + OTHERS).map(|f| hash(LOG, 0, f)).collect();
    let filter = Arc::new(table(1 << LOG, FOR_ALL, 2));
    filter.insert_hash(exit).expect("room");
    fill(&filter, &near[..7]);
    let (disturbed, mut turn) = (Arc::clone(&filter), 6);
    let others = near.clone();
    let replace = move |step| {
        assert!(step < 1 << 16, "the insert has no end");
        let next = if turn + 1 == others.len() {
            6
        } else {
            turn + 1
        };
        assert!(disturbed.remove_hash(others[turn]), "a stored item");
        disturbed.insert_hash(others[next]).expect("the slot");
        turn = next;
        Fate::Goes
    };
    let item = hash(LOG, 0, apart(2).nth(200).expect("there are some"));
    let (inserted, steps) = stepping(replace, || filter.insert_hash(item));
    assert!(steps > 64, "it was not disturbed: {steps} accesses");
    let inserted = inserted.expect("no thread dies");
    assert_eq!(inserted, Err(InsertError::Disturbed { attempts: 64 }));
    assert_eq!(filter.len(), 8);
    tell("an insert that is disturbed at each attempt", 1, 0);
}

/// A frozen word with a vacant lane is no bucket with room. The number of a use is in the upper
/// lanes of a reference. If it is a multiple of 2^16 the last lane is vacant, as in a bucket with
/// room. Only then must an insert distinguish the two.
#[test]
fn frozen_word_has_no_room() {
    const LOG: u32 = 2;
    // Returns the next fingerprint whose two buckets are this far apart.
    let fingerprint = |offset, from: u64| {
        let apart = |&f: &u64| alternate(LOG, 0, f) == offset;
        (from..).find(apart).expect("there are some")
    };
    let hopping = fingerprint(2, 100);
    let added = hash(LOG, 3, fingerprint(3, 200));
    for uses in [0, 0xffff] {
        let name = format!("a hop after {uses} uses of its descriptor, and an insert");
        at_each_step(&name, 5, |step| {
            let filter = table(1 << LOG, FOR_ALL, 1);
            let at = |turn: u64| hash(LOG, 2 * (turn % 2), hopping);
            filter.insert_hash(at(0)).expect("room");
            for turn in 0..uses {
                assert!(filter.relocate_hash(at(turn)), "no thread is in the way");
            }
            // Fills buckets 3 and 1 in turns, so that the added tokens go to bucket 0.
            (0..8).fold(1_000, |from, _| {
                let resident = fingerprint(2, from);
                filter.insert_hash(hash(LOG, 3, resident)).expect("room");
                resident + 1
            });
            let before = filter.len();
            let insert = || {
                bounded(|| filter.insert_hash(added)).expect("room");
                assert!(
                    bounded(|| filter.contains_hash(added)),
                    "an inserted item was lost"
                );
            };
            let (_, reached) = overtaken(step, insert, || filter.relocate_hash(at(uses)));
            let counts = [at(0), added].map(|item| bounded(|| filter.count_hash(item)));
            assert_eq!(counts, [1, 1], "a token was lost or made");
            assert_eq!(filter.len(), before + 1);
            reached
        });
    }
}

/// One of two hops over the same words succeeds. Two tokens exchange their buckets, and both hops
/// have read the words before either freezes one. Both freeze the lower word first, so whatever
/// happens, one of them gets both words.
#[test]
fn two_hops_over_same_words() {
    /// A hop has claimed its thread's own descriptor and read both words, and has frozen none.
    const HAS_READ: usize = 4;
    let tokens = [hash(1, 0, 100), hash(1, 1, 200)];
    at_each_two_steps("two hops over the same words", 20, |steps| {
        let filter = table(2, FOR_ALL, FOR_ALL);
        fill(&filter, tokens);
        let (hops, reached) = thread::scope(|scope| {
            let mut hops = [0, 1].map(|number| {
                let (stop, filter) = (HAS_READ + 1 + steps[number], &filter);
                Led::begin(scope, [HAS_READ, stop], move || {
                    filter.relocate_hash(tokens[number])
                })
            });
            let reached = hops.each_mut().map(Led::go_on);
            (hops.map(Led::finish), reached)
        });
        assert!(hops.contains(&true), "both hops failed");
        assert_eq!(tokens.map(|token| filter.count_hash(token)), [1, 1]);
        reached.into()
    });
}

/// A hop within a hop has another descriptor. Two hops over different words do not disturb each
/// other, though one thread makes both.
#[test]
fn hop_within_a_hop() {
    let [around, within] = [hash(2, 0, 100), hash(2, 1, 100)];
    at_each_step("a hop within a hop", 12, |step| {
        let filter = Arc::new(table(4, FOR_ALL, FOR_ALL));
        fill(&*filter, [around, within]);
        let same = Arc::clone(&filter);
        let hop = move || assert!(same.relocate_hash(within), "within");
        let (hopped, reached) = interrupted(step, hop, || filter.relocate_hash(around));
        assert!(hopped, "a hop was disturbed from within");
        assert_eq!(
            [around, within].map(|token| filter.count_hash(token)),
            [1, 1]
        );
        reached
    });
}

/// The end of a scan hides no hop from a lookup. A version that a lookup has read must not return.
/// Between its two words the token hops from the second to the first, and a whole snapshot is
/// taken. The end of the scan must keep the version of the hop.
#[test]
fn end_of_scan_hides_no_hop() {
    let [item, flipped] = [0, 1].map(|first| hash(1, first, 0x1111));
    at_each_step("a lookup, a hop and a scan", 3, |step| {
        let filter = table(2, 256, 2);
        filter.insert_hash(flipped).expect("room");
        let hop_and_scan = || {
            assert!(filter.relocate_hash(flipped), "no thread is in the way");
            assert!(filter.snapshot().expect("alone").contains_hash(item));
        };
        let (seen, reached) = overtaken(step, hop_and_scan, || filter.contains_hash(item));
        assert!(seen, "a hopping token was missed");
        reached
    });
}
