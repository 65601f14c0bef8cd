//! The watchdog: turns a hang into a failure that says what hung.
//!
//! It measures nothing. A thread that waits for another can be told from one that merely waits for the processor
//! by nothing but time, so the deadline is generous: no machine is so slow.

use std::process;
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

/// Far longer than anything that is watched takes.
const DEADLINE: Duration = Duration::from_secs(120);

/// Barks, and ends the process: the threads that hang cannot be ended in any other way.
pub(crate) struct Watchdog {
    watched: Arc<Mutex<String>>,
    alive: mpsc::Sender<()>,
}

impl Watchdog {
    pub(crate) fn new() -> Self {
        let watched = Arc::new(Mutex::new(String::from("nothing yet")));
        let (alive, signs_of_life) = mpsc::channel();
        let what = Arc::clone(&watched);
        thread::spawn(move || {
            loop {
                match signs_of_life.recv_timeout(DEADLINE) {
                    Ok(()) => {}
                    Err(mpsc::RecvTimeoutError::Disconnected) => return,
                    Err(mpsc::RecvTimeoutError::Timeout) => {
                        let what = what.lock().unwrap_or_else(PoisonError::into_inner);
                        eprintln!("FAILED: hangs since {} s: {what}", DEADLINE.as_secs());
                        process::exit(1);
                    }
                }
            }
        });
        Self { watched, alive }
    }

    /// Runs something that must come to an end.
    pub(crate) fn watch<R>(&self, what: &str, run: impl FnOnce() -> R) -> R {
        what.clone_into(&mut self.watched.lock().unwrap_or_else(PoisonError::into_inner));
        let sign = || self.alive.send(()).expect("the watchdog is awake");
        sign();
        let result = run();
        sign();
        result
    }
}
