//! Shared memory: one filter that several processes use, and that outlives each of them.
//! [`processes`](crate::design::processes) has the protocol, and [`format`](crate::format) the
//! bytes.
//!
//! From the bottom up; each module imports only from those above it in this list, from the fixed
//! filter, and from what all filters share:
//!
//! | module | contents |
//! |---|---|
//! | `block` | where the parts of the tables are, byte by byte: pure values |
//! | `memory` | making, opening and mapping the memory: the calls of the system |
//! | `seat` | which processes live |
//! | `engine` | making such memory and attaching to it |
//! | `kinds` | the engines that can be in it |
//! | `copy` | memory with the items of a filter that one process has |

#[cfg(not(all(target_os = "linux", target_endian = "little")))]
compile_error!(
    "the feature `shared` needs Linux, for memory whose size is sealed and locks that belong to an \
     open file, and a little-endian processor"
);

mod block;
pub(crate) mod copy;
pub(crate) mod engine;
mod kinds;
mod memory;
mod seat;
