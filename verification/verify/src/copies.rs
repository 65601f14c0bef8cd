//! The hand-written copies of the protocol's steps, and what binds each to the code.
//!
//! * A function of `verification/genmc` names the functions of the crate that it translates, each
//!   with a digest of its text: `// Translates kernel: Table::load 0123abcd`. One that has no
//!   counterpart says so: `// Only in C: ...`.
//! * A line of `ORDERINGS` in `verification/genmc/run.py` names the functions with this ordering.
//! * A table in `docs/design` with a column "code" names functions there. In parentheses behind them
//!   is what their texts contain, without white space. If there is a column "ordering", the
//!   functions have these orderings.
//!
//! The name of a function is `[path: ][Type::]name`, or `[path: ]<Type as Trait>::name`. The path is
//! that of a directory or file in `src`, and the function may be anywhere below it. So a function
//! that moves stays bound, and one that is renamed is reported as missing.
//!
//! The state checker's machine is compared with the code access by access instead, and a mutant by
//! the text that it replaces.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use quote::ToTokens;
use syn::{Attribute, Block, ImplItem, Item, Signature};

use crate::root;

/// The directories of the protocol. Each access in them that has an ordering is in a table.
const PROTOCOL: [&str; 4] = ["kernel", "fixed", "growing", "rotating"];

/// The directory of the atomics and of the numbers of threads.
const SYNC: &str = "sync";

const ORDERINGS: [&str; 5] = ["SeqCst", "AcqRel", "Acquire", "Release", "Relaxed"];

/// What stands before the names in C, and before the reason for none.
const TRANSLATES: &str = "// Translates ";
const ONLY_IN_C: &str = "// Only in C: ";

/// Ends the translation in a file of C: the rest judges the answers.
const JUDGE: &str = "#include \"explain.h\"";

const UPDATE: &str = "cargo test -p verify write_digests -- --ignored";

/// A function of the crate.
#[derive(Debug)]
struct Function {
    name: String,
    /// Relative to the root.
    file: PathBuf,
    /// Its tokens, without its name, comments, attributes and white space.
    text: String,
}

impl Function {
    fn digest(&self) -> String {
        // FNV-1a.
        let add = |hash: u32, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        format!("{:08x}", self.text.bytes().fold(0x811c_9dc5, add))
    }

    fn has(&self, ordering: &str) -> bool {
        self.text.contains(&format!("Ordering::{ordering}"))
    }

    fn is_called(&self, name: &str) -> bool {
        let (path, name) = name.split_once(": ").unwrap_or(("", name));
        let file = self.file.with_extension("");
        self.name == name && file.starts_with(Path::new("src").join(path))
    }
}

/// The functions of the protocol, except tests.
#[derive(Debug, Default)]
struct Functions(Vec<Function>);

impl Functions {
    fn of_the_crate() -> Self {
        let mut functions = Self::default();
        for directory in PROTOCOL.into_iter().chain([SYNC]) {
            let mut files = Vec::new();
            let src = root().join("src");
            files.push(src.join(directory).with_extension("rs"));
            sources(&src.join(directory), &mut files);
            for file in files {
                let text = fs::read_to_string(&file).expect("a source file");
                let parsed = syn::parse_file(&text).expect("sound Rust");
                let file = file.strip_prefix(root()).expect("below the root");
                functions.add_all(file, &parsed.items);
            }
        }
        functions
    }

