//! Logs on standard error, as text or JSON. A thread of its own writes them: whoever reads them may be slow or gone, and
//! that must neither stop a thread that serves, nor end it.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use log::kv::{Error, Key, Value, VisitSource};
use log::{Level, Log, Metadata, Record};
use serde_json::{Map, Value as Json};

use crate::args::LogFormat;

/// Messages that wait to be written. More are lost.
const WAITING: usize = 1 << 14;

/// At the end, what is waited for a reader.
const PATIENCE: Duration = Duration::from_secs(1);

struct Logger {
    format: LogFormat,
    messages: SyncSender<Message>,
}

enum Message {
    Line(String),
    /// Who waits for it is told when it is reached.
    End(SyncSender<()>),
}

/// Logs messages of this level and above from now on. What is returned waits, at the end, until all messages before it
/// are written.
pub(crate) fn start(format: LogFormat, level: Level) -> impl FnOnce() {
    let (messages, waiting) = sync_channel(WAITING);
    thread::spawn(|| write_all(waiting));
    let last = messages.clone();
    log::set_max_level(level.to_level_filter());
    // There is no other logger in this process.
    let _ = log::set_boxed_logger(Box::new(Logger { format, messages }));
    move || {
        let (reached, end) = sync_channel(1);
        // Full of what nobody reads: then it is not waited for.
        if last.try_send(Message::End(reached)).is_ok() {
            let _ = end.recv_timeout(PATIENCE);
        }
    }
}

fn write_all(messages: Receiver<Message>) {
    for message in messages {
        match message {
            // There is nobody to tell if it fails.
            Message::Line(line) => drop(io::stderr().write_all(line.as_bytes())),
            Message::End(reached) => drop(reached.send(())),
        }
    }
}

impl Log for Logger {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.level() <= log::max_level()
    }

    fn log(&self, record: &Record<'_>) {
        if self.enabled(record.metadata()) {
            let _ = self.messages.try_send(Message::Line(self.line(record)));
        }
    }

    fn flush(&self) {}
}

impl Logger {
    /// One line, whatever is in the fields: text from elsewhere is escaped.
    fn line(&self, record: &Record<'_>) -> String {
        let time = humantime::format_rfc3339_micros(SystemTime::now());
        let (level, message) = (record.level(), record.args());
        let mut fields = Fields::default();
        // It fails only if a visit does.
        let _ = record.key_values().visit(&mut fields);
        match self.format {
            LogFormat::Text => {
                let mut line = format!("{time} {level:>5} {message}");
                for (name, value) in fields.0 {
                    let _ = write!(line, " {name}={value}");
                }
                line + "\n"
            }
            LogFormat::Json => {
                let about = [
                    ("timestamp", time.to_string()),
                    ("level", level.to_string()),
                    ("message", message.to_string()),
                ];
                let about = about.map(|(name, text)| (name.to_owned(), Json::from(text)));
                let object: Map<_, _> = about.into_iter().chain(fields.0).collect();
                Json::from(object).to_string() + "\n"
            }
        }
    }
}

/// What a message says besides its text.
#[derive(Default)]
struct Fields(Vec<(String, Json)>);

impl<'kvs> VisitSource<'kvs> for Fields {
    fn visit_pair(&mut self, name: Key<'kvs>, value: Value<'kvs>) -> Result<(), Error> {
        let value = match (value.to_u64(), value.to_f64()) {
            (Some(number), _) => number.into(),
            (None, Some(number)) => number.into(),
            (None, None) => value.to_string().into(),
        };
        self.0.push((name.to_string(), value));
        Ok(())
    }
}
