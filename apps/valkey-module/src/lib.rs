//! The module for Valkey and Redis: the `CF` commands of [`cf`].
//!
//! The engine does the rest: connections, keys, replicas, the cluster, persistence and ACL. One
//! library loads on Redis 7.0 and on every Valkey.
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `api` | the engine's functions and types, by their C declarations |
//! | `allocator` | memory of the engine |
//! | `context` | calls of the engine that a command makes, and the border for panics |
//! | `metrics` | counts, and their section of INFO |
//! | `config`, `limits` | the settings, and the memory that filters may take |
//! | `windows` | the list of filters with a window: their places, and their times |
//! | `value`, `loading` | the value of a key; filters that are not complete |
//! | `names`, `handle` | the names of the commands; the registered type of a key |
//! | `reply`, `key` | replies and refusals; a key while a command works on it |
//! | `replicate`, `rotation` | replication of effects; rotations on time |
//! | `datatype` | callbacks that save, load, copy and free a value |
//! | `own`, `commands` | options that commands have only here; the commands |
//! | `arguments` | their arguments, as the engine reads them |
//! | `registration` | registers the commands with the engine |
//! | `entrance` | loads the module |

mod allocator;
mod api;
mod arguments;
mod commands;
mod config;
mod context;
mod datatype;
mod entrance;
mod handle;
mod key;
mod limits;
mod loading;
mod metrics;
mod names;
mod own;
mod registration;
mod replicate;
mod reply;
mod rotation;
mod value;
mod windows;
