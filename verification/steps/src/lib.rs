//! Stopped threads: stops threads at chosen accesses to shared memory, and repeats a scene for each
//! access.
//!
//! A test is one race, repeated for every access of a call: just before that access other threads
//! make their calls. So chance has no part in it, real threads run the shipping code, and a failure
//! names the access. Other suites cover races with more than three stops.
//!
//! The functions here panic if a call panics, or if a check fails.
//!
//! Everything here and in `tests/` is compiled only with `--cfg lockfree_cuckoo_steps`, which
//! `cargo verify steps` sets.
#![cfg(lockfree_cuckoo_steps)]

use std::array;
use std::borrow::Borrow;
use std::fmt::Display;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::{Filter, filter::Engine};

/// More accesses than any call makes.
const MOST_STEPS: usize = 1 << 20;

/// Lets a thread go on, up to [`MOST_STEPS`] accesses.
fn go_on(step: usize) -> Fate {
    assert!(step < MOST_STEPS, "a call has no end");
    Fate::Goes
}

/// Makes a call, and panics if it makes too many accesses: a defect could make it endless.
pub fn bounded<R>(call: impl FnOnce() -> R) -> R {
    stepping(go_on, call).0.expect("no thread dies")
}

/// Inserts items for which there is room.
pub fn fill<E: Engine, S, I: Borrow<u64>>(
    filter: &Filter<E, S>,
    items: impl IntoIterator<Item = I>,
) {
    for item in items {
        let inserted = bounded(|| filter.insert_hash(*item.borrow()));
        inserted.expect("room, and memory");
    }
}

/// Checks the number of copies of these items.
pub fn assert_counts<E: Engine, S, const N: usize>(
    filter: &Filter<E, S>,
    counts: [(u64, usize); N],
) {
    let there = counts.map(|(item, _)| (item, bounded(|| filter.count_hash(item))));
    assert_eq!(there, counts, "an item was lost or made");
}

/// Returns the number of accesses of a call.
pub fn accesses<R>(call: impl FnOnce() -> R) -> usize {
    stepping(go_on, call).1
}

/// Makes a call in which the thread dies at an access. Returns whether it reached that access.
pub fn dies_at<R>(at: usize, call: impl FnOnce() -> R) -> bool {
    let die = move |step| if step == at { Fate::Dies } else { Fate::Goes };
    stepping(die, call).0.is_none()
}

/// The scene that runs now. If it panics, its description is printed.
pub struct Playing<T: Display>(pub T);

impl<T: Display> Drop for Playing<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("in the scene: {}", self.0);
        }
    }
}

/// Runs a scene with a stop at access 0, at access 1 and so on, until it returns false: the access
/// was not reached. Panics unless there are more than `least` scenes, because then a call does not
/// do what the scene says.
pub fn at_each_step(name: &str, least: usize, mut scene: impl FnMut(usize) -> bool) {
    at_all_steps(name, least, |[step]| [scene(step)]);
}

/// Does the same with two stops, in all combinations. The scene returns whether each was reached.
pub fn at_each_two_steps(
    name: &str,
    least: usize,
    mut scene: impl FnMut([usize; 2]) -> (bool, bool),
) {
    at_all_steps(name, least, |steps| scene(steps).into());
}

/// Does the same with any number of stops.
pub fn at_all_steps<const N: usize>(
    name: &str,
    least: usize,
    mut scene: impl FnMut([usize; N]) -> [bool; N],
) {
    let mut scenes = 0;
    let mut play = |steps| {
        let _playing = Playing(format_args!("{name}, accesses {steps:?}"));
        scenes += 1;
        scene(steps)
    };
    vary([0; N], 0, &mut play);
    tell(name, scenes, least);
}

/// Varies the stops from this one on. Returns which of all were ever reached.
fn vary<const N: usize>(
    mut steps: [usize; N],
    from: usize,
    play: &mut impl FnMut([usize; N]) -> [bool; N],
) -> [bool; N] {
    let mut ever = [false; N];
    loop {
        let reached = match from + 1 {
            next if next < N => vary(steps, next, play),
            _ => play(steps),
        };
        ever = array::from_fn(|step| ever[step] || reached[step]);
        if !reached[from] {
            return ever;
        }
        steps[from] += 1;
    }
}

