//! The kernel: what the protocols of all filters share. Each module is a mechanism, with its proof.
//!
//! From the bottom up; each imports only from those above it in this list:
//!
//! | module | contents |
//! |---|---|
//! | `layout` | 64 bits as a bucket of slots: pure values |
//! | `word` | a bucket, or a reference to a descriptor |
//! | `geometry`, `sizing` | the class of an item; the size of a table for so many items |
//! | `table` | the atomic words of a table of a fixed size |
//! | `transfer` | the changes of one word and of two, as pure values |
//! | `descriptor` | the record that freezes words for a change, and says how far it has come |
//! | `seats` | which process holds what, in a table that several share |
//! | `pool` | the descriptors of a table: how many, and which thread takes which |
//! | `change` | a change of one word, and one of two: publish, freeze, decide, write back |
//! | `stripes`, `hints` | signals to lookups and scans that tokens change places |
//! | `counter` | the number of tokens, in cells of which each thread writes its own |
//! | `outcome` | why a change of a table fails |
//! | `elsewhere` | what the only token of a class depends on in other tables |
//! | `search` | the search for a path to a vacant slot |
//! | `relocate` | making room by a path: its hops, one token each |
//! | `scan` | attempts of a copy |
//! | `prefetch` | batches |

pub(crate) mod change;
pub(crate) mod counter;
pub(crate) mod descriptor;
pub(crate) mod elsewhere;
pub(crate) mod geometry;
pub(crate) mod hints;
pub(crate) mod layout;
pub(crate) mod outcome;
pub(crate) mod pool;
pub(crate) mod prefetch;
pub(crate) mod relocate;
pub(crate) mod scan;
pub(crate) mod search;
pub(crate) mod seats;
pub(crate) mod sizing;
pub(crate) mod stripes;
pub(crate) mod table;
pub(crate) mod transfer;
pub(crate) mod word;
