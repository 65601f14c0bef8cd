//! The `CF` commands of RedisBloom over [`lockfree_cuckoo`], for whatever has keys: a server, or a module of one.
//!
//! Nothing here knows of a protocol, of sockets, or of where filters are kept. The caller brings the name and the
//! arguments of a command, finds the [`Filter`] under its key, and puts the [`Reply`] or the [`Error`] into the words
//! of its protocol.
//!
//! ```
//! use cf::{Command, Error, Filter, Reply, Rules, Settings};
//!
//! let defaults = Settings::new(1_000, true);
//! let filter = Filter::new(defaults, 1 << 30, 1 << 30)?;
//! let rules = Rules { defaults, longest: 1 << 20 };
//! let ask = |name: &str, arguments: &[&[u8]]| {
//!     let spec = cf::find(name.as_bytes()).expect("a command");
//!     match spec.parse(arguments, &rules)?.command {
//!         Command::Use(operation) => operation.on(&filter, 0),
//!         // These make, shrink, dump and load the filter of a key.
//!         _ => Err(Error::Exists),
//!     }
//! };
//! assert_eq!(ask("cf.add", &[b"seen", b"a"])?, Reply::Boolean(true));
//! assert_eq!(ask("CF.COUNT", &[b"seen", b"a"])?, Reply::Integer(1));
//! assert!(matches!(ask("CF.ADD", &[b"seen"]), Err(Error::WrongNumber("CF.ADD"))));
//! # Ok::<(), Error>(())
//! ```
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
