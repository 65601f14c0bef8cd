//! What a key holds.

use std::cell::Cell;

use cf::{Error, Filter, Loading};
use lockfree_cuckoo::SnapshotError;

use crate::limits::{NO_LIMIT, limited};
use crate::metrics;

/// A filter, or what has come of one.
#[derive(Debug)]
pub(crate) struct Value {
    content: Content,
    /// Bytes that it was last counted with, and those of them that the engine does not count.
    counted: Cell<(usize, usize)>,
}

/// From this size on, the library takes the tables of filters that grow from the system, and not from the engine.
const FROM_THE_SYSTEM: usize = if cfg!(target_os = "linux") {
    1 << 20
} else {
    usize::MAX
};

#[derive(Debug)]
pub(crate) enum Content {
    Filter(Filter),
    Loading(Loading),
}

impl Value {
    pub(crate) fn new(filter: Filter) -> Self {
        Self::of(Content::Filter(limited(filter)))
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

    /// Gives its dump, or what has come of one, in pieces of at most so many bytes, each with where it ends. Nothing is
    /// copied: commands are done one after another, so nobody writes meanwhile.
    pub(crate) fn pieces(
        &self,
        most: usize,
        mut each: impl FnMut(i64, &[u8]),
    ) -> Result<(), SnapshotError> {
        match &self.content {
            Content::Filter(filter) => {
                let mut dump = filter.dump();
                let mut piece = vec![0; dump.bytes().min(most)];
                while let Some((end, length)) = dump.next_chunk(&mut piece)? {
                    each(end, &piece[..length]);
                }
            }
            Content::Loading(loading) => {
                let mut end = 0;
                for piece in loading.bytes().chunks(most) {
                    end += piece.len() as i64;
                    each(end, piece);
                }
            }
        }
        Ok(())
    }

    /// Another one with the same content.
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
            // It has counted itself.
            Content::Filter(filter) => {
                size_of::<Self>() - size_of::<Filter>() + filter.memory_usage()
            }
            Content::Loading(loading) => size_of::<Self>() + loading.memory_usage(),
        }
    }

    /// Counts it as large as it is now.
    pub(crate) fn count(&self) {
        let bytes = self.memory_usage();
        let grows = match &self.content {
            Content::Filter(filter) => filter.settings().grows(),
            Content::Loading(_) => false,
        };
        // All of a large one: few of its bytes are the engine's.
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
