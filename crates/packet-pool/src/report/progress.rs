//! Progress, for long work that somebody is watching.

use crate::pool::Done;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use std::fmt;
use std::io::IsTerminal;
use std::sync::atomic::Ordering;

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

/// A line for a stream, of which nobody knows how long it is.
pub(crate) fn streaming(keys: &str) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let template =
        format!("{{spinner}} {{pos}} packets, {{rate}} a second, {{msg}} new {keys}, {{elapsed}}");
    let style = ProgressStyle::with_template(&template)
        .unwrap_or_else(|_| ProgressStyle::default_spinner())
        .with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.0}", state.per_sec());
        });
    ProgressBar::new_spinner().with_style(style)
}

/// Brings a bar up to date.
pub(crate) fn show(bar: &ProgressBar, done: &Done) {
    bar.set_message(done.firsts.load(Ordering::Relaxed).to_string());
    bar.set_position(done.packets.load(Ordering::Relaxed));
    bar.tick();
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
