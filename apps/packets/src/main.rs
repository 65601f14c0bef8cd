//! lockfree-cuckoo-packets: finds new flows or duplicate packets. Run it with
//! `cargo run --release -p lockfree-cuckoo-packets -- --help`.

use lockfree_cuckoo_packets::{Args, Problems, Status};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit status of a program that a signal ended, as shells have it.
const KILLED: i32 = 128;

fn main() -> ExitCode {
    let args = Args::of_this_process();
    let problems = match stop() {
        Ok(stop) => lockfree_cuckoo_packets::run(&args, &stop),
        Err(error) => {
            let mut problems = Problems::default();
            problems.add(
                Status::Unreadable,
                format!("cannot watch for signals: {error}"),
            );
            problems
        }
    };
    for words in problems.words() {
        // If there is no standard error left, the exit status still reports the failure.
        let _ = writeln!(io::stderr(), "lockfree-cuckoo-packets: {words}");
    }
    ExitCode::from(problems.status())
}

/// Returns a flag that the first Ctrl-C or `kill` sets: stop reading, finish what was read, report.
/// The second one ends the program at once.
fn stop() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Register in this order: the first signal finds the flag not set yet.
        flag::register_conditional_shutdown(signal, KILLED + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
