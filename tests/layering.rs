//! The walls of the house: who may import from whom.
//!
//! * A room imports from its own floor and from those below, never from a floor above.
//! * No two rooms import from each other, directly or by way of others.
//! * Only the room of the atomics knows that there are model checkers.
//!
//! A room is a file under `src`. What a file merely passes on (`pub use`, `pub(crate) use`) is no arrow of its own: who
//! imports it imports from the room that it comes from. Unit tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The floors, from the ground up, and the rooms on the top level that are on each.
const FLOORS: [&[&str]; 8] = [
    &["error", "sync", "allocate", "random_state", "layout"],
    &["table"],
    &["tokens"],
    &["counted"],
    &["engine"],
    &["stored"],
    &["filter"],
    &["lib", "testing"],
];

/// Rooms that hold documentation alone.
const PAGES: [&str; 3] = ["design", "format", "guide"];

/// A room or what is in it, by its path: `tokens::lookup`.
type Name = Vec<String>;

/// The rooms, with the code of each.
type Rooms = BTreeMap<Name, String>;

/// Where the names lead that a room passes on.
type Doors = BTreeMap<Name, Name>;

fn names(path: &str) -> Name {
    path.split("::").map(str::to_owned).collect()
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the sources are there") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All rooms but those of tests and of documentation, without comments and without unit tests.
fn rooms() -> Rooms {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&source, &mut paths);
    let mut rooms = Rooms::new();
    for path in paths {
        let inside = path.strip_prefix(&source).expect("below");
        let parts = inside.with_extension("");
        let parts = parts.iter().map(|part| part.to_str().expect("a name"));
        let room: Name = parts.map(str::to_owned).collect();
        if room.last().is_some_and(|name| name == "tests") || PAGES.contains(&room[0].as_str()) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("readable");
        let text = text.split("#[cfg(test)]").next().unwrap_or_default();
        let lines = text.lines().map(str::trim);
        let code: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
        rooms.insert(room, code.join("\n"));
    }
    assert!(rooms.len() > 60, "only {} rooms were found", rooms.len());
    rooms
}

/// Takes `{a, b::{c, d}}` apart: the paths that it stands for.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some((prefix, inner)) = tree.split_once('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree);
        return vec![name.trim().to_owned()];
    };
    let inner = inner.strip_suffix('}').expect("closed");
    let mut depth = 0;
    let parts = inner.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let parts = parts.filter(|part| !part.trim().is_empty());
    parts
        .flat_map(expand)
        .map(|part| format!("{prefix}{part}"))
        .collect()
}

/// What a room imports: the paths, and whether it only passes them on.
fn imports(code: &str) -> Vec<(Name, bool)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let line = code[..at].rfind('\n').map_or(0, |end| end + 1);
        let visibility = code[line..at].trim();
        let is_word = visibility.is_empty() || visibility.starts_with("pub");
        let statement = code[at + 4..].split(';').next().unwrap_or_default();
        // A text that begins with the word is no statement.
        if is_word && !visibility.contains(' ') && !statement.contains('"') {
            let paths = expand(statement).into_iter();
            found.extend(paths.map(|path| (names(&path), !visibility.is_empty())));
        }
    }
    found
}

/// The paths from the root that stand in the midst of the code.
fn paths_in(code: &str) -> impl Iterator<Item = Name> {
    code.match_indices("crate::").map(|(at, _)| {
        let path = &code[at..];
        let end = path.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
        names(path[..end.unwrap_or(path.len())].trim_end_matches(':'))
    })
}

/// The room that a path leads to from a room, through the doors on the way; nothing for other crates.
fn resolve(rooms: &Rooms, doors: &Doors, from: &Name, path: &[String]) -> Option<Name> {
    let (mut at, mut rest) = match path[0].as_str() {
        "crate" => (Vec::new(), &path[1..]),
        "self" => (from.clone(), &path[1..]),
        "super" => (from[..from.len() - 1].to_vec(), &path[1..]),
        // A child, or another crate.
        child => {
            let is_child = rooms.contains_key(&[&from[..], &[child.to_owned()]].concat());
            is_child.then(|| (from.clone(), path))?
        }
    };
    while let Some((name, behind)) = rest.split_first() {
        if name == "super" {
            at.pop();
        } else {
            let inside = [&at[..], std::slice::from_ref(name)].concat();
            if !rooms.contains_key(&inside) {
                let here = if at.is_empty() { names("lib") } else { at };
                let door = doors.get(&[&here[..], std::slice::from_ref(name)].concat());
                return match door {
                    Some(path) if path.len() > 1 => resolve(rooms, doors, &here, path),
                    _ => Some(here),
                };
            }
            at = inside;
        }
        rest = behind;
    }
    Some(at)
}

/// The rooms that each room imports from.
fn arrows() -> BTreeMap<Name, BTreeSet<Name>> {
    let rooms = rooms();
    let mut doors = Doors::new();
    for (room, code) in &rooms {
        for (path, _) in imports(code)
            .into_iter()
            .filter(|(_, passed_on)| *passed_on)
        {
            doors.insert([&room[..], &path[path.len() - 1..]].concat(), path);
        }
    }
    let of_room = |(room, code): (&Name, &String)| {
        let imported = imports(code)
            .into_iter()
            .filter(|(_, passed_on)| !passed_on);
        let paths = imported.map(|(path, _)| path).chain(paths_in(code));
        let targets = paths.filter_map(|path| resolve(&rooms, &doors, room, &path));
        (
            room.clone(),
            targets.filter(|target| target != room).collect(),
        )
    };
    rooms.iter().map(of_room).collect()
}

fn floor(room: &Name) -> usize {
    let floor = FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room[0].as_str()));
    floor.unwrap_or_else(|| panic!("`{}` is on no floor: add it to the list", room.join("/")))
}

#[test]
fn no_room_imports_from_a_floor_above() {
    let arrows = arrows();
    let mut upward = Vec::new();
    for (room, targets) in &arrows {
        for target in targets.iter().filter(|&target| floor(target) > floor(room)) {
            upward.push(format!("{} -> {}", room.join("/"), target.join("/")));
        }
    }
    assert!(upward.is_empty(), "arrows up: {upward:#?}");
    let arrows: usize = arrows.values().map(BTreeSet::len).sum();
    assert!(arrows > 150, "only {arrows} arrows were found");
}

#[test]
fn no_rooms_import_in_a_circle() {
    // Takes away who imports from nobody that is left, until only circles are, and who imports from them.
    let mut left = arrows();
    loop {
        let rooms: BTreeSet<Name> = left.keys().cloned().collect();
        left.retain(|_, targets| targets.iter().any(|target| rooms.contains(target)));
        if left.len() == rooms.len() {
            break;
        }
    }
    let circles: Vec<String> = left.keys().map(|room| room.join("/")).collect();
    assert!(
        circles.is_empty(),
        "in circles, or behind them: {circles:#?}"
    );
}

#[test]
fn only_the_room_of_the_atomics_knows_the_checkers() {
    let words = [
        "cfg(loom",
        "all(loom",
        "lockfree_cuckoo_steps",
        "lockfree_cuckoo_shuttle",
        "sync::atomic::Atomic",
        "atomic::Atomic<",
    ];
    for (room, code) in rooms().iter().filter(|(room, _)| room[0] != "sync") {
        for word in words {
            assert!(!code.contains(word), "{}: {word}", room.join("/"));
        }
    }
}
