//! The tables, each with what the authors published and with what can be compared.

mod construction;
mod loads;
mod space;

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
    space::print(&evaluation.lives[0]);
    mixed(&evaluation.lives);
    occupancy(&evaluation.lives);
    removes(&evaluation.lives);
}

fn mixed(lives: &[Life]) {
    heading("Lookups when full, by the share of positive queries (their Figure 5)");
    curves(lives, |life| &life.mixed);
    println!(
        "Published with their code, Core i7-4790 at 3.60 GHz: 12 bits, and 13 bits semi-sorted"
    );
    for (share, plain, semi_sorted) in FIGURE_5_AGAIN {
        println!(
            "{:>7.1} %  {plain:>16.2}  {semi_sorted:>16.2}",
            100.0 * share
        );
    }
    note(
        "The Figure 5 of the paper is a plot and is not quoted.
Comparable: the shapes. Those of their cuckoo filters are flat; a dip in the middle is the price of
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
Comparable: the shapes. Occupancy is of the slots; of a Bloom filter of any kind, of the items that it is made for.",
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
    let names: String = lives
        .iter()
        .map(|life| format!("  {:>16}", life.name))
        .collect();
    println!("{:9}{names}     limit", "");
    let points = of(lives[0]);
    // Of a long curve every other point, the last one included.
    let stride = if points.len() > MOST_ROWS { 2 } else { 1 };
    for (nth, (at, pace)) in points.iter().enumerate().skip(stride - 1).step_by(stride) {
        print!("{:>7.1} %", 100.0 * at);
        for life in &lives {
            let cell = of(life).get(nth).map_or_else(
                || "-".to_owned(),
                |(_, pace)| format!("{:.1} ({:.2})", pace.subject / 1e6, pace.ratio),
            );
            print!("  {cell:>16}");
        }
        println!("  {:>8.1}", pace.limit / 1e6);
    }
    println!(
        "Million per second (of the limit): medians of turns. The limit's own figures are those measured beside this filter."
    );
}

fn heading(text: &str) {
    println!("\n{text}\n");
}

fn note(text: &str) {
    println!("{text}");
}
