//! Drawing: a title, the plot, and a legend beside it, in pixels on white.

use std::io;
use std::ops::Range;

use plotters::backend::SVGBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::coord::combinators::{IntoLogRange, LogCoord};
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{DashedPathElement, PathElement, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle, WHITE};

use crate::looks::{self, Look};
use crate::{Axis, Chart, Scale, Series};

const WIDTH: u32 = 800;
const HEIGHT: u32 = 480;
/// The height of the title and the lines below it.
const TITLE_HEIGHT: u32 = 84;
const TITLE_ROW: i32 = 20;
const MARGIN: i32 = 20;
const ROW_HEIGHT: i32 = 25;
const MOST_TICKS: usize = 9;
/// The length of the line before a name in the legend.
const SWATCH: i32 = 34;

const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(45, 45, 45);
const PALE: RGBColor = RGBColor(110, 110, 110);
const GRID: RGBColor = RGBColor(228, 228, 228);

type Pixel = (i32, i32);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Appends the chart to `svg`.
pub(super) fn draw(chart: &Chart, svg: &mut String) -> Drawn {
    let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    root.draw_text(&chart.title, &text(22, INK), (MARGIN, TITLE_ROW))?;
    for (line, below) in [&chart.mix, &chart.machine].into_iter().zip(2..) {
        root.draw_text(line, &text(15, PALE), (MARGIN, below * TITLE_ROW + 4))?;
    }
    let (_, body) = root.split_vertically(TITLE_HEIGHT);
    let (plot, legend) = body.split_horizontally(WIDTH - legend_width(&chart.series));
    let names: Vec<&str> = chart.series.iter().map(|series| &*series.name).collect();
    let looks = looks::of(&names);
    draw_plot(chart, &looks, &plot)?;
    draw_legend(chart, &looks, &legend)?;
    root.present()
}

/// The points of each line.
type Lines = [Vec<(f64, f64)>];

fn draw_plot(chart: &Chart, looks: &[Look], area: &Area<'_>) -> Drawn {
    let series = chart.series.iter();
    let lines: Vec<Vec<(f64, f64)>> = series
        .map(|series| shown(chart, series).collect())
        .collect();
    let (xs, ys): (Vec<f64>, Vec<f64>) = lines.iter().flatten().copied().unzip();
    let (x, y) = (range(chart.x.scale, &xs), range(chart.y.scale, &ys));
    let linear = RangedCoordf64::from;
    match (chart.x.scale, chart.y.scale) {
        (Scale::Linear, Scale::Linear) => {
            draw_lines(chart, looks, area, &lines, linear(x), linear(y))
        }
        (Scale::Linear, Scale::Log) => draw_lines(chart, looks, area, &lines, linear(x), log(y)),
        (Scale::Log, Scale::Linear) => draw_lines(chart, looks, area, &lines, log(x), linear(y)),
        (Scale::Log, Scale::Log) => draw_lines(chart, looks, area, &lines, log(x), log(y)),
    }
}

/// Returns the span of an axis: all values, with a little room at its ends. A linear axis begins at
/// 0, if no value is negative.
fn range(scale: Scale, values: &[f64]) -> Range<f64> {
    let low = values.iter().copied().reduce(f64::min).unwrap_or(1.0);
    let high = values.iter().copied().reduce(f64::max).unwrap_or(1.0);
    match scale {
        Scale::Linear => {
            let low = low.min(0.0);
            low..(high + 0.04 * (high - low)).max(low + 1e-9)
        }
        Scale::Log => {
            // A single value gets some room of its own.
            let room = (high / low).powf(0.04).max(1.01);
            low / room..high * room
        }
    }
}

/// Makes a logarithmic axis. It names powers of ten or, where there would be few of them, powers of
/// two.
fn log(range: Range<f64>) -> LogCoord<f64> {
    let base = if range.end / range.start < 1e3 {
        2.0
    } else {
        10.0
    };
    range.log_scale().base(base).into()
}

