//! lockfree-cuckoo-server: shared cuckoo filters behind the Redis protocol.
//!
//! Run it with `cargo run --release --package lockfree-cuckoo-server -- --help`.
//!
//! A request passes these modules: [`connection`] reads it, [`request`] finds its end and its
//! parts, [`commands`] answers it, [`reply`] writes the answer. The CF commands are those of the
//! crate [`cf`], on the filter that [`catalogue`] finds under the key. That path takes no lock.
//! Other threads do longer work: large filters, snapshots, dumps, rotations.

mod args;
mod arguments;
mod catalogue;
mod clients;
mod commands;
mod connection;
mod event;
mod http;
mod list;
mod listener;
mod logs;
mod metrics;
mod openmetrics;
mod reply;
mod request;
mod rotations;
mod run;
mod saver;
mod server;
mod session;
mod snapshot;
mod sockets;
mod transaction;

use std::process::ExitCode;

use args::Args;

fn main() -> ExitCode {
    let args = Args::of_this_process();
    if let Some(words) = args.contradiction() {
        eprintln!("lockfree-cuckoo-server: {words}");
        return ExitCode::from(args::WRONG);
    }
    let wait_for_logs = logs::start(args.log_format, args.log_level);
    let status = match run::run(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            log::error!(error:%; "ended");
            ExitCode::from(error.status())
        }
    };
    wait_for_logs();
    status
}
