//! The server as its users meet it: a process, spoken to over its sockets.
//!
//! 1. `commands`: what every command replies, in both versions of the protocol.
//!    `redisbloom`: the same of RedisBloom, and what differs.
//! 2. `clients`: the clients that people have (redis-cli, redis-py, redis-benchmark) work as they are.
//! 3. `hostile`: what is malformed, too long, cut off, slow or not allowed harms nobody else.
//! 4. `durability`: what was answered is there after a restart, whatever ended the server and whenever.
//! 5. `connections`: who is connected, what they hold, and how they are closed. `operation`: options, limits, logs, metrics, and lists.

mod clients;
mod commands;
mod connections;
mod download;
mod durability;
mod hostile;
mod install;
mod operation;
mod process;
mod redisbloom;
mod wait;
mod wire;

/// The variable that lets the tests fetch what is missing.
const PERMISSION: &str = "MEMBERSHIP_INSTALL_CLIENTS";
