//! Hostile input: requests that are malformed, too long, cut off, slow or not allowed.

use std::time::Duration;

use crate::process::{Server, path, until};
use crate::wire::request;

/// A malformed request ends only its connection.
#[test]
fn a_bad_request_ends_its_connection() {
    let server = Server::start("--max-request 4096 --max-item 64");
    let mut bystander = server.client();
    for (bytes, error) in [
        (b"*x\r\n".as_slice(), "invalid multibulk length"),
        (b"*2000000000\r\n", "invalid multibulk length"),
        (
            &[b"*".as_slice(), &[b'1'; 40]].concat(),
            "invalid multibulk length",
        ),
        (b"*1\r\n:1\r\n", "expected '$'"),
        (b"*1\r\n*1\r\n*1\r\n", "expected '$'"),
        (b"*1\r\n$-5\r\n", "invalid bulk length"),
        (b"*1\r\n$99999999999999999999\r\n", "invalid bulk length"),
        (b"*1\r\n$536870912\r\n", "too big request"),
        (
            b"*1\r\n$4\r\nPINGxx",
            "a bulk string does not end with CRLF",
        ),
        (
            b"ECHO 'a\r\n",
            "quotes in an inline request: what has blanks in it goes into an array",
        ),
    ] {
        let mut client = server.client();
        // The correct request before it is answered.
        client.send(b"PING\r\n");
        client.send(bytes);
        let replies = client.rest();
        assert_eq!(
            replies,
            format!("+PONG\r\n-ERR Protocol error: {error}\r\n")
        );
        bystander.converse("PING -> +PONG");
    }
    // Input in an error does not end the line.
    let reply = bystander.ask(&["a\r\n+OK"]);
    assert!(
        reply.starts_with("-ERR unknown command 'a  +OK'"),
        "{reply}"
    );
}

#[test]
fn refuses_long_requests_before_they_arrive() {
    let server = Server::start("--max-request 65536 --max-item 1000");
    let long = "x".repeat(1_001);
    for request in [
        format!("CF.ADD f {long}"),
        format!("CF.ADD {long} a"),
        format!("CF.LOADCHUNK {long} 3 abc"),
        format!("CF.RESERVE {long} 10"),
        format!("CF.INSERT {long} ITEMS a"),
        format!("CF.INSERT f ITEMS a {long}"),
    ] {
        let refused =
            "1001 bytes are too many: an item or a key can have at most 1000 (--max-item)";
        server.converse(&format!("{request} -> -ERR {refused}"));
    }
    // All items are added, or none.
    server.converse(&format!(
        "CF.EXISTS f a -> :0\nCF.ADD f {} -> :1",
        &long[1..]
    ));
    // Many small arguments that are too much together, and a line without an end.
    let many = request(&vec!["0123456789"; 10_000]);
    for (bytes, error) in [(many, "request"), (vec![b'a'; 200_000], "inline request")] {
        let mut client = server.client();
        client.try_send(&bytes);
        let refused = format!("-ERR Protocol error: too big {error}\r\n");
        assert!(client.rest().starts_with(&refused), "{error}");
    }
}

#[test]
fn random_bytes_are_harmless() {
    let server = Server::start("--max-request 4096 --max-item 64");
    let mut bystander = server.client();
    bystander.converse("CF.ADD f a -> :1");
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..300 {
        let mut bytes = request(&["CF.ADD", "g", "item"]);
        for _ in 0..1 + next() % 4 {
            let at = next() as usize % bytes.len();
            match next() % 3 {
                0 => bytes[at] = next() as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"*$\r\n0123456789-:+"[next() as usize % 17]),
            }
        }
        let mut client = server.client();
        client.try_send(&bytes);
        client.end_of_requests();
        client.rest();
    }
    bystander.converse("CF.EXISTS f a -> :1");
}

#[test]
fn does_not_run_a_request_that_is_cut_off() {
    let server = Server::start("");
    let whole = request(&["CF.ADD", "f", "item"]);
    for cut in 0..whole.len() {
        let mut client = server.client();
        client.send(&whole[..cut]);
        client.end_of_requests();
        assert_eq!(client.rest(), "", "cut at {cut}");
    }
    server.converse("DBSIZE -> :0");
}

#[test]
fn disconnects_slow_clients() {
    let server = Server::start("--request-timeout 1 --idle-timeout 2");
    // A client that begins a request and does not end it, and one that asks nothing.
    let mut slow = server.client();
    slow.send(b"*2\r\n$4\r\nPI");
    let idle = server.client();
    // A client whose bytes each come in time, but not the request.
    let mut dripping = server.client();
    dripping.send(b"*2\r\n$4\r\nECHO\r\n$1000000\r\n");
    // A client that is slow, but not too slow: the server always has an incomplete request of it.
    let mut steady = server.client();
    let ping = request(&["PING"]);
    let (first, second) = ping.split_at(9);
    steady.send(first);
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(20));
        steady.send(&[second, first].concat());
        assert_eq!(steady.reply(), "+PONG\r\n");
        dripping.try_send(b"x");
    }
    until("the end of the drip", || !dripping.try_send(b"x"));
    assert_eq!(slow.rest(), "");
    assert_eq!(idle.rest(), "");
    let logs = server.stop();
    assert!(logs.contains("too slow: a request is incomplete"), "{logs}");
    assert!(logs.contains("too slow: idle"), "{logs}");
}

