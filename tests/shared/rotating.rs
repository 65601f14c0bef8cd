//! Filters of several generations, which any process rotates.

use std::os::fd::AsFd;

use lockfree_cuckoo::filter::{Dyn, Fixed, Kind, Rotates, Rotating};
use lockfree_cuckoo::layout::{Lanes, Shape};
use lockfree_cuckoo::{
    BuildError, CuckooFilter, ReadError, RotatingCuckooFilter, SharedError, SharedFilter,
    SharedReader,
};

use crate::{memory, spawn};

type Shared = SharedFilter<Rotating>;

fn filter(generations: usize) -> Shared {
    let builder = RotatingCuckooFilter::builder().capacity(1_000).seed(7);
    let built = builder.generations(generations).build_shared();
    built.expect("memory")
}

/// What one attachment rotates, the others find rotated; each rotation is made once.
#[test]
fn all_are_in_one_generation() {
    for generations in [2, 3, 15] {
        let one = filter(generations);
        let other = Shared::attach(&one).expect("the same memory");
        let reader = SharedReader::<Rotating>::attach(&one).expect("the same memory");
        assert_eq!(other.generations(), generations);
        for turn in 0..40u64 {
            one.insert(&turn).expect("room");
            assert_eq!(other.age(&turn), Some(0));
            assert_eq!(other.rotate_if(turn), Ok(true));
            assert_eq!(one.rotate_if(turn), Ok(false), "it was made");
            assert_eq!((one.rotations(), other.rotations()), (turn + 1, turn + 1));
            for item in 0..=turn {
                let stays = turn - item + 1 < generations as u64;
                assert_eq!(one.contains(&item), stays, "item {item} after {turn}");
                assert_eq!(reader.contains(&item), stays);
            }
        }
        assert_eq!(one.len(), generations - 1);
    }
}

/// A filter on the heap with the same calls has the same bytes.
#[test]
fn it_is_the_filter_of_the_heap() {
    let heap = RotatingCuckooFilter::builder().capacity(1_000).seed(7);
    let (heap, shared) = (heap.generations(3).build().expect("memory"), filter(3));
    for item in 0..5_000u64 {
        if item % 700 == 0 {
            assert_eq!((heap.rotate(), shared.rotate()), (Ok(()), Ok(())));
        }
        assert_eq!(heap.insert_unique(&item), shared.insert_unique(&item));
        assert_eq!(heap.refresh(&(item / 2)), shared.refresh(&(item / 2)));
        assert_eq!(heap.remove(&(item / 3)), shared.remove(&(item / 3)));
    }
    assert_eq!(heap.to_bytes(), shared.to_bytes());
    let copy: RotatingCuckooFilter = shared.snapshot().expect("alone");
    assert_eq!(copy.to_bytes(), heap.to_bytes());
}

/// The kind and the layout may be chosen at run time.
#[test]
fn any_kind_and_layout() {
    for &shape in Shape::ALL {
        let fixed = CuckooFilter::builder().build_shared_shape(shape);
        let rotating = RotatingCuckooFilter::builder().build_shared_shape(shape);
        for (made, kind) in [(fixed, Kind::Fixed), (rotating, Kind::Rotating)] {
            let made = made.expect("memory");
            let found = SharedFilter::<Dyn>::attach(&made).expect("the same memory");
            assert_eq!((found.kind(), found.shape()), (kind, shape));
            assert_eq!(made.insert("a"), Ok(()));
            assert!(found.contains("a"));
            let rotations = found.rotating().map(Rotates::rotations);
            assert_eq!(rotations, (kind == Kind::Rotating).then_some(0));
            assert_eq!(found.recover(), 0);
        }
    }
}

#[test]
fn other_kinds_and_layouts_are_refused() {
    type Wide = SharedFilter<Rotating<Lanes<2, 31>>>;
    let rotating = filter(2);
    let kind = SharedFilter::<Fixed>::attach(&rotating).map(drop);
    assert!(matches!(
        kind,
        Err(SharedError::Read(ReadError::OtherKind {
            kind: Kind::Rotating
        }))
    ));
    let layout = Wide::attach(&rotating).map(drop);
    assert!(matches!(
        layout,
        Err(SharedError::Read(ReadError::OtherLayout { .. }))
    ));
    let generations = RotatingCuckooFilter::builder().generations(16);
    assert!(matches!(
        generations.build_shared(),
        Err(SharedError::Build(BuildError::Generations { .. }))
    ));
}

const ITEMS: u64 = 20_000;

/// In another process: inserts each item, and counts those that were new.
pub(crate) fn insert() {
    let filter = Shared::attach(memory()).expect("a filter");
    let new = (0..ITEMS).filter(|item| filter.insert_unique(item).expect("room"));
    println!("new: {}", new.count());
}

/// Several processes insert the same items, and this one rotates: each item is new once.
#[test]
fn an_item_is_new_once() {
    let builder = RotatingCuckooFilter::builder().capacity(2 * ITEMS as usize);
    let filter = builder.generations(3).build_shared().expect("memory");
    let workers: Vec<_> = (0..3).map(|_| spawn("rotating", &filter.as_fd())).collect();
    // Not so often that an item is forgotten.
    filter.rotate().expect("no one is in the way");
    let outputs = workers.into_iter().map(|worker| {
        let output = worker.wait_with_output().expect("it ends");
        String::from_utf8(output.stdout).expect("text")
    });
    let new = outputs.map(|text| {
        let line = text.lines().find_map(|line| line.split_once("new: "));
        let (_, number) = line.expect("a count");
        number.parse::<usize>().expect("a number")
    });
    assert_eq!(new.sum::<usize>(), filter.len());
    assert!((0..ITEMS).all(|item| filter.contains(&item)));
}
