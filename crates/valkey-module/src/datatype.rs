//! The type of a key: what the engine calls to save, load, copy, measure and free a value.
//!
//! In a snapshot, a number says what a value is. Then follow the dump of a filter, or what has come of one, in strings of at
//! most 1 MiB, and an empty string. In a log, both are `CF.LOADCHUNK` commands: so they are on their way to another node,
//! too.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::{self, Read};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use cf::{Filter, Loading};

use crate::api::{Digest, Io, KeyOptCtx, Str, TYPE_METHODS_VERSION, Type, TypeMethods, api, flags};
use crate::context::{Context, guarded, one_line};
use crate::limits::NO_LIMIT;
use crate::names;
use crate::value::{Content, Value};

/// Nine characters, and none that RedisBloom has: its filters cannot be read as these.
const NAME: &CStr = c"lfcuckoof";

/// Of the form in snapshots.
const VERSION: c_int = 2;

const FILTER: u64 = 1;
const LOADING: u64 = 2;

/// Bytes of a string of a snapshot.
const PIECE: usize = 1 << 20;

/// Bytes of a chunk of a log.
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
        aux: [null(); 2],
        aux_save_triggers: 0,
        unused: [null(); 4],
        mem_usage2: Some(memory_usage),
        free_effort2: Some(free_effort),
        unlink2: null(),
        copy2: Some(copy),
    };
    // SAFETY: the table is copied; its callbacks are for this type.
    let made =
        unsafe { (api().create_data_type)(ctx.raw(), NAME.as_ptr(), VERSION, &raw mut methods) };
    !made.is_null() && TYPE.set(Registered(made)).is_ok()
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
    // SAFETY: as above.
    let copied = guarded(None, || unsafe { value(raw) }.copy().ok());
    copied.map_or(null_mut(), into_raw)
}

unsafe extern "C" fn digest(digest: *mut Digest, raw: *mut c_void) {
    guarded((), || {
        let add = |_, bytes: &[u8]| {
            // SAFETY: it reads these bytes.
            unsafe {
                (api().digest_add_string_buffer)(digest, bytes.as_ptr().cast(), bytes.len());
            };
        };
        // SAFETY: as above. Without memory for a piece the digest is another one.
        let _ = unsafe { value(raw) }.pieces(PIECE, add);
        // SAFETY: the digest of this call.
        unsafe { (api().digest_end_sequence)(digest) };
    });
}

unsafe extern "C" fn save(io: *mut Io, raw: *mut c_void) {
    let string = |bytes: &[u8]| {
        // SAFETY: the stream is there for this call, as in those below. It reads these bytes.
        unsafe { (api().save_string_buffer)(io, bytes.as_ptr().cast(), bytes.len()) };
    };
    // SAFETY: as above.
    let value = unsafe { value(raw) };
    let kind = match value.content() {
        Content::Filter(_) => FILTER,
        Content::Loading(_) => LOADING,
    };
    // SAFETY: a number.
    unsafe { (api().save_unsigned)(io, kind) };
    write(io, value, PIECE, |_, piece| string(piece));
    string(b"");
}

unsafe extern "C" fn rewrite(io: *mut Io, key: *mut Str, raw: *mut c_void) {
    // SAFETY: as above.
    write(io, unsafe { value(raw) }, CHUNK, |end, chunk| {
        let (name, format) = (names::of("CF.LOADCHUNK"), c"slb");
        let (start, bytes) = (chunk.as_ptr().cast::<c_char>(), chunk.len());
        // SAFETY: `slb` stands for a string of the engine, a number, and bytes with their number.
        unsafe { (api().emit_aof)(io, name.as_ptr(), format.as_ptr(), key, end, start, bytes) };
    });
}

/// Writes all pieces. The engine has no error for a filter that cannot be written: the process that saves ends, so that what
/// was saved before stays. On the main thread what is written does not load, which is better than a filter that misses
/// items.
fn write(io: *mut Io, value: &Value, most: usize, each: impl FnMut(i64, &[u8])) {
    let is_done = guarded(false, || {
        let written = value.pieces(most, each);
        if let Err(error) = &written {
            warn(io, &format!("a filter could not be written: {error}"));
        }
        written.is_ok()
    });
    // SAFETY: the flags of the process need no context.
    if !is_done && unsafe { (api().get_context_flags)(null_mut()) } & flags::IS_CHILD != 0 {
        std::process::exit(1);
    }
}

unsafe extern "C" fn load(io: *mut Io, version: c_int) -> *mut c_void {
    let loaded = guarded(None, || {
        let read = read(io, version);
        if let Err(error) = &read {
            warn(io, &format!("no filter that can be loaded: {error}"));
        }
        read.ok()
    });
    loaded.map_or(null_mut(), into_raw)
}

fn read(io: *mut Io, version: c_int) -> Result<Value, Box<dyn std::error::Error>> {
    if version != VERSION {
        return Err(format!("version {version} of its form is not known").into());
    }
    // SAFETY: the engine's, for this call. After an error of the stream it is 0.
    let kind = unsafe { (api().load_unsigned)(io) };
    let mut strings = Strings {
        io,
        string: Vec::new(),
        taken: 0,
        has_ended: false,
    };
    match kind {
        FILTER => Ok(Value::new(Filter::of_dump(&mut strings, NO_LIMIT)?)),
        LOADING => {
            let mut bytes = Vec::new();
            strings.read_to_end(&mut bytes)?;
            let loading = Loading::begin(&bytes)?;
            if loading.bytes().len() == loading.total() {
                return Err("it is no part of a dump".into());
            }
            Ok(Value::loading(loading))
        }
        other => Err(format!("{other} is no kind of it").into()),
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

fn warn(io: *mut Io, text: &str) {
    let text = one_line(text);
    // SAFETY: a format for one string, and that string.
    unsafe { (api().log_io_error)(io, c"warning".as_ptr(), c"%s".as_ptr(), text.as_ptr()) };
}
