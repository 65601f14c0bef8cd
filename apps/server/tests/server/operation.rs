//! Operation: metrics, limits, options, logs and lists.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;

use crate::install::{output, python};
use crate::process::{Logs, PATIENCE, Server, path, refused, until};
use crate::wire::{Client, request};

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

/// Checks that each line of one text is in another.
fn has_lines(text: &str, lines: &str) {
    for line in lines.lines().map(str::trim) {
        let is_there = text.lines().any(|other| other == line);
        assert!(is_there, "{line} is not in {text}");
    }
}

#[test]
fn metrics_count_events() {
    let server = Server::start("--http 127.0.0.1:0 --default-capacity 1000");
    let http = server.http.expect("an address");
    let mut client = server.client();
    assert_eq!(client.insert("a \"b\"\\", 0..100), 0);
    client.ask(&["CF.DEL", "a \"b\"\\", "7"]);
    client.converse("CF.EXISTS none {0..100} -> :0\nCF.DEL none 7 -> -~\nNONSENSE -> -~");
    let response = get(http, "GET /metrics");
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    has_lines(
        &response,
        r#"# TYPE lockfree_cuckoo_command_errors counter
        # TYPE lockfree_cuckoo_build info
        lockfree_cuckoo_command_seconds_count{command="CF.EXISTS"} 100
        lockfree_cuckoo_command_seconds_bucket{command="CF.EXISTS",le="+Inf"} 100
        lockfree_cuckoo_command_errors_total{command="CF.DEL"} 1
        lockfree_cuckoo_command_errors_total{command="unknown"} 1
        lockfree_cuckoo_filter_items{filter="a \"b\"\\"} 99
        lockfree_cuckoo_filter_deleted_items{filter="a \"b\"\\"} 1
        lockfree_cuckoo_filter_tables{filter="a \"b\"\\"} 1
        lockfree_cuckoo_connections 1
        lockfree_cuckoo_accepted_connections_total 1"#,
    );
    let version = env!("CARGO_PKG_VERSION");
    has_lines(
        &response,
        &format!("lockfree_cuckoo_build_info{{version=\"{version}\"}} 1"),
    );
    for name in [
        "lockfree_cuckoo_filter_load_factor{",
        "lockfree_cuckoo_filter_false_positive_rate{",
        "lockfree_cuckoo_filter_memory_bytes{",
        "lockfree_cuckoo_start_time_seconds ",
        "lockfree_cuckoo_command_seconds_sum{",
        "lockfree_cuckoo_read_bytes_total ",
    ] {
        let line = response.lines().find(|line| line.starts_with(name));
        let value = line.and_then(|line| line.rsplit(' ').next()).expect(name);
        assert!(value.parse::<f64>().expect(name) > 0.0, "{name}");
    }
    assert!(response.ends_with("\n# EOF\n"), "{response}");
    if let Some(python) = python() {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/openmetrics.py");
        let url = format!("http://{http}/metrics");
        let said = output(python, &[&script.to_string_lossy(), &url]);
        assert_eq!(said, "as it should be\n");
    }
    for (request, start, end) in [
        ("GET /healthz", "HTTP/1.1 200 ", "\r\n\r\nok\n"),
        ("HEAD /healthz", "HTTP/1.1 200 ", "\r\n\r\n"),
        ("GET /other", "HTTP/1.1 404 ", "\n"),
        ("POST /metrics", "HTTP/1.1 405 ", "\n"),
        ("nonsense", "HTTP/1.1 400 ", "\n"),
    ] {
        let response = get(http, request);
        let is_right = response.starts_with(start) && response.ends_with(end);
        assert!(is_right, "{request}: {response}");
    }
}

