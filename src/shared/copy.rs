//! Memory that processes share, with the items of a filter that one process has.

use core::mem;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

use crate::codec::header::{Header, Identity, WORD};
use crate::codec::manifest::{Manifest, StoredTable};
use crate::engine::kind::Kind;
use crate::engine::operations::RawFilter;
use crate::error::{ReadError, SharedError};
use crate::fixed::Fixed;
use crate::rotating::Rotating;
use crate::rotating::state::State;
use crate::shared::block::{Places, Sizes};
use crate::shared::engine::{Memory, Place, Shareable, Shared, make};

/// Words written at once.
const CHUNK: usize = 512;

/// Makes memory with a copy of an engine that no other thread uses.
pub(crate) fn copy(
    engine: &dyn RawFilter,
    identity: &Identity,
    place: Place<'_>,
) -> Result<Memory, SharedError> {
    let Manifest {
        mut numbers,
        tables,
        ..
    } = engine.manifest();
    // The tables that its stored form lacks, and the state in place of the number of rotations.
    let rotations = mem::take(&mut numbers.own[1]);
    let (spares, state) = match engine.kind() {
        Kind::Fixed => (<Fixed>::SPARES, 0),
        Kind::Rotating => {
            let spares = <Rotating>::SPARES;
            let state = State::new(rotations, numbers.tables + spares);
            (spares, state.into_bits())
        }
        kind => return Err(ReadError::OtherKind { kind }.into()),
    };
    let buckets = tables[0].as_ref().map_or(0, StoredTable::count);
    let layout = engine.shape();
    let shared = Shared {
        numbers,
        sizes: Sizes::of(buckets, layout.fingerprint_bits(), numbers.tables + spares),
        state,
    };
    let header = Header::new(engine.kind(), layout, identity, &numbers);
    make(header, &shared, place, |file| {
        for (number, table) in tables.iter().flatten().enumerate() {
            let places = shared.sizes.places(number).expect("they have been made");
            write_table(file, table, &places)?;
        }
        Ok(())
    })
}

/// Writes the words of a table, and their number of items into a cell.
fn write_table(file: &File, table: &StoredTable<'_>, places: &Places) -> io::Result<()> {
    let mut chunk = [[0; WORD]; CHUNK];
    let mut from = 0;
    while from < table.count() {
        let words = &mut chunk[..(table.count() - from).min(CHUNK)];
        table.copy(from, words);
        file.write_all_at(words.as_flattened(), (places.words + from * WORD) as u64)?;
        from += words.len();
    }
    file.write_all_at(&table.entry.items.to_le_bytes(), places.cells as u64)
}
