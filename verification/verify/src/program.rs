//! Programs: runs a suite that is a program of its own.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::thread;

use crate::progress::Progress;
use crate::{Program, root};

/// Runs the program to its end. Each line of its output goes to the log, and is shown as progress.
/// Returns the lines that say what ran; the error says why it failed.
pub fn run(program: &Program, long: bool, progress: &Progress) -> Result<(), String> {
    let more = if long { &program.long } else { &program.short };
    let mut words = program.command.split(' ').chain(more.split_terminator(' '));
    let mut command = Command::new(words.next().unwrap_or_default());
    command
        .current_dir(root())
        .args(words)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        // The suites select their builds themselves.
        .env_remove("RUSTFLAGS");
    if program.stops_threads {
        command
            .env("RUSTFLAGS", "--cfg lockfree_cuckoo_steps")
            .env("CARGO_TARGET_DIR", root().join("target").join("steps"));
    }
    let cannot = |error| format!("cannot run {}: {error}", program.command);
    progress.doing("builds");
    let mut child = command.spawn().map_err(cannot)?;
    let (out, errors) = (child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        let reader = |from: Option<Box<dyn Read + Send>>| {
            scope.spawn(|| from.into_iter().for_each(|from| read(from, progress)));
        };
        reader(out.map(|out| Box::new(out) as _));
        reader(errors.map(|errors| Box::new(errors) as _));
    });
    match child.wait().map_err(cannot)? {
        status if status.success() => Ok(()),
        status => Err(status.to_string()),
    }
}

fn read(from: impl Read, progress: &Progress) {
    for line in BufReader::new(from).lines().map_while(Result::ok) {
        progress.log(&line);
        if !line.trim().is_empty() {
            progress.doing(line.trim());
        }
    }
}

/// Returns the lines of a log in which a program says what ran.
pub fn summary(program: &Program, log: &str) -> String {
    let says = |text: &String| log.lines().rfind(|line| line.contains(text));
    let lines: Vec<&str> = program.says.iter().filter_map(says).collect();
    lines.join("; ")
}
