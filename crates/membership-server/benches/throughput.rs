//! What the server answers a second, by its threads, and how long clients wait while snapshots are taken; and the
//! same with a mutex around each filter.
//!
//! `cargo bench --package membership-server`. Both servers are there all the time and take turns of half a second,
//! so that what else the machine does meets both; the figures are medians over the turns, and the ratio is the median
//! of the ratios of neighbouring turns.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

// The rig of the tests: a server, and requests as bytes.
#[allow(dead_code)]
#[path = "../tests/server/process.rs"]
mod process;
#[path = "../tests/server/wait.rs"]
mod wait;
#[allow(dead_code)]
#[path = "../tests/server/wire.rs"]
mod wire;

use process::Server;
use wire::request;

const TURN: Duration = Duration::from_millis(500);
const TURNS: usize = 9;
const CONNECTIONS: usize = 8;
const ITEMS: usize = 500_000;

/// A pipeline that is sent over and over.
struct Work {
    name: &'static str,
    commands: usize,
    items: usize,
    /// Of two that take turns, the first for even numbers.
    names: [&'static str; 2],
}

const WORKS: &[Work] = &[
    Work {
        name: "CF.EXISTS, 64 at a time",
        commands: 64,
        items: 1,
        names: ["CF.EXISTS"; 2],
    },
    Work {
        name: "CF.MEXISTS of 100 items, 8 at a time",
        commands: 8,
        items: 100,
        names: ["CF.MEXISTS"; 2],
    },
    Work {
        name: "CF.ADD and CF.DEL by turns, 64 at a time",
        commands: 64,
        items: 1,
        names: ["CF.ADD", "CF.DEL"],
    },
];

impl Work {
    /// One of the pipelines of a connection.
    fn pipeline(&self, connection: usize, number: usize) -> Vec<u8> {
        let [even, odd] = self.names;
        let command = |index: usize| {
            if even == odd {
                // From all over what is in, so that lookups do not all hit one line of the cache.
                let first = (number * 7_919 * self.items) % (ITEMS / 2);
                return words(even, first + index * self.items, self.items);
            }
            // Items of its own, added before they are deleted.
            let own = ITEMS + connection * 1_000 + index / 2;
            words(self.names[index % 2], own, 1)
        };
        (0..self.commands)
            .flat_map(|index| request(&command(index)))
            .collect()
    }

    /// Lines of the replies to a pipeline.
    fn lines(&self) -> usize {
        self.commands * if self.items > 1 { self.items + 1 } else { 1 }
    }
}

fn words(name: &str, first: usize, items: usize) -> Vec<String> {
    let items = (first..first + items).map(|item| format!("item:{item}"));
    let start = [name, "f"].map(str::to_owned);
    start.into_iter().chain(items).collect()
}

/// A server that takes its turns.
struct Bench(Server);

impl Bench {
    fn start(threads: usize, more: &str) -> Self {
        let options = format!("--max-pipeline 100000 --threads {threads} {more}");
        let server = Server::start(&options);
        let mut client = server.client();
        for first in (0..ITEMS).step_by(1_000) {
            let mut words = words("CF.INSERT", first, 1_000);
            words.insert(2, "ITEMS".to_owned());
            assert!(!client.ask(&words).contains('-'), "an error reply");
        }
        Self(server)
    }

