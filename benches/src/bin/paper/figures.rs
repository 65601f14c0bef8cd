//! The figures.

mod loads;
mod space;

use charts::{Axis, Chart, Scale, Series};

use crate::evaluation::Evaluation;
use crate::life::{Curve, Life};
use crate::published::FIGURE_5_AGAIN;

/// All of them, and the names of their files.
pub(crate) fn all(evaluation: &Evaluation, machine: &str) -> Vec<(&'static str, Chart)> {
    let mut charts = charts(evaluation);
    for (_, chart) in &mut charts {
        if chart.mix.is_empty() {
            chart.mix = mix(evaluation);
        }
        chart.machine = machine.to_owned();
    }
    charts
}

/// What all of them have in common that do not say otherwise.
fn mix(evaluation: &Evaluation) -> String {
    let filter = &evaluation.lives[0];
    let (mib, items) = (
        filter.bytes as f64 / f64::from(1 << 20),
        filter.items as f64 / 1e6,
    );
    format!(
        "one thread, {mib:.0} MiB each; {} takes {items:.1} million items",
        filter.name
    )
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
        name: "authors, CF 12".to_owned(),
        points: FIGURE_5_AGAIN.map(|(share, rate, _)| (share, rate)).into(),
        dashed: true,
    });
    mixed.series.push(Series {
        name: "authors, ss-CF 13".to_owned(),
        points: FIGURE_5_AGAIN.map(|(share, _, rate)| (share, rate)).into(),
        dashed: true,
    });
    let by_occupancy = |title, of| rates(title, "occupancy", lives, of);
    let largest = evaluation.grids.last();
    let simulated = largest.map(|grid| ("load-by-fingerprint", loads::by_fingerprint(grid)));
    let measured = vec![
        ("load", loads::by_slots(evaluation)),
        ("space", space::chart(evaluation)),
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
    ];
    simulated.into_iter().chain(measured).collect()
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
