//! Saving: changes neither the saved filter nor the later behaviour of the restored one. So a
//! primary that saves and its replicas stay byte for byte equal, also during a doubling.

use lockfree_cuckoo::testing::Internals;
use lockfree_cuckoo::{CuckooFilter, GrowingCuckooFilter, RotatingCuckooFilter, SnapshotError};
use model::hashers::AsGiven;
use model::mix;
use model::stored::tables;

use super::{Growing, assert_all_in, filter, insert_all, remove_all};
use crate::chunks::stored;
use crate::door::{self, Subject, random};

fn read(bytes: &[u8]) -> Growing {
    GrowingCuckooFilter::from_bytes_with_hasher(bytes, AsGiven).expect("sound")
}

/// Returns three copies of a filter: one that is read, a snapshot, and one that is read from
/// chunks.
fn others(filter: &Growing) -> [Growing; 3] {
    let bytes = filter.to_bytes().expect("quiet");
    assert!(
        filter.to_bytes().expect("quiet") == bytes,
        "to store it changes it"
    );
    let others = [
        read(&bytes),
        filter.snapshot().expect("no thread disturbs it"),
        read(&stored(filter, 100).expect("no thread writes")),
    ];
    assert!(
        filter.to_bytes().expect("quiet") == bytes,
        "to copy it changes it"
    );
    others.map(|other| {
        assert!(
            other.to_bytes().expect("quiet") == bytes,
            "it is not the same"
        );
        assert_eq!(other.doubled(), filter.doubled());
        assert_eq!((other.len(), other.slots()), (filter.len(), filter.slots()));
        other
    })
}

/// The next table has been added, and is doubling.
#[test]
fn the_finer_of_two_tables_may_be_growing() {
    let filter = filter(8);
    let mut items = random(3);
    while filter.tables() == 1 {
        insert_all(&filter, items.next());
    }
    assert!(filter.begin_to_double());
    // Just begun, and when some buckets are split.
    for _ in 0..3 {
        for other in others(&filter) {
            let same = filter.snapshot().expect("no thread disturbs it");
            let mut both = [same, other];
            for filter in &both {
                insert_all(filter, random(4).take(3_000));
            }
            let [same, other] = &mut both;
            assert!(same.to_bytes().expect("quiet") == other.to_bytes().expect("quiet"));
        }
        insert_all(&filter, items.next());
        assert!(filter.doubled() > Some(0.0));
    }
    let bytes = filter.to_bytes().expect("quiet");
    assert_eq!(model::stored::TABLES.get(&bytes), 2);
    assert_eq!(
        [0, 1].map(|table| tables::growing(table).get(&bytes)),
        [1, 0]
    );
    for table in [0, 1] {
        // The coarser table cannot.
        let level = tables::level(table).get(&bytes);
        let mut impossible = bytes.clone();
        tables::growing(1).set(&mut impossible, 1);
        tables::level(table).set(&mut impossible, level - u64::from(table == 1));
        model::stored::repair(&mut impossible);
        assert!(GrowingCuckooFilter::from_bytes_with_hasher(&impossible, AsGiven).is_err());
    }
}

/// A doubling goes on, and ends, between two chunks, which may cut the words of a bucket in two. A
/// further doubling is an error.
#[test]
fn splits_between_chunks_do_no_harm() {
    for (size, is_doubled_again) in [(8, false), (24, false), (56, false), (64, true)] {
        let filter = filter(1_000);
        let hashes: Vec<u64> = random(1).take(1_500).collect();
        insert_all(&filter, &hashes);
        assert!(filter.begin_to_double());
        filter.insert_hash(hashes[0]).expect("room");
        let mut chunks = filter.chunks();
        let (mut bytes, mut chunk) = (Vec::new(), vec![0; size]);
        let (mut doubled, mut turn) = (Vec::new(), 0);
        let whole = loop {
            match chunks.next_chunk(&mut chunk) {
                Ok(0) => break true,
                Ok(count) => bytes.extend_from_slice(&chunk[..count]),
                Err(error) => {
                    assert_eq!(error, SnapshotError::Changed);
                    break false;
                }
            }
            doubled.push(filter.doubled());
            turn += 1;
            // Now and then, so that much is read during the doubling. The item is inserted and
            // removed in the same bucket.
            if bytes.len() > 1_000 && turn % (200 / size) == 0 && doubled.last() != Some(&None) {
                filter.insert_hash(7 << 10).expect("room");
                assert!(filter.remove_hash(7 << 10), "it is in");
            }
            if is_doubled_again && doubled.last() == Some(&None) {
                filter.begin_to_double();
            }
        };
        doubled.dedup();
        assert!(doubled.len() > 10, "{doubled:?}");
        assert_eq!(whole, !is_doubled_again, "{size} bytes");
        if whole {
            assert_eq!(filter.doubled(), None, "it is over");
            let read = read(&bytes);
            assert!(
                read.doubled().is_some(),
                "it was not when the first was read"
            );
            assert_eq!(read.len(), filter.len());
            assert_all_in(&read, &hashes);
            remove_all(&read, &hashes);
        }
    }
}

