//! Tests of the server from outside: a process, used over its sockets.
//!
//! 1. `commands`: the replies of every command, in both versions of the protocol. `redisbloom`: the
//!    same in RedisBloom, and the differences.
//! 2. `clients`: the usual clients (redis-cli, redis-py, redis-benchmark) work unchanged.
//! 3. `hostile`: requests that are malformed, too long, cut off, slow or not allowed harm no other
//!    client.
//! 4. `durability`: answered changes survive a restart, after any kind of end.
//! 5. `windows`: items stay for their window, and are forgotten after it.
//! 6. `programs`: filters go from programs to the server, and back.
//! 7. `connections`: how connections are listed and closed. `operation`: options, limits, logs,
//!    metrics, and lists. `container`: the image.

mod clients;
mod commands;
mod connections;
mod container;
mod download;
mod durability;
mod hostile;
mod install;
mod operation;
mod process;
mod programs;
mod redisbloom;
mod wait;
mod windows;
mod wire;

/// The variable that lets the tests install missing programs.
const PERMISSION: &str = "LOCKFREE_CUCKOO_INSTALL_CLIENTS";
