//! What is printed.

use lockfree_cuckoo::Layout;
use lockfree_cuckoo_benches::layout::Layout as Columns;

use crate::filling::Fillings;
use crate::shares::{chance, possible};
use crate::tail::Tail;

/// The type's name as users write it.
pub(crate) fn name<L: Layout>() -> String {
    let path = std::any::type_name::<L>();
    path.rsplit("::").next().unwrap_or(path).to_owned()
}

pub(crate) fn print<L: Layout>(name: &str, cells: &[Fillings]) {
    println!("\n{name}");
    let tails: Vec<(u32, Tail)> = cells
        .iter()
        .filter(|cell| cell.shape.ranges == 1)
        .map(|cell| (cell.shape.log, Tail::of::<L>(cell)))
        .collect();
    let mut columns = Columns::new([
        "ranges x buckets",
        "fillings",
        "mean",
        "deviation",
        "1 %",
        "computed",
        "lowest",
        "promised",
        "possible",
        "chance",
    ]);
    let mut worst: f64 = 0.0;
    for cell in cells {
        let (_, tail) = tails
            .iter()
            .find(|&&(log, _)| log == cell.shape.log)
            .expect("ranges of each length are filled alone");
        let ranges = cell.shape.ranges;
        let slots = cell.slots as f64;
        let (mean, deviation) = cell.moments();
        let refused = chance(tail, ranges, cell.promised);
        worst = worst.max(refused);
        let hundredth = (0..=cell.slots)
            .collect::<Vec<_>>()
            .partition_point(|&items| chance(tail, ranges, items) < 0.01);
        let load = |items: f64| format!("{:.4}", items / slots);
        columns.row([
            format!("{ranges} x {}", 1u64 << cell.shape.log),
            cell.taken.len().to_string(),
            load(mean),
            load(deviation),
            load(cell.quantile(0.01).into()),
            load(hundredth as f64),
            load(cell.taken[0].into()),
            load(cell.promised as f64),
            load(possible(tail, ranges, cell.slots) as f64),
            format!("{refused:.0e}"),
        ]);
    }
    columns.print();
    println!("a refusal below the promise: {worst:.0e} at most");
}
