//! The module in the engines that load it: real servers, installed from where everybody has them, and spoken to over
//! their sockets. Those that cannot be had are left out, and said to be.
//!
//! 1. `commands`: every command in both versions of the protocol, on each of the engines. `cases`: those that the
//!    stand-alone server is tested with.
//! 2. `equality`: what replicas, copies, snapshots and logs have is the same, bit for bit.
//! 3. `hostile`: what is malformed or too large is an error. `operation`: transactions, scripts, users, memory,
//!    settings, workers.
//! 4. `replica`, `cluster`: nothing that was acknowledged is lost.
//! 5. `differential`: RedisBloom beside it. `cost`: what an item costs with the one and with the other.

mod cases;
mod cluster;
mod commands;
mod cost;
mod differential;
mod engine;
mod equality;
mod fetch;
mod history;
mod hostile;
mod operation;
mod replica;

/// The client that the stand-alone server is tested with.
#[path = "../../../membership-server/tests/server/wire.rs"]
#[allow(dead_code, reason = "not all that it can do is needed here")]
mod wire;

/// What that client knows of processes.
mod process {
    use std::thread;
    use std::time::{Duration, Instant};

    /// Longer than anything takes on a busy machine. No test is right or wrong by time.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

    /// What `ready` returns at last.
    pub(crate) fn wait<T>(what: &str, mut ready: impl FnMut() -> Option<T>) -> T {
        let start = Instant::now();
        loop {
            if let Some(value) = ready() {
                return value;
            }
            assert!(start.elapsed() < PATIENCE, "waited in vain for {what}");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
