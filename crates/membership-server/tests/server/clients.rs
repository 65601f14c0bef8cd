//! The clients that people have.

use std::env;
use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use crate::process::Server;

/// The version of `redis` from PyPI that is installed.
const REDIS_PY: &str = "redis==8.1.0";

/// Says, past the harness that would keep it to itself, what was not tested.
fn skipped(what: &str, why: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}: {why}");
}

/// Whether programs and packages that are missing may be fetched. Not on somebody's own machine, unless told.
fn may_install(what: &str) -> bool {
    let is_set = |name| env::var(name).is_ok_and(|value| value == "1" || value == "true");
    let may = is_set("CI") || is_set("MEMBERSHIP_INSTALL_CLIENTS");
    if !may {
        let why = "not there; CI=true or MEMBERSHIP_INSTALL_CLIENTS=1 lets the test fetch it";
        skipped(what, why);
    }
    may
}

/// One installation at a time.
static INSTALLING: Mutex<()> = Mutex::new(());

/// redis-cli and redis-benchmark, from Debian's redis-tools where they are not there yet.
fn has_redis_tools() -> bool {
    let there = || runs(Command::new("redis-benchmark").arg("--version"));
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    if there() {
        return true;
    }
    if !may_install("redis-cli and redis-benchmark") {
        return false;
    }
    let install = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command
            .env("DEBIAN_FRONTEND", "noninteractive")
            .args(arguments);
        runs(&mut command)
    };
    let packages = ["install", "--yes", "--no-install-recommends", "redis-tools"];
    let installed = install(&packages) || install(&["update"]) && install(&packages);
    if !installed || !there() {
        skipped(
            "redis-cli and redis-benchmark",
            "not there, and not installed by apt-get",
        );
    }
    installed && there()
}

/// A Python with redis-py, in an environment of its own.
fn python() -> Option<PathBuf> {
    let _alone = INSTALLING.lock().unwrap_or_else(PoisonError::into_inner);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python");
    let python = directory.join("bin/python");
    let pinned =
        format!("import redis, sys; sys.exit('redis==' + redis.__version__ != '{REDIS_PY}')");
    let there = || runs(Command::new(&python).args(["-c", &pinned]));
    if !there() {
        if !may_install("redis-py") {
            return None;
        }
        let made =
            runs(Command::new("python3").args([
                OsStr::new("-m"),
                "venv".as_ref(),
                directory.as_os_str(),
            ])) && runs(Command::new(&python).args(["-m", "pip", "install", "--quiet", REDIS_PY]));
        if !made || !there() {
            skipped(
                "redis-py",
                "python3 with venv is not there, or pip did not install it",
            );
            return None;
        }
    }
    Some(python)
}

fn runs(command: &mut Command) -> bool {
    let command = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn output(program: impl AsRef<OsStr>, arguments: &[&str]) -> String {
    let run = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let Output {
        status,
        stdout,
        stderr,
    } = run.expect("it runs");
    let stdout = String::from_utf8_lossy(&stdout);
    let stderr = String::from_utf8_lossy(&stderr);
    assert!(status.success(), "{arguments:?}: {stdout}{stderr}");
    stdout.into_owned()
}

#[test]
fn redis_cli_works() {
    if !has_redis_tools() {
        return;
    }
    let server = Server::start(["--default-capacity", "1000"]);
    let port = server.address.port().to_string();
    for (words, expected) in [
        (["PING"].as_slice(), "PONG\n"),
        (&["CF.RESERVE", "f", "1000"], "OK\n"),
        (&["CF.ADD", "f", "a"], "1\n"),
        (&["CF.INSERT", "f", "ITEMS", "b", "c"], "1\n1\n"),
        (&["CF.MEXISTS", "f", "a", "z"], "1\n0\n"),
        (&["-3", "CF.COUNT", "f", "a"], "1\n"),
        (&["-n", "0", "CF.DEL", "f", "a"], "1\n"),
    ] {
        let arguments = [["-p", &port].as_slice(), words].concat();
        assert_eq!(output("redis-cli", &arguments), expected, "{words:?}");
    }
    assert!(output("redis-cli", &["-p", &port, "-3", "CF.INFO", "f"]).contains("Bucket size 4"));
    // Commands from standard input, with a pipe at each end, and its own bulk mode.
    let pipe = Command::new("sh")
        .arg("-c")
        .arg(format!(
            "printf 'CF.ADD f p\\r\\nCF.ADD f q\\r\\n' | redis-cli -p {port} --pipe"
        ))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&pipe.stdout);
    assert!(said.contains("errors: 0, replies: 2"), "{said}");
}

