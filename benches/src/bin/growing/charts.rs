//! The charts of the way.

use std::fs;
use std::io;
use std::path::Path;

use ::charts::{Axis, Chart, Scale, Series};
use lockfree_cuckoo_benches::machine::machine;
use lockfree_cuckoo_benches::size::items_name;

use crate::way::{LOOKS, Look, Way};

/// Points of a line from one number of items to twice as many.
const POINTS: i32 = 8;

/// Draws both into a directory.
pub(crate) fn write(ways: &[Way], start: usize, directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    for (name, chart) in [
        ("growing-bits", bits(ways, start)),
        ("growing-rate", rates(ways, start)),
    ] {
        let path = directory.join(name).with_extension("svg");
        chart.write_svg(&path)?;
        println!("{}", path.display());
    }
    Ok(())
}

fn bits(ways: &[Way], start: usize) -> Chart {
    Chart {
        title: "Memory of filters that grow".to_owned(),
        y: axis("bits an item", Scale::Log),
        ..chart(ways, start, |look| look.bits_per_item)
    }
}

fn rates(ways: &[Way], start: usize) -> Chart {
    Chart {
        title: "False positives of filters that grow".to_owned(),
        y: axis(
            "expected false positives, % (of the rivals a bound)",
            Scale::Linear,
        ),
        ..chart(ways, start, |look| Some(100.0 * look.false_positives))
    }
}

fn chart(ways: &[Way], start: usize, value: impl Fn(&Look) -> Option<f64>) -> Chart {
    let points = |way: &Way| {
        let looks = way.looks.iter().step_by((LOOKS / POINTS) as usize);
        looks
            .filter_map(|look| Some((look.items as f64, value(look)?)))
            .collect()
    };
    let series = ways.iter().map(|way| Series {
        name: way.contender.to_owned(),
        points: points(way),
        dashed: false,
    });
    Chart {
        title: String::new(),
        mix: format!(
            "items inserted one after the other into filters made for {}",
            items_name(start)
        ),
        machine: machine(),
        x: axis("items", Scale::Log),
        y: axis("", Scale::Linear),
        series: series
            .filter(|line: &Series| !line.points.is_empty())
            .collect(),
    }
}

fn axis(label: &str, scale: Scale) -> Axis {
    Axis {
        label: label.to_owned(),
        scale,
    }
}