/// Open metrics need the password or an option.
///
/// Checks that metrics on an address that is not a loopback address need the password, and that
/// health does not.
#[test]
fn open_metrics_need_an_option() {
    let file = path("password");
    fs::write(&file, "open sesame\n").expect("a file");
    let password = format!("--password-file {}", file.display());
    let status = |server: &Server, request: &str| {
        // It listens on all addresses of the machine.
        let port = server.http.expect("an address").port();
        let response = get(([127, 0, 0, 1], port).into(), request);
        let status = response.split(' ').nth(1).expect("a status").to_owned();
        assert!(!response.contains("sesame"), "{response}");
        (status, response)
    };
    let guarded = Server::start(&format!("--http 0.0.0.0:0 {password}"));
    let with = |header: &str| format!("GET /metrics HTTP/1.1\r\n{header}\r\nx:");
    for (request, expected) in [
        ("GET /metrics".to_owned(), "401"),
        ("HEAD /metrics".to_owned(), "401"),
        ("GET /metrics?authorization=open".to_owned(), "401"),
        (with("Authorization: Bearer open"), "401"),
        (with("Authorization: Bearer open sesame2"), "401"),
        (with("Authorization: Bearer "), "401"),
        (with("Authorization: Bea"), "401"),
        (with("Authorization: Basic open sesame"), "401"),
        (with("X-Authorization: Bearer open sesame"), "401"),
        (with("authorization: bearer open sesame"), "200"),
        (with("Authorization: Bearer open sesame"), "200"),
        ("GET /healthz".to_owned(), "200"),
    ] {
        let (status, response) = status(&guarded, &request);
        assert_eq!(status, expected, "{request}");
        let asks = response.contains("\r\nwww-authenticate: Bearer\r\n");
        assert_eq!(asks, status == "401", "{response}");
    }
    let logs = guarded.stop();
    assert!(
        logs.contains("metrics refused") && !logs.contains("sesame"),
        "{logs}"
    );
    // With the option, and on a loopback address, it does not ask.
    for options in [
        "--http 0.0.0.0:0 --http-without-password".to_owned(),
        format!("--http 0.0.0.0:0 --http-without-password {password}"),
        format!("--http 127.0.0.1:0 {password}"),
    ] {
        let server = Server::start(&options);
        assert_eq!(status(&server, "GET /metrics").0, "200", "{options}");
    }
}

#[test]
fn limits_connections() {
    let server = Server::start("--max-connections 3");
    let mut clients: Vec<_> = (0..3).map(|_| server.client()).collect();
    for client in &mut clients {
        client.converse("PING -> +PONG");
    }
    let refused = "-ERR max number of clients reached\r\n";
    assert_eq!(server.client().rest(), refused);
    drop(clients.pop());
    until("a place", || {
        let mut client = server.client();
        client.try_send(b"PING\r\n");
        client.end_of_requests();
        client.rest() == "+PONG\r\n"
    });
}

#[test]
fn limits_the_memory_of_filters() {
    let options = "--max-memory 1000000 --max-growth 300000 --max-filters 4 --max-transaction 1";
    let server = Server::start(options);
    let mut client = server.client();
    // A huge allocation is refused first, whatever the request.
    client.converse(
        "CF.RESERVE f 10000000 EXPANSION 0 -> -ERR~
        CF.RESERVE f 10000000 EXPANSION 2 -> -ERR~
        CF.RESERVE f 1000000000000 EXPANSION 0 -> -ERR~
        CF.RESERVE f 1000000000000 EXPANSION 2 -> -ERR~
        CF.RESERVE f 9223372036854775807 EXPANSION 0 -> -ERR~
        CF.RESERVE f 9223372036854775807 EXPANSION 2 -> -ERR~
        CF.RESERVE a{0..3} 100 EXPANSION 2 -> +OK
        CF.RESERVE d 200000 EXPANSION 2 -> -ERR~at most 300000 bytes (--max-growth), and this one needs ~",
    );
    // The error has the limit, the rest of it, and the required memory.
    let reply = client.say("CF.RESERVE d 600000 EXPANSION 0");
    let numbers = reply.split(|letter: char| !letter.is_ascii_digit());
    let numbers: Vec<usize> = numbers.filter_map(|digits| digits.parse().ok()).collect();
    let [most, left, needed] = *numbers else {
        panic!("{reply}");
    };
    assert!(most == 1_000_000 && left > 900_000, "{reply}");
    assert!(left < most && most < needed, "{reply}");
    client.converse(
        "CF.RESERVE d 600000 EXPANSION 0 -> -ERR~at most 1000000 bytes (--max-memory), of which ~
        CF.RESERVE d 100 EXPANSION 0 -> +OK
        CF.RESERVE e 100 EXPANSION 0 -> -ERR~there can be at most 4 (--max-filters)
        CF.ADD e item -> -ERR~there can be at most 4 (--max-filters)",
    );
    // A growing filter stops at its limit.
    let full = (0..500_000).step_by(500);
    let mut full = full.filter(|&first| client.insert("a0", first..first + 500) > 0);
    assert!(full.next().is_some(), "it grew without a limit");
    let usage = client.number("MEMORY USAGE a0");
    assert!((100_000..=300_000).contains(&usage), "{usage}");
    // A removed filter makes room. A limit of one is reported as well.
    client.converse(
        "DEL a0 -> :1
        CF.RESERVE a0 100 EXPANSION 2 -> +OK
        MULTI -> +OK
        PING -> +QUEUED
        PING -> ~commands that can be queued: 1 (--max-transaction); bytes of them all: 16777216 (--max-request)",
    );
}

