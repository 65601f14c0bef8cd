//! The type of a key: how the engine saves, loads, copies, measures and frees it.
//!
//! A value is saved as a number that says what it is. Of a filter follow its entry, its stored form in strings of at most
//! 1 MiB, and an empty string. Of one that is half loaded follow the length of its dump, what has come of it in such
//! strings, and an empty string.
#![allow(unsafe_code)]

use std::ffi::{CString, c_char, c_int, c_void};
use std::io::{self, Read};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use cf::Loading;
use lockfree_cuckoo::SnapshotError;

use crate::api::{Digest, Io, KeyOptCtx, Str, TYPE_METHODS_VERSION, Type, TypeMethods, api, flags};
use crate::boundary::guarded;
use crate::context::Context;
use crate::loading;
use crate::names;
use crate::stored;
use crate::value::{Content, Value};

/// Nine characters, and none that RedisBloom has: its filters cannot be read as these.
const NAME: &std::ffi::CStr = c"lfcuckoof";
const VERSION: c_int = 1;

const FILTER: u64 = 1;
const LOADING: u64 = 2;

/// Bytes of a chunk of a log, or of slots that move to another node.
const CHUNK: usize = 16 << 20;

/// Bytes that are freed about as fast as one element of a list.
const EFFORT: usize = 16 << 10;

struct Registered(*mut Type);
// SAFETY: the engine's own, which is never changed nor freed.
unsafe impl Send for Registered {}
// SAFETY: as above.
unsafe impl Sync for Registered {}

static TYPE: OnceLock<Registered> = OnceLock::new();

/// The type, once it is registered.
pub(crate) fn registered() -> *mut Type {
    TYPE.get().map_or(null_mut(), |registered| registered.0)
}

pub(crate) fn register(ctx: Context) -> bool {
    let mut methods = TypeMethods {
        version: TYPE_METHODS_VERSION,
        rdb_load: Some(load),
        rdb_save: Some(save),
        aof_rewrite: Some(rewrite),
        mem_usage: None,
        digest: Some(digest),
        free: Some(free),
        aux_load: null(),
        aux_save: null(),
        aux_save_triggers: 0,
        free_effort: null(),
        unlink: null(),
        copy: null(),
        defrag: null(),
        mem_usage2: Some(memory_usage),
        free_effort2: Some(free_effort),
        unlink2: null(),
        copy2: Some(copy),
    };
    let made = ctx.create_type(NAME, VERSION, &mut methods);
    made.is_some_and(|made| TYPE.set(Registered(made)).is_ok())
}

/// The value behind a pointer that the engine has of this type.
unsafe fn value<'a>(value: *const c_void) -> &'a Value {
    // SAFETY: as promised.
    unsafe { &*value.cast() }
}

/// For the engine to keep.
pub(crate) fn into_raw(value: Value) -> *mut c_void {
    Box::into_raw(Box::new(value)).cast()
}

unsafe extern "C" fn free(raw: *mut c_void) {
    // SAFETY: the engine gives back what `into_raw` made, once. It may be on a thread of its own.
    guarded((), || drop(unsafe { Box::from_raw(raw.cast::<Value>()) }));
}

unsafe extern "C" fn memory_usage(_: *mut KeyOptCtx, raw: *const c_void, _: usize) -> usize {
    // SAFETY: of this type, as in all callbacks.
    guarded(0, || unsafe { value(raw) }.memory_usage())
}

unsafe extern "C" fn free_effort(_: *mut KeyOptCtx, raw: *const c_void) -> usize {
    // SAFETY: as above.
    guarded(1, || 1 + unsafe { value(raw) }.memory_usage() / EFFORT)
}

unsafe extern "C" fn copy(_: *mut KeyOptCtx, raw: *const c_void) -> *mut c_void {
    guarded(null_mut(), || {
        // SAFETY: as above.
        let copied = match unsafe { value(raw) }.content() {
            Content::Filter(filter) => stored::copy(filter).map(Value::new),
            Content::Loading(loading) => Loading::begin(loading.bytes()).map(Value::loading),
        };
        copied.map_or(null_mut(), into_raw)
    })
}

unsafe extern "C" fn digest(digest: *mut Digest, raw: *mut c_void) {
    guarded((), || {
        let add = |bytes: &[u8]| {
            // SAFETY: it reads these bytes.
            unsafe {
                (api().digest_add_string_buffer)(digest, bytes.as_ptr().cast(), bytes.len());
            };
        };
        // SAFETY: as above.
        match unsafe { value(raw) }.content() {
            Content::Filter(filter) => {
                add(&stored::entry(filter));
                // Without memory for a copy the digest is another one.
                let _ = stored::write(filter, add);
            }
            Content::Loading(loading) => add(loading.bytes()),
        }
        // SAFETY: the digest of this call.
        unsafe { (api().digest_end_sequence)(digest) };
    });
}

