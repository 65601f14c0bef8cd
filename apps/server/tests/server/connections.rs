//! Connections: how they are listed, and how they are closed.

use crate::operation::get;
use crate::process::{Server, until};
use crate::wire::{Client, request};

/// Returns the value behind a name in a line of CLIENT LIST.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let mut fields = line.split([' ', '\n', '\r']);
    let found = fields.find_map(|field| field.strip_prefix(name)?.strip_prefix('='));
    found.unwrap_or_else(|| panic!("no {name} in {line}"))
}

/// Returns the lines of CLIENT LIST.
fn list(client: &mut Client, request: &str) -> Vec<String> {
    let reply = client.say(request);
    let lines = reply.lines().filter(|line| line.starts_with("id="));
    lines.map(str::to_owned).collect()
}

#[test]
fn lists_connections() {
    let server = Server::start("");
    let mut first = server.client();
    first.converse(
        "CLIENT SETNAME one -> +OK
        CLIENT SETINFO LIB-NAME by-hand -> +OK",
    );
    // Connect after the first reply, to get the second number.
    let mut second = server.client();
    second.converse("CF.ADD f a -> :1");
    let lines = list(&mut first, "CLIENT LIST");
    let (one, two) = (first.address().to_string(), second.address().to_string());
    let here = server.address.to_string();
    for (name, values) in [
        ("name", ["one", ""]),
        ("lib-name", ["by-hand", ""]),
        ("laddr", [&here, &here]),
        ("addr", [&one, &two]),
        ("cmd", ["client", "cf.add"]),
        ("id", ["1", "2"]),
    ] {
        let found: Vec<_> = lines.iter().map(|line| field(line, name)).collect();
        assert_eq!(found, values, "{name}");
    }
    for (request, number) in [("ID 2 99", 1), ("TYPE normal", 2), ("TYPE replica", 0)] {
        let lines = list(&mut first, &format!("CLIENT LIST {request}"));
        assert_eq!(lines.len(), number, "{request}");
    }
    assert_eq!(field(&second.say("CLIENT INFO"), "addr"), two);
    first.converse(
        "CLIENT LIST ID 0 -> -ERR~
        CLIENT LIST ID x -> -ERR~
        CLIENT LIST COLOUR red -> -ERR~",
    );
    drop(second);
    until("the end of a connection", || {
        list(&mut first, "CLIENT LIST").len() == 1
    });
}

#[test]
fn closes_connections_on_demand() {
    let server = Server::start("");
    let mut client = server.client();
    let mut others: Vec<_> = (0..4).map(|_| server.client()).collect();
    // The server knows each of them by now.
    for other in &mut others {
        other.converse("PING -> +PONG");
    }
    let id = others[2].number("CLIENT ID");
    let [first, second, third, fourth] = [0, 1, 2, 3].map(|index: usize| others[index].address());
    // The old form, two by one condition each, and one by two.
    client.converse(&format!(
        "CLIENT KILL 192.0.2.1:1 -> -ERR No such client
        CLIENT KILL ADDR 192.0.2.1:1 -> :0
        CLIENT KILL ID 0 -> -ERR~
        CLIENT KILL ID 2 ADDR -> -ERR~
        CLIENT KILL COLOUR red -> -ERR~
        CLIENT KILL {first} -> +OK
        CLIENT KILL ADDR {second} -> :1
        CLIENT KILL ID {id} ADDR {fourth} -> :0
        CLIENT KILL ID {id} ADDR {third} -> :1",
    ));
    let mut last = others.pop().expect("the last");
    for other in others {
        assert_eq!(other.rest(), "");
    }
    // A connection that closes itself gets the reply, but none to its later requests.
    let me = format!("CLIENT KILL SKIPME no ADDR {fourth}\r\nPING\r\n");
    last.send(me.as_bytes());
    assert_eq!(last.rest(), ":1\r\n");
    // By default it spares itself.
    let mut other = server.client();
    until("the end of all others", || {
        list(&mut other, "CLIENT LIST").len() == 2
    });
    other.converse(&format!("CLIENT KILL LADDR {} -> :1", server.address));
    assert_eq!(client.rest(), "");
    other.converse("PING -> +PONG");
    let logs = server.stop();
    assert!(logs.contains("closed by CLIENT KILL"), "{logs}");
}

