//! The API: declares the functions and types of the engine that the module uses, as in C.
//!
//! The engine gives them out by name when it loads a module. The names of Redis are those that
//! Redis 7.0 and every Valkey know.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_float, c_int, c_longlong, c_uint, c_ulonglong, c_void};
use std::ptr::null;
use std::sync::OnceLock;

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident)*) => {
        $($(#[$doc])*
        #[repr(C)]
        pub(crate) struct $name { _private: [u8; 0] })*
    };
}

opaque! {
    /// The context of a call.
    Ctx
    /// A string of the engine.
    Str
    /// An open key.
    RawKey
    /// A file or a socket with a snapshot or a log.
    Io
    /// The type of a key.
    Type
    /// A digest in progress.
    Digest
    /// The reply of INFO, for the module to read.
    ServerInfo
    /// The reply of INFO, in progress.
    InfoCtx
    /// The key of a callback of the type.
    KeyOptCtx
    /// The position of a walk over all keys.
    ScanCursor
    /// A command that was registered.
    RawCommand
}

pub(crate) const OK: c_int = 0;
pub(crate) const ERR: c_int = 1;

pub(crate) const READ: c_int = 1;
pub(crate) const WRITE: c_int = 1 << 1;

pub(crate) const KEY_IS_EMPTY: c_int = 0;

/// Bits of `get_context_flags`.
pub(crate) mod flags {
    use std::ffi::c_int;

    pub(crate) const PRIMARY: c_int = 1 << 2;
    pub(crate) const REPLICATED: c_int = 1 << 12;
    pub(crate) const LOADING: c_int = 1 << 13;
    pub(crate) const IS_CHILD: c_int = 1 << 20;
    pub(crate) const SLOT_IMPORT: c_int = 1 << 25;
}

/// Bits of `set_module_options`.
pub(crate) mod options {
    use std::ffi::c_int;

    pub(crate) const HANDLE_IO_ERRORS: c_int = 1;
    pub(crate) const NO_IMPLICIT_SIGNAL_MODIFIED: c_int = 1 << 1;
    pub(crate) const HANDLE_REPL_ASYNC_LOAD: c_int = 1 << 2;
    pub(crate) const HANDLE_ATOMIC_SLOT_MIGRATION: c_int = 1 << 5;
}

/// The class of the events of modules, `d`.
pub(crate) const NOTIFY_MODULE: c_int = 1 << 13;

/// A value of the configuration that can be written as `1gb`.
pub(crate) const CONFIG_MEMORY: c_uint = 1 << 7;

#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Event {
    pub(crate) id: u64,
    pub(crate) version: u64,
}

pub(crate) const EVENT_ROLE: Event = Event { id: 0, version: 1 };
pub(crate) const EVENT_LOADING: Event = Event { id: 3, version: 1 };
pub(crate) const EVENT_CRON: Event = Event { id: 8, version: 1 };
/// Only Valkey 9 has it.
pub(crate) const EVENT_SLOTS: Event = Event { id: 19, version: 1 };
pub(crate) const EVENT_CONFIG: Event = Event { id: 16, version: 1 };

/// The kinds of each event.
pub(crate) mod sub_events {
    pub(crate) const NOW_PRIMARY: u64 = 0;
    pub(crate) const LOADING_RDB: u64 = 0;
    pub(crate) const LOADING_LOG: u64 = 1;
    pub(crate) const LOADING_ENDED: u64 = 3;
    pub(crate) const IMPORT_COMPLETED: u64 = 4;
}

pub(crate) type OnTimer = unsafe extern "C" fn(*mut Ctx, *mut c_void);
pub(crate) type OnKey = unsafe extern "C" fn(*mut Ctx, *mut Str, *mut RawKey, *mut c_void);
pub(crate) type RunCommand = unsafe extern "C" fn(*mut Ctx, *mut *mut Str, c_int) -> c_int;
pub(crate) type OnEvent = unsafe extern "C" fn(*mut Ctx, Event, u64, *mut c_void);
pub(crate) type AddInfo = unsafe extern "C" fn(*mut InfoCtx, c_int);
pub(crate) type GetNumber = unsafe extern "C" fn(*const c_char, *mut c_void) -> c_longlong;
pub(crate) type SetNumber =
    unsafe extern "C" fn(*const c_char, c_longlong, *mut c_void, *mut *mut Str) -> c_int;
