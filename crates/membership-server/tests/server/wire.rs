//! A client that sends what no library would.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

use redis_protocol::{resp2, resp3};

use crate::process::PATIENCE;

pub(crate) struct Client {
    stream: TcpStream,
    received: Vec<u8>,
    is_resp3: bool,
}

/// Words as an array of bulk strings.
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

    /// Replies are in the newer version from now on.
    pub(crate) fn expect_resp3(&mut self) {
        self.is_resp3 = true;
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).expect("sent");
    }

    /// Sends what a server that has had enough may not take any more.
    pub(crate) fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).is_ok()
    }

    /// The address that the server knows it by.
    pub(crate) fn address(&self) -> SocketAddr {
        self.stream.local_addr().expect("a socket")
    }

    /// Sends the same again and again until the server takes no more for a while.
    pub(crate) fn send_what_fits(&mut self, bytes: &[u8]) {
        let stream = &mut self.stream;
        let pause = Duration::from_millis(200);
        stream.set_write_timeout(Some(pause)).expect("a socket");
        while stream.write_all(bytes).is_ok() {}
    }

    pub(crate) fn end_of_requests(&mut self) {
        self.stream.shutdown(Shutdown::Write).expect("a socket");
    }

    /// The reply to a command, as it came.
    pub(crate) fn ask<W: AsRef<[u8]>>(&mut self, words: &[W]) -> String {
        self.send(&request(words));
        self.reply()
    }

    /// The next reply, as it came.
    pub(crate) fn reply(&mut self) -> String {
        String::from_utf8_lossy(&self.reply_bytes()).into_owned()
    }

    pub(crate) fn reply_bytes(&mut self) -> Vec<u8> {
        loop {
            if let Some(length) = self.length_of_first() {
                return self.received.drain(..length).collect();
            }
            assert!(self.receive() > 0, "closed before a reply");
        }
    }

    /// Whether a whole reply is there, without waiting for one.
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

    fn receive(&mut self) -> usize {
        let mut bytes = [0; 64 << 10];
        let read = loop {
            match self.stream.read(&mut bytes) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                read => break read.expect("a reply in time"),
            }
        };
        self.received.extend_from_slice(&bytes[..read]);
        read
    }

    /// How many of so many replies of one line come before the server closes the connection.
    pub(crate) fn replies_until_the_end(&mut self, most: usize) -> usize {
        let mut replies = 0;
        while replies < most {
            if let Some(length) = self.length_of_first() {
                self.received.drain(..length);
                replies += 1;
                continue;
            }
            let mut bytes = [0; 4 << 10];
            match self.stream.read(&mut bytes) {
                Ok(read @ 1..) => self.received.extend_from_slice(&bytes[..read]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                _ => break,
            }
        }
        replies
    }

    /// All that comes until the server closes the connection.
    pub(crate) fn rest(mut self) -> String {
        let end = self.stream.read_to_end(&mut self.received);
        if let Err(error) = end {
            assert_eq!(error.kind(), ErrorKind::ConnectionReset, "{error}");
        }
        String::from_utf8_lossy(&self.received).into_owned()
    }
}

/// The chunk and the iterator in the reply to CF.SCANDUMP.
pub(crate) fn chunk(reply: &[u8]) -> (i64, Option<Vec<u8>>) {
    use resp2::types::OwnedFrame as Frame;
    let (frame, _) = resp2::decode::decode(reply)
        .expect("a reply")
        .expect("all of it");
    match frame {
        Frame::Array(parts) => match parts.as_slice() {
            [Frame::Integer(iterator), Frame::BulkString(chunk)] => {
                (*iterator, Some(chunk.clone()))
            }
            [Frame::Integer(iterator), Frame::Null] => (*iterator, None),
            other => panic!("not a chunk: {other:?}"),
        },
        other => panic!("not a chunk: {other:?}"),
    }
}
