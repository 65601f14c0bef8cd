//! Throughput of the server, and the time that clients wait: measured by threads, with a mutex
//! around each filter, with a window beside a fixed size, while snapshots are taken, and while a
//! window rotates.
//!
//! `cargo bench --package lockfree-cuckoo-server`; behind `--`, `throughput`, `windows`,
//! `rotations` or `waits` measures a part. Both servers run all the time and take turns of half a
//! second, so that a disturbance of the machine meets both. The figures are medians over the turns,
//! and the ratio is the median of the ratios of neighbouring turns.

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
    /// The names of the commands with even and with odd numbers.
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
    /// Returns one of the pipelines of a connection.
    fn pipeline(&self, connection: usize, number: usize) -> Vec<u8> {
        let [even, odd] = self.names;
        let command = |index: usize| {
            if even == odd {
                // Spread over the stored items, so that lookups do not all hit one line of the
                // cache.
                let first = (number * 7_919 * self.items) % (ITEMS / 2);
                return words(even, first + index * self.items, self.items);
            }
            // The connection's own items, added before they are deleted.
            let own = ITEMS + connection * 1_000 + index / 2;
            words(self.names[index % 2], own, 1)
        };
        (0..self.commands)
            .flat_map(|index| request(&command(index)))
            .collect()
    }

    /// Returns the lines of the replies to a pipeline.
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
        Self::with_filter(threads, more, "EXPANSION 0")
    }

    /// Starts a server with a filter of this kind that holds the items.
    fn with_filter(threads: usize, more: &str, kind: &str) -> Self {
        let options = format!("--max-pipeline 100000 --threads {threads} {more}");
        let server = Server::start(&options);
        let mut client = server.client();
        client.converse(&format!("CF.RESERVE f 1000000 {kind} -> +OK"));
        for first in (0..ITEMS).step_by(1_000) {
            let mut words = words("CF.INSERT", first, 1_000);
            words.insert(2, "ITEMS".to_owned());
            assert!(!client.ask(&words).contains('-'), "an error reply");
            if kind.starts_with("WINDOW") && first == ITEMS / 2 {
                // Half of them go into each generation.
                client.converse("CF.ROTATE f -> :1");
            }
        }
        Self(server)
    }

    /// Starts a server with a filter of 160 MiB, mostly empty, and a file to save it to.
    fn with_large_filter(name: &str, more: &str) -> Self {
        let file = format!("{}/{name}", env!("CARGO_TARGET_TMPDIR"));
        // Remove the file of another run.
        let _ = std::fs::remove_file(&file);
        let options = format!("--snapshot-interval 0 --snapshot {file} {more}");
        let bench = Self::start(2, &options);
        bench
            .0
            .converse("CF.RESERVE large 80000000 EXPANSION 0 -> +OK");
        bench
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.0.address).expect("a connection");
        stream.set_nodelay(true).expect("a socket");
        stream
    }

    /// Lets this number of connections repeat some work for a while, and returns all results. Each
    /// call gets its number, the connection, and the number of the turn.
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

    /// Returns items per second, of all connections together.
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

    /// Returns the microseconds until a lookup is answered while a large filter is saved over and
    /// over: the median, the thousandth longest, and the longest.
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
        quantiles(waits.into_iter().flatten().collect())
    }

    /// Starts a server with a window of which each generation holds ten million items.
    fn with_large_window() -> Self {
        let bench = Self::start(2, "--max-memory 2G");
        let mut client = bench.0.client();
        client.converse(&format!(
            "CF.RESERVE large {LARGE} WINDOW 1000000 GENERATIONS {GENERATIONS} -> +OK"
        ));
        for generation in 0..GENERATIONS {
            if generation > 0 {
                client.converse(&format!("CF.ROTATE large -> :{generation}"));
            }
            for first in (0..LARGE).step_by(10_000) {
                let first = generation * LARGE + first;
                assert_eq!(client.insert("large", first..first + 10_000), 0);
            }
        }
        bench
    }

    /// Returns the microseconds until a command of `items` items on a window is answered, while it
    /// rotates over and over, or does not: the median, the thousandth longest, and the longest.
    fn waits_for_rotations(&self, items: usize, rotates: bool) -> [f64; 3] {
        let time = ROTATION * GENERATIONS as u32;
        let waits = self.repeat(3, time, |connection, stream, turn| {
            if connection == 0 {
                if rotates && turn < GENERATIONS {
                    stream.write_all(b"CF.ROTATE large\r\n").expect("sent");
                    read_lines(stream, 1);
                }
                thread::sleep(ROTATION);
                return None;
            }
            let mut asked = "CF.MEXISTS large".to_owned();
            (0..items).for_each(|item| asked += &format!(" {connection}:{turn}:{item}"));
            asked += "\r\n";
            let start = Instant::now();
            stream.write_all(asked.as_bytes()).expect("sent");
            read_lines(stream, 1 + items);
            Some(start.elapsed().as_secs_f64() * 1e6)
        });
        quantiles(waits.into_iter().flatten().collect())
    }
}

