//! The service as its clients meet it: started, used by several at once, ended, and started again.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;

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
    fn start(file: &Path, seconds: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_service-example"))
            .args(["127.0.0.1:0".as_ref(), file.as_os_str(), seconds.as_ref()])
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
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let status = answer.split(' ').nth(1).expect("a status");
        status.parse().expect("a number")
    }

    /// Asks it to end, and waits.
    fn end(mut self) {
        let process = self.process.id().to_string();
        let asked = Command::new("kill").args(["-TERM", &process]).status();
        assert!(asked.expect("kill").success());
        let mut said = String::new();
        self.said.read_to_string(&mut said).expect("readable");
        assert_eq!(said, "saved\n");
        assert!(self.process.wait().expect("ended").success());
    }
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

#[test]
fn after_a_crash_it_knows_the_names_of_the_last_snapshot() {
    let file = file("after_a_crash_it_knows_the_names_of_the_last_snapshot");
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
