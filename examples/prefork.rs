//! A server of several processes that share one filter: each answers which items are new.
//!
//! The parent makes the filter and the socket, and starts workers. Each worker takes the next
//! client that comes. Some workers are killed while they answer, and others take their place. In
//! the end the parent checks that no item was lost, and that none was new for two clients.
//!
//! `cargo run --release --features shared --example prefork`
#![allow(clippy::disallowed_types)] // the model checker is not involved

use lockfree_cuckoo::{Filter, SharedFilter, filter::Fixed, layout::Lanes};
use std::env;
use std::error::Error;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::process::{self, Child, Command};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// Of this layout, so that no item is taken for another one.
type Engine = Fixed<Lanes<2, 31>>;

const WORKERS: usize = 3;
const CLIENTS: u64 = 3;

/// Each client sends all of them, beginning at another one.
const ITEMS: u64 = 5_000;

/// The workers that are killed.
const KILLS: u64 = 5;

/// A worker. It ends when this is dropped.
struct Worker(Child);

impl Worker {
    /// Starts this program again. It gets the socket as its standard input, and the name under
    /// which the system knows the memory of the parent.
    fn start(socket: &UnixListener, seen: &SharedFilter<Engine>) -> io::Result<Self> {
        let memory = format!("/proc/{}/fd/{}", process::id(), seen.as_fd().as_raw_fd());
        let worker = Command::new(env::current_exe()?)
            .args(["worker", &memory])
            .stdin(OwnedFd::from(socket.try_clone()?))
            .spawn()?;
        Ok(Self(worker))
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // `kill -9`. An error says that it has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers one client after the other.
fn work(memory: &str) -> Result<(), Box<dyn Error>> {
    let memory = File::options().read(true).write(true).open(memory)?;
    let seen = SharedFilter::<Engine>::attach(memory)?;
    println!("worker {} finds {} items", process::id(), seen.len());
    let socket = UnixListener::from(io::stdin().as_fd().try_clone_to_owned()?);
    for client in socket.incoming() {
        // A client that goes away is no error.
        let _ = answer(&seen, client?);
    }
    Ok(())
}

fn answer(seen: &SharedFilter<Engine>, client: UnixStream) -> io::Result<()> {
    let mut answers = client.try_clone()?;
    for item in BufReader::new(client).lines() {
        // Of clients that send an item at the same time, to whichever workers, one is the first.
        let answer = match seen.insert_unique(item?.as_str()) {
            Ok(true) => "new\n",
            Ok(false) => "seen\n",
            Err(_) => "full\n",
        };
        answers.write_all(answer.as_bytes())?;
    }
    Ok(())
}

/// A client's connection to some worker.
struct Connection {
    requests: UnixStream,
    answers: BufReader<UnixStream>,
}

impl Connection {
    fn new(address: &SocketAddr) -> io::Result<Self> {
        let requests = UnixStream::connect_addr(address)?;
        let answers = BufReader::new(requests.try_clone()?);
        Ok(Self { requests, answers })
    }

    /// The answer of the worker. An error, or no line, if it was killed.
    fn ask(&mut self, item: u64) -> io::Result<String> {
        self.requests.write_all(format!("{item}\n").as_bytes())?;
        let mut answer = String::new();
        self.answers.read_line(&mut answer)?;
        Ok(answer)
    }
}

/// Sends all items, from one on. Returns those that were new, and the number of questions that were
/// not answered.
fn send_all(address: &SocketAddr, first: u64, answered: &AtomicU64) -> io::Result<(Vec<u64>, u64)> {
    let (mut new, mut lost) = (Vec::new(), 0);
    let mut connection = Connection::new(address)?;
    for turn in 0..ITEMS {
        let item = (first + turn) % ITEMS;
        loop {
            match connection.ask(item).as_deref() {
                Ok("new\n") => new.push(item),
                Ok("seen\n") => {}
                Ok("full\n") => return Err(io::ErrorKind::StorageFull.into()),
                // Ask the next worker. That the item was new, if it was, nobody will be told.
                _ => {
                    lost += 1;
                    connection = Connection::new(address)?;
                    continue;
                }
            }
            break;
        }
        answered.fetch_add(1, Ordering::Relaxed);
    }
    Ok((new, lost))
}

fn main() -> Result<(), Box<dyn Error>> {
    if let [_, role, memory] = &*env::args().collect::<Vec<_>>()
        && role == "worker"
    {
        return work(memory);
    }
    let builder = Filter::<Engine>::builder().capacity(ITEMS as usize);
    let seen = builder.build_shared()?;
    // An address without a file.
    let name = format!("lockfree-cuckoo-prefork-{}", process::id());
    let address = SocketAddr::from_abstract_name(name)?;
    let socket = UnixListener::bind_addr(&address)?;
    let mut workers = (0..WORKERS)
        .map(|_| Worker::start(&socket, &seen))
        .collect::<io::Result<Vec<_>>>()?;

    let answered = AtomicU64::new(0);
    let (address, answered) = (&address, &answered);
    let results = thread::scope(|scope| -> io::Result<Vec<_>> {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                scope.spawn(move || send_all(address, client * ITEMS / CLIENTS, answered))
            })
            .collect();
        for kill in 1..=KILLS {
            let far_enough = || {
                let part = CLIENTS * ITEMS * kill / (KILLS + 1);
                answered.load(Ordering::Relaxed) >= part
                    || clients.iter().any(|client| client.is_finished())
            };
            while !far_enough() {
                thread::sleep(Duration::from_millis(1));
            }
            drop(workers.remove(0));
            workers.push(Worker::start(&socket, &seen)?);
        }
        let clients = clients.into_iter();
        clients
            .map(|client| client.join().expect("no panic"))
            .collect()
    })?;
    drop(workers);

    let mut times_new = vec![0; ITEMS as usize];
    let mut unanswered = 0;
    for (new, lost) in results {
        new.iter().for_each(|&item| times_new[item as usize] += 1);
        unanswered += lost;
    }
    let never = times_new.iter().filter(|&&times| times == 0).count() as u64;
    println!(
        "{KILLS} workers were killed, {} of them in a call; {unanswered} questions were not answered",
        seen.recover()
    );
    println!(
        "{} items were new once, {never} for a client that was not told",
        ITEMS - never
    );
    assert!(times_new.iter().all(|&times| times <= 1), "new twice");
    assert!(never <= unanswered, "new for nobody");
    assert!((0..ITEMS).all(|item| seen.contains(&*item.to_string())));
    assert_eq!(seen.snapshot()?.len() as u64, ITEMS, "lost, or invented");
    Ok(())
}
