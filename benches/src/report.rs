//! Reports: tables in a terminal, and the properties of contenders.

use comfy_table::{CellAlignment, presets};
use serde::{Deserialize, Serialize};

use crate::contender::Contender;
use crate::duel::Cell;
use crate::rig::Rig;
use crate::tally::Faults;

/// Returns the machine, and the special options of this build, in one line.
#[must_use]
pub fn machine() -> String {
    let special = [
        (cfg!(feature = "huge-pages"), ", the filter in huge pages"),
        (cfg!(target_feature = "avx2"), ", built for AVX2"),
    ];
    let special = special.iter().filter(|(is_so, _)| *is_so);
    let special: String = special.map(|(_, words)| *words).collect();
    format!("{}{special}", harness::machine::machine())
}

/// Text in columns, the first to the left, all others to the right. Rows without a number are left
/// out.
#[derive(Debug)]
pub struct Table(comfy_table::Table);

/// The text of a cell without a number.
const NOTHING: &str = "-";

impl Table {
    /// Makes a table with this head.
    pub fn new<T: Into<String>>(head: impl IntoIterator<Item = T>) -> Self {
        let mut table = comfy_table::Table::new();
        let head: Vec<String> = head.into_iter().map(Into::into).collect();
        table.load_style(presets::NOTHING).set_header(head);
        for (at, column) in table.column_iter_mut().enumerate() {
            let alignment = [CellAlignment::Left, CellAlignment::Right][at.min(1)];
            column.set_padding((0, 2)).set_cell_alignment(alignment);
        }
        Self(table)
    }

    /// Adds a row.
    pub fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        let row: Vec<String> = cells.into_iter().map(Into::into).collect();
        if row[1..].iter().any(|cell| cell != NOTHING) {
            self.0.add_row(row);
        }
    }

    /// Prints the table below a caption, unless it is empty.
    pub fn print(&self, caption: &str) {
        if !self.0.is_empty() {
            println!("\n{caption}\n{}", self.0.trim_fmt());
        }
    }
}

/// Shows a number, or a dash if there is none.
pub fn or_dash<T>(value: Option<T>, show: impl Fn(T) -> String) -> String {
    value.map_or_else(|| NOTHING.to_owned(), show)
}

/// Returns two cells of a table: a rate in millions a second, and a ratio.
#[must_use]
pub fn rate_and_ratio(cell: Option<Cell>) -> [String; 2] {
    [
        or_dash(cell, |cell| format!("{:.1}", cell.rate / 1e6)),
        or_dash(cell, |cell| format!("{:.3}", cell.ratio)),
    ]
}

/// The properties of a contender that holds all items, and its failures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct About {
    /// The bytes that it takes, if it tells.
    pub bytes: Option<usize>,
    /// The slots for items, if it tells.
    pub slots: Option<usize>,
    /// The share of absent keys that are found.
    pub false_positives: f64,
    /// Its failures.
    pub faults: Faults,
    /// Whether it can remove.
    pub removes: bool,
    /// Whether threads can share it.
    pub shared: bool,
}

impl About {
    /// Describes the contender of a rig, which takes this many bytes.
    #[must_use]
    pub fn of<C: Contender>(rig: &Rig<C>, bytes: Option<usize>) -> Self {
        Self {
            bytes,
            slots: rig.table().size().0,
            false_positives: rig.false_positives(),
            faults: rig.faults(),
            removes: C::REMOVES,
            shared: C::SHARED,
        }
    }

    /// Returns the share of the slots that this many items take.
    #[must_use]
    pub fn load(&self, items: usize) -> Option<f64> {
        self.slots.map(|slots| items as f64 / slots as f64)
    }

    /// Returns the bits per item, with this many items.
    #[must_use]
    pub fn bits(&self, items: usize) -> Option<f64> {
        self.bytes.map(|bytes| 8.0 * bytes as f64 / items as f64)
    }
}

/// Returns the bytes that are allocated now, if the allocator tells.
#[must_use]
#[allow(unsafe_code, reason = "a call of the C library")]
pub fn allocated() -> Option<usize> {
    #[cfg(target_env = "gnu")]
    // SAFETY: it only adds up the allocator's counts.
    return Some(unsafe { libc::mallinfo2() }).map(|books| books.uordblks + books.hblkhd);
    #[cfg(not(target_env = "gnu"))]
    None
}

/// Prints whether the processes had two cores, by their speedups: about 2 if the cores were free.
pub fn print_cores(speedups: &[f64]) {
    println!("\nTwo threads by one, arithmetic, process by process: {speedups:.2?}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_empty_rows_left_out() {
        let mut table = Table::new(["name", "rate"]);
        let rows = [["a", "1000.5"], ["empty", "-"], ["longer", "1"]];
        rows.into_iter().for_each(|row| table.row(row));
        let text = "name      rate\na       1000.5\nlonger       1";
        assert_eq!(table.0.trim_fmt(), text);
    }
}
