//! Snapshots: files with all filters, each in the library's stored form.
//!
//! | part | bytes |
//! |---|---|
//! | `LFCSNAP2` | 8 |
//! | for each filter: 1, and its entry | 1 + ... |
//! | 0, and the CRC-32 of all that is before it | 1 + 4 |
//!
//! An entry is the length of the key (4 bytes), the key, the time (8 bytes: milliseconds since
//! 1970), the [`Entry`] of the filter just before that time, and the stored form, which says itself
//! where it ends. All numbers are little-endian.
//!
//! A filter with a window is read as if it had rotated since that time: what is due is forgotten.
//! If the clock of the machine was set back meanwhile, no time counts, and items stay longer.
//!
//! The file is written beside the last one and takes its name when it is on disk: at any moment,
//! one of the two can be read.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use cf::{Entry, Filter};

use crate::catalogue::Catalogue;

const MAGIC: &[u8; 8] = b"LFCSNAP2";
const ENTRY: u8 = 1;
const END: u8 = 0;

/// More than the longest key that a client can send.
const LONGEST_KEY: u32 = 1 << 29;

#[derive(Debug, thiserror::Error)]
pub(crate) enum SaveError {
    #[error("filter '{}': {source}", key.escape_ascii())]
    Filter { key: Vec<u8>, source: io::Error },
    #[error("cannot write the snapshot: {0}")]
    Io(#[from] io::Error),
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum LoadError {
    #[error("not a snapshot of this server")]
    NotASnapshot,
    #[error("damaged: {0}")]
    Damaged(&'static str),
    #[error("filter '{}': {source}", key.escape_ascii())]
    Filter {
        key: Vec<u8>,
        source: Box<dyn Error + Send + Sync>,
    },
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl LoadError {
    fn of_filter(key: &[u8], source: impl Error + Send + Sync + 'static) -> Self {
        let (key, source) = (key.to_vec(), Box::new(source));
        Self::Filter { key, source }
    }
}

/// Writes all filters. Returns the number of bytes.
pub(crate) fn save(catalogue: &Catalogue, path: &Path) -> Result<u64, SaveError> {
    let beside = beside(path);
    let saved = write_all(catalogue, &beside).and_then(|bytes| {
        fs::rename(&beside, path)?;
        sync_directory_of(path)?;
        Ok(bytes)
    });
    if saved.is_err() {
        // It may have filled the disk.
        let _ = fs::remove_file(&beside);
    }
    saved
}

fn write_all(catalogue: &Catalogue, path: &Path) -> Result<u64, SaveError> {
    let mut out = Summed::new(BufWriter::new(File::create(path)?));
    out.write_all(MAGIC)?;
    let keys: Vec<_> = catalogue.filters().keys().cloned().collect();
    for key in keys {
        // The filter may have been removed meanwhile.
        if let Some(filter) = catalogue.get(&key) {
            let written = write_entry(&key, filter, since_1970, &mut out);
            written.map_err(|source| SaveError::Filter {
                key: key.to_vec(),
                source,
            })?;
        }
    }
    out.write_all(&[END])?;
    let sum = out.sum.clone().finalize();
    out.write_all(&sum.to_le_bytes())?;
    let file = out.inner.into_inner().map_err(io::Error::from)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

fn write_entry(
    key: &[u8],
    filter: Arc<Filter>,
    since_1970: impl Fn() -> Duration,
    out: &mut impl Write,
) -> io::Result<()> {
    let copy = filter.copy().map_err(io::Error::other)?;
    // Another thread may need the filter exclusively before the disk has it.
    drop(filter);
    let entry = Entry::of(&copy);
    // Read the time after the age, and round it up: what passes in between lets items stay longer,
    // and none shorter.
    let saved = since_1970().as_nanos().div_ceil(1_000_000);
    let saved = u64::try_from(saved).unwrap_or(u64::MAX);
    let length = u32::try_from(key.len()).map_err(io::Error::other)?;
    out.write_all(&[ENTRY])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(&saved.to_le_bytes())?;
    out.write_all(&entry.to_bytes())?;
    copy.write(out)
}

/// Restores the filters of the file. Returns false if there is no such file.
pub(crate) fn load(catalogue: &Catalogue, path: &Path) -> Result<bool, LoadError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error.into()),
    };
    let mut source = Summed::new(BufReader::new(file));
    let mut magic = [0; MAGIC.len()];
    match source.read_exact(&mut magic) {
        Ok(()) if &magic == MAGIC => {}
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => return Err(error.into()),
        _ => return Err(LoadError::NotASnapshot),
    }
    loop {
        match array::<1>(&mut source)? {
            [ENTRY] => {
                let (key, filter) = read_entry(catalogue, &mut source)?;
                let adopted = catalogue.adopt(&key, filter);
                adopted.map_err(|error| LoadError::of_filter(&key, error))?;
            }
            [END] => break,
            _ => return Err(LoadError::Damaged("no entry begins where one must")),
        }
    }
    let sum = source.sum.clone().finalize();
    if array(&mut source)? != sum.to_le_bytes() {
        return Err(LoadError::Damaged("the checksum does not match"));
    }
    if source.read(&mut [0])? != 0 {
        return Err(LoadError::Damaged("there are bytes after the end"));
    }
    Ok(true)
}

fn read_entry(
    catalogue: &Catalogue,
    source: &mut impl Read,
) -> Result<(Vec<u8>, Filter), LoadError> {
    let length = u32::from_le_bytes(array(source)?);
    if length > LONGEST_KEY {
        return Err(LoadError::Damaged("a key is too long"));
    }
    let mut key = Vec::new();
    source.by_ref().take(length.into()).read_to_end(&mut key)?;
    if key.len() != length as usize {
        return Err(LoadError::Damaged("it ends early"));
    }
    let saved = u64::from_le_bytes(array(source)?);
    let entry = Entry::from_bytes(&array(source)?);
    let entry = entry.ok_or(LoadError::Damaged(
        "the description of a filter is not valid",
    ))?;
    let filter = entry.read(source, catalogue.max_growth());
    let filter = filter.map_err(|error| LoadError::of_filter(&key, error))?;
    if filter.settings().window.is_some() {
        // Read the clock after the filter: reading takes time too.
        filter.elapse(since_1970().saturating_sub(Duration::from_millis(saved)));
        let caught_up = filter.catch_up(Instant::now());
        caught_up.map_err(|error| LoadError::of_filter(&key, error))?;
    }
    Ok((key, filter))
}

/// Returns the time by the clock of the machine, which may be set: no other clock runs while the
/// machine is off.
fn since_1970() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

fn array<const N: usize>(source: &mut impl Read) -> Result<[u8; N], LoadError> {
    let mut array = [0; N];
    match source.read_exact(&mut array) {
        Ok(()) => Ok(array),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => {
            Err(LoadError::Damaged("it ends early"))
        }
        Err(error) => Err(error.into()),
    }
}

/// Checks that a snapshot can be written there, before there is something to lose.
pub(crate) fn check(path: &Path) -> io::Result<()> {
    let beside = beside(path);
    File::create(&beside)?;
    fs::remove_file(&beside)
}

/// Returns where a snapshot is written until it is complete.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    name.into()
}

/// Writes the directory to disk: a rename is lost in a power failure without that.
fn sync_directory_of(path: &Path) -> io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    OpenOptions::new().read(true).open(directory)?.sync_all()
}

