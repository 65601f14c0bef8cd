//! What begins alike and has the same done to it is the same.

use cf::{Entry, Filter, Settings};

fn stored(filter: &Filter) -> Vec<u8> {
    let mut bytes = Entry::of(filter).to_bytes().to_vec();
    filter.write(&mut bytes).expect("memory");
    bytes
}

fn filled(settings: Settings, seed: u64) -> Filter {
    let filter = Filter::with_seed(settings, seed, usize::MAX, usize::MAX).expect("memory");
    for item in 0..5_000_u32 {
        // One that does not grow is full at last.
        let _ = filter.insert(&item.to_le_bytes());
        if item % 3 == 0 {
            filter.remove(&(item / 2).to_le_bytes(), 0);
        }
    }
    filter
}

#[test]
fn filters_of_one_seed_are_the_same() {
    for grows in [false, true] {
        let settings = Settings::new(1_000, grows);
        let [first, second, third] = [7, 7, 8].map(|seed| filled(settings, seed));
        assert!(stored(&first) == stored(&second));
        assert!(stored(&first) != stored(&third));
        let drawn = || Filter::new(settings, usize::MAX, usize::MAX).expect("memory");
        assert!(stored(&drawn()) != stored(&drawn()));
    }
}

/// How it grows does not depend on the number.
#[test]
fn an_expansion_is_kept_and_nothing_else() {
    let with = |expansion| {
        let settings = Settings {
            expansion,
            ..Settings::new(1_000, true)
        };
        filled(settings, 7)
    };
    let written = |filter: &Filter| {
        let mut bytes = Vec::new();
        filter.write(&mut bytes).expect("memory");
        bytes
    };
    let [one, other] = [1, 32_768].map(with);
    assert!(written(&one) == written(&other));
    assert!(stored(&one) != stored(&other));
    assert_eq!(other.settings().expansion, 32_768);
}

/// A node that saves, and one that does not, go on to be the same, also if a filter is doubling just then.
#[test]
fn to_store_a_filter_changes_nothing() {
    let settings = Settings::new(1_000, true);
    let filter = || Filter::with_seed(settings, 7, usize::MAX, usize::MAX).expect("memory");
    let (saved, other) = (filter(), filter());
    for item in 0..5_000_u32 {
        for filter in [&saved, &other] {
            filter.insert(&item.to_le_bytes()).expect("room");
        }
        if item % 10 == 0 {
            drop(saved.copy().expect("memory"));
            let mut dump = saved.dump();
            let mut chunk = vec![0; 4_096];
            while dump
                .next_chunk(&mut chunk)
                .expect("nobody writes")
                .is_some()
            {}
        }
    }
    assert!(stored(&saved) == stored(&other));
}
