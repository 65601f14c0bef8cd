//! A pool of threads finds new flows, or duplicate packets, with one shared
//! cuckoo filter.
//!
//! Run it with `cargo run --release --example packet_pool -- --help`.
//!
//! A reader packs the packets of a capture into batches, each of one period of
//! time ([`packer`], [`period`]). Every batch goes to one worker, together with
//! the filters of its period ([`source`], [`generation`]). The worker looks its
//! keys up all at once, and what is not known goes through
//! [`insert_unique`](lockfree_cuckoo::CuckooFilter::insert_unique), which tells
//! one thread only that a key is new, however many ask at the same time
//! ([`decide`]). No lock is taken on the way of a packet. With `--verify` the
//! answers are compared with exact sets ([`model`]).

mod args;
mod batch;
mod capture;
mod chance;
mod chart;
mod check;
mod damage;
mod decide;
mod details;
mod flow;
mod generation;
mod held;
mod intake;
mod job;
mod key;
mod layout;
mod link;
mod load;
mod made_up;
mod model;
mod packer;
mod packet;
mod period;
mod pool;
mod problem;
mod progress;
mod record;
mod report;
mod rivals;
mod source;
mod stamp;
mod stop;
mod stream;
mod sweep;
mod table;
mod tags;
mod tally;
mod witness;

use args::Args;
use clap::Parser;
use problem::{Problems, Status};
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    let mut problems = Problems::default();
    let written = match stop::flag() {
        Ok(stop) if args.sweeps() => sweep::run(&args, &stop, &mut problems),
        Ok(stop) => job::run(&args, &stop, &mut problems),
        Err(error) => Err(error),
    };
    match written {
        // Nobody reads the report any more, as in `packet_pool | head -1`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
        Err(error) => problems.add(
            Status::Unreadable,
            format!("cannot write the report: {error}"),
        ),
        Ok(()) => {}
    }
    for words in problems.words() {
        // If there is no standard error left, the status still tells.
        let _ = writeln!(io::stderr(), "packet_pool: {words}");
    }
    ExitCode::from(problems.status())
}