/// The items of a generation of the window that rotates.
const LARGE: usize = 10_000_000;
const GENERATIONS: usize = 4;
/// The time between two rotations, in which the first one is cleaned up.
const ROTATION: Duration = Duration::from_secs(1);

fn quantiles(mut waits: Vec<f64>) -> [f64; 3] {
    waits.sort_by(f64::total_cmp);
    let last = waits.len() - 1;
    [waits[last / 2], waits[last - last / 1_000], waits[last]]
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
    let is_asked = |part: &str| {
        let mut parts = std::env::args()
            .skip(1)
            .filter(|argument| !argument.starts_with('-'));
        let first = parts.next();
        first.is_none_or(|first| first == part)
    };
    if is_asked("throughput") {
        throughput();
    }
    if is_asked("windows") {
        windows();
    }
    if is_asked("rotations") {
        rotations();
    }
    if is_asked("waits") {
        snapshots();
    }
}

/// Measures a window and a growing filter beside a filter of a fixed size.
fn windows() {
    let kinds = [
        "EXPANSION 0",
        "EXPANSION 1",
        "WINDOW 1000000",
        "WINDOW 1000000 GENERATIONS 5",
    ];
    println!(
        "\nThousands of items a second, with 2 server threads; in brackets the share of the fixed size\n"
    );
    println!("| work | fixed size | grows | window, 2 generations | 5 generations |");
    println!("|---|---|---|---|---|");
    let servers = kinds.map(|kind| Bench::with_filter(2, "", kind));
    for work in &WORKS[..2] {
        let turns = (0..=TURNS).map(|_| servers.each_ref().map(|server| server.turn(work)));
        // The first turn warms up.
        let turns: Vec<_> = turns.skip(1).collect();
        let cells = (0..kinds.len()).map(|kind| {
            let rate = median(turns.iter().map(|turn| turn[kind] / 1e3));
            let share = median(turns.iter().map(|turn| turn[kind] / turn[0]));
            format!(" {rate:.0} ({share:.2}) |")
        });
        println!("| {} |{}", work.name, cells.collect::<String>());
    }
}

/// Measures how long a command on a window waits, while a generation of ten million items is
/// forgotten every second.
fn rotations() {
    println!(
        "\nMicroseconds until a command on a window with 10 million items in each generation is answered\n"
    );
    println!("| command | rotations | median | 99.9 % | longest |");
    println!("|---|---|---|---|---|");
    for items in [1, 100] {
        let bench = Bench::with_large_window();
        for rotates in [false, true] {
            let [middle, most, longest] = bench.waits_for_rotations(items, rotates);
            let rotates = if rotates { "one a second" } else { "none" };
            println!(
                "| `CF.MEXISTS` of {items} | {rotates} | {middle:.0} | {most:.0} | {longest:.0} |"
            );
        }
    }
}

fn snapshots() {
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
