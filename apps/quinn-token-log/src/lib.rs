//! The log of used tokens of a QUIC server, on a [`RotatingCuckooFilter`]: an example of the trait
//! [`TokenLog`] of quinn.
//!
//! A server gives its clients tokens that prove their address at the next visit. Each token should
//! be accepted once (RFC 9000, 8.1.4). quinn asks its log for each token. The log of quinn,
//! [`BloomTokenLog`], is a mutex around two filters. Here no thread waits for another, except while
//! one forgets old tokens, once in the lifetime of a token.
//!
//! | a token | answer |
//! |---|---|
//! | is new | accepted, by one of the threads that ask at the same time |
//! | was accepted within its lifetime | refused |
//! | is taken for another one: one of 4,300, if as many were used as the log is made for | refused |
//! | is new, but the log is full | refused |
//!
//! A client whose token is refused is treated like one without a token. So a wrong refusal costs
//! little, and a wrong acceptance is what the log exists to prevent. That is why a full log
//! refuses, instead of forgetting early.
//!
//! After a restart the log is empty. Let the server accept no tokens for one lifetime, or change
//! the key of its tokens.
//!
//! ```
//! use quinn_proto::ValidationTokenConfig;
//! use quinn_token_log::RotatingTokenLog;
//! use std::sync::Arc;
//! use std::time::Duration;
//!
//! let lifetime = Duration::from_secs(14 * 24 * 60 * 60);
//! let log = RotatingTokenLog::new(1_000_000, lifetime)?; // 6.3 MB
//! let mut config = ValidationTokenConfig::default(); // of a `ServerConfig`
//! config.lifetime(lifetime).log(Arc::new(log));
//! # Ok::<(), lockfree_cuckoo::BuildError>(())
//! ```
//!
//! [`BloomTokenLog`]: quinn_proto::BloomTokenLog

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use lockfree_cuckoo::{BuildError, RotateError, RotatingCuckooFilter, RotationClock};
use quinn_proto::{TokenLog, TokenReuseError};

/// The tokens of this period and of the one before.
const GENERATIONS: u64 = 2;

/// A log of used tokens. A period is the lifetime of a token: so a token that was used is known for
/// at least that time.
#[derive(Debug)]
pub struct RotatingTokenLog {
    used: RotatingCuckooFilter,
    /// In nanoseconds, as all times here.
    lifetime: u64,
    start: Instant,
    /// The time of the next rotation, from the start.
    due: AtomicU64,
    /// Held by the thread that rotates.
    clock: Mutex<RotationClock>,
}

impl RotatingTokenLog {
    /// A log for this many used tokens in the lifetime of one. It takes 6.3 bytes for each of them.
    ///
    /// # Errors
    ///
    /// If there is no memory, or no filter has that size.
    pub fn new(tokens: usize, lifetime: Duration) -> Result<Self, BuildError> {
        // A lifetime of 0 has no tokens. One of centuries is longer than the server runs.
        let lifetime = u64::try_from(lifetime.as_nanos())
            .unwrap_or(u64::MAX)
            .max(1);
        let used = RotatingCuckooFilter::builder().capacity(tokens);
        Ok(Self {
            used: used.generations(GENERATIONS as usize).build()?,
            lifetime,
            start: Instant::now(),
            due: lifetime.into(),
            clock: Mutex::new(RotationClock::new(
                Duration::from_nanos(lifetime),
                Duration::ZERO,
            )),
        })
    }

    /// The bytes that it takes, all of them.
    #[must_use]
    pub fn memory_usage(&self) -> usize {
        self.used.memory_usage() + (size_of::<Self>() - size_of_val(&self.used))
    }

    /// Accepts the token at this time if it is new.
    fn accept(&self, nonce: u128, now: u64) -> Result<(), TokenReuseError> {
        self.forget(now).map_err(|_| TokenReuseError)?;
        // The nonce is random and the server's own: half of it is as good as a hash.
        match self.used.insert_unique_hash(nonce as u64) {
            Ok(true) => Ok(()),
            Ok(false) | Err(_) => Err(TokenReuseError),
        }
    }

