//! The parent: starts a child for each job, one after the other, and collects what they report.

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

use indicatif::{ProgressBar, ProgressStyle};
use lockfree_cuckoo_benches::machine::machine;
use lockfree_cuckoo_benches::size::items_name;

use crate::build::Build;
use crate::job::Job;
use crate::results::{Line, Process, Results};

/// Has all jobs done by a build.
pub(crate) fn run(build: Build, jobs: &[Job]) -> Result<Results, Box<dyn Error>> {
    let program = build.program()?;
    let contenders: usize = jobs.iter().map(|job| job.contenders.len()).sum();
    let bar = ProgressBar::new(contenders as u64);
    bar.set_style(ProgressStyle::with_template(
        "[{elapsed_precise}] {bar:30} {pos}/{len} {msg}",
    )?);
    let mut processes = Vec::new();
    for (at, job) in jobs.iter().enumerate() {
        let name = format!(
            "process {} of {}, {}",
            at + 1,
            jobs.len(),
            items_name(job.items)
        );
        processes.push(process(&program, job, |contender| {
            bar.set_message(format!("{name}: {contender}"));
            bar.tick();
            bar.inc(1);
        })?);
    }
    bar.finish_and_clear();
    Ok(Results {
        machine: machine(),
        build,
        processes,
    })
}

fn process(program: &Path, job: &Job, begin: impl Fn(&str)) -> Result<Process, Box<dyn Error>> {
    let mut child = Command::new(program)
        .args(["--child", &serde_json::to_string(job)?])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let mut process = Process {
        items: job.items,
        ..Process::default()
    };
    let out = child.stdout.take().ok_or("a child without an output")?;
    for text in BufReader::new(out).lines() {
        let line = serde_json::from_str(&text?)?;
        if let Line::Begin { contender } = &line {
            begin(contender);
        }
        process.add(line);
    }
    let status = child.wait()?;
    if status.success() {
        Ok(process)
    } else {
        Err(format!("a child failed: {status}").into())
    }
}
