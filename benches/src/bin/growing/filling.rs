//! Filling, from a small first size, and what a contender is like after it.

use std::env;
use std::error::Error;
use std::sync::Arc;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::{
    About, Cell, Duel, Keys, Pair, Quantiles, Rig, Table, Work, cores, have_done, insert_timed,
    items_name, median, or_dash, print_about, rate_and_ratio,
};
use serde::{Deserialize, Serialize};

use crate::contenders::{Growing, Visitor, about, visit_all};

/// What a contender did.
struct Filled {
    contender: &'static str,
    /// By the number of threads, beside the fixed filter.
    cells: Vec<Cell>,
    /// A filling each, on one thread.
    singles: Vec<Quantiles>,
    about: About,
}

impl Filled {
    /// The longest single insert of all fillings.
    fn worst(&self) -> u64 {
        let longest = self.singles.iter().map(Quantiles::longest);
        longest.max().unwrap_or(0)
    }
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
    fn pair<C: Growing>(&self, threads: usize) -> (Rig<C>, Pair) {
        let mut rig = Rig::of(C::with_capacity(self.start), 0, self.keys);
        let mut fixed = Rig::<CuckooFilter>::empty(self.keys);
        let mut duel = Duel::new(&mut rig, &mut fixed);
        let pair = duel.fill(Work::Insert, threads);
        rig.check();
        (rig, pair)
    }
}

impl Visitor for Fillings<'_> {
    fn visit<C: Growing>(&mut self, name: &'static str) {
        let mut abouts = Vec::new();
        let mut cell = |threads| {
            let filling = |_| {
                let (rig, pair) = self.pair::<C>(threads);
                abouts.push(about(&rig));
                pair
            };
            let pairs: Vec<Pair> = (0..self.times).map(filling).collect();
            Cell::of(Work::Insert, threads, &pairs)
        };
        let threads = [1, 2].into_iter().filter(|&threads| threads <= cores());
        let cells = threads.map(&mut cell).collect();
        let sum = |mut one: About, next: About| {
            one.faults += next.faults;
            one
        };
        let job = Job {
            contender: name.to_owned(),
            items: self.keys.stored.len(),
            start: self.start,
        };
        let program = env::current_exe().expect("it runs");
        let single = |_| have_done(&program, &job).expect("a child");
        let singles = (0..self.times).map(single).collect();
        self.found.push(Filled {
            contender: name,
            cells,
            singles,
            about: abouts.into_iter().reduce(sum).expect("a filling"),
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
    struct One<'a>(&'a Job, Option<Quantiles>);
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
    let times = one.1.ok_or("no such contender")?;
    println!("{}", serde_json::to_string(&times)?);
    Ok(())
}

fn print(items: usize, start: usize, all: &[Filled]) {
    let caption = format!(
        "{} items, inserted from {}",
        items_name(items),
        items_name(start)
    );
    let mut table = Table::new(["contender", "threads", "rate", "ratio", "quartiles"]);
    for filled in all {
        for cell in &filled.cells {
            let about = [filled.contender.to_owned(), cell.threads.to_string()];
            let cells = rate_and_ratio(Some(cell.rate), Some(cell.ratio));
            table.row(about.into_iter().chain(cells));
        }
    }
    let what = "million inserts per second, and the ratio to the fixed filter";
    table.print(&format!("{caption}: {what}"));

    let head = ["contender"].into_iter().chain(Quantiles::NAMES);
    let mut table = Table::new(head.chain(["longest of all"]));
    for filled in all {
        let mut row = vec![filled.contender.to_owned()];
        row.extend((0..Quantiles::NAMES.len()).map(|at| {
            let times = filled.singles.iter().map(|times| times.at[at] as f64);
            or_dash(median(times), |nanoseconds| time(nanoseconds as u64))
        }));
        row.push(time(filled.worst()));
        table.row(row);
    }
    table.print(&format!(
        "{caption}: single inserts with a processor, medians of fillings"
    ));

    let rows = all.iter().map(|filled| (filled.contender, filled.about));
    print_about(&caption, items, rows);
}

fn time(nanoseconds: u64) -> String {
    match nanoseconds {
        0..10_000 => format!("{nanoseconds} ns"),
        10_000..10_000_000 => format!("{} us", nanoseconds / 1_000),
        _ => format!("{} ms", nanoseconds / 1_000_000),
    }
}
