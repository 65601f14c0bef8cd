//! MULTI, EXEC, DISCARD, WATCH and UNWATCH.

use crate::commands::check;
use crate::process::Server;
use crate::wire::request;

#[test]
fn commands_wait_for_exec() {
    let server = Server::start(["--default-capacity", "1000"]);
    let (client, other) = (&mut server.client(), &mut server.client());
    check(
        client,
        &[
            ("MULTI", "+OK"),
            ("MULTI", "-ERR MULTI calls can not be nested"),
            ("CF.ADD f a", "+QUEUED"),
            ("CF.MEXISTS f a b", "+QUEUED"),
            ("CF.DEL none a", "+QUEUED"),
            ("SELECT 1", "+QUEUED"),
            ("DEL none", "+QUEUED"),
        ],
    );
    check(other, &[("DBSIZE", ":0"), ("CF.EXISTS f a", ":0")]);
    check(
        client,
        &[
            (
                "EXEC",
                "*5\n:1\n*2\n:1\n:0\n-Not found\n-ERR DB index is out of range\n:0",
            ),
            ("CF.COUNT f a", ":1"),
            ("EXEC", "-ERR EXEC without MULTI"),
            ("DISCARD", "-ERR DISCARD without MULTI"),
            ("MULTI", "+OK"),
            ("EXEC", "*0"),
            ("MULTI", "+OK"),
            ("CF.ADD f b", "+QUEUED"),
            ("DISCARD", "+OK"),
            ("CF.EXISTS f b", ":0"),
            ("MULTI", "+OK"),
            ("CF.ADD f b", "+QUEUED"),
            ("RESET", "+RESET"),
            ("EXEC", "-ERR EXEC without MULTI"),
            ("CF.EXISTS f b", ":0"),
        ],
    );
}

#[test]
fn what_is_wrong_when_it_is_queued_aborts_all() {
    let server = Server::start::<&str>([]);
    let client = &mut server.client();
    for (wrong, error) in [
        (
            "CF.ADD f",
            "-ERR wrong number of arguments for 'cf.add' command",
        ),
        (
            "CF.NONSENSE f",
            "-ERR unknown command 'CF.NONSENSE', with args beginning with: 'f'",
        ),
        ("SAVE", "-ERR Command not allowed inside a transaction"),
        (
            "SHUTDOWN NOSAVE",
            "-ERR Command not allowed inside a transaction",
        ),
    ] {
        check(
            client,
            &[
                ("MULTI", "+OK"),
                ("CF.ADD f a", "+QUEUED"),
                (wrong, error),
                ("CF.ADD f b", "+QUEUED"),
                (
                    "EXEC",
                    "-EXECABORT Transaction discarded because of previous errors.",
                ),
                ("CF.MEXISTS f a b", "*2\n:0\n:0"),
            ],
        );
    }
}

#[test]
fn watched_keys_that_change_stop_exec() {
    let server = Server::start(["--default-capacity", "1000"]);
    let (client, other) = (&mut server.client(), &mut server.client());
    other.ask(&["CF.ADD", "f", "a"]);
    for (key, meanwhile, runs) in [
        ("f", "CF.EXISTS f a", true),
        ("f", "CF.ADD g a", true),
        ("f", "CF.ADDNX f a", true),
        ("f", "CF.ADD f b", false),
        ("f", "CF.DEL f b", false),
        ("f", "CF.ADD f b;CF.DEL f b", false),
        ("f", "CF.DEL f a;CF.ADD f a", false),
        ("f", "DEL f;CF.ADD f a", false),
        ("f", "DEL f", false),
        ("f", "CF.RESERVE f 100", false),
        ("f", "FLUSHALL", false),
        ("none", "CF.ADD f a", true),
        ("none", "CF.RESERVE none 100", false),
    ] {
        check(client, &[(&format!("WATCH other {key}"), "+OK")]);
        for command in meanwhile.split(';') {
            let words: Vec<&str> = command.split(' ').collect();
            let reply = other.ask(&words);
            assert!(!reply.starts_with('-'), "{command}: {reply}");
        }
        let outcome = if runs { "*1\n+PONG" } else { "*-1" };
        check(
            client,
            &[
                ("MULTI", "+OK"),
                ("WATCH x", "-ERR WATCH inside MULTI is not allowed"),
                ("PING", "+QUEUED"),
                ("EXEC", outcome),
                // It watches no more.
                ("MULTI", "+OK"),
                ("PING", "+QUEUED"),
                ("EXEC", "*1\n+PONG"),
            ],
        );
    }
    for forget in ["UNWATCH", "RESET"] {
        check(client, &[("WATCH f", "+OK")]);
        client.ask(&[forget]);
        other.ask(&["CF.ADD", "f", "c"]);
        check(client, &[("MULTI", "+OK"), ("EXEC", "*0")]);
    }
    client.expect_resp3();
    client.ask(&["HELLO", "3"]);
    check(client, &[("WATCH f", "+OK")]);
    other.ask(&["CF.ADD", "f", "d"]);
    check(client, &[("MULTI", "+OK"), ("EXEC", "_")]);
    let keys: Vec<String> = (0..1_025).map(|key| key.to_string()).collect();
    let words: Vec<&str> = ["WATCH"]
        .into_iter()
        .chain(keys.iter().map(String::as_str))
        .collect();
    assert!(client.ask(&words).contains("at most 1024"));
}

#[test]
fn a_transaction_takes_no_more_memory_than_allowed() {
    let options = ["--max-transaction", "1000", "--max-request", "65536"];
    let server = Server::start(options);
    let client = &mut server.client();
    let aborted = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    let long = "x".repeat(10_000);
    for (item, fit) in [("a", 1_000), (long.as_str(), 6)] {
        assert_eq!(client.ask(&["MULTI"]), "+OK\r\n");
        for _ in 0..fit {
            assert_eq!(client.ask(&["CF.ADD", "f", item]), "+QUEUED\r\n");
        }
        let refused = client.ask(&["CF.ADD", "f", item]);
        assert!(
            refused
                .contains(": 1000 (--max-transaction); bytes of them all: 65536 (--max-request)"),
            "{refused}"
        );
        assert_eq!(client.ask(&["EXEC"]), aborted);
    }
    assert_eq!(client.ask(&["DBSIZE"]), ":0\r\n");
}

#[test]
fn all_of_a_transaction_is_run_though_nobody_reads_the_replies() {
    let options = ["--request-timeout", "0.3", "--max-item", "1000000"];
    let server = Server::start(options);
    let mut client = server.client();
    let large = "x".repeat(1_000_000);
    client.send(&request(&["MULTI"]));
    for _ in 0..15 {
        client.send(&request(&["ECHO", &large]));
    }
    client.send(&request(&["CF.ADD", "f", "last"]));
    client.send(&request(&["EXEC"]));
    crate::wait::wait("the last command", || {
        (server.ask(&["CF.EXISTS", "f", "last"]) == ":1\r\n").then_some(())
    });
    let logs = server.stop();
    assert!(logs.contains("it does not read its replies"), "{logs}");
}
