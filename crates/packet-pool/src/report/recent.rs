//! The rate of the last seconds: what a stream does now, not what it did since it began.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How far back it looks.
const SPAN: Duration = Duration::from_secs(3);

/// Counts at moments, the oldest first.
pub(crate) struct Recent(VecDeque<(Instant, u64)>);

impl Recent {
    /// Nothing was counted at the start.
    pub(crate) fn new(start: Instant) -> Self {
        Self(VecDeque::from([(start, 0)]))
    }

    /// Takes the count of this moment, and tells how many a second were counted since [`SPAN`] ago.
    pub(crate) fn rate(&mut self, now: Instant, count: u64) -> f64 {
        self.0.push_back((now, count));
        // The first one stays that is as old as the span, or older.
        while let Some(&(second, _)) = self.0.get(1)
            && now.saturating_duration_since(second) >= SPAN
        {
            self.0.pop_front();
        }
        let (since, before) = self.0.front().copied().unwrap_or((now, count));
        let seconds = now.saturating_duration_since(since).as_secs_f64();
        count.saturating_sub(before) as f64 / seconds.max(1e-3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_forgets_what_was_long_ago() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut recent = Recent::new(start);
        // A thousand a second for ten seconds, looked at twenty times a second.
        for turn in 1..=200 {
            let rate = recent.rate(at(50 * turn), 50 * turn);
            assert!((rate - 1000.0).abs() < 1.0, "{rate}");
        }
        // Then nothing: after the span it is 0, however much there was.
        assert!(recent.rate(at(11_000), 10_000) > 500.0);
        assert_eq!(recent.rate(at(13_000), 10_000), 0.0);
        assert_eq!(recent.rate(at(60_000), 10_000), 0.0);
        // And a burst is seen at once.
        assert!(recent.rate(at(60_500), 40_000) > 500.0);
        assert!(recent.0.len() < 100);
    }
}
