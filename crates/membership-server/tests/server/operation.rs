//! What an operator sees and sets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use crate::install::{output, python};
use crate::process::{Logs, PATIENCE, Server, command, path, refused};
use crate::wait::wait;
use crate::wire::request;

pub(crate) fn get(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
    write!(
        stream,
        "{request} HTTP/1.1\r\nhost: test\r\nconnection: close\r\n\r\n"
    )
    .expect("sent");
    let mut response = String::new();
    stream.read_to_string(&mut response).expect("a response");
    response
}

#[test]
fn metrics_say_what_happened() {
    let server = Server::start(["--http", "127.0.0.1:0", "--default-capacity", "1000"]);
    let http = server.http.expect("an address");
    let mut client = server.client();
    for item in 0..100 {
        client.ask(&["CF.ADD", "a \"b\"\\", &item.to_string()]);
    }
    client.ask(&["CF.DEL", "a \"b\"\\", "7"]);
    client.ask(&["CF.DEL", "none", "7"]);
    client.ask(&["NONSENSE"]);
    let response = get(http, "GET /metrics");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    for line in [
        "membership_command_seconds_count{command=\"CF.ADD\"} 100",
        "membership_command_seconds_bucket{command=\"CF.ADD\",le=\"+Inf\"} 100",
        "membership_command_errors_total{command=\"CF.DEL\"} 1",
        "membership_command_errors_total{command=\"unknown\"} 1",
        "membership_filter_items{filter=\"a \\\"b\\\"\\\\\"} 99",
        "membership_filter_deleted_items{filter=\"a \\\"b\\\"\\\\\"} 1",
        "membership_filter_tables{filter=\"a \\\"b\\\"\\\\\"} 1",
        "membership_connections 1",
        "membership_accepted_connections_total 1",
        concat!(
            "membership_build_info{version=\"",
            env!("CARGO_PKG_VERSION"),
            "\"} 1"
        ),
    ] {
        assert!(
            response.lines().any(|other| other == line),
            "{line} is not in {response}"
        );
    }
    for name in [
        "membership_filter_load_factor",
        "membership_filter_false_positive_rate",
        "membership_filter_memory_bytes",
        "membership_start_time_seconds",
    ] {
        let value = response
            .lines()
            .find(|line| line.starts_with(name))
            .and_then(|line| line.rsplit(' ').next());
        let value: f64 = value
            .and_then(|value| value.parse().ok())
            .expect("a number");
        assert!(value > 0.0, "{name}");
    }
    assert!(get(http, "GET /healthz").ends_with("\r\n\r\nok\n"));
    assert!(get(http, "GET /other").starts_with("HTTP/1.1 404 "));
    assert!(get(http, "POST /metrics").starts_with("HTTP/1.1 405 "));
}

#[test]
fn metrics_are_openmetrics_for_those_who_ask() {
    let server = Server::start(["--http", "127.0.0.1:0"]);
    let http = server.http.expect("an address");
    let mut client = server.client();
    client.ask(&["CF.ADD", "a \"b\"\\", "item"]);
    client.ask(&["CF.DEL", "none", "item"]);
    let asked = "GET /metrics HTTP/1.1\r\naccept: application/openmetrics-text\r\nx-rest:";
    let response = get(http, asked);
    assert!(response.ends_with("\n# EOF\n"), "{response}");
    for line in [
        "# TYPE membership_command_errors counter",
        "membership_command_errors_total{command=\"CF.DEL\"} 1",
        "membership_command_seconds_bucket{command=\"CF.ADD\",le=\"+Inf\"} 1",
        "membership_filter_items{filter=\"a \\\"b\\\"\\\\\"} 1",
    ] {
        assert!(
            response.lines().any(|other| other == line),
            "{line} is not in {response}"
        );
    }
    assert!(response.contains("le=\"5e-07\""), "{response}");
    if let Some(python) = python() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/openmetrics.py");
        let url = format!("http://{http}/metrics");
        let said = output(python, &[&script.to_string_lossy(), &url]);
        assert_eq!(said, "both as they should be\n");
    }
}

#[test]
fn there_are_no_more_connections_than_allowed() {
    let server = Server::start(["--max-connections", "3"]);
    let mut clients: Vec<_> = (0..3).map(|_| server.client()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&["PING"]), "+PONG\r\n");
    }
    assert_eq!(
        server.client().rest(),
        "-ERR max number of clients reached\r\n"
    );
    drop(clients.pop());
    wait("a place", || {
        let mut client = server.client();
        client.try_send(b"PING\r\n");
        client.end_of_requests();
        (client.rest() == "+PONG\r\n").then_some(())
    });
}

