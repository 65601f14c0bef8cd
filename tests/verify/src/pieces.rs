//! The pieces: what can be taken out of the crate, by changes of its source.
//!
//! There is one list for all suites, a file for each part of the crate; a suite says which test notices that a
//! piece is missing. A change that no longer matches the source exactly once fails the run, so the list cannot
//! drift from the code.

mod admission;
mod descriptor;
mod doubling;
mod insertion;
mod layouts;
mod lookup;
mod relocation;
mod removal;
mod rotation;
mod snapshot;
mod values;
mod words;

/// Something that the crate cannot do without.
#[derive(Clone, Copy, Debug)]
pub struct Piece {
    /// What is wrong without it.
    pub name: &'static str,
    /// File, text, and what stands there instead.
    pub changes: &'static [(&'static str, &'static str, &'static str)],
}

/// All of them, part by part.
pub(crate) const PARTS: [&[Piece]; 12] = [
    lookup::PIECES,
    words::PIECES,
    layouts::PIECES,
    relocation::PIECES,
    descriptor::PIECES,
    removal::PIECES,
    insertion::PIECES,
    admission::PIECES,
    snapshot::PIECES,
    doubling::PIECES,
    rotation::PIECES,
    values::PIECES,
];

/// The piece of that name. A list that is a constant does not compile if it names one that there is not.
///
/// # Panics
///
/// If there is no such piece.
#[must_use]
pub const fn piece(name: &str) -> &'static Piece {
    let mut part = 0;
    while part < PARTS.len() {
        let mut index = 0;
        while index < PARTS[part].len() {
            let piece = &PARTS[part][index];
            if equal(piece.name.as_bytes(), name.as_bytes()) {
                return piece;
            }
            index += 1;
        }
        part += 1;
    }
    panic!("there is no piece of this name");
}

/// `==`, which cannot be used in a constant.
const fn equal(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut index = 0;
    while index < a.len() {
        if a[index] != b[index] {
            return false;
        }
        index += 1;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project;

    /// A suite refuses a piece whose text has changed, but a suite takes minutes.
    #[test]
    fn every_text_stands_in_its_file_exactly_once() {
        let sources = project::root().join("src");
        for piece in PARTS.into_iter().flatten() {
            for (file, original, mutated) in piece.changes {
                let text = std::fs::read_to_string(sources.join(file)).expect(file);
                let places = text.matches(original).count();
                assert_eq!(places, 1, "{}, in {file}: {original}", piece.name);
                assert_ne!(original, mutated, "{}", piece.name);
            }
        }
    }
}