/// Prints the number of scenes, and requires more than `least`.
pub fn tell(name: &str, scenes: usize, least: usize) {
    println!("{scenes} scenes: {name}");
    assert!(scenes > least, "only {scenes} scenes: {name}");
}

/// Stops another thread's call before its access of this number, calls `other` on this thread, and
/// lets the call go on. Returns the result of the call, and whether it reached that access.
pub fn overtaken<R: Send, O>(
    at: usize,
    other: impl FnOnce() -> O,
    call: impl FnOnce() -> R + Send,
) -> (R, bool) {
    thread::scope(|scope| {
        let led = Led::begin(scope, [at], call);
        let reached = led.has_stopped();
        other();
        (led.finish(), reached)
    })
}

/// Does the same on one thread: a call within a call, as a hook or a signal handler makes it, if
/// the access is reached.
pub fn interrupted<R>(
    at: usize,
    mut other: impl FnMut() + 'static,
    call: impl FnOnce() -> R,
) -> (R, bool) {
    let on_step = move |step| {
        if step == at {
            other();
        }
        go_on(step)
    };
    let (result, steps) = stepping(on_step, call);
    (result.expect("no thread dies"), steps > at)
}

/// A thread that stops before some of its accesses until it is told to go on.
#[derive(Debug)]
pub struct Led<'scope, R> {
    go: Sender<()>,
    /// True: it has stopped. False: its work is done, or it is dead.
    news: Receiver<bool>,
    thread: ScopedJoinHandle<'scope, Option<R>>,
    stopped: bool,
}

/// The fate of a led thread at an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// It goes on.
    Goes,
    /// It stops until it is led on.
    Stops,
    /// It dies.
    Dies,
}

impl<'scope, R: Send + 'scope> Led<'scope, R> {
    /// Begins some work. Returns when the thread has reached the first access at which it stops, or
    /// its end.
    pub fn begin<const STOPS: usize>(
        scope: &'scope Scope<'scope, '_>,
        stops: [usize; STOPS],
        work: impl FnOnce() -> R + Send + 'scope,
    ) -> Self {
        let hook = move |step| match stops.contains(&step) {
            true => At::Stops,
            false => At::Goes,
        };
        let mut led = Self::hooked(scope, hook, work);
        led.wait();
        led
    }

    /// Begins some work whose stops a hook decides, and returns at once.
    pub fn hooked(
        scope: &'scope Scope<'scope, '_>,
        mut hook: impl FnMut(usize) -> At + Send + 'static,
        work: impl FnOnce() -> R + Send + 'scope,
    ) -> Self {
        let ((tell, news), (go, wait)) = (channel(), channel());
        let thread = scope.spawn(move || {
            let stopped = tell.clone();
            let on_step = move |step| {
                match hook(step) {
                    At::Goes => {}
                    At::Dies => return Fate::Dies,
                    At::Stops => {
                        // If its leader is gone, it goes on by itself.
                        let _ = stopped.send(true);
                        let _ = wait.recv();
                    }
                }
                go_on(step)
            };
            let result = stepping(on_step, work).0;
            let _ = tell.send(false);
            result
        });
        Self {
            go,
            news,
            thread,
            stopped: false,
        }
    }

    /// Waits until it has stopped, is done, or is dead.
    pub fn wait(&mut self) {
        self.stopped = self.news.recv().expect("it stops or returns");
    }

    /// Whether it has stopped and is not done.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Lets it go on to its next stop. Returns whether it reached one.
    pub fn go_on(&mut self) -> bool {
        if self.stopped {
            self.go.send(()).expect("it waits");
            self.wait();
        }
        self.stopped
    }

    /// Lets it go on to its end.
    pub fn finish(self) -> R {
        self.result().expect("no thread dies")
    }

    /// Does the same; `None` if it has died.
    pub fn result(mut self) -> Option<R> {
        while self.go_on() {}
        self.thread.join().expect("no panic")
    }
}
