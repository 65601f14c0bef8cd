//! The picture of a sweep, an SVG that reads well on light and dark pages.

use super::rivals::Rival;
use plotters::backend::SVGBackend;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{Circle, DashedPathElement, PathElement};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE};
use std::fs;
use std::io;
use std::path::Path;

const WIDTH: u32 = 800;
const HEIGHT: u32 = 440;
/// For the title and the line below it.
const TITLE: u32 = 64;
/// For the names of the lines.
const LEGEND: u32 = 210;
const MARGIN: i32 = 20;
/// The least distance between two names, in pixels.
const ROW: i32 = 22;

const FONT: &str = "Helvetica, Arial, sans-serif";
const INK: RGBColor = RGBColor(45, 45, 45);
const PALE: RGBColor = RGBColor(110, 110, 110);
const GRID: RGBColor = RGBColor(228, 228, 228);

type Pixel = (i32, i32);
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<io::Error>>;

/// Million packets a second, by rival and number of workers.
pub(crate) struct Sweep {
    pub(crate) workers: Vec<usize>,
    pub(crate) lines: Vec<(Rival, Vec<f64>)>,
    /// The same as parts of the limit.
    pub(crate) parts: Vec<(Rival, Vec<f64>)>,
}

/// Draws it into a file; `what` says what was measured.
pub(crate) fn draw(sweep: &Sweep, what: &str, path: &Path) -> io::Result<()> {
    let mut svg = String::new();
    paint(sweep, what, &mut svg).map_err(io::Error::other)?;
    fs::write(path, svg)
}

fn paint(sweep: &Sweep, what: &str, svg: &mut String) -> Drawn {
    let root = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    root.fill(&WHITE)?;
    let title = "Throughput of packet-pool by workers";
    root.draw_text(title, &text(22, INK), (MARGIN, 24))?;
    root.draw_text(what, &text(15, PALE), (MARGIN, 48))?;
    let (_, body) = root.split_vertically(TITLE);
    let (plot, legend) = body.split_horizontally(WIDTH - LEGEND);

    let most = sweep.workers.last().copied().unwrap_or(1) as f64;
    let figures = sweep.lines.iter().flat_map(|(_, figures)| figures);
    let highest = figures.copied().fold(0.0, f64::max);
    let mut context = ChartBuilder::on(&plot)
        .margin_left(MARGIN / 2)
        .margin_bottom(MARGIN / 2)
        .x_label_area_size(48)
        .y_label_area_size(62)
        .build_cartesian_2d(0.8..most + 0.2, 0.0..highest * 1.08)?;
    context
        .configure_mesh()
        .axis_style(INK)
        .bold_line_style(GRID)
        .max_light_lines(0)
        .x_labels(sweep.workers.len().min(9))
        .x_label_formatter(&|workers| format!("{workers}"))
        .y_labels(8)
        .y_label_formatter(&|figure| format!("{figure}"))
        .label_style(text(15, INK))
        .axis_desc_style(text(16, INK))
        .x_desc("worker threads")
        .y_desc("million packets per second")
        .draw()?;

    let (left, top) = plot.get_base_pixel();
    let mut ends = Vec::new();
    for (rival, figures) in &sweep.lines {
        let points = sweep.workers.iter().zip(figures);
        let pixels = points.map(|(&workers, &figure)| {
            let (x, y) = context.backend_coord(&(workers as f64, figure));
            (x - left, y - top)
        });
        let pixels: Vec<Pixel> = pixels.collect();
        line(&plot, *rival, &pixels)?;
        ends.extend(pixels.last().map(|&(_, height)| (height, *rival)));
    }
    name(&legend, ends)?;
    root.present()
}

/// A line with a dot for each figure. What is no way to do the job is dashed.
fn line(area: &Area<'_>, rival: Rival, pixels: &[Pixel]) -> Drawn {
    let colour = colour(rival);
    let width = if rival == Rival::Batches { 3 } else { 2 };
    let style: ShapeStyle = colour.stroke_width(width);
    let points = pixels.iter().copied();
    if rival == Rival::Nothing {
        area.draw(&DashedPathElement::new(points, 6, 4, style))?;
    } else {
        area.draw(&PathElement::new(points.collect::<Vec<_>>(), style))?;
    }
    pixels
        .iter()
        .try_for_each(|&at| area.draw(&Circle::new(at, 4, colour.filled())))
}

/// Names the lines beside their ends, pushed apart where they are close.
fn name(area: &Area<'_>, mut ends: Vec<(i32, Rival)>) -> Drawn {
    ends.sort_unstable_by_key(|&(height, _)| height);
    let mut free = ROW / 2;
    // From above, and what went too far down goes up again.
    for (height, _) in &mut ends {
        *height = free.max(*height);
        free = *height + ROW;
    }
    let mut free = HEIGHT as i32 - TITLE as i32 - ROW / 2;
    for (height, _) in ends.iter_mut().rev() {
        *height = free.min(*height);
        free = *height - ROW;
    }
    ends.into_iter().try_for_each(|(height, rival)| {
        area.draw_text(rival.name(), &text(16, colour(rival)), (MARGIN / 2, height))
    })
}

/// The colours of Okabe and Ito, which the colour-blind can tell apart.
fn colour(rival: Rival) -> RGBColor {
    match rival {
        Rival::Batches => RGBColor(0, 114, 178),
        Rival::Single => RGBColor(86, 180, 233),
        Rival::LockedBatches => RGBColor(213, 94, 0),
        Rival::LockedSingle => RGBColor(204, 121, 167),
        Rival::Nothing => PALE,
    }
}

/// Text of this size, beginning at a point and centred on its height.
fn text(size: u32, colour: RGBColor) -> TextStyle<'static> {
    (FONT, size)
        .into_font()
        .color(&colour)
        .pos(Pos::new(HPos::Left, VPos::Center))
}
