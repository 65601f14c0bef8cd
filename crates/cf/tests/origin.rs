//! What begins alike and has the same done to it is the same.

use cf::{Entry, Filter, Origin, Settings};

fn stored(filter: &Filter) -> Vec<u8> {
    let mut bytes = Entry::of(filter).to_bytes().to_vec();
    filter.write(&mut bytes).expect("memory");
    bytes
}

fn filled(settings: Settings, origin: Origin) -> Filter {
    let filter = Filter::with_origin(settings, origin, usize::MAX, usize::MAX).expect("memory");
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
fn filters_of_one_origin_are_the_same() {
    for grows in [false, true] {
        let settings = Settings::new(1_000, grows);
        let origin = Origin {
            seed: 7,
            growth_rate: None,
        };
        let other = Origin { seed: 8, ..origin };
        let [first, second, third] = [origin, origin, other].map(|from| filled(settings, from));
        assert!(stored(&first) == stored(&second));
        assert!(stored(&first) != stored(&third));
        assert_ne!(Origin::random().seed, Origin::random().seed);
    }
}

#[test]
fn growth_ends_at_a_rate() {
    let settings = Settings::new(1_000, true);
    let origin = |growth_rate| Origin {
        seed: 7,
        growth_rate,
    };
    let free = filled(settings, origin(None));
    let bound = filled(settings, origin(Some(0.000_2)));
    assert!(free.segments() > bound.segments(), "{free:?} {bound:?}");
    assert!(bound.false_positive_rate() <= 0.000_2);
}
