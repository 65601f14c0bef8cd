//! The processes of a run in one view: medians over processes.

use lockfree_cuckoo_benches::faults::Faults;
use lockfree_cuckoo_benches::quartiles::Quartiles;

use crate::build::Build;
use crate::job::Work;
use crate::results::{Cell, Latency, Process, Results, Table};

/// What the reports call the contender that all is about.
pub(crate) const FILTER: &str = "filter";

/// One kind of measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) items: usize,
    pub(crate) work: Work,
    pub(crate) threads: usize,
}

/// A share of idle time up to which threads that were meant to run at the same time mostly did.
const FREE_IDLE: f64 = 0.05;

pub(crate) struct Summary<'a> {
    results: &'a Results,
}

impl<'a> Summary<'a> {
    pub(crate) fn of(results: &'a Results) -> Self {
        Self { results }
    }

    pub(crate) fn machine(&self) -> &'a str {
        &self.results.machine
    }

    pub(crate) fn build(&self) -> Build {
        self.results.build
    }

    /// The sizes that were measured, the smallest first.
    pub(crate) fn sizes(&self) -> Vec<usize> {
        sorted(self.results.processes.iter().map(|process| process.items))
    }

    pub(crate) fn processes(&self, items: usize) -> impl Iterator<Item = &'a Process> {
        let all = self.results.processes.iter();
        all.filter(move |process| process.items == items)
    }

    /// The contenders of a size, in the order in which they were measured.
    pub(crate) fn contenders(&self, items: usize) -> Vec<&'a str> {
        let mut names = Vec::new();
        for table in self.processes(items).flat_map(|process| &process.tables) {
            if !names.contains(&&*table.contender) {
                names.push(&*table.contender);
            }
        }
        names
    }

    /// The numbers of threads with a rate of a size.
    pub(crate) fn threads(&self, items: usize) -> Vec<usize> {
        let cells = self.processes(items).flat_map(|process| &process.cells);
        sorted(cells.map(|cell| cell.threads))
    }

    fn cells(&self, contender: &str, key: Key) -> Vec<(&'a Process, &'a Cell)> {
        self.processes(key.items)
            .filter_map(|process| {
                let cell = process.cell(contender, key.work, key.threads)?;
                Some((process, cell))
            })
            .collect()
    }

    /// The median over processes of something about a cell.
    pub(crate) fn median(
        &self,
        contender: &str,
        key: Key,
        of: impl Fn(&Cell) -> f64,
    ) -> Option<f64> {
        let cells = self.cells(contender, key);
        median(cells.into_iter().map(|(_, cell)| of(cell)))
    }

    /// The ratio to the limit, and the spread: of the processes, or of the pairs if there is one process.
    pub(crate) fn ratio(&self, contender: &str, key: Key) -> Option<Quartiles> {
        match &self.cells(contender, key)[..] {
            [] => None,
            [(_, cell)] => Some(cell.ratio),
            cells => {
                let medians = cells.iter().map(|(_, cell)| cell.ratio.median);
                Some(Quartiles::of(medians.collect()))
            }
        }
    }

    /// The ratio of the filter to a rival, through the limit.
    pub(crate) fn against(&self, rival: &str, key: Key) -> Option<f64> {
        median(self.processes(key.items).filter_map(|process| {
            let of = |name| process.cell(name, key.work, key.threads);
            Some(of(FILTER)?.ratio.median / of(rival)?.ratio.median)
        }))
    }

    /// The rate of the filter on two threads by that on one, in the processes that had two cores.
    pub(crate) fn speedup(&self, items: usize, work: Work) -> Option<f64> {
        let key = |threads| Key {
            items,
            work,
            threads,
        };
        let cells = self.cells(FILTER, key(2)).into_iter();
        median(cells.filter_map(|(process, two)| {
            let one = process.cell(FILTER, work, key(1).threads)?;
            let free = process.cores.is_some_and(|cores| cores.are_free());
            (free && two.idle <= FREE_IDLE).then(|| two.rate / one.rate)
        }))
    }

    /// The rate of a contender in batches by that in single calls, and the same of the limit.
    pub(crate) fn batching(&self, key: Key, single: Work) -> Option<(f64, f64)> {
        let cells = self.cells(FILTER, key).into_iter();
        let (filter, limit): (Vec<f64>, Vec<f64>) = cells
            .filter_map(|(process, many)| {
                let one = process.cell(FILTER, single, key.threads)?;
                Some((many.rate / one.rate, many.limit / one.limit))
            })
            .unzip();
        Some((median(filter.into_iter())?, median(limit.into_iter())?))
    }

    /// What a contender is like, with the faults of all processes.
    pub(crate) fn table(&self, items: usize, contender: &str) -> Option<Table> {
        let tables = || {
            let all = self.processes(items).flat_map(|process| &process.tables);
            all.filter(|table| table.contender == contender)
        };
        Some(Table {
            faults: tables().map(|table| table.faults).sum::<Faults>(),
            ..tables().next()?.clone()
        })
    }

    /// The latencies of a size and a number of threads, by contender.
    pub(crate) fn latencies(
        &self,
        items: usize,
        threads: usize,
        contender: &str,
    ) -> Vec<&'a Latency> {
        let all = self.processes(items).flat_map(|process| &process.latencies);
        all.filter(|latency| latency.threads == threads && latency.contender == contender)
            .collect()
    }

    /// The numbers of threads with latencies of a size.
    pub(crate) fn latency_threads(&self, items: usize) -> Vec<usize> {
        let all = self.processes(items).flat_map(|process| &process.latencies);
        sorted(all.map(|latency| latency.threads))
    }
}

/// The median of what there is.
pub(crate) fn median(sample: impl Iterator<Item = f64>) -> Option<f64> {
    let sample: Vec<f64> = sample.collect();
    (!sample.is_empty()).then(|| Quartiles::of(sample).median)
}

fn sorted(numbers: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut numbers: Vec<usize> = numbers.collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
