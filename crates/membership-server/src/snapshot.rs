//! Snapshots: files with all filters, each in the library's stored form.
//!
//! | part | bytes |
//! |---|---|
//! | `LFCSNAP2` | 8 |
//! | for each filter: 1, and its entry | 1 + ... |
//! | 0, and the CRC-32 of all that is before it | 1 + 4 |
//!
//! An entry is the length of the key (4 bytes), the key, the time (8 bytes: milliseconds since
//! 1970), the [`Entry`] of the filter at that time, and the stored form, which says itself where it
//! ends. All numbers are little-endian.
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
            let written = write_entry(&key, filter, &mut out);
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

fn write_entry(key: &[u8], filter: Arc<Filter>, out: &mut impl Write) -> io::Result<()> {
    let copy = filter.copy().map_err(io::Error::other)?;
    // Another thread may need the filter exclusively before the disk has it.
    drop(filter);
    let length = u32::try_from(key.len()).map_err(io::Error::other)?;
    out.write_all(&[ENTRY])?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(key)?;
    out.write_all(&milliseconds_since_1970().to_le_bytes())?;
    out.write_all(&Entry::of(&copy).to_bytes())?;
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
        let since = milliseconds_since_1970().saturating_sub(saved);
        filter.elapse(Duration::from_millis(since));
        let caught_up = filter.catch_up(Instant::now());
        caught_up.map_err(|error| LoadError::of_filter(&key, error))?;
    }
    Ok((key, filter))
}

/// Returns the time by the clock of the machine, which may be set: no other clock runs while the
/// machine is off.
fn milliseconds_since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
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
