//! Runs the `packet_pool` example on captures, whole and damaged, from files and
//! through pipes, and checks what it reports:
//!
//! * the totals are right, and do not depend on the workers ([`whole`]);
//! * the formats and link types are read ([`formats`]);
//! * damage ends the reading, is named, and costs nothing before it ([`damaged`]);
//! * options that make no sense are refused ([`options`]);
//! * flows are forgotten after their window, and not before ([`window`]);
//! * a stream is worked on as it comes, until it or somebody ends it ([`streaming`]);
//! * the sweep measures and draws ([`sweep`]);
//! * the exact check notices wrong answers ([`verify`]).
//!
//! The keys of the example are tested as well ([`flows`], [`copies`]), and how
//! it tells the time ([`time`]).

mod copies;
mod damaged;
mod files;
mod flows;
mod formats;
mod frames;
mod options;
mod run;
mod streaming;
mod sweep;
mod time;
mod verify;
mod whole;
mod window;

/// The rooms of the example that need no run; it uses more of them than the tests.
macro_rules! rooms {
    ($($room:ident from $path:literal;)*) => {
        $(
            #[allow(dead_code)]
            #[path = $path]
            mod $room;
        )*
    };
}

rooms! {
    chance from "../../examples/packet_pool/chance.rs";
    decide from "../../examples/packet_pool/decide.rs";
    flow from "../../examples/packet_pool/flow.rs";
    generation from "../../examples/packet_pool/generation.rs";
    key from "../../examples/packet_pool/key.rs";
    link from "../../examples/packet_pool/link.rs";
    model from "../../examples/packet_pool/model.rs";
    packet from "../../examples/packet_pool/packet.rs";
    period from "../../examples/packet_pool/period.rs";
    stamp from "../../examples/packet_pool/stamp.rs";
    tags from "../../examples/packet_pool/tags.rs";
    witness from "../../examples/packet_pool/witness.rs";
}

/// What is known of `loopback.pcap`, counted apart from the example.
const PACKETS: u64 = 2682;
const FLOWS: u64 = 500;

/// The packets that the example works on if nobody sets the passes.
const DEFAULT_WORK: u64 = 262_144;

/// Options for the tests where more than one pass shows no more.
const ONCE: [&str; 4] = ["-j", "2", "--repeat", "1"];