    fn add_all(&mut self, file: &Path, items: &[Item]) {
        for item in items {
            match item {
                Item::Fn(item) if !is_test(&item.attrs) => {
                    let name = item.sig.ident.to_string();
                    self.add(file, name, &item.sig, &item.block);
                }
                Item::Mod(item) if !is_test(&item.attrs) => {
                    let content = item.content.iter();
                    content.for_each(|(_, items)| self.add_all(file, items));
                }
                Item::Impl(item) if !is_test(&item.attrs) => {
                    let syn::Type::Path(of) = &*item.self_ty else {
                        continue;
                    };
                    let last =
                        |path: &syn::Path| path.segments.last().map(|last| last.ident.clone());
                    let Some(of) = last(&of.path) else { continue };
                    let of = match item.trait_.as_ref().and_then(|(path, _)| last(path)) {
                        Some(of_trait) => format!("<{of} as {of_trait}>"),
                        None => of.to_string(),
                    };
                    for item in &item.items {
                        if let ImplItem::Fn(item) = item
                            && !is_test(&item.attrs)
                        {
                            let name = format!("{of}::{}", item.sig.ident);
                            self.add(file, name, &item.sig, &item.block);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn add(&mut self, file: &Path, name: String, signature: &Signature, block: &Block) {
        let mut tokens = signature.to_token_stream();
        block.to_tokens(&mut tokens);
        let mut text = tokens.to_string();
        text.retain(|letter| !letter.is_whitespace());
        // Without its name: a function that is renamed has the same digest.
        let text = text.replacen(&format!("fn{}", signature.ident), "fn", 1);
        let file = file.to_owned();
        self.0.push(Function { name, file, text });
    }

    /// The one function of this name.
    fn get(&self, name: &str) -> Result<&Function, String> {
        let found: Vec<&Function> = self.0.iter().filter(|of| of.is_called(name)).collect();
        match found.as_slice() {
            [one] => Ok(one),
            [] => Err(format!("no function `{name}`: was it renamed or removed?")),
            _ => {
                let files: Vec<String> = found
                    .iter()
                    .map(|one| one.file.display().to_string())
                    .collect();
                Err(format!(
                    "several functions `{name}`, in {}: add a path",
                    files.join(", ")
                ))
            }
        }
    }

    /// The names of the functions with this digest, for a message.
    fn alike(&self, digest: &str) -> String {
        let alike = self.0.iter().filter(|function| function.digest() == digest);
        alike
            .map(|function| format!(" It is the text of `{}`.", function.name))
            .collect()
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut text = attribute.to_token_stream().to_string();
        text.retain(|letter| !letter.is_whitespace());
        let is_cfg = attribute.path().is_ident("cfg");
        is_cfg && text.contains("test") && !text.contains("not(test")
    })
}

/// Adds the Rust files below a directory. A file `tests.rs` has tests.
fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).into_iter().flatten() {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("tests.rs")
        {
            found.push(path);
        }
    }
    found.sort();
}

/// The files of a directory with one of these extensions, and their texts.
fn texts(directory: &str, extensions: &[&str]) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(root().join(directory)).expect("a directory");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let is_wanted = |path: &PathBuf| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| extensions.contains(&extension))
    };
    let mut paths: Vec<PathBuf> = paths.filter(is_wanted).collect();
    paths.sort();
    let text = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("readable");
        (path, text)
    };
    paths.into_iter().map(text).collect()
}

fn name_of(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// The name and the digest in a line of C that translates something.
fn translated(line: &str) -> Option<(&str, &str)> {
    line.trim().strip_prefix(TRANSLATES)?.rsplit_once(' ')
}

/// The names of the functions that a text of C defines, each with the lines of comment before it.
fn functions_of_c(text: &str) -> Vec<(&str, Vec<&str>)> {
    let (mut found, mut comment) = (Vec::new(), Vec::new());
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if line.starts_with("//") {
            comment.push(line);
            continue;
        }
        // A definition has its brace in the same line, or alone in the next one.
        let begins = line.ends_with('{') || line.ends_with('}') || lines.peek() == Some(&"{");
        if line.starts_with("static ")
            && begins
            && let Some((head, _)) = line.split_once('(')
        {
            let name = head.rsplit([' ', '*']).next().unwrap_or(head);
            found.push((name, comment.clone()));
        }
        comment.clear();
    }
    found
}

/// The rows of the tables of a page that have a column "code": the line, the cell of this column,
/// and the cell of the column "ordering", if there is one.
fn rows(text: &str) -> Vec<(usize, &str, Option<&str>)> {
    let mut found = Vec::new();
    let mut columns: Option<(usize, Option<usize>)> = None;
    let mut is_head = true;
    for (number, line) in text.lines().enumerate() {
        if !line.starts_with('|') {
            (columns, is_head) = (None, true);
            continue;
        }
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let place = |name| cells.iter().position(|&cell| cell == name);
        if is_head {
            columns = place("code").map(|code| (code, place("ordering")));
            is_head = false;
        } else if let Some((code, ordering)) = columns
            && !cells
                .iter()
                .all(|cell| cell.chars().all(|letter| "-:".contains(letter)))
        {
            let cell = |place: usize| cells.get(place).copied().unwrap_or_default();
            found.push((number + 1, cell(code), ordering.map(cell)));
        }
    }
    found
}

/// The orderings in a cell, up to a semicolon; none of them, if they are those of a `OnceBox`.
fn orderings(cell: &str) -> Vec<&'static str> {
    if cell.contains("`OnceBox`") {
        return Vec::new();
    }
    let (said, _) = cell.split_once(';').unwrap_or((cell, ""));
    let words: BTreeSet<&str> = said.split(|letter: char| !letter.is_alphabetic()).collect();
    ORDERINGS
        .into_iter()
        .filter(|&ordering| words.contains(ordering))
        .collect()
}

