//! Bits an item by rate of false positives.

use charts::{Chart, Scale, Series};

use super::{axis, one_point};
use crate::evaluation::Evaluation;
use crate::published::{BITS_PER_ITEM, TABLE_3};

/// The formulas, what was measured, and what was published.
pub(super) fn chart(evaluation: &Evaluation) -> Chart {
    // Straight lines on this scale.
    let ends = [1e-5, 0.03];
    let formulas = BITS_PER_ITEM.iter().map(|(name, bits)| Series {
        name: (*name).to_owned(),
        points: ends.map(|rate| (rate, bits(rate))).into(),
        dashed: true,
    });
    let measured = evaluation
        .lives
        .iter()
        .map(|life| one_point(life.name, (life.false_positive_rate, life.bits_per_item())));
    let theirs = TABLE_3[..2].iter().map(|column| {
        let name = format!("paper, {}", column.name);
        one_point(&name, (column.false_positive_rate, column.bits_per_item))
    });
    Chart {
        title: "Memory by false-positive rate (paper, Table 2)".to_owned(),
        mix: String::new(),
        machine: String::new(),
        x: axis("false-positive rate", Scale::Log),
        y: axis("bits per item", Scale::Linear),
        series: formulas.chain(measured).chain(theirs).collect(),
    }
}
