//! A service: clients reserve names, look them up and release them, over HTTP. The filter is saved
//! while clients use it, and once more at the end.
//!
//! `cargo run --release -p service-example -- 127.0.0.1:8080 names.lfcf`, then
//!
//! | request | answer |
//! |---|---|
//! | `PUT /names/alice` | 201 if the name was free: it is this client's. 409 if it is taken, or taken for a taken one |
//! | `GET /names/alice` | 200 if it is taken, or taken for a taken one. 404 if it is free, which is certain |
//! | `DELETE /names/alice` | 204. Only the client that got 201 may ask for it, and once |
//!
//! SIGTERM or Ctrl-C ends it: it answers the requests that have begun, closes the connections of
//! those that are not complete in time, and saves last: the file has every change that a client got
//! an answer for. After a crash it knows the names of the last snapshot.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::routing::get;
use lockfree_cuckoo::{CuckooFilter, InsertError};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::sleep;

/// The most names at one time.
const CAPACITY: usize = 1_000_000;

struct Names {
    taken: CuckooFilter,
    file: PathBuf,
}

impl Names {
    /// Reads the file. At the first start there is none.
    fn open(file: PathBuf) -> io::Result<Self> {
        let taken = match File::open(&file) {
            Ok(stored) => CuckooFilter::read_from(stored)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                CuckooFilter::with_capacity(CAPACITY)
            }
            Err(error) => return Err(error),
        };
        Ok(Self { taken, file })
    }

    /// Replaces the file in one step, while clients go on. Takes time: not for a task. Not for two
    /// threads at once either: they would write the same new file.
    fn save(&self) -> io::Result<()> {
        let new = self.file.with_extension("new");
        let mut file = File::create(&new)?;
        self.taken.write_to(&mut file)?;
        file.sync_all()?; // the content must be on the disk before the new name is
        fs::rename(&new, &self.file)
    }
}

async fn reserve(State(names): State<Arc<Names>>, Path(name): Path<String>) -> StatusCode {
    // Of several clients that ask for a free name at the same time, one gets true.
    match names.taken.insert_unique(&name) {
        Ok(true) => StatusCode::CREATED,
        Ok(false) => StatusCode::CONFLICT,
        Err(error) if error.is_transient() => StatusCode::SERVICE_UNAVAILABLE,
        Err(InsertError::Full { .. }) => StatusCode::INSUFFICIENT_STORAGE,
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

async fn look_up(State(names): State<Arc<Names>>, Path(name): Path<String>) -> StatusCode {
    match names.taken.contains(&name) {
        true => StatusCode::OK,
        false => StatusCode::NOT_FOUND,
    }
}

async fn release(State(names): State<Arc<Names>>, Path(name): Path<String>) -> StatusCode {
    match names.taken.remove(&name) {
        true => StatusCode::NO_CONTENT,
        false => StatusCode::NOT_FOUND,
    }
}

/// Saves once per period. Sleeps in between: an interval would make up for the times that it
/// missed.
async fn save_every(period: Duration, names: Arc<Names>) {
    loop {
        sleep(period).await;
        let names = Arc::clone(&names);
        match spawn_blocking(move || names.save()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => eprintln!("not saved, tried again in {period:?}: {error}"),
            Err(error) => eprintln!("not saved, tried again in {period:?}: {error}"),
        }
    }
}

/// Waits for SIGTERM or Ctrl-C.
async fn asked_to_end() {
    let interrupted = async { tokio::signal::ctrl_c().await.expect("a handler of Ctrl-C") };
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        let terminated = signal(SignalKind::terminate());
        terminated.expect("a handler of SIGTERM").recv().await;
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}

/// Serves clients until the service is asked to end, and then until all requests that have begun
/// are answered, or the time for them is over.
async fn serve(
    address: &str,
    names: Arc<Names>,
    period: Duration,
    grace: Duration,
) -> io::Result<()> {
    let (end, ending) = watch::channel(());
    tokio::spawn(async move {
        asked_to_end().await;
        drop(end);
    });
    let ended = |mut ending: watch::Receiver<()>| async move {
        let _ = ending.changed().await; // fails at the end, when the sender is gone
    };
    tokio::spawn(save_every(period, Arc::clone(&names)));

    let router = Router::new()
        .route("/names/{name}", get(look_up).put(reserve).delete(release))
        .with_state(names);
    let listener = TcpListener::bind(address).await?;
    println!("listening on {}", listener.local_addr()?);
    let served = axum::serve(listener, router).with_graceful_shutdown(ended(ending.clone()));
    tokio::select! {
        result = async { served.await } => result,
        () = async { ended(ending).await; sleep(grace).await } => Ok(()),
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args().skip(1);
    let (Some(address), Some(file)) = (arguments.next(), arguments.next()) else {
        return Err("usage: service-example ADDRESS FILE [PERIOD OF SNAPSHOTS [GRACE]]".into());
    };
    let mut seconds = |unless_set: f64| -> Result<Duration, Box<dyn Error>> {
        let seconds = arguments.next().map_or(Ok(unless_set), |text| text.parse());
        Ok(Duration::try_from_secs_f64(seconds?)?)
    };
    let (period, grace) = (seconds(60.0)?, seconds(10.0)?);
    let names = Arc::new(Names::open(file.into())?);

    let runtime = Runtime::new()?;
    runtime.block_on(serve(&address, Arc::clone(&names), period, grace))?;
    // The server goes on with requests that come late, in tasks of its own. End them all, and the
    // snapshot that may be under way: this waits until none of them runs any more.
    drop(runtime);
    // Only then save. A client that was answered before finds its change in the file, and none is
    // answered from here on.
    names.save()?;
    println!("saved");
    Ok(())
}
