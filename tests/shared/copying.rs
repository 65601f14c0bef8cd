//! Filters of one process that are copied into memory that processes share.

use lockfree_cuckoo::filter::{Dyn, Fixed, Kind, Rotating};
use lockfree_cuckoo::layout::Shape;
use lockfree_cuckoo::{
    CuckooFilter, Filter, GrowingCuckooFilter, ReadError, RotatingCuckooFilter, SharedError,
    SharedFilter,
};

/// Buckets: the fewest, and two that chunks do not divide.
const BUCKETS: [usize; 3] = [2, 544, 1_472];

/// Compares a filter with its copy, by what each stores and by what it says; then changes the copy.
fn check(filter: &mut Filter<Dyn>) {
    let bytes = filter.to_bytes();
    assert!(bytes.is_ok());
    let copy = filter.copy_to_shared().expect("memory");
    assert!(copy.to_bytes() == bytes && filter.to_bytes() == bytes);
    assert_eq!(
        (copy.len(), copy.capacity()),
        (filter.len(), filter.capacity())
    );
    assert_eq!(copy.shape(), filter.shape());
    // Another process finds the same, and both go on.
    let other = SharedFilter::<Dyn>::attach(&copy).expect("the same memory");
    assert!(other.to_bytes() == bytes);
    let before = other.len();
    other.insert("new").expect("room");
    assert!(copy.remove("new") && copy.len() == before);
    assert!(other.snapshot().expect("alone").to_bytes() == bytes);
}

#[test]
fn copies_are_equal() {
    for &shape in Shape::ALL {
        for buckets in BUCKETS {
            let builder = CuckooFilter::builder().buckets(buckets).seed(7);
            let mut filter = builder.build_shape(shape).expect("memory");
            check(&mut filter);
            for item in 0..filter.capacity() as u64 / 2 {
                filter.insert(&item).expect("room");
            }
            filter.insert(&0).expect("room");
            check(&mut filter);
        }
    }
}

/// After each rotation of two rounds, with items in all generations.
#[test]
fn copies_have_the_same_generations() {
    for generations in [2, 3, 15] {
        let builder = RotatingCuckooFilter::builder().buckets(136).seed(7);
        let mut filter = builder
            .generations(generations)
            .build_shape(Shape::ALL[0])
            .expect("memory");
        for turn in 0..2 * generations as u64 + 3 {
            for item in 0..40 {
                filter.insert(&(turn << 8 | item)).expect("room");
            }
            check(&mut filter);
            let rotates = filter.rotating().expect("it rotates");
            rotates.rotate().expect("alone");
            let copy = filter.copy_to_shared().expect("memory");
            let copy = copy.rotating().expect("it rotates");
            assert_eq!(copy.rotations(), turn + 1);
            assert_eq!(copy.rotate_if(turn + 1), Ok(true));
            filter
                .rotating()
                .expect("it rotates")
                .rotate_if(0)
                .expect("alone");
        }
    }
}

/// By type: with a hasher of the user's, at a path, and what is refused.
#[test]
fn a_copy_has_a_name_or_none() {
    let path = format!("/dev/shm/lockfree-cuckoo-copy-{}", std::process::id());
    let mut filter = RotatingCuckooFilter::with_capacity(100);
    filter.insert("a").expect("room");
    let copy: SharedFilter<Rotating> = filter.copy_to_shared_at(&path).expect("memory");
    let other = SharedFilter::<Rotating>::open(&path).expect("the same");
    assert!(copy.contains("a") && other.remove("a") && !copy.contains("a"));
    // A name that is taken stays what it is.
    let mut fixed = CuckooFilter::with_capacity(100);
    let refused = fixed.copy_to_shared_at(&path).map(drop);
    assert!(matches!(refused, Err(SharedError::Io(_))));
    assert!(SharedFilter::<Rotating>::open(&path).is_ok());
    assert!(SharedFilter::<Fixed>::open(&path).is_err());
    std::fs::remove_file(path).expect("its own");
    // A filter that grows.
    let growing = GrowingCuckooFilter::with_capacity(100)
        .to_bytes()
        .expect("alone");
    let mut growing = Filter::<Dyn>::from_bytes(&growing).expect("its own");
    assert!(matches!(
        growing.copy_to_shared().map(drop),
        Err(SharedError::Read(ReadError::OtherKind {
            kind: Kind::Growing
        }))
    ));
}
