//! The programs written by hand: `races.txt`, taken apart.

use crate::machine::Machine;
use crate::notation::Program;

/// A race, and the program that runs it.
#[derive(Clone, Debug)]
pub struct Race<M: Machine> {
    /// The model that it belongs to; 0 if there are none.
    pub model: u8,
    /// What races.
    pub name: &'static str,
    /// How.
    pub program: Program<M>,
}

/// All races of a machine.
pub fn races<M: Machine>() -> Result<Vec<Race<M>>, String> {
    let mut races = Vec::new();
    let mut model = 0;
    let mut lines = M::RACES.lines().filter(|line| !line.is_empty());
    while let Some(name) = lines.next() {
        if let Some(number) = name.strip_prefix("#M") {
            model = number
                .parse()
                .map_err(|_| format!("{name:?} is no model"))?;
        }
        if name.starts_with('#') {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixed::program::Fixed;
    use crate::growing::program::Growing;
    use std::collections::HashSet;

    fn every_race_has_a_name_of_its_own<M: Machine>() {
        let races = races::<M>().expect("programs");
        let names: HashSet<&str> = races.iter().map(|race| race.name).collect();
        assert_eq!(names.len(), races.len());
        assert!(races.len() > 70, "the text is read to its end");
    }

    #[test]
    fn every_race_of_each_machine_has_a_name_of_its_own() {
        every_race_has_a_name_of_its_own::<Fixed>();
        every_race_has_a_name_of_its_own::<Growing>();
    }
}
