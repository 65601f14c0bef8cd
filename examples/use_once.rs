//! Tokens that are accepted once: nonces, `jti`, tickets. Threads race for each token, and one of
//! them wins. A restart lets no token in for a second time.
//!
//! * The window is the lifetime of a token: a token is refused again for at least that long after
//!   it was accepted.
//! * The layout is chosen by the harm of a wrong refusal: with two generations of `Lanes<2, 31>`
//!   one good token in 300 million is refused, with the default layout one in 4,300, in less than
//!   half of the memory.
//! * A full store refuses tokens. It could rotate early instead, but then tokens could be used
//!   twice.
//! * The store is saved when the program ends. When there is no saved store, after a crash, all
//!   tokens are refused for one lifetime: no token can be told to be new.
//!
//! `cargo run --release --example use_once`, twice
#![allow(clippy::disallowed_types)] // the model checker is not involved

use lockfree_cuckoo::{Filter, RotationClock, filter::Rotating, layout::Lanes};
use std::error::Error;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const LIFETIME: Duration = Duration::from_secs(2);

/// Tokens that are used in one lifetime.
const TOKENS: usize = 100_000;

/// With two generations an item is known for one to two periods. A period is a lifetime.
type Used = Filter<Rotating<Lanes<2, 31>>>;

/// Why a token is refused.
#[derive(Debug)]
enum Refused {
    /// It was used, or, seldom, it is taken for one that was.
    Used,
    /// The store is full. Plan for more tokens.
    Full,
}

/// The tokens that were used.
struct UseOnce {
    used: Used,
}

impl UseOnce {
    /// Returns for one of the threads that call it with the same token at the same time.
    fn accept(&self, token: &[u8]) -> Result<(), Refused> {
        // The same hash on every machine and in every release, because the store is saved.
        let hash = self.used.hasher().hash_bytes(token);
        match self.used.insert_unique_hash(hash) {
            Ok(true) => Ok(()),
            Ok(false) => Err(Refused::Used),
            // Or other threads disturbed it, which is as safe: the client may try again.
            Err(_) => Err(Refused::Full),
        }
    }

    /// Loads the store, and removes the file: if the program crashes, the file is too old to tell
    /// which tokens are new. What was due during the pause is forgotten, by the clock of the
    /// rotations, which counts from `start`.
    fn load(
        path: &Path,
        clock: &mut RotationClock,
        start: Instant,
    ) -> Result<Self, Box<dyn Error>> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                println!(
                    "no store: tokens of the time before may come, so all are refused for a while"
                );
                thread::sleep(LIFETIME);
                let used = Used::builder().capacity(TOKENS).build()?;
                return Ok(Self { used });
            }
            Err(error) => return Err(error.into()),
        };
        let mut saved = [0; 8];
        file.read_exact(&mut saved)?;
        let used = Used::read_from(file)?;
        fs::remove_file(path)?;
        sync_directory(path)?; // so that it does not come back after a crash of the machine
        let saved = UNIX_EPOCH + Duration::from_secs(u64::from_le_bytes(saved));
        // Rounded down, and 0 if the clock was set back: what is known for too long does less harm.
        let pause = saved.elapsed().unwrap_or_default();
        clock.elapse(pause);
        used.catch_up(clock, start.elapsed())?;
        println!(
            "{} used tokens are known after a pause of {pause:.0?}",
            used.len()
        );
        Ok(Self { used })
    }

    /// Saves the store. No thread may accept tokens any more.
    fn save(&self, path: &Path) -> Result<(), Box<dyn Error>> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let new = path.with_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(&(now.as_secs() + 1).to_le_bytes())?;
        self.used.write_to(&file)?;
        file.sync_all()?;
        fs::rename(new, path)?;
        sync_directory(path)
    }
}

/// Puts the names of files on the disk.
fn sync_directory(path: &Path) -> Result<(), Box<dyn Error>> {
    if cfg!(unix) {
        File::open(path.parent().expect("a file"))?.sync_all()?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::temp_dir().join("lockfree-cuckoo-use-once");
    let start = Instant::now();
    let mut clock = RotationClock::new(LIFETIME, start.elapsed());
    let store = UseOnce::load(&path, &mut clock, start)?;

    let (running, ended) = mpsc::channel::<()>();
    let (mut accepted, mut used, mut full) = (0, 0, 0);
    thread::scope(|scope| {
        let store = &store;
        scope.spawn(move || {
            // A period that ends late is longer: no token is forgotten early.
            while let Err(RecvTimeoutError::Timeout) =
                ended.recv_timeout(clock.until_due(start.elapsed()))
            {
                if let Err(error) = store.used.rotate_if_due(&mut clock, || start.elapsed()) {
                    println!("tried again at once: {error}");
                }
            }
        });
        let workers: Vec<_> = (0..4)
            .map(|_| {
                scope.spawn(move || {
                    (0..10_000)
                        .map(|n| store.accept(token(n).as_bytes()))
                        .collect()
                })
            })
            .collect();
        for worker in workers {
            let answers: Vec<Result<(), Refused>> = worker.join().expect("no panic");
            for answer in answers {
                match answer {
                    Ok(()) => accepted += 1,
                    Err(Refused::Used) => used += 1,
                    Err(Refused::Full) => full += 1,
                }
            }
        }
        drop(running);
    });
    println!("{accepted} of 10,000 tokens accepted; refused: {used} times used, {full} times full");
    store.save(&path)
}

/// Every run of the program has the same tokens: run again within the lifetime, it refuses them.
fn token(number: u32) -> String {
    format!("token {number}")
}
