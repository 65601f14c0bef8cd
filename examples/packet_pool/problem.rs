//! What goes wrong, and the exit status that it gives.

/// The exit statuses other than 0, as `--help` lists them.
#[derive(Clone, Copy)]
pub(crate) enum Status {
    Unreadable = 1,
    BadOption = 2,
    Refused = 3,
    CheckFailed = 4,
}

/// All that went wrong, the worst first.
#[derive(Default)]
pub(crate) struct Problems(Vec<(Status, String)>);

impl Problems {
    pub(crate) fn add(&mut self, status: Status, words: String) {
        self.0.push((status, words));
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(_, words)| words.as_str())
    }

    /// The exit status of the program.
    pub(crate) fn status(&self) -> u8 {
        self.0.first().map_or(0, |&(status, _)| status as u8)
    }
}
