//! What reading a capture gives.

use std::ops::ControlFlow;

/// A captured packet.
#[derive(Clone, Copy)]
pub(crate) struct Packet<'a> {
    /// The number of its link type.
    pub(crate) link: i32,
    /// When it was captured, in nanoseconds.
    pub(crate) time: u64,
    /// The bytes that it had on the line.
    pub(crate) length: u32,
    /// Those that were captured.
    pub(crate) frame: &'a [u8],
}

/// Whoever takes the packets. Each call may break off the reading.
pub(crate) trait Sink {
    fn packet(&mut self, packet: Packet<'_>) -> ControlFlow<()>;

    /// All that has come is delivered, so many bytes since the start; to read
    /// on may take for ever.
    fn pause(&mut self, bytes: u64) -> ControlFlow<()>;
}
