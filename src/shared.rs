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
//! | `engine` | an engine over such memory |

mod block;
pub(crate) mod engine;
mod memory;
mod seat;
