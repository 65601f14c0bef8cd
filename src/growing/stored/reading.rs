//! From a stored form to a filter that grows.

use std::sync::Arc;

use super::{Chain, Entry, Header, Segment};
use crate::allocate;
use crate::descriptor::Pool;
use crate::growing::GrowingCuckooFilter;
use crate::published::Published;
use crate::stored::{Frame, Identity, Input, Kind, ReadError, Source, demand};
use crate::table::Table;
use crate::tokens::Tokens;

/// Reads one filter. `hasher` makes the hasher that goes with what is stored of it, or finds that it cannot.
pub(crate) fn read<S>(
    source: &mut impl Source,
    hasher: impl FnOnce(&Identity) -> Result<S, ReadError>,
) -> Result<GrowingCuckooFilter<S>, ReadError> {
    let mut bytes = [0; Frame::BYTES];
    let found = source.take(&mut bytes)?;
    let (frame, identity) = Frame::decode(&bytes[..found], Kind::Growing)?;
    let header = Header::of_fields(&frame, identity)?;
    let hasher = hasher(&identity)?;
    let mut input = Input::behind(Frame::BYTES as u64, frame.begin_checksum(), source);
    let entries = read_list(&mut input, &header)?;
    let tables = read_tables(&mut input, &header, &entries)?;
    let mut segments = Vec::new();
    allocate::grow(&mut segments, entries.len())?;
    for (entry, table) in entries.iter().zip(tables) {
        segments.push(Arc::new(entry.segment(table)?));
    }
    Ok(GrowingCuckooFilter {
        chain: Published::new(Chain::at_rest(segments, header.target)),
        limits: header.limits,
        start: header.start,
        search_budget: entries[header.target].search_budget,
        hasher,
    })
}

/// Reads the list of the segments. What it says of all of them is known to be possible ahead of the first word.
fn read_list(input: &mut Input<'_, impl Source>, header: &Header) -> Result<Vec<Entry>, ReadError> {
    input.expect_at_least(header.bytes());
    let mut entries: Vec<Entry> = Vec::new();
    allocate::grow(&mut entries, header.segments)?;
    for _ in 0..header.segments {
        let mut bytes = [0; Entry::COVERED];
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
fn read_tables(
    input: &mut Input<'_, impl Source>,
    header: &Header,
    entries: &[Entry],
) -> Result<Vec<Table>, ReadError> {
    input.expect(header.stored_bytes(entries.iter().map(|entry| entry.geometry)))?;
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

impl Entry {
    fn segment(&self, table: Table) -> Result<Segment, ReadError> {
        let descriptors = Pool::size_for(self.geometry.buckets());
        let tokens = Tokens::with_table(self.geometry, table, self.search_budget, descriptors)?;
        Ok(Segment::with_tokens(tokens, self.items)?)
    }
}
