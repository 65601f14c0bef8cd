//! The module in the engines that load it: real servers, installed from where everybody has them, and spoken to over
//! their sockets. Those that cannot be had are left out, and said to be.
//!
//! 1. `cases`: those that the stand-alone server is tested with. `commands`: what the module has besides, in both versions of
//!    the protocol.
//! 2. `equality`: what replicas, copies, snapshots and logs have is the same, bit for bit.
//! 3. `hostile`: what is malformed or too large is an error. `operation`: transactions, scripts, users, memory,
//!    settings.
//! 4. `replica`, `cluster`: nothing that was acknowledged is lost.
//! 5. `transfers`: filters that go out and come in chunk by chunk.
//! 6. `differential`: RedisBloom beside it. `cost`: what an item costs with the one and with the other.

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
mod transfers;

/// The client that the stand-alone server is tested with.
#[path = "../../../membership-server/tests/server/wire.rs"]
#[allow(dead_code, reason = "not all that it can do is needed here")]
mod wire;

/// What is fetched as for that server.
#[path = "../../../membership-server/tests/server/download.rs"]
mod download;

/// The variable that lets the tests fetch what is missing.
const PERMISSION: &str = "MODULE_INSTALL_ENGINES";

#[path = "../../../membership-server/tests/server/wait.rs"]
mod wait;

/// What that client knows of processes.
mod process {
    use std::time::Duration;

    /// Longer than anything takes on a busy machine. No test is right or wrong by time.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
}
