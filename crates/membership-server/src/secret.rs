//! The password.

use std::fs;
use std::io;
use std::path::Path;

use subtle::ConstantTimeEq;

#[derive(Clone)]
pub(crate) struct Secret(Box<[u8]>);

impl Secret {
    /// The first line of a file.
    pub(crate) fn read(path: &Path) -> io::Result<Self> {
        let content = fs::read(path)?;
        let line = content.split(|&byte| byte == b'\n').next();
        let line = line.unwrap_or_default().trim_ascii_end();
        if line.is_empty() {
            let empty = "the first line is empty";
            return Err(io::Error::new(io::ErrorKind::InvalidData, empty));
        }
        Ok(Self(line.into()))
    }

    /// In a time that tells nothing but the length.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        self.0.ct_eq(given).into()
    }
}
