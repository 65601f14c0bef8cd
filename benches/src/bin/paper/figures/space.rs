//! Bits an item by rate of false positives.

use charts::{Chart, Scale, Series};

use super::{axis, one_point};
use crate::evaluation::Evaluation;
use crate::layouts::Kind;
use crate::life::Life;
use crate::published::{FORMULAS, TABLE_3};

/// Formulas of filters that do not count. The others would be far above.
const DRAWN: usize = 4;

/// The formulas, what was measured, and what was published.
pub(super) fn chart(evaluation: &Evaluation) -> Chart {
    // Straight lines on this scale.
    let ends = [1e-9, 0.06];
    let formulas = FORMULAS[..DRAWN].iter().map(|formula| Series {
        name: format!("formula, {}", formula.name),
        points: ends.map(|rate| (rate, (formula.bits)(rate))).into(),
        dashed: true,
    });
    let ours = [Kind::Plain, Kind::SemiSorted].map(|kind| layouts(evaluation, kind));
    let rivals = evaluation.lives.iter().filter(|life| !life.is_cuckoo);
    let of = |life: &Life| (life.false_positive_rate, life.bits_per_item());
    let rivals = rivals.map(|life| one_point(life.name, of(life)));
    let theirs = TABLE_3[..2].iter().map(|column| {
        let name = format!("paper, {}", column.name);
        one_point(&name, (column.false_positive_rate, column.bits_per_item))
    });
    Chart {
        title: "Memory by false-positive rate (paper, Figures 3 and 4)".to_owned(),
        mix: String::new(),
        machine: String::new(),
        x: axis("false-positive rate", Scale::Log),
        y: axis("bits per item", Scale::Linear),
        series: formulas.chain(ours).chain(rivals).chain(theirs).collect(),
    }
}

/// The layouts of one kind, by their rates as the filters say that they are: some are too low to be measured.
fn layouts(evaluation: &Evaluation, kind: Kind) -> Series {
    let spaces = evaluation.spaces.iter().filter(|space| space.kind == kind);
    let name = match kind {
        Kind::Plain => "CF, all layouts",
        Kind::SemiSorted => "ss-CF, all layouts",
    };
    Series {
        name: name.to_owned(),
        points: spaces
            .map(|space| (space.expected_rate, space.bits_per_item))
            .collect(),
        dashed: false,
    }
}
