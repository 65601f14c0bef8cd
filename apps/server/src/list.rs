//! Lists: adds the items of a file to a filter before clients are served.

use std::fs;
use std::io;
use std::path::Path;

use crate::catalogue::Catalogue;

#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("not a JSON array of strings: {0}")]
    Json(#[from] serde_json::Error),
    #[error("not a text: there is a byte that is 0, or one that is not UTF-8")]
    NoText,
    #[error(transparent)]
    Create(#[from] cf::Error),
    #[error("{source}; new items before that: {added}")]
    Insert { added: usize, source: cf::Error },
}

/// The outcome of loading a list.
pub(crate) struct Added {
    pub(crate) items: usize,
    /// The items that were absent.
    pub(crate) new: usize,
}

/// Adds the items of a file that are absent, so that items restored from a snapshot are not added
/// twice.
pub(crate) fn load(catalogue: &Catalogue, key: &[u8], path: &Path) -> Result<Added, ListError> {
    let text = fs::read(path)?;
    let items = items(&text)?;
    let mut settings = catalogue.defaults();
    settings.capacity = settings.capacity.max(items.len());
    let filter = catalogue.get_or_create(key, settings)?;
    let mut new = 0;
    for item in &items {
        let is_new = filter.insert_unique(item);
        new += usize::from(is_new.map_err(|source| ListError::Insert { added: new, source })?);
    }
    filter.finish_doubling();
    Ok(Added {
        items: items.len(),
        new,
    })
}

/// Parses the strings of an array, or else the lines that are neither empty nor a comment.
fn items(text: &[u8]) -> Result<Vec<Vec<u8>>, ListError> {
    let text = std::str::from_utf8(text).map_err(|_| ListError::NoText)?;
    if text.contains('\0') {
        return Err(ListError::NoText);
    }
    if text.trim_ascii_start().starts_with('[') {
        let strings: Vec<String> = serde_json::from_str(text)?;
        return Ok(strings.into_iter().map(String::into_bytes).collect());
    }
    let lines = text.lines().map(str::trim_ascii);
    let is_item = |line: &&str| !line.is_empty() && !line.starts_with('#');
    Ok(lines
        .filter(is_item)
        .map(|line| line.as_bytes().to_vec())
        .collect())
}
