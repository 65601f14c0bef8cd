//! A capture that nobody captured, for measuring on more flows than the files that come along have.

use super::{Batch, Intake, Packer};
use crate::capture::Packet;
use std::sync::Arc;

/// Packets of a flow, the first included; the first flows have fewer.
const PACKETS: u64 = 8;

/// Flows that are alive at the same time, a multiple of the packets.
const ALIVE: u64 = 4096;

/// A million packets a second.
const NANOS: u64 = 1_000;

/// Ethernet.
const LINK: i32 = 1;

/// TCP packets of so many flows. Flows begin and end all the time, as on a line with many users: thousands are alive at
/// once, and take turns.
pub(crate) fn made_up(flows: u32, mut packer: Packer) -> (Vec<Arc<Batch>>, Intake) {
    let flows = u64::from(flows);
    let mut batches = Vec::new();
    let mut time = 0;
    for round in 0..flows.div_ceil(ALIVE) * PACKETS {
        for place in 0..ALIVE {
            // Not all places change to their next flow in the same round.
            let turn = (round + place % PACKETS) / PACKETS;
            let flow = turn * ALIVE + place;
            if flow < flows {
                let frame = frame(flow, round);
                let full = packer.push(&Packet {
                    link: LINK,
                    time,
                    length: frame.len() as u32,
                    frame: &frame,
                });
                batches.extend(full.map(Arc::new));
                time += NANOS;
            }
        }
    }
    batches.extend(packer.flush().map(Arc::new));
    let intake = Intake {
        format: "generated",
        counts: packer.counts,
        damage: None,
    };
    (batches, intake)
}

/// Ethernet, IPv4 and TCP.
fn frame(flow: u64, round: u64) -> [u8; 54] {
    let mut frame = [0; 54];
    let port = 1024 + (flow % 60_000) as u16;
    let [.., host2, host1, host0] = (flow / 60_000 + 1).to_be_bytes();
    frame[12..14].copy_from_slice(&[0x08, 0x00]);
    frame[14..18].copy_from_slice(&[0x45, 0, 0, 40]);
    frame[18..20].copy_from_slice(&(round as u16).to_be_bytes());
    frame[22..24].copy_from_slice(&[64, 6]);
    frame[26..30].copy_from_slice(&[10, host2, host1, host0]);
    frame[30..34].copy_from_slice(&[192, 0, 2, 1]);
    frame[34..36].copy_from_slice(&port.to_be_bytes());
    frame[36..38].copy_from_slice(&443_u16.to_be_bytes());
    frame[46] = 0x50;
    frame
}
