//! The child: does one job and writes what it finds as lines of JSON.

use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

use hdrhistogram::Histogram;
use lockfree_cuckoo_benches::contender::Contender;
use lockfree_cuckoo_benches::cores::Watch;
use lockfree_cuckoo_benches::keys::Keys;
use lockfree_cuckoo_benches::machine::cores;
use lockfree_cuckoo_benches::rivals::{self, Visitor};

use crate::duel::{Duel, Slice, lookups};
use crate::job::{Job, Work};
use crate::results::{Latency, Line, Point, Quantiles, Table};

/// Does the job.
pub(crate) fn run(job: &Job) -> io::Result<()> {
    let mut bench = Bench {
        job,
        keys: Arc::new(Keys::generate(job.items)),
        watch: Watch::default(),
        written: Ok(()),
    };
    rivals::visit_all(&mut bench);
    let Bench { watch, written, .. } = bench;
    written?;
    write(&Line::Cores(watch.report()))
}

fn write(line: &Line) -> io::Result<()> {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, line)?;
    out.write_all(b"\n")?;
    out.flush()
}

/// More than a thread runs at a stretch when others wait.
const TURN: Duration = Duration::from_millis(15);

struct Bench<'a> {
    job: &'a Job,
    keys: Arc<Keys>,
    watch: Watch,
    /// The first failure to write.
    written: io::Result<()>,
}

impl Visitor for Bench<'_> {
    fn visit<C: Contender>(&mut self) {
        if self.job.contenders.iter().any(|name| name == C::NAME) {
            self.measure::<C>();
            self.watch.look();
        }
    }
}

impl Bench<'_> {
    fn report(&mut self, line: Line) {
        if self.written.is_ok() {
            self.written = write(&line);
        }
    }

    fn measure<C: Contender>(&mut self) {
        self.report(Line::Begin {
            contender: C::NAME.to_owned(),
        });
        let mut duel = Duel::<C>::new(&self.keys);
        // Every page is touched before the clock runs.
        duel.fill(Work::Insert, C::MOST_THREADS.min(2));
        let absent = self.keys.absent.len();
        let wrong = duel.one.miss(absent, 1).1;
        for work in Work::RATED {
            self.rates(&mut duel, work);
        }
        duel.one.audit();
        if self.job.asks_for(Work::Latency) && C::REMOVES {
            self.latencies(&mut duel);
            duel.one.audit();
        }
        if self.job.asks_for(Work::Curve) {
            self.curve(&mut duel);
        }
        let table = duel.one.table();
        self.report(Line::Table(Table {
            contender: C::NAME.to_owned(),
            load: (table.slots() > 0).then(|| self.job.items as f64 / table.slots() as f64),
            bytes: table.bytes(),
            false_positives: wrong as f64 / absent as f64,
            faults: duel.one.faults(),
            removes: C::REMOVES,
            concurrent: C::MOST_THREADS > 1,
            one_lock: C::ONE_LOCK,
        }));
    }

    fn rates<C: Contender>(&mut self, duel: &mut Duel<C>, work: Work) {
        let able = (C::REMOVES || !work.removes()) && (C::BATCHED || !work.is_batched());
        if !self.job.asks_for(work) || !able {
            return;
        }
        for &threads in &self.job.threads {
            let meant = threads <= cores() || work.is_oversubscribed();
            if meant && threads <= C::MOST_THREADS {
                let cell = duel.cell(work, threads, self.job.time(), self.job.pairs);
                self.report(Line::Cell(cell));
            }
        }
    }

    fn latencies<C: Contender>(&mut self, duel: &mut Duel<C>) {
        for &threads in &self.job.threads {
            if threads <= cores() || threads > C::MOST_THREADS {
                continue;
            }
            // Long enough for each thread to lose its processor several times, in the middle of something.
            let time = self.job.time().max(TURN * threads as u32);
            let (_, times) = duel.one.mix_timed(threads, time);
            self.report(Line::Latency(Latency {
                contender: C::NAME.to_owned(),
                threads,
                lookup: quantiles(&times.lookup),
                insert: quantiles(&times.insert),
                remove: quantiles(&times.remove),
            }));
        }
    }

    fn curve<C: Contender>(&mut self, duel: &mut Duel<C>) {
        duel.one.clear();
        duel.limit.clear();
        let mut inserted = 0;
        let lookups = lookups(self.job.items);
        for load in (5..=95).step_by(5) {
            let items = self.job.items * load / 95;
            let laps = duel.fill_on(Work::Insert, inserted..items, 1);
            let insert = (items - inserted, laps);
            inserted = items;
            let hit = duel.turns(
                |rig| rig.hit_first(items, lookups, 1),
                |rig| rig.hit_first(items, lookups, 1),
            );
            let miss = duel.turns(|rig| rig.miss(lookups, 1).0, |rig| rig.miss(lookups, 1).0);
            let [of_one, of_limit] = [0, 1].map(|which| {
                let rate = |ops, (one, limit)| {
                    let lap = [one, limit][which];
                    Slice { ops, lap }.rate(1)
                };
                (
                    rate(insert.0, insert.1),
                    rate(lookups, hit),
                    rate(lookups, miss),
                )
            });
            for (contender, (insert, hit, miss)) in [(C::NAME, of_one), ("limit", of_limit)] {
                self.report(Line::Point(Point {
                    contender: contender.to_owned(),
                    load,
                    insert,
                    hit,
                    miss,
                }));
            }
        }
    }
}

fn quantiles(times: &Histogram<u64>) -> Quantiles {
    let at = |quantile| times.value_at_quantile(quantile) as f64;
    Quantiles {
        p50: at(0.5),
        p99: at(0.99),
        p999: at(0.999),
        longest: times.max() as f64,
        operations: times.len(),
    }
}