type Apply = Option<unsafe extern "C" fn(*mut Ctx, *mut c_void, *mut *mut Str) -> c_int>;

/// The callbacks of a type, in version 4 of this table: the last that Redis 7.0 knows.
#[repr(C)]
pub(crate) struct TypeMethods {
    pub(crate) version: u64,
    pub(crate) rdb_load: Option<unsafe extern "C" fn(*mut Io, c_int) -> *mut c_void>,
    pub(crate) rdb_save: Option<unsafe extern "C" fn(*mut Io, *mut c_void)>,
    pub(crate) aof_rewrite: Option<unsafe extern "C" fn(*mut Io, *mut Str, *mut c_void)>,
    pub(crate) mem_usage: Option<unsafe extern "C" fn(*const c_void) -> usize>,
    pub(crate) digest: Option<unsafe extern "C" fn(*mut Digest, *mut c_void)>,
    pub(crate) free: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Callbacks to save and load data beside the keys, and when.
    pub(crate) aux: [*const c_void; 2],
    pub(crate) aux_save_triggers: c_int,
    /// Older forms of the callbacks below, and one to defragment.
    pub(crate) unused: [*const c_void; 4],
    pub(crate) mem_usage2:
        Option<unsafe extern "C" fn(*mut KeyOptCtx, *const c_void, usize) -> usize>,
    pub(crate) free_effort2: Option<unsafe extern "C" fn(*mut KeyOptCtx, *const c_void) -> usize>,
    pub(crate) unlink2: *const c_void,
    pub(crate) copy2: Option<unsafe extern "C" fn(*mut KeyOptCtx, *const c_void) -> *mut c_void>,
}

pub(crate) const TYPE_METHODS_VERSION: u64 = 4;

/// The version of the description of a command.
#[repr(C)]
pub(crate) struct CommandInfoVersion {
    pub(crate) version: c_int,
    pub(crate) history_entry_bytes: usize,
    pub(crate) key_spec_bytes: usize,
    pub(crate) argument_bytes: usize,
}

/// The positions of the keys of a command, and its effects on them. A list of these ends with one
/// without a position.
#[repr(C)]
pub(crate) struct KeySpec {
    pub(crate) notes: *const c_char,
    pub(crate) flags: u64,
    pub(crate) begin_search: c_int,
    pub(crate) begin: Begin,
    pub(crate) find_keys: c_int,
    /// The last key, counted from the first, the distance of two, and a limit.
    pub(crate) range: [c_int; 3],
}

/// The position of the first key. The engine has a union here, the other side of which is a pointer
/// and a number.
#[repr(C, align(8))]
pub(crate) struct Begin {
    pub(crate) index: c_int,
    pub(crate) unused: [c_int; 3],
}

pub(crate) const BEGIN_AT_INDEX: c_int = 2;
pub(crate) const FIND_RANGE: c_int = 2;

/// Bits of the effects of a command on a key.
pub(crate) mod key_flags {
    pub(crate) const RO: u64 = 1;
    pub(crate) const RW: u64 = 1 << 1;
    pub(crate) const ACCESS: u64 = 1 << 4;
    pub(crate) const UPDATE: u64 = 1 << 5;
    pub(crate) const INSERT: u64 = 1 << 6;
    pub(crate) const DELETE: u64 = 1 << 7;
}

/// The description of a command. Null fields are not described.
#[repr(C)]
pub(crate) struct CommandInfo {
    pub(crate) version: *const CommandInfoVersion,
    pub(crate) summary: *const c_char,
    /// Its complexity, its first version, its history, and tips.
    pub(crate) more: [*const c_void; 4],
    pub(crate) arity: c_int,
    pub(crate) key_specs: *const KeySpec,
    pub(crate) arguments: *const CommandArgument,
}

/// An argument of a command.
#[repr(C)]
pub(crate) struct CommandArgument {
    pub(crate) name: *const c_char,
    pub(crate) kind: c_int,
    /// The index of its specification of keys; -1 if it is no key.
    pub(crate) key_spec: c_int,
    pub(crate) token: *const c_char,
    /// A summary, and the first version.
    pub(crate) more: [*const c_char; 2],
    pub(crate) flags: c_int,
    pub(crate) deprecated_since: *const c_char,
    pub(crate) parts: *const Self,
    pub(crate) display_text: *const c_char,
}

