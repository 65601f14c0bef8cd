//! A service that remembers over restarts whom it has greeted. It loads its filter at the start, serves from
//! several threads, and saves the filter at the end so that no crash can lose or spoil it.
//!
//! `cargo run --release --example save_and_load [FILE]`, twice: the second run finds the visitors of the first.

use std::env;
use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use lockfree_cuckoo::{CuckooFilter, InsertError, ReadError};

const VISITORS: usize = 1_000_000;
const WORKERS: usize = 4;
const VISITS: usize = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = match env::args_os().nth(1) {
        Some(path) => PathBuf::from(path),
        None => env::temp_dir().join("save_and_load.lfcf"),
    };
    let mut greeted = load(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let newcomers = serve(&greeted)?;
    println!("{} visits, {newcomers} of newcomers", WORKERS * VISITS);
    save(&mut greeted, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("saved {} visitors in {}", greeted.len(), path.display());
    Ok(())
}

/// The filter of the last run. None at all is how a service begins; one that cannot be read is a case for its
/// operator, because to begin anew would forget everybody.
fn load(path: &Path) -> Result<CuckooFilter, ReadError> {
    match File::open(path) {
        Ok(file) => {
            let greeted = CuckooFilter::read_from(file)?;
            println!("loaded {} visitors", greeted.len());
            Ok(greeted)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            println!("nothing to load: the first run");
            Ok(CuckooFilter::with_capacity(VISITORS))
        }
        Err(error) => Err(error.into()),
    }
}

/// Greets all who come. Returns how many came for the first time.
fn serve(greeted: &CuckooFilter) -> Result<usize, InsertError> {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS)
            .map(|worker| scope.spawn(move || greet(greeted, worker)))
            .collect();
        workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker does not panic"))
            .sum()
    })
}

/// One worker's share of the visits. Each visitor comes twice, to different workers.
fn greet(greeted: &CuckooFilter, worker: usize) -> Result<usize, InsertError> {
    let mut newcomers = 0;
    for visit in 0..VISITS {
        let visitor = format!(
            "visitor {}",
            (worker * VISITS + visit) % (WORKERS * VISITS / 2)
        );
        newcomers += usize::from(greeted.insert_unique(&visitor)?);
    }
    Ok(newcomers)
}

/// Puts the filter in the place of the file, in one step: whenever the machine stops, there is the old file or
/// the new one, and it is whole.
fn save(filter: &mut CuckooFilter, path: &Path) -> io::Result<()> {
    // In the same directory, because a rename does not leave its file system.
    let unfinished = path.with_extension("unfinished");
    let saved = write(filter, &unfinished).and_then(|()| fs::rename(&unfinished, path));
    if saved.is_err() {
        // The old file is still there; what is left of the new one is of no use.
        let _ = fs::remove_file(&unfinished);
    }
    saved?;
    sync_directory_of(path)
}

/// Returns when the disk has the content: were the name changed before, it could come to stand for nothing.
fn write(filter: &mut CuckooFilter, path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    filter.write_to(&file)?;
    file.sync_all()
}

/// On Unix a name is on the disk when its directory is. Elsewhere directories cannot be opened, nor need be.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| *parent != Path::new(""));
    if cfg!(unix) {
        File::open(parent.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
