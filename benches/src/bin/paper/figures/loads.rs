//! Loads at the first refused insert.

use charts::{Chart, Scale, Series};

use super::{axis, one_point};
use crate::evaluation::Evaluation;
use crate::grid::{BUCKETS, Grid};
use crate::load::BUDGETS;
use crate::partial_key::MOST_MOVES;
use crate::published;

/// Of this filter, by its size.
pub(super) fn by_slots(evaluation: &Evaluation) -> Chart {
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

/// Of simulated tables, by the bits of a fingerprint. A line for each size of a bucket.
pub(super) fn by_fingerprint(grid: &Grid) -> Chart {
    let series = BUCKETS.iter().enumerate().map(|(nth, in_bucket)| Series {
        name: format!("b = {in_bucket}"),
        points: (1..)
            .zip(&grid.loads)
            .map(|(bits, loads)| (f64::from(bits), 100.0 * loads[nth]))
            .collect(),
        dashed: false,
    });
    Chart {
        title: format!(
            "Load of 2^{} slots at the first refusal, simulated (paper, Figure 2)",
            grid.slots.ilog2()
        ),
        mix: format!(
            "a simulation; at most {MOST_MOVES} random moves an insert; the median of {} runs",
            grid.runs
        ),
        machine: String::new(),
        x: axis("bits of a fingerprint", Scale::Linear),
        y: axis("load, %", Scale::Linear),
        series: series.collect(),
    }
}