    /// With a filter of 160 MiB, most of them empty, and a file to save it to.
    fn with_large_filter(name: &str, more: &str) -> Self {
        let file = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
        // What another run has left.
        let _ = std::fs::remove_file(&file);
        let options = format!("--snapshot-interval 0 --snapshot {file} {more}");
        let bench = Self::start(2, &options);
        bench.0.converse("CF.RESERVE large 80000000 -> +OK");
        bench
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.0.address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// What so many connections come to that do something again and again for a while: each is given its number, the
    /// connection, and the number of the turn.
    fn repeat<T: Send>(
        &self,
        connections: usize,
        time: Duration,
        work: impl Fn(usize, &mut TcpStream, usize) -> T + Sync,
    ) -> Vec<T> {
        let (is_over, work) = (AtomicBool::new(false), &work);
        thread::scope(|scope| {
            let is_over = &is_over;
            let connections: Vec<_> = (0..connections)
                .map(|connection| {
                    let mut stream = self.connect();
                    let is_on = move |_: &usize| !is_over.load(Ordering::Relaxed);
                    scope.spawn(move || -> Vec<T> {
                        let turns = (0..).take_while(is_on);
                        turns
                            .map(|turn| work(connection, &mut stream, turn))
                            .collect()
                    })
                })
                .collect();
            thread::sleep(time);
            is_over.store(true, Ordering::Relaxed);
            let connections = connections.into_iter();
            connections
                .flat_map(|connection| connection.join().expect("a client"))
                .collect()
        })
    }

    /// Items a second, by all connections together.
    fn turn(&self, work: &Work) -> f64 {
        let pipelines: Vec<Vec<_>> = (0..CONNECTIONS)
            .map(|connection| {
                (0..64)
                    .map(|number| work.pipeline(connection, number))
                    .collect()
            })
            .collect();
        let start = Instant::now();
        let sent = self.repeat(CONNECTIONS, TURN, |connection, stream, turn| {
            let pipeline = &pipelines[connection][turn % 64];
            stream.write_all(pipeline).expect("sent");
            read_lines(stream, work.lines());
        });
        (sent.len() * work.commands * work.items) as f64 / start.elapsed().as_secs_f64()
    }

    /// Microseconds that clients wait for the reply to one lookup while a large filter is saved over and over: the
    /// median, the thousandth longest, and the longest.
    fn waits(&self) -> [f64; 3] {
        let waits = self.repeat(3, 4 * TURN, |connection, stream, turn| {
            let asked = match connection {
                0 => "SAVE\r\n".to_owned(),
                _ => format!("CF.EXISTS large {connection}:{turn}\r\n"),
            };
            let start = Instant::now();
            stream.write_all(asked.as_bytes()).expect("sent");
            read_lines(stream, 1);
            (connection > 0).then(|| start.elapsed().as_secs_f64() * 1e6)
        });
        let mut waits: Vec<f64> = waits.into_iter().flatten().collect();
        waits.sort_by(f64::total_cmp);
        let last = waits.len() - 1;
        [waits[last / 2], waits[last - last / 1_000], waits[last]]
    }
}

fn read_lines(stream: &mut TcpStream, mut lines: usize) {
    let mut bytes = [0; 64 << 10];
    while lines > 0 {
        let read = match stream.read(&mut bytes) {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            read => read.expect("replies"),
        };
        assert!(read > 0, "the server ended");
        assert!(!bytes[..read].contains(&b'-'), "an error reply");
        lines -= bytes[..read].iter().filter(|&&byte| byte == b'\n').count();
    }
}

fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut numbers: Vec<f64> = numbers.collect();
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

fn main() {
    if std::env::args().all(|argument| argument != "waits") {
        throughput();
    }
    let free = Bench::with_large_filter("free.snapshot", "");
    let locked = Bench::with_large_filter("locked.snapshot", "--behind-a-mutex");
    println!(
        "\nMicroseconds until a lookup is answered while a filter of 160 MiB is saved over and over\n"
    );
    println!("| | median | 99.9 % | longest |");
    println!("|---|---|---|---|");
    let turns: Vec<_> = (0..TURNS).map(|_| [free.waits(), locked.waits()]).collect();
    for (which, name) in ["lock-free", "mutex"].into_iter().enumerate() {
        let [middle, most, longest] =
            [0, 1, 2].map(|index| median(turns.iter().map(|turn| turn[which][index])));
        println!("| {name} | {middle:.0} | {most:.0} | {longest:.0} |");
    }
}

fn throughput() {
    let cores = thread::available_parallelism().map_or(1, |number| number.get());
    println!(
        "{cores} processors for the servers and their clients; {CONNECTIONS} connections; thousands of items a second\n"
    );
    println!("| work | server threads | lock-free | mutex | ratio |");
    println!("|---|---|---|---|---|");
    let powers = (0..).map(|log| 1 << log);
    for threads in powers.take_while(|&threads| threads <= 2 * cores) {
        let free = Bench::start(threads, "");
        let locked = Bench::start(threads, "--behind-a-mutex");
        for work in WORKS {
            let turns = (0..=TURNS).map(|_| (free.turn(work), locked.turn(work)));
            // The first turn warms up.
            let turns: Vec<_> = turns.skip(1).collect();
            println!(
                "| {} | {threads} | {:.0} | {:.0} | {:.2} |",
                work.name,
                median(turns.iter().map(|(free, _)| free / 1e3)),
                median(turns.iter().map(|(_, locked)| locked / 1e3)),
                median(turns.iter().map(|(free, locked)| free / locked)),
            );
        }
    }
}
