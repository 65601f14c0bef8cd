//! Tests of the program `lockfree-cuckoo-packets`: run it on captures, whole and damaged, from
//! files and through pipes, and check its reports:
//!
//! * the formats and link types are read, the totals are right, and damage is named ([`reading`]);
//! * packets of one flow, and copies of one packet, have one key ([`keys`]);
//! * a stream is handled as it comes, until its end or a signal ([`streaming`]);
//! * flows are forgotten after their window, and not before ([`window`]);
//! * the filter has room for all keys, unless an option limits it ([`room`]);
//! * new packets are printed ([`printing`]) and written ([`writing`]);
//! * invalid options are refused, and the sweep measures ([`options`]).

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

/// The contents of `loopback.pcap`, counted independently of the program.
const PACKETS: u64 = 2682;
const FLOWS: u64 = 500;

/// Options for tests that need a single pass.
const ONCE: &str = "-j 2 --repeat 1";
