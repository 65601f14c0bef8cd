//! Tables in Markdown files: each is written between marks, `<!-- name -->` and `<!-- end of name
//! -->`.

use std::error::Error;
use std::fs;
use std::path::Path;

/// Returns a table: a line for the head, and one for each row.
#[must_use]
pub fn table<H: AsRef<str>, C: AsRef<str>>(
    head: &[H],
    rows: impl IntoIterator<Item = Vec<C>>,
) -> String {
    let mut text = line(head.iter().map(AsRef::as_ref));
    text += &format!("|{}\n", "---|".repeat(head.len()));
    for row in rows {
        text += &line(row.iter().map(AsRef::as_ref));
    }
    text
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let cells: String = cells.map(|cell| format!(" {cell} |")).collect();
    format!("|{cells}\n")
}

/// Writes named texts into a file, each where the file has marks of its name.
///
/// # Errors
///
/// If the file cannot be read or written, or has no marks of any of the names.
pub fn write_between_marks(
    file: &Path,
    texts: &[(impl AsRef<str>, String)],
) -> Result<(), Box<dyn Error>> {
    let name = file.display();
    let mut all = fs::read_to_string(file).map_err(|error| format!("{name}: {error}"))?;
    let mut written = 0;
    for (mark, text) in texts {
        if let Some(new) = replaced(&all, mark.as_ref(), text) {
            (all, written) = (new, written + 1);
        }
    }
    if written == 0 {
        return Err(format!("{name}: no marks of a table").into());
    }
    fs::write(file, all).map_err(|error| format!("{name}: {error}").into())
}

/// Returns the text with `text` between the marks of a name, if it has them.
fn replaced(all: &str, name: &str, text: &str) -> Option<String> {
    let (start, end) = (
        format!("<!-- {name} -->"),
        format!("<!-- end of {name} -->"),
    );
    let (before, rest) = all.split_once(&start)?;
    let (_, after) = rest.split_once(&end)?;
    Some(format!("{before}{start}\n\n{}\n{end}{after}", text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_a_line_for_each_row() {
        let text = table(&["a", "b"], [vec!["1", "2"], vec!["3", "4"]]);
        assert_eq!(text, "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n");
    }

    #[test]
    fn replaces_only_the_text_between_the_marks() {
        let text = "a\n<!-- rivals -->\nold\n<!-- end of rivals -->\nb\n";
        let new = "a\n<!-- rivals -->\n\nnew\n<!-- end of rivals -->\nb\n";
        assert_eq!(replaced(text, "rivals", "\nnew\n").as_deref(), Some(new));
        assert_eq!(replaced(new, "rivals", "new").as_deref(), Some(new));
        assert_eq!(replaced(text, "contenders", "new\n"), None);
        assert_eq!(replaced("<!-- rivals -->\n", "rivals", "new\n"), None);
    }
}
