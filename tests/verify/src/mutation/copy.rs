//! A copy of the project in which a piece can be taken out.

use std::path::Path;
use std::{fs, io};

use crate::pieces::Piece;
use crate::project::root;

/// What a build makes, and what fuzzing finds.
const LEFT_OUT: [&str; 3] = ["target", "corpus", "artifacts"];

/// Makes the copy equal to the project. Only what differs is written, so that little is built again.
pub(crate) fn refresh(copy: &Path) -> io::Result<()> {
    copy_changes(&root(), copy)
}

fn copy_changes(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            let hidden = name.as_encoded_bytes().starts_with(b".");
            if !hidden && LEFT_OUT.iter().all(|&left_out| name != left_out) {
                copy_changes(&from.join(&name), &to.join(&name))?;
            }
        }
        return remove_what_is_gone(from, to);
    }
    let content = fs::read(from)?;
    if fs::read(to).ok().as_ref() != Some(&content) {
        fs::write(to, content)?;
    }
    Ok(())
}

/// A file that is left would be a module, or a test, that the project has no more.
fn remove_what_is_gone(from: &Path, to: &Path) -> io::Result<()> {
    for entry in fs::read_dir(to)? {
        let entry = entry?;
        if from.join(entry.file_name()).exists() {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Takes the piece out. Each text must stand in its file exactly once, so the list cannot drift from the code.
pub(crate) fn apply(copy: &Path, piece: &Piece) -> Result<(), String> {
    for (file, original, mutated) in piece.changes {
        let path = copy.join("src").join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let places = text.matches(original).count();
        if places != 1 {
            let name = piece.name;
            return Err(format!(
                "piece {name}: {places} places match in {file}, not 1"
            ));
        }
        fs::write(&path, text.replacen(original, mutated, 1)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
