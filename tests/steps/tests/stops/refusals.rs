//! Refusals: an insert that found no path looks once more whether there is room.

use std::sync::Arc;

use lockfree_cuckoo::CuckooFilter;
use step_tests::{at_each_step, overtaken};

use crate::{hash, table};

/// Accesses of a refused insert to its two words: by the fast path, ahead of the search, by the search, and by the
/// refusal.
const LOOKS: usize = 4 * 2;

/// Fills a table of two buckets, takes a token out of the second candidate of an item before each access of its
/// insert, and demands that it is refused only if that came after the last look.
fn room_at_each_step(name: &str, item: u64, residents: &[u64], goes: u64) {
    let steps = at_each_step(|step| {
        // No search: nothing can hop.
        let filter: Arc<CuckooFilter> = Arc::new(table(2, 2));
        for &resident in residents {
            filter.insert_hash(resident).expect("room");
        }
        let others = Arc::clone(&filter);
        let make_room = move || assert!(others.remove_hash(goes), "a stored item");
        let (inserted, reached) = overtaken(step, make_room, || filter.insert_hash(item));
        assert_eq!(
            inserted.is_ok(),
            step < LOOKS,
            "{name}, access {step}: {inserted:?}"
        );
        reached
    });
    println!("{steps} scenes: an insert into {name}");
    assert!(steps >= LOOKS, "{steps} accesses");
}

#[test]
fn an_insert_is_refused_only_if_there_was_no_room_at_its_last_look() {
    // Each lies in its own first candidate, which is the emptier one by turns.
    let residents: Vec<u64> = (0..8).map(|n| hash(1, (n + 1) % 2, 100 + n)).collect();
    room_at_each_step("a full pair", hash(1, 0, 99), &residents, residents[0]);
}

#[test]
fn a_ninth_copy_is_refused_only_if_eight_were_in_at_its_last_look() {
    let [item, flipped] = [0, 1].map(|first| hash(1, first, 99));
    room_at_each_step("a pair full of copies", item, &[item; 8], flipped);
}
