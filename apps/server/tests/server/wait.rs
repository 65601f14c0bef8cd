//! Waiting for other processes.

use std::thread;
use std::time::{Duration, Instant};

use crate::process::PATIENCE;

/// Returns the first value of `ready`.
pub(crate) fn wait<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(value) = ready() {
            return value;
        }
        assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
