//! Where there is no such memory: every call to make or to find some is refused.
#![cfg_attr(all(target_os = "linux", target_endian = "little"), allow(dead_code))]

use std::ffi::c_int;
use std::ops::Deref;
use std::os::fd::AsFd;
use std::path::Path;

use lockfree_cuckoo::filter::AnyLayout;
use lockfree_cuckoo::{DynFilter, FilterBuilder, layout::Shape};

use crate::status::lfcf_status::LFCF_UNSUPPORTED;
use crate::status::{Checked, failed};

/// Any filter could be, if there were memory.
pub(crate) trait Shareable {}

impl<E: AnyLayout> Shareable for E {}

pub(crate) enum Shared {}
pub(crate) enum Reader {}

fn refused<T>() -> Checked<T> {
    let details = "filters that processes share need Linux, and a little-endian processor";
    Err(failed(LFCF_UNSUPPORTED, details))
}

pub(crate) fn build<E: AnyLayout + Shareable>(
    _: FilterBuilder<E>,
    _: Shape,
    _: Option<&Path>,
) -> Checked<Shared> {
    refused()
}

pub(crate) fn build_smallest<E: AnyLayout + Shareable>(
    _: FilterBuilder<E>,
    _: f64,
    _: Option<&Path>,
) -> Checked<Shared> {
    refused()
}

pub(crate) fn copy(_: &mut DynFilter, _: Option<&Path>) -> Checked<Shared> {
    refused()
}

pub(crate) fn attach(_: impl AsFd) -> Checked<Shared> {
    refused()
}

pub(crate) fn open(_: &Path) -> Checked<Shared> {
    refused()
}

pub(crate) fn attach_reader(_: impl AsFd) -> Checked<Reader> {
    refused()
}

pub(crate) fn open_reader(_: &Path) -> Checked<Reader> {
    refused()
}

pub(crate) fn descriptor(filter: &Shared) -> c_int {
    match *filter {}
}

impl Shared {
    pub(crate) fn recover(&self) -> usize {
        match *self {}
    }
}

impl Deref for Shared {
    type Target = DynFilter;

    fn deref(&self) -> &DynFilter {
        match *self {}
    }
}

impl Reader {
    pub(crate) fn rotations(&self) -> Option<u64> {
        match *self {}
    }

    pub(crate) fn generations(&self) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn age_hash(&self, _: u64) -> Option<usize> {
        match *self {}
    }

    pub(crate) fn value_hash(&self, _: u64) -> Option<u16> {
        match *self {}
    }

    pub(crate) fn value_many_hash(&self, _: &[u64], _: &mut [Option<u16>]) {
        match *self {}
    }
}

/// It would have what else a filter can be asked.
impl Deref for Reader {
    type Target = DynFilter;

    fn deref(&self) -> &DynFilter {
        match *self {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lockfree_cuckoo::{CuckooFilter, RotatingCuckooFilter};
    use std::io::stdin;

    #[test]
    fn every_call_is_refused() {
        let path = Path::new("any");
        let shape = Shape::ALL[0];
        let shared = [
            build(CuckooFilter::builder(), shape, None),
            build(RotatingCuckooFilter::builder(), shape, Some(path)),
            build_smallest(CuckooFilter::builder(), 0.1, None),
            attach(stdin()),
            open(path),
        ];
        assert!(
            shared
                .into_iter()
                .all(|made| made.err() == Some(LFCF_UNSUPPORTED))
        );
        let readers = [attach_reader(stdin()), open_reader(path)];
        assert!(
            readers
                .into_iter()
                .all(|made| made.err() == Some(LFCF_UNSUPPORTED))
        );
    }
}
