//! The filter for items of one type.
//!
//! 1. It is `Send`, `Sync` and safe across panics whatever the type of its items, and can be used so.
//! 2. A bare number is of the type of the items; what an item is borrowed as, and what is borrowed as an item,
//!    is that item.
//! 3. Every call answers as that of the untyped filter does, refusals included.
//! 4. It can be made of an untyped filter, looked at as one, and made into one, with what is in.
//!
//! That items of other types are refused is checked by an example in the documentation.

use std::cell::Cell;
use std::collections::hash_map;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::rc::Rc;
use std::sync::Arc;
use std::thread;

use lockfree_cuckoo::{CuckooFilter, InsertError, RandomState, TypedCuckooFilter};
use model::mix;

fn assert_shareable<T: Send + Sync + Unpin + UnwindSafe + RefUnwindSafe>() {}

#[test]
fn can_be_shared_whatever_the_items_are() {
    assert_shareable::<TypedCuckooFilter<u64>>();
    assert_shareable::<TypedCuckooFilter<str>>();
    assert_shareable::<TypedCuckooFilter<[u8]>>();
    assert_shareable::<TypedCuckooFilter<Rc<str>>>();
    assert_shareable::<TypedCuckooFilter<Cell<u64>>>();
    assert_shareable::<TypedCuckooFilter<*const u8>>();
    assert_shareable::<TypedCuckooFilter<&mut u8>>();
    assert_shareable::<TypedCuckooFilter<dyn FnMut()>>();
    assert_shareable::<TypedCuckooFilter<Rc<str>, hash_map::RandomState>>();
}

#[test]
fn threads_share_a_filter_of_items_that_they_cannot_share() {
    let filter = TypedCuckooFilter::<Rc<str>>::with_capacity(1_000);
    thread::scope(|scope| {
        for worker in 0..4 {
            let filter = &filter;
            scope.spawn(move || {
                let item: Rc<str> = format!("item {worker}").into();
                filter.insert(&item).expect("room");
            });
        }
    });
    assert_eq!(filter.len(), 4);
    assert!(filter.contains("item 0") && filter.remove(&Rc::<str>::from("item 3")));
}

#[test]
fn a_bare_number_is_of_the_type_of_the_items() {
    let filter = TypedCuckooFilter::<i64>::with_capacity(100);
    filter.insert(&4711).expect("room");
    assert_eq!(filter.insert_unique(&4711), Ok(false));
    assert!(filter.contains(&4711));
    assert_eq!(filter.count(&4711), 1);
    filter.insert_many(&[4712, 4713]).expect("room");
    let mut found = [false; 2];
    filter.contains_many(&[4712, 4713], &mut found);
    assert_eq!(found, [true; 2]);
    assert_eq!(filter.remove_many(&[4712]), 1);
    assert_eq!(filter.as_untyped().count(&4711i64), 1);
    assert_eq!(filter.as_untyped().count(&4713i64), 1);
    assert!(filter.remove(&4711) && filter.remove(&4713));
    let (mut filter, numbers) = (filter, vec![1, 2]);
    filter.extend(numbers.iter());
    filter.extend(&numbers);
    filter.extend(numbers);
    assert_eq!(filter.as_untyped().count(&2i64), 3);
    let filter: TypedCuckooFilter<i64> = (0..10).collect();
    assert!(filter.as_untyped().contains(&9i64));
}

#[test]
fn borrowed_and_owned_forms_are_one_item() {
    let text = String::from("a");
    let strings = TypedCuckooFilter::<String>::with_capacity(100);
    strings.insert("a").expect("room");
    strings.insert(&text).expect("room");
    assert_eq!(strings.count("a"), 2);
    assert!(strings.remove(&text) && strings.remove("a") && !strings.contains(&text));

    // The lifetime of a reference type is no obstacle.
    let references = TypedCuckooFilter::<&'static str>::with_capacity(100);
    references.insert("a").expect("room");
    assert!(references.contains(text.as_str()));

    let strs = TypedCuckooFilter::<str>::with_capacity(100);
    strs.insert_many(&["a", "b"]).expect("room");
    strs.insert_many(&[String::from("c")]).expect("room");
    strs.insert_many(&[Box::<str>::from("d")]).expect("room");
    strs.insert_many(&[Arc::<str>::from("e")]).expect("room");
    assert!(
        ["a", "b", "c", "d", "e"]
            .iter()
            .all(|item| strs.contains(*item))
    );
    assert_eq!(strs.remove_many(&[text]), 1);

    let bytes = TypedCuckooFilter::<Vec<u8>>::with_capacity(100);
    bytes.insert(&[1u8, 2, 3][..]).expect("room");
    assert!(bytes.contains(&vec![1u8, 2, 3]) && !bytes.contains(&[1u8, 2][..]));
}