/// The number of calls of each filter.
const CALLS: u64 = 200_000;

/// Returns the filter that replaces another one, a different kind of copy each turn.
fn saved(filter: &Subject, turn: u64) -> Subject {
    match turn % 3 {
        0 => door::read(&filter.to_bytes().expect("quiet")),
        1 => door::read(&stored(filter, 4_096).expect("no thread writes")),
        _ => filter.snapshot().expect("no thread writes"),
    }
}

/// Makes one call on each filter. All must answer the same. The filters fill up, are nearly
/// emptied, and fill up again.
fn make(call: u64, items: &mut Vec<u64>, filters: [&Subject; 3]) {
    let number = mix(call ^ 0x5eed << 32);
    let share = [80, 80, 20, 25, 80][(call * 5 / CALLS) as usize];
    let [first, second, third] = if number % 100 < share || items.is_empty() {
        let hash = mix(call);
        let is_unique = (number / 100).is_multiple_of(4);
        let answers = filters.map(|filter| match is_unique {
            true => filter.insert_unique_hash(hash),
            false => filter.insert_hash(hash).map(|()| true),
        });
        items.extend((answers[0] == Ok(true)).then_some(hash));
        answers
    } else {
        let hash = items.swap_remove((number / 100) as usize % items.len());
        filters.map(|filter| Ok(filter.remove_hash(hash)))
    };
    assert!(first == second && first == third, "call {call}");
    if let Some(rotating) = filters[0].rotating().filter(|_| first.is_err()) {
        let rotations = rotating.rotations();
        for filter in filters {
            let rotated = filter.rotating().map(|filter| filter.rotate_if(rotations));
            assert_eq!(rotated, Some(Ok(true)));
        }
    }
}

/// Saved and restored filters of every engine behave as the original.
#[test]
fn restored_behave_as_original() {
    let fixed = || CuckooFilter::with_capacity_and_hasher(8_000, AsGiven);
    let rotating = || RotatingCuckooFilter::with_capacity_and_hasher(8_000, AsGiven);
    let filters: [[Subject; 3]; 4] = [
        // One filter doubles in its first table all the time, and one adds tables.
        [(); 3].map(|()| filter(1_000).into()),
        [(); 3].map(|()| filter(8).into()),
        [(); 3].map(|()| fixed().into()),
        [(); 3].map(|()| rotating().into()),
    ];
    for (number, [plain, saving, mut restored]) in filters.into_iter().enumerate() {
        let (mut items, mut turn, mut in_the_midst, mut tables) = (Vec::new(), 0, 0, 1);
        for call in 0..CALLS {
            make(call, &mut items, [&plain, &saving, &restored]);
            // More often during a doubling.
            let is_growing = plain.doubled().is_some();
            tables = tables.max(plain.tables());
            if (call + 1) % 1_000 == 0 || is_growing && call % 17 == 0 {
                in_the_midst += usize::from(is_growing);
                turn += 1;
                drop(saved(&saving, turn));
                restored = saved(&restored, turn);
                assert_eq!(restored.doubled(), plain.doubled(), "call {call}");
                assert_eq!(saving.doubled(), plain.doubled(), "call {call}");
            }
        }
        let grows = number < 2;
        assert!(in_the_midst > 50 || !grows, "{in_the_midst} times");
        assert!(tables > 1 || number != 1, "no table was added");
        let bytes = plain.to_bytes().expect("quiet");
        assert!(
            saving.to_bytes().expect("quiet") == bytes,
            "saving changed it"
        );
        assert!(
            restored.to_bytes().expect("quiet") == bytes,
            "restored as another one"
        );
        if plain.rotating().is_none() {
            assert_eq!(plain.remove_many_hash(&items), items.len());
            assert_eq!(restored.remove_many_hash(&items), items.len());
            assert!(plain.is_empty() && restored.is_empty());
        }
    }
}
