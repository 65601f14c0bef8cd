//! From an engine that grows to its stored form.

use core::convert::Infallible;

use super::{Entry, Header, list_bytes};
use crate::allocate;
use crate::engine::Growing;
use crate::engine::growing::Link;
use crate::error::OutOfMemory;
use crate::layout::Layout;
use crate::stored::Identity;
use crate::stored::chunks::{Chunks, StoredTable};
use crate::stored::words::put_words;

/// The bytes of the whole stored form.
pub(super) fn stored_bytes<L: Layout>(engine: &mut Growing<L>) -> u64 {
    let chain = engine.chain_mut();
    let segments = chain.links().count();
    super::stored_bytes(segments, chain.links().map(Link::geometry))
}

/// Hands the stored form to `put`, a piece at a time, until it fails.
pub(super) fn put<L: Layout, E>(
    engine: &mut Growing<L>,
    identity: &Identity,
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    let chain = engine.chain_mut();
    let segments = chain.links().count();
    let target = chain.target_index().expect("a list has its target");
    let header = Header::of(engine, identity, segments, target);
    let chain = engine.chain_mut();
    // Leaves no word of a segment frozen, and no descriptor with a dead thread. Not the counter's sum: a thread that
    // stopped between its exchange and the count left it off.
    let entries = chain
        .links()
        .map(|link| Entry::of(link, link.segment.tokens().settle_all()));
    let mut checksum = put_list(&header, entries, &mut put)?;
    for link in chain.links() {
        put_words(link.segment.tokens(), &mut checksum, &mut put)?;
    }
    put(&checksum.finalize().to_le_bytes())
}

/// The stored form a chunk at a time.
pub(super) fn chunks<'a, L: Layout>(
    engine: &'a Growing<L>,
    identity: &Identity,
) -> Result<Chunks<'a>, OutOfMemory> {
    let (look, links, target) = engine.links()?;
    let (mut head, mut tables) = (Vec::new(), Vec::new());
    allocate::grow(&mut head, list_bytes(links.len()) as usize)?;
    allocate::grow(&mut tables, links.len())?;
    tables.extend(links.iter().copied().map(StoredTable::of));
    let header = Header::of(engine, identity, links.len(), target);
    let entries = links.iter().zip(&tables);
    let entries = entries.map(|(link, table)| Entry::of(link, table.items));
    let Ok(checksum) = put_list(&header, entries, |piece| {
        head.extend_from_slice(piece);
        Ok::<(), Infallible>(())
    });
    let are_current = move || engine.is_current(&look);
    Ok(Chunks::new(head, checksum, tables, are_current))
}

/// Hands over what is ahead of the words. Returns the checksum of it.
fn put_list<L: Layout, E>(
    header: &Header<L>,
    entries: impl Iterator<Item = Entry<L>>,
    mut put: impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<crc32fast::Hasher, E> {
    let frame = header.frame();
    put(&frame.encode())?;
    let mut checksum = frame.begin_checksum();
    for entry in entries {
        let entry = entry.encode();
        checksum.update(&entry);
        put(&entry)?;
        put(&checksum.clone().finalize().to_le_bytes())?;
    }
    Ok(checksum)
}

impl<L: Layout> Header<L> {
    fn of(engine: &Growing<L>, identity: &Identity, segments: usize, target: usize) -> Self {
        Self {
            identity: *identity,
            start: engine.start(),
            limits: engine.limits(),
            memory: engine.memory(),
            segments,
            target,
        }
    }
}

impl<L: Layout> Entry<L> {
    fn of(link: &Link<L>, items: usize) -> Self {
        Self {
            geometry: link.geometry(),
            items,
            search_budget: link.segment.tokens().search_budget(),
        }
    }
}
