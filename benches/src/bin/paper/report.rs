//! The tables, each with what the authors published and with what can be compared.

use crate::evaluation::Evaluation;
use crate::life::{Curve, Life};
use crate::load::BUDGETS;
use crate::published::{self, BITS_PER_ITEM, Column, FIGURE_5_AGAIN, TABLE_3, TABLE_3_AGAIN};

const MIB: f64 = (1 << 20) as f64;

/// Of a table that a figure shows too.
const MOST_ROWS: usize = 10;

/// All of them.
pub(crate) fn print(evaluation: &Evaluation) {
    loads(evaluation);
    construction(evaluation);
    space(&evaluation.lives[0]);
    mixed(&evaluation.lives);
    occupancy(&evaluation.lives);
    removes(&evaluation.lives);
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

fn construction(evaluation: &Evaluation) {
    heading("Space, false positives and construction at equal memory (their Table 3)");
    println!(
        "                     million         bits per     false   million keys/s   of the      false  refused   failed
                       items    MiB      item  positives    built   limit    limit  negatives  inserts  removes"
    );
    for life in evaluation.lives.iter().chain(&evaluation.equals) {
        let pace = life.construction;
        println!(
            "{:20} {:>7.2} {:>6.1}  {:>8.2}  {:>7.4} %  {:>7.2}  {:>6.2}  {:>7.2}  {:>9}  {:>7}  {:>7}",
            life.name,
            life.items as f64 / 1e6,
            life.bytes as f64 / MIB,
            life.bits_per_item(),
            100.0 * life.false_positive_rate,
            pace.subject / 1e6,
            pace.limit / 1e6,
            pace.ratio,
            life.false_negatives,
            usize::from(life.refused),
            life.failed_removes,
        );
    }
    columns(
        "Published, Table 3: 192 MB, Xeon L5640 at 2.27 GHz",
        &TABLE_3,
    );
    columns(
        "Published with their code: the same on a Core i7-4790 at 3.60 GHz",
        &TABLE_3_AGAIN,
    );
    note(&format!(
        "{}
The Bloom filters are filled to 13 bits per item, as theirs, and once more with as many items as this filter.
The d-left counting Bloom filter (four subtables, buckets of eight cells of 14 bits and a counter of two) is filled to
three quarters, which it is made for. The counting Bloom filter has 13 counters of four bits per item, as the Bloom
filter has 13 bits: four times its space at its rate.
Comparable: items, bits and false positives of the Bloom and of the quotient filter; which filter is faster.
Not: bits and false positives of this filter. It has 16 bits per slot and theirs has 12, so a sixteenth of the false positives.
Not: the d-left filter of Table 3, whose cells and load are others. It is not quoted.
Not: keys per second, across machines. Theirs hash each key; here the keys are hashes. And of all, only this
filter can be shared by threads, as they are used here. That costs time with one thread too.
The limit loads two words per item. A blocked Bloom filter loads one cache line per item, so it can exceed it.",
        refusals(&evaluation.lives)
    ));
}

/// Who was filled until it refused an item, and how full it was.
fn refusals(lives: &[Life]) -> String {
    let refused = lives.iter().filter(|life| life.refused);
    let loads: Vec<String> = refused
        .map(|life| format!("{} at a load of {:.4}", life.name, life.occupancy))
        .collect();
    format!("Filled until an item is refused: {}.", loads.join(", "))
}

fn columns(source: &str, columns: &[Column]) {
    println!("{source}");
    for column in columns {
        println!(
            "{:20} {:>7.2}         {:>8.2}  {:>7.4} %  {:>7.2}",
            column.name,
            column.million_items,
            column.bits_per_item,
            100.0 * column.false_positive_rate,
            column.million_keys_per_second
        );
    }
}

fn space(filter: &Life) {
    heading("Bits per item for the false-positive rate of this filter (their Table 2)");
    let measured = filter.bits_per_item();
    println!("{:25} {measured:>6.2}", "this filter, measured");
    for (name, bits) in BITS_PER_ITEM {
        println!("{name:25} {:>6.2}", bits(filter.false_positive_rate));
    }
    note("Comparable: all of it. The formulas are theirs, at their load of 0.955.");
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
