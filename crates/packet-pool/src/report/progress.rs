//! Progress, for long work that somebody is watching.

use crate::keys::Mode;
use crate::pool::Done;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::{self, IsTerminal};
use std::sync::atomic::Ordering;

/// Below this many bytes a file is read before a bar could be looked at.
const LONG_FILE_BYTES: u64 = 32 << 20;

/// The same for packets, all the passes counted.
const LONG_WORK_PACKETS: u64 = 4_000_000;

/// A bar for the reading of a file, if it is long.
pub(crate) fn reading(bytes: u64) -> ProgressBar {
    let template = "reading  [{bar:40}] {bytes} of {total_bytes}, {eta} left";
    bar(bytes >= LONG_FILE_BYTES, Some(bytes), template)
}

/// A bar for the count before the work; of a compressed file nobody knows how much is in it.
pub(crate) fn counting(bytes: Option<u64>) -> ProgressBar {
    let template = match bytes {
        Some(_) => "counting [{bar:40}] {bytes} of {total_bytes}, {eta} left",
        None => "{spinner} counting the packets, {bytes} read",
    };
    bar(
        bytes.is_none_or(|bytes| bytes >= LONG_FILE_BYTES),
        bytes,
        template,
    )
}

/// A bar for the work on so many packets, if they are many.
pub(crate) fn working(packets: u64) -> ProgressBar {
    let template = "working  [{bar:40}] packet {pos} of {len}, {eta} left";
    bar(packets >= LONG_WORK_PACKETS, Some(packets), template)
}

/// A line for a stream, of which nobody knows how long it is. Hidden if it would be among others on the terminal.
pub(crate) fn streaming(mode: Mode, prints: bool) -> ProgressBar {
    let template = format!(
        "{{spinner}} {{pos}} packets, {{per_sec}}, {{msg}} new {}, {{elapsed}}",
        mode.plural()
    );
    bar(!(prints && io::stdout().is_terminal()), None, &template)
}

/// Brings a bar up to date.
pub(crate) fn show(bar: &ProgressBar, done: &Done) {
    bar.set_message(done.firsts.load(Ordering::Relaxed).to_string());
    bar.set_position(done.packets.load(Ordering::Relaxed));
    bar.tick();
}

/// Hidden if nobody would see it.
fn bar(wanted: bool, length: Option<u64>, template: &str) -> ProgressBar {
    if !wanted || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).map(|style| match length {
        Some(_) => style.progress_chars("=> "),
        None => style,
    });
    let bar = match length {
        Some(length) => ProgressBar::new(length),
        None => ProgressBar::new_spinner(),
    };
    bar.with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
