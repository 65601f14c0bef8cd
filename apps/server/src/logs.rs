//! Logs: written to standard error as text or JSON, by a thread of their own, because a reader that
//! is slow or gone must not stop a thread that serves.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, SystemTime};

use log::kv::{Error, Key, Value, VisitSource};
use log::{Level, Log, Metadata, Record};

use crate::args::LogFormat;

/// The most messages that wait to be written. Further ones are lost.
const WAITING: usize = 1 << 14;

/// The time that the end of the process waits for the reader.
const PATIENCE: Duration = Duration::from_secs(1);

struct Logger {
    format: LogFormat,
    messages: SyncSender<Message>,
}

enum Message {
    Line(String),
    /// Answered when all earlier messages are written.
    End(SyncSender<()>),
}

/// Starts to log messages of this level and above. The returned function waits, at the end, until
/// all earlier messages are written.
pub(crate) fn start(format: LogFormat, level: Level) -> impl FnOnce() {
    let (messages, waiting) = sync_channel(WAITING);
    thread::spawn(|| write_all(waiting));
    let last = messages.clone();
    log::set_max_level(level.to_level_filter());
    // There is no other logger in this process.
    let _ = log::set_boxed_logger(Box::new(Logger { format, messages }));
    move || {
        let (reached, end) = sync_channel(1);
        // If the queue is full, no reader takes the messages: do not wait.
        if last.try_send(Message::End(reached)).is_ok() {
            let _ = end.recv_timeout(PATIENCE);
        }
    }
}

fn write_all(messages: Receiver<Message>) {
    for message in messages {
        match message {
            // A failure cannot be reported anywhere else.
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
    /// Returns one line for any fields: text from elsewhere is escaped.
    fn line(&self, record: &Record<'_>) -> String {
        let time = humantime::format_rfc3339_micros(SystemTime::now()).to_string();
        let (level, message) = (record.level(), record.args().to_string());
        let mut fields = Fields::default();
        // It fails only if `Fields` does, and that never fails.
        let _ = record.key_values().visit(&mut fields);
        match self.format {
            LogFormat::Text => {
                let fields = fields
                    .0
                    .iter()
                    .map(|(name, json)| format!(" {name}={json}"));
                format!(
                    "{time} {level:>5} {message}{}\n",
                    fields.collect::<String>()
                )
            }
            LogFormat::Json => {
                let (time, message) = (json(time), json(message));
                let fields = fields
                    .0
                    .iter()
                    .map(|(name, json)| format!(",\"{name}\":{json}"));
                let fields: String = fields.collect();
                format!(
                    "{{\"timestamp\":{time},\"level\":\"{level}\",\"message\":{message}{fields}}}\n"
                )
            }
        }
    }
}

fn json(text: String) -> String {
    serde_json::Value::from(text).to_string()
}

/// The names and values of a message besides its text, as JSON.
#[derive(Default)]
struct Fields(Vec<(String, String)>);

impl<'kvs> VisitSource<'kvs> for Fields {
    fn visit_pair(&mut self, name: Key<'kvs>, value: Value<'kvs>) -> Result<(), Error> {
        let is_number = value.to_u64().is_some() || value.to_f64().is_some_and(f64::is_finite);
        let text = value.to_string();
        let value = if is_number { text } else { json(text) };
        self.0.push((name.to_string(), value));
        Ok(())
    }
}
