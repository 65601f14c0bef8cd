//! Loads at the first refused insert: Figure 2.

use lockfree_cuckoo_benches::layout::Layout;

use super::{MIB, heading, note};
use crate::evaluation::Evaluation;
use crate::grid::{BUCKETS, Grid};
use crate::load::BUDGETS;
use crate::partial_key::MOST_MOVES;
use crate::published;

/// By the size of a table, then by fingerprints and buckets.
pub(super) fn print(evaluation: &Evaluation) {
    loads(evaluation);
    heading("Load at the first refusal, by fingerprint and bucket (their Figure 2)");
    evaluation.grids.iter().for_each(grid);
    note(&format!(
        "A simulation of what the paper describes, not this filter: serial, the alternate bucket is the XOR with a hash of
the fingerprint, and an insert moves at most {MOST_MOVES} random items. Medians of the runs. No fingerprint is 0, so those of one
bit are all equal. Figure 2 is a plot and is not quoted.
Comparable: all of it, at the sizes that are here."
    ));
}

fn loads(evaluation: &Evaluation) {
    heading("Load at the first refused insert (their Figure 2, at 16 bits)");
    println!("                                search of at most");
    println!(
        "     slots        MiB  runs  {:>5} buckets  {:>5} buckets, the default",
        BUDGETS[0], BUDGETS[1]
    );
    for load in &evaluation.loads {
        let [short, long] = load.at_refusal;
        println!(
            "{:>10}  {:>9.2}  {:>4}  {short:>13.4}  {long:>13.4}",
            load.slots,
            load.bytes as f64 / MIB,
            load.runs
        );
    }
    note(&format!(
        "Medians of the runs. MiB are of all memory, not of the table alone.
Published: {:.3}, in 2^27 slots of 12 bits (Table 3). Figure 2 is a plot and is not quoted.
Comparable: two candidate buckets of four slots, filled until an item is refused.
Not: the search. Theirs moves items at random, at most 500 times; this one is breadth first, and
refuses an item without having moved any.",
        published::load_in_table_3()
    ));
}

fn grid(grid: &Grid) {
    println!("2^{} slots, runs: {}", grid.slots.ilog2(), grid.runs);
    let buckets = BUCKETS.iter().map(|in_bucket| format!("b = {in_bucket}"));
    let mut table = Layout::new(["bits".to_owned()].into_iter().chain(buckets));
    for (bits, loads) in (1..).zip(&grid.loads) {
        let loads = loads.iter().map(|load| format!("{load:.4}"));
        table.row([format!("{bits}")].into_iter().chain(loads));
    }
    table.print();
}
