//! The tables, each with what the authors published and with what can be compared.

mod construction;
mod loads;
mod space;

use lockfree_cuckoo_benches::layout::{Layout, or_dash};

use crate::evaluation::Evaluation;
use crate::life::{Curve, Life};
use crate::published::FIGURE_5_AGAIN;

const MIB: f64 = (1 << 20) as f64;

/// Of a table that a figure shows too.
const MOST_ROWS: usize = 10;

/// All of them.
pub(crate) fn print(evaluation: &Evaluation) {
    loads::print(evaluation);
    construction::print(evaluation);
    space::print(evaluation);
    mixed(&evaluation.lives);
    occupancy(&evaluation.lives);
    removes(&evaluation.lives);
}

fn mixed(lives: &[Life]) {
    heading("Lookups when full, by the share of positive queries (their Figure 5)");
    curves(lives, |life| &life.mixed);
    println!("Published with their code, Core i7-4790 at 3.60 GHz:");
    let mut table = Layout::new(["", "CF, 12 bits", "ss-CF, 13 bits"]);
    for (share, plain, semi_sorted) in FIGURE_5_AGAIN {
        table.row([
            percent(share),
            format!("{plain:.2}"),
            format!("{semi_sorted:.2}"),
        ]);
    }
    table.print();
    note(
        "The Figure 5 of the paper is a plot and is not quoted.
Comparable: the shapes, and CF beside ss-CF. Those of their cuckoo filters are flat; a dip in the middle is the price of
a branch on the answer, which is a coin toss there.
Not: lookups per second, of 192 MB on another machine.",
    );
}

fn occupancy(lives: &[Life]) {
    heading("Lookups of present items, by occupancy (their Figure 6)");
    curves(lives, |life| &life.hits);
    heading("Lookups of absent items, by occupancy (their Figure 6)");
    curves(lives, |life| &life.misses);
    heading("Inserts by occupancy (their Figure 7)");
    curves(lives, |life| &life.inserts);
    note(
        "Figures 6 and 7 are plots and are not quoted.
Comparable: the shapes. Occupancy is of the slots; of a Bloom filter of any kind, of the items that it is made for.
The last line is the last that each has; those that refuse an item earlier have none.",
    );
}

fn removes(lives: &[Life]) {
    heading("Removes until empty, by the share of the items left (their Figure 8)");
    curves(lives, |life| &life.removes);
    note(
        "Figure 8 is a plot and is not quoted.
Comparable: the shapes. Bloom filters that do not count cannot remove.",
    );
}

/// A line for each point and a column for each contender that has the curve.
fn curves(lives: &[Life], of: fn(&Life) -> &Curve) {
    let lives: Vec<&Life> = lives.iter().filter(|life| !of(life).is_empty()).collect();
    let names = lives.iter().map(|life| life.name);
    let mut table = Layout::new([""].into_iter().chain(names).chain(["limit"]));
    let points = of(lives[0]);
    // Of a long curve every other point, the last one included.
    let stride = if points.len() > MOST_ROWS { 2 } else { 1 };
    for (nth, (at, pace)) in points.iter().enumerate().skip(stride - 1).step_by(stride) {
        let cell = |life: &&Life| {
            or_dash(of(life).get(nth), |(_, pace)| {
                format!("{:.1} ({:.2})", pace.subject / 1e6, pace.ratio)
            })
        };
        let limit = format!("{:.1}", pace.limit / 1e6);
        let cells = lives.iter().map(cell);
        table.row([percent(*at)].into_iter().chain(cells).chain([limit]));
    }
    table.print();
    println!(
        "Million per second (of the limit): medians of turns. The limit's own figures are those measured beside the first."
    );
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

fn heading(text: &str) {
    println!("\n{text}\n");
}

fn note(text: &str) {
    println!("{text}");
}