/// What is wrong with a row: the functions that it names, which are added to `bound`, and their
/// orderings.
fn check_row<'a>(
    functions: &'a Functions,
    code: &str,
    ordering: Option<&str>,
    bound: &mut Vec<&'a Function>,
) -> Result<(), String> {
    let mut named: Vec<&Function> = Vec::new();
    // A span outside of parentheses is a function; one in them is in the text of the last ones.
    let (mut depth, mut first) = (0, 0);
    for (place, text) in code.split('`').enumerate() {
        if place % 2 == 0 {
            for letter in text.chars() {
                depth += match letter {
                    '(' => 1,
                    ')' => -1,
                    _ => 0,
                };
                if letter == ')' {
                    first = named.len();
                }
            }
        } else if depth == 0 {
            named.push(functions.get(text)?);
        } else if let Some(function) = named[first..].iter().find(|of| !of.text.contains(text)) {
            return Err(format!("`{}` has no `{text}`", function.name));
        }
    }
    bound.extend(&named);
    let Some(ordering) = ordering else {
        return match named.is_empty() && code != "none" {
            true => Err("neither a function nor `none`".into()),
            false => Ok(()),
        };
    };
    let said = orderings(ordering);
    for one in &said {
        if !named.iter().any(|function| function.has(one)) {
            return Err(format!("no function of {code} has {one}"));
        }
    }
    for function in named {
        if !said.is_empty() && !said.iter().any(|one| function.has(one)) {
            return Err(format!(
                "`{}` has none of {}",
                function.name,
                said.join(", ")
            ));
        }
    }
    Ok(())
}

fn assert_none(wrong: &[String]) {
    assert!(wrong.is_empty(), "\n{}\n", wrong.join("\n"));
}

#[test]
fn each_function_of_c_translates_the_present_code() {
    let functions = Functions::of_the_crate();
    let mut wrong = Vec::new();
    for (path, text) in texts("verification/genmc", &["c", "h"]) {
        if path.ends_with("explain.h") || path.ends_with("multiset.h") {
            continue;
        }
        let (translation, _) = text.split_once(JUDGE).unwrap_or((&text, ""));
        for (name, comment) in functions_of_c(translation) {
            let place = format!("{}: {name}", name_of(&path));
            let mut says = comment.iter().any(|line| line.starts_with(ONLY_IN_C));
            for (of, digest) in comment.iter().filter_map(|line| translated(line)) {
                says = true;
                match functions.get(of) {
                    Err(why) => wrong.push(format!("{place}: {why}{}", functions.alike(digest))),
                    Ok(function) if function.digest() != digest => wrong.push(format!(
                        "{place}: `{of}` in {} has changed, its digest is {} now. Read it beside \
                         the translation, and beside its rows in docs/design; change these if \
                         they say something else; then `{UPDATE}`",
                        function.file.display(),
                        function.digest(),
                    )),
                    Ok(_) => {}
                }
            }
            if !says {
                wrong.push(format!(
                    "{place}: no comment `{TRANSLATES}NAME DIGEST` or `{ONLY_IN_C}REASON`"
                ));
            }
        }
    }
    assert_none(&wrong);
}

/// Writes the digests of the present code, after the translations have been read beside it.
#[test]
#[ignore = "it writes the digests into verification/genmc"]
fn write_digests() {
    let functions = Functions::of_the_crate();
    for (path, text) in texts("verification/genmc", &["c", "h"]) {
        let line = |line: &str| match translated(line) {
            Some((name, digest)) => match functions.get(name) {
                Ok(function) => line.replace(digest, &function.digest()),
                Err(why) => {
                    println!("{}: {why}", name_of(&path));
                    line.to_owned()
                }
            },
            None => line.to_owned(),
        };
        let written: Vec<String> = text.lines().map(line).collect();
        fs::write(&path, written.join("\n") + "\n").expect("writable");
    }
}

/// `"NAME": "SEQ_CST",  # Type::function, Type::function; a remark`, or `# OnceBox in ...`, whose
/// orderings are not in the code.
#[test]
fn the_clients_have_the_orderings_of_the_code() {
    let functions = Functions::of_the_crate();
    let text = fs::read_to_string(root().join("verification/genmc/run.py")).expect("the runner");
    let (_, table) = text.split_once("\nORDERINGS = {").expect("the table");
    let (table, _) = table.split_once("\n}").expect("its end");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for line in table
        .lines()
        .filter(|line| line.trim_start().starts_with('"'))
    {
        count += 1;
        let check = || {
            let (entry, names) = line.split_once('#').ok_or("names no function")?;
            let (names, _) = names.split_once(';').unwrap_or((names, ""));
            let value = entry.split('"').nth(3).ok_or("no ordering")?;
            let is_it = |ordering: &&&str| {
                let letters = value.chars().filter(|letter| letter.is_alphabetic());
                letters.collect::<String>().eq_ignore_ascii_case(ordering)
            };
            let in_a_box = names.trim().strip_prefix("OnceBox in ");
            let names = in_a_box.unwrap_or(names).split(',');
            let names: Vec<String> = names.map(|name| format!("`{}`", name.trim())).collect();
            // Not an ordering: a statement for a weaker variant.
            let ordering = ORDERINGS.iter().find(is_it).filter(|_| in_a_box.is_none());
            check_row(
                &functions,
                &names.join(", "),
                ordering.copied(),
                &mut Vec::new(),
            )
        };
        if let Err(why) = check() {
            wrong.push(format!("run.py: {}: {why}", line.trim()));
        }
    }
    assert!(count > 30, "{count} lines");
    assert_none(&wrong);
}

