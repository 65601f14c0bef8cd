//! What the command lines of the programs have in common, and the processes that they start.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The table is 2 MiB: it fits the second-level cache of current server cores, or is close to it.
pub const IN_CACHE: usize = 1_000_000;

/// The table is 20 MiB: ten times a second-level cache, and more pages than a TLB covers. That is memory
/// on most desktops, but on servers with a third-level cache of hundreds of MiB it is that cache. Filling it
/// takes about a second, which a benchmark can afford to do for each of its lines.
pub const BEYOND_CACHE: usize = 10_000_000;

/// The options of every program that measures pairs.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Numbers of items
    #[arg(long, value_delimiter = ',', value_parser = items_of, default_value = "1M,10M")]
    pub sizes: Vec<usize>,

    /// Seconds for each measurement
    #[arg(long = "seconds", value_name = "SECONDS", value_parser = seconds_of, default_value = "0.5")]
    pub time: Duration,

    /// The job of a child
    #[arg(long, hide = true)]
    pub child: Option<String>,
}

fn seconds_of(number: &str) -> Result<Duration, String> {
    match number.parse() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(Duration::from_secs_f64(seconds)),
        _ => Err("must be 0 to 3600 seconds".to_owned()),
    }
}

/// The name of any number of items: "10M", "20k".
#[must_use]
pub fn items_name(items: usize) -> String {
    match items {
        _ if items > 0 && items.is_multiple_of(1_000_000) => format!("{}M", items / 1_000_000),
        _ if items > 0 && items.is_multiple_of(1_000) => format!("{}k", items / 1_000),
        _ => items.to_string(),
    }
}

/// The number of items that a name stands for.
///
/// # Errors
///
/// A sentence about what is wrong with it.
pub fn items_of(name: &str) -> Result<usize, String> {
    let (digits, factor) = match name.split_at_checked(name.len().saturating_sub(1)) {
        Some((digits, "M")) => (digits, 1_000_000),
        Some((digits, "k")) => (digits, 1_000),
        _ => (name, 1),
    };
    digits
        .parse::<usize>()
        .ok()
        .and_then(|number| number.checked_mul(factor))
        // Fewer make no ring for the mixed work.
        .filter(|&items| items >= 1_000)
        .ok_or_else(|| format!("not a size of at least 1k: {name}"))
}

/// Has a program do a job as a child, which gets it with `--child`. What the child prints.
///
/// # Errors
///
/// If the child fails.
pub fn have_done<T: DeserializeOwned>(
    program: &Path,
    job: &impl Serialize,
) -> Result<T, Box<dyn Error>> {
    let child = Command::new(program)
        .args(["--child", &serde_json::to_string(job)?])
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()?;
    if !child.status.success() {
        return Err(format!("a child failed: {}", child.status).into());
    }
    Ok(serde_json::from_slice(&child.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        for (items, name) in [(1_000_000, "1M"), (20_000, "20k"), (1_234, "1234")] {
            assert_eq!(items_name(items), name);
            assert_eq!(items_of(name), Ok(items));
        }
        for name in ["", "M", "1m", "10", "-1M"] {
            assert!(items_of(name).is_err(), "{name}");
        }
    }
}
