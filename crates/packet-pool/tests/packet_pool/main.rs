//! Runs the program `packet-pool` on captures, whole and damaged, from files and through pipes, and checks what it reports:
//!
//! * the formats and link types are read, the totals are right, and damage is named ([`reading`]);
//! * what is one flow, and what is a copy of a packet ([`keys`]);
//! * a stream is worked on as it comes, until it or somebody ends it ([`streaming`]);
//! * flows are forgotten after their window, and not before ([`window`]);
//! * the filter has room for all keys unless somebody wants it otherwise ([`room`]);
//! * new packets are printed ([`printing`]) and written ([`writing`]);
//! * options that make no sense are refused, and the sweep measures ([`options`]).

mod captures;
mod keys;
mod options;
mod printing;
mod reading;
mod room;
mod run;
mod streaming;
mod window;
mod writing;

/// What is known of `loopback.pcap`, counted apart from the program.
const PACKETS: u64 = 2682;
const FLOWS: u64 = 500;

/// Options for the tests where more than one pass shows no more.
const ONCE: &str = "-j 2 --repeat 1";
