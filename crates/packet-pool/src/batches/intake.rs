//! What was read of a capture, and how the reading ended.

use super::packer::Packer;
use crate::capture::CaptureError;
use lockfree_cuckoo::BuildError;
use std::collections::BTreeMap;

#[derive(Default)]
pub(crate) struct Intake {
    /// The format of the capture; empty as long as not even the header is there.
    pub(crate) format: &'static str,
    /// The packets whose link type the program reads.
    pub(crate) packets: u64,
    /// Packets left out, by the number of their link type.
    pub(crate) left_out: BTreeMap<i32, u64>,
    /// Bytes of the input that were read and understood.
    pub(crate) bytes: u64,
    /// What ended the reading before the end of the input.
    pub(crate) damage: Option<CaptureError>,
    /// Why there is no filter for the packets that follow.
    pub(crate) failure: Option<BuildError>,
}

impl Intake {
    /// Brings the counts up to date.
    pub(crate) fn update(&mut self, packer: &Packer, bytes: u64) {
        self.packets = packer.packets;
        self.bytes = bytes;
        self.left_out.clone_from(&packer.left_out);
    }
}
