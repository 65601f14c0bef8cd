//! Engines: processes for tests.

use std::fmt::Display;
use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::fetch::{self, KINDS, Kind};
use crate::wait::wait;
use crate::wire::{Client, request};

pub(crate) struct Engine {
    process: Mutex<Child>,
    pub(crate) address: SocketAddr,
    directory: PathBuf,
    start: Start,
}

/// The command that starts it.
struct Start {
    program: PathBuf,
    /// The name by which it is called.
    name: &'static str,
    arguments: Vec<String>,
    environment: Vec<(&'static str, String)>,
}

/// Returns the path of the module, which Cargo builds beside the tests.
pub(crate) fn module() -> PathBuf {
    let this = std::env::current_exe().expect("a path");
    let path = this.with_file_name("libvalkey_cuckoo.so");
    assert!(path.exists(), "no module at {}", path.display());
    path
}

/// Returns a port that was free a moment ago, as is that of the cluster, 10,000 above it: an engine
/// cannot choose one. Each is returned once, and both are below the ports that the system gives to
/// connections, so that no other process takes them.
fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let is_free = |port| TcpListener::bind(("127.0.0.1", port)).is_ok();
    loop {
        let number = std::process::id() + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = 10_000 + (number % 10_000) as u16;
        if is_free(port) && is_free(port + 10_000) {
            return port;
        }
    }
}

impl Engine {
    /// Starts an engine with the module, if it is available.
    pub(crate) fn start(kind: Kind, options: &[&str]) -> Option<Self> {
        let module = module();
        let load = ["--loadmodule", module.to_str().expect("a path")];
        Self::start_with(kind, &[options, &load].concat())
    }

    /// Starts an engine with the module, whose clock is off by this many seconds. Time runs as
    /// usual.
    pub(crate) fn start_with_clock(kind: Kind, off: &str, options: &[&str]) -> Option<Self> {
        let library = fetch::faketime()?;
        let library = library.to_str().expect("a path").to_owned();
        let set = [
            ("LD_PRELOAD", library),
            ("FAKETIME", off.to_owned()),
            ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
        ];
        let module = module();
        let load = ["--loadmodule", module.to_str().expect("a path")];
        Self::start_in(kind, set.into(), &[options, &load].concat())
    }

    /// Starts an engine without the module.
    pub(crate) fn start_with(kind: Kind, options: &[&str]) -> Option<Self> {
        Self::start_in(kind, Vec::new(), options)
    }

    fn start_in(
        kind: Kind,
        environment: Vec<(&'static str, String)>,
        options: &[&str],
    ) -> Option<Self> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let (program, name) = fetch::engine(kind)?;
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let directory = directory.join(format!("engine-{}-{number}", std::process::id()));
        fs::create_dir_all(&directory).expect("a directory");
        let port = free_port();
        let own = "--save  --logfile log --enable-debug-command yes --repl-diskless-sync-delay 0";
        let own = own.split(' ').chain(["--port"]).map(str::to_owned);
        let given = options.iter().map(|&option| option.to_owned());
        let arguments = own.chain([port.to_string()]).chain(given).collect();
        let start = Start {
            program,
            name,
            arguments,
            environment,
        };
        let process = spawn(&directory, &start);
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let engine = Self {
            process: Mutex::new(process),
            address,
            directory,
            start,
        };
        engine.wait_until_ready();
        Some(engine)
    }

    /// Starts it again after it was killed.
    pub(crate) fn start_again(&self) {
        *self.process() = spawn(&self.directory, &self.start);
        self.wait_until_ready();
    }

    fn process(&self) -> MutexGuard<'_, Child> {
        self.process.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_until_ready(&self) {
        wait("an engine", || {
            let ended = self.process().try_wait().expect("a child");
            assert_eq!(ended, None, "ended: {}", self.log());
            std::net::TcpStream::connect(self.address).ok()?;
            let reply = self.client().ask(&["PING"]);
            (!reply.starts_with("-LOADING")).then_some(())
        });
    }

