//! Space, false positives and construction at equal memory: Table 3.

use super::{MIB, heading, note};
use crate::evaluation::Evaluation;
use crate::life::Life;
use crate::published::{Column, TABLE_3, TABLE_3_AGAIN};

pub(super) fn print(evaluation: &Evaluation) {
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
        "CF, or ss-CF with semi-sorted buckets: the filter of this library; slots of a bucket x bits of a fingerprint.
CF 5 x 12 and ss-CF 5 x 14 are nearest to theirs of 12 and 13 bits; CF 4 x 16 is the default.
{}
The Bloom filters are filled to 13 bits per item, as theirs, and once more with as many items as CF 4 x 16.
The d-left counting Bloom filter (four subtables, buckets of eight cells of 14 bits and a counter of two) is filled to
three quarters, which it is made for. It refuses its first item at a load of {:.4}. The counting Bloom filter has 13
counters of four bits per item, as the Bloom filter has 13 bits: four times its space at its rate.
Comparable: items, bits and false positives of the Bloom and of the quotient filter; what semi-sorting costs and saves;
which filter is faster.
Not: bits and false positives of the cuckoo filters one by one. A bucket here is a word of 64 bits; theirs has four
slots of 12 bits, or of 13 bits in the space of 12.
Not: the d-left filter. That of Table 3 is not quoted, because its column is not checked against the paper.
Not: keys per second, across machines. Theirs hash each key; here the keys are hashes. And of all, only those of this
library can be shared by threads, as they are used here. That costs time with one thread too.
The limit loads two words per item. A blocked Bloom filter loads one cache line per item, so it can exceed it.",
        refusals(&evaluation.lives),
        evaluation.d_left_load
    ));
}

/// Who was filled until it refused an item, and how full it was.
fn refusals(lives: &[Life]) -> String {
    let refused = lives.iter().filter(|life| life.refused);
    let loads: Vec<String> = refused
        .map(|life| format!("{} at {:.4}", life.name, life.occupancy))
        .collect();
    format!(
        "Filled until an item is refused, at these loads: {}.",
        loads.join(", ")
    )
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
