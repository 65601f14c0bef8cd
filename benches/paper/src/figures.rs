//! The figures: drawn as charts.

use charts::{Axis, Chart, Series};

use crate::evaluation::Evaluation;
use crate::layouts::Kind;
use crate::life::{Curve, Life};
use crate::load::BUDGETS;
use crate::published::{self, FIGURE_5_AGAIN, FORMULAS, TABLE_3};
use crate::simulation::{BUCKETS, MOST_MOVES, Simulated};

/// Returns all figures, with the names of their files.
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

/// Describes the work of all charts that do not describe their own.
fn mix(evaluation: &Evaluation) -> String {
    let filter = &evaluation.lives[0];
    let mib = filter.bytes as f64 / f64::from(1 << 20);
    let items = filter.items as f64 / 1e6;
    format!(
        "one thread, {mib:.0} MiB each; {} takes {items:.1} million items",
        filter.name
    )
}

fn charts(evaluation: &Evaluation) -> Vec<(&'static str, Chart)> {
    let lives = &evaluation.lives;
    let mut mixed = rates(
        "Lookups when full, by the share of positive queries (Figure 5)",
        "share of positive queries",
        lives,
        |life| &life.mixed,
    );
    let published = |of: fn(&(f64, f64, f64)) -> f64| {
        let points = FIGURE_5_AGAIN.iter().map(|row| (row.0, of(row)));
        points.collect()
    };
    mixed.series.extend([
        series("published, CF 12", true, published(|row| row.1)),
        series("published, ss-CF 13", true, published(|row| row.2)),
    ]);
    let by_occupancy = |title, of| rates(title, "occupancy", lives, of);
    let hits = by_occupancy("Lookups of stored items (Figure 6)", |life| &life.hits);
    let misses = by_occupancy("Lookups of absent items (Figure 6)", |life| &life.misses);
    let inserts = by_occupancy("Inserts from empty to full (Figure 7)", |life| {
        &life.inserts
    });
    let removes = rates(
        "Removes from full to empty (Figure 8)",
        "share of the items left",
        lives,
        |life| &life.removes,
    );
    let largest = evaluation.simulated.last();
    let simulated = largest.map(|simulated| ("fingerprint", by_fingerprint(simulated)));
    let measured = [
        ("load", by_slots(evaluation)),
        ("space", space(evaluation)),
        ("share", mixed),
        ("hit", hits),
        ("miss", misses),
        ("insert", inserts),
        ("remove", removes),
    ];
    simulated.into_iter().chain(measured).collect()
}

fn series(name: &str, dashed: bool, points: Vec<(f64, f64)>) -> Series {
    Series {
        name: name.to_owned(),
        points,
        dashed,
    }
}

fn chart(title: &str, x: Axis, y: Axis, series: Vec<Series>) -> Chart {
    Chart {
        title: title.to_owned(),
        mix: String::new(),
        machine: String::new(),
        x,
        y,
        series,
    }
}

/// Draws a line for each contender that has the curve, and one for the limit beside the first.
fn rates(title: &str, x: &'static str, lives: &[Life], of: fn(&Life) -> &Curve) -> Chart {
    let with_curve = lives.iter().filter(|life| !of(life).is_empty());
    let mut lines: Vec<Series> = with_curve
        .map(|life| {
            let points = of(life).iter().map(|(at, pace)| (*at, pace.subject / 1e6));
            series(life.name, false, points.collect())
        })
        .collect();
    let limit = of(&lives[0]).iter();
    let limit = limit.map(|(at, pace)| (*at, pace.limit / 1e6));
    lines.push(series("limit", true, limit.collect()));
    let y = Axis::linear("million per second");
    chart(title, Axis::linear(x), y, lines)
}

/// Draws the loads of this filter, by its size.
fn by_slots(evaluation: &Evaluation) -> Chart {
    let vacant = |load: f64| 100.0 - 100.0 * load;
    let mut lines: Vec<Series> = BUDGETS
        .iter()
        .enumerate()
        .map(|(nth, budget)| {
            let loads = evaluation.loads.iter();
            let points = loads.map(|load| (load.slots as f64, vacant(load.at_refusal[nth])));
            let name = format!("search of {budget} buckets");
            series(&name, false, points.collect())
        })
        .collect();
    let load = vacant(published::load_in_table_3());
    let theirs = vec![(published::SLOTS_IN_TABLE_3, load)];
    lines.push(series("published, Table 3", false, theirs));
    let title = "Vacant slots at the first refused insert (Figure 2)";
    let y = Axis::linear("vacant slots, %");
    chart(title, Axis::log("slots"), y, lines)
}

/// Draws the loads of simulated tables, by the bits of a fingerprint: a line for each size of a
/// bucket.
fn by_fingerprint(simulated: &Simulated) -> Chart {
    let lines = BUCKETS.iter().enumerate().map(|(nth, in_bucket)| {
        let loads = (1..).zip(&simulated.loads);
        let points = loads.map(|(bits, loads)| (f64::from(bits), 100.0 * loads[nth]));
        series(&format!("b = {in_bucket}"), false, points.collect())
    });
    let title = format!(
        "Load of 2^{} slots at the first refusal, simulated (Figure 2)",
        simulated.slots.ilog2()
    );
    let x = Axis::linear("bits of a fingerprint");
    let mut chart = chart(&title, x, Axis::linear("load, %"), lines.collect());
    chart.mix = format!(
        "a simulation; at most {MOST_MOVES} random moves an insert; the median of {} runs",
        simulated.runs
    );
    chart
}

/// The number of formulas that are drawn. Those of the filters that count would be far above.
const DRAWN: usize = 4;

/// Draws the bits per item by the rate of false positives: formulas, measured and published values.
fn space(evaluation: &Evaluation) -> Chart {
    // Straight lines on this scale.
    let ends = [1e-9, 0.06];
    let formulas = FORMULAS[..DRAWN].iter().map(|formula| {
        let points = ends.map(|rate| (rate, (formula.bits)(rate)));
        series(&format!("formula, {}", formula.name), true, points.into())
    });
    let of_kind = |(kind, name): (Kind, &str)| {
        let spaces = evaluation.spaces.iter().filter(|space| space.kind == kind);
        // The expected rates: some are too low to be measured.
        let points = spaces.map(|space| (space.expected_rate, space.bits_per_item));
        series(name, false, points.collect())
    };
    let kinds = [
        (Kind::Plain, "CF, all layouts"),
        (Kind::SemiSorted, "ss-CF, all layouts"),
    ];
    let rivals = evaluation.lives.iter().filter(|life| !life.is_cuckoo);
    let rivals = rivals.map(|life| {
        let point = (life.false_positive_rate, life.bits_per_item());
        series(life.name, false, vec![point])
    });
    let theirs = TABLE_3[..2].iter().map(|column| {
        let point = (column.false_positive_rate, column.bits_per_item);
        series(&format!("published, {}", column.name), false, vec![point])
    });
    let ours = kinds.into_iter().map(of_kind);
    let lines = formulas.chain(ours).chain(rivals).chain(theirs);
    let title = "Memory by false-positive rate (Figures 3 and 4)";
    let x = Axis::log("false-positive rate");
    chart(title, x, Axis::linear("bits per item"), lines.collect())
}