#[test]
fn disconnects_clients_that_do_not_read() {
    let server = Server::start("--request-timeout 0.3");
    let mut greedy = server.client();
    let item = "x".repeat(10_000);
    let echo = request(&["ECHO", &item]);
    let requests = echo.repeat(100);
    // Until the server stops reading, because the replies are not taken, and then ends the
    // connection.
    until("the end of the connection", || !greedy.try_send(&requests));
    server.converse("PING -> +PONG");
    let logs = server.stop();
    assert!(
        logs.contains("too slow: it does not read its replies"),
        "{logs}"
    );
}

/// Starts a server with a password.
fn with_password(options: &str) -> Server {
    let file = path("password");
    std::fs::write(&file, "open sesame\n").expect("a file");
    Server::start(&format!("{options} --password-file {}", file.display()))
}

#[test]
fn a_wrong_password_opens_nothing() {
    let server = with_password("");
    let mut client = server.client();
    for request in ["CF.ADD f a", "PING", "FLUSHALL", "SHUTDOWN", "NONSENSE"] {
        client.converse(&format!("{request} -> -NOAUTH Authentication required."));
    }
    for request in [
        "AUTH open",
        "AUTH nobody open",
        "HELLO 2 AUTH default nonsense",
    ] {
        let wrong = "-WRONGPASS invalid username-password pair or user is disabled.";
        client.converse(&format!("{request} -> {wrong}"));
    }
    for words in [
        ["AUTH", "open sesame "].as_slice(),
        &["AUTH", "nobody", "open sesame"],
    ] {
        assert!(client.ask(words).starts_with("-WRONGPASS "), "{words:?}");
    }
    client.converse("PING -> -NOAUTH Authentication required.");
    assert_eq!(client.ask(&["AUTH", "open sesame"]), "+OK\r\n");
    client.converse(
        "CF.ADD f a -> :1
        RESET -> +RESET
        PING -> -NOAUTH Authentication required.",
    );
    let mut other = server.client();
    let login = ["HELLO", "2", "AUTH", "default", "open sesame"];
    assert!(other.ask(&login).starts_with("*14\r\n"));
    other.converse("CF.EXISTS f a -> :1");
    let reply = server.say("HELLO 3");
    assert!(reply.starts_with("-NOAUTH "), "{reply}");
    // Without the password, a client cannot make the server hold much either.
    let mut stranger = server.client();
    stranger.try_send(b"*2\r\n$4\r\nAUTH\r\n$100000\r\n");
    assert_eq!(stranger.rest(), "-ERR Protocol error: too big request\r\n");
    let logs = server.stop();
    assert!(logs.contains("wrong password"), "{logs}");
    assert!(!logs.contains("sesame"), "{logs}");
}

/// A client without a password does not keep its place.
#[test]
fn without_password_no_place_is_kept() {
    let server = with_password("--request-timeout 0.3");
    let mut client = server.client();
    // A pipeline of wrong passwords does not help.
    let mut guesser = server.client();
    guesser.send(&b"AUTH x\r\n".repeat(500));
    let replies = guesser.rest();
    assert!(replies.matches("-WRONGPASS").count() < 20, "{replies}");
    // Requests without a pause do not help.
    until("the end of the connection", || {
        !client.try_send(b"PING\r\n")
    });
}

/// Does not take the request of a browser for commands.
#[test]
fn takes_no_browsers_request() {
    let server = Server::start("");
    server.converse("CF.ADD f a -> :1");
    for start in [
        "POST / HTTP/1.1\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n",
    ] {
        let mut browser = server.client();
        browser.try_send(start.as_bytes());
        browser.try_send(b"Accept: */*\r\n\r\nFLUSHALL\r\nSHUTDOWN NOSAVE\r\n");
        let replies = browser.rest();
        assert!(!replies.contains("+OK"), "{replies}");
    }
    server.converse("CF.EXISTS f a -> :1");
}

#[test]
fn large_requests_free_their_memory() {
    let server = Server::start("");
    let resident = || server.memory("VmRSS") >> 10;
    let large = "x".repeat(15 << 20);
    let clients: Vec<_> = (0..24)
        .map(|_| {
            let mut client = server.client();
            assert_eq!(client.ask(&["ECHO", &large]).len(), large.len() + 13);
            client
        })
        .collect();
    // Less than half of the bytes that they sent, while they are connected and idle.
    assert!(resident() < 150 << 10, "{} KiB", resident());
    drop(clients);
}
