//! The pages: checks that the links of every Markdown file work, in the repository and on docs.rs.
//!
//! * A relative link names a file that exists and, behind `#`, a heading of it.
//! * A link by a label (`[text][label]`) has a definition.
//! * The README of a published package links to pages on docs.rs: crates.io follows no relative link
//!   unless it knows the host of the repository.
//! * Each page of `docs` is shown by a module, after `src/links.md`. There each link leads to the
//!   module of the page, or to the item, to which it leads in the repository.
//! * Lines of the pages, of the README, CHANGELOG and SECURITY have at most 100 columns, except tables and definitions.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

use pulldown_cmark::{BrokenLink, Event, LinkType, Options, Parser, Tag, TagEnd};

/// The file with the targets of links on docs.rs, which is put before each page there.
const LINKS: &str = "src/links.md";

/// Where docs.rs shows the modules of the library.
const DOCS_RS: &str = "https://docs.rs/lockfree-cuckoo/latest/lockfree_cuckoo/";

/// The READMEs of the published packages.
const PUBLISHED: [&str; 4] = [
    "README.md",
    "apps/cf/README.md",
    "apps/server/README.md",
    "apps/packets/README.md",
];

/// The modules that show pages.
const MODULES: [&str; 3] = ["src/design.rs", "src/format.rs", "src/guide.rs"];

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn read(file: &Path) -> String {
    let text = fs::read_to_string(root().join(file));
    text.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Adds the Markdown files below a directory, relative to the root.
fn find(directory: &Path, is_wanted: &dyn Fn(&Path) -> bool, found: &mut BTreeSet<PathBuf>) {
    for entry in fs::read_dir(root().join(directory)).expect("a directory") {
        let entry = entry.expect("readable");
        let path = directory.join(entry.file_name());
        let name = entry.file_name().into_string().expect("UTF-8");
        if entry.file_type().expect("readable").is_dir() {
            if name != "target" && !name.starts_with('.') {
                find(&path, is_wanted, found);
            }
        } else if is_wanted(&path) {
            found.insert(path);
        }
    }
}

/// Returns the pages of `docs`.
fn pages() -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    let is_page = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    find(Path::new("docs"), &is_page, &mut found);
    found
}

/// Returns the pages, every README, and the other pages of the root.
fn files() -> BTreeSet<PathBuf> {
    let mut found = pages();
    let others = [
        "README.md",
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
    ];
    let is_other = |path: &Path| others.iter().any(|other| path.ends_with(other));
    find(Path::new(""), &is_other, &mut found);
    found
}

/// A parsed Markdown text.
#[derive(Default)]
struct Page {
    /// The targets, in the order of the links.
    links: Vec<String>,
    /// The anchors of the headings.
    anchors: BTreeSet<String>,
    /// The labels without a definition.
    undefined: Vec<String>,
}

/// Parses a text. `first` has the definitions that are put before it.
fn parse(first: &str, text: &str) -> Page {
    let text = format!("{first}\n{text}");
    let mut undefined = Vec::new();
    let mut page = Page::default();
    let mut repeated: BTreeMap<String, usize> = BTreeMap::new();
    let mut heading: Option<String> = None;
    let on_undefined = |link: BrokenLink<'_>| {
        // Brackets without a label are text, unless they hold code, such as the name of an item.
        let is_link = link.link_type == LinkType::Reference || link.reference.starts_with('`');
        is_link.then(|| undefined.push(link.reference.to_string()));
        None
    };
    let options = Options::ENABLE_TABLES;
    for event in Parser::new_with_broken_link_callback(&text, options, Some(on_undefined)) {
        match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                page.links.push(dest_url.into_string());
            }
            Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
            Event::End(TagEnd::Heading(_)) => {
                let anchor = anchor(&heading.take().expect("begun"));
                let before = repeated.entry(anchor.clone()).or_default();
                page.anchors.insert(match before {
                    0 => anchor,
                    _ => format!("{anchor}-{before}"),
                });
                *before += 1;
            }
            Event::Text(part) | Event::Code(part) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(&part);
                }
            }
            _ => {}
        }
    }
    page.undefined = undefined;
    page
}

/// Returns the anchor of a heading, as forges and rustdoc make it.
fn anchor(heading: &str) -> String {
    let letters = heading.trim().chars().filter_map(|letter| match letter {
        ' ' => Some('-'),
        '-' | '_' => Some(letter),
        _ if letter.is_alphanumeric() => Some(letter.to_ascii_lowercase()),
        _ => None,
    });
    letters.collect()
}

fn is_absolute(target: &str) -> bool {
    target.starts_with("https://") || target.starts_with("http://")
}

/// Returns the file and the anchor to which a relative link of a file leads.
fn resolve<'a>(file: &Path, target: &'a str) -> (PathBuf, &'a str) {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    if path.is_empty() {
        return (file.to_owned(), anchor);
    }
    let mut at = file.parent().expect("a file").to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => assert!(at.pop(), "{target} leaves the repository"),
            Component::CurDir => {}
            part => at.push(part),
        }
    }
    (at, anchor)
}

