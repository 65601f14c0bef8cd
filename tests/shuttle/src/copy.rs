//! A copy of the project in which a piece can be taken out.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::mutants::Mutant;

/// What the copy needs in order to build the tests.
const PARTS: [&str; 10] = [
    "Cargo.toml",
    "Cargo.lock",
    "README.md",
    "src",
    "benches",
    "loom-tests",
    "tests/checker",
    "tests/common",
    "tests/shuttle",
    "tests/stress",
];

pub(crate) fn root() -> PathBuf {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = package.ancestors().nth(2);
    root.map(Path::to_path_buf).unwrap_or_default()
}

/// Makes the copy equal to the project. Only what differs is written, so that little is built again.
pub(crate) fn refresh(copy: &Path) -> io::Result<()> {
    fs::create_dir_all(copy.join("tests"))?;
    for part in PARTS {
        copy_changes(&root().join(part), &copy.join(part))?;
    }
    Ok(())
}

fn copy_changes(from: &Path, to: &Path) -> io::Result<()> {
    if from.is_dir() {
        fs::create_dir_all(to)?;
        for entry in fs::read_dir(from)? {
            let name = entry?.file_name();
            copy_changes(&from.join(&name), &to.join(&name))?;
        }
        return Ok(());
    }
    let content = fs::read(from)?;
    if fs::read(to).ok().as_ref() != Some(&content) {
        fs::write(to, content)?;
    }
    Ok(())
}

/// Takes the piece out. Each text must stand in its file exactly once, so the list cannot drift from the code.
pub(crate) fn apply(copy: &Path, mutant: &Mutant) -> Result<(), String> {
    for (file, original, mutated) in mutant.changes {
        let path = copy.join("src").join(file);
        let text = fs::read_to_string(&path).map_err(|error| format!("{file}: {error}"))?;
        let places = text.matches(original).count();
        if places != 1 {
            let name = mutant.name;
            return Err(format!(
                "mutant {name}: {places} places match in {file}, not 1"
            ));
        }
        fs::write(&path, text.replacen(original, mutated, 1)).map_err(|error| error.to_string())?;
    }
    Ok(())
}