/// A reader or writer that computes a checksum of its bytes.
struct Summed<T> {
    inner: T,
    sum: crc32fast::Hasher,
}

impl<T> Summed<T> {
    fn new(inner: T) -> Self {
        Self {
            inner,
            sum: crc32fast::Hasher::new(),
        }
    }
}

impl<T: Write> Write for Summed<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Summed<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(bytes)?;
        self.sum.update(&bytes[..read]);
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::thread;

    use cf::{Settings, Window};

    use super::*;

    /// Checks that the age is not younger than the time: the filter would count the time between
    /// the two twice, and forget items early.
    #[test]
    fn the_time_is_read_after_the_age() {
        let settings = Settings {
            window: Window::new(Duration::from_secs(1_000), 2),
            ..Settings::new(100, false)
        };
        let filter = Filter::new(settings, usize::MAX, usize::MAX);
        let filter = Arc::new(filter.expect("memory"));
        filter.elapse(Duration::from_secs(100));
        let age_at_time = Cell::new(Duration::ZERO);
        let clock = || {
            age_at_time.set(filter.age().expect("a window"));
            thread::sleep(Duration::from_millis(1));
            Duration::new(2_000_000_000, 1)
        };
        let mut written = Vec::new();
        write_entry(b"key", Arc::clone(&filter), clock, &mut written).expect("a buffer");

        let (time, rest) = written[1 + 4 + 3..].split_at(8);
        assert_eq!(time, 2_000_000_000_001_u64.to_le_bytes());
        let entry = rest.first_chunk().and_then(Entry::from_bytes);
        let stored = &mut &rest[Entry::BYTES..];
        let read = entry.expect("an entry").read(stored, usize::MAX);
        drop(read.expect("a filter"));
        // The age is the last number of an entry.
        let age: [u8; 8] = rest[Entry::BYTES - 8..Entry::BYTES].try_into().expect("8");
        let age = Duration::from_nanos(u64::from_le_bytes(age));
        assert!(age >= Duration::from_secs(100) && age <= age_at_time.get());
    }
}
