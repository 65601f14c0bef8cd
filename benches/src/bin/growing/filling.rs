//! Fillings from a small first size: measures the rate, and the longest single insert.

use std::env;
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::{
    Cell, Duel, Keys, Pair, Rig, Table, Work, cores, have_done, insert_timed, items_name, or_dash,
    rate_and_ratio,
};
use serde::{Deserialize, Serialize};

use crate::contenders::{Growing, Visitor, visit_all};

struct Fillings<'a> {
    keys: &'a Arc<Keys>,
    start: usize,
    times: u32,
    table: Table,
}

/// Measures and prints. The fixed filter is measured too; it alone gets its final size.
pub(crate) fn measure(keys: &Arc<Keys>, start: usize, times: u32) {
    let items = keys.stored.len();
    let mut fillings = Fillings {
        keys,
        start: items,
        times,
        table: Table::new(["contender", "threads", "rate", "ratio", "longest insert"]),
    };
    fillings.visit::<CuckooFilter>("fixed");
    fillings.start = start;
    visit_all(&mut fillings);
    fillings.table.print(&format!(
        "{} items, inserted from {}: million inserts per second, the ratio to the fixed filter, and the longest insert \
         with a processor",
        items_name(items),
        items_name(start)
    ));
}

impl Fillings<'_> {
    /// Fills a new contender of each kind: one that has grown does not start small.
    fn pair<C: Growing>(&self, threads: usize) -> Pair {
        let mut rig = Rig::of(C::with_capacity(self.start), 0, self.keys);
        let mut fixed = Rig::<CuckooFilter>::empty(self.keys);
        let pair = Duel::new(&mut rig, &mut fixed).fill(Work::Insert, threads);
        rig.check();
        pair
    }
}

impl Visitor for Fillings<'_> {
    fn visit<C: Growing>(&mut self, name: &'static str) {
        let job = Job {
            contender: name.to_owned(),
            items: self.keys.stored.len(),
            start: self.start,
        };
        let program = env::current_exe().expect("it runs");
        let longest = |_| have_done::<Duration>(&program, &job).expect("a child");
        let longest = (0..self.times).map(longest).max();
        for threads in [1, 2].into_iter().filter(|&threads| threads <= cores()) {
            let pairs: Vec<Pair> = (0..self.times).map(|_| self.pair::<C>(threads)).collect();
            let cell = Cell::of(Work::Insert, threads, &pairs);
            let longest = longest.filter(|_| threads == 1);
            let longest = or_dash(longest, |time| format!("{time:.1?}"));
            let about = [name.to_owned(), threads.to_string()].into_iter();
            let cells = about.chain(rate_and_ratio(Some(cell)));
            self.table.row(cells.chain([longest]));
        }
    }
}

/// A filling by single inserts in a process of its own. A process that reuses its memory has none
/// of the page faults that make a new table slow.
#[derive(Serialize, Deserialize)]
pub(crate) struct Job {
    contender: String,
    items: usize,
    start: usize,
}

/// Runs the job of a child.
pub(crate) fn child(job: &Job) -> Result<(), Box<dyn Error>> {
    struct One<'a>(&'a Job, Option<Duration>);
    impl Visitor for One<'_> {
        fn visit<C: Growing>(&mut self, name: &'static str) {
            if name == self.0.contender {
                let keys = Arc::new(Keys::generate(self.0.items));
                let table = C::with_capacity(self.0.start);
                self.1 = Some(insert_timed(&table, &keys.stored));
                Rig::of(table, self.0.items, &keys).check();
            }
        }
    }
    let mut one = One(job, None);
    one.visit::<CuckooFilter>("fixed");
    visit_all(&mut one);
    let longest = one.1.ok_or("no such contender")?;
    println!("{}", serde_json::to_string(&longest)?);
    Ok(())
}
