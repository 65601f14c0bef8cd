//! What the tests of stopped threads share: threads that stop at given accesses, and scenes that are played for each.
//!
//! Each test is one race, repeated for every access of a call: just before that access others make their calls. So
//! nothing is left to chance, real threads with the shipping code do the work, and a failure names the access. A race
//! that takes more than three stops is for the other layers.
//!
//! All of this panics if a call does that it makes, or if something is not as it says.
//!
//! Everything here and in `tests/` is compiled only with `--cfg lockfree_cuckoo_steps`; `cargo suite steps` sees to
//! that.
#![cfg(lockfree_cuckoo_steps)]

use std::array;
use std::borrow::Borrow;
use std::fmt::Display;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, Scope, ScopedJoinHandle};

use lockfree_cuckoo::testing::hooks::{Fate, stepping};
use lockfree_cuckoo::{Engine, Filter};

/// More accesses than any call makes.
const MOST_STEPS: usize = 1 << 20;

/// Lets a thread go on, but not for ever.
fn go_on(step: usize) -> Fate {
    assert!(step < MOST_STEPS, "a call has no end");
    Fate::Goes
}

/// Makes a call that may have no end if something is wrong.
pub fn bounded<R>(call: impl FnOnce() -> R) -> R {
    stepping(go_on, call).0.expect("nobody dies")
}

/// Adds items for which there is room.
pub fn fill<E: Engine, S, I: Borrow<u64>>(
    filter: &Filter<E, S>,
    items: impl IntoIterator<Item = I>,
) {
    for item in items {
        let inserted = bounded(|| filter.insert_hash(*item.borrow()));
        inserted.expect("room, and memory");
    }
}

/// Demands so many copies of these items.
pub fn assert_counts<E: Engine, S, const N: usize>(
    filter: &Filter<E, S>,
    counts: [(u64, usize); N],
) {
    let there = counts.map(|(item, _)| (item, bounded(|| filter.count_hash(item))));
    assert_eq!(there, counts, "an item was lost or made");
}

/// The accesses of a call.
pub fn accesses<R>(call: impl FnOnce() -> R) -> usize {
    stepping(go_on, call).1
}

/// Makes a call in which the thread dies at an access. Returns whether it came to that.
pub fn dies_at<R>(at: usize, call: impl FnOnce() -> R) -> bool {
    let die = move |step| if step == at { Fate::Dies } else { Fate::Goes };
    stepping(die, call).0.is_none()
}

/// What is played: if it panics, it says what it was.
pub struct Playing<T: Display>(pub T);

impl<T: Display> Drop for Playing<T> {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("in the scene: {}", self.0);
        }
    }
}

/// Plays a scene with a stop at access 0, at access 1 and so on, until it returns false: the access was not reached. If
/// there are not more than `least` scenes, a call does not do what the scene says.
pub fn at_each_step(name: &str, least: usize, mut scene: impl FnMut(usize) -> bool) {
    at_all_steps(name, least, |[step]| [scene(step)]);
}

/// The same with two stops, each with each. The scene returns whether the first was reached, and the second.
pub fn at_each_two_steps(
    name: &str,
    least: usize,
    mut scene: impl FnMut([usize; 2]) -> (bool, bool),
) {
    at_all_steps(name, least, |steps| scene(steps).into());
}

/// The same with any number of stops.
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

/// Varies the steps from this one on. Returns which of all were ever reached.
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

/// Says how many scenes there were, and demands more than `least`.
pub fn tell(name: &str, scenes: usize, least: usize) {
    println!("{scenes} scenes: {name}");
    assert!(scenes > least, "only {scenes} scenes: {name}");
}

/// Another thread makes a call and stops before its access of this number; then `other` is done here, and the call goes on.
/// Returns what the call returned, and whether it came to that access.
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

/// The same on one thread: a call within a call, as a hook or a signal handler makes it, if the access is reached.
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
    (result.expect("nobody dies"), steps > at)
}

/// A thread in the midst of its work, which stops before some of its accesses, until it is led on.
#[derive(Debug)]
pub struct Led<'scope, R> {
    go: Sender<()>,
    /// True: it has stopped. False: its work is done, or it is dead.
    news: Receiver<bool>,
    thread: ScopedJoinHandle<'scope, Option<R>>,
    stopped: bool,
}

/// What becomes of a led thread at an access.
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
    /// Begins some work, and returns when it has come to the first of the accesses at which it stops, or to its end.
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

    /// Begins some work of which a hook says what becomes of it, and returns at once.
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
                        // If nobody leads it any more, it goes on by itself.
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

    /// Waits until it stops, or is done, or dead.
    pub fn wait(&mut self) {
        self.stopped = self.news.recv().expect("it stops or returns");
    }

    /// Whether it has stopped, and is not done.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Lets it go on to its next stop; returns whether it came to one.
    pub fn go_on(&mut self) -> bool {
        if self.stopped {
            self.go.send(()).expect("it waits");
            self.wait();
        }
        self.stopped
    }

    /// Lets it go on to its end.
    pub fn finish(self) -> R {
        self.result().expect("nobody dies")
    }

    /// The same, and nothing if it has died.
    pub fn result(mut self) -> Option<R> {
        while self.go_on() {}
        self.thread.join().expect("no panic")
    }
}
