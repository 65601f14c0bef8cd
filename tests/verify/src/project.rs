//! Where the project is.

use std::path::{Path, PathBuf};

/// Its root directory.
#[must_use]
pub fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2);
    root.map(Path::to_path_buf).unwrap_or_default()
}
