//! What is malformed, too long, cut off, slow or not allowed.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::process::{Server, path};
use crate::wait::wait;
use crate::wire::request;

#[test]
fn what_is_no_request_ends_the_connection_and_nothing_else() {
    let server = Server::start(["--max-request", "4096", "--max-item", "64"]);
    let mut bystander = server.client();
    for (bytes, error) in [
        (b"*x\r\n".as_slice(), "invalid multibulk length"),
        (b"*2000000000\r\n", "invalid multibulk length"),
        (b"*1\r\n:1\r\n", "expected '$'"),
        (b"*1\r\n*1\r\n*1\r\n", "expected '$'"),
        (b"*1\r\n$-5\r\n", "invalid bulk length"),
        (b"*1\r\n$99999999999999999999\r\n", "invalid bulk length"),
        (b"*1\r\n$536870912\r\n", "too big request"),
        (
            b"*1\r\n$4\r\nPINGxx",
            "a bulk string does not end with CRLF",
        ),
        (b"ECHO 'a\r\n", "unbalanced quotes in request"),
    ] {
        let mut client = server.client();
        // What was right before it is answered.
        client.send(b"PING\r\n");
        client.send(bytes);
        let replies = client.rest();
        assert_eq!(
            replies,
            format!("+PONG\r\n-ERR Protocol error: {error}\r\n")
        );
        assert_eq!(bystander.ask(&["PING"]), "+PONG\r\n");
    }
}

#[test]
fn what_is_too_long_is_refused_before_it_is_there() {
    let server = Server::start(["--max-request", "65536", "--max-item", "1000"]);
    let mut client = server.client();
    let long = "x".repeat(1_001);
    let refused =
        "-ERR 1001 bytes are too many: an item or a key can have at most 1000 (--max-item)\r\n";
    assert_eq!(client.ask(&["CF.ADD", "f", &long]), refused);
    for words in [
        ["CF.ADD", &long, "a"].as_slice(),
        &["CF.LOADCHUNK", &long, "3", "abc"],
        &["CF.RESERVE", &long, "10"],
        &["CF.INSERT", &long, "ITEMS", "a"],
    ] {
        assert_eq!(client.ask(words), refused, "{}", words[0]);
    }
    assert_eq!(
        client.ask(&["CF.INSERT", "f", "ITEMS", "a", &long]),
        refused
    );
    assert_eq!(
        client.ask(&["CF.EXISTS", "f", "a"]),
        ":0\r\n",
        "all items or none"
    );
    assert_eq!(client.ask(&["CF.ADD", "f", &long[..1_000]]), ":1\r\n");
    // Many small ones that are too much together, and a line without an end.
    let mut client = server.client();
    client.try_send(&request(&vec!["0123456789"; 10_000]));
    assert!(
        client
            .rest()
            .starts_with("-ERR Protocol error: too big request")
    );
    let mut client = server.client();
    client.try_send(&vec![b'a'; 200_000]);
    assert!(
        client
            .rest()
            .starts_with("-ERR Protocol error: too big inline request")
    );
}

#[test]
fn bytes_at_random_harm_nobody() {
    let server = Server::start(["--max-request", "4096", "--max-item", "64"]);
    let mut bystander = server.client();
    assert_eq!(bystander.ask(&["CF.ADD", "f", "a"]), ":1\r\n");
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
    assert_eq!(bystander.ask(&["CF.EXISTS", "f", "a"]), ":1\r\n");
}

#[test]
fn a_request_that_is_cut_off_is_not_carried_out() {
    let server = Server::start::<&str>([]);
    let whole = request(&["CF.ADD", "f", "item"]);
    for cut in 0..whole.len() {
        let mut client = server.client();
        client.send(&whole[..cut]);
        client.end_of_requests();
        assert_eq!(client.rest(), "", "cut at {cut}");
    }
    assert_eq!(server.ask(&["DBSIZE"]), ":0\r\n");
}

