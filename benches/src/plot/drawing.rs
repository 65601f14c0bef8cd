//! The looks of a chart: a title, the plot, and a legend beside it, in pixels on white.

use std::io;

use plotters::backend::SVGBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{DashedPathElement, PathElement, Polygon};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, TextStyle, WHITE};

use super::span::Span;
use super::{Axis, Chart, Series};

const WIDTH: u32 = 800;
const HEIGHT: u32 = 450;
const TITLE_HEIGHT: u32 = 48;
const MARGIN: i32 = 20;
const ROW_HEIGHT: i32 = 25;
const MOST_TICKS: usize = 9;
/// The piece of line before a name in the legend.
const SWATCH: i32 = 34;

const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(45, 45, 45);
const GRID: RGBColor = RGBColor(228, 228, 228);

/// The colours of Okabe and Ito, which the colour-blind can tell apart, with grey for the yellow.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(85, 85, 85),
];

/// The outlines of the markers. Four of them and seven colours make 28 pairs before one repeats.
const MARKERS: [&[Pixel]; 4] = [
    &[
        (-2, -4),
        (2, -4),
        (4, -2),
        (4, 2),
        (2, 4),
        (-2, 4),
        (-4, 2),
        (-4, -2),
    ],
    &[(0, -6), (6, 0), (0, 6), (-6, 0)],
    &[(-4, -4), (4, -4), (4, 4), (-4, 4)],
    &[(0, -6), (6, 5), (-6, 5)],
];

type Pixel = (i32, i32);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Appends the chart to `svg`.
pub(super) fn draw(chart: &Chart, svg: &mut String) -> Drawn {
    let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    let middle_of_title = TITLE_HEIGHT as i32 / 2;
    root.draw_text(&chart.title, &text(22), (MARGIN, middle_of_title))?;
    let (_, body) = root.split_vertically(TITLE_HEIGHT);
    let (plot, legend) = body.split_horizontally(WIDTH - legend_width(&chart.series));
    draw_plot(chart, &plot)?;
    draw_legend(&chart.series, &legend)?;
    root.present()
}

fn draw_plot(chart: &Chart, area: &Area<'_>) -> Drawn {
    let can_show = |axis: &Axis, value| Span::can_show(axis.scale, value);
    let lines: Vec<Vec<(f64, f64)>> = chart
        .series
        .iter()
        .map(|series| {
            let points = series.points.iter().copied();
            points
                .filter(|&(x, y)| can_show(&chart.x, x) && can_show(&chart.y, y))
                .collect()
        })
        .collect();
    let points = || lines.iter().flatten();
    let x = Span::around(chart.x.scale, points().map(|point| point.0));
    let y = Span::from_zero(chart.y.scale, points().map(|point| point.1));
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
        .label_style(text(15))
        .axis_desc_style(text(17))
        .x_desc(&chart.x.label)
        .y_desc(&chart.y.label)
        .draw()?;
    let (left, top) = area.get_base_pixel();
    for (nth, (series, line)) in chart.series.iter().zip(&lines).enumerate() {
        let pixels = line.iter().map(|point| {
            let (x, y) = context.backend_coord(point);
            (x - left, y - top)
        });
        draw_line(area, nth, series.dashed, &pixels.collect::<Vec<_>>())?;
    }
    Ok(())
}

fn draw_legend(series: &[Series], area: &Area<'_>) -> Drawn {
    for (nth, series) in series.iter().enumerate() {
        let middle = MARGIN / 2 + ROW_HEIGHT * nth as i32;
        let (start, end) = (MARGIN, MARGIN + SWATCH);
        let swatch = [(start, middle), (end, middle)];
        draw_stroke(area, nth, series.dashed, &swatch)?;
        draw_marker(area, nth, ((start + end) / 2, middle))?;
        area.draw_text(&series.name, &text(16), (end + MARGIN / 2, middle))?;
    }
    Ok(())
}

/// There are no fonts to measure names with; letters are about half as wide as high.
fn legend_width(series: &[Series]) -> u32 {
    let lengths = series.iter().map(|series| series.name.chars().count());
    let text = 7 * lengths.max().unwrap_or(0) as u32;
    (text + (SWATCH + 3 * MARGIN) as u32).min(WIDTH / 2)
}

fn draw_line(area: &Area<'_>, nth: usize, dashed: bool, pixels: &[Pixel]) -> Drawn {
    draw_stroke(area, nth, dashed, pixels)?;
    pixels.iter().try_for_each(|&at| draw_marker(area, nth, at))
}

fn draw_stroke(area: &Area<'_>, nth: usize, dashed: bool, pixels: &[Pixel]) -> Drawn {
    let style = colour(nth).stroke_width(2);
    if dashed {
        let pixels = pixels.iter().copied();
        area.draw(&DashedPathElement::new(pixels, 6, 4, style))
    } else {
        area.draw(&PathElement::new(pixels, style))
    }
}

fn draw_marker(area: &Area<'_>, nth: usize, (x, y): Pixel) -> Drawn {
    let outline = MARKERS[nth % MARKERS.len()]
        .iter()
        .map(|(dx, dy)| (x + dx, y + dy));
    area.draw(&Polygon::new(
        outline.collect::<Vec<_>>(),
        colour(nth).filled(),
    ))
}

fn colour(nth: usize) -> RGBColor {
    COLOURS[nth % COLOURS.len()]
}

/// Text of this size, beginning at a point and centred on its height.
fn text(size: u32) -> TextStyle<'static> {
    (FONT, size)
        .into_font()
        .color(&INK)
        .pos(Pos::new(HPos::Left, VPos::Center))
}