/// And each function with an access that has an ordering has a row.
#[test]
fn the_tables_of_the_pages_name_the_code() {
    let functions = Functions::of_the_crate();
    let (mut wrong, mut ordered) = (Vec::new(), Vec::new());
    for (path, text) in texts("docs/design", &["md"]) {
        for (number, code, ordering) in rows(&text) {
            let mut bound = Vec::new();
            if let Err(why) = check_row(&functions, code, ordering, &mut bound) {
                wrong.push(format!("{}:{number}: {why}", name_of(&path)));
            }
            ordered.extend(ordering.and(Some(bound)).into_iter().flatten());
        }
    }
    let has_row = |function: &Function| ordered.iter().any(|bound| std::ptr::eq(*bound, function));
    for function in &functions.0 {
        let is_outside = function.file.starts_with(Path::new("src").join(SYNC));
        let has_ordering = ORDERINGS.iter().any(|ordering| function.has(ordering));
        if has_ordering && !is_outside && !has_row(function) {
            wrong.push(format!(
                "no row of a table of orderings in docs/design names `{}` in {}",
                function.name,
                function.file.display(),
            ));
        }
    }
    assert_none(&wrong);
}

#[test]
fn comments_and_layout_do_not_matter_and_the_text_does() {
    let digest = |text: &str| {
        let mut functions = Functions::default();
        let parsed = syn::parse_file(text).expect("sound Rust");
        functions.add_all(Path::new("src/kernel/a.rs"), &parsed.items);
        functions.get("kernel: Word::load").map(Function::digest)
    };
    let of = digest("impl Word { fn load(&self) -> u64 { self.0.load(SeqCst) } }");
    let moved = "impl<L> Word<L> {\n/// Loads.\n#[inline]\nfn load( &self ) -> u64 {\n// All.\n\
                 self.0 .load(SeqCst)\n}\n}";
    assert!(of.is_ok());
    assert_eq!(of, digest(moved));
    assert_ne!(of, digest(&moved.replace("SeqCst", "Acquire")));
    assert!(digest(&moved.replace("fn load", "fn read")).is_err());
    let mut renamed = Functions::default();
    let parsed = syn::parse_file("impl Cell { fn read(&self) -> u64 { self.0.load(SeqCst) } }");
    renamed.add_all(Path::new("src/a.rs"), &parsed.expect("sound Rust").items);
    assert!(
        renamed
            .alike(&of.clone().expect("one"))
            .contains("`Cell::read`")
    );
    assert!(digest(&format!("{moved} mod deeper {{ {moved} }}")).is_err());
    assert_eq!(
        of,
        digest(&format!("{moved} #[cfg(test)] mod tests {{ {moved} }}"))
    );
}

#[test]
fn a_row_fails_with_another_ordering_or_name() {
    let mut functions = Functions::default();
    let text = "impl Word { fn load(&self) -> u64 { self.0.load(Ordering::SeqCst) } }";
    let parsed = syn::parse_file(text).expect("sound Rust");
    functions.add_all(Path::new("src/kernel/a.rs"), &parsed.items);
    let page = "| access | ordering | code |\n|---|---|---|\n| a load | ORDER | CODE |\n";
    for (order, code, is_right) in [
        ("SeqCst; Relaxed would do", "`Word::load`", true),
        ("SeqCst", "`kernel: Word::load` (`self.0.load`)", true),
        ("SeqCst", "`Word::load` (`fetch_or`)", false),
        ("Acquire", "`Word::load`", false),
        ("SeqCst, Acquire", "`Word::load`", false),
        ("SeqCst", "`fixed: Word::load`", false),
        ("SeqCst", "`Word::store`", false),
    ] {
        let page = page.replace("ORDER", order).replace("CODE", code);
        let rows = rows(&page);
        assert_eq!(rows.len(), 1, "{page}");
        let (_, code, ordering) = rows[0];
        let checked = check_row(&functions, code, ordering, &mut Vec::new());
        assert_eq!(checked.is_ok(), is_right, "{page}: {checked:?}");
    }
}
