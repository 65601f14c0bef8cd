//! Reads a whole capture into memory, so that the threads, and not the disk,
//! set the pace.

use super::batch::Batch;
use super::intake::Intake;
use super::packer::Packer;
use super::watcher::Watcher;
use crate::capture::{self, Capture, CaptureError, Packet, Sink};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The batches of a capture, and what is to be said about them.
///
/// An error means that the file gave nothing. Damage further on ends the
/// reading; what came before it is there.
pub(crate) fn load(
    path: &Path,
    packer: Packer,
    stop: &AtomicBool,
    progress: &dyn Fn(u64),
) -> Result<(Vec<Arc<Batch>>, Intake), CaptureError> {
    let mut capture = Capture::new(capture::open(path)?)?;
    let mut loader = Loader {
        batches: Vec::new(),
        packer,
        watcher: Watcher { stop, progress },
    };
    let read = capture.records.read_into(&mut loader);
    let Loader {
        mut batches,
        mut packer,
        ..
    } = loader;
    batches.extend(packer.flush().map(Arc::new));
    let mut intake = Intake {
        format: capture.format,
        damage: read.err().map(|error| capture.cause(error)),
        ..Intake::default()
    };
    intake.update(&packer, capture.records.bytes());
    Ok((batches, intake))
}

struct Loader<'a> {
    batches: Vec<Arc<Batch>>,
    packer: Packer,
    watcher: Watcher<'a>,
}

impl Sink for Loader<'_> {
    fn packet(&mut self, packet: Packet<'_>) -> ControlFlow<()> {
        let full = self.packer.push(&packet);
        self.batches.extend(full.map(Arc::new));
        ControlFlow::Continue(())
    }

    fn pause(&mut self, bytes: u64) -> ControlFlow<()> {
        self.watcher.pause(bytes)
    }
}
