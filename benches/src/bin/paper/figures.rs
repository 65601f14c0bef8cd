//! The figures.

use charts::{Axis, Chart, Scale, Series};

use crate::evaluation::Evaluation;
use crate::life::{Curve, Life};
use crate::load::BUDGETS;
use crate::published::{self, BITS_PER_ITEM, FIGURE_5_AGAIN, TABLE_3};

/// All of them, and the names of their files.
pub(crate) fn all(evaluation: &Evaluation, machine: &str) -> Vec<(&'static str, Chart)> {
    let mut charts = charts(evaluation);
    for (_, chart) in &mut charts {
        chart.mix = mix(evaluation);
        chart.machine = machine.to_owned();
    }
    charts
}

/// What all of them have in common.
fn mix(evaluation: &Evaluation) -> String {
    let filter = &evaluation.lives[0];
    let (mib, items) = (
        filter.bytes as f64 / f64::from(1 << 20),
        filter.items as f64 / 1e6,
    );
    format!("one thread; this filter has {mib:.0} MiB and takes {items:.1} million items")
}

fn charts(evaluation: &Evaluation) -> Vec<(&'static str, Chart)> {
    let lives = &evaluation.lives;
    let mut mixed = rates(
        "Lookups when full, by the share of positive queries (paper, Figure 5)",
        "share of positive queries",
        lives,
        |life| &life.mixed,
    );
    mixed.series.push(Series {
        name: "authors, i7-4790".to_owned(),
        points: FIGURE_5_AGAIN.map(|(share, rate, _)| (share, rate)).into(),
        dashed: true,
    });
    let by_occupancy = |title, of| rates(title, "occupancy", lives, of);
    vec![
        ("load", load(evaluation)),
        ("space", space(evaluation)),
        ("lookup-by-share", mixed),
        (
            "hit-by-occupancy",
            by_occupancy("Lookups of present items (paper, Figure 6)", |life| {
                &life.hits
            }),
        ),
        (
            "miss-by-occupancy",
            by_occupancy("Lookups of absent items (paper, Figure 6)", |life| {
                &life.misses
            }),
        ),
        (
            "insert-by-occupancy",
            by_occupancy("Inserts from empty to full (paper, Figure 7)", |life| {
                &life.inserts
            }),
        ),
        (
            "remove-until-empty",
            rates(
                "Removes from full to empty (paper, Figure 8)",
                "share of the items left",
                lives,
                |life| &life.removes,
            ),
        ),
    ]
}

fn load(evaluation: &Evaluation) -> Chart {
    let vacant = |load: f64| 100.0 - 100.0 * load;
    let mut series: Vec<Series> = (0..BUDGETS.len())
        .map(|nth| Series {
            name: format!("search of {} buckets", BUDGETS[nth]),
            points: evaluation
                .loads
                .iter()
                .map(|load| (load.slots as f64, vacant(load.at_refusal[nth])))
                .collect(),
            dashed: false,
        })
        .collect();
    let theirs = (
        published::SLOTS_IN_TABLE_3,
        vacant(published::load_in_table_3()),
    );
    series.push(one_point("paper, Table 3", theirs));
    Chart {
        title: "Vacant slots at the first refused insert (paper, Figure 2)".to_owned(),
        mix: String::new(),
        machine: String::new(),
        x: axis("slots", Scale::Log),
        y: axis("vacant slots, %", Scale::Linear),
        series,
    }
}

fn space(evaluation: &Evaluation) -> Chart {
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

/// A line for each contender that has the curve, and one for the limit beside the first.
fn rates(title: &str, x: &str, lives: &[Life], of: fn(&Life) -> &Curve) -> Chart {
    let line = |name: &str, points: Vec<(f64, f64)>, dashed| Series {
        name: name.to_owned(),
        points,
        dashed,
    };
    let mut series: Vec<Series> = lives
        .iter()
        .filter(|life| !of(life).is_empty())
        .map(|life| {
            let points = of(life).iter().map(|(at, pace)| (*at, pace.subject / 1e6));
            line(life.name, points.collect(), false)
        })
        .collect();
    let limit = of(&lives[0])
        .iter()
        .map(|(at, pace)| (*at, pace.limit / 1e6));
    series.push(line("the bare limit", limit.collect(), true));
    Chart {
        title: title.to_owned(),
        mix: String::new(),
        machine: String::new(),
        x: axis(x, Scale::Linear),
        y: axis("million per second", Scale::Linear),
        series,
    }
}

fn one_point(name: &str, point: (f64, f64)) -> Series {
    Series {
        name: name.to_owned(),
        points: vec![point],
        dashed: false,
    }
}

fn axis(label: &str, scale: Scale) -> Axis {
    Axis {
        label: label.to_owned(),
        scale,
    }
}
