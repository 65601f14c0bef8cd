//! The results of a run, and their medians over its processes.

use std::collections::BTreeSet;

use lockfree_cuckoo_benches::rivals::FILTER;
use lockfree_cuckoo_benches::{About, Cell, Quantiles, Work, median};
use serde::{Deserialize, Serialize};

/// The results of one contender. Its cells are beside the limit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) name: String,
    pub(crate) about: About,
    pub(crate) cells: Vec<Cell>,
    /// The times of single operations of mixed work, by the number of threads.
    pub(crate) latencies: Vec<(usize, Quantiles)>,
}

/// The results of one child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Process {
    /// Corresponds to [`Watch::speedup`](lockfree_cuckoo_benches::Watch::speedup).
    pub(crate) speedup: f64,
    pub(crate) contenders: Vec<Measured>,
}

/// A kind of measurement: the work, and the number of threads.
pub(crate) type Key = (Work, usize);

impl Process {
    fn of(&self, contender: &str) -> Option<&Measured> {
        self.contenders.iter().find(|of| of.name == contender)
    }

    fn cell(&self, contender: &str, key: Key) -> Option<&Cell> {
        let mut cells = self.of(contender)?.cells.iter();
        cells.find(|cell| (cell.work, cell.threads) == key)
    }
}

/// The results of one size: of each process, about the same contenders.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Size {
    pub(crate) items: usize,
    /// The numbers of threads that were asked for.
    pub(crate) threads: Vec<usize>,
    pub(crate) processes: Vec<Process>,
}

impl Size {
    /// Returns the contenders, in the order in which they were measured.
    pub(crate) fn contenders(&self) -> impl Iterator<Item = &str> {
        let first = self.processes.iter().take(1);
        first.flat_map(|process| process.contenders.iter().map(|of| of.name.as_str()))
    }

    /// Returns the median of a value over the processes that have it.
    fn over_processes(&self, of: impl Fn(&Process) -> Option<f64>) -> Option<f64> {
        median(self.processes.iter().filter_map(of))
    }

    /// Returns the median of a value of a cell.
    pub(crate) fn cell(&self, contender: &str, key: Key, of: fn(&Cell) -> f64) -> Option<f64> {
        self.over_processes(|process| process.cell(contender, key).map(of))
    }

    /// Returns the ratio of a contender to the limit.
    pub(crate) fn ratio(&self, contender: &str, key: Key) -> Option<f64> {
        self.cell(contender, key, |cell| cell.ratio)
    }

    /// Returns the rate of the limit.
    pub(crate) fn limit(&self, key: Key) -> Option<f64> {
        median(
            self.contenders()
                .filter_map(|name| self.cell(name, key, |cell| cell.other)),
        )
    }

    /// Returns the rate of a contender on some threads, divided by its rate on one thread.
    pub(crate) fn speedup(&self, contender: &str, key: Key) -> Option<f64> {
        self.by_one_thread(contender, key, |cell| cell.rate)
    }

    /// Returns the rate of the limit on some threads, divided by its rate on one thread.
    pub(crate) fn limit_speedup(&self, key: Key) -> Option<f64> {
        let names = self.contenders();
        median(names.filter_map(|name| self.by_one_thread(name, key, |cell| cell.other)))
    }

    /// Divides a value of a cell by that on one thread in the same process; `None` on one thread.
    fn by_one_thread(&self, contender: &str, key: Key, of: fn(&Cell) -> f64) -> Option<f64> {
        let (work, threads) = key;
        self.over_processes(|process| {
            let one = process.cell(contender, (work, 1)).filter(|_| threads > 1)?;
            Some(of(process.cell(contender, key)?) / of(one))
        })
    }

    /// Returns the ratio of the filter to a rival, through the limit.
    pub(crate) fn against(&self, rival: &str, key: Key) -> Option<f64> {
        self.over_processes(|process| {
            let of = |name| process.cell(name, key);
            Some(of(FILTER)?.ratio / of(rival)?.ratio)
        })
    }

    /// Returns the properties of a contender, with the failures of all processes.
    pub(crate) fn about(&self, contender: &str) -> Option<About> {
        let processes = self.processes.iter();
        let about = processes.filter_map(|process| Some(process.of(contender)?.about));
        about.reduce(|mut sum, about| {
            sum.faults += about.faults;
            sum
        })
    }

    /// Returns the median of a latency of a contender on this many threads, in nanoseconds.
    pub(crate) fn latency(
        &self,
        contender: &str,
        threads: usize,
        of: impl Fn(&Quantiles) -> u64,
    ) -> Option<f64> {
        self.over_processes(|process| {
            let mut latencies = process.of(contender)?.latencies.iter();
            let (_, times) = latencies.find(|of| of.0 == threads)?;
            Some(of(times) as f64)
        })
    }
}

/// The results of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Results {
    pub(crate) machine: String,
    /// The command that repeats them.
    pub(crate) command: String,
    /// The processors that the run could use.
    pub(crate) cores: usize,
    pub(crate) sizes: Vec<Size>,
}

impl Results {
    /// Returns the numbers of threads that were asked for, in order: those that have a processor
    /// for each thread, or all if none has.
    pub(crate) fn threads_with_processors(&self) -> Vec<usize> {
        let asked = self.sizes.iter().flat_map(|size| size.threads.iter());
        let all: BTreeSet<usize> = asked.copied().collect();
        let some = all.iter().copied().filter(|&threads| threads <= self.cores);
        let some: Vec<usize> = some.collect();
        match some[..] {
            [] => all.into_iter().collect(),
            _ => some,
        }
    }
}
