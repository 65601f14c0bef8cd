//! The service as its clients meet it: started, used by several at once, ended, and started again.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::Duration;

struct Service {
    process: Child,
    said: BufReader<ChildStdout>,
    address: String,
}

/// Ends it if the test fails.
impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Service {
    fn start(file: &Path, period: &str) -> Self {
        Self::start_with(file, &[period])
    }

    /// Starts it with the period of snapshots, and perhaps the grace.
    fn start_with(file: &Path, seconds: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_service-example"))
            .args(["127.0.0.1:0".as_ref(), file.as_os_str()])
            .args(seconds)
            .stdout(Stdio::piped())
            .spawn()
            .expect("started");
        let mut said = BufReader::new(process.stdout.take().expect("piped"));
        let mut line = String::new();
        said.read_line(&mut line).expect("a line");
        let address = line
            .trim()
            .strip_prefix("listening on ")
            .expect("an address");
        let address = address.to_owned();
        Self {
            process,
            said,
            address,
        }
    }

    /// Returns the status of the answer.
    fn ask(&self, method: &str, name: &str) -> u16 {
        let mut stream = TcpStream::connect(&self.address).expect("it listens");
        let request = format!(
            "{method} /names/{name} HTTP/1.1\r\nHost: service\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).expect("sent");
        status(stream).expect("an answer")
    }

    /// Asks it to end.
    fn ask_to_end(&self) {
        let process = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &process]).status();
        assert!(asked.expect("kill").success());
    }

    /// Asks it to end, and waits.
    fn end(self) {
        self.ask_to_end();
        self.ended();
    }

    fn ended(mut self) {
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("readable");
        assert_eq!(said, "saved\n");
        assert!(self.process.wait().expect("ended").success());
    }
}

/// Returns the status of the answer, unless the connection ends before it.
fn status(mut stream: TcpStream) -> Option<u16> {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    answer.split(' ').nth(1)?.parse().ok()
}

/// Returns the file of a test, and removes an old one.
fn file(test: &str) -> PathBuf {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(test)
        .with_extension("lfcf");
    let _ = fs::remove_file(&file);
    file
}

#[test]
fn a_clean_end_loses_nothing() {
    const CLIENTS: usize = 4;
    const NAMES: usize = 100;
    let file = file("a_clean_end_loses_nothing");
    // Between two snapshots there is next to no time: they are made while clients write.
    let service = Service::start(&file, "0.001");
    let client = || {
        let statuses = (0..NAMES).map(|name| service.ask("PUT", &name.to_string()));
        statuses.filter(|&status| status == 201).count()
    };
    let reserved: usize = thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(client)).collect();
        let clients = clients.into_iter();
        clients.map(|client| client.join().expect("no panic")).sum()
    });
    assert_eq!(reserved, NAMES, "each name is one client's");
    for name in (0..NAMES).step_by(2) {
        assert_eq!(service.ask("DELETE", &name.to_string()), 204);
    }
    service.end();

    let service = Service::start(&file, "1000");
    for name in 0..NAMES {
        let expected = if name % 2 == 0 { 404 } else { 200 };
        assert_eq!(service.ask("GET", &name.to_string()), expected, "{name}");
    }
    assert_eq!(service.ask("PUT", "1"), 409);
    service.end();
}

/// Completes requests about when the grace is over. Checks that each is answered and in the file, or
/// not answered. Returns whether there were some of both.
fn completes_requests_late() -> bool {
    const HALVES: usize = 600;
    let file = file("late_requests");
    let service = Service::start_with(&file, &["1000", "0.2"]);
    let mut halves: Vec<_> = (0..HALVES)
        .map(|name| {
            let mut stream = TcpStream::connect(&service.address).expect("it listens");
            let half = format!("PUT /names/{name} HTTP/1.1\r\nHost: service\r\n");
            stream.write_all(half.as_bytes()).expect("sent");
            stream
        })
        .collect();
    // The service has accepted all of them before it answers this.
    assert_eq!(service.ask("GET", "none"), 404);
    service.ask_to_end();
    for half in &mut halves {
        // The service may be gone.
        let _ = half.write_all(b"Connection: close\r\n\r\n");
        thread::sleep(Duration::from_millis(1));
    }
    service.ended();
    let answers: Vec<_> = halves.into_iter().map(status).collect();

    let service = Service::start(&file, "1000");
    let lost =
        |&name: &usize| answers[name] == Some(201) && service.ask("GET", &name.to_string()) != 200;
    assert_eq!((0..HALVES).filter(lost).count(), 0, "answered, and lost");
    service.end();
    answers.contains(&Some(201)) && answers.contains(&None)
}

/// Late requests are in the file if they are answered.
#[test]
fn answered_late_requests_are_saved() {
    assert!((0..20).any(|_| completes_requests_late()));
}

/// After a crash it knows the names of the last snapshot.
#[test]
fn a_crash_leaves_the_last_snapshot() {
    let file = file("a_crash_leaves_the_last_snapshot");
    let service = Service::start(&file, "0.001");
    assert_eq!(service.ask("PUT", "alice"), 201);
    // A snapshot that has begun since replaces the file.
    for _ in 0..2 {
        let _ = fs::remove_file(&file);
        while !file.exists() {
            thread::yield_now();
        }
    }
    drop(service);
    let service = Service::start(&file, "1000");
    assert_eq!(service.ask("GET", "alice"), 200);
    assert_eq!(service.ask("GET", "bob"), 404);
    service.end();
}

/// Checks that a file that is no filter is not overwritten.
#[test]
fn a_damaged_file_is_refused() {
    let file = file("a_damaged_file_is_refused");
    fs::write(&file, "no filter").expect("written");
    let started = Command::new(env!("CARGO_BIN_EXE_service-example"))
        .args(["127.0.0.1:0".as_ref(), file.as_os_str()])
        .output()
        .expect("started");
    assert!(!started.status.success() && started.stdout.is_empty());
    assert_eq!(fs::read(&file).expect("still there"), b"no filter");
}
