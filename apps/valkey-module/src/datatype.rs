//! The data type: callbacks with which the engine saves, loads, copies, measures and frees a value.
//!
//! In a snapshot, a number is the kind of a value. For a filter with a window, the time of the save
//! follows, by the engine's clock, in milliseconds since 1970: its dump has its age just before.
//! Then follow the dump of a filter, or the chunks of one that is not complete, in strings of at
//! most 1 MiB, and an empty string. In a log, all are `CF.LOADCHUNK` commands, and so on the way to
//! another node, too.
#![allow(unsafe_code)]

use std::ffi::{c_char, c_int, c_void};
use std::io::{self, Read};
use std::ptr::{null, null_mut};

use cf::{Filter, Loading};

use crate::api::{Digest, Io, KeyOptCtx, Str, TYPE_METHODS_VERSION, TypeMethods, api, flags};
use crate::context::{Context, bytes_of, guarded, one_line, unix_milliseconds};
use crate::handle::{self, into_raw};
use crate::limits::NO_LIMIT;
use crate::names;
use crate::rotation;
use crate::value::{Content, Piece, Value};
use crate::windows::Place;

/// The version of the form in snapshots.
const VERSION: c_int = 3;

const FILTER: u64 = 1;
const LOADING: u64 = 2;
const WINDOW: u64 = 3;

/// The bytes of a string of a snapshot.
const PIECE: usize = 1 << 20;

/// The bytes of a chunk of a log.
const CHUNK: usize = 16 << 20;

/// The bytes that are freed about as fast as one element of a list.
const EFFORT: usize = 16 << 10;

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
    let made = unsafe {
        (api().create_data_type)(ctx.raw(), cf::TYPE.as_ptr(), VERSION, &raw mut methods)
    };
    handle::keep(made)
}

/// Returns the value behind a pointer of the engine to this type.
unsafe fn value<'a>(value: *const c_void) -> &'a Value {
    // SAFETY: as promised.
    unsafe { &*value.cast() }
}

unsafe extern "C" fn free(raw: *mut c_void) {
    // SAFETY: the engine returns a pointer of `into_raw`, once. It may be on a thread of its own.
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

unsafe extern "C" fn copy(about: *mut KeyOptCtx, raw: *const c_void) -> *mut c_void {
    let copied = guarded(None, || {
        // SAFETY: as above. The engine tells the target of the copy, by a name that lives as long
        // as this call.
        let (copied, place) = unsafe {
            let api = api();
            let name = bytes_of((api.get_to_key_name)(about).cast_mut());
            let database = (api.get_to_db_id)(about);
            (
                value(raw).copy(),
                Place {
                    database,
                    name: name.into(),
                },
            )
        };
        let mut copied = copied.ok()?;
        copied.list(|| place, false);
        Some(copied)
    });
    copied.map_or(null_mut(), into_raw)
}

unsafe extern "C" fn digest(digest: *mut Digest, raw: *mut c_void) {
    guarded((), || {
        let add = |piece: Piece<'_>| {
            let (start, bytes) = (piece.bytes.as_ptr().cast(), piece.bytes.len());
            // SAFETY: it reads these bytes.
            unsafe { (api().digest_add_string_buffer)(digest, start, bytes) };
        };
        // SAFETY: as above. Without memory for a piece the digest is another one.
        let _ = unsafe { value(raw) }.ageless_pieces(PIECE, add);
        // SAFETY: the digest of this call.
        unsafe { (api().digest_end_sequence)(digest) };
    });
}

unsafe extern "C" fn save(io: *mut Io, raw: *mut c_void) {
    let string = |bytes: &[u8]| {
        // SAFETY: the stream lives for this call, as in those below. It reads these bytes.
        unsafe { (api().save_string_buffer)(io, bytes.as_ptr().cast(), bytes.len()) };
    };
    // SAFETY: as above.
    let value = unsafe { value(raw) };
    let kind = match value.content() {
        Content::Filter(_) if value.window().is_some() => WINDOW,
        Content::Filter(_) => FILTER,
        Content::Loading(_) => LOADING,
    };
    // SAFETY: numbers.
    let number = |number| unsafe { (api().save_unsigned)(io, number) };
    number(kind);
    let mut needs_time = kind == WINDOW;
    write(io, value, PIECE, |piece| {
        // The first piece has the age. Read the time after it: what passes in between lets items
        // stay longer, and none shorter.
        if std::mem::take(&mut needs_time) {
            number(unix_milliseconds());
        }
        string(piece.bytes);
    });
    string(b"");
}

unsafe extern "C" fn rewrite(io: *mut Io, key: *mut Str, raw: *mut c_void) {
    // SAFETY: as above.
    let value = unsafe { value(raw) };
    write(io, value, CHUNK, |piece| {
        let name = names::of("CF.LOADCHUNK").as_ptr();
        let (start, bytes) = (piece.bytes.as_ptr().cast::<c_char>(), piece.bytes.len());
        // SAFETY: in a format, `s` stands for a string of the engine, `l` for a number, `b` for
        // bytes with their number, and `c` for a text that ends with a null byte.
        unsafe {
            if piece.is_last && value.window().is_some() {
                let now = i64::try_from(unix_milliseconds()).unwrap_or(i64::MAX);
                let (format, at) = (c"slbcl".as_ptr(), c"AT".as_ptr());
                (api().emit_aof)(io, name, format, key, piece.end, start, bytes, at, now);
            } else {
                (api().emit_aof)(io, name, c"slb".as_ptr(), key, piece.end, start, bytes);
            }
        }
    });
}

/// Writes all pieces. The engine has no error for a filter that cannot be written. The process that
/// saves ends, so that the last file stays. On the main thread the incomplete filter does not load,
/// which is better than a filter that misses items.
fn write(io: *mut Io, value: &Value, most: usize, each: impl FnMut(Piece<'_>)) {
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
    // SAFETY: the stream is the engine's, for this call. After an error it gives 0.
    let number = || unsafe { (api().load_unsigned)(io) };
    let kind = number();
    let saved = if kind == WINDOW { number() } else { 0 };
    let mut strings = Strings {
        io,
        string: Vec::new(),
        taken: 0,
        has_ended: false,
    };
    match kind {
        FILTER | WINDOW => {
            let filter = Filter::of_dump(&mut strings, NO_LIMIT)?;
            if filter.settings().window.is_some() != (kind == WINDOW) {
                return Err("it is a filter of another kind".into());
            }
            filter.elapse(rotation::stored_for(saved));
            let mut value = Value::new(filter);
            // SAFETY: the stream is the engine's, for this call, and the name lives as long.
            let place = unsafe {
                let api = api();
                let name = bytes_of((api.get_key_name_from_io)(io).cast_mut()).into();
                let database = (api.get_db_id_from_io)(io);
                Place { database, name }
            };
            value.list(|| place, false);
            Ok(value)
        }
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

/// Strings of a snapshot, up to the empty one.
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
    // SAFETY: it returns a string of that length, to be freed.
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
