//! What a pointer to a filter stands for.

use std::ops::Deref;

use lockfree_cuckoo::{DynFilter, RandomState};

use crate::cancellation::Disabled;
use crate::processes::{Reader, Shared};
use crate::status::lfcf_status::{LFCF_READ_ONLY, LFCF_SHARED, LFCF_WRONG_KIND};
use crate::status::{Checked, failed};

/// A filter of any kind, in the memory of this process or in memory that processes share.
pub struct lfcf_filter(Of);

enum Of {
    Process(DynFilter),
    Processes(Shared),
    Reader(Reader),
}

impl From<DynFilter> for lfcf_filter {
    fn from(filter: DynFilter) -> Self {
        Self(Of::Process(filter))
    }
}

impl From<Shared> for lfcf_filter {
    fn from(filter: Shared) -> Self {
        Self(Of::Processes(filter))
    }
}

impl From<Reader> for lfcf_filter {
    fn from(reader: Reader) -> Self {
        Self(Of::Reader(reader))
    }
}

/// A filter for calls that may write.
pub(crate) struct Writer<'a> {
    filter: &'a DynFilter,
    /// A write to memory that processes share may ask the system: for a seat, or who is dead.
    _uncancelled: Option<Disabled>,
}

impl Deref for Writer<'_> {
    type Target = DynFilter;

    #[inline]
    fn deref(&self) -> &DynFilter {
        self.filter
    }
}

/// What both of [`lfcf_filter::for_lookups`] have.
macro_rules! either {
    ($filter:expr, $($call:tt)+) => {
        match $filter.for_lookups() {
            Ok(filter) => filter.$($call)+,
            Err(filter) => filter.$($call)+,
        }
    };
}
pub(crate) use either;

impl lfcf_filter {
    /// The filter, for calls that write nothing; as a reader if it is one.
    #[inline]
    pub(crate) fn for_lookups(&self) -> Result<&DynFilter, &Reader> {
        match &self.0 {
            Of::Process(filter) => Ok(filter),
            Of::Processes(filter) => Ok(filter),
            Of::Reader(reader) => Err(reader),
        }
    }

    #[inline]
    pub(crate) fn hasher(&self) -> &RandomState {
        either!(self, hasher())
    }

    #[inline]
    pub(crate) fn writer(&self) -> Checked<Writer<'_>> {
        let (filter, uncancelled) = match &self.0 {
            Of::Process(filter) => (filter, None),
            Of::Processes(filter) => (&**filter, Some(Disabled::new())),
            Of::Reader(_) => return Err(read_only()),
        };
        Ok(Writer {
            filter,
            _uncancelled: uncancelled,
        })
    }

    /// The filter, for calls that no other thread and no other process may disturb.
    pub(crate) fn alone(&mut self) -> Checked<&mut DynFilter> {
        match &mut self.0 {
            Of::Process(filter) => Ok(filter),
            Of::Processes(_) => {
                let details = "other processes may have the filter: make a new one instead";
                Err(failed(LFCF_SHARED, details))
            }
            Of::Reader(_) => Err(read_only()),
        }
    }

    /// The filter, for calls that only one in memory that processes share has.
    pub(crate) fn shared(&self) -> Checked<&Shared> {
        match &self.0 {
            Of::Processes(filter) => Ok(filter),
            Of::Reader(_) => Err(read_only()),
            Of::Process(_) => {
                let details = "the filter is of one process: make it by `lfcf_shared_create`";
                Err(failed(LFCF_WRONG_KIND, details))
            }
        }
    }
}

#[cold]
fn read_only() -> crate::status::lfcf_status {
    let details =
        "the filter is a reader: attach to it by `lfcf_shared_attach` or `lfcf_shared_open`";
    failed(LFCF_READ_ONLY, details)
}
