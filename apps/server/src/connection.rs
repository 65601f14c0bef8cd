//! A connection: reads requests, answers them in their order, and sends the replies.

mod socket;

use std::io;
use std::time::{Duration, Instant};

use bytes::BytesMut;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::clients::Reason;
use crate::commands::{self, Answer};
use crate::metrics::Tally;
use crate::reply::Reply;
use crate::request::{self, ProtocolError, Scanner};
use crate::server::Server;
use crate::session::Session;
use crate::transaction::Queue;

/// The bytes of replies that are sent before more requests are answered.
const REPLIES: usize = 256 << 10;

/// The capacity above which a buffer of replies is freed while more requests may be there.
const KEPT: usize = 64 << 10;

const NO_PASSWORD: &str = "no password was given";

/// The reason for the end of a connection, if neither the client nor the server wanted it.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Ended {
    #[error("{0}")]
    Protocol(#[from] ProtocolError),
    #[error("client too slow: {0}")]
    Slow(&'static str),
    #[error(transparent)]
    Closed(#[from] Reason),
    #[error(transparent)]
    Io(#[from] io::Error),
}

pub(crate) struct Connection {
    stream: TcpStream,
    session: Session,
    scanner: Scanner,
    requests: BytesMut,
    replies: BytesMut,
    /// The bytes of the request, or of the transaction, that is being answered.
    answering: usize,
    /// Whether its client has ended the server, and waits for the end.
    ends_server: bool,
    tally: Tally,
    /// The time since when the client owes something: the rest of a request or, at first, the
    /// password.
    since: Instant,
}

/// The step after a batch of replies.
#[derive(PartialEq, Eq)]
enum Next {
    /// There may be more requests in the buffer.
    More,
    Read,
    Close,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, session: Session) -> Self {
        Self {
            stream,
            session,
            scanner: Scanner::default(),
            requests: BytesMut::new(),
            replies: BytesMut::new(),
            answering: 0,
            ends_server: false,
            tally: Tally::default(),
            since: Instant::now(),
        }
    }

    /// Serves the client until either side ends the connection.
    pub(crate) async fn serve(mut self) -> Result<(), Ended> {
        let ended = self.serve_all().await;
        self.tally.flush(&self.session.server.metrics);
        if let Err(Ended::Protocol(error)) = &ended {
            self.session.server.metrics.protocol_errors.add(1);
            self.reply(&Reply::error(format!("ERR Protocol error: {error}")));
            if self.send().await.is_ok() {
                self.say_goodbye().await;
            }
        }
        if let Err(Ended::Slow(_)) = &ended {
            self.session.server.metrics.timeouts.add(1);
        }
        if self.ends_server && ended.is_ok() {
            self.session.server.keep_until_saved(self.stream);
        }
        ended
    }

    async fn serve_all(&mut self) -> Result<(), Ended> {
        loop {
            match self.answer_batch().await? {
                Next::More => {}
                Next::Read if self.read().await? => {}
                Next::Close if self.ends_server => return Ok(()),
                Next::Read | Next::Close => {
                    self.say_goodbye().await;
                    return Ok(());
                }
            }
        }
    }

    /// Answers the complete requests, up to the length of a pipeline, and sends the replies.
    async fn answer_batch(&mut self) -> Result<Next, Ended> {
        let mut next = Ok(Next::More);
        for _ in 0..self.session.server.limits().max_pipeline {
            next = self.answer_next().await;
            if !matches!(next, Ok(Next::More)) || self.replies.len() >= REPLIES {
                break;
            }
        }
        self.tally.flush(&self.session.server.metrics);
        // The replies to the correct requests come before an error.
        self.send().await?;
        next
    }

    /// Answers the next request if it is complete.
    async fn answer_next(&mut self) -> Result<Next, Ended> {
        if self.session.client.is_closing() {
            return Err(self.session.client.reason().into());
        }
        // Let other connections of the thread run if a client asks without a pause.
        tokio::task::consume_budget().await;
        let limits = self.session.request_limits();
        let Some(end) = self.scanner.end(&self.requests, limits)? else {
            return Ok(Next::Read);
        };
        let request = self.requests.split_to(end).freeze();
        self.answering = end;
        if end > KEPT {
            self.account();
        }
        let answered = self.answer(&request).await;
        self.answering = 0;
        if self.session.is_authenticated {
            // Count from the answer on: the time it took is not the client's fault.
            self.since = Instant::now();
        } else if self.since.elapsed() > self.session.server.limits().request_timeout {
            return Err(Ended::Slow(NO_PASSWORD));
        }
        answered
    }

    async fn answer(&mut self, request: &[u8]) -> Result<Next, Ended> {
        let start = Instant::now();
        let arguments = request::arguments(request)?;
        if arguments.is_empty() {
            return Ok(Next::More);
        }
        let (command, answer) = commands::answer(&mut self.session, &arguments);
        if let Answer::Each(queue) = answer {
            let answered = self.answer_each(&queue).await;
            self.tally.count(command, start.elapsed(), false);
            return answered.map(|()| Next::More);
        }
        let (reply, next) = self.reply_to(answer).await;
        if let Some(reply) = reply {
            self.tally.count(command, start.elapsed(), reply.is_error());
            self.reply(&reply);
        }
        Ok(next)
    }

    /// Answers the commands of a transaction. Runs all of them, even if the client does not take
    /// the replies.
    async fn answer_each(&mut self, queue: &Queue) -> Result<(), Ended> {
        self.answering = queue.memory();
        let mut sent = Ok(());
        // Both versions of the protocol write an array like this. It is sent in parts, because it
        // can be long.
        let length = format!("*{}\r\n", queue.len());
        self.replies.extend_from_slice(length.as_bytes());
        for index in 0..queue.len() {
            tokio::task::consume_budget().await;
            let start = Instant::now();
            let arguments = queue.command(index);
            let (command, answer) = commands::answer(&mut self.session, &arguments);
            // Commands that end a connection are never part of a transaction.
            let (reply, _) = self.reply_to(answer).await;
            let reply = reply.unwrap_or(Reply::Nil);
            self.tally.count(command, start.elapsed(), reply.is_error());
            self.reply(&reply);
            if sent.is_err() {
                self.replies.clear();
            } else if self.replies.len() >= REPLIES {
                sent = self.send().await;
            }
        }
        sent
    }

    /// Returns the reply, if there is one, and the next step.
    async fn reply_to(&mut self, answer: Answer) -> (Option<Reply>, Next) {
        let failed = || Reply::error("ERR the command failed");
        let reply = match answer {
            Answer::Now(reply) => reply,
            Answer::Last(reply) => return (reply, Next::Close),
            Answer::After(pause, reply) => {
                let _ = timeout(pause, self.session.server.end.wait()).await;
                reply
            }
            Answer::Later(work) => {
                let done = tokio::task::spawn_blocking(work).await;
                done.unwrap_or_else(|_| failed())
            }
            Answer::Save => {
                let saved = self.session.server.saver.save().await;
                let refused = |error| Reply::error(format!("ERR {error}"));
                saved.map_or_else(refused, |()| Reply::OK)
            }
            Answer::End(work) => match work.await {
                Ok(()) => {
                    self.ends_server = true;
                    return (None, Next::Close);
                }
                Err(reply) => reply,
            },
            // A transaction cannot contain another one.
            Answer::Each(_) => failed(),
        };
        (Some(reply), Next::More)
    }

    fn reply(&mut self, reply: &Reply) {
        reply.encode(self.session.protocol, &mut self.replies);
    }
}

/// Tells a client that there are too many connections.
pub(crate) async fn turn_away(mut stream: TcpStream, server: &Server) {
    const PATIENCE: Duration = Duration::from_secs(1);
    server.metrics.rejected.add(1);
    let words = b"-ERR max number of clients reached\r\n";
    let _ = timeout(PATIENCE, stream.write_all(words)).await;
}