#[test]
fn who_is_slow_is_cut_off() {
    let server = Server::start(["--request-timeout", "0.3", "--idle-timeout", "1"]);
    // One that begins a request and does not end it, and one that asks nothing.
    let mut slow = server.client();
    slow.send(b"*2\r\n$4\r\nPI");
    let idle = server.client();
    // One that takes its time, but not too much.
    let mut steady = server.client();
    for byte in request(&["PING"]) {
        steady.send(&[byte]);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(steady.reply(), "+PONG\r\n");
    assert_eq!(slow.rest(), "");
    assert_eq!(idle.rest(), "");
    let logs = server.stop();
    assert!(logs.contains("too slow: a request is incomplete"), "{logs}");
    assert!(logs.contains("too slow: idle"), "{logs}");
}

#[test]
fn a_drip_of_bytes_does_not_keep_a_request_open() {
    let server = Server::start(["--request-timeout", "0.3"]);
    let mut stream = TcpStream::connect(server.address).expect("a connection");
    stream
        .write_all(b"*2\r\n$4\r\nECHO\r\n$1000000\r\n")
        .expect("sent");
    // Each byte comes in time, the request does not.
    wait("the end of the connection", || {
        std::thread::sleep(Duration::from_millis(20));
        stream.write_all(b"x").is_err().then_some(())
    });
}

#[test]
fn a_client_that_is_always_in_the_middle_of_a_request_is_not_slow() {
    let server = Server::start(["--request-timeout", "0.3"]);
    let mut client = server.client();
    let ping = request(&["PING"]);
    let (first, second) = ping.split_at(9);
    client.send(first);
    // The server never sees a moment without a request that is not there whole.
    for _ in 0..50 {
        std::thread::sleep(Duration::from_millis(20));
        client.send(&[second, first].concat());
        assert_eq!(client.reply(), "+PONG\r\n");
    }
}

#[test]
fn who_does_not_read_is_cut_off() {
    let server = Server::start(["--request-timeout", "0.3"]);
    let mut greedy = server.client();
    let item = "x".repeat(10_000);
    let echo = request(&["ECHO", &item]);
    let requests = echo.repeat(100);
    // Until the server stops reading, because the replies are not taken, and then ends.
    wait("the end of the connection", || {
        (!greedy.try_send(&requests)).then_some(())
    });
    assert_eq!(server.ask(&["PING"]), "+PONG\r\n");
    let logs = server.stop();
    assert!(
        logs.contains("too slow: it does not read its replies"),
        "{logs}"
    );
}

#[test]
fn a_wrong_password_opens_nothing() {
    let file = path("password");
    std::fs::write(&file, "open sesame\n").expect("a file");
    let server = Server::start(["--password-file".as_ref(), file.as_os_str()]);
    let mut client = server.client();
    for words in [
        ["CF.ADD", "f", "a"].as_slice(),
        &["PING"],
        &["FLUSHALL"],
        &["SHUTDOWN"],
        &["NONSENSE"],
    ] {
        assert_eq!(
            client.ask(words),
            "-NOAUTH Authentication required.\r\n",
            "{words:?}"
        );
    }
    assert!(client.ask(&["HELLO", "3"]).starts_with("-NOAUTH"));
    let wrong = "-WRONGPASS invalid username-password pair or user is disabled.\r\n";
    for words in [
        ["AUTH", "open"].as_slice(),
        &["AUTH", "open sesame "],
        &["AUTH", "nobody", "open sesame"],
        &["HELLO", "2", "AUTH", "default", "nonsense"],
    ] {
        assert_eq!(client.ask(words), wrong, "{words:?}");
    }
    assert_eq!(
        client.ask(&["PING"]),
        "-NOAUTH Authentication required.\r\n"
    );
    assert_eq!(client.ask(&["AUTH", "open sesame"]), "+OK\r\n");
    assert_eq!(client.ask(&["CF.ADD", "f", "a"]), ":1\r\n");
    assert_eq!(client.ask(&["RESET"]), "+RESET\r\n");
    assert_eq!(
        client.ask(&["PING"]),
        "-NOAUTH Authentication required.\r\n"
    );
    let mut other = server.client();
    assert!(
        other
            .ask(&["HELLO", "2", "AUTH", "default", "open sesame"])
            .starts_with("*14\r\n")
    );
    assert_eq!(other.ask(&["CF.EXISTS", "f", "a"]), ":1\r\n");
    // Whoever has not given it cannot make the server hold much either.
    let mut stranger = server.client();
    stranger.try_send(b"*2\r\n$4\r\nAUTH\r\n$100000\r\n");
    assert_eq!(stranger.rest(), "-ERR Protocol error: too big request\r\n");
    let logs = server.stop();
    assert!(logs.contains("wrong password"), "{logs}");
    assert!(!logs.contains("sesame"), "{logs}");
}

#[test]
fn who_gives_no_password_does_not_keep_a_place() {
    let file = path("password");
    std::fs::write(&file, "open sesame\n").expect("a file");
    let options = ["--request-timeout", "0.3", "--password-file"].map(Into::into);
    let server = Server::start(options.into_iter().chain([file.into_os_string()]));
    let mut client = server.client();
    // A pipeline of wrong ones does not help.
    let mut guesser = server.client();
    guesser.send(&b"AUTH x\r\n".repeat(500));
    let replies = guesser.rest();
    assert!(replies.matches("-WRONGPASS").count() < 20, "{replies}");
    // Nor does asking all the time.
    wait("the end of the connection", || {
        (!client.try_send(b"PING\r\n")).then_some(())
    });
}

#[test]
fn what_a_browser_sends_is_not_taken_for_commands() {
    let server = Server::start::<&str>([]);
    assert_eq!(server.ask(&["CF.ADD", "f", "a"]), ":1\r\n");
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
    assert_eq!(server.ask(&["CF.EXISTS", "f", "a"]), ":1\r\n");
}

#[test]
fn large_requests_leave_nothing_behind() {
    let server = Server::start::<&str>([]);
    let resident = || server.memory("VmRSS") >> 10;
    let large = "x".repeat(15 << 20);
    let clients: Vec<_> = (0..24)
        .map(|_| {
            let mut client = server.client();
            assert_eq!(client.ask(&["ECHO", &large]).len(), large.len() + 13);
            client
        })
        .collect();
    // Less than half of what they sent; it is there and idle.
    assert!(resident() < 150 << 10, "{} KiB", resident());
    drop(clients);
}
