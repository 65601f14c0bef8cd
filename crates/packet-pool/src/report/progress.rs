//! Progress, for long work that somebody is watching.

use super::amount;
use super::recent::Recent;
use crate::keys::Mode;
use crate::pool::Done;
use indicatif::{ProgressBar, ProgressStyle};
use std::cell::RefCell;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Below this many bytes a file is read before a bar could be looked at.
const LONG_FILE_BYTES: u64 = 32 << 20;

/// The same for packets, all the passes counted.
const LONG_WORK_PACKETS: u64 = 4_000_000;

/// A bar for the reading of a file of `bytes` bytes.
pub(crate) fn reading(bytes: u64) -> ProgressBar {
    let template = "reading  [{bar:40}] {bytes} of {total_bytes}, {eta} left";
    bar(bytes, bytes >= LONG_FILE_BYTES, template)
}

/// A bar for the work on `packets` packets. Nothing if the work is short or
/// nobody watches.
pub(crate) fn working(packets: u64) -> Option<ProgressBar> {
    let template = "working  [{bar:40}] packet {pos} of {len}, {eta} left";
    let bar = bar(packets, packets >= LONG_WORK_PACKETS, template);
    (!bar.is_hidden()).then_some(bar)
}

/// A bar for the count before the work; of a compressed file nobody knows how much is in it.
pub(crate) fn counting(bytes: Option<u64>) -> ProgressBar {
    match bytes {
        Some(bytes) => {
            let template = "counting [{bar:40}] {bytes} of {total_bytes}, {eta} left";
            bar(bytes, bytes >= LONG_FILE_BYTES, template)
        }
        None => spinner("{spinner} counting the packets, {bytes} read"),
    }
}

/// A line for a stream, of which nobody knows how long it is.
pub(crate) struct Streaming {
    bar: ProgressBar,
    mode: Mode,
    recent: RefCell<Recent>,
}

impl Streaming {
    /// The line is hidden if nobody watches, or if it would be among others on the terminal.
    pub(crate) fn new(mode: Mode, prints: bool) -> Self {
        let bar = if prints && std::io::stdout().is_terminal() {
            ProgressBar::hidden()
        } else {
            spinner("{spinner} {msg}, {elapsed}")
        };
        Self {
            bar,
            mode,
            recent: RefCell::new(Recent::new(Instant::now())),
        }
    }

    pub(crate) fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Brings the line up to date.
    pub(crate) fn show(&self, done: &Done) {
        let packets = done.packets.load(Ordering::Relaxed);
        let firsts = done.firsts.load(Ordering::Relaxed);
        let rate = self.recent.borrow_mut().rate(Instant::now(), packets);
        self.bar.set_message(format!(
            "{}, {}, {} new {}",
            amount::count(packets, "packet"),
            amount::rate(rate, "packets"),
            firsts,
            if firsts == 1 {
                self.mode.singular()
            } else {
                self.mode.plural()
            },
        ));
        self.bar.tick();
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// Brings a bar up to date.
pub(crate) fn show(bar: &ProgressBar, done: &Done) {
    bar.set_position(done.packets.load(Ordering::Relaxed));
}

fn spinner(template: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template);
    let style = style.unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}

fn bar(length: u64, long: bool, template: &str) -> ProgressBar {
    if !long || !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).map_or_else(
        |_| ProgressStyle::default_bar(),
        |style| style.progress_chars("=> "),
    );
    ProgressBar::new(length).with_style(style)
}
