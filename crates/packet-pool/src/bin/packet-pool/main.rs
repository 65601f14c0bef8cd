//! Finds new flows or duplicate packets. Run it with `cargo run --release -p packet-pool -- --help`.

mod stop;

use clap::Parser;
use packet_pool::{Args, Problems, Status};
use std::io::{self, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args = Args::parse();
    let problems = stop::flag().map_or_else(
        |error| {
            let mut problems = Problems::default();
            let words = format!("cannot watch for signals: {error}");
            problems.add(Status::Unreadable, words);
            problems
        },
        |stop| packet_pool::run(&args, &stop),
    );
    for words in problems.words() {
        // If there is no standard error left, the status still tells.
        let _ = writeln!(io::stderr(), "packet-pool: {words}");
    }
    ExitCode::from(problems.status())
}
