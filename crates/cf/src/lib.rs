#![doc = include_str!("../README.md")]
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `settings`, `deletions`, `engine` | what a filter is made of: its settings, its counts, a filter of any kind and layout |
//! | `reply`, `error` | what a caller is told, or why a command was refused |
//! | `filter`, `stored` | a filter of byte strings; filters as bytes, whole and chunk by chunk |
//! | `transfers` | filters on their way out and in |
//! | `command` | what a client asks for, and doing it with one filter |
//! | `usage` | the arguments of a command as clients are told of them |
//! | `spec`, `parse` | the commands, and from their arguments to what is to be done |

mod command;
mod deletions;
mod engine;
mod error;
mod filter;
mod parse;
mod reply;
mod settings;
mod spec;
mod stored;
mod transfers;
pub mod usage;

pub use command::{Absent, Call, Command, Operation, Rules};
pub use error::Error;
pub use filter::{Budget, Filter, Identity};
pub use reply::{Answer, Reply};
pub use settings::{Layout, Settings, expansion};
pub use spec::{COMMANDS, Spec, find};
pub use stored::{Dump, Entry, Loading};
pub use transfers::Transfers;
