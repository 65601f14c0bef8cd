//! Who is connected, what they hold, and how they are closed.

use crate::operation::get;
use crate::process::Server;
use crate::wait::wait;
use crate::wire::{Client, request};

/// The value behind a name in a line of CLIENT LIST.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let mut fields = line.split([' ', '\n', '\r']);
    let found = fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {name} in {line}"))
}

/// The lines of CLIENT LIST.
fn list(client: &mut Client, words: &[&str]) -> Vec<String> {
    let reply = client.ask(&[&["CLIENT", "LIST"], words].concat());
    let lines = reply.lines().filter(|line| line.starts_with("id="));
    lines.map(str::to_owned).collect()
}

#[test]
fn connections_are_listed() {
    let server = Server::start::<&str>([]);
    let mut first = server.client();
    assert_eq!(first.ask(&["CLIENT", "SETNAME", "one"]), "+OK\r\n");
    let mut second = server.client();
    let named = ["CLIENT", "SETINFO", "LIB-NAME", "by-hand"];
    assert_eq!(first.ask(&named), "+OK\r\n");
    assert_eq!(second.ask(&["CF.ADD", "f", "a"]), ":1\r\n");
    let lines = list(&mut first, &[]);
    assert_eq!(lines.len(), 2, "{lines:?}");
    let names = lines.iter().map(|line| field(line, "name"));
    assert_eq!(names.collect::<Vec<_>>(), ["one", ""]);
    assert_eq!(field(&lines[0], "lib-name"), "by-hand");
    assert_eq!(field(&lines[0], "laddr"), server.address.to_string());
    assert_eq!(field(&lines[0], "addr"), first.address().to_string());
    assert_eq!(field(&lines[0], "cmd"), "client");
    assert_eq!(field(&lines[1], "cmd"), "cf.add");
    assert_eq!(field(&lines[1], "id"), "2");
    assert_eq!(list(&mut first, &["ID", "2", "99"]).len(), 1);
    assert_eq!(list(&mut first, &["TYPE", "normal"]).len(), 2);
    assert_eq!(list(&mut first, &["TYPE", "replica"]).len(), 0);
    let info = second.ask(&["CLIENT", "INFO"]);
    assert_eq!(field(&info, "addr"), second.address().to_string());
    for words in [["ID", "0"], ["ID", "x"], ["COLOUR", "red"]] {
        let words = [&["CLIENT", "LIST"], words.as_slice()].concat();
        assert!(first.ask(&words).starts_with("-ERR"), "{words:?}");
    }
    drop(second);
    wait("the end of a connection", || {
        (list(&mut first, &[]).len() == 1).then_some(())
    });
}

#[test]
fn connections_are_closed_on_demand() {
    let server = Server::start::<&str>([]);
    let mut client = server.client();
    let mut others: Vec<_> = (0..4).map(|_| server.client()).collect();
    for other in &mut others {
        assert_eq!(other.ask(&["PING"]), "+PONG\r\n");
    }
    let addresses: Vec<_> = others
        .iter()
        .map(|other| other.address().to_string())
        .collect();
    let mut kill = |words: &[&str]| client.ask(&[&["CLIENT", "KILL"], words].concat());
    assert_eq!(kill(&["192.0.2.1:1"]), "-ERR No such client\r\n");
    assert_eq!(kill(&["ADDR", "192.0.2.1:1"]), ":0\r\n");
    for words in [
        ["ID", "0"].as_slice(),
        &["ID", "2", "ADDR"],
        &["COLOUR", "red"],
    ] {
        assert!(kill(words).starts_with("-ERR"), "{words:?}");
    }
    // The old form, two by one filter each, and one by two.
    let id = server.ask(&["CLIENT", "ID"]);
    assert_eq!(kill(&[&addresses[0]]), "+OK\r\n");
    assert_eq!(kill(&["ADDR", &addresses[1]]), ":1\r\n");
    let ids = others[2].ask(&["CLIENT", "ID"]);
    let third = ids.trim_start_matches(':').trim_end();
    assert_ne!(id, ids);
    assert_eq!(kill(&["ID", third, "ADDR", &addresses[3]]), ":0\r\n");
    assert_eq!(kill(&["ID", third, "ADDR", &addresses[2]]), ":1\r\n");
    let last = others.pop().expect("the last");
    for other in others {
        assert_eq!(other.rest(), "");
    }
    // One that closes itself gets the reply, but none to what it asks behind it.
    let me = ["CLIENT", "KILL", "SKIPME", "no", "ADDR", &addresses[3]];
    let mut last = last;
    last.send(&[request(&me), request(&["PING"])].concat());
    assert_eq!(last.rest(), ":1\r\n");
    // Without that it spares itself.
    let mut other = server.client();
    assert_eq!(other.ask(&["PING"]), "+PONG\r\n");
    let local = server.address.to_string();
    wait("the end of all others", || {
        (list(&mut other, &[]).len() == 2).then_some(())
    });
    assert_eq!(other.ask(&["CLIENT", "KILL", "LADDR", &local]), ":1\r\n");
    assert_eq!(client.rest(), "");
    assert_eq!(other.ask(&["PING"]), "+PONG\r\n");
    let logs = server.stop();
    assert!(logs.contains("closed by CLIENT KILL"), "{logs}");
}

