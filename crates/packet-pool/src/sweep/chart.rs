//! The picture of a sweep.

use super::rivals::Rival;
use charts::machine::machine;
use charts::{Axis, Chart, Scale, Series};
use std::io;
use std::path::Path;

/// Million packets a second, by rival and number of workers.
pub(crate) struct Sweep {
    pub(crate) workers: Vec<usize>,
    pub(crate) lines: Vec<(Rival, Vec<f64>)>,
    /// The same as parts of the limit.
    pub(crate) parts: Vec<(Rival, Vec<f64>)>,
}

/// Draws it into a file; `what` says what was measured.
pub(crate) fn draw(sweep: &Sweep, what: &str, path: &Path) -> io::Result<()> {
    let axis = |label: &str| Axis {
        label: label.to_owned(),
        scale: Scale::Linear,
    };
    let workers = || sweep.workers.iter().map(|&workers| workers as f64);
    let series = |(rival, figures): &(Rival, Vec<f64>)| Series {
        name: rival.name().to_owned(),
        points: workers().zip(figures.iter().copied()).collect(),
        // What is no way to do the job.
        dashed: *rival == Rival::Nothing,
    };
    let chart = Chart {
        title: "Throughput of packet-pool by workers".to_owned(),
        mix: what.to_owned(),
        machine: machine(),
        x: axis("worker threads"),
        y: axis("million packets per second"),
        series: sweep.lines.iter().map(series).collect(),
    };
    chart.write_svg(path)
}
