//! Amounts as people read them, the small ones too.

use std::time::Duration;

/// "1 packet", "2 packets".
pub(crate) fn count(number: u64, noun: &str) -> String {
    let s = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{s}")
}

/// "950 packets/s", "1.2 M packets/s".
pub(crate) fn rate(per_second: f64, plural: &str) -> String {
    format!("{} {plural}/s", short(per_second))
}

/// "1.5 ms", "2.0 s".
pub(crate) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        _ if seconds < 1e-3 => format!("{:.1} µs", seconds * 1e6),
        _ if seconds < 1.0 => format!("{:.1} ms", seconds * 1e3),
        _ if seconds < 1e4 => format!("{seconds:.1} s"),
        _ => format!("{:.1} h", seconds / 3600.0),
    }
}

/// Two digits at least, and a unit from a thousand on.
fn short(number: f64) -> String {
    // What would be rounded up to the next unit is written in it.
    let (value, unit) = match number {
        _ if number >= 999.5e6 => (number / 1e9, " G"),
        _ if number >= 999.5e3 => (number / 1e6, " M"),
        _ if number >= 999.5 => (number / 1e3, " k"),
        _ => (number, ""),
    };
    if value < 9.95 && value.fract() != 0.0 {
        format!("{value:.1}{unit}")
    } else {
        format!("{value:.0}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_are_readable() {
        assert_eq!(count(0, "packet"), "0 packets");
        assert_eq!(count(1, "packet"), "1 packet");
        assert_eq!(count(2, "packet"), "2 packets");
        for (number, words) in [
            (0.0, "0"),
            (0.25, "0.2"),
            (1.0, "1"),
            (9.96, "10"),
            (950.0, "950"),
            (999.7, "1.0 k"),
            (1_234.0, "1.2 k"),
            (56_789.0, "57 k"),
            (999_600.0, "1.0 M"),
            (1_200_000.0, "1.2 M"),
            (34_000_000.0, "34 M"),
            (2.5e9, "2.5 G"),
        ] {
            assert_eq!(rate(number, "packets"), format!("{words} packets/s"));
        }
    }

    #[test]
    fn times_have_their_unit() {
        for (nanos, words) in [
            (0, "0.0 µs"),
            (1_500, "1.5 µs"),
            (1_500_000, "1.5 ms"),
            (2_000_000_000, "2.0 s"),
            (36_000_000_000_000, "10.0 h"),
        ] {
            assert_eq!(time(Duration::from_nanos(nanos)), words);
        }
    }
}