fn draw_lines(
    chart: &Chart,
    looks: &[Look],
    area: &Area<'_>,
    lines: &Lines,
    x: impl Ranged<ValueType = f64> + ValueFormatter<f64>,
    y: impl Ranged<ValueType = f64> + ValueFormatter<f64>,
) -> Drawn {
    let mut context = ChartBuilder::on(area)
        .margin_left(MARGIN / 2)
        .margin_bottom(MARGIN / 2)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(x, y)?;
    context
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(GRID)
        .max_light_lines(0)
        .x_labels(MOST_TICKS)
        .y_labels(MOST_TICKS)
        .x_label_formatter(&|value| short(*value))
        .y_label_formatter(&|value| short(*value))
        .label_style(text(15, INK))
        .axis_desc_style(text(17, INK))
        .x_desc(chart.x.label)
        .y_desc(chart.y.label)
        .draw()?;
    let (left, top) = area.get_base_pixel();
    for ((series, line), look) in chart.series.iter().zip(lines).zip(looks) {
        let pixels = line.iter().map(|point| {
            let (x, y) = context.backend_coord(point);
            (x - left, y - top)
        });
        draw_line(area, look, series.dashed, &pixels.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Shows a number as shortly as an axis needs: 2.5, 40k, 3M, 2e-6.
fn short(value: f64) -> String {
    if value != 0.0 && value.abs() < 1e-5 {
        return format!("{value:.0e}");
    }
    let (divisor, suffix) = match value.abs() {
        size if size >= 1e9 => (1e9, "G"),
        size if size >= 1e6 => (1e6, "M"),
        size if size >= 1e4 => (1e3, "k"),
        _ => (1.0, ""),
    };
    // Nine digits hide that steps of a tenth are not exact.
    let rounded = (value / divisor * 1e9).round() / 1e9;
    format!("{rounded}{suffix}")
}

/// Returns the points that the axes can show.
fn shown(chart: &Chart, series: &Series) -> impl Iterator<Item = (f64, f64)> {
    let can_show =
        |axis: &Axis, value: f64| value.is_finite() && (axis.scale == Scale::Linear || value > 0.0);
    let points = series.points.iter().copied();
    points.filter(move |&(x, y)| can_show(&chart.x, x) && can_show(&chart.y, y))
}

/// Draws the names from top to bottom, in the order of the right ends of the lines.
fn draw_legend(chart: &Chart, looks: &[Look], area: &Area<'_>) -> Drawn {
    let height = |nth: &usize| {
        shown(chart, &chart.series[*nth])
            .last()
            .map_or(f64::NEG_INFINITY, |(_, y)| y)
    };
    let mut order: Vec<usize> = (0..chart.series.len()).collect();
    // Sort stably: lines that end at one height keep their order.
    order.sort_by(|one, other| height(other).total_cmp(&height(one)));
    for (row, nth) in order.into_iter().enumerate() {
        let (series, look) = (&chart.series[nth], &looks[nth]);
        let middle = MARGIN / 2 + ROW_HEIGHT * row as i32;
        let (start, end) = (MARGIN, MARGIN + SWATCH);
        let swatch = [(start, middle), (end, middle)];
        draw_stroke(area, look, series.dashed, &swatch)?;
        draw_marker(area, look, ((start + end) / 2, middle))?;
        let place = (end + MARGIN / 2, middle);
        area.draw_text(&series.name, &text(16, INK), place)?;
    }
    Ok(())
}

/// Estimates the width of the legend: there are no fonts to measure names with, and letters are
/// about half as wide as high.
fn legend_width(series: &[Series]) -> u32 {
    let lengths = series.iter().map(|series| series.name.chars().count());
    let text = 7 * lengths.max().unwrap_or(0) as u32;
    (text + (SWATCH + 3 * MARGIN) as u32).min(WIDTH / 2)
}

fn draw_line(area: &Area<'_>, look: &Look, dashed: bool, pixels: &[Pixel]) -> Drawn {
    draw_stroke(area, look, dashed, pixels)?;
    pixels
        .iter()
        .try_for_each(|&at| draw_marker(area, look, at))
}

fn draw_stroke(area: &Area<'_>, look: &Look, dashed: bool, pixels: &[Pixel]) -> Drawn {
    let style = look.0.stroke_width(2);
    if dashed {
        let pixels = pixels.iter().copied();
        area.draw(&DashedPathElement::new(pixels, 6, 4, style))
    } else {
        area.draw(&PathElement::new(pixels, style))
    }
}

fn draw_marker(area: &Area<'_>, look: &Look, (x, y): Pixel) -> Drawn {
    let outline = look.1.iter().map(|(dx, dy)| (x + dx, y + dy));
    let outline = outline.collect::<Vec<_>>();
    area.draw(&Polygon::new(outline, look.0.filled()))
}

/// Makes text of this size that begins at a point and is centred on its height.
fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size)
        .into_font()
        .color(&colour)
        .pos(Pos::new(HPos::Left, VPos::Center))
}
