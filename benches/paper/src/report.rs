//! The tables, in Markdown, with the published values beside the measured ones.

use lockfree_cuckoo_benches::markdown::table;
use lockfree_cuckoo_benches::or_dash;

use crate::evaluation::Evaluation;
use crate::life::{Curve, Life};
use crate::load::BUDGETS;
use crate::published::{
    self, BYTES_IN_TABLE_3, Column, FIGURE_5_AGAIN, FORMULAS, LOAD_IN_TABLE_2, LOADS, TABLE_3,
    TABLE_3_AGAIN,
};
use crate::simulation::{BUCKETS, Simulated};

/// The most rows of a table that a figure shows too.
const MOST_ROWS: usize = 10;

/// Returns all tables, each with the name of its marks.
pub(crate) fn tables(evaluation: &Evaluation) -> Vec<(&'static str, String)> {
    let lives = &evaluation.lives;
    vec![
        ("table 2", table_2(evaluation)),
        ("table 3", table_3(evaluation)),
        ("figure 2 by size", by_size(evaluation)),
        ("figure 2 by fingerprint", by_fingerprint(evaluation)),
        ("figures 3 and 4", space(evaluation)),
        ("figure 5", figure_5(lives)),
        ("figure 6 hits", curves(lives, |life| &life.hits)),
        ("figure 6 misses", curves(lives, |life| &life.misses)),
        ("figure 7", curves(lives, |life| &life.inserts)),
        ("figure 8", curves(lives, |life| &life.removes)),
    ]
}

/// Returns the table of space and lookup cost.
fn table_2(evaluation: &Evaluation) -> String {
    let head = [
        "filter",
        "bits per item, published",
        "at the measured rate",
        "measured",
        "load, published",
        "measured",
        "memory references of a hit / a miss, published",
    ];
    let rows = [
        ("Bloom", 1, "1.44 log2(1/ε)", "log2(1/ε) / 2"),
        ("CF 4 x 16", 2, "(log2(1/ε) + 3) / α", "2 / 2"),
        ("ss-CF 4 x 17", 3, "(log2(1/ε) + 2) / α", "2 / 2"),
    ];
    let rows = rows
        .into_iter()
        .filter_map(|(name, nth, formula, accesses)| {
            let life = evaluation.life(name)?;
            let rate = match evaluation.spaces.iter().find(|space| space.name == name) {
                Some(space) => space.expected_rate,
                None => life.false_positive_rate,
            };
            let formula_bits = (FORMULAS[nth].bits)(rate);
            let load = |load: f64| {
                if life.is_cuckoo {
                    format!("{load:.3}")
                } else {
                    "-".to_owned()
                }
            };
            Some(vec![
                name.to_owned(),
                formula.to_owned(),
                format!("{formula_bits:.2}"),
                format!("{:.2}", life.bits_per_item()),
                load(LOAD_IN_TABLE_2),
                load(life.occupancy),
                accesses.to_owned(),
            ])
        });
    table(&head, rows)
}

/// Returns the columns of Table 3 that are nearest to a contender: of the paper, and from the
/// repository of its code.
fn nearest(name: &str) -> [Option<&'static Column>; 2] {
    match name {
        "CF 5 x 12" => [Some(&TABLE_3[0]), Some(&TABLE_3_AGAIN[0])],
        "ss-CF 5 x 14" => [Some(&TABLE_3[1]), Some(&TABLE_3_AGAIN[1])],
        "Bloom" => [Some(&TABLE_3[2]), None],
        "blocked Bloom" => [Some(&TABLE_3[3]), None],
        "quotient" => [Some(&TABLE_3[4]), None],
        _ => [None, None],
    }
}

/// Returns the table of space, false positives and construction at equal memory.
fn table_3(evaluation: &Evaluation) -> String {
    let head = [
        "filter",
        "million items in 192 MiB",
        "published",
        "bits per item",
        "published",
        "false positives",
        "published",
        "million keys/s built",
        "published",
        "with their code",
        "of the limit",
        "load at the end",
        "false negatives, failed removes",
    ];
    let lives = evaluation.lives.iter().chain(&evaluation.equals);
    let rows = lives.map(|life| {
        let [paper, code] = nearest(life.name);
        let scale = BYTES_IN_TABLE_3 as f64 / life.bytes as f64;
        let of = |column: Option<&Column>, value: fn(&Column) -> String| or_dash(column, value);
        let built = |column: &Column| format!("{:.2}", column.million_keys_per_second);
        let pace = life.construction;
        vec![
            life.name.to_owned(),
            format!("{:.2}", scale * life.items as f64 / 1e6),
            of(paper, |column| format!("{:.2}", column.million_items)),
            format!("{:.2}", life.bits_per_item()),
            of(paper, |column| format!("{:.2}", column.bits_per_item)),
            rate(life.false_positive_rate),
            of(paper, |column| {
                format!("{:.2} %", 100.0 * column.false_positive_rate)
            }),
            format!("{:.2}", pace.subject / 1e6),
            of(paper, built),
            of(code, built),
            format!("{:.2}", pace.ratio),
            or_dash(life.refused.then_some(life.occupancy), |load| {
                format!("{load:.3}")
            }),
            format!("{}, {}", life.false_negatives, life.failed_removes),
        ]
    });
    let d_left = evaluation.d_left_load;
    format!(
        "{}\nThe d-left counting filter refuses its first item at a load of {d_left:.3}.\n",
        table(&head, rows)
    )
}