unsafe extern "C" fn save(io: *mut Io, raw: *mut c_void) {
    guarded((), || {
        let number = |number| {
            // SAFETY: the engine's, for this call.
            unsafe { (api().save_unsigned)(io, number) };
        };
        let string = |bytes: &[u8]| {
            // SAFETY: it reads these bytes.
            unsafe { (api().save_string_buffer)(io, bytes.as_ptr().cast(), bytes.len()) };
        };
        // SAFETY: as above.
        match unsafe { value(raw) }.content() {
            Content::Filter(filter) => {
                number(FILTER);
                string(&stored::entry(filter));
                if let Err(error) = stored::write(filter, string) {
                    give_up(io, &error);
                }
            }
            Content::Loading(loading) => {
                number(LOADING);
                number(loading.total() as u64);
                loading.bytes().chunks(1 << 20).for_each(string);
            }
        }
        string(b"");
    });
}

unsafe extern "C" fn load(io: *mut Io, version: c_int) -> *mut c_void {
    guarded(null_mut(), || match read(io, version) {
        Ok(value) => into_raw(value),
        Err(error) => {
            warn(io, &format!("no filter that can be loaded: {error}"));
            null_mut()
        }
    })
}

fn read(io: *mut Io, version: c_int) -> Result<Value, Box<dyn std::error::Error>> {
    if version != VERSION {
        return Err(format!("version {version} of its form is not known").into());
    }
    let number = || {
        // SAFETY: the engine's, for this call.
        let number = unsafe { (api().load_unsigned)(io) };
        has_failed(io).map_or(Ok(number), Err)
    };
    let mut strings = Strings {
        io,
        string: Vec::new(),
        taken: 0,
        has_ended: false,
    };
    match number()? {
        FILTER => {
            let entry = next_string(io)?;
            Ok(Value::new(stored::read(&entry, strings)?))
        }
        LOADING => {
            let total = usize::try_from(number()?)?;
            let mut bytes = Vec::new();
            strings.read_to_end(&mut bytes)?;
            Ok(Value::loading(loading::of_stored(total, &bytes)?))
        }
        other => Err(format!("{other} is no kind of it").into()),
    }
}

fn has_failed(io: *mut Io) -> Option<io::Error> {
    // SAFETY: the engine's, for the call in which it is used.
    (unsafe { (api().is_io_error)(io) } != 0).then(|| io::ErrorKind::UnexpectedEof.into())
}

fn next_string(io: *mut Io) -> io::Result<Vec<u8>> {
    let mut length = 0;
    // SAFETY: it gives a string of that length, to be given back.
    unsafe {
        let start = (api().load_string_buffer)(io, &raw mut length);
        if start.is_null() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let bytes = std::slice::from_raw_parts(start.cast::<u8>(), length).to_vec();
        (api().free)(start.cast());
        Ok(bytes)
    }
}

/// What strings hold until the empty one.
struct Strings {
    io: *mut Io,
    string: Vec<u8>,
    taken: usize,
    has_ended: bool,
}

impl Read for Strings {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.string.len() && !self.has_ended {
            self.string = next_string(self.io)?;
            self.taken = 0;
            self.has_ended = self.string.is_empty();
        }
        let read = (&self.string[self.taken..]).read(into)?;
        self.taken += read;
        Ok(read)
    }
}

unsafe extern "C" fn rewrite(io: *mut Io, key: *mut Str, raw: *mut c_void) {
    guarded((), || {
        let name = names::of("CF.LOADCHUNK");
        let emit = |end: i64, chunk: &[u8]| {
            // SAFETY: `slb` stands for a string of the engine, a number, and bytes with their number.
            unsafe {
                (api().emit_aof)(
                    io,
                    name.as_ptr(),
                    c"slb".as_ptr(),
                    key,
                    end,
                    chunk.as_ptr().cast::<c_char>(),
                    chunk.len(),
                );
            }
        };
        // SAFETY: as above.
        match unsafe { value(raw) }.content() {
            Content::Filter(filter) => {
                if let Err(error) = stored::dump(filter, CHUNK, emit) {
                    give_up(io, &error);
                }
            }
            Content::Loading(loading) => {
                let mut end = 0;
                for chunk in loading.bytes().chunks(CHUNK) {
                    end += chunk.len() as i64;
                    emit(end, chunk);
                }
            }
        }
    });
}

/// A filter could not be written. The engine has no error for that: the process that saves ends, so that what was saved
/// before stays. On the main thread what is written does not load, which is better than a filter that misses items.
fn give_up(io: *mut Io, error: &SnapshotError) {
    warn(io, &format!("a filter could not be written: {error}"));
    // SAFETY: the flags of the process need no context.
    if unsafe { (api().get_context_flags)(null_mut()) } & flags::IS_CHILD != 0 {
        std::process::exit(1);
    }
}

fn warn(io: *mut Io, text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // SAFETY: a format for one string, and that string.
    unsafe { (api().log_io_error)(io, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
}
