//! Line charts, as SVG files that read well at the width of a README, on light and dark pages.
//!
//! A [`Chart`] is data; this crate decides its looks. A series has the same look in all charts, by
//! its name. The legend lists the lines in the order of their right ends.

mod drawing;
mod looks;

use std::fs;
use std::io;
use std::path::Path;

/// The spread of the values of an axis over its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Log,
}

/// An axis with a label: the quantity and its unit.
#[derive(Clone, Debug)]
pub struct Axis {
    label: &'static str,
    scale: Scale,
}

impl Axis {
    /// Makes an axis of equal steps. A y axis starts at 0.
    #[must_use]
    pub fn linear(label: &'static str) -> Self {
        let scale = Scale::Linear;
        Self { label, scale }
    }

    /// Makes an axis of equal factors, over the range of the data. It leaves out values that are
    /// not positive.
    #[must_use]
    pub fn log(label: &'static str) -> Self {
        let scale = Scale::Log;
        Self { label, scale }
    }
}

/// A line, with its name in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name.
    pub name: String,
    /// The points, joined in this order. Those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Whether it is drawn dashed, as a line for comparison only.
    pub dashed: bool,
}

/// A line chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The title above it.
    pub title: String,
    /// The work, in the line below the title.
    pub mix: String,
    /// The machine, in the line below that.
    pub machine: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines. Fifteen can be distinguished.
    pub series: Vec<Series>,
}

impl Chart {
    /// Checks that a chart can be written to a file, before minutes are spent on measuring. The
    /// file keeps its content.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub fn check(path: &Path) -> io::Result<()> {
        let file = fs::File::options().create(true).append(true).open(path);
        file.map(drop)
    }

    /// Draws it into a file.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_svg(&self, path: &Path) -> io::Result<()> {
        let mut svg = String::new();
        drawing::draw(self, &mut svg).map_err(io::Error::other)?;
        fs::write(path, svg)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(series: Vec<Series>) -> Chart {
        Chart {
            title: "A & B".to_owned(),
            mix: "a <mix>".to_owned(),
            machine: "a \"machine\"".to_owned(),
            x: Axis::log("an <axis>"),
            y: Axis::linear("an <axis>"),
            series,
        }
    }

    fn series(name: &str, points: &[(f64, f64)], dashed: bool) -> Series {
        Series {
            name: name.to_owned(),
            points: points.to_vec(),
            dashed,
        }
    }

    /// Returns the texts of a chart, which must be well-formed, and the colours of its markers.
    fn drawn(series: Vec<Series>) -> (Vec<String>, Vec<String>) {
        let mut svg = String::new();
        drawing::draw(&chart(series), &mut svg).expect("drawing into a string does not fail");
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        let texts = document.descendants().filter_map(|node| node.text());
        let markers = document
            .descendants()
            .filter(|node| node.has_tag_name("polygon"));
        let colours = markers.filter_map(|node| node.attribute("fill"));
        (
            texts.map(|text| text.trim().to_owned()).collect(),
            colours.map(str::to_owned).collect(),
        )
    }

    #[test]
    fn draws_every_name() {
        let names = (0..16).map(|nth| format!("line <{nth}> & \"more\""));
        let names: Vec<String> = names.collect();
        let lines = (0..).zip(&names).map(|(nth, name)| {
            let height = f64::from(nth);
            series(name, &[(1.0, height), (10.0, 2.0 * height)], nth % 2 == 0)
        });
        let (texts, _) = drawn(lines.collect());
        let titles = ["A & B", "an <axis>", "a <mix>", "a \"machine\""];
        for expected in names.iter().map(String::as_str).chain(titles) {
            assert!(texts.iter().any(|text| text == expected), "{expected}");
        }
    }

    #[test]
    fn the_legend_follows_the_right_ends() {
        // The first is the highest at the left. One has a last point that cannot be shown, and two
        // end at one height.
        let (texts, _) = drawn(vec![
            series("falls", &[(1.0, 9.0), (10.0, 1.0)], false),
            series("nothing", &[], false),
            series("rises", &[(1.0, 1.0), (10.0, 8.0)], true),
            series("odd", &[(1.0, 2.0), (9.0, 4.0), (10.0, f64::NAN)], false),
            series("even", &[(9.0, 4.0)], false),
        ]);
        let names = ["rises", "odd", "even", "falls", "nothing"];
        let place = |name| texts.iter().position(|text| text == name).expect(name);
        assert!(names.map(place).is_sorted(), "{texts:?}");
    }

    #[test]
    fn axes_have_round_values() {
        for (points, names) in [
            ([(1e-9, 0.3), (0.1, 1.0)], ["1e-9", "0.1", "0.4", "1"]),
            ([(1.0, 0.3), (16.0, 1.0)], ["2", "16", "0.4", "1"]),
            ([(1e3, 2e6), (1e7, 3e6)], ["1000", "10M", "1M", "3M"]),
        ] {
            let (texts, _) = drawn(vec![series("", &points, false)]);
            for name in names {
                assert!(texts.iter().any(|text| text == name), "{name}: {texts:?}");
            }
        }
    }

    #[test]
    fn a_series_has_one_colour_in_all_charts() {
        let dashmap = || series("dashmap", &[(1.0, 1.0)], false);
        let (_, alone) = drawn(vec![dashmap()]);
        assert_eq!(alone.len(), 2, "the point and the legend");
        let others = [
            series("unheard of", &[], false),
            series("filter", &[], false),
        ];
        let (_, among) = drawn(others.into_iter().chain([dashmap()]).collect());
        let same = among.iter().filter(|colour| **colour == alone[0]);
        assert_eq!((same.count(), among.len()), (2, 4));
    }

    #[test]
    fn draws_empty_charts_and_odd_points() {
        let odd = [
            (-1.0, 1.0),
            (0.0, 2.0),
            (f64::NAN, 3.0),
            (4.0, f64::INFINITY),
            (5.0, -5.0),
        ];
        drawn(Vec::new());
        for points in [&[][..], &odd] {
            drawn(vec![series("odd", points, false), series("", points, true)]);
        }
    }
}
