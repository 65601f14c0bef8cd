//! What an operator sees and sets.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use crate::process::{PATIENCE, Server, command, path, wait};

fn get(address: SocketAddr, request: &str) -> String {
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
        "membership_filter_segments{filter=\"a \\\"b\\\"\\\\\"} 1",
        "membership_connections 1",
        "membership_connections_total 1",
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
        client.ask(&["CF.RESERVE", "d", "100", "EXPANSION", "2"]),
        "300000 are put aside",
    );
    assert_eq!(
        client.ask(&["CF.RESERVE", "d", "100", "EXPANSION", "0"]),
        "+OK\r\n"
    );
    refused(
        client.ask(&["CF.RESERVE", "e", "100", "EXPANSION", "0"]),
        "4 filters are the most",
    );
    refused(
        client.ask(&["CF.ADD", "e", "item"]),
        "4 filters are the most",
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
    let (file, missing) = (file.to_string_lossy(), missing.to_string_lossy());
    for (options, status, words) in [
        (
            ["--bind", "0.0.0.0:0"].as_slice(),
            2,
            "needs --password-file",
        ),
        (&["--bind", "[::]:0"], 2, "needs --password-file"),
        (&["--http", "0.0.0.0:0"], 2, "asks for no password"),
        (&["--bind", "nonsense"], 2, "invalid value"),
        (&["--threads", "0"], 2, "0 is not in 1..=1024"),
        (&["--request-timeout", "0"], 2, "must be more than 0"),
        (
            &["--max-item", "2000", "--max-request", "1024"],
            2,
            "more than --max-request",
        ),
        (&["--behind-a-mutex", "--growing"], 2, "cannot be used with"),
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
            "bytes of memory are not enough",
        ),
    ] {
        let ended = command().args(options).output().expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(status), "{options:?}: {said}");
        assert!(said.contains(words), "{options:?}: {said}");
    }
    let taken = Server::start::<&str>([]);
    let address = taken.address.to_string();
    let ended = command()
        .args(["--bind", &address])
        .output()
        .expect("it runs");
    assert_eq!(ended.status.code(), Some(3));
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
