//! The `CF` commands of [`cf`] as a module of Valkey and Redis.
//!
//! The engine does the rest: connections, keys, replicas, the cluster, persistence and ACL. One library loads on Redis
//! 7.0 and on every Valkey.
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `api` | the engine's functions and types, by their C declarations |
//! | `allocator` | memory of the engine |
//! | `arguments` | what the engine is told of the arguments of a command |
//! | `context` | what a command asks of the engine |
//! | `boundary`, `metrics` | where panics end; what is counted |
//! | `config`, `limits` | the settings, and how much memory filters may take |
//! | `stored`, `loading`, `value` | filters as bytes; filters that are not whole; what a key holds |
//! | `names`, `saving`, `datatype` | what the commands are called; values in snapshots and logs; what the engine calls for a value |
//! | `reply`, `key` | replies and refusals; a key while a command works on it |
//! | `replicate` | what replicas are told |
//! | `workers` | threads for large lookups |
//! | `seed`, `commands` | what a hasher begins with; the commands |
//! | `registration` | the commands as the engine calls them |
//! | `entrance` | where the engine loads the module |

mod allocator;
mod api;
mod arguments;
mod boundary;
mod commands;
mod config;
mod context;
mod datatype;
mod entrance;
mod key;
mod limits;
mod loading;
mod metrics;
mod names;
mod registration;
mod replicate;
mod reply;
mod saving;
mod seed;
mod stored;
mod value;
mod workers;
