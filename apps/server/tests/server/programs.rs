//! Filters that a program builds with the library, that clients use, and that a program reads
//! again.

use std::time::Duration;

use cf::{Dump, Filter, Window};
use lockfree_cuckoo::{
    CuckooFilter, DynFilter, GrowingCuckooFilter, RotatingCuckooFilter, filter::Kind,
};

use crate::wire::Client;

/// The items of the program, and those of the clients.
const ITEMS: usize = 1_000;

/// How old the youngest generation of the program is.
const AGE: Duration = Duration::from_secs(60);

fn hash(filter: &DynFilter, item: usize) -> u64 {
    filter.hasher().hash_bytes(item.to_string().as_bytes())
}

/// One of each kind, and its window.
fn built() -> [(DynFilter, Option<Window>); 3] {
    let fixed = CuckooFilter::builder().capacity(3 * ITEMS);
    let rotating = RotatingCuckooFilter::builder().capacity(2 * ITEMS);
    let window = Window::new(Duration::from_secs(1_000_000), 3);
    let built = [
        (fixed.build_smallest(1e-6).expect("possible"), None),
        (GrowingCuckooFilter::with_capacity(100).into(), None),
        (
            rotating.generations(3).build().expect("memory").into(),
            window,
        ),
    ];
    for (filter, _) in &built {
        for item in 0..ITEMS {
            filter.insert_hash(hash(filter, item)).expect("room");
            if let Some(rotating) = filter.rotating().filter(|_| item == ITEMS / 2) {
                rotating.rotate().expect("alone");
            }
        }
    }
    built
}

/// Does all that with the server of this client.
pub(crate) fn exchange_filters(client: &mut Client) {
    for (filter, window) in built() {
        let key = &format!("{}", filter.kind()).replace(' ', "-");
        let mut dump = Dump::of(&filter, window, AGE).expect("its window");
        let mut chunk = [0; 1_000];
        while let Some((iterator, bytes)) = dump.next_chunk(&mut chunk).expect("quiet") {
            let chunk = (iterator, chunk[..bytes].to_vec());
            assert_eq!(client.load(key, &chunk), "+OK\r\n");
        }
        assert_eq!(client.found(key, 0..ITEMS), ITEMS);
        assert_eq!(client.insert(key, ITEMS..2 * ITEMS), 0);
        assert_eq!(client.say(&format!("CF.DEL {key} 0")), ":1\r\n");
        if filter.kind() == Kind::Rotating {
            assert!(client.described(key, "Age of the youngest generation") >= 60_000);
            assert_eq!(client.say(&format!("CF.ROTATE {key}")), ":2\r\n");
        }

        let chunks = client.dump(key, |_| {});
        let dump: Vec<u8> = chunks.into_iter().flat_map(|(_, chunk)| chunk).collect();
        let read = Filter::of_dump(&mut dump.as_slice(), usize::MAX).expect("a dump");
        assert_eq!((read.settings().window, read.deleted()), (window, 1));
        let age = read.age();
        assert_eq!(age.is_some(), window.is_some());
        let read = read.into_library();
        assert_eq!((read.kind(), read.shape()), (filter.kind(), filter.shape()));
        assert_eq!(read.len(), 2 * ITEMS - 1);
        let has = |item| read.contains_hash(hash(&read, item));
        assert!((1..2 * ITEMS).all(has));
        let others = (2 * ITEMS..3 * ITEMS).filter(|&item| has(item));
        assert!(others.count() < 10, "it does not say yes to everything");
        if let Some(rotating) = read.rotating() {
            assert!(age < Some(AGE), "the server rotated");
            assert_eq!((rotating.rotations(), rotating.generations()), (2, 3));
            rotating.rotate().expect("alone");
            let old = (1..=ITEMS / 2).filter(|&item| has(item));
            assert!(old.count() < 10, "of the generation that it forgot");
            assert!((ITEMS / 2 + 1..2 * ITEMS).all(has));
        }
        assert_eq!(client.say(&format!("DEL {key}")), ":1\r\n");
    }
}