impl CommandArgument {
    /// The end of a list.
    pub(crate) const END: Self = Self {
        name: null(),
        kind: 0,
        key_spec: -1,
        token: null(),
        more: [null(); 2],
        flags: 0,
        deprecated_since: null(),
        parts: null(),
        display_text: null(),
    };
}

type GetApi = unsafe extern "C" fn(*const c_char, *mut *mut c_void) -> c_int;

macro_rules! functions {
    (
        needed { $($needed:ident $symbol:literal: $type:ty;)* }
        optional { $($optional:ident $maybe:literal: $or_none:ty;)* }
    ) => {
        /// The functions, under the names of this module.
        #[derive(Debug)]
        pub(crate) struct Api {
            $(pub(crate) $needed: $type,)*
            $(pub(crate) $optional: Option<$or_none>,)*
        }

        impl Api {
            /// Looks up all of them. `None` if a required one is missing.
            unsafe fn find(get: GetApi) -> Option<Self> {
                // SAFETY: under this name the engine gives out a function of this type.
                unsafe {
                    Some(Self {
                        $($needed: std::mem::transmute::<*mut c_void, $type>(find(get, $symbol)?),)*
                        $($optional: find(get, $maybe)
                            .map(|found| std::mem::transmute::<*mut c_void, $or_none>(found)),)*
                    })
                }
            }
        }
    };
}

