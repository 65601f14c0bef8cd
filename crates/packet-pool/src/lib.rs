//! A pool of threads finds new flows, or duplicate packets, with one shared cuckoo filter.
//!
//! This is the program `packet-pool` without its `main`: [`run`] does what the command line in [`Args`] asks for. What
//! makes two captured packets the same can be used by itself: [`keys`].
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `capture` | reads the packets of pcap and pcapng files and pipes, and names damage |
//! | [`keys`] | the key of a packet: its flow, or all that its copies have in common |
//! | `batches` | packs packets into batches, each of one period of time |
//! | `filter` | what all workers share: decides which keys of a batch are new, and forgets after a window |
//! | `results` | the lines and the file of the packets that were new |
//! | `pool` | worker threads that take batches |
//! | `verify` | compares the answers with exact sets |
//! | `report` | what is printed, and what goes wrong |
//! | `args` | the command line |
//! | `job` | a run over a capture, from its first packet to the report |
//! | `sweep` | measures the pool beside a set in a lock, by the number of workers |
//!
//! `filter` says what one call decides when many workers ask, and what a window guarantees. No lock is taken on the way of a
//! packet; what is printed or written of the new packets goes through one, once for a batch.

mod args;
mod batches;
mod capture;
mod filter;
mod job;
pub mod keys;
mod pool;
mod report;
mod results;
mod sweep;
mod verify;

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

pub use args::Args;
pub use report::{Problems, Status};

/// Does what the command line asks for, writes the report, and returns what went wrong.
///
/// The report goes to standard output, or to standard error if the new packets go to standard output.
///
/// `stop` ends the reading early: what was read until then is worked on and reported.
pub fn run(args: &Args, stop: &Arc<AtomicBool>) -> Problems {
    let mut problems = Problems::default();
    let written = if args.sweep {
        sweep::run(args, stop, &mut problems)
    } else {
        job::run(args, stop, &mut problems)
    };
    match written {
        // Nobody reads the report any more, as in `packet-pool | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => problems.add(
            Status::Unreadable,
            format!("cannot write the report: {error}"),
        ),
        Ok(()) => {}
    }
    problems
}
