//! `GET /metrics` and `GET /healthz`.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use bytes::{Buf, BytesMut};
use httparse::Status;
use prometheus::TEXT_FORMAT;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout, timeout_at};

use crate::server::Server;
use crate::{metrics, openmetrics};

/// More at a time than anybody needs who only looks.
const MOST: usize = 64;

/// Of a request: bytes without a body, and lines behind the first.
const MOST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// For a request, and for a whole connection.
const PATIENCE: Duration = Duration::from_secs(10);
const LONGEST: Duration = Duration::from_secs(60);

/// Answers until the server ends.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Server>) {
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let accepted = tokio::select! {
            () = server.end.cancelled() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                    continue;
                };
                let server = Arc::clone(&server);
                tokio::spawn(async move {
                    // Whoever looks may be gone before the answer.
                    let _ = timeout(LONGEST, answer_all(stream, server)).await;
                    drop(place);
                });
            }
            Err(error) => {
                tracing::warn!(%error, "could not accept an HTTP connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Answers the requests of a connection, one after another.
async fn answer_all(mut stream: TcpStream, server: Arc<Server>) -> io::Result<()> {
    let mut received = BytesMut::new();
    let mut due = Instant::now() + PATIENCE;
    loop {
        let (response, length) = match Request::parse(&received) {
            Ok(Status::Partial) if received.len() < MOST_BYTES => {
                received.reserve(MOST_BYTES);
                let read = timeout_at(due, stream.read_buf(&mut received)).await;
                if !matches!(read, Ok(Ok(1..))) {
                    return Ok(());
                }
                continue;
            }
            Ok(Status::Complete((request, length))) => {
                let response = answer(&request, &server);
                (
                    response.text(&request),
                    (!request.is_last).then_some(length),
                )
            }
            Ok(Status::Partial) | Err(_) => {
                let response = Response::plain("400 Bad Request", "not a request\n");
                let request = Request {
                    is_last: true,
                    ..Request::default()
                };
                (response.text(&request), None)
            }
        };
        stream.write_all(response.as_bytes()).await?;
        let Some(length) = length else {
            return stream.shutdown().await;
        };
        received.advance(length);
        due = Instant::now() + PATIENCE;
    }
}

/// What is asked for in the first lines of a request.
#[derive(Default)]
struct Request {
    method: String,
    path: String,
    /// What the client likes, if it says.
    accept: String,
    /// Whether the connection ends behind the response.
    is_last: bool,
}

impl Request {
    /// The request that the bytes begin with, and its length.
    fn parse(bytes: &[u8]) -> httparse::Result<(Self, usize)> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut parsed = httparse::Request::new(&mut headers);
        let Status::Complete(length) = parsed.parse(bytes)? else {
            return Ok(Status::Partial);
        };
        let values = |name: &str| -> Vec<_> {
            let headers = parsed.headers.iter();
            let named = headers.filter(|header| header.name.eq_ignore_ascii_case(name));
            named
                .map(|header| String::from_utf8_lossy(header.value))
                .collect()
        };
        let connection = values("connection").join(",").to_ascii_lowercase();
        // A body would be taken for the next request.
        let has_body = ["content-length", "transfer-encoding"]
            .iter()
            .any(|name| !values(name).is_empty());
        let target = parsed.path.unwrap_or_default();
        let request = Self {
            method: parsed.method.unwrap_or_default().to_owned(),
            path: target.split('?').next().unwrap_or_default().to_owned(),
            accept: values("accept").join(","),
            is_last: has_body || parsed.version == Some(0) || connection.contains("close"),
        };
        Ok(Status::Complete((request, length)))
    }

    fn reads(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

struct Response {
    status: &'static str,
    kind: &'static str,
    body: String,
}

impl Response {
    fn plain(status: &'static str, body: &str) -> Self {
        let (kind, body) = ("text/plain", body.to_owned());
        Self { status, kind, body }
    }

    fn text(&self, request: &Request) -> String {
        let Self { status, kind, body } = self;
        let date = httpdate::fmt_http_date(SystemTime::now());
        let length = body.len();
        let allow = if *status == NOT_ALLOWED {
            "allow: GET, HEAD\r\n"
        } else {
            ""
        };
        let close = if request.is_last {
            "connection: close\r\n"
        } else {
            ""
        };
        let body = if request.method == "HEAD" { "" } else { body };
        format!(
            "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nvary: accept\r\ndate: {date}\r\n{allow}{close}\r\n{body}"
        )
    }
}

const NOT_ALLOWED: &str = "405 Method Not Allowed";

fn answer(request: &Request, server: &Server) -> Response {
    match request.path.as_str() {
        "/healthz" | "/metrics" if !request.reads() => {
            Response::plain(NOT_ALLOWED, "only GET is supported\n")
        }
        "/healthz" if server.saver.has_failed() => Response::plain(
            "503 Service Unavailable",
            "degraded: the last snapshot could not be saved\n",
        ),
        "/healthz" => Response::plain("200 OK", "ok\n"),
        "/metrics" => metrics(request, server).unwrap_or_else(|error| {
            tracing::error!(%error, "could not collect the metrics");
            let words = "the metrics could not be collected\n";
            Response::plain("500 Internal Server Error", words)
        }),
        _ => Response::plain("404 Not Found", "not found\n"),
    }
}

/// The metrics, in the format that the client likes best.
fn metrics(request: &Request, server: &Server) -> prometheus::Result<Response> {
    let families = server
        .metrics
        .all(&server.clients, &server.catalogue, &server.saver)?;
    let (kind, body) = if openmetrics::is_preferred(&request.accept) {
        (openmetrics::CONTENT_TYPE, openmetrics::encode(&families))
    } else {
        (TEXT_FORMAT, metrics::text(&families)?)
    };
    let status = "200 OK";
    Ok(Response { status, kind, body })
}
