//! Filters in memory that processes share. Where the system has no such memory, the same names, but
//! no such filter.

#[cfg(all(target_os = "linux", target_endian = "little"))]
mod linux;
#[cfg(all(target_os = "linux", target_endian = "little"))]
use linux as system;

// On Linux only for its test.
#[cfg(any(test, not(all(target_os = "linux", target_endian = "little"))))]
mod elsewhere;
#[cfg(not(all(target_os = "linux", target_endian = "little")))]
use elsewhere as system;

pub(crate) use system::{
    Reader, Shareable, Shared, attach, attach_reader, build, build_smallest, copy, descriptor,
    open, open_reader,
};
