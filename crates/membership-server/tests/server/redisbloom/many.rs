//! Requests of many items, and what they come to.

use super::Trial;

/// The words of a request with numbers behind them.
pub(super) fn with(start: &str, numbers: std::ops::Range<usize>) -> Vec<String> {
    let start = start.split(' ').map(str::to_owned);
    start
        .chain(numbers.map(|number| number.to_string()))
        .collect()
}

/// How many of so many items are refused.
pub(super) fn many(trial: &mut Trial, start: &str, items: usize) -> usize {
    let reply = trial.client.ask(&with(start, 0..items));
    reply.matches(":-1\r\n").count()
}

/// The number behind a name in the reply to CF.INFO.
pub(super) fn number(info: &str, name: &str) -> usize {
    let mut lines = info.lines().skip_while(|line| line.get(1..) != Some(name));
    let number = lines.nth(1).and_then(|line| line.strip_prefix(':'));
    number
        .and_then(|number| number.parse().ok())
        .expect("a number")
}
