//! HTTP: serves `GET /metrics` and `GET /healthz`, one request a connection.

use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use httparse::Status;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::openmetrics;
use crate::server::{Secret, Server};

/// The most requests at a time.
const MOST: usize = 64;

/// The limits of a request: bytes without a body, and lines after the first.
const MOST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// The time limit of a whole connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves requests until the server ends. If it `is_guarded`, metrics need the password.
pub(crate) async fn serve(listener: TcpListener, is_guarded: bool, server: Arc<Server>) {
    let places = Arc::new(Semaphore::new(MOST));
    loop {
        let accepted = tokio::select! {
            () = server.end.wait() => return,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                    continue;
                };
                let server = Arc::clone(&server);
                tokio::spawn(async move {
                    // The client may be gone before the answer.
                    let _ = timeout(PATIENCE, answer(stream, is_guarded, &server)).await;
                    drop(place);
                });
            }
            Err(error) => {
                log::warn!(error:%; "could not accept an HTTP connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn answer(mut stream: TcpStream, is_guarded: bool, server: &Server) -> io::Result<()> {
    let mut received = Vec::new();
    let (pause, response) = loop {
        match response(&received, is_guarded, server) {
            Ok(Status::Complete(response)) => break response,
            Ok(Status::Partial) if received.len() < MOST_BYTES => {
                if stream.read_buf(&mut received).await? == 0 {
                    return Ok(());
                }
            }
            Ok(Status::Partial) | Err(_) => {
                let words = "not a request\n";
                break (Duration::ZERO, whole("400 Bad Request", PLAIN, words));
            }
        }
    };
    if !pause.is_zero() {
        let _ = timeout(pause, server.end.wait()).await;
    }
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

const PLAIN: &str = "text/plain";

/// Returns the response to a request, once it is complete, and the time to wait before it.
fn response(
    received: &[u8],
    is_guarded: bool,
    server: &Server,
) -> httparse::Result<(Duration, String)> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    if request.parse(received)?.is_partial() {
        return Ok(Status::Partial);
    }
    let path = request.path.unwrap_or_default().split('?').next();
    let method = request.method.unwrap_or_default();
    let mut pause = Duration::ZERO;
    let response = match path.unwrap_or_default() {
        "/healthz" | "/metrics" if !matches!(method, "GET" | "HEAD") => {
            let status = "405 Method Not Allowed\r\nallow: GET, HEAD";
            whole(status, PLAIN, "only GET is supported\n")
        }
        "/healthz" if server.saver.has_failed() => {
            let words = "degraded: the last snapshot could not be saved\n";
            whole("503 Service Unavailable", PLAIN, words)
        }
        "/healthz" => whole("200 OK", PLAIN, "ok\n"),
        "/metrics" if is_guarded && !has_password(request.headers, server) => {
            pause = Secret::PAUSE;
            server.metrics.refused_passwords.add(1);
            log::warn!("metrics refused: no password, or a wrong one");
            let status = "401 Unauthorized\r\nwww-authenticate: Bearer";
            whole(status, PLAIN, "the password is needed, as a bearer token\n")
        }
        "/metrics" => {
            let body = openmetrics::text(server);
            whole("200 OK", openmetrics::CONTENT_TYPE, &body)
        }
        _ => whole("404 Not Found", PLAIN, "not found\n"),
    };
    let head = response
        .find("\r\n\r\n")
        .map_or(response.len(), |end| end + 4);
    let response = match method {
        "HEAD" => response[..head].to_owned(),
        _ => response,
    };
    Ok(Status::Complete((pause, response)))
}

/// Returns whether a request has the password, as `Authorization: Bearer PASSWORD`.
fn has_password(headers: &[httparse::Header<'_>], server: &Server) -> bool {
    let mut headers = headers.iter();
    let given = headers.find(|header| header.name.eq_ignore_ascii_case("authorization"));
    let token = given.and_then(|header| {
        let (scheme, token) = header.value.split_at_checked("Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
    });
    let secret = server.secret.as_ref();
    token
        .zip(secret)
        .is_some_and(|(token, secret)| secret.is(token))
}

fn whole(status: &str, kind: &str, body: &str) -> String {
    let date = httpdate::fmt_http_date(SystemTime::now());
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\ndate: {date}\r\nconnection: close\r\n\r\n{body}"
    )
}