#[test]
fn charges_growing_filters_when_they_grow() {
    let server = Server::start("");
    let mut client = server.client();
    // It doubles, whatever the expansion.
    client.converse(
        "CF.RESERVE small{0..500} 100 EXPANSION 1 -> +OK
        CF.RESERVE steep 1000 EXPANSION 30000 -> +OK",
    );
    assert_eq!(client.insert("steep", 0..100_000), 0);
    // Many filters grow by turns until nothing is left.
    let server = Server::start("--max-memory 200000");
    let mut client = server.client();
    client.converse("CF.RESERVE f{0..7} 100 EXPANSION 2 -> +OK");
    let mut added = Vec::new();
    let refused = (0..100_000).find_map(|item| {
        let words = format!("f{} {item}", item % 7);
        let reply = client.say(&format!("CF.ADD {words}"));
        let is_refused = reply.starts_with('-');
        added.push(words);
        is_refused.then_some(reply)
    });
    added.pop();
    let refused = refused.expect("an end");
    let full = "~Filter is full: to grow, the filter needs ~ (--max-memory)";
    assert!(crate::wire::fits(full, refused.trim_end()), "{refused}");
    let reserved = client.info("reserved_memory");
    assert!((60_000..=200_000).contains(&reserved), "{reserved}");
    for words in &added {
        client.converse(&format!("CF.EXISTS {words} -> :1"));
    }
}

