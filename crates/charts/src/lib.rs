//! Line charts, as SVG files that read well at the width of a README, on light and dark pages.
//!
//! A [`Chart`] is data; everything about its looks is decided here and in the rooms below. A series has the same look in
//! all charts, by its name. The legend has the lines in the order of their right ends.

mod drawing;
mod legend;
mod looks;
pub mod machine;
mod span;

use std::fs;
use std::io;
use std::path::Path;

/// How the values of an axis are spread over its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Equal steps. A y axis starts at 0.
    Linear,
    /// Equal factors, over the range of the data. Values that are not positive are left out.
    Log,
}

/// An axis.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What it shows, with the unit.
    pub label: String,
    /// How it is spread.
    pub scale: Scale,
}

/// A line and its name in the legend.
#[derive(Clone, Debug)]
pub struct Series {
    /// The name.
    pub name: String,
    /// The points, joined in this order. Those that are not finite are left out.
    pub points: Vec<(f64, f64)>,
    /// Drawn dashed, for what is only there to be compared with.
    pub dashed: bool,
}

/// A line chart.
#[derive(Clone, Debug)]
pub struct Chart {
    /// What it says, above it.
    pub title: String,
    /// What was done, in the line below the title.
    pub mix: String,
    /// What it was done on, in the line below that.
    pub machine: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines. Seventeen can be told apart.
    pub series: Vec<Series>,
}

impl Chart {
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
        let axis = |scale| Axis {
            label: "an <axis>".to_owned(),
            scale,
        };
        Chart {
            title: "A & B".to_owned(),
            mix: "a <mix>".to_owned(),
            machine: "a \"machine\"".to_owned(),
            x: axis(Scale::Log),
            y: axis(Scale::Linear),
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

    /// The texts of a document, which must be well-formed.
    fn texts(chart: &Chart) -> Vec<String> {
        let mut svg = String::new();
        drawing::draw(chart, &mut svg).expect("drawing into a string does not fail");
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        let texts = document.descendants().filter_map(|node| node.text());
        texts.map(|text| text.trim().to_owned()).collect()
    }

    #[test]
    fn every_name_is_in_the_picture() {
        let names: Vec<String> = (0..16)
            .map(|nth| format!("line <{nth}> & \"more\""))
            .collect();
        let lines = names.iter().enumerate().map(|(nth, name)| {
            let height = nth as f64;
            series(name, &[(1.0, height), (10.0, 2.0 * height)], nth % 2 == 0)
        });
        let texts = texts(&chart(lines.collect()));
        for expected in names.iter().map(String::as_str).chain([
            "A & B",
            "an <axis>",
            "a <mix>",
            "a \"machine\"",
        ]) {
            assert!(texts.iter().any(|text| text == expected), "{expected}");
        }
    }

    #[test]
    fn the_legend_has_the_lines_as_they_are_at_the_right_end() {
        // The first is the highest at the left. The last point of one cannot be shown.
        let lines = vec![
            series("falls", &[(1.0, 9.0), (10.0, 1.0)], false),
            series("nothing", &[], false),
            series("rises", &[(1.0, 1.0), (10.0, 8.0)], true),
            series("odd", &[(1.0, 2.0), (9.0, 4.0), (10.0, f64::NAN)], false),
        ];
        let texts = texts(&chart(lines));
        let names = ["rises", "odd", "falls", "nothing"];
        let place = |name| texts.iter().position(|text| text == name).expect(name);
        assert!(names.map(place).is_sorted(), "{texts:?}");
    }

    /// The colours of lines and markers.
    fn colours(chart: &Chart) -> Vec<String> {
        let mut svg = String::new();
        drawing::draw(chart, &mut svg).expect("drawing into a string does not fail");
        let document = roxmltree::Document::parse(&svg).expect("well-formed");
        let markers = document
            .descendants()
            .filter(|node| node.has_tag_name("polygon"));
        markers
            .filter_map(|node| node.attribute("fill").map(str::to_owned))
            .collect()
    }

    #[test]
    fn a_series_has_its_colour_in_all_charts() {
        let points = [(1.0, 1.0)];
        let alone = colours(&chart(vec![series("dashmap", &points, false)]));
        assert_eq!(alone.len(), 2, "the point and the legend");
        let among = chart(vec![
            series("unheard of", &[], false),
            series("filter", &[], false),
            series("dashmap", &points, false),
        ]);
        let among = colours(&among);
        assert_eq!(
            among.iter().filter(|colour| **colour == alone[0]).count(),
            2
        );
        assert_eq!(among.len(), 4);
    }

    #[test]
    fn empty_charts_and_odd_points_are_drawn() {
        texts(&chart(Vec::new()));
        texts(&chart(vec![
            series("nothing", &[], false),
            series("", &[], true),
        ]));
        let odd = [
            (-1.0, 1.0),
            (0.0, 2.0),
            (f64::NAN, 3.0),
            (4.0, f64::INFINITY),
            (5.0, -5.0),
        ];
        texts(&chart(vec![
            series("odd", &odd, false),
            series("odd too", &odd, true),
        ]));
    }

    #[test]
    fn writes_a_file() {
        let path = std::env::temp_dir().join(format!("plot-{}.svg", std::process::id()));
        let line = series("line", &[(1.0, 1.0)], false);
        chart(vec![line]).write_svg(&path).expect("writable");
        let text = fs::read_to_string(&path).expect("readable");
        fs::remove_file(&path).expect("removable");
        assert!(text.starts_with("<svg") && text.trim_end().ends_with("</svg>"));
    }
}
