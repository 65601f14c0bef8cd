//! Values: a filter, or the chunks of one that is not complete.

use std::cell::Cell;
use std::sync::Arc;

use cf::{Dump, Error, Filter, Loading};
use lockfree_cuckoo::SnapshotError;

use crate::limits::{NO_LIMIT, limited};
use crate::metrics;
use crate::windows::{self, Listed, Place};

/// The value of a key.
#[derive(Debug)]
pub(crate) struct Value {
    content: Content,
    /// The entry of a filter with a window in the list of those that rotate.
    listed: Option<Listed>,
    /// The bytes that it was last counted with, and those of them that the engine does not count.
    counted: Cell<(usize, usize)>,
}

/// The size from which on the library takes the tables of growing filters from the system, and not
/// from the engine.
const FROM_THE_SYSTEM: usize = if cfg!(target_os = "linux") {
    1 << 20
} else {
    usize::MAX
};

#[derive(Debug)]
pub(crate) enum Content {
    /// Shared with the thread that cleans it, if it has a window.
    Filter(Arc<Filter>),
    Loading(Loading),
}

/// A part of a dump.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    /// The end of the piece in the dump.
    pub(crate) end: i64,
    pub(crate) bytes: &'a [u8],
    pub(crate) is_last: bool,
}

impl Value {
    pub(crate) fn new(filter: Filter) -> Self {
        Self::of(Content::Filter(Arc::new(limited(filter))))
    }

    pub(crate) fn loading(loading: Loading) -> Self {
        Self::of(Content::Loading(loading))
    }

    fn of(content: Content) -> Self {
        metrics::FILTERS.add(1);
        if matches!(content, Content::Loading(_)) {
            metrics::HALF_LOADED.add(1);
        }
        let value = Self {
            content,
            listed: None,
            counted: Cell::default(),
        };
        value.count();
        value
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }

    pub(crate) fn content_mut(&mut self) -> &mut Content {
        &mut self.content
    }

    /// Passes its dump, or the chunks of an incomplete one, in pieces of at most this many bytes.
    /// It copies nothing: commands run one after another, so no other command writes meanwhile.
    pub(crate) fn pieces(
        &self,
        most: usize,
        each: impl FnMut(Piece<'_>),
    ) -> Result<(), SnapshotError> {
        self.pieces_of(most, Filter::dump, each)
    }

    /// Passes the pieces without the age of a window, which differs between nodes.
    pub(crate) fn ageless_pieces(
        &self,
        most: usize,
        each: impl FnMut(Piece<'_>),
    ) -> Result<(), SnapshotError> {
        self.pieces_of(most, Filter::ageless_dump, each)
    }

    fn pieces_of(
        &self,
        most: usize,
        dump: impl Fn(&Filter) -> Dump<'_>,
        mut each: impl FnMut(Piece<'_>),
    ) -> Result<(), SnapshotError> {
        match &self.content {
            Content::Filter(filter) => {
                let mut dump = dump(filter);
                let total = dump.bytes();
                let mut piece = vec![0; total.min(most)];
                while let Some((end, length)) = dump.next_chunk(&mut piece)? {
                    let bytes = &piece[..length];
                    let is_last = end as usize == total;
                    each(Piece {
                        end,
                        bytes,
                        is_last,
                    });
                }
            }
            Content::Loading(loading) => {
                let mut end = 0;
                for bytes in loading.bytes().chunks(most) {
                    end += bytes.len() as i64;
                    let is_last = false;
                    each(Piece {
                        end,
                        bytes,
                        is_last,
                    });
                }
            }
        }
        Ok(())
    }

    /// Returns its filter for a change, if it is not shared.
    pub(crate) fn alone(&mut self) -> Option<&mut Filter> {
        match &mut self.content {
            Content::Filter(filter) => Arc::get_mut(filter),
            Content::Loading(_) => None,
        }
    }

    /// Returns its filter, if that has a window.
    pub(crate) fn window(&self) -> Option<&Arc<Filter>> {
        match &self.content {
            Content::Filter(filter) if filter.settings().window.is_some() => Some(filter),
            _ => None,
        }
    }

    /// Lists a filter with a window, unless it is listed.
    pub(crate) fn list(&mut self, place: impl FnOnce() -> Place, is_imported: bool) {
        if self.listed.is_none() {
            let window = self.window().map(Arc::clone);
            self.listed = window.map(|filter| windows::list(filter, place(), is_imported));
        }
    }

    /// Returns its entry in the list.
    pub(crate) fn listed(&self) -> Option<&Listed> {
        self.listed.as_ref()
    }

    pub(crate) fn listed_mut(&mut self) -> Option<&mut Listed> {
        self.listed.as_mut()
    }

    /// Makes a value with the same content.
    pub(crate) fn copy(&self) -> Result<Self, Error> {
        Ok(match &self.content {
            Content::Filter(filter) => {
                let dump = filter.dump().whole()?;
                Self::new(Filter::of_dump(&mut dump.as_slice(), NO_LIMIT)?)
            }
            Content::Loading(loading) => Self::loading(Loading::begin(loading.bytes())?),
        })
    }

    pub(crate) fn memory_usage(&self) -> usize {
        match &self.content {
            // The filter counts its own memory, but not that it is shared.
            Content::Filter(filter) => {
                size_of::<Self>() + 2 * size_of::<usize>() + filter.memory_usage()
            }
            Content::Loading(loading) => size_of::<Self>() + loading.memory_usage(),
        }
    }

    /// Counts its present size.
    pub(crate) fn count(&self) {
        let bytes = self.memory_usage();
        let grows = match &self.content {
            Content::Filter(filter) => filter.settings().grows(),
            Content::Loading(_) => false,
        };
        // All bytes of a large filter: few of them are the engine's.
        let uncounted = if grows && bytes >= FROM_THE_SYSTEM {
            bytes
        } else {
            0
        };
        self.count_as((bytes, uncounted));
    }

    fn count_as(&self, now: (usize, usize)) {
        let before = self.counted.replace(now);
        let counts = [&metrics::BYTES, &metrics::UNCOUNTED_BYTES];
        let changes = [(before.0, now.0), (before.1, now.1)];
        for (count, (before, now)) in counts.into_iter().zip(changes) {
            if before != now {
                count.add(now as u64);
                count.subtract(before as u64);
            }
        }
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        metrics::FILTERS.subtract(1);
        if matches!(self.content, Content::Loading(_)) {
            metrics::HALF_LOADED.subtract(1);
        }
        self.count_as((0, 0));
    }
}
