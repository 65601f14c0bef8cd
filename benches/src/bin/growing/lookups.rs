//! Lookups, by how often the filter has grown, and in the midst of a growth.

use std::sync::Arc;
use std::time::Duration;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::{
    Cell, Duel, Keys, Rig, Table, Work, cores, items_name, or_dash, rate_and_ratio,
};

use crate::contenders::{
    GROWING, Growing, Visitor, doublings, grown, half_grown, order, start_for, visit_all,
};

/// How often the filter doubles.
const DOUBLINGS: [u32; 6] = [0, 1, 4, 8, 10, 13];

const WORKS: [Work; 4] = [Work::Hit, Work::Miss, Work::HitMany, Work::MissMany];

/// A contender that has grown from some first size.
struct Row {
    contender: &'static str,
    start: usize,
    /// How often its slots have doubled, if it has slots.
    doublings: Option<u32>,
    /// The share of a growth under way that is done.
    growth_done: Option<f64>,
    tables: Option<usize>,
    threads: usize,
    /// In the order of the works, if it can do them. Beside the fixed filter.
    cells: [Option<Cell>; WORKS.len()],
}

struct Lookups {
    keys: Arc<Keys>,
    order: Vec<u64>,
    fixed: Rig<CuckooFilter>,
    /// First sizes that lead to the doublings.
    starts: [usize; DOUBLINGS.len()],
    time: Duration,
    found: Vec<Row>,
}

/// Measures and prints.
pub(crate) fn measure(items: usize, time: Duration) {
    let keys = Arc::new(Keys::generate(items));
    let order = order(&keys);
    let mut lookups = Lookups {
        starts: DOUBLINGS.map(|times| start_for(times, &order)),
        order,
        fixed: Rig::full(&keys),
        keys,
        time,
        found: Vec::new(),
    };
    visit_all(&mut lookups);
    // It has doubled three times before.
    let start = items >> 3;
    let half_grown = half_grown(start, &lookups.order);
    lookups.measure(GROWING, start, half_grown);
    print(items, &lookups.found);
}

impl Visitor for Lookups {
    fn visit<C: Growing>(&mut self, name: &'static str) {
        for start in self.starts {
            let table = grown::<C>(start, &self.order);
            self.measure(name, start, table);
        }
    }
}

impl Lookups {
    fn measure<C: Growing>(&mut self, contender: &'static str, start: usize, table: C) {
        let (doublings, growth_done) = (doublings(start, &table), table.growth_done());
        let tables = table.tables();
        let mut rig = Rig::of(table, self.keys.stored.len(), &self.keys);
        rig.check();
        let mut duel = Duel::new(&mut rig, &mut self.fixed);
        for threads in [1, 2].into_iter().filter(|&threads| threads <= cores()) {
            let mut cell = |work: Work| duel.cell(work, threads, self.time, 5);
            self.found.push(Row {
                contender,
                start,
                doublings,
                growth_done,
                tables,
                threads,
                cells: WORKS.map(|work| work.suits::<C>().then(|| cell(work))),
            });
        }
        rig.check();
    }
}

fn print(items: usize, rows: &[Row]) {
    let head = "contender,first size,doublings,done,tables,threads";
    let mut head: Vec<String> = head.split(',').map(str::to_owned).collect();
    for work in WORKS {
        head.extend([work.name(), String::new()]);
    }
    let mut table = Table::new(head);
    for row in rows {
        let mut cells = vec![
            row.contender.to_owned(),
            row.start.to_string(),
            or_dash(row.doublings, |times| times.to_string()),
            or_dash(row.growth_done, |done| format!("{done:.2}")),
            or_dash(row.tables, |tables| tables.to_string()),
            row.threads.to_string(),
        ];
        for cell in row.cells {
            cells.extend(rate_and_ratio(cell));
        }
        table.row(cells);
    }
    table.print(&format!(
        "{} items, inserted into a filter that started small: million lookups per second, and the ratio to the fixed filter",
        items_name(items)
    ));
}
