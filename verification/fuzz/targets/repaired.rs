//! A valid stored filter with changes and repaired checksums, which only the inner checks can find.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use lockfree_cuckoo::CuckooFilter;
use model::Layout;
use model::stored::{self, CHECKSUM, HEADER, PADDING};

#[derive(Arbitrary, Debug)]
struct Input {
    shape: u8,
    seed: u64,
    items: u16,
    changes: Vec<Change>,
    /// Whether the number of items is repaired too.
    counted: bool,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Byte {
        at: u16,
        byte: u8,
    },
    /// Changes eight bytes of the header, mostly one of its larger numbers.
    Number {
        at: u8,
        value: u64,
    },
    Word {
        at: u16,
        word: u64,
    },
    Insert {
        at: u16,
        bytes: [u8; 8],
    },
    Cut {
        bytes: u8,
    },
}

/// From one range to 31, and from two buckets to a hundred.
const SHAPES: [usize; 8] = [2, 4, 6, 12, 16, 40, 62, 128];

fuzz_target!(|input: Input| {
    let buckets = SHAPES[usize::from(input.shape) % SHAPES.len()];
    let builder = CuckooFilter::builder().buckets(buckets).seed(input.seed);
    let filter = builder.build().expect("possible");
    // Up to the first that finds no room: each later one would take a long search.
    let _ = (0..input.items % 600).try_for_each(|item| filter.insert(&item));
    let mut bytes = filter.to_bytes().expect("alone");
    for change in &input.changes {
        apply(change, &mut bytes);
    }
    if input.counted {
        let items = stored::items_if_packed(Layout::DEFAULT, &bytes);
        stored::ITEMS.set(&mut bytes, items);
    }
    stored::repair(&mut bytes);
    let read = lockfree_cuckoo_fuzz::check(&bytes);
    assert!(read || !input.changes.is_empty(), "a sound file is read");
});

fn apply(change: &Change, bytes: &mut Vec<u8>) {
    match *change {
        Change::Byte { at, byte } => {
            let at = usize::from(at) % bytes.len();
            bytes[at] = byte;
        }
        Change::Number { at, value } => {
            let numbers = (HEADER + stored::ENTRY + PADDING + CHECKSUM) / 8;
            let at = usize::from(at) % numbers * 8;
            bytes[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        Change::Word { at, word } => {
            let words = stored::words(bytes).len();
            if let Some(index) = usize::from(at).checked_rem(words) {
                stored::set_word(bytes, index, word);
            }
        }
        Change::Insert { at, bytes: more } => {
            let at = usize::from(at) % bytes.len();
            bytes.splice(at..at, more);
        }
        Change::Cut { bytes: fewer } => {
            let least = HEADER + stored::ENTRY + PADDING + 2 * CHECKSUM;
            bytes.truncate(bytes.len().saturating_sub(fewer.into()).max(least));
        }
    }
}
