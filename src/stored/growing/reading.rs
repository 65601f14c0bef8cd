//! From a stored form to an engine that grows.

use super::{COVERED, Entry, Header, list_bytes, stored_bytes};
use crate::allocate;
use crate::engine::Growing;
use crate::engine::growing::{Link, Published};
use crate::error::ReadError;
use crate::layout::Layout;
use crate::stored::frame::{Frame, Kind};
use crate::stored::input::Input;
use crate::stored::{Identity, Source, demand};
use crate::table::Table;

/// Reads one. See [`Stored::read`](crate::stored::Stored::read).
pub(super) fn read<L: Layout, S>(
    frame: &Frame,
    source: &mut impl Source,
    hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
    outside: usize,
) -> Result<(Growing<L>, S), ReadError> {
    let identity = frame.check::<L>(Kind::Growing)?;
    let header = Header::of_fields(frame, identity)?;
    let hasher = hasher(&identity)?;
    let mut input = Input::behind(Frame::BYTES as u64, frame.begin_checksum(), source);
    let entries = read_list(&mut input, &header)?;
    let tables = read_tables(&mut input, &header, &entries)?;
    let mut links = Vec::new();
    allocate::grow(&mut links, entries.len())?;
    for (entry, table) in entries.iter().zip(tables) {
        let link = Link::with_table(table, entry.items, entry.search_budget)?;
        links.push(link);
    }
    let segments = Published::at_rest(links, header.target);
    let engine = Growing::of_segments(
        segments,
        header.start,
        header.limits,
        header.memory,
        outside,
    );
    Ok((engine, hasher))
}

/// Reads the list of the segments. What it says of all of them is known to be possible ahead of the first word.
fn read_list<L: Layout>(
    input: &mut Input<'_, impl Source>,
    header: &Header<L>,
) -> Result<Vec<Entry<L>>, ReadError> {
    input.expect_at_least(list_bytes(header.segments));
    let mut entries: Vec<Entry<L>> = Vec::new();
    allocate::grow(&mut entries, header.segments)?;
    for _ in 0..header.segments {
        let mut bytes = [0; COVERED];
        input.covered(&mut bytes)?;
        input.checksum()?;
        let finer = entries.last().map(|finer| finer.geometry);
        entries.push(Entry::decode(&bytes, finer)?);
    }
    // So what a filter that is emptied begins anew with is no larger than what has been read.
    let finest = entries[0].geometry;
    demand(
        finest.ranges() == header.start.ranges() && finest.buckets() >= header.start.buckets(),
        "its segments do not refine the size that an empty filter starts with",
    )?;
    Ok(entries)
}

/// Reads the words of all segments, and the last checksum.
fn read_tables<L: Layout>(
    input: &mut Input<'_, impl Source>,
    header: &Header<L>,
    entries: &[Entry<L>],
) -> Result<Vec<Table<L>>, ReadError> {
    let geometries = entries.iter().map(|entry| entry.geometry);
    input.expect(stored_bytes(header.segments, geometries))?;
    let mut read = Vec::new();
    allocate::grow(&mut read, entries.len())?;
    for entry in entries {
        read.push(input.words(entry.geometry)?);
    }
    input.checksum()?;
    let mut tables = Vec::new();
    allocate::grow(&mut tables, entries.len())?;
    for (entry, words) in entries.iter().zip(read) {
        tables.push(words.check(entry.items)?);
    }
    Ok(tables)
}
