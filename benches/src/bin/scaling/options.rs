//! The command line, and the jobs that follow from it.

use std::iter;
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser};
use clap::{Parser, ValueEnum};
use lockfree_cuckoo_benches::rivals;
use lockfree_cuckoo_benches::{BEYOND_CACHE, Common, IN_CACHE, Work, cores};
use serde::{Deserialize, Serialize};

/// Measures the filter, the limit and the rivals in one run.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) common: Common,

    /// Measures only these contenders
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(rivals::names()))]
    contenders: Option<Vec<String>>,

    /// Measures only these kinds of work
    #[arg(long, value_delimiter = ',', value_parser = PossibleValuesParser::new(kinds_of_work()))]
    work: Option<Vec<String>>,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_values_t = numbers_of_threads(cores()))]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=MOST_THREADS as u64))]
    pub(crate) threads: Vec<usize>,

    /// Processes, a number for each size; the last one stands for the sizes after it, too
    /// [default: 5, of large filters 1]
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u16).range(1..))]
    processes: Vec<u16>,

    /// The directory for the JSON and the plots
    #[arg(long, default_value = "target/scaling")]
    pub(crate) out: PathBuf,

    /// Files with marks for tables, which are written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    pub(crate) into: Vec<PathBuf>,

    /// Measures nothing, and writes the tables of earlier runs from their JSON files
    #[arg(long, value_delimiter = ',', value_name = "FILES", requires = "into")]
    pub(crate) from: Vec<PathBuf>,
}

pub(crate) const LATENCY: &str = "latency";

/// Returns the numbers of threads for a machine: powers of two up to the number of processors, that
/// number, and some in which threads wait for a processor.
fn numbers_of_threads(cores: usize) -> Vec<usize> {
    let powers = iter::successors(Some(1), |&threads| Some(2 * threads));
    let powers = powers.take_while(|&threads| threads < cores);
    let more = [1, 4, 32].map(|times| (times * cores).min(MOST_THREADS));
    powers.chain(more).collect()
}

const MOST_THREADS: usize = 1024;

/// Returns the kinds of work for the command line.
fn kinds_of_work() -> Vec<PossibleValue> {
    let rated = Work::value_variants().iter();
    let latency = PossibleValue::new(LATENCY);
    let latency = latency.help("Single operations of mixed work, by more threads than one");
    let rated = rated.filter_map(|work| work.to_possible_value());
    rated.chain([latency]).collect()
}

/// The job of one child.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) items: usize,
    pub(crate) contenders: Vec<String>,
    work: Vec<String>,
    pub(crate) threads: Vec<usize>,
    /// The time of each measurement.
    pub(crate) time: Duration,
    /// The fewest pairs of slices in a measurement.
    pub(crate) pairs: usize,
}

impl Job {
    pub(crate) fn asks_for(&self, work: &str) -> bool {
        self.work.iter().any(|name| name == work)
    }
}

impl Options {
    /// Returns the jobs, one for each process. The sizes take turns, so that a disturbance does not
    /// meet one size alone.
    pub(crate) fn jobs(&self) -> Vec<Job> {
        let processes = |at, items| match (self.processes.get(at), self.processes.last()) {
            (Some(&processes), _) | (None, Some(&processes)) => processes,
            _ if items > BEYOND_CACHE => 1,
            _ => 5,
        };
        let sizes = self.common.sizes.iter().enumerate();
        let sizes: Vec<_> = sizes
            .map(|(at, &items)| (items, processes(at, items)))
            .collect();
        let most = sizes.iter().map(|&(_, processes)| processes).max();
        let of_turn = |turn| {
            let sizes = sizes
                .iter()
                .filter(move |&&(_, processes)| turn < processes);
            sizes.map(|&(items, _)| self.job(items))
        };
        (0..most.unwrap_or(0)).flat_map(of_turn).collect()
    }

    fn job(&self, items: usize) -> Job {
        let contenders = || {
            let mut names = rivals::names();
            names.retain(|name| items <= BEYOND_CACHE || !rivals::LARGE.contains(name));
            names.into_iter().map(str::to_owned).collect()
        };
        let work = || {
            let kinds = kinds_of_work().into_iter();
            kinds.map(|kind| kind.get_name().to_owned()).collect()
        };
        let pairs = match items {
            ..=IN_CACHE => 5,
            _ if items <= BEYOND_CACHE => 2,
            // A filling takes half a minute.
            _ => 1,
        };
        Job {
            items,
            contenders: self.contenders.clone().unwrap_or_else(contenders),
            work: self.work.clone().unwrap_or_else(work),
            threads: self.threads.clone(),
            time: self.common.time,
            pairs,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(arguments: &str) -> Vec<Job> {
        let words = arguments.split_whitespace();
        Options::parse_from(["scaling"].into_iter().chain(words)).jobs()
    }

    #[test]
    fn threads_follow_the_processors() {
        assert_eq!(numbers_of_threads(1), [1, 4, 32]);
        assert_eq!(numbers_of_threads(2), [1, 2, 8, 64]);
        assert_eq!(numbers_of_threads(6), [1, 2, 4, 6, 24, 192]);
        assert_eq!(numbers_of_threads(16), [1, 2, 4, 8, 16, 64, 512]);
        assert_eq!(numbers_of_threads(64)[6..], [64, 256, 1024]);
    }

    #[test]
    fn sizes_take_turns_and_large_contenders_skip_the_largest() {
        let jobs = jobs("--sizes 1M,100M --work hit,latency");
        let items: Vec<usize> = jobs.iter().map(|job| job.items / 1_000_000).collect();
        assert_eq!(items, [1, 100, 1, 1, 1, 1]);
        let told = self::jobs("--sizes 1M,2M,3M --processes 3,1");
        let items: Vec<usize> = told.iter().map(|job| job.items / 1_000_000).collect();
        assert_eq!(items, [1, 2, 3, 1, 1]);
        assert_eq!(jobs[0].work, ["hit", LATENCY]);
        let has = |job: &Job, name: &str| job.contenders.iter().any(|one| one == name);
        assert!(has(&jobs[0], "filter") && has(&jobs[0], "papaya"));
        assert!(has(&jobs[1], "filter") && !has(&jobs[1], "papaya"));
    }
}
