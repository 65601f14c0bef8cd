//! Runs the program `packet-pool` on captures, whole and damaged, from files and
//! through pipes, and checks what it reports:
//!
//! * the totals are right, and do not depend on the workers ([`whole`]);
//! * the formats and link types are read ([`formats`]);
//! * damage ends the reading, is named, and costs nothing before it ([`damaged`]);
//! * options that make no sense are refused ([`options`]);
//! * flows are forgotten after their window, and not before ([`window`]);
//! * a stream is worked on as it comes, until it or somebody ends it ([`streaming`]);
//! * new packets are printed ([`lines`], [`printing`]) and written ([`written`], [`targets`]);
//! * captures may be compressed ([`compressed`]);
//! * the filters have room for all keys unless somebody wants it otherwise ([`room`]);
//! * the sweep measures and draws ([`sweep`]).
//!
//! The keys are tested by themselves as well ([`flows`], [`copies`]).

mod compressed;
mod copies;
mod damaged;
mod files;
mod flows;
mod formats;
mod frames;
mod lines;
mod options;
mod printing;
mod room;
mod run;
mod streaming;
mod sweep;
mod targets;
mod whole;
mod window;
mod written;

/// What is known of `loopback.pcap`, counted apart from the program.
const PACKETS: u64 = 2682;
const FLOWS: u64 = 500;

/// The packets that the program works on if nobody sets the passes.
const DEFAULT_WORK: u64 = 262_144;

/// Options for the tests where more than one pass shows no more.
const ONCE: [&str; 4] = ["-j", "2", "--repeat", "1"];
