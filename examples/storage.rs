//! A filter in front of slow storage: saves the search for keys that are not stored. The filter is
//! saved beside it.
//!
//! `cargo run --release --example storage`, twice

use lockfree_cuckoo::CuckooFilter;
use std::fs::{self, File};
use std::io;
use std::path::PathBuf;

/// One file a key.
struct Storage {
    directory: PathBuf,
    keys: CuckooFilter,
}

impl Storage {
    fn open(directory: PathBuf) -> io::Result<Self> {
        fs::create_dir_all(&directory)?;
        let path = directory.join("keys.lfcf");
        let keys = match path.try_exists()? {
            true => CuckooFilter::read_from(File::open(path)?)?,
            false => CuckooFilter::with_capacity(10_000),
        };
        println!("{} keys are stored", keys.len());
        Ok(Self { directory, keys })
    }

    fn put(&self, key: &str, value: &str) -> io::Result<()> {
        // Insert the key before the value: a reader that finds the value finds the key.
        self.keys.insert_unique(key).map_err(io::Error::other)?;
        fs::write(self.directory.join(key), value)
    }

    fn get(&self, key: &str) -> io::Result<Option<String>> {
        if !self.keys.contains(key) {
            return Ok(None); // certain, and no access to the disk
        }
        match fs::read_to_string(self.directory.join(key)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None), // a false positive
            value => value.map(Some),
        }
    }

    /// Replaces the file in one step: if the machine stops, the old one or the new one is there,
    /// complete.
    fn save(&self) -> io::Result<()> {
        let new = self.directory.join("keys.new");
        let file = File::create(&new)?;
        self.keys.write_to(&file)?;
        file.sync_all()?; // the content before the name
        fs::rename(new, self.directory.join("keys.lfcf"))?;
        File::open(&self.directory)?.sync_all() // on Unix this makes the name durable
    }
}

fn main() -> io::Result<()> {
    let storage = Storage::open(std::env::temp_dir().join("lockfree-cuckoo-storage"))?;
    storage.put("key", "value")?;
    for key in ["key", "another"] {
        let is_looked_for = storage.keys.contains(key);
        println!(
            "{key}: looked for on disk: {is_looked_for}, value: {:?}",
            storage.get(key)?
        );
    }
    storage.save()?;
    println!(
        "saved {} keys in {}",
        storage.keys.len(),
        storage.directory.display()
    );
    Ok(())
}
