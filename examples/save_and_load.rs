//! A service that remembers its visitors over restarts. It loads its filter at the start, serves from several
//! threads, and saves the filter at the end, so that no crash can lose or damage it.
//!
//! Run `cargo run --release --example save_and_load [FILE]` twice: the second run finds the visitors of the
//! first.

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::thread;

use lockfree_cuckoo::{CuckooFilter, InsertError, ReadError};

const USAGE: &str = "usage: save_and_load [FILE]

Loads the filter in FILE, greets visitors, and saves it there again. Without FILE it is save_and_load.lfcf in the
directory for temporary files. A name that starts with - is given as ./-name.";

const VISITORS: usize = 1_000_000;
const WORKERS: usize = 4;
const VISITS: usize = 50_000;

fn main() -> Result<(), Box<dyn Error>> {
    let path = path(env::args_os().skip(1).collect());
    // Check this now and not at the end, when there is something to lose.
    check_directory_of(&path)?;
    let mut greeted = load(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let newcomers = serve(&greeted)?;
    println!("{} visits, {newcomers} of newcomers", WORKERS * VISITS);
    save(&mut greeted, &path).map_err(|error| format!("{}: {error}", path.display()))?;
    println!("saved {} visitors in {}", greeted.len(), path.display());
    Ok(())
}

/// Returns what the command line says. If it is wrong, or asks for help, does not return.
fn path(arguments: Vec<OsString>) -> PathBuf {
    let is_option = |argument: &OsString| argument.as_encoded_bytes().starts_with(b"-");
    if arguments
        .iter()
        .any(|argument| argument == "--help" || argument == "-h")
    {
        println!("{USAGE}");
        process::exit(0);
    }
    if let Some(wrong) = arguments
        .iter()
        .enumerate()
        .find_map(|(index, argument)| (index > 0 || is_option(argument)).then_some(argument))
    {
        eprintln!("unexpected argument: {}\n\n{USAGE}", wrong.display());
        process::exit(2);
    }
    match arguments.into_iter().next() {
        Some(path) => path.into(),
        None => env::temp_dir().join("save_and_load.lfcf"),
    }
}

/// The filter of the last run. At the first run there is none. If it cannot be read, the operator must decide: a
/// new filter would forget all visitors.
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

/// Greets all visitors. Returns how many came for the first time.
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

/// Replaces the file by the filter, in one step. Whenever the machine stops, the old file or the new file is
/// there, complete.
///
/// Only one thread at a time may call this, because two would write the same unfinished file. Here `&mut` ensures
/// that, as there is one filter. A program that saves snapshots of a shared filter holds a `Mutex` meanwhile.
fn save(filter: &mut CuckooFilter, path: &Path) -> io::Result<()> {
    // In the same directory, because a rename does not leave its file system.
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".unfinished");
    let unfinished = PathBuf::from(unfinished);
    let saved = write(filter, &unfinished).and_then(|()| fs::rename(&unfinished, path));
    if saved.is_err() {
        // The old file is still there. The rest of the new one is useless.
        let _ = fs::remove_file(&unfinished);
    }
    saved?;
    sync_directory_of(path)
}

/// Returns when the disk has the content. If the name changed before that, it could refer to an incomplete file.
fn write(filter: &mut CuckooFilter, path: &Path) -> io::Result<()> {
    let file = File::create(path)?;
    filter.write_to(&file)?;
    file.sync_all()
}

/// On Unix a name is on the disk when its directory is. On other systems directories cannot be opened, and need
/// not be.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(directory_of(path))?.sync_all()?;
    }
    Ok(())
}

fn check_directory_of(path: &Path) -> Result<(), String> {
    let directory = directory_of(path);
    match fs::metadata(directory) {
        Ok(found) if found.is_dir() => Ok(()),
        Ok(_) => Err(format!("{}: not a directory", directory.display())),
        Err(error) => Err(format!("{}: {error}", directory.display())),
    }
}

fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
