//! The wire: a client that can send anything, also what no library would.
//!
//! Requests and replies can be written as a dialogue, a text of lines `request -> reply`:
//!
//! | in a request | |
//! |---|---|
//! | `{0..9}` | a request for each of these numbers, with the same reply |
//! | `[0..9]` | all of these numbers, as words of one request |
//!
//! | in a reply | |
//! |---|---|
//! | a blank | also the end of a line |
//! | `~` | anything |
//! | `!` at the start | any reply but such a one |
//! | <code>a &#124; b</code> | `a` of this server, `b` of RedisBloom |
//!
//! A line that begins with `#` is a comment.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::ops::Range;
use std::time::Duration;

use redis_protocol::{resp2, resp3};

use crate::process::PATIENCE;

pub(crate) struct Client {
    stream: TcpStream,
    received: Vec<u8>,
    is_resp3: bool,
}

/// Encodes words as an array of bulk strings.
pub(crate) fn request<W: AsRef<[u8]>>(words: &[W]) -> Vec<u8> {
    let mut bytes = format!("*{}\r\n", words.len()).into_bytes();
    for word in words {
        let word = word.as_ref();
        bytes.extend(format!("${}\r\n", word.len()).bytes());
        bytes.extend_from_slice(word);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes
}

fn line_request(line: &str) -> Vec<u8> {
    request(&line.split(' ').collect::<Vec<_>>())
}

fn number(text: Option<&str>, reply: &str) -> usize {
    let number = text.and_then(|text| text.parse().ok());
    number.unwrap_or_else(|| panic!("no number in {reply}"))
}

/// Expands a request of a dialogue.
fn each(request: &str) -> Vec<String> {
    let numbers = |open: char, close: char| -> Option<(&str, Range<usize>, &str)> {
        let (before, rest) = request.split_once(open)?;
        let (range, behind) = rest.split_once(close)?;
        let (start, end) = range.split_once("..")?;
        Some((before, start.parse().ok()?..end.parse().ok()?, behind))
    };
    if let Some((before, numbers, behind)) = numbers('{', '}') {
        let one = |number| format!("{before}{number}{behind}");
        return numbers.map(one).collect();
    }
    if let Some((before, numbers, behind)) = numbers('[', ']') {
        let words: Vec<_> = numbers.map(|number| number.to_string()).collect();
        return vec![format!("{before}{}{behind}", words.join(" "))];
    }
    vec![request.to_owned()]
}

/// Returns whether a text fits a pattern, in which `~` stands for anything.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('~') else {
        return pattern == text;
    };
    let Some(mut text) = text.strip_prefix(first) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('~').unwrap_or(("", rest));
    for part in middle.split('~') {
        let Some(at) = text.find(part) else {
            return false;
        };
        text = &text[at + part.len()..];
    }
    text.ends_with(last)
}