#[test]
fn who_does_not_read_is_closed_on_demand() {
    let server = Server::start::<&str>([]);
    let mut stuck = server.client();
    let echo = request(&["ECHO", &"x".repeat(10_000)]);
    stuck.send(&echo);
    stuck.reply();
    let address = stuck.address().to_string();
    // Until the server waits for it.
    stuck.send_what_fits(&echo.repeat(100));
    assert_eq!(server.ask(&["CLIENT", "KILL", &address]), "+OK\r\n");
    let mut client = server.client();
    let listed = list(&mut client, &[]);
    let is_it = |line: &String| field(line, "addr") == address;
    assert!(!listed.iter().any(is_it), "{listed:?}");
    wait("the end of the connection", || {
        (info(&mut client, "connected_clients") == 1).then_some(())
    });
}

/// The value of a line of INFO.
fn info(client: &mut Client, name: &str) -> usize {
    let reply = client.ask(&["INFO"]);
    let mut lines = reply.lines();
    let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value
        .and_then(|value| value.parse().ok())
        .expect("a number")
}

#[test]
fn who_holds_most_is_closed_when_all_hold_too_much() {
    const MOST: usize = 4 << 20;
    let server = Server::start([
        "--http",
        "127.0.0.1:0",
        "--max-request",
        "1M",
        "--max-client-memory",
        "4M",
    ]);
    let mut watcher = server.client();
    // Requests that are not complete.
    let start = |length: usize| {
        let mut client = server.client();
        let echo = request(&["ECHO", &"x".repeat(length)]);
        client.send(&echo[..echo.len() - 2]);
        client
    };
    let large = start(900_000);
    wait("the large request", || {
        (info(&mut watcher, "mem_clients_normal") >= 900_000).then_some(())
    });
    let mut small: Vec<_> = (0..7).map(|_| start(300_000)).collect();
    assert_eq!(large.rest(), "", "the largest is closed");
    // Those that stay are served.
    for client in &mut small {
        client.send(b"\r\n");
        assert_eq!(client.reply().len(), 300_000 + 11);
    }
    assert_eq!(info(&mut watcher, "evicted_clients"), 1);
    assert_eq!(info(&mut watcher, "maxmemory_clients"), MOST);
    let held = || info(&mut server.client(), "mem_clients_normal");
    assert!(held() <= MOST);
    drop(small);
    wait("the end of the others", || (held() < 200_000).then_some(()));
    // What waits for EXEC counts as well.
    watcher.ask(&["MULTI"]);
    watcher.ask(&["ECHO", &"x".repeat(500_000)]);
    assert!(held() >= 500_000);
    watcher.ask(&["DISCARD"]);
    wait("the end of the queue", || (held() < 200_000).then_some(()));
    let metrics = get(server.http.expect("an address"), "GET /metrics");
    for line in [
        "membership_evicted_clients_total 1",
        "membership_max_client_memory_bytes 4194304",
    ] {
        assert!(metrics.lines().any(|other| other == line), "{metrics}");
    }
    assert!(metrics.contains("\nmembership_client_memory_bytes "));
    let logs = server.stop();
    assert!(logs.contains("--max-client-memory"), "{logs}");
}
