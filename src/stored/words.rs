//! The words of stored tables: read and written. Reading trusts nothing that it has not checked, and allocates no
//! more than the input has shown to be there.

use super::source::{Input, Source};
use super::{WORD, demand};
use crate::error::ReadError;
use crate::layout::{Bucket, Layout};
use crate::table::{Geometry, Partial, Table};
use crate::tokens::Tokens;

/// Words that were read. Whether they are undamaged is known only after the checksum.
#[derive(Debug)]
pub(super) struct Words<L> {
    geometry: Geometry<L>,
    table: Partial<L>,
    items: usize,
    packed: bool,
}

/// Bytes that are read or written at once. On the stack, so that a filter can be saved when memory is short.
const CHUNK: usize = 1 << 14;

/// Most bytes of a table that are allocated ahead of a source of unknown length, unless it has given more.
const AHEAD: usize = 1 << 19;

impl<T: Source> Input<'_, T> {
    /// The words of one table.
    pub(super) fn words<L: Layout>(
        &mut self,
        geometry: Geometry<L>,
    ) -> Result<Words<L>, ReadError> {
        let buckets = geometry.buckets();
        let mut words = Words {
            geometry,
            table: Partial::new(),
            items: 0,
            packed: true,
        };
        let mut chunk = [[0; WORD]; CHUNK / WORD];
        while words.table.len() < buckets {
            let left = buckets - words.table.len();
            let count = chunk.len().min(left);
            if words.table.room() < count {
                // As much as has come, so that each word is moved a bounded number of times.
                let some = words.table.len().max(AHEAD / WORD);
                words.table.reserve(if self.is_known() {
                    left
                } else {
                    left.min(some)
                })?;
            }
            let chunk = &mut chunk[..count];
            self.covered(chunk.as_flattened_mut())?;
            for &word in &*chunk {
                words.push(Bucket::from_bits(u64::from_le_bytes(word)));
            }
        }
        Ok(words)
    }
}

impl<L: Layout> Words<L> {
    fn push(&mut self, bucket: Bucket<L>) {
        self.packed &= bucket.is_packed();
        self.items += bucket.len();
        self.table.push(bucket);
    }

    /// The words as they are, for a caller who checks them.
    #[cfg(feature = "std")]
    pub(super) fn unchecked(self) -> Table<L> {
        self.table.build(self.geometry)
    }

    /// Returns the table if it is valid and holds `items` items. Call it after the checksum: the checksum finds
    /// damage, and this finds bytes that this crate did not write.
    pub(super) fn check(self, items: usize) -> Result<Table<L>, ReadError> {
        demand(self.packed, "a bucket is not one that the layout has")?;
        demand(
            self.items == items,
            "its number of items differs from the stored number",
        )?;
        Ok(self.table.build(self.geometry))
    }
}

/// Hands the words to `put`, a piece at a time, until it fails. None must be frozen.
pub(super) fn put_words<L: Layout, E>(
    tokens: &Tokens<L>,
    checksum: &mut crc32fast::Hasher,
    put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let copy = |start, words: &mut [[u8; WORD]]| copy_words(tokens, start, words);
    put_copied(tokens.geometry().buckets(), copy, checksum, put)
}

/// The same of so many words, which `copy` copies from an even number on.
pub(super) fn put_copied<E>(
    count: usize,
    copy: impl Fn(usize, &mut [[u8; WORD]]) -> usize,
    checksum: &mut crc32fast::Hasher,
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let mut chunk = [[0; WORD]; CHUNK / WORD];
    for start in (0..count).step_by(chunk.len()) {
        let words = &mut chunk[..(count - start).min(CHUNK / WORD)];
        copy(start, words);
        let written = words.as_flattened();
        checksum.update(written);
        put(written)?;
    }
    Ok(())
}

/// Copies the words from a bucket on, as many as there is room for. Returns the tokens in them.
pub(super) fn copy_words<L: Layout>(
    tokens: &Tokens<L>,
    from: usize,
    to: &mut [[u8; WORD]],
) -> usize {
    let copy = |(bytes, bucket): (&mut [u8; WORD], usize)| {
        let content = tokens.peek(bucket);
        *bytes = content.bits().to_le_bytes();
        content.len()
    };
    to.iter_mut().zip(from..).map(copy).sum()
}