functions! {
    needed {
        alloc c"RedisModule_Alloc": unsafe extern "C" fn(usize) -> *mut c_void;
        try_alloc c"RedisModule_TryAlloc": unsafe extern "C" fn(usize) -> *mut c_void;
        calloc c"RedisModule_Calloc": unsafe extern "C" fn(usize, usize) -> *mut c_void;
        free c"RedisModule_Free": unsafe extern "C" fn(*mut c_void);
        log c"RedisModule_Log": unsafe extern "C" fn(*mut Ctx, *const c_char, *const c_char, ...);
        set_module_attribs c"RedisModule_SetModuleAttribs": unsafe extern "C" fn(*mut Ctx, *const c_char, c_int, c_int);
        is_module_name_busy c"RedisModule_IsModuleNameBusy": unsafe extern "C" fn(*const c_char) -> c_int;
        set_module_options c"RedisModule_SetModuleOptions": unsafe extern "C" fn(*mut Ctx, c_int);
        subscribe c"RedisModule_SubscribeToServerEvent": unsafe extern "C" fn(*mut Ctx, Event, OnEvent) -> c_int;
        create_command c"RedisModule_CreateCommand": unsafe extern "C" fn(*mut Ctx, *const c_char, RunCommand, *const c_char, c_int, c_int, c_int) -> c_int;
        get_command c"RedisModule_GetCommand": unsafe extern "C" fn(*mut Ctx, *const c_char) -> *mut RawCommand;
        set_command_info c"RedisModule_SetCommandInfo": unsafe extern "C" fn(*mut RawCommand, *const CommandInfo) -> c_int;
        create_data_type c"RedisModule_CreateDataType": unsafe extern "C" fn(*mut Ctx, *const c_char, c_int, *mut TypeMethods) -> *mut Type;
        get_context_flags c"RedisModule_GetContextFlags": unsafe extern "C" fn(*mut Ctx) -> c_int;
        get_client_id c"RedisModule_GetClientId": unsafe extern "C" fn(*mut Ctx) -> c_ulonglong;
        get_used_memory_ratio c"RedisModule_GetUsedMemoryRatio": unsafe extern "C" fn() -> c_float;
        wrong_arity c"RedisModule_WrongArity": unsafe extern "C" fn(*mut Ctx) -> c_int;
        create_string c"RedisModule_CreateString": unsafe extern "C" fn(*mut Ctx, *const c_char, usize) -> *mut Str;
        free_string c"RedisModule_FreeString": unsafe extern "C" fn(*mut Ctx, *mut Str);
        string_ptr_len c"RedisModule_StringPtrLen": unsafe extern "C" fn(*const Str, *mut usize) -> *const c_char;
        open_key c"RedisModule_OpenKey": unsafe extern "C" fn(*mut Ctx, *mut Str, c_int) -> *mut RawKey;
        close_key c"RedisModule_CloseKey": unsafe extern "C" fn(*mut RawKey);
        key_type c"RedisModule_KeyType": unsafe extern "C" fn(*mut RawKey) -> c_int;
        signal_modified_key c"RedisModule_SignalModifiedKey": unsafe extern "C" fn(*mut Ctx, *mut Str) -> c_int;
        notify_keyspace_event c"RedisModule_NotifyKeyspaceEvent": unsafe extern "C" fn(*mut Ctx, c_int, *const c_char, *mut Str) -> c_int;
        module_type_get_type c"RedisModule_ModuleTypeGetType": unsafe extern "C" fn(*mut RawKey) -> *mut Type;
        module_type_get_value c"RedisModule_ModuleTypeGetValue": unsafe extern "C" fn(*mut RawKey) -> *mut c_void;
        module_type_set_value c"RedisModule_ModuleTypeSetValue": unsafe extern "C" fn(*mut RawKey, *mut Type, *mut c_void) -> c_int;
        replicate c"RedisModule_Replicate": unsafe extern "C" fn(*mut Ctx, *const c_char, *const c_char, ...) -> c_int;
        replicate_verbatim c"RedisModule_ReplicateVerbatim": unsafe extern "C" fn(*mut Ctx) -> c_int;
        reply_with_simple_string c"RedisModule_ReplyWithSimpleString": unsafe extern "C" fn(*mut Ctx, *const c_char) -> c_int;
        reply_with_error c"RedisModule_ReplyWithError": unsafe extern "C" fn(*mut Ctx, *const c_char) -> c_int;
        reply_with_long_long c"RedisModule_ReplyWithLongLong": unsafe extern "C" fn(*mut Ctx, c_longlong) -> c_int;
        reply_with_bool c"RedisModule_ReplyWithBool": unsafe extern "C" fn(*mut Ctx, c_int) -> c_int;
        reply_with_array c"RedisModule_ReplyWithArray": unsafe extern "C" fn(*mut Ctx, std::ffi::c_long) -> c_int;
        reply_with_map c"RedisModule_ReplyWithMap": unsafe extern "C" fn(*mut Ctx, std::ffi::c_long) -> c_int;
        reply_with_null c"RedisModule_ReplyWithNull": unsafe extern "C" fn(*mut Ctx) -> c_int;
        reply_with_string_buffer c"RedisModule_ReplyWithStringBuffer": unsafe extern "C" fn(*mut Ctx, *const c_char, usize) -> c_int;
        get_server_info c"RedisModule_GetServerInfo": unsafe extern "C" fn(*mut Ctx, *const c_char) -> *mut ServerInfo;
        server_info_get_field_unsigned c"RedisModule_ServerInfoGetFieldUnsigned": unsafe extern "C" fn(*mut ServerInfo, *const c_char, *mut c_int) -> c_ulonglong;
        server_info_get_field_c c"RedisModule_ServerInfoGetFieldC": unsafe extern "C" fn(*mut ServerInfo, *const c_char) -> *const c_char;
        free_server_info c"RedisModule_FreeServerInfo": unsafe extern "C" fn(*mut Ctx, *mut ServerInfo);
        save_unsigned c"RedisModule_SaveUnsigned": unsafe extern "C" fn(*mut Io, u64);
        load_unsigned c"RedisModule_LoadUnsigned": unsafe extern "C" fn(*mut Io) -> u64;
        save_string_buffer c"RedisModule_SaveStringBuffer": unsafe extern "C" fn(*mut Io, *const c_char, usize);
        load_string_buffer c"RedisModule_LoadStringBuffer": unsafe extern "C" fn(*mut Io, *mut usize) -> *mut c_char;
        get_selected_db c"RedisModule_GetSelectedDb": unsafe extern "C" fn(*mut Ctx) -> c_int;
        milliseconds c"RedisModule_Milliseconds": unsafe extern "C" fn() -> c_longlong;
        select_db c"RedisModule_SelectDb": unsafe extern "C" fn(*mut Ctx, c_int) -> c_int;
        get_key_name_from_io c"RedisModule_GetKeyNameFromIO": unsafe extern "C" fn(*mut Io) -> *const Str;
        get_db_id_from_io c"RedisModule_GetDbIdFromIO": unsafe extern "C" fn(*mut Io) -> c_int;
        get_to_key_name c"RedisModule_GetToKeyNameFromOptCtx": unsafe extern "C" fn(*mut KeyOptCtx) -> *const Str;
        get_to_db_id c"RedisModule_GetToDbIdFromOptCtx": unsafe extern "C" fn(*mut KeyOptCtx) -> c_int;
        scan_cursor_create c"RedisModule_ScanCursorCreate": unsafe extern "C" fn() -> *mut ScanCursor;
        scan_cursor_destroy c"RedisModule_ScanCursorDestroy": unsafe extern "C" fn(*mut ScanCursor);
        scan c"RedisModule_Scan": unsafe extern "C" fn(*mut Ctx, *mut ScanCursor, OnKey, *mut c_void) -> c_int;
        create_timer c"RedisModule_CreateTimer": unsafe extern "C" fn(*mut Ctx, c_longlong, OnTimer, *mut c_void) -> u64;
        stop_timer c"RedisModule_StopTimer": unsafe extern "C" fn(*mut Ctx, u64, *mut *mut c_void) -> c_int;
        avoid_replica_traffic c"RedisModule_AvoidReplicaTraffic": unsafe extern "C" fn() -> c_int;
        log_io_error c"RedisModule_LogIOError": unsafe extern "C" fn(*mut Io, *const c_char, *const c_char, ...);
        emit_aof c"RedisModule_EmitAOF": unsafe extern "C" fn(*mut Io, *const c_char, *const c_char, ...);
        digest_add_string_buffer c"RedisModule_DigestAddStringBuffer": unsafe extern "C" fn(*mut Digest, *const c_char, usize);
        digest_end_sequence c"RedisModule_DigestEndSequence": unsafe extern "C" fn(*mut Digest);
        register_info_func c"RedisModule_RegisterInfoFunc": unsafe extern "C" fn(*mut Ctx, AddInfo) -> c_int;
        info_add_section c"RedisModule_InfoAddSection": unsafe extern "C" fn(*mut InfoCtx, *const c_char) -> c_int;
        info_add_field_u_long_long c"RedisModule_InfoAddFieldULongLong": unsafe extern "C" fn(*mut InfoCtx, *const c_char, c_ulonglong) -> c_int;
        register_numeric_config c"RedisModule_RegisterNumericConfig": unsafe extern "C" fn(*mut Ctx, *const c_char, c_longlong, c_uint, c_longlong, c_longlong, GetNumber, SetNumber, Apply, *mut c_void) -> c_int;
        load_configs c"RedisModule_LoadConfigs": unsafe extern "C" fn(*mut Ctx) -> c_int;
    }
    optional {
        try_calloc c"RedisModule_TryCalloc": unsafe extern "C" fn(usize, usize) -> *mut c_void;
        must_obey_client c"RedisModule_MustObeyClient": unsafe extern "C" fn(*mut Ctx) -> c_int;
        add_acl_category c"RedisModule_AddACLCategory": unsafe extern "C" fn(*mut Ctx, *const c_char) -> c_int;
        set_command_acl_categories c"RedisModule_SetCommandACLCategories": unsafe extern "C" fn(*mut RawCommand, *const c_char) -> c_int;
    }
}

