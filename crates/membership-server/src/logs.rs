//! Standard error, written to by a thread of its own: whoever reads the logs may be slow or gone.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

/// Messages that wait to be written. More are lost.
const WAITING: usize = 1 << 14;

/// At the end, what is waited for a reader.
const PATIENCE: Duration = Duration::from_secs(1);

/// What a message is written to.
#[derive(Clone)]
pub(crate) struct Logs(SyncSender<Message>);

/// The way to wait, at the end, until all messages before it are written.
pub(crate) struct Written(SyncSender<Message>);

enum Message {
    Text(Vec<u8>),
    /// Who waits for it is told when it is reached.
    End(SyncSender<()>),
}

pub(crate) fn start() -> (Logs, Written) {
    let (logs, messages) = sync_channel(WAITING);
    thread::spawn(|| write_all(messages));
    (Logs(logs.clone()), Written(logs))
}

fn write_all(messages: Receiver<Message>) {
    for message in messages {
        match message {
            // There is nobody to tell of it.
            Message::Text(text) => drop(io::stderr().write_all(&text)),
            Message::End(reached) => drop(reached.send(())),
        }
    }
}

impl Written {
    pub(crate) fn wait(self) {
        let (reached, end) = sync_channel(1);
        // Full of what nobody reads: then it is not waited for.
        if self.0.try_send(Message::End(reached)).is_ok() {
            let _ = end.recv_timeout(PATIENCE);
        }
    }
}

impl Write for Logs {
    /// Takes one message, as a whole.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let _ = self.0.try_send(Message::Text(text.to_vec()));
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
