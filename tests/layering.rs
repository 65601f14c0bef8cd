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

/// A room, by its path: `["tokens", "lookup"]`.
type Room = Vec<String>;

struct House {
    /// The rooms that each room imports from.
    arrows: BTreeMap<Room, BTreeSet<Room>>,
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

/// The code of a file without comments and without its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("readable");
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// Takes `{a, b::{c, d}}` apart: the paths that it stands for.
fn expand(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else {
        let name = tree.split(" as ").next().unwrap_or(tree);
        return vec![name.trim().to_owned()];
    };
    let (prefix, inner) = (
        &tree[..open],
        &tree[open + 1..tree.rfind('}').expect("closed")],
    );
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, letter) in inner.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    let parts = parts.into_iter().filter(|part| !part.trim().is_empty());
    parts
        .flat_map(expand)
        .map(|part| format!("{prefix}{part}"))
        .collect()
}

/// What a file imports: the paths, and whether it only passes them on.
fn imports(code: &str) -> Vec<(String, bool)> {
    let mut found = Vec::new();
    let mut lines = code.lines().map(str::trim);
    while let Some(line) = lines.next() {
        let passed_on = line.starts_with("pub");
        let start = match line.split_once(' ') {
            Some(("use", rest)) => rest,
            Some((visibility, rest)) if visibility.starts_with("pub") => {
                match rest.strip_prefix("use ") {
                    Some(rest) => rest,
                    None => continue,
                }
            }
            _ => continue,
        };
        let mut statement = start.to_owned();
        // A text that begins with the word is no statement.
        while !statement.ends_with(';') && !statement.contains('"') {
            statement += lines.next().expect("a statement ends");
        }
        if statement.contains('"') {
            continue;
        }
        let paths = expand(statement.trim_end_matches(';'));
        found.extend(paths.into_iter().map(|path| (path, passed_on)));
    }
    found
}

impl House {
    fn survey() -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut paths = Vec::new();
        files(&source, &mut paths);
        let mut rooms = BTreeMap::new();
        for path in &paths {
            let relative = path
                .strip_prefix(&source)
                .expect("below")
                .with_extension("");
            let room: Room = relative
                .iter()
                .map(|part| part.to_str().expect("a name").to_owned())
                .collect();
            let tests = room.last().is_some_and(|name| name == "tests");
            if !tests && !PAGES.contains(&room[0].as_str()) {
                rooms.insert(room, code(path));
            }
        }
        assert!(rooms.len() > 60, "only {} rooms were found", rooms.len());
        // What each room passes on, by name.
        let mut doors: BTreeMap<(Room, String), Vec<String>> = BTreeMap::new();
        for (room, code) in &rooms {
            for (path, _) in imports(code)
                .into_iter()
                .filter(|&(_, passed_on)| passed_on)
            {
                let names: Vec<String> = path.split("::").map(str::to_owned).collect();
                let name = names.last().expect("not empty").clone();
                doors.insert((room.clone(), name), names);
            }
        }
        let mut arrows: BTreeMap<Room, BTreeSet<Room>> = BTreeMap::new();
        for (room, code) in &rooms {
            let targets = imports(code)
                .into_iter()
                .filter(|&(_, passed_on)| !passed_on)
                .map(|(path, _)| path)
                .chain(paths_in(code));
            let found = targets.filter_map(|path| resolve(&rooms, &doors, room, &path));
            let found = found.filter(|target| target != room).collect();
            arrows.insert(room.clone(), found);
        }
        Self { arrows }
    }
}

/// The paths from the root that stand in the midst of the code.
fn paths_in(code: &str) -> impl Iterator<Item = String> {
    code.match_indices("crate::").map(|(at, _)| {
        let path = &code[at..];
        let end = path.find(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter));
        path[..end.unwrap_or(path.len())]
            .trim_end_matches(':')
            .to_owned()
    })
}

