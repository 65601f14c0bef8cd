//! The text format of OpenMetrics 1.0, and who gets it.
//!
//! It differs from the older format of Prometheus in the names of counters and of what never changes, in how numbers
//! are written that are part of a label, and in its last line.

use std::fmt::{self, Write};

use prometheus::proto::{Histogram, LabelPair, Metric, MetricFamily, MetricType};

const NAME: &str = "application/openmetrics-text";

/// What the format is called in an HTTP response.
pub(crate) const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Whether a client that accepts this gets the format: if it names it, and does not like plain text better.
pub(crate) fn is_preferred(accept: &str) -> bool {
    let quality = |wanted: &str| {
        let mut ranges = accept
            .split(',')
            .map(|range| range.split(';').map(str::trim));
        ranges.find_map(|mut range| {
            let is_it = range.next()?.eq_ignore_ascii_case(wanted);
            let quality = range.find_map(|parameter| parameter.strip_prefix("q="));
            // One that is no number counts as the best, as none does.
            is_it.then(|| quality.map_or(1.0, |text| text.parse().unwrap_or(1.0)))
        })
    };
    let ours: f64 = quality(NAME).unwrap_or(0.0);
    ours > 0.0 && ours >= quality("text/plain").unwrap_or(0.0)
}

pub(crate) fn encode(families: &[MetricFamily]) -> String {
    let mut text = String::new();
    for family in families {
        // Into a string it does not fail.
        let _ = write_family(family, &mut text);
    }
    text.push_str("# EOF\n");
    text
}

fn write_family(family: &MetricFamily, out: &mut String) -> fmt::Result {
    let full = family.name();
    let (name, kind) = match family.get_field_type() {
        MetricType::COUNTER => (full.strip_suffix("_total").unwrap_or(full), "counter"),
        MetricType::HISTOGRAM => (full, "histogram"),
        _ => match full.strip_suffix("_info") {
            Some(name) => (name, "info"),
            None => (full, "gauge"),
        },
    };
    writeln!(out, "# TYPE {name} {kind}")?;
    writeln!(out, "# HELP {name} {}", escaped(family.help()))?;
    for metric in family.get_metric() {
        match kind {
            "counter" => sample(
                out,
                name,
                "_total",
                metric,
                metric.get_counter().get_value(),
            )?,
            "info" => sample(out, name, "_info", metric, metric.get_gauge().get_value())?,
            "gauge" => sample(out, name, "", metric, metric.get_gauge().get_value())?,
            _ => write_histogram(out, name, metric)?,
        }
    }
    Ok(())
}

fn sample(out: &mut String, name: &str, suffix: &str, metric: &Metric, value: f64) -> fmt::Result {
    writeln!(
        out,
        "{name}{suffix}{} {}",
        labels(metric, None),
        number(value)
    )
}

fn write_histogram(out: &mut String, name: &str, metric: &Metric) -> fmt::Result {
    let histogram: &Histogram = metric.get_histogram();
    let count = histogram.get_sample_count();
    let buckets = histogram.get_bucket().iter();
    let buckets = buckets.map(|bucket| (bucket.upper_bound(), bucket.cumulative_count()));
    let finite = buckets.filter(|(bound, _)| bound.is_finite());
    for (bound, below) in finite.chain([(f64::INFINITY, count)]) {
        let labels = labels(metric, Some(bound));
        writeln!(out, "{name}_bucket{labels} {below}")?;
    }
    writeln!(out, "{name}_count{} {count}", labels(metric, None))?;
    sample(out, name, "_sum", metric, histogram.get_sample_sum())
}

fn labels(metric: &Metric, bound: Option<f64>) -> String {
    let pair = |pair: &LabelPair| format!("{}=\"{}\"", pair.name(), escaped(pair.value()));
    let pairs = metric.get_label().iter().map(pair);
    let bound = bound.map(|bound| format!("le=\"{}\"", number(bound)));
    let pairs: Vec<_> = pairs.chain(bound).collect();
    if pairs.is_empty() {
        String::new()
    } else {
        format!("{{{}}}", pairs.join(","))
    }
}

fn escaped(text: &str) -> String {
    let text = text.replace('\\', r"\\").replace('"', r#"\""#);
    text.replace('\n', r"\n")
}

/// As Go writes it: bounds of buckets are compared as text.
fn number(value: f64) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let short = format!("{value:e}");
    let (digits, exponent) = short.split_once('e').unwrap_or((&short, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..21).contains(&exponent) {
        let plain = format!("{value}");
        // A bound is a floating-point number also if it is whole.
        if plain.contains('.') {
            plain
        } else {
            plain + ".0"
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{digits}e{sign}{:02}", exponent.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_one_form() {
        for (value, expected) in [
            (0.000_000_5, "5e-07"),
            (0.000_012_5, "1.25e-05"),
            (0.000_1, "0.0001"),
            (0.1, "0.1"),
            (1.0, "1.0"),
            (0.0, "0.0"),
            (1_500_000.0, "1500000.0"),
            (1e21, "1e+21"),
            (f64::INFINITY, "+Inf"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn who_likes_plain_text_better_gets_it() {
        for (accept, expected) in [
            ("", false),
            ("*/*", false),
            ("text/plain", false),
            ("application/openmetrics-text", true),
            (
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2",
                true,
            ),
            (
                "text/plain;q=0.9, Application/OpenMetrics-Text; q=0.8",
                false,
            ),
            ("application/openmetrics-text;q=0", false),
        ] {
            assert_eq!(is_preferred(accept), expected, "{accept}");
        }
    }
}
