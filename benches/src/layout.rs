//! Text in columns.

/// A table: the first column to the left, all others to the right.
#[derive(Debug, Default)]
pub struct Layout {
    rows: Vec<Vec<String>>,
}

impl Layout {
    /// One with this head.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        let mut layout = Self::default();
        layout.row(head);
        layout
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The lines, without a trailing blank.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column));
                cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
            })
            .collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).enumerate();
            let padded: Vec<String> = cells
                .map(|(column, (cell, &width))| match column {
                    0 => format!("{cell:width$}"),
                    _ => format!("{cell:>width$}"),
                })
                .collect();
            padded.join("  ").trim_end().to_owned()
        };
        self.rows.iter().map(line).collect()
    }

    /// Prints the lines.
    pub fn print(&self) {
        for line in self.lines() {
            println!("{line}");
        }
    }
}

/// A number, or a dash if there is none.
pub fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| "-".to_owned(), show)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut layout = Layout::new(["name", "rate"]);
        layout.row(["a", "1000.5"]);
        layout.row(["longer", "-"]);
        assert_eq!(
            layout.lines(),
            ["name      rate", "a       1000.5", "longer       -"]
        );
    }
}