#[test]
fn loads_a_list_before_the_first_client() {
    let [lines, json, snapshot] = ["list.txt", "list.json", "snapshot"].map(path);
    let domains = (0..5_000).map(|number| format!("host{number}.example\n"));
    let domains: String = domains.collect();
    fs::write(&lines, format!("# domains\r\n\r\n {domains}")).expect("a file");
    fs::write(&json, r#"["a.example", "[{\"b\\", "c\u00e9"]"#).expect("a file");
    let load = format!("--load {}", lines.display());
    let options = format!(
        "{load} --load-key domains --snapshot {}",
        snapshot.display()
    );
    for restart in [false, true] {
        let server = Server::start(&options);
        server.converse("CF.EXISTS domains host{0..5000}.example -> :1");
        let comment = server.client().ask(&["CF.EXISTS", "domains", "# domains"]);
        assert_eq!(comment, ":0\r\n");
        let logs = server.stop();
        assert!(logs.contains("\"items\":5000"), "{logs}");
        // All but a few false positives.
        assert_eq!(logs.contains("\"new\":0"), restart, "{logs}");
    }
    let server = Server::start(&format!("--load {}", json.display()));
    server.converse("CF.MEXISTS loaded a.example [{\"b\\ c\u{e9} c.example -> *4 :1 :1 :1 :0");
}

#[test]
fn refuses_harmful_options() {
    let written = |bytes: &[u8]| {
        let file = path("file");
        fs::write(&file, bytes).expect("a file");
        file.display().to_string()
    };
    let (empty, missing) = (written(b"\n"), path("missing"));
    let (zero, binary, numbers) = (
        written(b"a\nb\0c\n"),
        written(b"a\nb\xff\n"),
        written(b"[1]"),
    );
    let (nested, cut) = (written(&b"[".repeat(1_000_000)), written(b"[\"a\","));
    // Longer than a name can be, so that no server is asked for it.
    let unknown = format!("{}.invalid:1", "x".repeat(64));
    let taken = Server::start("");
    let (missing, taken) = (missing.display(), taken.address);
    let cases = format!(
        "2 --bind 0.0.0.0:0 -> needs --password-file
        2 --bind [::]:0 -> needs --password-file
        2 --http 0.0.0.0:0 -> --http 0.0.0.0:0: 0.0.0.0:0 is not a loopback address. It needs --password-file, and then asks for that password; or --http-without-password, and then everyone can read the metrics
        2 --http [::]:0 -> is not a loopback address. It needs --password-file
        2 --http-without-password -> --http <HOST:PORT>
        2 --bind nonsense -> such as localhost:6379
        2 --bind localhost:x -> such as localhost:6379
        2 --threads 0 -> 0 is not in 1..=1024
        2 --threads -1 -> '-1' for '--threads <N>'
        2 --max-memory -1 -> '-1' for '--max-memory <BYTES>'
        2 --default-capacity 0 -> 4 at least: two buckets
        2 --request-timeout 0 -> must be more than 0
        2 --max-item 2000 --max-request 1024 -> more than --max-request
        2 --max-item 2K --max-request 1k -> more than --max-request
        2 --max-client-memory 60M -> less than four times --max-request
        2 --max-item 16X -> such as 1000, 16K, 64M or 1G
        2 --max-item 1G -> not from 1 to 536870912 bytes
        2 --max-memory 99999999999G -> not from 1
        2 --load-key k -> --load <FILE>
        2 --snapshot-interval 3 -> --snapshot <FILE>
        2 --stop-writes-on-save-error -> --snapshot <FILE>
        2 --growing -> unexpected argument '--growing'
        2 --max-memory 0 -> not from 1 to
        2 --max-growth 0 -> not from 1 to
        2 --max-memory 1M --max-growth 2M -> --max-growth is more than --max-memory
        3 --bind {unknown} -> cannot find the address of
        3 --bind {taken} -> cannot listen
        3 --bind 192.0.2.1:1 --password-file /etc/hostname -> cannot listen
        3 --snapshot /nowhere/snapshot -> No such file
        3 --password-file {missing} -> No such file
        3 --password-file {empty} -> the first line is empty
        3 --load {missing} -> No such file
        3 --load {zero} -> not a text
        3 --load {binary} -> not a text
        3 --load {numbers} -> not a JSON array of strings
        3 --load {nested} -> not a JSON array of strings
        3 --load {cut} -> not a JSON array of strings: 
        3 --load-key k --load / -> list /
        3 --default-capacity 999999999 --load /dev/null -> are left, and this one needs
        3 --default-capacity 99999999999999 --load /dev/null -> items is too large: at most
        0 --help -> --max-pipeline
        0 --help -> Exit status
        0 --help -> RESP3",
    );
    for case in cases.lines().map(str::trim) {
        let (request, words) = case.split_once(" -> ").expect(case);
        let (status, options) = request.split_once(' ').expect(case);
        let (ended, said) = refused(options);
        assert_eq!(ended.to_string(), status, "{options}: {said}");
        assert!(said.contains(words), "{options}: {said}");
    }
    // With less memory than by default, no other option is needed.
    Server::start("--max-memory 8M").converse("CF.ADD f a -> :1");
    // Names work like numbers.
    let named = Server::start("--bind localhost:0 --http localhost:0");
    assert!(named.address.ip().is_loopback());
    named.converse("PING -> +PONG");
    let health = get(named.http.expect("an address"), "GET /healthz");
    assert!(health.starts_with("HTTP/1.1 200 "), "{health}");
}

#[test]
fn answers_requests_in_progress_at_the_end() {
    let server = Server::start("");
    let mut clients: Vec<_> = (0..8).map(|_| server.client()).collect();
    for client in &mut clients {
        client.converse("PING -> +PONG");
    }
    server.stop();
    for client in clients {
        // The connection is closed in order, with nothing lost in transit.
        assert_eq!(client.rest(), "");
    }
}

#[test]
fn unread_logs_do_not_block() {
    for logs in [Logs::Closed, Logs::Stuck] {
        let file = path("snapshot");
        let options = format!("--snapshot {}", file.display());
        let server = Server::start_with(&format!("{options} --max-connections 4"), logs);
        let mut client = server.client();
        // Each request is a line of the log, and all together are more than a pipe holds.
        for _ in 0..1_000 {
            let mut wrong = server.client();
            wrong.try_send(b"*x\r\n");
            wrong.rest();
        }
        client.converse("CF.ADD f a -> :1\nSAVE -> +OK");
        until("the connections that have ended", || {
            client.info("connected_clients") == 1
        });
        let others: Vec<_> = (0..3).map(|_| server.client()).collect();
        let refused = "-ERR max number of clients reached\r\n";
        until("a connection too many", || {
            server.client().rest() == refused
        });
        drop(others);
        client.converse("CF.ADD f b -> :1");
        server.stop();
        Server::start(&options).converse("CF.MEXISTS f a b -> *2 :1 :1");
    }
}

/// The large work of one client does not block others.
#[test]
fn large_work_blocks_no_other_client() {
    let server = Server::start("--threads 1 --max-item 4096");
    let mut large = server.client();
    large.converse("CF.RESERVE f 10000 EXPANSION 0 -> +OK");
    // Most of them do not fit, which takes longest.
    let items: String = (0..15_000).map(|item: usize| format!(" {item}")).collect();
    let words = format!("CF.INSERT f ITEMS{items}");
    large.send(&request(&words.split(' ').collect::<Vec<_>>()));
    let mut other = server.client();
    let mut answered = 0;
    // The only thread answers others meanwhile.
    while !large.has_reply() {
        other.converse("PING -> +PONG");
        answered += 1;
    }
    assert!(answered > 10, "{answered} answers");
    assert!(large.reply().contains(":-1\r\n"));
    let (pattern, names) = ("*a".repeat(200), " get".repeat(1_000));
    large.converse(&format!(
        "DEL [0..100000] -> :0
        KEYS {pattern} -> -ERR the pattern is too long: at most 256 bytes~
        COMMAND INFO{names} -> -ERR too many names~",
    ));
}

#[test]
fn dumps_count_as_memory() {
    let server = Server::start("--max-memory 1000000");
    let mut client = server.client();
    client.converse("CF.RESERVE f 100000 EXPANSION 0 -> +OK\nCF.ADD f a -> :1");
    // The dump is kept for the client that continues it.
    let mut asked = 0;
    let dump = client.dump("f", |client: &mut Client| {
        asked += 1;
        if asked == 2 {
            client.converse("CF.RESERVE g 300000 EXPANSION 0 -> -ERR~");
        }
    });
    assert_eq!(dump.len(), 1);
    client.converse(
        "CF.RESERVE g 300000 EXPANSION 0 -> +OK
        CF.ADD g a -> :1
        CF.SCANDUMP g 0 -> -ERR~at most 1000000 bytes~",
    );
    let [used, reserved, most] =
        ["used_memory", "reserved_memory", "maxmemory"].map(|name| client.info(name));
    assert!(
        used <= reserved && reserved <= most,
        "{used} {reserved} {most}"
    );
}