/// Loads at the first refused insert, by size.
fn by_size(evaluation: &Evaluation) -> String {
    let searches = BUDGETS.map(|budget| format!("search of {budget} buckets"));
    let head = ["slots", "runs"].map(str::to_owned);
    let head: Vec<String> = head.into_iter().chain(searches).collect();
    let measured = evaluation.loads.iter().map(|load| {
        let about = [format!("2^{}", load.slots.ilog2()), load.runs.to_string()];
        let loads = load.at_refusal.iter().map(|load| format!("{load:.4}"));
        about.into_iter().chain(loads).collect()
    });
    let slots = published::SLOTS_IN_TABLE_3.log2();
    let published = vec![
        format!("2^{slots:.0}, published in Table 3"),
        "-".to_owned(),
        format!("{:.4}, moves at random", published::load_in_table_3()),
        "-".to_owned(),
    ];
    table(&head, measured.chain([published]))
}

/// Loads of simulated tables, by fingerprint and bucket.
fn by_fingerprint(evaluation: &Evaluation) -> String {
    let sizes = evaluation.simulated.iter();
    let columns = sizes.flat_map(|Simulated { slots, .. }| {
        BUCKETS.map(|in_bucket| format!("2^{}, b = {in_bucket}", slots.ilog2()))
    });
    let head: Vec<String> = ["bits".to_owned()].into_iter().chain(columns).collect();
    let rows = evaluation
        .simulated
        .first()
        .map_or(0, |size| size.loads.len());
    let rows = (0..rows).map(|nth| {
        let loads = evaluation.simulated.iter().flat_map(|size| size.loads[nth]);
        let cells = loads.map(|load| format!("{load:.3}"));
        [(nth + 1).to_string()].into_iter().chain(cells).collect()
    });
    let published = evaluation.simulated.iter().flat_map(|_| LOADS);
    let published = published.map(|load| format!("{load:.2}"));
    let published = ["published, long fingerprints".to_owned()]
        .into_iter()
        .chain(published);
    table(&head, rows.chain([published.collect()]))
}

/// Bits per item by rate of false positives.
fn space(evaluation: &Evaluation) -> String {
    let measured = [
        "filter",
        "load",
        "false positives",
        "expected",
        "bits per item",
    ];
    let formulas = FORMULAS.map(|formula| format!("formula, {}", formula.name));
    let head: Vec<String> = measured
        .into_iter()
        .map(str::to_owned)
        .chain(formulas)
        .collect();
    let bits = |rate| FORMULAS.map(|formula| format!("{:.2}", (formula.bits)(rate)));
    let layouts = evaluation.spaces.iter().map(|space| {
        let measured = [
            space.name.to_owned(),
            format!("{:.4}", space.load),
            rate(space.false_positive_rate),
            rate(space.expected_rate),
            format!("{:.2}", space.bits_per_item),
        ];
        measured
            .into_iter()
            .chain(bits(space.expected_rate))
            .collect()
    });
    let rivals = evaluation.lives.iter().filter(|life| !life.is_cuckoo);
    let rivals = rivals.map(|life| {
        let measured = [
            life.name.to_owned(),
            "-".to_owned(),
            rate(life.false_positive_rate),
            or_dash(life.expected_rate, rate),
            format!("{:.2}", life.bits_per_item()),
        ];
        measured
            .into_iter()
            .chain(bits(life.false_positive_rate))
            .collect()
    });
    table(&head, layouts.chain(rivals))
}

/// Lookups when full, by the share of stored keys.
fn figure_5(lives: &[Life]) -> String {
    let names = lives.iter().map(|life| life.name);
    let published = ["published, CF, 12 bits", "published, ss-CF, 13 bits"];
    let head = ["stored"].into_iter().chain(names).chain(["limit"]);
    let head: Vec<&str> = head.chain(published).collect();
    let rows = FIGURE_5_AGAIN.iter().enumerate().map(|(nth, theirs)| {
        let cells = row(lives, |life| &life.mixed, nth, percent(theirs.0));
        let published = [theirs.1, theirs.2].map(|rate| format!("{rate:.1}"));
        cells.into_iter().chain(published).collect()
    });
    table(&head, rows)
}

/// Returns a row for each point and a column for each contender that has the curve.
fn curves(lives: &[Life], of: fn(&Life) -> &Curve) -> String {
    let with_curve = lives.iter().filter(|life| !of(life).is_empty());
    let names = with_curve.map(|life| life.name);
    let head: Vec<&str> = [""].into_iter().chain(names).chain(["limit"]).collect();
    let points = of(&lives[0]);
    // Show every other point of a long curve, and the last one.
    let stride = if points.len() > MOST_ROWS { 2 } else { 1 };
    let points = points.iter().enumerate().skip(stride - 1).step_by(stride);
    let rows = points.map(|(nth, (at, _))| row(lives, of, nth, percent(*at)));
    table(&head, rows)
}

/// Returns a row of rates in millions a second, each with its ratio to the limit; the limit beside
/// the first is the last.
fn row(lives: &[Life], of: fn(&Life) -> &Curve, nth: usize, first: String) -> Vec<String> {
    let with_curve = lives.iter().filter(|life| !of(life).is_empty());
    let cells = with_curve.map(|life| {
        or_dash(of(life).get(nth), |(_, pace)| {
            format!("{:.1} ({:.2})", pace.subject / 1e6, pace.ratio)
        })
    });
    let limit = of(&lives[0]).get(nth);
    let limit = or_dash(limit, |(_, pace)| format!("{:.1}", pace.limit / 1e6));
    [first].into_iter().chain(cells).chain([limit]).collect()
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// Shows a rate in percent. Rates differ by seven powers of ten.
fn rate(rate: f64) -> String {
    match 100.0 * rate {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.001 => format!("{percent:.1e} %"),
        percent => format!("{percent:.4} %"),
    }
}
