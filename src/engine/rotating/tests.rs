//! Copies, with rotations and writes in the midst of them, and what a rotation leaves behind.

use core::cell::Cell;

use super::*;

const HASH: u64 = 0x1234_5678_9abc_def1;

fn engine() -> Rotating {
    Rotating::build(&Plan::default()).expect("memory")
}

fn rotate(engine: &Rotating) {
    assert_eq!(engine.rotate(None), Ok(true));
}

/// Refreshes the item in the next generation, in the midst of the first copy.
#[test]
fn a_snapshot_is_void_if_there_was_a_rotation() {
    let engine = engine();
    engine.insert(HASH).expect("room");
    let copies = Cell::new(0);
    let copy = engine.copied_between_rotations(|table| {
        copies.set(copies.get() + 1);
        if copies.get() == 1 {
            rotate(&engine);
            engine.insert(HASH).expect("room");
            assert!(engine.remove(HASH), "it was in");
        }
        table.snapshot()
    });
    let copy = copy.expect("one rotation is not too much");
    assert!(copy.contains(HASH), "a refreshed item was not copied");
    assert_eq!((copies.get(), copy.rotations(), copy.len()), (4, 1, 1));
}

#[test]
fn a_snapshot_ends_however_often_there_are_rotations() {
    let engine = engine();
    let copy = engine.copied_between_rotations(|table| {
        rotate(&engine);
        table.snapshot()
    });
    assert_eq!(copy.map(|_| ()), Err(SnapshotError::Disturbed));
    assert_eq!(engine.rotations(), 2 * WALKS as u64);
}

/// Refreshes the item in the midst of the copy: the new one goes to the young generation.
#[test]
fn a_snapshot_copies_the_young_generation_last() {
    let engine = engine();
    engine.insert(HASH).expect("room");
    rotate(&engine);
    let copies = Cell::new(0);
    let copy = engine.copied_between_rotations(|table| {
        copies.set(copies.get() + 1);
        if copies.get() == 2 {
            engine.insert(HASH).expect("room");
            assert!(engine.remove(HASH), "it was in");
        }
        table.snapshot()
    });
    let copy = copy.expect("there was no rotation");
    assert!(copy.contains(HASH), "a refreshed item was not copied");
}

/// So the next one takes no longer than an exchange.
#[test]
fn a_rotation_leaves_a_clean_spare() {
    let engine = engine();
    for _ in 0..4 {
        engine.insert(HASH).expect("room");
        rotate(&engine);
        let state = engine.state.load();
        assert!(state.is_clean(), "the next rotation has to empty it");
        let spare = &engine.tables[state.spare(engine.tables.len())];
        assert_eq!(spare.tokens().taken(), 0, "it is not empty");
    }
}
