//! Ctrl-C and `kill`: stop reading, finish what was read, report.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit status of a program that a signal ended, as shells have it.
const KILLED: i32 = 128;

/// A flag that the first such signal sets. The second one ends the program at
/// once, for those who do not want to wait.
pub(crate) fn flag() -> io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: the first signal finds the flag not set yet.
        flag::register_conditional_shutdown(signal, KILLED + signal, Arc::clone(&stop))?;
        flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
}
