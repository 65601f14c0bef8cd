//! Clients: runs the usual client programs and libraries.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::install::{has_redis_tools, node_modules, output, python};
use crate::process::Server;
use crate::wire::fits;

#[test]
fn runs_redis_cli() {
    if !has_redis_tools() {
        return;
    }
    let server = Server::start("--default-capacity 1000");
    let port = server.address.port().to_string();
    for case in [
        "PING -> PONG",
        "CF.RESERVE f 1000 -> OK",
        "CF.ADD f a -> 1",
        "CF.INSERT f ITEMS b c -> 1 1",
        "CF.MEXISTS f a z -> 1 0",
        "-3 CF.COUNT f a -> 1",
        "-3 CF.INFO f -> ~ Bucket size 4 ~",
        "-n 0 CF.DEL f a -> 1",
        "HELP CF.INSERT -> ~CF.INSERT~key [CAPACITY capacity] [NOCREATE] ITEMS item [item ...]~Adds items~",
        "HELP HELLO -> ~[protover [AUTH username password] [SETNAME clientname]]~",
    ] {
        let (words, expected) = case.split_once(" -> ").expect(case);
        let words: Vec<_> = ["-p", &port].into_iter().chain(words.split(' ')).collect();
        let said = output("redis-cli", &words).replace('\n', " ");
        assert!(fits(expected, said.trim_end()), "{case}: {said}");
    }
    // Sends commands from standard input, with a pipe at each end, and in its own bulk mode.
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
fn runs_redis_py() {
    let Some(python) = python() else {
        return;
    };
    let file = crate::process::path("password");
    std::fs::write(&file, "open sesame").expect("a file");
    let options = format!("--password-file {}", file.display());
    let server = Server::start(&options);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/redis_py.py");
    let port = server.address.port().to_string();
    let said = output(python, &[&script.to_string_lossy(), &port, "open sesame"]);
    assert!(said.ends_with("all as documented\n"), "{said}");
}

/// Runs a script that sends the sequence of commands in the transactions and the pipelines of a
/// client.
fn runs_the_sequence(program: impl AsRef<OsStr>, script: &str, modules: &Path) {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients");
    let server = Server::start("");
    let run = Command::new(program)
        .arg(scripts.join(script))
        .arg(server.address.port().to_string())
        .arg(scripts.join("sequence.json"))
        .env("NODE_PATH", modules)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&run.stdout);
    let wrong = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{script}: {wrong}");
    assert!(said.ends_with("all as expected\n"), "{said}{wrong}");
}

/// Runs transactions and pipelines of redis-py.
#[test]
fn runs_pipelines_of_redis_py() {
    if let Some(python) = python() {
        runs_the_sequence(python, "redis_py_pipelines.py", Path::new(""));
    }
}

/// Runs transactions and pipelines of the clients for Node.
#[test]
fn runs_pipelines_of_node_clients() {
    if let Some(modules) = node_modules() {
        runs_the_sequence("node", "ioredis.cjs", &modules);
        runs_the_sequence("node", "node_redis.cjs", &modules);
    }
}

/// Runs redis-benchmark beside other clients.
#[test]
fn runs_redis_benchmark() {
    if !has_redis_tools() {
        return;
    }
    let server = Server::start("");
    let port = server.address.port().to_string();
    server.converse("CF.RESERVE f 1000000 EXPANSION 0 -> +OK");
    let is_over = AtomicBool::new(false);
    let rounds: Vec<usize> = thread::scope(|scope| {
        // Each owner has its own items: none is ever missed, and all can be deleted.
        let owners: Vec<_> = (0..4)
            .map(|owner| {
                let (server, is_over) = (&server, &is_over);
                scope.spawn(move || {
                    let mut client = server.client();
                    let mut rounds = 0;
                    while !is_over.load(Ordering::Relaxed) || rounds == 0 {
                        let item = format!("{owner}:{}", rounds % 100);
                        // Its own item is neither missed nor deleted by others.
                        client.converse(&format!(
                            "CF.ADD f {item} -> :1
                            CF.EXISTS f {item} -> :1
                            CF.DEL f {item} -> :1",
                        ));
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
    let deleted: usize = rounds.iter().sum();
    server.converse(&format!(
        "CF.INFO f -> ~items inserted :100000 +Number of items deleted :{deleted} ~",
    ));
}
