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
use crate::server::Server;

/// The most requests at a time.
const MOST: usize = 64;

/// The limits of a request: bytes without a body, and lines after the first.
const MOST_BYTES: usize = 16 << 10;
const MOST_HEADERS: usize = 64;

/// The time limit of a whole connection.
const PATIENCE: Duration = Duration::from_secs(10);

/// Serves requests until the server ends.
pub(crate) async fn serve(listener: TcpListener, server: Arc<Server>) {
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
                    let _ = timeout(PATIENCE, answer(stream, &server)).await;
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

async fn answer(mut stream: TcpStream, server: &Server) -> io::Result<()> {
    let mut received = Vec::new();
    let response = loop {
        match response(&received, server) {
            Ok(Status::Complete(response)) => break response,
            Ok(Status::Partial) if received.len() < MOST_BYTES => {
                if stream.read_buf(&mut received).await? == 0 {
                    return Ok(());
                }
            }
            Ok(Status::Partial) | Err(_) => {
                break whole("400 Bad Request", PLAIN, "not a request\n");
            }
        }
    };
    stream.write_all(response.as_bytes()).await?;
    stream.shutdown().await
}

const PLAIN: &str = "text/plain";

/// Returns the response to a request, once it is complete.
fn response(received: &[u8], server: &Server) -> httparse::Result<String> {
    let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    if request.parse(received)?.is_partial() {
        return Ok(Status::Partial);
    }
    let path = request.path.unwrap_or_default().split('?').next();
    let method = request.method.unwrap_or_default();
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
        "/metrics" => {
            let body = openmetrics::text(server);
            whole("200 OK", openmetrics::CONTENT_TYPE, &body)
        }
        _ => whole("404 Not Found", PLAIN, "not found\n"),
    };
    let head = response
        .find("\r\n\r\n")
        .map_or(response.len(), |end| end + 4);
    Ok(Status::Complete(match method {
        "HEAD" => response[..head].to_owned(),
        _ => response,
    }))
}

fn whole(status: &str, kind: &str, body: &str) -> String {
    let date = httpdate::fmt_http_date(SystemTime::now());
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\ndate: {date}\r\nconnection: close\r\n\r\n{body}"
    )
}
