//! Printed tables: the cores of each process, and the latencies.

use std::iter;

use lockfree_cuckoo_benches::{Quantiles, Table, items_name, or_dash, print_cores};

use crate::results::Size;

pub(crate) fn print(size: &Size) {
    let speedups = size.processes.iter().map(|process| process.speedup);
    print_cores(&speedups.collect::<Vec<_>>());
    let items = items_name(size.items);
    latencies(size).print(&format!(
        "{items} items: nanoseconds of single operations of mixed work"
    ));
}

fn latencies(size: &Size) -> Table {
    let head = Quantiles::SHARES.map(|share| format!("{} % of the lookups", 100.0 * share));
    let head = iter::once("contender".to_owned()).chain(head);
    let others = ["longest operation", "operations"].map(str::to_owned);
    let mut table = Table::new(head.chain(others));
    for &threads in &size.threads {
        for name in size.contenders() {
            let number = |of: &dyn Fn(&Quantiles) -> u64| {
                let number = size.latency(name, threads, of);
                or_dash(number, |number| format!("{number:.0}"))
            };
            let mut row = vec![format!("{name}, {threads} threads")];
            row.extend((0..Quantiles::SHARES.len()).map(|at| number(&|times| times.lookups[at])));
            row.push(number(&|times| times.longest));
            row.push(number(&|times| times.operations));
            table.row(row);
        }
    }
    table
}
