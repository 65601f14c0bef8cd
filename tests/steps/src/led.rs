//! A thread that stops before some of its accesses, until it is led on.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Scope, ScopedJoinHandle};

use lockfree_cuckoo::testing::hooks::stepping;

use crate::go_on;

/// A thread in the midst of its work.
#[derive(Debug)]
pub struct Led<'scope, R> {
    go: Sender<()>,
    /// True: it has stopped. False: its work is done.
    news: Receiver<bool>,
    thread: ScopedJoinHandle<'scope, R>,
    stopped: bool,
}

impl<'scope, R: Send + 'scope> Led<'scope, R> {
    /// Begins some work, and returns when it has come to the first of the accesses at which it stops, or to its end.
    ///
    /// # Panics
    ///
    /// If the work does.
    pub fn begin<const STOPS: usize>(
        scope: &'scope Scope<'scope, '_>,
        stops: [usize; STOPS],
        work: impl FnOnce() -> R + Send + 'scope,
    ) -> Self {
        let ((tell, news), (go, wait)) = (channel(), channel());
        let thread = scope.spawn(move || {
            let stopped = tell.clone();
            let on_step = move |step| {
                if stops.contains(&step) {
                    // If nobody leads it any more, it goes on by itself.
                    let _ = stopped.send(true);
                    let _ = wait.recv();
                }
                go_on(step)
            };
            let result = stepping(on_step, work).0.expect("nobody dies");
            let _ = tell.send(false);
            result
        });
        let stopped = news.recv().expect("it stops or returns");
        Self {
            go,
            news,
            thread,
            stopped,
        }
    }

    /// Whether it has stopped, and is not done.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Lets it go on to its next stop; returns whether it came to one.
    ///
    /// # Panics
    ///
    /// If the work does.
    pub fn go_on(&mut self) -> bool {
        if self.stopped {
            self.go.send(()).expect("it waits");
            self.stopped = self.news.recv().expect("it stops or returns");
        }
        self.stopped
    }

    /// Lets it go on to its end.
    ///
    /// # Panics
    ///
    /// If the work does.
    pub fn finish(mut self) -> R {
        while self.go_on() {}
        self.thread.join().expect("no panic")
    }
}
