//! From an engine that grows to its stored form.

use super::{Entry, Header};
use crate::engine::Growing;
use crate::engine::growing::Link;
use crate::layout::Layout;
use crate::stored::Identity;
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
    let frame = header(engine, identity).frame();
    let chain = engine.chain_mut();
    put(&frame.encode())?;
    let mut checksum = frame.begin_checksum();
    for link in chain.links() {
        let entry = Entry::of(link).encode();
        checksum.update(&entry);
        put(&entry)?;
        put(&checksum.clone().finalize().to_le_bytes())?;
    }
    for link in chain.links() {
        put_words(link.segment.tokens(), &mut checksum, &mut put)?;
    }
    put(&checksum.finalize().to_le_bytes())
}

fn header<L: Layout>(engine: &mut Growing<L>, identity: &Identity) -> Header<L> {
    let (start, limits, memory) = (engine.start(), engine.limits(), engine.memory());
    let chain = engine.chain_mut();
    Header {
        identity: *identity,
        start,
        limits,
        memory,
        segments: chain.links().count(),
        target: chain.target_index().expect("a list has its target"),
    }
}

impl<L: Layout> Entry<L> {
    /// Leaves no word of the segment frozen, and no descriptor with a dead thread.
    fn of(link: &Link<L>) -> Self {
        let tokens = link.segment.tokens();
        Self {
            geometry: link.geometry(),
            // Not the counter's sum: a thread that stopped between its exchange and the count left it off.
            items: tokens.settle_all(),
            search_budget: tokens.search_budget(),
        }
    }
}