/// Relative links lead to files and headings.
#[test]
fn relative_links() {
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in files() {
        let page = parse("", &read(&file));
        let name = file.display();
        let undefined = page.undefined.iter();
        wrong.extend(undefined.map(|label| format!("{name}: [{label}] has no definition")));
        for target in page.links.iter().filter(|target| !is_absolute(target)) {
            checked += 1;
            let (path, anchor) = resolve(&file, target);
            if !root().join(&path).is_file() {
                wrong.push(format!("{name}: {target} is no file"));
            } else if !anchor.is_empty() && !parse("", &read(&path)).anchors.contains(anchor) {
                wrong.push(format!("{name}: {target} is no heading"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 150, "only {checked} links were found");
}

/// Returns the module that shows a page: `docs/design/protocol.md` is `crate::design::protocol`.
fn module(page: &Path) -> String {
    let inside = page
        .strip_prefix("docs")
        .expect("a page")
        .with_extension("");
    let parts = inside.iter().map(|part| part.to_str().expect("UTF-8"));
    let parts = parts.filter(|&part| part != "README");
    parts.fold("crate".to_owned(), |path, part| path + "::" + part)
}

/// Returns the module to which a link to docs.rs leads, with the heading: `crate::design#progress`.
fn on_docs_rs(target: &str) -> Option<String> {
    let (path, heading) = target.strip_prefix(DOCS_RS)?.split_once("index.html")?;
    let parts = path.split_terminator('/');
    Some(parts.fold("crate".to_owned(), |path, part| path + "::" + part) + heading)
}

/// Whether a link to a module or an item leads to the same target as a link to a file.
fn leads_to_the_same(item: &str, (path, anchor): (&Path, &str)) -> bool {
    if path.starts_with("docs") {
        let (at, heading) = item.split_once('#').unwrap_or((item, ""));
        return at == module(path) && heading == anchor;
    }
    // The source file must contain the name of the item.
    let path_of_item = item.split('#').next().unwrap_or_default();
    let name = path_of_item.rsplit("::").next().unwrap_or_default();
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let text = read(path);
    let mut words = text.split(|letter| !is_part(letter));
    path.starts_with("src") && words.any(|word| word == name)
}

#[test]
fn links_lead_to_the_same_on_docs_rs() {
    let list = read(Path::new(LINKS));
    let mut wrong = Vec::new();
    let mut pages = pages();
    for only_in_the_repository in ["docs/README.md", "docs/paper.md"] {
        pages.remove(Path::new(only_in_the_repository));
    }
    pages.insert("README.md".into());
    for file in pages {
        let text = read(&file);
        let (here, there) = (parse("", &text).links, parse(&list, &text).links);
        assert_eq!(here.len(), there.len(), "{}", file.display());
        for (here, there) in here.iter().zip(&there) {
            let is_same = if let Some(item) = on_docs_rs(here) {
                *there == item
            } else if is_absolute(here) || here.starts_with('#') {
                here == there
            } else {
                let (path, anchor) = resolve(&file, here);
                leads_to_the_same(there, (&path, anchor))
            };
            if !is_same {
                wrong.push(format!("{}: {here}, {there}", file.display()));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "in the repository, on docs.rs: {wrong:#?}"
    );
}

/// Published readmes have links that crates.io follows.
#[test]
fn links_of_published_readmes() {
    let mut headings = BTreeMap::new();
    for page in pages() {
        headings.insert(module(&page), parse("", &read(&page)).anchors);
    }
    let mut wrong = Vec::new();
    let mut checked = 0;
    for file in PUBLISHED {
        for target in parse("", &read(Path::new(file))).links {
            let is_found = match on_docs_rs(&target) {
                Some(item) => {
                    checked += 1;
                    let (module, heading) = item.split_once('#').unwrap_or((&item, ""));
                    let page = headings.get(module);
                    page.is_some_and(|page| heading.is_empty() || page.contains(heading))
                }
                None => {
                    target.starts_with('#') || is_absolute(&target) && !target.starts_with(DOCS_RS)
                }
            };
            if !is_found {
                wrong.push(format!("{file}: {target}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(checked > 5, "only {checked} links were found");
}

#[test]
fn every_definition_of_the_list_is_used() {
    let labels: Vec<String> = read(Path::new(LINKS)).lines().map(label).collect();
    let mut pages = pages();
    pages.insert("README.md".into());
    let used: BTreeSet<String> = pages
        .iter()
        .flat_map(|page| read(page).lines().map(label).collect::<Vec<_>>())
        .collect();
    let labels = labels.into_iter().filter(|label| !label.is_empty());
    let unused: Vec<String> = labels.filter(|label| !used.contains(label)).collect();
    assert!(unused.is_empty(), "{unused:#?}");
}

/// Returns the label that a line defines; an empty text if it defines none.
fn label(line: &str) -> String {
    let label = line
        .strip_prefix('[')
        .and_then(|rest| rest.split_once("]: "));
    label.map_or_else(String::new, |(label, _)| label.to_owned())
}

#[test]
fn every_page_is_shown() {
    let modules = MODULES.map(|module| read(Path::new(module))).concat();
    let list = "doc = include_str!(\"links.md\")";
    let mut shown = BTreeSet::new();
    for (at, _) in modules.match_indices("doc = include_str!(\"../docs/") {
        let path = modules[at..].split('"').nth(1).expect("a path");
        shown.insert(PathBuf::from(path.trim_start_matches("../")));
        let before = modules[..at].trim_end().lines().rev();
        let attribute = before.take(2).any(|line| line.contains(list));
        assert!(attribute, "the list is not before {path}");
    }
    let mut pages = pages();
    assert!(pages.remove(Path::new("docs/README.md")), "the index");
    // Figures of a run, for readers of the repository only.
    assert!(pages.remove(Path::new("docs/paper.md")), "the paper");
    assert_eq!(pages, shown);
}

#[test]
fn lines_are_short() {
    let mut long = Vec::new();
    let mut files = pages();
    files.extend(["README.md", "CHANGELOG.md", "SECURITY.md"].map(PathBuf::from));
    for file in files {
        for (number, line) in read(&file).lines().enumerate() {
            let is_one = line.starts_with(['|', '`']) || !label(line).is_empty();
            if !is_one && line.chars().count() > 100 {
                long.push(format!("{}:{}", file.display(), number + 1));
            }
        }
    }
    assert!(long.is_empty(), "longer than 100: {long:#?}");
}
