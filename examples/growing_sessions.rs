//! Sessions, of unknown number: each login adds one, each logout removes it, and the filter grows
//! within a limit.
//!
//! `cargo run --release --example growing_sessions`

use lockfree_cuckoo::{GrowingCuckooFilter, InsertError};
use std::thread;

/// A session, which ends when this is dropped.
struct Session<'a> {
    sessions: &'a GrowingCuckooFilter,
    id: u64,
}

impl<'a> Session<'a> {
    fn begin(sessions: &'a GrowingCuckooFilter, id: u64) -> Result<Self, InsertError> {
        // Not `insert_unique`: an id that collides with another one needs a copy of its own, which
        // its session removes.
        sessions.insert(&id)?;
        Ok(Self { sessions, id })
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.sessions.remove(&self.id);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sessions = GrowingCuckooFilter::builder()
        .capacity(1_000)
        .max_memory_usage(16 << 20)
        .build()?;
    thread::scope(|scope| {
        for worker in 0..4u64 {
            let sessions = &sessions;
            scope.spawn(move || {
                let mut open = Vec::new();
                for number in 0..200_000u64 {
                    match Session::begin(sessions, worker << 32 | number) {
                        Ok(session) => open.push(session),
                        Err(error) => {
                            return println!("worker {worker}: no more sessions: {error}");
                        }
                    }
                }
                let (count, bytes) = (sessions.len(), sessions.memory_usage());
                println!("worker {worker}: {count} sessions in {bytes} bytes");
                assert!(open.iter().all(|session| sessions.contains(&session.id)));
            });
        }
    });
    assert!(sessions.is_empty());
    let (mut sessions, bytes) = (sessions.empty_like()?, sessions.memory_usage());
    sessions.shrink_to_fit();
    println!(
        "all have ended: {bytes} bytes become {}",
        sessions.memory_usage()
    );
    Ok(())
}
