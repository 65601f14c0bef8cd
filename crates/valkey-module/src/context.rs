//! What a command asks of the engine.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_longlong};
use std::ptr::null;

use crate::api::{
    AddInfo, BEGIN_AT_INDEX, Begin, CommandArgument, CommandInfo, CommandInfoVersion, Ctx, ERR,
    Event, FIND_RANGE, KeySpec, NOTIFY_MODULE, OK, OnEvent, RunCommand, Str, Type, TypeMethods,
    api, flags,
};
use crate::arguments::{Arguments, one_line};

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
        // SAFETY: it was made with this context, and is given back once.
        unsafe { (api().free_string)(self.ctx.0, self.string) }
    }
}

impl Context {
    /// # Safety
    ///
    /// The context is one of the engine, and is not used when the call that it comes with has ended.
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

    /// Whether the command comes from a primary, an append-only log or another node's slots: it was accepted there.
    pub(crate) fn obeys(self) -> bool {
        // SAFETY: as above.
        let must = api()
            .must_obey_client
            .is_some_and(|must| unsafe { must(self.0) } != 0);
        must || self.flags() & (flags::REPLICATED | flags::LOADING | flags::SLOT_IMPORT) != 0
    }

    /// Whether its client may wait for a worker.
    pub(crate) fn may_block(self) -> bool {
        // Nobody waits in transactions and scripts: there the engine denies blocking.
        const AT_ONCE: c_int =
            flags::DENY_BLOCKING | flags::REPLICATED | flags::LOADING | flags::SLOT_IMPORT;
        self.flags() & AT_ONCE == 0
    }

    /// The number of its client.
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

    /// Tells those who ask for events of keys.
    pub(crate) fn notify(self, event: &CStr, key: *mut Str) {
        // SAFETY: a name and a key that the engine gave.
        unsafe { (api().notify_keyspace_event)(self.0, NOTIFY_MODULE, event.as_ptr(), key) };
    }

    /// Gives replicas and the log the command as it came.
    pub(crate) fn replicate_verbatim(self) {
        // SAFETY: within a command.
        unsafe { (api().replicate_verbatim)(self.0) };
    }

    /// Gives them another one.
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
            // The name is registered, and the format right: it cannot be.
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

    pub(crate) fn reply_simple(self, text: &CStr) {
        // SAFETY: a string that ends with a null byte.
        unsafe { (api().reply_with_simple_string)(self.0, text.as_ptr()) };
    }

    pub(crate) fn reply_number(self, number: i64) {
        // SAFETY: a number.
        unsafe { (api().reply_with_long_long)(self.0, number as c_longlong) };
    }

    pub(crate) fn reply_bool(self, is_true: bool) {
        // SAFETY: 0 or 1.
        unsafe { (api().reply_with_bool)(self.0, is_true.into()) };
    }

    /// As many replies follow.
    pub(crate) fn reply_array(self, length: usize) {
        // SAFETY: a number; no array is longer.
        unsafe { (api().reply_with_array)(self.0, length as std::ffi::c_long) };
    }

    /// Twice as many replies follow.
    pub(crate) fn reply_map(self, length: usize) {
        // SAFETY: a number; no map is longer.
        unsafe { (api().reply_with_map)(self.0, length as std::ffi::c_long) };
    }

    pub(crate) fn reply_nothing(self) {
        // SAFETY: no argument.
        unsafe { (api().reply_with_null)(self.0) };
    }

    pub(crate) fn reply_bytes(self, bytes: &[u8]) {
        // SAFETY: it copies these bytes.
        unsafe { (api().reply_with_string_buffer)(self.0, bytes.as_ptr().cast(), bytes.len()) };
    }

    /// The value of one of the engine's own settings.
    pub(crate) fn setting(self, name: &CStr) -> Option<Vec<u8>> {
        let api = api();
        // SAFETY: `c` stands for a string that ends with a null byte. A reply, and what is in it, is there until it is
        // given back. None is made of a refusal.
        unsafe {
            let (command, get) = (c"CONFIG".as_ptr(), c"GET".as_ptr());
            let reply = (api.call)(self.0, command, c"cc".as_ptr(), get, name.as_ptr());
            if reply.is_null() {
                return None;
            }
            let value = (api.call_reply_array_element)(reply, 1);
            let mut length = 0;
            let start = if value.is_null() {
                null()
            } else {
                (api.call_reply_string_ptr)(value, &raw mut length)
            };
            let found = (!start.is_null())
                .then(|| std::slice::from_raw_parts(start.cast::<u8>(), length).to_vec());
            (api.free_call_reply)(reply);
            found
        }
    }

