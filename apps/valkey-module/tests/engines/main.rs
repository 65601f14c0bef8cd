//! Tests of the module in engines: real servers, downloaded if the environment allows it, and used
//! over their sockets. Those that are not available are skipped, with a message.
//!
//! 1. `cases`: those of the stand-alone server. `commands`: the additions of the module, in both
//!    versions of the protocol.
//! 2. `equality`: replicas, copies, snapshots and logs have the same data, bit for bit.
//! 3. `hostile`: malformed or too large input is an error. `operation`: transactions, scripts,
//!    users, memory, settings.
//! 4. `replica`, `cluster`: no acknowledged write is lost.
//! 5. `transfers`: filters that are dumped and loaded chunk by chunk.
//! 6. `windows`: filters that forget.
//! 7. `differential`: comparison with RedisBloom. `cost`: the time for an item with each.

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
mod windows;

/// The client of the tests of the stand-alone server.
#[path = "../../../server/tests/server/wire.rs"]
#[allow(dead_code, reason = "not all that it can do is needed here")]
mod wire;

/// The filters that programs exchange with that server, too.
#[path = "../../../server/tests/server/programs.rs"]
mod programs;

/// The downloads of those tests.
#[path = "../../../server/tests/server/download.rs"]
mod download;

/// The variable that lets the tests download missing programs.
const PERMISSION: &str = "MODULE_INSTALL_ENGINES";

#[path = "../../../server/tests/server/wait.rs"]
mod wait;

/// The parts of the client's tests about processes.
mod process {
    use std::time::Duration;

    /// Longer than anything takes on a busy machine. No test depends on time.
    pub(crate) const PATIENCE: Duration = Duration::from_secs(120);
}
