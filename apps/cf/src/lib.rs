#![doc = include_str!("../README.md")]
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `settings`, `clock`, `deletions`, `engine` | the parts of a filter: its settings, its age, its counts, a filter of any kind and layout |
//! | `reply`, `error` | replies, and the reasons of refusals |
//! | `filter`, `stored` | a filter of byte strings; filters as bytes, whole and chunk by chunk |
//! | `transfers` | filters on their way out and in |
//! | `command` | the requests of clients, and their work on one filter |
//! | `usage` | the arguments of a command, as clients are told of them |
//! | `spec`, `parse` | the table of commands, and from arguments to the work to do |

mod clock;
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
pub use settings::{Layout, Settings, Window, expansion};
pub use spec::{COMMANDS, Spec, TYPE, find};
pub use stored::{Dump, Entry, Loading};
pub use transfers::Transfers;
