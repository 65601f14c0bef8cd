//! An event: happens once, and many tasks can wait for it.

use tokio::sync::watch;

#[derive(Clone, Debug, Default)]
pub(crate) struct Event(watch::Sender<bool>);

impl Event {
    pub(crate) fn happen(&self) {
        self.0.send_replace(true);
    }

    pub(crate) fn has_happened(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it has happened.
    pub(crate) async fn wait(&self) {
        let mut has_happened = self.0.subscribe();
        // It fails only if the sender is gone.
        let _ = has_happened.wait_for(|has_happened| *has_happened).await;
    }
}