/// Closes a client that does not read, on demand.
#[test]
fn closes_a_client_that_does_not_read() {
    let server = Server::start("");
    let mut stuck = server.client();
    let echo = request(&["ECHO", &"x".repeat(10_000)]);
    stuck.send(&echo);
    stuck.reply();
    let address = stuck.address().to_string();
    // Until the server waits for the client.
    stuck.send_what_fits(&echo.repeat(100));
    let mut client = server.client();
    client.converse(&format!("CLIENT KILL {address} -> +OK"));
    let listed = list(&mut client, "CLIENT LIST");
    let is_it = |line: &String| field(line, "addr") == address;
    assert!(!listed.iter().any(is_it), "{listed:?}");
    until("the end of the connection", || {
        client.info("connected_clients") == 1
    });
}

/// Checks that idle connections count nothing, whatever they did before, and that those with a part
/// of a request count.
#[test]
fn idle_connections_hold_nothing() {
    // The limit is less than four buffers.
    let server =
        Server::start("--http 127.0.0.1:0 --max-item 1K --max-request 12K --max-client-memory 60K");
    let metric = |name: &str| -> usize {
        let metrics = get(server.http.expect("an address"), "GET /metrics");
        let mut lines = metrics.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value.and_then(|value| value.parse().ok()).expect(name)
    };
    let evicted = || metric("lockfree_cuckoo_evicted_clients_total");
    let mut clients: Vec<_> = (0..100).map(|_| server.client()).collect();
    let large = "x".repeat(10_000);
    for (index, client) in clients.iter_mut().enumerate() {
        client.converse("PING -> +PONG");
        if index % 2 == 0 {
            client.ask(&["ECHO", &large]);
            client.send(&b"PING\r\n".repeat(300));
            (0..300).for_each(|_| drop(client.reply()));
        }
    }
    until("all to be idle", || {
        metric("lockfree_cuckoo_client_memory_bytes") == 0
    });
    assert_eq!(evicted(), 0);
    // Most of those that begin a request are closed, and no other one.
    let (beginning, idle) = clients.split_at_mut(50);
    for client in beginning {
        client.send(b"*2\r\n$4\r\nECHO\r\n$3\r\n");
    }
    until("the end of most", || evicted() > 40);
    for client in idle {
        client.converse("PING -> +PONG");
    }
    assert!(evicted() < 50);
}

#[test]
fn closes_the_largest_client_at_the_limit() {
    const MOST: usize = 4 << 20;
    let server = Server::start("--http 127.0.0.1:0 --max-request 1M --max-client-memory 4M");
    let mut watcher = server.client();
    // Incomplete requests.
    let start = |length: usize| {
        let mut client = server.client();
        let echo = request(&["ECHO", &"x".repeat(length)]);
        client.send(&echo[..echo.len() - 2]);
        client
    };
    let large = start(900_000);
    until("the large request", || {
        watcher.info("mem_clients_normal") >= 900_000
    });
    let mut small: Vec<_> = (0..7).map(|_| start(300_000)).collect();
    assert_eq!(large.rest(), "", "the largest is closed");
    // The remaining ones are served.
    for client in &mut small {
        client.send(b"\r\n");
        assert_eq!(client.reply().len(), 300_000 + 11);
    }
    assert_eq!(watcher.info("evicted_clients"), 1);
    assert_eq!(watcher.info("maxmemory_clients"), MOST);
    let held = || server.client().info("mem_clients_normal");
    assert!(held() <= MOST);
    drop(small);
    until("the end of the others", || held() < 200_000);
    // Commands that wait for EXEC count as well.
    watcher.say("MULTI");
    watcher.ask(&["ECHO", &"x".repeat(500_000)]);
    assert!(held() >= 500_000);
    watcher.say("DISCARD");
    until("the end of the queue", || held() < 200_000);
    let metrics = get(server.http.expect("an address"), "GET /metrics");
    for line in [
        "\nlockfree_cuckoo_evicted_clients_total 1\n",
        "\nlockfree_cuckoo_max_client_memory_bytes 4194304\n",
        "\nlockfree_cuckoo_client_memory_bytes ",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    let logs = server.stop();
    assert!(logs.contains("--max-client-memory"), "{logs}");
}