#[test]
fn answers_as_the_untyped_filter() {
    let hasher = RandomState::with_seed(7);
    let mut typed = TypedCuckooFilter::<u64>::with_capacity_and_hasher(2_000, hasher.clone());
    let mut plain = CuckooFilter::with_capacity_and_hasher(2_000, hasher);
    for number in 0..20_000u64 {
        let item = mix(number) % 500;
        match mix(number) >> 60 {
            0..6 => assert_eq!(typed.insert(&item), plain.insert(&item)),
            6..9 => assert_eq!(typed.insert_unique(&item), plain.insert_unique(&item)),
            9..14 => assert_eq!(typed.remove(&item), plain.remove(&item)),
            _ => assert_eq!(typed.count(&item), plain.count(&item)),
        }
        assert_eq!(typed.contains(&item), plain.contains(&item));
    }
    let items: Vec<u64> = (250..750).collect();
    let mut found = [vec![false; items.len()], vec![true; items.len()]];
    typed.contains_many(&items, &mut found[0]);
    plain.contains_many(&items, &mut found[1]);
    assert_eq!(found[0], found[1]);
    assert!(found[0].contains(&true) && found[0].contains(&false));
    assert_eq!(typed.remove_many(&items), plain.remove_many(&items));
    assert_eq!(typed.insert_many(&items), plain.insert_many(&items));

    assert!(!typed.is_empty());
    assert_eq!(typed.len(), plain.len());
    assert_eq!(typed.capacity(), plain.capacity());
    assert_eq!(typed.slots(), plain.slots());
    assert_eq!(typed.memory_usage(), plain.memory_usage());
    assert_eq!(typed.load_factor(), plain.load_factor());
    assert_eq!(typed.false_positive_rate(), plain.false_positive_rate());
    assert_eq!(typed.hasher().seed(), 7);

    let copy = typed.try_clone().expect("memory");
    typed.clear();
    plain.clear();
    assert!(typed.is_empty() && (0..750).all(|item| !typed.contains(&item)));
    assert!(copy.contains(&300) && copy.capacity() == plain.capacity());
}

#[test]
fn refusals_are_handed_on() {
    let filter = TypedCuckooFilter::<str>::with_capacity(100);
    let stopped = filter.insert_many(&["a"; 10]).expect_err("a ninth copy");
    assert_eq!(stopped.inserted(), 8);
    assert_eq!(filter.insert("a").as_ref(), Err(stopped.error()));
    assert!(matches!(
        stopped.error(),
        InsertError::TooManyCopies { copies: 8, .. }
    ));
    assert!(TypedCuckooFilter::<str>::try_with_capacity(usize::MAX).is_err());
    let filter = TypedCuckooFilter::<str>::try_with_capacity(100).expect("memory");
    assert_eq!(filter.capacity(), 100);
}

#[test]
fn goes_to_and_from_the_untyped_filter_with_what_is_in() {
    let untyped = CuckooFilter::builder()
        .buckets(64)
        .build()
        .expect("a possible geometry");
    untyped.insert(&1i64).expect("room");
    let mut typed = TypedCuckooFilter::<i64>::from_untyped(untyped);
    assert_eq!(typed.slots(), 256);
    assert!(typed.contains(&1));
    typed.as_untyped().insert(&2i64).expect("room");
    typed.as_untyped_mut().extend([3i64]);
    assert!(typed.contains(&2) && typed.contains(&3));
    assert_eq!(typed.into_untyped().len(), 3);
}

#[test]
fn debug_output_tells_the_measures_whatever_the_items_are() {
    struct Mute;
    let filter = TypedCuckooFilter::<Mute>::with_capacity(8);
    let text = format!("{filter:?}");
    for part in ["TypedCuckooFilter", "len: 0", "capacity: 8", "slots: 8"] {
        assert!(text.contains(part), "{part:?} in {text}");
    }
}
