//! Where a capture is written to.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What reports call it.
pub(super) const STANDARD_OUTPUT: &str = "standard output";

/// A file, or standard output if it is called `-`.
#[derive(Clone, Debug)]
pub(crate) struct Target(PathBuf);

impl Target {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self(path)
    }

    pub(crate) fn is_standard_output(&self) -> bool {
        self.0 == Path::new("-")
    }

    /// What reports call it.
    pub(crate) fn name(&self) -> String {
        if self.is_standard_output() {
            STANDARD_OUTPUT.to_owned()
        } else {
            self.0.display().to_string()
        }
    }

    /// Whether it is the file that is read: opening it would empty it.
    pub(crate) fn is(&self, capture: &Path) -> bool {
        let both = [&*self.0, capture].map(fs::canonicalize);
        matches!(&both, [Ok(one), Ok(other)] if one == other && one.is_file())
    }

    pub(super) fn open(&self) -> io::Result<Box<dyn Write + Send>> {
        if self.is_standard_output() {
            return Ok(Box::new(io::stdout()));
        }
        Ok(Box::new(File::create(&self.0)?))
    }
}
