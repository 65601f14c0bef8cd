//! Progress: shows what a suite is doing, and writes its log.

use std::fs::{self, File};
use std::io::{self, Write};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use crate::root;

/// The time between lines if there is no terminal for a bar.
const SILENCE: Duration = Duration::from_secs(60);

/// The progress of a running suite: a bar on a terminal, or else a line per minute; and a file with
/// all its output.
pub struct Progress {
    bar: ProgressBar,
    doing: Arc<Mutex<String>>,
    log: Mutex<(File, String)>,
    over: Sender<()>,
    clock: JoinHandle<()>,
    start: Instant,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Progress {
    /// Begins to show a suite that usually takes this number of seconds. Its log is
    /// `target/verify/NAME.log`.
    pub fn begin(name: &str, seconds: u64) -> io::Result<Self> {
        let logs = root().join("target").join("verify");
        fs::create_dir_all(&logs)?;
        let file = File::create(logs.join(name.replace(' ', "-")).with_extension("log"))?;
        let style = ProgressStyle::with_template(
            "{prefix:<17} {bar:24} {elapsed:>4} of about {len} s  {wide_msg}",
        );
        let bar = ProgressBar::new(seconds)
            .with_style(style.expect("a template"))
            .with_prefix(name.to_owned());
        let doing = Arc::new(Mutex::new("begins".to_owned()));
        let (over, ended) = channel();
        let (start, name) = (Instant::now(), name.to_owned());
        let (shown, what) = (bar.clone(), Arc::clone(&doing));
        let clock = thread::spawn(move || {
            let mut told = start;
            while ended.recv_timeout(Duration::from_secs(1)) == Err(RecvTimeoutError::Timeout) {
                let elapsed = start.elapsed();
                shown.set_position(elapsed.as_secs().min(seconds));
                shown.set_message(locked(&what).clone());
                if shown.is_hidden() && told.elapsed() >= SILENCE {
                    told = Instant::now();
                    let (now, what) = (elapsed.as_secs(), locked(&what));
                    println!("{name}: {now} s of about {seconds}: {what}");
                }
            }
        });
        Ok(Self {
            bar,
            doing,
            log: Mutex::new((file, String::new())),
            over,
            clock,
            start,
        })
    }

    /// Shows what is being done.
    pub fn doing(&self, what: &str) {
        what.clone_into(&mut locked(&self.doing));
    }

    /// Adds lines to the log.
    pub fn log(&self, lines: &str) {
        let mut log = locked(&self.log);
        let (file, text) = &mut *log;
        for line in lines.lines() {
            text.push_str(line);
            text.push('\n');
            // The final verdict does not depend on the file.
            let _ = writeln!(file, "{line}");
        }
    }

    /// Prints a line, and adds it to the log.
    pub fn say(&self, line: &str) {
        self.log(line);
        self.bar.suspend(|| println!("{line}"));
    }

    /// Ends the bar. Returns the time that the suite took, and the log.
    pub fn end(self) -> (Duration, String) {
        drop(self.over);
        // The thread only prints.
        let _ = self.clock.join();
        self.bar.finish_and_clear();
        let log = self
            .log
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        (self.start.elapsed(), log.1)
    }
}
