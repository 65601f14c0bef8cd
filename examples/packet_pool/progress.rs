//! Progress bars, for long work that somebody is watching.

use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;

/// Below this many bytes a file is read before a bar could be looked at.
const LONG_FILE_BYTES: u64 = 32 << 20;

/// The same for packets, all the passes counted.
const LONG_WORK_PACKETS: u64 = 4_000_000;

/// A bar for the reading of a file of `bytes` bytes.
pub(crate) fn reading(bytes: u64) -> ProgressBar {
    let template = "reading  [{bar:40}] {bytes} of {total_bytes}, {eta} left";
    bar(bytes, bytes >= LONG_FILE_BYTES, template)
}

/// A bar for the work on `packets` packets, moved on in batches. Nothing if
/// the work is short or nobody watches.
pub(crate) fn working(packets: u64) -> Option<ProgressBar> {
    let template = "working  [{bar:40}] batch {pos} of {len}, {eta} left";
    let bar = bar(0, packets >= LONG_WORK_PACKETS, template);
    (!bar.is_hidden()).then_some(bar)
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
