//! Filling, from a small first size: the rate, and the longest single insert.

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

/// What a contender did.
struct Filled {
    contender: &'static str,
    /// By the number of threads, beside the fixed filter.
    cells: Vec<Cell>,
    /// The longest single insert of all fillings on one thread.
    longest: Duration,
}

struct Fillings<'a> {
    keys: &'a Arc<Keys>,
    start: usize,
    times: u32,
    found: Vec<Filled>,
}

/// Measures and prints. The fixed filter is measured as well, and it alone gets its size.
pub(crate) fn measure(keys: &Arc<Keys>, start: usize, times: u32) {
    let items = keys.stored.len();
    let mut fillings = Fillings {
        keys,
        start: items,
        times,
        found: Vec::new(),
    };
    fillings.visit::<CuckooFilter>("fixed");
    fillings.start = start;
    visit_all(&mut fillings);
    print(items, start, &fillings.found);
}

impl Fillings<'_> {
    /// One filling of each, from new: a contender that has grown does not start small.
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
        let cell = |threads| {
            let pairs: Vec<Pair> = (0..self.times).map(|_| self.pair::<C>(threads)).collect();
            Cell::of(Work::Insert, threads, &pairs)
        };
        let threads = [1, 2].into_iter().filter(|&threads| threads <= cores());
        let cells = threads.map(cell).collect();
        let job = Job {
            contender: name.to_owned(),
            items: self.keys.stored.len(),
            start: self.start,
        };
        let program = env::current_exe().expect("it runs");
        let longest = |_| have_done::<Duration>(&program, &job).expect("a child");
        self.found.push(Filled {
            contender: name,
            cells,
            longest: (0..self.times).map(longest).max().unwrap_or_default(),
        });
    }
}

/// Single inserts, each filling in a process of its own: memory that a process has had before comes without the
/// page faults that make a new table slow.
#[derive(Serialize, Deserialize)]
pub(crate) struct Job {
    contender: String,
    items: usize,
    start: usize,
}

/// What the child does.
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

fn print(items: usize, start: usize, all: &[Filled]) {
    let mut table = Table::new(["contender", "threads", "rate", "ratio", "longest insert"]);
    for filled in all {
        for cell in &filled.cells {
            let about = [filled.contender.to_owned(), cell.threads.to_string()];
            let longest = (cell.threads == 1).then_some(filled.longest);
            let longest = or_dash(longest, |time| format!("{time:.1?}"));
            let cells = rate_and_ratio(Some(*cell)).into_iter().chain([longest]);
            table.row(about.into_iter().chain(cells));
        }
    }
    table.print(&format!(
        "{} items, inserted from {}: million inserts per second, the ratio to the fixed filter, and the longest insert \
         with a processor",
        items_name(items),
        items_name(start)
    ));
}