    pub(crate) fn set_options(self, options: c_int) {
        // SAFETY: bits that the engine knows or ignores.
        unsafe { (api().set_module_options)(self.0, options) };
    }

    pub(crate) fn subscribe(self, event: Event, run: OnEvent) -> bool {
        // SAFETY: a function for events.
        unsafe { (api().subscribe)(self.0, event, run) == OK }
    }

    pub(crate) fn register_info(self, run: AddInfo) -> bool {
        // SAFETY: a function for INFO.
        unsafe { (api().register_info_func)(self.0, run) == OK }
    }

    pub(crate) fn create_command(self, name: &CStr, run: RunCommand, flags: &CStr) -> bool {
        // SAFETY: the first argument is the only key of all these commands.
        unsafe { (api().create_command)(self.0, name.as_ptr(), run, flags.as_ptr(), 1, 1, 1) == OK }
    }

    /// Puts a command into categories, where the engine has them for modules.
    pub(crate) fn categorize(self, name: &CStr, categories: &CStr) -> bool {
        let Some(set) = api().set_command_acl_categories else {
            return true;
        };
        // SAFETY: a command of this module, and a list of words.
        unsafe {
            let command = (api().get_command)(self.0, name.as_ptr());
            !command.is_null() && set(command, categories.as_ptr()) == OK
        }
    }

    /// Says which arguments a command has, in a few words what it does, and what to its key.
    pub(crate) fn describe(self, name: &CStr, spec: &cf::Spec, key: u64) -> bool {
        let summary = one_line(spec.summary);
        let arguments = Arguments::of(spec.usage);
        let arguments = arguments.list();
        let key_spec = |flags, begin_search, find_keys| KeySpec {
            notes: null(),
            flags,
            begin_search,
            // It is the first argument, and the only one.
            begin: Begin {
                index: 1,
                unused: [0; 3],
            },
            find_keys,
            range: [0, 1, 0],
        };
        let keys = [
            key_spec(key, BEGIN_AT_INDEX, FIND_RANGE),
            // The end of the list.
            key_spec(0, 0, 0),
        ];
        let version = CommandInfoVersion {
            version: 1,
            history_entry_bytes: 16,
            key_spec_bytes: size_of::<KeySpec>(),
            argument_bytes: size_of::<CommandArgument>(),
        };
        let info = CommandInfo {
            version: &raw const version,
            summary: summary.as_ptr(),
            complexity: null(),
            since: null(),
            history: null(),
            tips: null(),
            // Few.
            arity: spec.arity as c_int,
            key_specs: keys.as_ptr(),
            arguments: arguments.as_ptr(),
        };
        // SAFETY: a command of this module, and a description that is copied.
        unsafe {
            let command = (api().get_command)(self.0, name.as_ptr());
            !command.is_null() && (api().set_command_info)(command, &raw const info) == OK
        }
    }

    /// Adds a category. Returns false where the engine has none for modules.
    pub(crate) fn add_category(self, name: &CStr) -> bool {
        // SAFETY: a word.
        api()
            .add_acl_category
            .is_some_and(|add| unsafe { add(self.0, name.as_ptr()) } != ERR)
    }

    pub(crate) fn create_type(
        self,
        name: &CStr,
        version: c_int,
        methods: &mut TypeMethods,
    ) -> Option<*mut Type> {
        // SAFETY: the table is copied; its callbacks are for this type.
        let made = unsafe { (api().create_data_type)(self.0, name.as_ptr(), version, methods) };
        (!made.is_null()).then_some(made)
    }
}

/// The bytes of an argument.
///
/// # Safety
///
/// The string is one that the engine gave, and is there for as long as the bytes are used.
pub(crate) unsafe fn bytes_of<'a>(string: *mut Str) -> &'a [u8] {
    let mut length = 0;
    // SAFETY: as promised.
    unsafe {
        let start = (api().string_ptr_len)(string, &raw mut length);
        std::slice::from_raw_parts(start.cast(), length)
    }
}
