//! The child: runs one job.

use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use lockfree_cuckoo_benches::rivals;
use lockfree_cuckoo_benches::{
    About, Cell, Contender, Duel, Keys, Limit, Quantiles, Rig, Visitor, Watch, Work, allocated,
    cores, items_name,
};

use crate::options::{Job, LATENCY};
use crate::results::{Measured, Process};

/// Runs the job.
pub(crate) fn run(job: &Job) -> Process {
    let mut bench = Bench {
        job,
        keys: Arc::new(Keys::generate(job.items)),
        watch: Watch::default(),
        found: Vec::new(),
    };
    rivals::visit_all(&mut bench);
    Process {
        speedup: bench.watch.speedup(),
        contenders: bench.found,
    }
}

struct Bench<'a> {
    job: &'a Job,
    keys: Arc<Keys>,
    watch: Watch,
    found: Vec<Measured>,
}

impl Visitor for Bench<'_> {
    fn visit<C: Contender>(&mut self, name: &'static str) {
        if self.job.contenders.iter().any(|asked| asked == name) {
            eprintln!("{} items: {name}", items_name(self.job.items));
            let measured = self.measure::<C>(name);
            self.found.push(measured);
            self.watch.look();
        }
    }
}

impl Bench<'_> {
    fn measure<C: Contender>(&self, name: &str) -> Measured {
        // Every page is touched before the clock runs.
        let before = allocated();
        let mut rig = Rig::<C>::full(&self.keys);
        let taken = || Some(allocated()?.saturating_sub(before?));
        let taken = rig.table().size().1.or_else(taken);
        let mut limit = Rig::<Limit>::full(&self.keys);
        let mut duel = Duel::new(&mut rig, &mut limit);
        let mut cells = Vec::new();
        for &work in Work::value_variants() {
            if self.job.asks_for(&work.name()) && work.suits::<C>() {
                cells.extend(self.rates(&mut duel, work));
            }
        }
        duel.one.check();
        let mut latencies = Vec::new();
        if self.job.asks_for(LATENCY) && C::REMOVES && C::SHARED {
            latencies = self.latencies(duel.one);
            duel.one.check();
        }
        Measured {
            name: name.to_owned(),
            about: About::of(&rig, taken),
            cells,
            latencies,
        }
    }

    fn rates<C: Contender>(&self, duel: &mut Duel<'_, C, Limit>, work: Work) -> Vec<Cell> {
        // More threads than cores run in turns: then only hits and mixed work are measured.
        let most = match work {
            Work::Hit | Work::Mixed => usize::MAX,
            _ => cores(),
        };
        let most = if C::SHARED { most } else { 1 };
        let threads = self.job.threads.iter().filter(|&&threads| threads <= most);
        threads
            .map(|&threads| duel.cell(work, threads, self.job.time, self.job.pairs))
            .collect()
    }

    fn latencies<C: Contender>(&self, rig: &mut Rig<C>) -> Vec<(usize, Quantiles)> {
        /// A time longer than a thread runs at a stretch when others wait.
        const TURN: Duration = Duration::from_millis(15);
        let threads = self.job.threads.iter();
        let threads = threads.filter(|&&threads| threads > 1);
        let latency = |&threads: &usize| {
            // Long enough for each thread to lose its processor several times in the middle of an
            // operation.
            let time = self.job.time.max(TURN * threads as u32);
            (threads, rig.mix_timed(threads, time).quantiles())
        };
        threads.map(latency).collect()
    }
}