/// The room that a path leads to from a room, through the doors on the way; nothing for other crates.
fn resolve(
    rooms: &BTreeMap<Room, String>,
    doors: &BTreeMap<(Room, String), Vec<String>>,
    from: &Room,
    path: &str,
) -> Option<Room> {
    let mut names: Vec<String> = path.split("::").map(str::to_owned).collect();
    let mut at: Room = match names[0].as_str() {
        "crate" => Vec::new(),
        "super" => from[..from.len() - 1].to_vec(),
        "self" => from.clone(),
        // A child, or another crate.
        child => {
            let mut inside = from.clone();
            inside.push(child.to_owned());
            if !rooms.contains_key(&inside) {
                return None;
            }
            names.remove(0);
            return descend(rooms, doors, inside, &names);
        }
    };
    names.remove(0);
    while names.first().is_some_and(|name| name == "super") {
        at.pop();
        names.remove(0);
    }
    descend(rooms, doors, at, &names)
}

fn descend(
    rooms: &BTreeMap<Room, String>,
    doors: &BTreeMap<(Room, String), Vec<String>>,
    at: Room,
    names: &[String],
) -> Option<Room> {
    let Some((name, rest)) = names.split_first() else {
        return Some(at);
    };
    let mut inside = at.clone();
    inside.push(name.clone());
    if rooms.contains_key(&inside) {
        return descend(rooms, doors, inside, rest);
    }
    let here = if at.is_empty() {
        vec!["lib".to_owned()]
    } else {
        at
    };
    match doors.get(&(here.clone(), name.clone())) {
        Some(path) if path.len() > 1 => resolve(rooms, doors, &here, &path.join("::")),
        _ => Some(here),
    }
}

fn floor(room: &Room) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room[0].as_str()))
        .unwrap_or_else(|| panic!("`{}` is on no floor: add it to the list", room.join("/")))
}

#[test]
fn no_room_imports_from_a_floor_above() {
    let house = House::survey();
    let mut upward = Vec::new();
    for (room, targets) in &house.arrows {
        for target in targets.iter().filter(|&target| floor(target) > floor(room)) {
            upward.push(format!("{} -> {}", room.join("/"), target.join("/")));
        }
    }
    assert!(upward.is_empty(), "arrows up: {upward:#?}");
    let arrows: usize = house.arrows.values().map(BTreeSet::len).sum();
    assert!(arrows > 150, "only {arrows} arrows were found");
}

#[test]
fn no_rooms_import_in_a_circle() {
    let house = House::survey();
    // Takes away who imports from nobody that is left, and who is imported by nobody that is left, until only circles
    // are.
    let mut left = house.arrows.clone();
    loop {
        let imported: BTreeSet<Room> = left.values().flatten().cloned().collect();
        let before = left.len();
        let rooms: BTreeSet<Room> = left.keys().cloned().collect();
        left.retain(|room, targets| {
            imported.contains(room) && targets.iter().any(|target| rooms.contains(target))
        });
        if left.len() == before {
            break;
        }
    }
    let circles: Vec<String> = left.keys().map(|room| room.join("/")).collect();
    assert!(circles.is_empty(), "in circles: {circles:#?}");
}

#[test]
fn only_the_room_of_the_atomics_knows_the_checkers() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    files(&source, &mut paths);
    for path in paths {
        let inside = path.strip_prefix(&source).expect("below");
        if inside.starts_with("sync") || inside == Path::new("sync.rs") {
            continue;
        }
        let code = code(&path);
        for word in [
            "cfg(loom",
            "all(loom",
            "lockfree_cuckoo_steps",
            "lockfree_cuckoo_shuttle",
        ] {
            assert!(!code.contains(word), "{}: {word}", inside.display());
        }
        let atomics = code.contains("sync::atomic::Atomic") || code.contains("atomic::Atomic<");
        assert!(!atomics, "{}: atomics of its own", inside.display());
    }
}
