//! The context: calls of the engine that a command makes.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::api::{Ctx, Event, NOTIFY_MODULE, OK, OnEvent, Str, api, flags};

/// The engine, for as long as one of its calls lasts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context(*mut Ctx);

/// A string that the module made.
pub(crate) struct OwnedString {
    ctx: Context,
    string: *mut Str,
}

impl OwnedString {
    pub(crate) fn raw(&self) -> *mut Str {
        self.string
    }
}

impl Drop for OwnedString {
    fn drop(&mut self) {
        // SAFETY: it was made with this context, and is freed once.
        unsafe { (api().free_string)(self.ctx.0, self.string) }
    }
}

impl Context {
    /// # Safety
    ///
    /// The context is one of the engine, and is not used after the call that it came with.
    pub(crate) unsafe fn new(ctx: *mut Ctx) -> Self {
        Self(ctx)
    }

    pub(crate) fn raw(self) -> *mut Ctx {
        self.0
    }

    fn flags(self) -> c_int {
        // SAFETY: a context of the engine, as in all calls below.
        unsafe { (api().get_context_flags)(self.0) }
    }

    /// Returns whether the command comes from a primary, an append-only log or another node's
    /// slots, where it was accepted.
    pub(crate) fn obeys(self) -> bool {
        // SAFETY: as above.
        let must = api()
            .must_obey_client
            .is_some_and(|must| unsafe { must(self.0) } != 0);
        must || self.flags() & (flags::REPLICATED | flags::LOADING | flags::SLOT_IMPORT) != 0
    }

    /// Returns whether this node may change its data on its own: it is a primary, has loaded, and
    /// is not about to hand over to a replica.
    pub(crate) fn may_write(self) -> bool {
        let is_loading = self.flags() & flags::LOADING != 0;
        // SAFETY: it takes no argument.
        self.is_primary() && !is_loading && unsafe { (api().avoid_replica_traffic)() } == 0
    }

    pub(crate) fn is_primary(self) -> bool {
        self.flags() & flags::PRIMARY != 0
    }

    /// Returns whether the command comes from another node's slots.
    pub(crate) fn imports(self) -> bool {
        self.flags() & flags::SLOT_IMPORT != 0
    }

    /// Returns the number of the database of the command.
    pub(crate) fn database(self) -> c_int {
        // SAFETY: a context of the engine, as in all calls below.
        unsafe { (api().get_selected_db)(self.0) }
    }

    pub(crate) fn select(self, database: c_int) -> bool {
        // SAFETY: as above.
        unsafe { (api().select_db)(self.0, database) == OK }
    }

    /// Returns the number of its client.
    pub(crate) fn client(self) -> u64 {
        // SAFETY: a context of the engine.
        unsafe { (api().get_client_id)(self.0) }
    }

    pub(crate) fn warn(self, text: &str) {
        let text = one_line(text);
        // SAFETY: a format for one string, and that string.
        unsafe { (api().log)(self.0, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
    }

    pub(crate) fn string(self, text: &[u8]) -> OwnedString {
        // SAFETY: it copies these bytes.
        let string = unsafe { (api().create_string)(self.0, text.as_ptr().cast(), text.len()) };
        OwnedString { ctx: self, string }
    }

    pub(crate) fn signal_modified(self, key: *mut Str) {
        // SAFETY: a key that the engine gave.
        unsafe { (api().signal_modified_key)(self.0, key) };
    }

    /// Publishes an event of a key.
    pub(crate) fn notify(self, event: &CStr, key: *mut Str) {
        // SAFETY: a name and a key that the engine gave.
        unsafe { (api().notify_keyspace_event)(self.0, NOTIFY_MODULE, event.as_ptr(), key) };
    }

    /// Replicates the command unchanged, to replicas and the log.
    pub(crate) fn replicate_verbatim(self) {
        // SAFETY: within a command.
        unsafe { (api().replicate_verbatim)(self.0) };
    }

    /// Replicates another command.
    pub(crate) fn replicate(self, name: &CStr, arguments: &[*mut Str]) {
        // SAFETY: `v` stands for an array of strings and their number.
        let result = unsafe {
            (api().replicate)(
                self.0,
                name.as_ptr(),
                c"v".as_ptr(),
                arguments.as_ptr(),
                arguments.len(),
            )
        };
        if result != OK {
            // This cannot happen: the name is registered, and the format is right.
            self.warn("a change was not replicated");
        }
    }

    pub(crate) fn wrong_number(self) {
        // SAFETY: within a command, as all replies.
        unsafe { (api().wrong_arity)(self.0) };
    }

    pub(crate) fn reply_error(self, text: &str) {
        let text = one_line(text);
        // SAFETY: a string that ends with a null byte.
        unsafe { (api().reply_with_error)(self.0, text.as_ptr()) };
    }

    pub(crate) fn subscribe(self, event: Event, run: OnEvent) -> bool {
        // SAFETY: a function for events.
        unsafe { (api().subscribe)(self.0, event, run) == OK }
    }
}

/// Returns the time by the engine's clock, in milliseconds since 1970.
pub(crate) fn unix_milliseconds() -> u64 {
    // SAFETY: it takes no argument.
    u64::try_from(unsafe { (api().milliseconds)() }).unwrap_or(0)
}

/// Returns the bytes of an argument.
///
/// # Safety
///
/// The string is one of the engine's, and lives as long as the bytes are used.
pub(crate) unsafe fn bytes_of<'a>(string: *mut Str) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: as promised.
    unsafe {
        let start = (api().string_ptr_len)(string, &raw mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}

/// Makes a string of one line: the text may contain input of a client, which must not end the line.
pub(crate) fn one_line(text: &str) -> CString {
    let text = text.replace(|character: char| character.is_control(), " ");
    CString::new(text).unwrap_or_default()
}

/// Does the work, or returns `otherwise` if it panics: a panic that crossed the line between the
/// engine and Rust would end the engine with all its data.
pub(crate) fn guarded<T>(otherwise: T, work: impl FnOnce() -> T) -> T {
    // A panic can leave only a reply or a value half done; filters are always whole.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(otherwise)
}

#[cfg(test)]
mod tests {
    use super::guarded;

    #[test]
    fn a_panic_stops_at_the_border() {
        assert_eq!(guarded(1, || 2), 2);
        assert_eq!(guarded(1, || panic!("on purpose")), 1);
    }
}
