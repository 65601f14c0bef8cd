//! Lookups: measured by the number of doublings, and halfway through a growth.

use std::sync::Arc;
use std::time::Duration;

use lockfree_cuckoo::CuckooFilter;
use lockfree_cuckoo_benches::markdown;
use lockfree_cuckoo_benches::{
    Cell, Duel, Keys, Rig, Table, Work, items_name, or_dash, rate_and_ratio,
};

use crate::contenders::{
    GROWING, Growing, Visitor, doublings, grown, half_grown, order, start_for, visit_all,
};

/// The numbers of doublings.
const DOUBLINGS: [u32; 6] = [0, 1, 4, 8, 10, 13];

const WORKS: [Work; 4] = [Work::Hit, Work::Miss, Work::HitMany, Work::MissMany];

struct Lookups {
    keys: Arc<Keys>,
    order: Vec<u64>,
    fixed: Rig<CuckooFilter>,
    /// The first sizes that lead to the doublings.
    starts: [usize; DOUBLINGS.len()],
    time: Duration,
    table: Table,
    /// The rows of the filter in the README.
    rows: Vec<Vec<String>>,
}

/// Measures and prints. Returns the table of the README: the ratios of the filter to the fixed one.
pub(crate) fn measure(items: usize, time: Duration) -> String {
    let keys = Arc::new(Keys::generate(items));
    let order = order(&keys);
    let head = "contender,first size,doublings,done,tables";
    let mut head: Vec<String> = head.split(',').map(str::to_owned).collect();
    for work in WORKS {
        head.extend([work.name(), String::new()]);
    }
    let mut lookups = Lookups {
        starts: DOUBLINGS.map(|times| start_for(times, &order)),
        order,
        fixed: Rig::full(&keys),
        keys,
        time,
        table: Table::new(head),
        rows: Vec::new(),
    };
    visit_all(&mut lookups);
    // It has doubled three times before.
    let start = items >> 3;
    let half_grown = half_grown(start, &lookups.order);
    lookups.measure(GROWING, start, half_grown);
    lookups.table.print(&format!(
        "{} items, inserted into a filter that started small: million lookups per second on one thread, and the ratio \
         to the fixed filter",
        items_name(items)
    ));
    let items = format!("{} items: doublings", items_name(items));
    let head = [&*items, "hit", "miss", "hit in batches", "miss in batches"];
    markdown::table(&head, lookups.rows)
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
    fn measure<C: Growing>(&mut self, contender: &str, start: usize, table: C) {
        let times = or_dash(doublings(start, &table), |times| times.to_string());
        let state = match (table.growth_done(), table.tables()) {
            (Some(_), _) => ", during the next",
            (None, Some(2..)) => ", with a second table",
            _ => "",
        };
        let mut row = vec![format!("{times}{state}")];
        let mut cells = vec![
            contender.to_owned(),
            start.to_string(),
            times,
            or_dash(table.growth_done(), |done| format!("{done:.2}")),
            or_dash(table.tables(), |tables| tables.to_string()),
        ];
        let mut rig = Rig::of(table, self.keys.stored.len(), &self.keys);
        rig.check();
        let mut duel = Duel::new(&mut rig, &mut self.fixed);
        for work in WORKS {
            let cell = || duel.cell(work, 1, self.time, 5);
            let cell: Option<Cell> = work.suits::<C>().then(cell);
            row.push(or_dash(cell, |cell| format!("{:.2}", cell.ratio)));
            cells.extend(rate_and_ratio(cell));
        }
        rig.check();
        self.table.row(cells);
        if contender == GROWING {
            self.rows.push(row);
        }
    }
}