    /// Makes the rotations that are due. Threads that come meanwhile wait: what they insert must
    /// not go with what was there before.
    fn forget(&self, now: u64) -> Result<(), RotateError> {
        // Acquire: the rotations before this time are made; pairs with the Release below.
        if now < self.due.load(Ordering::Acquire) {
            return Ok(());
        }
        let mut clock = self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        let time = Duration::from_nanos(now);
        // Find none to make, if another thread has made them.
        if self.used.catch_up(&mut clock, time)? > 0 {
            let rest = clock.until_due(time).as_nanos() as u64;
            // Release: the rotations come before it; pairs with the Acquire above.
            self.due.store(now.saturating_add(rest), Ordering::Release);
            // Empty the forgotten table now. If this fails, the next rotation does it.
            let _ = self.used.clean_spare();
        }
        Ok(())
    }
}

impl TokenLog for RotatingTokenLog {
    fn check_and_insert(
        &self,
        nonce: u128,
        _issued: SystemTime,
        lifetime: Duration,
    ) -> Result<(), TokenReuseError> {
        // A token that lives longer could come again when it is forgotten.
        if lifetime.as_nanos() > self.lifetime.into() {
            return Err(TokenReuseError);
        }
        let now = self.start.elapsed().as_nanos();
        self.accept(nonce, u64::try_from(now).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const LIFETIME: Duration = Duration::from_secs(100);
    const SECOND: u64 = 1_000_000_000;

    /// Well mixed, as the nonces of a server.
    fn nonce(number: u64) -> u128 {
        u128::from(
            number
                .wrapping_add(1)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                .rotate_left(32)
                | 1,
        )
        .wrapping_mul(0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645)
            >> 32
    }

    fn log(tokens: usize) -> RotatingTokenLog {
        RotatingTokenLog::new(tokens, LIFETIME).expect("memory")
    }

    /// One of many threads accepts a token.
    #[test]
    fn one_of_many_threads_accepts_a_token() {
        let log = &log(10_000);
        let accept = || {
            let tokens = 0..10_000;
            let now = SystemTime::now();
            let accepted =
                tokens.filter(|&number| log.check_and_insert(nonce(number), now, LIFETIME).is_ok());
            accepted.count()
        };
        let accepted: usize = thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(accept)).collect();
            threads
                .into_iter()
                .map(|thread| thread.join().expect("no panic"))
                .sum()
        });
        // All but false positives, and none twice.
        assert!((9_980..=10_000).contains(&accepted), "{accepted}");
    }

    #[test]
    fn a_token_is_refused_for_its_lifetime() {
        let log = log(100);
        for (time, is_accepted) in [
            (0, true),
            (0, false),
            (99, false),
            (100, false),
            (199, false),
        ] {
            let accepted = log.accept(nonce(1), time * SECOND).is_ok();
            assert_eq!(accepted, is_accepted, "{time}");
        }
        // Used at the end of a period.
        assert!(log.accept(nonce(2), 199 * SECOND).is_ok());
        assert!(log.accept(nonce(2), 299 * SECOND).is_err());
        assert!(
            log.accept(nonce(2), 300 * SECOND).is_ok(),
            "it is out of date"
        );
    }

    /// All is forgotten, in two rotations, and what comes then stays for its lifetime.
    #[test]
    fn a_long_pause_forgets_all_and_no_more() {
        let log = log(100);
        assert!(log.accept(nonce(1), 0).is_ok());
        assert!(log.accept(nonce(2), 1_000_000 * SECOND).is_ok());
        assert_eq!(log.used.rotations(), GENERATIONS);
        assert!(log.accept(nonce(1), 1_000_000 * SECOND).is_ok());
        assert!(log.accept(nonce(1), 1_000_099 * SECOND).is_err());
        assert!(log.accept(nonce(2), 1_000_199 * SECOND).is_err());
        assert_eq!(log.used.rotations(), GENERATIONS + 1);
        assert!(log.accept(nonce(2), u64::MAX).is_ok());
    }

    #[test]
    fn a_full_log_refuses_and_forgets_nothing() {
        let log = log(100);
        let accepted: Vec<u64> = (0..10_000)
            .filter(|&n| log.accept(nonce(n), 0).is_ok())
            .collect();
        assert!((100..1_000).contains(&accepted.len()));
        assert!(
            accepted
                .iter()
                .all(|&n| log.accept(nonce(n), 99 * SECOND).is_err())
        );
    }

    #[test]
    fn a_token_of_a_longer_life_is_refused() {
        let (log, now) = (log(100), SystemTime::now());
        let longer = LIFETIME + Duration::from_nanos(1);
        assert!(log.check_and_insert(nonce(1), now, longer).is_err());
        assert!(log.check_and_insert(nonce(1), now, LIFETIME).is_ok());
    }
}
