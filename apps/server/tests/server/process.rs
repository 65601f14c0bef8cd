//! Processes: a server for a test.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::wait::wait;
use crate::wire::Client;

/// Longer than anything takes on a busy machine. No test depends on time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Returns the server with options, each of the form `--name value`, where the value can have
/// blanks in it.
fn command(options: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lockfree-cuckoo-server"));
    let options = format!(" {options}");
    for option in options.split(" --").skip(1) {
        match option.split_once(' ') {
            Some((name, value)) => command.arg(format!("--{name}")).arg(value.trim_end()),
            None => command.arg(format!("--{option}")),
        };
    }
    command.stdin(Stdio::null()).stderr(Stdio::piped());
    command
}

/// Returns the exit status and the output of a server that should not start. A server that does
/// start is killed.
pub(crate) fn refused(options: &str) -> (i32, String) {
    let mut process = command(options)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = String::new();
    // Read to the end or, if it has begun to serve, to the line that says so.
    let lines = BufReader::new(process.stderr.take().expect("piped")).lines();
    for line in lines {
        said += &line.expect("a log");
        said.push('\n');
        if said.contains("INFO ready") {
            let _ = process.kill();
        }
    }
    let ended = process.wait_with_output().expect("a child");
    said += &String::from_utf8_lossy(&ended.stdout);
    (ended.status.code().unwrap_or(-1), said)
}

/// The fate of a server's logs once it is ready.
pub(crate) enum Logs {
    Read,
    /// The reader is gone.
    Closed,
    /// The reader does not read.
    Stuck,
}

pub(crate) struct Server {
    process: Child,
    pub(crate) address: SocketAddr,
    pub(crate) http: Option<SocketAddr>,
    logs: Option<JoinHandle<String>>,
}

impl Server {
    /// Starts a server on a free port, and waits until it is ready.
    pub(crate) fn start(options: &str) -> Self {
        Self::start_with(options, Logs::Read)
    }

    pub(crate) fn start_with(options: &str, what: Logs) -> Self {
        let bind = match options.contains("--bind ") {
            true => "",
            false => "--bind 127.0.0.1:0 ",
        };
        let mut command = command(&format!("{bind}--log-format json {options}"));
        let mut process = command.spawn().expect("the server starts");
        let mut lines = BufReader::new(process.stderr.take().expect("piped"));
        let (mut http, mut seen) = (None, String::new());
        let address = loop {
            let mut line = String::new();
            let read = lines.read_line(&mut line).expect("a log");
            assert!(read > 0, "ended before it was ready: {seen}");
            seen.push_str(&line);
            let entry: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            let address = || entry["address"].as_str().and_then(|text| text.parse().ok());
            match entry["message"].as_str() {
                Some("HTTP") => http = address(),
                Some("ready") => break address().expect("an address"),
                _ => {}
            }
        };
        let logs = thread::spawn(move || {
            match what {
                Logs::Read => drop(lines.read_to_string(&mut seen)),
                Logs::Closed => drop(lines),
                Logs::Stuck => std::mem::forget(lines),
            }
            seen
        });
        Self {
            process,
            address,
            http,
            logs: Some(logs),
        }
    }

    /// Returns bytes, by the name of a line in the status that Linux gives of the process.
    pub(crate) fn memory(&self, line: &str) -> usize {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()));
        let status = status.expect("a process");
        let found = status.lines().find_map(|other| other.strip_prefix(line));
        let mut words = found.expect(line).split_whitespace();
        let kilobytes: usize = words
            .nth(1)
            .and_then(|number| number.parse().ok())
            .expect(line);
        kilobytes << 10
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address)
    }

    /// Returns the reply to the words of a line on a connection of its own.
    pub(crate) fn say(&self, line: &str) -> String {
        self.client().say(line)
    }

    /// Holds a dialogue on a connection of its own.
    pub(crate) fn converse(&self, dialogue: &str) {
        self.client().converse(dialogue);
    }

    pub(crate) fn signal(&self, signal: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status();
        assert!(sent.expect("kill").success());
    }

    /// Waits for its end. Returns its exit status, and its logs.
    pub(crate) fn ended(mut self) -> (ExitStatus, String) {
        let status = wait("the end of the server", || {
            self.process.try_wait().expect("a child")
        });
        let logs = self.logs.take().expect("once").join();
        (status, logs.expect("the reader"))
    }

    /// Ends it as an operator does.
    pub(crate) fn stop(self) -> String {
        self.signal("-TERM");
        let (status, logs) = self.ended();
        assert!(status.success(), "{logs}");
        logs
    }

    pub(crate) fn kill(mut self) {
        self.process.kill().expect("a child");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Waits until a condition holds.
pub(crate) fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    wait(what, || is_so().then_some(()));
}

/// Returns a path that no other test uses, with nothing there.
pub(crate) fn path(name: &str) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let directory = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let directory = directory.join(format!("server-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    directory.join(name)
}
