//! `GET /metrics` and `GET /healthz`.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, CONTENT_TYPE, VARY};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use prometheus::TEXT_FORMAT;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::server::Server;
use crate::{metrics, openmetrics};

/// More at a time than anybody needs who only looks.
const MOST: usize = 64;

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

async fn answer_all(stream: TcpStream, server: Arc<Server>) -> hyper::Result<()> {
    let service = service_fn(|request| {
        let response = answer(&request, &server);
        async { Ok::<_, Infallible>(response) }
    });
    http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(PATIENCE)
        .serve_connection(TokioIo::new(stream), service)
        .await
}

/// The metrics, in the format that the client likes best, and what that is called.
fn metrics(
    request: &Request<Incoming>,
    server: &Server,
) -> prometheus::Result<(&'static str, String)> {
    let families = server
        .metrics
        .all(&server.clients, &server.catalogue, &server.saver)?;
    let accepted = request.headers().get_all(ACCEPT).into_iter();
    let accepted: Vec<_> = accepted.filter_map(|value| value.to_str().ok()).collect();
    if openmetrics::is_preferred(&accepted.join(",")) {
        Ok((openmetrics::CONTENT_TYPE, openmetrics::encode(&families)))
    } else {
        Ok((TEXT_FORMAT, metrics::text(&families)?))
    }
}

fn answer(request: &Request<Incoming>, server: &Server) -> Response<Full<Bytes>> {
    let (status, kind, body) = match request.uri().path() {
        "/healthz" if server.saver.has_failed() => (
            StatusCode::SERVICE_UNAVAILABLE,
            "text/plain",
            "degraded: the last snapshot could not be saved\n".to_owned(),
        ),
        "/healthz" => (StatusCode::OK, "text/plain", "ok\n".to_owned()),
        "/metrics" => match metrics(request, server) {
            Ok((kind, text)) => (StatusCode::OK, kind, text),
            Err(error) => {
                tracing::error!(%error, "could not collect the metrics");
                (
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "text/plain",
                    "the metrics could not be collected\n".to_owned(),
                )
            }
        },
        _ => (
            StatusCode::NOT_FOUND,
            "text/plain",
            "not found\n".to_owned(),
        ),
    };
    let is_read = matches!(*request.method(), Method::GET | Method::HEAD);
    let (status, body) = if is_read || status == StatusCode::NOT_FOUND {
        (status, body)
    } else {
        (
            StatusCode::METHOD_NOT_ALLOWED,
            "only GET is supported\n".to_owned(),
        )
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, hyper::header::HeaderValue::from_static(kind));
    headers.insert(VARY, hyper::header::HeaderValue::from_static("accept"));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(ALLOW, hyper::header::HeaderValue::from_static("GET, HEAD"));
    }
    response
}
