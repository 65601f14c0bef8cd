//! Which packets of a batch were new.

use crate::batches::Batch;
use crate::capture::Packet;
use crate::filters::{Answer, Scratch};
use crate::keys::Link;

/// Whether there is one; mostly there is none.
pub(super) fn any(scratch: &Scratch) -> bool {
    scratch.answers.contains(&Answer::New)
}

/// Those packets, with their links.
pub(super) fn news<'a>(
    batch: &'a Batch,
    scratch: &'a Scratch,
) -> impl Iterator<Item = (Link, Packet<'a>)> {
    let mut without_key = scratch.without_key.iter().peekable();
    let packets = batch.packets().enumerate();
    // The answers are of the packets that have a key.
    let with_key = packets.filter(move |(place, _)| without_key.next_if_eq(&place).is_none());
    let answered = with_key.zip(&scratch.answers);
    answered
        .filter(|(_, answer)| **answer == Answer::New)
        .map(|((_, packet), _)| packet)
}
