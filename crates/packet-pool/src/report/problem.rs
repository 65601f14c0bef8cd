//! What goes wrong, and the exit status that it gives.

/// The exit statuses other than 0, as `--help` lists them.
#[derive(Clone, Copy, Debug)]
pub enum Status {
    /// The capture could not be read, or not to its end, or a file could not be written.
    Unreadable = 1,
    /// An option is wrong, or asks for more memory or threads than there are.
    BadOption = 2,
    /// The filter was full and refused keys.
    Refused = 3,
    /// Answers do not agree with the exact sets.
    CheckFailed = 4,
}

/// All that went wrong, the worst first.
#[derive(Debug, Default)]
pub struct Problems(Vec<(Status, String)>);

impl Problems {
    /// Adds one that is no worse than those before.
    pub fn add(&mut self, status: Status, words: String) {
        self.0.push((status, words));
    }

    /// A line for each.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, words)| words.as_str())
    }

    /// The exit status of the program.
    pub fn status(&self) -> u8 {
        self.0.first().map_or(0, |&(status, _)| status as u8)
    }
}