#[test]
fn redis_py_works() {
    let Some(python) = python() else {
        return;
    };
    let file = crate::process::path("password");
    std::fs::write(&file, "open sesame").expect("a file");
    let server = Server::start([
        OsStr::new("--password-file"),
        file.as_os_str(),
        "--growing".as_ref(),
    ]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/redis_py.py");
    let port = server.address.port().to_string();
    let said = output(python, &[&script.to_string_lossy(), &port, "open sesame"]);
    assert!(said.ends_with("all as documented\n"), "{said}");
}

#[test]
fn redis_benchmark_works_while_others_add_and_delete() {
    if !has_redis_tools() {
        return;
    }
    let server = Server::start::<&str>([]);
    let port = server.address.port().to_string();
    server.ask(&["CF.RESERVE", "f", "1000000", "EXPANSION", "0"]);
    let is_over = AtomicBool::new(false);
    let rounds: Vec<usize> = thread::scope(|scope| {
        // Owners, each of items of its own: nothing of theirs is ever missed, and all of it goes.
        let owners: Vec<_> = (0..4)
            .map(|owner| {
                let (server, is_over) = (&server, &is_over);
                scope.spawn(move || {
                    let mut client = server.client();
                    let mut rounds = 0;
                    while !is_over.load(Ordering::Relaxed) || rounds == 0 {
                        let item = format!("owner {owner} {}", rounds % 100);
                        assert_eq!(client.ask(&["CF.ADD", "f", &item]), ":1\r\n");
                        assert_eq!(
                            client.ask(&["CF.EXISTS", "f", &item]),
                            ":1\r\n",
                            "an own item was missed"
                        );
                        assert_eq!(
                            client.ask(&["CF.DEL", "f", &item]),
                            ":1\r\n",
                            "an own item was taken"
                        );
                        rounds += 1;
                    }
                    rounds
                })
            })
            .collect();
        let load = |requests: &str, command: &[&str]| {
            let options = [
                "-p", &port, "-q", "-r", "1000000", "-c", "8", "-P", "16", "-n", requests,
            ];
            let said = output("redis-benchmark", &[options.as_slice(), command].concat());
            assert!(said.contains("requests per second"), "{said}");
        };
        load("100000", &["CF.ADD", "f", "item:__rand_int__"]);
        load("100000", &["CF.EXISTS", "f", "item:__rand_int__"]);
        load("20000", &["-t", "ping"]);
        is_over.store(true, Ordering::Relaxed);
        owners
            .into_iter()
            .map(|owner| owner.join().expect("an owner"))
            .collect()
    });
    assert!(rounds.iter().all(|&rounds| rounds > 0));
    let info = server.ask(&["CF.INFO", "f"]);
    assert!(
        info.contains("+Number of items inserted\r\n:100000\r\n"),
        "{info}"
    );
    let deleted = format!(
        "+Number of items deleted\r\n:{}\r\n",
        rounds.iter().sum::<usize>()
    );
    assert!(info.contains(&deleted), "{info} and {deleted}");
}

#[test]
fn the_list_in_the_readme_is_what_it_says() {
    let directory = crate::process::path("package");
    let directory = directory.parent().expect("a directory");
    if !may_install("a list of 121,570 domains") {
        return;
    }
    let fetch = "npm pack --silent disposable-email-domains@1.0.62 && tar xzf disposable-email-domains-1.0.62.tgz";
    if !runs(
        Command::new("sh")
            .args(["-c", fetch])
            .current_dir(directory),
    ) {
        return skipped("a list of 121,570 domains", "npm did not fetch it");
    }
    let list = directory.join("package/index.json");
    let server = Server::start([
        OsStr::new("--load"),
        list.as_os_str(),
        "--load-key".as_ref(),
        "throwaway".as_ref(),
    ]);
    let text = std::fs::read(&list).expect("a file");
    let domains: Vec<String> = serde_json::from_slice(&text).expect("strings");
    assert_eq!(domains.len(), 121_570);
    let mut client = server.client();
    for domains in domains.chunks(1_000) {
        let mut words = vec!["CF.MEXISTS", "throwaway"];
        words.extend(domains.iter().map(String::as_str));
        assert_eq!(client.ask(&words).matches(":1\r\n").count(), domains.len());
    }
    // Some pass for others, one in ten thousand or so; all of a hundred do not.
    let mut words = vec!["CF.MEXISTS".to_owned(), "throwaway".to_owned()];
    words.extend((0..100).map(|number| format!("host{number}.example.com")));
    assert!(client.ask(&words).matches(":0\r\n").count() > 90);
}
