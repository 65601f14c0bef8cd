//! What is printed besides the table of contenders: the cores of each process, and the latencies.

use lockfree_cuckoo_benches::{
    Latencies, Quantiles, Table, items_name, or_dash, print_cores, threads_name,
};

use crate::results::Size;

pub(crate) fn print(size: &Size) {
    let speedups = size.processes.iter().map(|process| process.speedup);
    print_cores(&speedups.collect::<Vec<_>>());
    let items = items_name(size.items);
    latencies(size).print(&format!(
        "{items} items: nanoseconds per operation of mixed work"
    ));
}

fn latencies(size: &Size) -> Table {
    let mut head = vec!["contender".to_owned()];
    for kind in Latencies::KINDS {
        head.extend(Quantiles::NAMES.map(|quantile| format!("{kind} {quantile}")));
        head.push("operations".to_owned());
    }
    let mut table = Table::new(head);
    for &threads in &size.threads {
        for name in size.contenders() {
            let mut row = vec![format!("{name}, {}", threads_name(threads))];
            for kind in 0..Latencies::KINDS.len() {
                let number = |of: &dyn Fn(&Quantiles) -> u64| {
                    let number = size.latency(name, threads, |latency| of(&latency.kinds[kind]));
                    or_dash(number, |number| format!("{number:.0}"))
                };
                row.extend((0..Quantiles::NAMES.len()).map(|at| number(&|of| of.at[at])));
                row.push(number(&|of| of.operations));
            }
            table.row(row);
        }
    }
    table
}