/// Chunks, each with the iterator that is behind it.
pub(crate) type Dump = Vec<(i64, Vec<u8>)>;

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream.set_read_timeout(Some(PATIENCE)).expect("a socket");
        stream.set_write_timeout(Some(PATIENCE)).expect("a socket");
        Self {
            stream,
            received: Vec::new(),
            is_resp3: false,
        }
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("sent");
    }

    /// Sends bytes to a server that may have closed the connection. Returns whether it took them.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// Returns the address by which the server knows it.
    pub(crate) fn address(&self) -> SocketAddr {
        self.stream.local_addr().expect("a socket")
    }

    /// Sends the same bytes repeatedly until the server takes no more for a while.
    pub(crate) fn send_what_fits(&mut self, bytes: &[u8]) {
        let stream = &mut self.stream;
        let pause = Duration::from_millis(200);
        stream.set_write_timeout(Some(pause)).expect("a socket");
        while stream.write_all(bytes).is_ok() {}
    }

    pub(crate) fn end_of_requests(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("a socket");
    }

    /// Returns the raw reply to a command.
    pub(crate) fn ask<W: AsRef<[u8]>>(&mut self, words: &[W]) -> String {
        self.send(&request(words));
        self.reply()
    }

    /// Returns the raw reply to the words of a line. Behind `HELLO 3` replies are in the newer
    /// version of the protocol.
    pub(crate) fn say(&mut self, line: &str) -> String {
        self.send(&line_request(line));
        self.is_resp3 |= line.starts_with("HELLO 3");
        self.reply()
    }

    /// Sends each request of a dialogue, and checks the replies.
    pub(crate) fn converse(&mut self, dialogue: &str) {
        self.converse_as(dialogue, false);
    }

    /// Holds a dialogue with RedisBloom, or with this server.
    pub(crate) fn converse_as(&mut self, dialogue: &str, is_redisbloom: bool) {
        let lines = dialogue.lines().map(str::trim);
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let (request, expected) = line.split_once(" -> ").expect(line);
            let (this, redisbloom) = expected.split_once(" | ").unwrap_or((expected, expected));
            let expected = if is_redisbloom { redisbloom } else { this };
            let requests = each(request);
            if let [_, _, ..] = *requests {
                self.send(
                    &requests
                        .iter()
                        .flat_map(|line| line_request(line))
                        .collect::<Vec<_>>(),
                );
            }
            for request in &requests {
                let reply = match *requests {
                    [_] => self.say(request),
                    _ => self.reply(),
                };
                let reply = reply.replace("\r\n", " ");
                let reply = reply.trim_end();
                let is_right = match expected.strip_prefix('!') {
                    Some(wrong) => !fits(wrong, reply),
                    None => fits(expected, reply),
                };
                let who = if is_redisbloom {
                    "RedisBloom"
                } else {
                    "this server"
                };
                assert!(is_right, "{who}: {request}: {reply}, not {expected}");
            }
        }
    }

    /// Returns the number that a command replies.
    pub(crate) fn number(&mut self, line: &str) -> usize {
        let reply = self.say(line);
        number(reply.trim_end().strip_prefix(':'), &reply)
    }

    /// Returns the number behind a name in the reply to INFO.
    pub(crate) fn info(&mut self, name: &str) -> usize {
        let info = self.say("INFO");
        let mut lines = info.lines();
        let value = lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        number(value, &info)
    }

    /// Returns the number behind a name in the reply to CF.INFO.
    pub(crate) fn described(&mut self, key: &str, name: &str) -> usize {
        let info = self.ask(&["CF.INFO", key]);
        let mut lines = info.lines().skip_while(|line| line.get(1..) != Some(name));
        let value = lines.nth(1).and_then(|line| line.strip_prefix(':'));
        number(value, &info)
    }

    /// Adds numbers to a filter. Returns how many were refused.
    pub(crate) fn insert(&mut self, key: &str, items: Range<usize>) -> usize {
        self.of_items(&["CF.INSERT", key, "ITEMS"], items, ":-1\r\n")
    }

    /// Returns how many of some numbers are found in a filter.
    pub(crate) fn found(&mut self, key: &str, items: Range<usize>) -> usize {
        self.of_items(&["CF.MEXISTS", key], items, ":1\r\n")
    }

    fn of_items(&mut self, start: &[&str], items: Range<usize>, counted: &str) -> usize {
        let start = start.iter().map(|word| (*word).to_owned());
        let words: Vec<_> = start.chain(items.map(|item| item.to_string())).collect();
        self.ask(&words).matches(counted).count()
    }

    /// Dumps a filter: returns its chunks, each with the iterator that is behind it. Calls
    /// `between` before each.
    pub(crate) fn dump(&mut self, key: &str, mut between: impl FnMut(&mut Self)) -> Dump {
        let mut chunks = Dump::new();
        loop {
            between(self);
            let iterator = chunks.last().map_or(0, |(iterator, _)| *iterator);
            self.send(&request(&["CF.SCANDUMP", key, &iterator.to_string()]));
            match chunk(&self.reply_bytes()) {
                (iterator, Some(bytes)) => chunks.push((iterator, bytes)),
                (iterator, None) => {
                    assert_eq!(iterator, 0);
                    return chunks;
                }
            }
        }
    }

    /// Loads one chunk.
    pub(crate) fn load(&mut self, key: &str, (iterator, bytes): &(i64, Vec<u8>)) -> String {
        let iterator = iterator.to_string();
        self.ask(&[b"CF.LOADCHUNK", key.as_bytes(), iterator.as_bytes(), bytes])
    }

    /// Returns the next raw reply.
    pub(crate) fn reply(&mut self) -> String {
        String::from_utf8_lossy(&self.reply_bytes()).into_owned()
    }

    pub(crate) fn reply_bytes(&mut self) -> Vec<u8> {
        loop {
            if let Some(length) = self.length_of_first() {
                return self.received.drain(..length).collect();
            }
            let read = self.receive().expect("a reply in time");
            assert!(read > 0, "closed before a reply");
        }
    }

    /// Returns whether a whole reply is there, without waiting for one.
    pub(crate) fn has_reply(&mut self) -> bool {
        self.stream.set_nonblocking(true).expect("a socket");
        let mut bytes = [0; 64 << 10];
        while let Ok(read) = self.stream.read(&mut bytes) {
            assert!(read > 0, "closed before a reply");
            self.received.extend_from_slice(&bytes[..read]);
        }
        self.stream.set_nonblocking(false).expect("a socket");
        self.length_of_first().is_some()
    }

    fn length_of_first(&self) -> Option<usize> {
        if self.is_resp3 {
            let decoded = resp3::decode::complete::decode(&self.received);
            decoded.expect("a reply").map(|(_, length)| length)
        } else {
            let decoded = resp2::decode::decode(&self.received);
            decoded.expect("a reply").map(|(_, length)| length)
        }
    }

    fn receive(&mut self) -> Option<usize> {
        let mut bytes = [0; 64 << 10];
        loop {
            match self.stream.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => {
                    let read = read.ok()?;
                    self.received.extend_from_slice(&bytes[..read]);
                    return Some(read);
                }
            }
        }
    }

    /// Returns how many of `most` one-line replies come before the server closes the connection.
    pub(crate) fn replies_until_the_end(&mut self, most: usize) -> usize {
        let mut replies = 0;
        while replies < most {
            if let Some(length) = self.length_of_first() {
                self.received.drain(..length);
                replies += 1;
                continue;
            }
            if self.receive().is_none_or(|read| read == 0) {
                break;
            }
        }
        replies
    }

    /// Returns everything that comes until the server closes the connection.
    pub(crate) fn rest(mut self) -> String {
        let end = self.stream.read_to_end(&mut self.received);
        if let Err(error) = end {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        }
        String::from_utf8_lossy(&self.received).into_owned()
    }
}

/// Parses the iterator and the chunk in the reply to CF.SCANDUMP.
pub(crate) fn chunk(reply: &[u8]) -> (i64, Option<Vec<u8>>) {
    use resp2::types::OwnedFrame as Frame;
    let decoded = resp2::decode::decode(reply).expect("a reply");
    let (frame, _) = decoded.expect("all of it");
    let Frame::Array(parts) = frame else {
        panic!("not a chunk: {frame:?}");
    };
    match parts.as_slice() {
        [Frame::Integer(iterator), Frame::BulkString(chunk)] => (*iterator, Some(chunk.clone())),
        [Frame::Integer(iterator), Frame::Null] => (*iterator, None),
        other => panic!("not a chunk: {other:?}"),
    }
}
