//! The command line, and the jobs that follow from it.

use std::path::PathBuf;

use clap::Parser;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::rivals::{self, Visitor};
use lockfree_cuckoo_benches::size::{BEYOND_CACHE, IN_CACHE, LARGE, items_of};

use crate::build::Build;
use crate::job::{Job, Work};

/// Measures the filter, the limit and the rivals in one run, and compares with the goals.
#[derive(Debug, Parser)]
pub(crate) struct Options {
    /// Measures less, in under three minutes
    #[arg(long)]
    quick: bool,

    /// Also measures filters of 100 million items
    #[arg(long)]
    large: bool,

    /// Measures only these contenders, by name: filter,dashmap
    #[arg(long, value_delimiter = ',', value_parser = contender_of)]
    contenders: Option<Vec<String>>,

    /// Measures only these kinds of work, by name
    #[arg(long, value_delimiter = ',')]
    work: Option<Vec<Work>>,

    /// The builds that are measured; both, unless --quick is given
    #[arg(long, value_delimiter = ',')]
    builds: Option<Vec<Build>>,

    /// Numbers of items: 1M,10M
    #[arg(long, value_delimiter = ',', value_parser = items_of)]
    sizes: Option<Vec<usize>>,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 4, 16, 64], value_parser = threads_of)]
    threads: Vec<usize>,

    /// Processes for each size
    #[arg(long)]
    processes: Option<usize>,

    /// Seconds for each measurement
    #[arg(long, value_parser = seconds_of)]
    seconds: Option<f64>,

    /// The directory for the JSON and the plots
    #[arg(long, default_value = "target/scaling")]
    pub(crate) out: PathBuf,

    /// Measures nothing, and draws the plots of an earlier run, from its JSON
    #[arg(long, value_name = "FILE")]
    pub(crate) draw: Option<PathBuf>,

    /// The job of a child
    #[arg(long, hide = true)]
    pub(crate) child: Option<String>,
}

/// At 10 million items a quick run has time for the filter, its nearest rival, and the sets that came first
/// in writing and in looking up.
const QUICK_BEYOND_CACHE: [&str; 4] = ["filter", "atomic-cuckoo-filter", "dashmap", "scc-index"];

fn contender_of(name: &str) -> Result<String, String> {
    let names = rivals::names();
    if names.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("must be one of {}", names.join(", ")))
    }
}

fn threads_of(number: &str) -> Result<usize, String> {
    match number.parse() {
        Ok(threads @ 1..=1024) => Ok(threads),
        _ => Err("must be 1 to 1024 threads".to_owned()),
    }
}

fn seconds_of(number: &str) -> Result<f64, String> {
    match number.parse() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("must be 0 to 3600 seconds".to_owned()),
    }
}

impl Options {
    /// The builds, the one that is drawn first.
    pub(crate) fn builds(&self) -> Vec<Build> {
        let usual = || match self.quick {
            true => vec![Build::Default],
            false => vec![Build::Default, Build::Native],
        };
        self.builds.clone().unwrap_or_else(usual)
    }

    /// The jobs, one for each process. The sizes take turns, so that a time of trouble does not meet one
    /// size alone.
    pub(crate) fn jobs(&self) -> Result<Vec<Job>, String> {
        let mut sizes = self
            .sizes
            .clone()
            .unwrap_or_else(|| vec![IN_CACHE.items, BEYOND_CACHE.items]);
        if self.large && !sizes.contains(&LARGE.items) {
            sizes.push(LARGE.items);
        }
        let processes = |items| self.processes.unwrap_or(self.usual_processes(items));
        let most = sizes.iter().map(|&items| processes(items)).max();
        let mut jobs = Vec::new();
        for process in 0..most.unwrap_or(0) {
            let sizes = sizes.iter().filter(|&&items| process < processes(items));
            jobs.extend(sizes.map(|&items| self.job(items, process)));
        }
        if jobs.is_empty() {
            Err("nothing to measure".to_owned())
        } else {
            Ok(jobs)
        }
    }

    fn usual_processes(&self, items: usize) -> usize {
        match (self.quick, items) {
            (true, _) if items <= IN_CACHE.items => 2,
            (true, _) => 1,
            (false, _) if items <= BEYOND_CACHE.items => 5,
            (false, _) => 2,
        }
    }

    fn job(&self, items: usize, process: usize) -> Job {
        let small = items <= IN_CACHE.items;
        let mut work = self.work.clone().unwrap_or_else(|| {
            // Both fill tables again and again.
            let rest = [Work::Curve, Work::Latency];
            let all = Work::RATED.into_iter().chain(rest);
            all.filter(|work| items <= BEYOND_CACHE.items || Work::RATED.contains(work))
                .collect()
        });
        let mut threads = self.threads.clone();
        if self.quick && (process > 0 || !small) {
            work.retain(|work| Work::RATED.contains(work));
            threads.retain(|&threads| threads <= cores());
        }
        let (seconds, pairs) = match (self.quick, small) {
            (true, true) => (0.06, 2),
            (true, false) => (0.06, 1),
            (false, true) => (0.5, 5),
            (false, false) => (0.5, 2),
        };
        Job {
            items,
            contenders: self.contenders(items),
            work,
            threads,
            seconds: self.seconds.unwrap_or(seconds),
            pairs,
        }
    }

    fn contenders(&self, items: usize) -> Vec<String> {
        struct Filters(Vec<&'static str>);
        impl Visitor for Filters {
            fn visit<C: Contender>(&mut self) {
                if !C::IS_SET {
                    self.0.push(C::NAME);
                }
            }
        }
        if let Some(named) = &self.contenders {
            return named.clone();
        }
        let names = if items > BEYOND_CACHE.items {
            let mut filters = Filters(Vec::new());
            rivals::visit_all(&mut filters);
            filters.0
        } else if self.quick && items > IN_CACHE.items {
            QUICK_BEYOND_CACHE.to_vec()
        } else {
            rivals::names()
        };
        names.into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jobs(arguments: &str) -> Vec<Job> {
        let words = arguments.split_whitespace();
        let options = Options::parse_from(["scaling"].into_iter().chain(words));
        options.jobs().expect("something to measure")
    }

    #[test]
    fn filters_choose_a_part() {
        let arguments =
            "--contenders filter,dashmap --work hit,miss-many --sizes 20k --processes 1";
        let [job] = &jobs(arguments)[..] else {
            panic!("one size, one process");
        };
        assert_eq!(job.contenders, ["filter", "dashmap"]);
        assert_eq!(job.work, [Work::Hit, Work::MissMany]);
        assert_eq!(job.items, 20_000);
    }

    #[test]
    fn large_tables_are_filters() {
        let jobs = jobs("--large");
        let large = jobs.iter().filter(|job| job.items == LARGE.items);
        let names: Vec<&String> = large.flat_map(|job| &job.contenders).collect();
        assert!(names.iter().any(|name| *name == "filter"));
        assert!(!names.iter().any(|name| *name == "dashmap"));
    }

    #[test]
    fn quick_contenders_exist() {
        for name in QUICK_BEYOND_CACHE {
            assert!(contender_of(name).is_ok(), "{name}");
        }
        assert!(contender_of("none").is_err());
    }
}
