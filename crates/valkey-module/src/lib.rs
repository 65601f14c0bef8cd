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
//! | `context` | what a command asks of the engine, and where panics end |
//! | `metrics` | what is counted |
//! | `config`, `limits` | the settings, and how much memory filters may take |
//! | `value`, `loading` | what a key holds; filters that are not whole |
//! | `names`, `datatype` | what the commands are called; what the engine calls to save, load and free a value |
//! | `reply`, `key` | replies and refusals; a key while a command works on it |
//! | `replicate` | what replicas are told |
//! | `seed`, `commands` | what a hasher begins with; the commands |
//! | `arguments` | their arguments, as the engine reads them |
//! | `registration` | the commands as the engine knows and calls them |
//! | `entrance` | where the engine loads the module |

mod allocator;
mod api;
mod arguments;
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
mod seed;
mod value;
