//! What children report, line by line, and the parent collects.

use lockfree_cuckoo_benches::cores::Cores;
use lockfree_cuckoo_benches::faults::Faults;
use lockfree_cuckoo_benches::quartiles::Quartiles;
use serde::{Deserialize, Serialize};

use crate::build::Build;
use crate::job::Work;

/// One line on the standard output of a child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "kebab-case")]
pub(crate) enum Line {
    /// A contender is being measured.
    Begin {
        contender: String,
    },
    Cell(Cell),
    Point(Point),
    Latency(Latency),
    Table(Table),
    Cores(Cores),
}

/// A rate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cell {
    pub(crate) contender: String,
    pub(crate) work: Work,
    pub(crate) threads: usize,
    /// The paired ratios to the limit.
    pub(crate) ratio: Quartiles,
    pub(crate) pairs: usize,
    /// Operations per second, the median.
    pub(crate) rate: f64,
    /// Those of the limit.
    pub(crate) limit: f64,
    /// The share of the time in which the slowest thread had no processor.
    pub(crate) idle: f64,
    /// Pairs that are left out, because a thread had to wait for a processor.
    pub(crate) disturbed: usize,
}

/// Rates on one thread at a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Point {
    pub(crate) contender: String,
    /// In percent, of a table that the items fill to 95.
    pub(crate) load: usize,
    /// Of the inserts that led to this load.
    pub(crate) insert: f64,
    pub(crate) hit: f64,
    pub(crate) miss: f64,
}

/// The times of single operations of mixed work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Latency {
    pub(crate) contender: String,
    pub(crate) threads: usize,
    pub(crate) lookup: Quantiles,
    pub(crate) insert: Quantiles,
    pub(crate) remove: Quantiles,
}

/// Of times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
    pub(crate) p999: f64,
    pub(crate) longest: f64,
    pub(crate) operations: u64,
}

/// What a contender is like, and what went wrong with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Table {
    pub(crate) contender: String,
    pub(crate) load: Option<f64>,
    pub(crate) bytes: Option<usize>,
    pub(crate) false_positives: f64,
    pub(crate) faults: Faults,
    pub(crate) removes: bool,
    pub(crate) concurrent: bool,
    pub(crate) one_lock: bool,
}

/// All that one child reported.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Process {
    pub(crate) items: usize,
    pub(crate) cores: Option<Cores>,
    pub(crate) cells: Vec<Cell>,
    pub(crate) points: Vec<Point>,
    pub(crate) latencies: Vec<Latency>,
    pub(crate) tables: Vec<Table>,
}

impl Process {
    pub(crate) fn add(&mut self, line: Line) {
        match line {
            Line::Begin { .. } => {}
            Line::Cell(cell) => self.cells.push(cell),
            Line::Point(point) => self.points.push(point),
            Line::Latency(latency) => self.latencies.push(latency),
            Line::Table(table) => self.tables.push(table),
            Line::Cores(cores) => self.cores = Some(cores),
        }
    }

    pub(crate) fn cell(&self, contender: &str, work: Work, threads: usize) -> Option<&Cell> {
        self.cells.iter().find(|cell| {
            cell.contender == contender && cell.work == work && cell.threads == threads
        })
    }
}

/// What the processes of one build found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    pub(crate) machine: String,
    pub(crate) build: Build,
    pub(crate) processes: Vec<Process>,
}

/// What the program writes: the results of each build.
pub(crate) type Run = Vec<Results>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_survive_the_pipe() {
        let quantiles = Quantiles {
            p50: 40.0,
            p99: 90.5,
            p999: 1e6,
            longest: 1e7,
            operations: 3,
        };
        let lines = [
            Line::Begin {
                contender: "filter".to_owned(),
            },
            Line::Cell(Cell {
                contender: "filter".to_owned(),
                work: Work::HitMany,
                threads: 2,
                ratio: Quartiles::of(vec![0.1 + 0.2, 0.5]),
                pairs: 2,
                rate: 1.0 / 3.0,
                limit: 1e9,
                idle: 0.0,
                disturbed: 1,
            }),
            Line::Latency(Latency {
                contender: "filter".to_owned(),
                threads: 64,
                lookup: quantiles,
                insert: quantiles,
                remove: quantiles,
            }),
            Line::Table(Table {
                contender: "filter".to_owned(),
                load: Some(0.95),
                bytes: None,
                false_positives: 0.0,
                faults: Faults::default(),
                removes: true,
                concurrent: true,
                one_lock: false,
            }),
            Line::Cores(Cores {
                speedup: 1.9,
                stolen: None,
            }),
        ];
        for line in lines {
            let text = serde_json::to_string(&line).expect("a line");
            assert!(!text.contains('\n'));
            let back: Line = serde_json::from_str(&text).expect("the same line");
            assert_eq!(back, line);
        }
    }
}
