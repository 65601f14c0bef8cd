//! Rotating filters: no item is missed before it expires, found afterwards, or admitted twice,
//! however late a thread is.
#![cfg(all(loom, feature = "loom"))]

use lockfree_cuckoo::{RandomState, RotatingCuckooFilter};
use loom_tests::race::{Act, Race, Told, act, admit, count, insert, race, remove, see, try_hop};
use loom_tests::tiny::{F, G, Item, at};

type Filter = RotatingCuckooFilter<RandomState>;

/// Returns a race on two generations and a spare, of two buckets each.
fn rotating() -> Race<Filter> {
    let filter = || {
        let filter = RotatingCuckooFilter::builder().capacity(8).seed(0).build();
        filter.expect("a valid size")
    };
    race(10, filter).generations(2)
}

/// Returns a race on a filter that holds the item, and has rotated this often since.
fn with_item(rotations: usize) -> Race<Filter> {
    let race = rotating().holding([x()]);
    race.before((0..rotations).map(|_| rotate()))
}

fn x() -> Item {
    at(0, F)
}

/// Returns the same item with its other bucket first.
fn flipped() -> Item {
    at(1, F)
}

fn rotate() -> Act<Filter> {
    act(Told::Rotated, |filter: &Filter| {
        filter.rotate().expect("no thread is in the way for long");
        Told::Rotated
    })
}

fn rotate_if(rotations: u64) -> Act<Filter> {
    act(Told::RotatedIf(rotations, true), move |filter: &Filter| {
        let rotated = filter.rotate_if(rotations);
        Told::RotatedIf(
            rotations,
            rotated.expect("no thread is in the way for long"),
        )
    })
}

fn rotations() -> Act<Filter> {
    act(Told::Nothing, |filter: &Filter| {
        Told::Rotations(filter.rotations())
    })
}

fn refresh(item: Item) -> Act<Filter> {
    let new = move |new| Told::Refreshed(item.class, new);
    act(new(true), move |filter: &Filter| {
        new(filter.refresh_hash(item.hash).expect("room"))
    })
}

/// Rotates through all tables: then nothing is left, and nothing comes back.
fn to_the_end() -> [Act<Filter>; 5] {
    [rotate(), rotate(), see(x()), rotate(), see(x())]
}

/// An item is found in its time and not after it.
#[test]
fn item_lives_its_time() {
    with_item(0)
        .thread([rotate()])
        .thread([see(x())])
        .after([see(x())])
        .after(to_the_end())
        .check();
}

#[test]
fn an_insert_is_not_lost_at_a_rotation() {
    rotating()
        .thread([rotate()])
        .thread([insert(x()), see(x())])
        .after([see(x())])
        .check();
    rotating()
        .thread([rotate()])
        .thread([insert(x())])
        .after(to_the_end())
        .check();
}

#[test]
fn a_rotation_that_two_ask_for_is_made_once() {
    with_item(1)
        .thread([rotate_if(1)])
        .thread([rotate_if(1)])
        .after([rotations(), see(x())])
        .check();
}

#[test]
fn two_rotators_rotate_twice() {
    with_item(0)
        .holding([at(1, G)])
        .thread([rotate()])
        .thread([rotate()])
        .after([rotations(), see(x()), insert(x()), rotate(), see(x())])
        .check();
}

/// The other thread may be about to empty the word when the table is in use again with the same
/// content.
#[test]
fn a_late_emptying_does_no_harm() {
    with_item(1)
        .thread([rotate_if(1)])
        // The table that held the item, empty, and the same item.
        .thread([rotate_if(1), rotate_if(2), insert(x()), see(x())])
        .after([see(x())])
        .check();
}

/// The token of a late insert does not come back. A rotating thread reads the words that it empties
/// after the state. A late insert reads the state after its write.
#[test]
fn late_insert() {
    rotating()
        .in_one_order()
        .thread([rotate(), rotate()])
        .thread([insert(x())])
        .after([see(x()), rotate(), see(x())])
        .after(to_the_end())
        .check();
}

/// The token of a late relocation does not come back. A late relocation moves a token to a word
/// that has been emptied.
#[test]
fn late_relocation() {
    for item in [x(), flipped()] {
        rotating()
            .holding([item])
            .before([rotate()])
            .thread([rotate(), rotate(), see(x())])
            .thread([try_hop(item)])
            .after(to_the_end())
            .check();
    }
}

#[test]
fn an_item_that_is_refreshed_is_not_missed() {
    with_item(1)
        .thread([insert(x()), remove(x())])
        .thread([see(x())])
        // The younger copy is left.
        .after([rotate(), see(x())])
        .check();
    with_item(1)
        .thread([insert(x()), remove(x())])
        .thread([admit(flipped())])
        .check();
}

fn refreshed_behind_a_rotation(call: Act<Filter>) {
    with_item(0)
        .thread([rotate(), insert(x()), remove(x())])
        .thread([call])
        .check();
}

/// An item that is refreshed behind a rotation is not missed.
#[test]
fn refreshed_item_is_found() {
    refreshed_behind_a_rotation(see(x()));
}

/// An item that is refreshed behind a rotation is removed.
#[test]
fn refreshed_item_is_removed() {
    refreshed_behind_a_rotation(remove(x()));
}

/// An item that is refreshed behind a rotation is counted.
#[test]
fn refreshed_item_is_counted() {
    refreshed_behind_a_rotation(count(x()));
}

#[test]
fn one_of_two_admissions_wins_at_a_rotation() {
    for theirs in [x(), flipped()] {
        rotating()
            .large()
            .thread([rotate(), admit(theirs)])
            .thread([admit(x())])
            .check();
    }
}

/// An item is new to one of two that refresh it at a rotation. An insert can succeed in any of the
/// generations, and that generation expires in its turn. An admission freezes a word and then reads
/// the state. A thread that empties its table reads the state and then the words.
#[test]
fn refreshed_item_is_new_once() {
    rotating()
        .large()
        .uncounted()
        .thread([rotate(), refresh(flipped())])
        .thread([refresh(x())])
        .after([rotate(), see(x())])
        .check();
}

#[test]
fn a_late_admission_is_forgotten() {
    rotating()
        .large()
        .in_one_order()
        .thread([rotate(), rotate(), rotate()])
        .thread([admit(x())])
        .after(to_the_end())
        .check();
}

#[test]
fn a_table_that_is_used_again_is_seen_empty() {
    with_item(1)
        .thread([rotate(), rotate()])
        .thread([rotations(), see(x())])
        .check();
}

/// A thread that dies at any access of a rotation does not stop others from rotating.
#[test]
fn a_dead_rotator_is_overtaken() {
    with_item(1)
        .thread([rotate_if(1)])
        .thread([])
        .after([
            rotate_if(1),
            see(x()),
            insert(x()),
            rotate(),
            see(x()),
            count_one(),
            rotate(),
            rotate(),
            see(x()),
        ])
        .check_deaths(20);
}

/// Counts one copy, without other threads.
fn count_one() -> Act<Filter> {
    act(Told::Nothing, |filter: &Filter| {
        Told::Counted(x().class, filter.count_hash(x().hash))
    })
}
