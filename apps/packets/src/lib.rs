//! lockfree-cuckoo-packets: a pool of threads that finds new flows, or duplicate packets, with one
//! shared cuckoo filter.
//!
//! This is the program `lockfree-cuckoo-packets` without its `main`: [`run`] runs the command line
//! in [`Args`]. The module [`keys`], which decides which captured packets are equal, can be used by
//! itself.
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `capture` | reads the packets of pcap and pcapng files and pipes, and names damage |
//! | [`keys`] | the key of a packet: its flow, or the bytes that all its copies share |
//! | `batches` | packs packets into batches, each of one period of time |
//! | `filter` | the shared filter: decides which keys of a batch are new, and forgets after a
//! window |
//! | `results` | the lines and the file of the packets that were new |
//! | `pool` | worker threads that take batches |
//! | `verify` | compares the answers with exact sets |
//! | `report` | the printed report, and all failures |
//! | `args` | the command line |
//! | `job` | a run over a capture, from its first packet to the report |
//! | `sweep` | measures the pool beside a set in a lock, by the number of workers |
//!
//! `filter` documents the answers when many workers ask, and the guarantees of a window. A packet
//! passes no lock. The output of new packets goes through one lock, once for a batch.

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

/// Runs the command line, writes the report, and returns all failures.
///
/// The report goes to standard output, or to standard error if the new packets go to standard
/// output.
///
/// `stop` ends the reading early: the packets that were read until then are handled and reported.
pub fn run(args: &Args, stop: &Arc<AtomicBool>) -> Problems {
    let mut problems = Problems::default();
    let written = if args.sweep {
        sweep::run(args, stop, &mut problems)
    } else {
        job::run(args, stop, &mut problems)
    };
    match written {
        // The reader of the report has gone, as in `lockfree-cuckoo-packets | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => problems.add(
            Status::Unreadable,
            format!("cannot write the report: {error}"),
        ),
        Ok(()) => {}
    }
    problems
}
