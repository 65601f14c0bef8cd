//! The `CF` commands of RedisBloom over [`lockfree_cuckoo`], for whatever has keys: a server, or a module of one.
//!
//! Nothing here knows of a protocol, of sockets, or of where filters are kept. The caller brings the name and the
//! arguments of a command, finds the [`Filter`] under its key, and puts the [`Reply`] or the [`Error`] into the words
//! of its protocol.
//!
//! ```
//! use cf::{Absent, Command, Error, Filter, Reply, Rules, Settings, Transfers};
//! use std::collections::HashMap;
//!
//! struct Server {
//!     filters: HashMap<Vec<u8>, Filter>,
//!     transfers: Transfers<()>,
//! }
//!
//! /// Bytes that a filter may take.
//! const MOST: usize = 1 << 30;
//!
//! impl Server {
//!     fn answer(&mut self, name: &[u8], arguments: &[&[u8]]) -> Result<Reply, Error> {
//!         let rules = Rules { defaults: Settings::new(1_000, true), longest: 1 << 20 };
//!         let call = cf::find(name).expect("a command").parse(arguments, &rules)?;
//!         let found = self.filters.get_mut(call.key);
//!         let (filter, reply) = match (call.command, found) {
//!             (Command::Use(operation), Some(filter)) => return operation.on(filter, 0),
//!             (Command::Use(operation), None) => match operation.absent() {
//!                 Absent::Reply(reply) => return reply,
//!                 Absent::Create(settings) => {
//!                     let filter = Filter::new(settings, MOST, MOST)?;
//!                     let reply = operation.on(&filter, 0);
//!                     (filter, reply)
//!                 }
//!             },
//!             (Command::Compact, Some(filter)) => {
//!                 filter.shrink_to_fit();
//!                 return Ok(Reply::Done);
//!             }
//!             (Command::Compact, None) => return Err(Error::NothingToCompact),
//!             (Command::ScanDump(iterator), Some(filter)) => {
//!                 let chunk = self.transfers.next_chunk(filter, 0, iterator, |_| Ok(()))?;
//!                 return Ok(Reply::Chunk(chunk));
//!             }
//!             (Command::ScanDump(_), None) => return Err(Error::NoFilter),
//!             (Command::Reserve(_) | Command::LoadChunk { .. }, Some(_)) => return Err(Error::Exists),
//!             (Command::Reserve(settings), None) => (Filter::new(settings, MOST, MOST)?, Ok(Reply::Done)),
//!             (Command::LoadChunk { end, chunk }, None) => {
//!                 match self.transfers.take_chunk(call.key, end, chunk, MOST, |_| Ok(()))? {
//!                     Some(filter) => (filter, Ok(Reply::Done)),
//!                     None => return Ok(Reply::Done),
//!                 }
//!             }
//!         };
//!         self.filters.insert(call.key.to_vec(), filter);
//!         reply
//!     }
//! }
//!
//! let mut server = Server { filters: HashMap::new(), transfers: Transfers::new(1 << 24) };
//! assert_eq!(server.answer(b"cf.add", &[b"seen", b"a"])?, Reply::Whether(true));
//! assert_eq!(server.answer(b"CF.COUNT", &[b"seen", b"a"])?, Reply::Count(1));
//! assert!(matches!(server.answer(b"CF.INFO", &[b"other"]), Err(Error::NoFilter)));
//! # Ok::<(), Error>(())
//! ```
//!
//! The modules, each of which uses only those above it:
//!
//! | module | |
//! |---|---|
//! | `layout`, `settings`, `deletions`, `identity`, `engine` | what a filter is made of: its settings, its counts, which one it is, a filter of any kind and layout |
//! | `budget` | the memory that filters share as they grow, and why an item was not added |
//! | `reply` | what a caller is told |
//! | `filter` | a filter of byte strings |
//! | `entry` | what is stored of a filter besides the stored form of the library |
//! | `error` | why a command was refused |
//! | `dump`, `loading`, `transfers` | filters on their way out and in, chunk by chunk |
//! | `operation` | what is done with one filter |
//! | `usage` | the arguments of a command as text, for engines that describe commands |
//! | `command`, `spec`, `arguments`, `parse` | the commands, and from their arguments to operations |
//! | `value` | replies in the types of the protocol |

mod arguments;
mod budget;
mod command;
mod deletions;
mod dump;
mod engine;
mod entry;
mod error;
mod filter;
mod identity;
mod layout;
mod loading;
mod operation;
mod parse;
mod reply;
mod settings;
mod spec;
mod transfers;
pub mod usage;
mod value;

pub use budget::{Budget, NotAdded};
pub use command::{Call, Command, Rules};
pub use dump::Dump;
pub use entry::Entry;
pub use error::Error;
pub use filter::{Copied, Filter, NotMade, WriteError};
pub use identity::Identity;
pub use layout::Layout;
pub use loading::Loading;
pub use operation::{Absent, Operation};
pub use reply::{Answer, Reply};
pub use settings::{Settings, expansion};
pub use spec::{COMMANDS, Spec, find};
pub use transfers::Transfers;
pub use value::Value;
