//! Command lines: the options that the programs share, and child processes.

use std::error::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use harness::sizes::items_of;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The options of every program that measures pairs.
#[derive(Clone, Debug, Args)]
pub struct Common {
    /// Numbers of items
    #[arg(long, value_delimiter = ',', value_parser = items_of, default_value = "1M,15.9M")]
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

/// Runs a job in a child process, which gets it with `--child`. Returns the output of the child.
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
