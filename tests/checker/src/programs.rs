//! The programs written by hand: `races.txt`, taken apart.

use crate::layout::EXPLORED;
use crate::program::Program;

/// A race, and the program that runs it.
#[derive(Clone, Debug)]
pub struct Race {
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
    let lines = TEXT.lines();
    let mut lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut races = Vec::new();
    while let Some(name) = lines.next() {
        let text = lines.next().and_then(|line| line.strip_prefix("    "));
        let program = text.ok_or("no program")?.parse();
        let program = program.map_err(|why: String| format!("{name}: {why}"))?;
        races.push(Race { name, program });
    }
    Ok(races)
}

/// The races with buckets of the other layouts, where the tokens of the beginning fit them.
///
/// # Errors
///
/// What is wrong with the text.
pub fn races_of_other_layouts() -> Result<Vec<Program>, String> {
    let races = races()?;
    let usual = races
        .iter()
        .filter(|race| race.program.shape.layout == EXPLORED[0]);
    let others = usual.flat_map(|race| {
        EXPLORED[1..].iter().map(|&layout| {
            let mut program = race.program.clone();
            program.shape.layout = layout;
            program
        })
    });
    Ok(others.filter(Program::fits).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_race_has_a_name_of_its_own() {
        let races = races().expect("programs");
        let names: HashSet<&str> = races.iter().map(|race| race.name).collect();
        assert_eq!(names.len(), races.len());
        assert!(races.len() > 70, "the text is read to its end");
    }
}
