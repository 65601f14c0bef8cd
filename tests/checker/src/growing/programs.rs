//! The programs for a table written by hand: `races.txt`, taken apart.

use super::program::Program;

/// A race, and the program that runs it.
#[derive(Clone, Debug)]
pub struct Race {
    /// The model that it belongs to.
    pub model: u8,
    /// What races.
    pub name: &'static str,
    /// How.
    pub program: Program,
}

const TEXT: &str = include_str!("races.txt");

/// All races.
///
/// # Errors
///
/// What is wrong with the text.
pub fn races() -> Result<Vec<Race>, String> {
    let mut races = Vec::new();
    let mut model = 0;
    let lines = TEXT.lines();
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with("# "));
    while let Some(name) = lines.next() {
        if let Some(number) = name.strip_prefix("#M") {
            model = number
                .parse()
                .map_err(|_| format!("{name:?} is no model"))?;
            continue;
        }
        let text = lines.next().and_then(|line| line.strip_prefix("    "));
        let program = text.ok_or("no program")?.parse();
        let program = program.map_err(|why: String| format!("{name}: {why}"))?;
        races.push(Race {
            model,
            name,
            program,
        });
    }
    Ok(races)
}
