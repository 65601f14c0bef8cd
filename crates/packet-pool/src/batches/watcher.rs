//! Who is told how far the reading of a file has come, and can end it.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Clone, Copy)]
pub(super) struct Watcher<'a> {
    pub(super) stop: &'a AtomicBool,
    pub(super) progress: &'a dyn Fn(u64),
}

impl Watcher<'_> {
    /// After so many bytes.
    pub(super) fn pause(self, bytes: u64) -> ControlFlow<()> {
        (self.progress)(bytes);
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