#[test]
fn filters_take_no_more_memory_than_allowed() {
    let server = Server::start([
        "--max-memory",
        "1000000",
        "--max-growth",
        "300000",
        "--max-filters",
        "4",
    ]);
    let mut client = server.client();
    let refused = |reply: String, what: &str| {
        assert!(reply.starts_with("-ERR") && reply.contains(what), "{reply}");
    };
    // Not a huge allocation, whatever is asked for.
    for capacity in ["10000000", "1000000000000", "9223372036854775807"] {
        let reply = client.ask(&["CF.RESERVE", "f", capacity, "EXPANSION", "0"]);
        assert!(reply.starts_with("-ERR"), "{reply}");
        let reply = client.ask(&["CF.RESERVE", "f", capacity, "EXPANSION", "2"]);
        assert!(reply.starts_with("-ERR"), "{reply}");
    }
    for key in ["a", "b", "c"] {
        assert_eq!(
            client.ask(&["CF.RESERVE", key, "100", "EXPANSION", "2"]),
            "+OK\r\n"
        );
    }
    refused(
        client.ask(&["CF.RESERVE", "d", "200000", "EXPANSION", "2"]),
        "at most 300000 bytes (--max-growth), and this one needs ",
    );
    refused(
        client.ask(&["CF.RESERVE", "d", "600000", "EXPANSION", "0"]),
        "at most 1000000 bytes (--max-memory), of which ",
    );
    // What is allowed, what is left of it, and what would do.
    let reply = client.ask(&["CF.RESERVE", "d", "600000", "EXPANSION", "0"]);
    let numbers = reply.split(|letter: char| !letter.is_ascii_digit());
    let numbers: Vec<usize> = numbers.filter_map(|digits| digits.parse().ok()).collect();
    let [most, left, needed] = *numbers else {
        panic!("{reply}");
    };
    assert!(most == 1_000_000 && left > 900_000, "{reply}");
    assert!(left < most && most < needed, "{reply}");
    assert_eq!(
        client.ask(&["CF.RESERVE", "d", "100", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    refused(
        client.ask(&["CF.RESERVE", "e", "100", "EXPANSION", "0"]),
        "there can be at most 4 (--max-filters)",
    );
    refused(
        client.ask(&["CF.ADD", "e", "item"]),
        "there can be at most 4 (--max-filters)",
    );
    // One that grows stops at its share.
    let mut full = None;
    for batch in 0..1_000 {
        let items: Vec<String> = (0..500).map(|item| format!("{batch} {item}")).collect();
        let mut words = vec!["CF.INSERT", "a", "ITEMS"];
        words.extend(items.iter().map(String::as_str));
        if client.ask(&words).contains(":-1\r\n") {
            full = Some(batch);
            break;
        }
    }
    assert!(full.is_some(), "it grew for ever");
    let usage = client.ask(&["MEMORY", "USAGE", "a"]);
    let usage: usize = usage
        .trim_end()
        .trim_start_matches(':')
        .parse()
        .expect("a number");
    assert!((100_000..=300_000).contains(&usage), "{usage}");
    // What is dropped makes room.
    assert_eq!(client.ask(&["DEL", "a"]), ":1\r\n");
    assert_eq!(
        client.ask(&["CF.RESERVE", "a", "100", "EXPANSION", "2"]),
        "+OK\r\n"
    );
}

#[test]
fn a_limit_of_one_is_told_as_well_as_others() {
    let server = Server::start(["--max-filters", "1", "--max-transaction", "1"]);
    let mut client = server.client();
    for (words, expected) in [
        (["CF.ADD", "f", "a"], ":1"),
        (
            ["CF.ADD", "g", "a"],
            "-ERR too many filters: there can be at most 1 (--max-filters)",
        ),
    ] {
        assert_eq!(client.ask(&words), format!("{expected}\r\n"));
    }
    client.ask(&["MULTI"]);
    client.ask(&["PING"]);
    let refused = "-ERR the transaction is too long: commands that can be queued: 1 (--max-transaction); bytes of them all: 16777216 (--max-request)\r\n";
    assert_eq!(client.ask(&["PING"]), refused);
}

#[test]
fn filters_that_grow_are_charged_when_they_grow() {
    let server = Server::start::<&str>([]);
    let mut client = server.client();
    for key in 0..500 {
        let reply = client.ask(&[
            "CF.RESERVE",
            &format!("small {key}"),
            "100",
            "EXPANSION",
            "1",
        ]);
        assert_eq!(reply, "+OK\r\n", "{key}");
    }
    // Whatever the expansion, it doubles.
    client.ask(&["CF.RESERVE", "steep", "1000", "EXPANSION", "30000"]);
    for batch in 0..100 {
        let items: Vec<String> = (0..1_000).map(|item| format!("{batch} {item}")).collect();
        let mut words = vec!["CF.INSERT", "steep", "ITEMS"];
        words.extend(items.iter().map(String::as_str));
        assert!(!client.ask(&words).contains(":-1\r\n"), "batch {batch}");
    }
    // Many that grow by turns until nothing is left.
    let server = Server::start(["--growing", "--max-memory", "200000"]);
    let mut client = server.client();
    for key in 0..7 {
        client.ask(&["CF.RESERVE", &format!("f{key}"), "100", "EXPANSION", "2"]);
    }
    let mut refused = String::new();
    let mut added = Vec::new();
    for item in 0..100_000usize {
        let words = [format!("f{}", item % 7), item.to_string()];
        let reply = client.ask(&["CF.ADD", &words[0], &words[1]]);
        if reply.starts_with('-') {
            refused = reply;
            break;
        }
        added.push(words);
    }
    assert!(
        refused.contains("Filter is full: to grow, the filter needs ")
            && refused.ends_with(" (--max-memory)\r\n"),
        "{refused}"
    );
    let info = client.ask(&["INFO"]);
    let reserved = info
        .lines()
        .find_map(|line| line.strip_prefix("reserved_memory:"));
    let reserved: usize = reserved
        .and_then(|number| number.parse().ok())
        .expect("a number");
    assert!((60_000..=200_000).contains(&reserved), "{reserved}");
    for [key, item] in &added {
        assert_eq!(client.ask(&["CF.EXISTS", key, item]), ":1\r\n");
    }
}

#[test]
fn a_list_is_there_before_the_first_client() {
    let lines = path("list.txt");
    let domains: String = (0..5_000)
        .map(|number| format!("host{number}.example\n"))
        .collect();
    std::fs::write(&lines, format!("# domains\n\n{domains}")).expect("a file");
    let json = path("list.json");
    std::fs::write(&json, "[\"a.example\", \"b.example\"]").expect("a file");
    let snapshot = path("snapshot");
    for restart in [false, true] {
        let server = Server::start([
            "--snapshot".as_ref(),
            snapshot.as_os_str(),
            "--load".as_ref(),
            lines.as_os_str(),
            "--load-key".as_ref(),
            "domains".as_ref(),
        ]);
        let mut client = server.client();
        assert_eq!(
            client.ask(&["CF.COUNT", "domains", "host4999.example"]),
            ":1\r\n"
        );
        assert_eq!(client.ask(&["CF.EXISTS", "domains", "# domains"]), ":0\r\n");
        let logs = server.stop();
        assert!(logs.contains("\"items\":5000"), "{logs}");
        // All but a few that pass for others.
        assert_eq!(logs.contains("\"new\":0"), restart, "{logs}");
    }
    let server = Server::start(["--load".as_ref(), json.as_os_str()]);
    assert_eq!(
        server.ask(&["CF.MEXISTS", "loaded", "a.example", "c.example"]),
        "*2\r\n:1\r\n:0\r\n"
    );
}

#[test]
fn options_that_would_do_harm_are_refused() {
    let file = path("password");
    std::fs::write(&file, "\n").expect("a file");
    let missing = path("missing");
    // Longer than a name can be, so that nobody is asked for it.
    let unknown = format!("{}.invalid:1", "x".repeat(64));
    let (file, missing) = (file.to_string_lossy(), missing.to_string_lossy());
    for (options, status, words) in [
        (
            ["--bind", "0.0.0.0:0"].as_slice(),
            2,
            "needs --password-file",
        ),
        (&["--bind", "[::]:0"], 2, "needs --password-file"),
        (&["--http", "0.0.0.0:0"], 2, "asks for no password"),
        (&["--bind", "nonsense"], 2, "such as localhost:6379"),
        (&["--bind", "localhost:x"], 2, "such as localhost:6379"),
        (&["--bind", &unknown], 3, "cannot find the address of"),
        (&["--threads", "0"], 2, "0 is not in 1..=1024"),
        (&["--request-timeout", "0"], 2, "must be more than 0"),
        (
            &["--max-item", "2000", "--max-request", "1024"],
            2,
            "more than --max-request",
        ),
        (
            &["--max-client-memory", "60M"],
            2,
            "less than four times --max-request",
        ),
        (&["--max-item", "16X"], 2, "such as 1000, 16K, 64M or 1G"),
        (&["--max-item", "1G"], 2, "not from 1 to 536870912 bytes"),
        (&["--max-memory", "99999999999G"], 2, "not from 0"),
        (
            &["--max-item", "2K", "--max-request", "1k"],
            2,
            "more than --max-request",
        ),
        (&["--load-key", "k"], 2, "--load <FILE>"),
        (&["--snapshot-interval", "3"], 2, "--snapshot <FILE>"),
        (&["--stop-writes-on-save-error"], 2, "--snapshot <FILE>"),
        (&["--behind-a-mutex", "--growing"], 2, "cannot be used with"),
        (
            &["--growing", "--max-memory", "1M", "--max-growth", "2M"],
            2,
            "--max-growth is more than --max-memory",
        ),
        (&["--snapshot", "/nowhere/snapshot"], 3, "No such file"),
        (&["--password-file", &missing], 3, "No such file"),
        (&["--password-file", &file], 3, "the first line is empty"),
        (&["--load", &missing], 3, "No such file"),
        (&["--load-key", "k", "--load", "/"], 3, "list /"),
        (
            &["--bind", "192.0.2.1:1", "--password-file", "/etc/hostname"],
            3,
            "cannot listen",
        ),
        (
            &[
                "--default-capacity",
                "99999999999999",
                "--load",
                "/dev/null",
            ],
            3,
            "are left, and this one needs ",
        ),
    ] {
        let (ended, said) = refused(options);
        assert_eq!(ended, status, "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: {said}");
    }
    // Names do as well as numbers.
    let named = Server::start(["--bind", "localhost:0", "--http", "localhost:0"]);
    assert!(named.address.ip().is_loopback());
    assert_eq!(named.ask(&["PING"]), "+PONG\r\n");
    let http = named.http.expect("an address");
    assert!(get(http, "GET /healthz").starts_with("HTTP/1.1 200 "));
    let taken = Server::start::<&str>([]);
    let address = taken.address.to_string();
    assert_eq!(refused(["--bind", &address]).0, 3);
    let help = command().arg("--help").output().expect("it runs");
    let help = String::from_utf8_lossy(&help.stdout);
    for word in ["--max-pipeline", "Exit status", "RESP3"] {
        assert!(help.contains(word), "{word} is not in {help}");
    }
}

#[test]
fn what_is_under_way_is_answered_when_the_server_ends() {
    let server = Server::start::<&str>([]);
    let mut clients: Vec<_> = (0..8).map(|_| server.client()).collect();
    for client in &mut clients {
        assert_eq!(client.ask(&["PING"]), "+PONG\r\n");
    }
    let (status, logs) = {
        server.signal("-TERM");
        server.ended()
    };
    assert!(status.success(), "{logs}");
    for client in clients {
        // Closed in order, with nothing lost on the way.
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn nobody_has_to_read_the_logs() {
    for logs in [Logs::Closed, Logs::Stuck] {
        let file = path("snapshot");
        let options = [
            "--snapshot".as_ref(),
            file.as_os_str(),
            "--max-connections".as_ref(),
            "4".as_ref(),
        ];
        let server = Server::start_with(options, logs);
        let mut client = server.client();
        // Each of them is a line, and all together more than a pipe holds.
        for _ in 0..1_000 {
            let mut wrong = server.client();
            wrong.try_send(b"*x\r\n");
            wrong.rest();
        }
        assert_eq!(client.ask(&["CF.ADD", "f", "a"]), ":1\r\n");
        assert_eq!(client.ask(&["SAVE"]), "+OK\r\n");
        wait("the connections that have ended", || {
            client
                .ask(&["INFO"])
                .contains("connected_clients:1\r\n")
                .then_some(())
        });
        let others: Vec<_> = (0..3).map(|_| server.client()).collect();
        let turned_away = wait("a connection too many", || {
            let rest = server.client().rest();
            (!rest.is_empty()).then_some(rest)
        });
        assert_eq!(turned_away, "-ERR max number of clients reached\r\n");
        drop(others);
        assert_eq!(client.ask(&["CF.ADD", "f", "b"]), ":1\r\n");
        server.signal("-TERM");
        let (status, _) = server.ended();
        assert_eq!(status.code(), Some(0));
        let server = Server::start(["--snapshot".as_ref(), file.as_os_str()]);
        assert_eq!(
            server.ask(&["CF.MEXISTS", "f", "a", "b"]),
            "*2\r\n:1\r\n:1\r\n"
        );
    }
}

#[test]
fn large_work_of_one_client_does_not_stop_the_others() {
    let server = Server::start(["--threads", "1", "--max-item", "4096"]);
    let mut large = server.client();
    assert_eq!(
        large.ask(&["CF.RESERVE", "f", "10000", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    // Most of them do not fit, which takes longest.
    let mut words = vec!["CF.INSERT".to_owned(), "f".to_owned(), "ITEMS".to_owned()];
    words.extend((0..30_000).map(|item: usize| item.to_string()));
    large.send(&request(&words));
    let mut other = server.client();
    let mut answered = 0;
    // The one thread there is answers others meanwhile.
    while !large.has_reply() {
        assert_eq!(other.ask(&["PING"]), "+PONG\r\n");
        answered += 1;
    }
    assert!(answered > 10, "{answered} answers");
    assert!(large.reply().contains(":-1\r\n"));
    let mut words = vec!["DEL".to_owned()];
    words.extend((0..100_000).map(|key: usize| format!("none {key}")));
    assert_eq!(large.ask(&words), ":0\r\n");
    let refused = large.ask(&["KEYS", &"*a".repeat(200)]);
    assert!(
        refused.starts_with("-ERR the pattern is too long: at most 256 bytes"),
        "{refused}"
    );
    let mut words = vec!["COMMAND", "INFO"];
    words.extend(["get"; 1_000]);
    assert!(large.ask(&words).starts_with("-ERR too many names"));
}

#[test]
fn an_end_does_not_wait_for_snapshots_that_wait() {
    let file = path("snapshot");
    let server = Server::start(["--snapshot".as_ref(), file.as_os_str()]);
    server.ask(&["CF.RESERVE", "large", "20000000", "EXPANSION", "0"]);
    let mut clients: Vec<_> = (0..20).map(|_| server.client()).collect();
    for client in &mut clients {
        client.send(&request(&["SAVE"]));
    }
    wait("a snapshot that has begun", || {
        server
            .ask(&["INFO"])
            .contains("in_progress:1\r\n")
            .then_some(())
    });
    server.ask(&["CF.ADD", "large", "late"]);
    server.signal("-TERM");
    let (status, logs) = server.ended();
    assert!(status.success(), "{logs}");
    let taken = logs.matches("snapshot saved").count();
    assert!(taken < 20, "{taken} snapshots");
    let server = Server::start(["--snapshot".as_ref(), file.as_os_str()]);
    assert_eq!(server.ask(&["CF.EXISTS", "large", "late"]), ":1\r\n");
    // One that was told to begin has begun for all to see.
    let mut client = server.client();
    assert_eq!(client.ask(&["BGSAVE"]), "+Background saving started\r\n");
    assert_eq!(
        client.ask(&["BGSAVE"]),
        "-ERR Background save already in progress\r\n"
    );
    assert!(
        client
            .ask(&["INFO"])
            .contains("rdb_bgsave_in_progress:1\r\n")
    );
    wait("the end of the snapshot", || {
        client
            .ask(&["INFO"])
            .contains("rdb_bgsave_in_progress:0\r\n")
            .then_some(())
    });
    assert_eq!(client.ask(&["BGSAVE"]), "+Background saving started\r\n");
}

#[test]
fn dumps_count_as_memory() {
    let server = Server::start(["--max-memory", "1000000"]);
    let mut client = server.client();
    assert_eq!(
        client.ask(&["CF.RESERVE", "f", "100000", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    client.ask(&["CF.ADD", "f", "a"]);
    client.send(&request(&["CF.SCANDUMP", "f", "0"]));
    let (iterator, bytes) = crate::wire::chunk(&client.reply_bytes());
    assert!(bytes.is_some());
    // The dump is kept for the one who goes on with it.
    let refused = client.ask(&["CF.RESERVE", "g", "300000", "EXPANSION", "0"]);
    assert!(refused.starts_with("-ERR"), "{refused}");
    let end = client.ask(&["CF.SCANDUMP", "f", &iterator.to_string()]);
    assert_eq!(end, "*2\r\n:0\r\n$-1\r\n");
    assert_eq!(
        client.ask(&["CF.RESERVE", "g", "300000", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    client.ask(&["CF.ADD", "g", "a"]);
    let refused = client.ask(&["CF.SCANDUMP", "g", "0"]);
    assert!(refused.contains("at most 1000000 bytes"), "{refused}");
    let info = client.ask(&["INFO"]);
    let number = |name: &str| {
        let line = info
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|number| number.parse::<usize>().ok())
            .expect("a number")
    };
    assert!(number("used_memory") <= number("reserved_memory"));
    assert!(number("reserved_memory") <= number("maxmemory"));
}