static API: OnceLock<Api> = OnceLock::new();

/// Returns the functions. `None` before the module is loaded.
pub(crate) fn loaded() -> Option<&'static Api> {
    API.get()
}

/// Returns the functions, for code that only the engine calls, after the module is loaded.
pub(crate) fn api() -> &'static Api {
    API.get().expect("the module is loaded")
}

/// Looks up the engine's functions, before anything is allocated. Returns false if one is missing.
///
/// # Safety
///
/// The context is the one that the engine loads the module with.
pub(crate) unsafe fn load(ctx: *mut Ctx) -> bool {
    // SAFETY: the first word of this context is the function that finds the others.
    let get = unsafe { *ctx.cast::<Option<GetApi>>() };
    // SAFETY: as above.
    let found = get.and_then(|get| unsafe { Api::find(get) });
    match found {
        Some(found) => {
            // It is set already if the engine loads the module again.
            let _ = API.set(found);
            true
        }
        None => false,
    }
}

unsafe fn find(get: GetApi, symbol: &CStr) -> Option<*mut c_void> {
    let mut found = std::ptr::null_mut();
    // SAFETY: it takes a name, and a place for what it finds.
    let result = unsafe { get(symbol.as_ptr(), &raw mut found) };
    (result == OK && !found.is_null()).then_some(found)
}
