//! Bits an item for a rate of false positives.

use super::{heading, note};
use crate::life::Life;
use crate::published::BITS_PER_ITEM;

pub(super) fn print(filter: &Life) {
    heading("Bits per item for the false-positive rate of this filter (their Table 2)");
    let measured = filter.bits_per_item();
    println!("{:25} {measured:>6.2}", "this filter, measured");
    for (name, bits) in BITS_PER_ITEM {
        println!("{name:25} {:>6.2}", bits(filter.false_positive_rate));
    }
    note("Comparable: all of it. The formulas are theirs, at their load of 0.955.");
}