    /// Returns the number of its process.
    pub(crate) fn id(&self) -> u32 {
        self.process().id()
    }

    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }

    pub(crate) fn client(&self) -> Client {
        Client::connect(self.address)
    }

    pub(crate) fn port(&self) -> String {
        self.address.port().to_string()
    }

    /// Returns the reply to one line on a connection of its own.
    pub(crate) fn ask(&self, line: &str) -> String {
        self.client().say(line)
    }

    /// Returns the value of this name in `INFO`.
    pub(crate) fn info(&self, name: &str) -> Option<String> {
        let info = self.ask("INFO everything");
        let mut lines = info.lines().filter_map(|line| line.split_once(':'));
        lines
            .find(|(found, _)| *found == name)
            .map(|(_, value)| value.trim().to_owned())
    }

    /// Returns the same value as a number.
    pub(crate) fn number(&self, name: &str) -> usize {
        let value = self.info(name).unwrap_or_else(|| panic!("no {name}"));
        value.parse().expect("a number")
    }

    /// Returns the number behind a text in a reply.
    pub(crate) fn number_in(&self, line: &str, text: &str) -> usize {
        let reply = self.ask(line).replace("\r\n", " ");
        let (_, behind) = reply.split_once(text).expect("the text");
        let number = behind.split(' ').next().and_then(|word| word.parse().ok());
        number.expect("a number")
    }

    /// Sends a line, and checks the reply as in a [dialogue](crate::wire).
    pub(crate) fn says(&self, line: &str, expected: &str) {
        says(&mut self.client(), line, expected);
    }

    /// Changes one of its settings.
    pub(crate) fn set(&self, setting: &str, value: impl Display) {
        self.says(&format!("CONFIG SET {setting} {value}"), "+OK");
    }

    /// Returns whether both have the same value under a key, bit for bit.
    pub(crate) fn has_the_same(&self, other: &Self, key: &str) -> bool {
        let dump = self.dump(key);
        // Longer than the reply for a missing key.
        dump.len() > 30 && dump == other.dump(key)
    }

    /// Returns the memory of a key, by the engine.
    pub(crate) fn usage(&self, key: &str) -> usize {
        self.number_in(&format!("MEMORY USAGE {key}"), ":")
    }

    pub(crate) fn dump(&self, key: &str) -> Vec<u8> {
        let mut client = self.client();
        client.send(&request(&["DUMP", key]));
        client.reply_bytes()
    }

    /// Makes it a replica, and waits until the next command will come by the stream.
    pub(crate) fn replicate(&self, primary: &Self) {
        self.says(&format!("REPLICAOF 127.0.0.1 {}", primary.port()), "+OK");
        self.wait_for_link();
    }

    pub(crate) fn wait_for_link(&self) {
        wait("the link to the primary", || {
            (self.info("master_link_status")? == "up").then_some(())
        });
    }

    /// Waits until a replica has run all commands of its primary.
    pub(crate) fn wait_for_replica(&self, replica: &Self) {
        wait("the replica", || {
            let at = self.info("master_repl_offset")?;
            let there = replica.info("slave_repl_offset")?;
            (replica.info("master_link_status")? == "up" && at == there).then_some(())
        });
    }

    /// Rewrites the log, and waits for the end of that.
    pub(crate) fn rewrite_log(&self) {
        self.says("BGREWRITEAOF", "+~");
        wait("the rewrite", || {
            let none = |name| self.number(name) == 0;
            (none("aof_rewrite_in_progress") && none("aof_rewrite_scheduled")).then_some(())
        });
        let status = self.info("aof_last_bgrewrite_status");
        assert_eq!(status.as_deref(), Some("ok"));
    }

    pub(crate) fn kill(&self) {
        let mut process = self.process();
        process.kill().expect("a child");
        process.wait().expect("a child");
    }

    /// Checks that it lives, and that its log has no errors.
    pub(crate) fn check(&self) {
        let ended = self.process().try_wait().expect("a child");
        assert_eq!(ended, None, "ended: {}", self.log());
        assert_eq!(self.ask("PING"), "+PONG\r\n");
        let log = self.log();
        for word in ["CRITICAL", "ASSERTION", "panic"] {
            assert!(!log.contains(word), "{word}: {log}");
        }
    }
}

fn spawn(directory: &Path, start: &Start) -> Child {
    let environment = start.environment.iter();
    Command::new(&start.program)
        .arg0(start.name)
        .args(&start.arguments)
        .envs(environment.map(|(name, value)| (name, value)))
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it runs")
}

impl Drop for Engine {
    fn drop(&mut self) {
        let mut process = self.process();
        let _ = process.kill();
        let _ = process.wait();
        if std::thread::panicking() {
            eprintln!("the log of {}: {}", self.address, self.log());
        } else {
            let _ = fs::remove_dir_all(&self.directory);
        }
    }
}

/// Sends a line, and checks the reply as in a [dialogue](crate::wire).
pub(crate) fn says(client: &mut Client, line: &str, expected: &str) {
    client.converse(&format!("{line} -> {expected}"));
}

/// Appends items to the words of a line.
pub(crate) fn with_items<T: ToString>(
    line: &str,
    items: impl IntoIterator<Item = T>,
) -> Vec<String> {
    let items = items.into_iter().map(|item| item.to_string());
    line.split(' ').map(str::to_owned).chain(items).collect()
}

/// Runs a test on an engine of each available kind, and checks that it lives.
pub(crate) fn on_each(run: impl Fn(Kind, &Engine)) {
    for kind in KINDS {
        on(kind, |engine| run(kind, engine));
    }
}

/// Runs a test on an engine of one kind.
pub(crate) fn on(kind: Kind, run: impl Fn(&Engine)) {
    if let Some(engine) = Engine::start(kind, &[]) {
        run(&engine);
        engine.check();
    }
}

/// Runs a test on a primary of each kind and its replica.
pub(crate) fn on_each_pair(run: impl Fn(Kind, &Engine, &Engine)) {
    on_each(|kind, primary| {
        let replica = Engine::start(kind, &[]).expect("as the other");
        replica.replicate(primary);
        run(kind, primary, &replica);
        replica.check();
    });
}
