//! Registration: registers the commands of the commands crate with the engine.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::null;

use cf::{Spec, usage};

use crate::api::{
    BEGIN_AT_INDEX, Begin, CommandArgument, CommandInfo, CommandInfoVersion, Ctx, ERR, EVENT_CRON,
    Event, FIND_RANGE, KeySpec, OK, RawCommand, RunCommand, Str, api, key_flags,
};
use crate::arguments::{self, Words};
use crate::commands;
use crate::context::{Context, guarded, one_line};
use crate::limits;
use crate::names;
use crate::own;
use crate::reply;
use crate::rotation;

/// A function for each command, because a command can be called under another name.
static RUN: [RunCommand; 16] = {
    macro_rules! run {
        ($($n:literal)*) => { [$(run::<$n>),*] };
    }
    run!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15)
};

/// Registers all commands, in the category `@cuckoo` if the engine allows it.
pub(crate) fn register(ctx: Context) -> bool {
    // SAFETY: a word.
    let has_category = api()
        .add_acl_category
        .is_some_and(|add| unsafe { add(ctx.raw(), c"cuckoo".as_ptr()) } != ERR);
    let mut commands = cf::COMMANDS.iter().zip(names::all()).zip(RUN);
    RUN.len() == cf::COMMANDS.len()
        && commands.all(|((spec, name), run)| create(ctx, spec, name, run, has_category))
        && ctx.subscribe(EVENT_CRON, time_passes)
}

fn create(ctx: Context, spec: &Spec, name: &CStr, run: RunCommand, has_category: bool) -> bool {
    let (flags, categories, key) = kind(spec);
    let own = if has_category { "cuckoo " } else { "" };
    let categories = one_line(&format!("{own}{categories}"));
    let (api, ctx, name) = (api(), ctx.raw(), name.as_ptr());
    // SAFETY: the first argument is the only key of all these commands.
    let created = unsafe { (api.create_command)(ctx, name, run, flags.as_ptr(), 1, 1, 1) };
    // SAFETY: the name of a command.
    let command = unsafe { (api.get_command)(ctx, name) };
    if created != OK || command.is_null() || !describe(command, spec, key) {
        return false;
    }
    // SAFETY: a command of this module, and a list of words.
    api.set_command_acl_categories
        .is_none_or(|set| unsafe { set(command, categories.as_ptr()) } == OK)
}

/// Returns the flags of a command, its categories, and its effects on its key, by which users are
/// allowed to run it.
fn kind(spec: &Spec) -> (&'static CStr, &'static str, u64) {
    use key_flags::{ACCESS, DELETE, INSERT, RO, RW, UPDATE};
    match spec.name {
        "CF.ADD" | "CF.ADDNX" => (c"write deny-oom fast", "write fast", RW | INSERT),
        "CF.DEL" => (c"write fast", "write fast", RW | DELETE),
        "CF.ROTATE" => (c"write fast", "write fast", RW | DELETE),
        "CF.COMPACT" => (c"write", "write slow", RW | UPDATE),
        "CF.EXISTS" | "CF.COUNT" | "CF.INFO" => (c"readonly fast", "read fast", RO | ACCESS),
        _ if spec.writes => (c"write deny-oom", "write slow", RW | INSERT),
        _ => (c"readonly", "read slow", RO | ACCESS),
    }
}

/// Describes a command: a summary, its effects on its key, and its arguments.
fn describe(command: *mut RawCommand, spec: &Spec, key: u64) -> bool {
    let (mut words, arguments) = (Words::default(), arguments::of(spec));
    let key_spec = |flags, begin_search, find_keys| KeySpec {
        notes: null(),
        flags,
        begin_search,
        // The key is the first argument, and the only one.
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
    let arity = usage::arity(&arguments);
    let arity = if own::takes_more(spec.name) {
        -arity.abs()
    } else {
        arity
    };
    let info = CommandInfo {
        version: &raw const version,
        summary: words.text(spec.summary),
        more: [null(); 4],
        // The cast is exact: arities are small.
        arity: arity as c_int,
        key_specs: keys.as_ptr(),
        arguments: words.list(&arguments),
    };
    // SAFETY: a command of this module, and a description that is copied.
    unsafe { (api().set_command_info)(command, &raw const info) == OK }
}

unsafe extern "C" fn time_passes(ctx: *mut Ctx, _: Event, _: u64, _: *mut c_void) {
    guarded((), || {
        commands::forget_old_dumps();
        // SAFETY: the engine's context, for this call.
        rotation::rotate_due(unsafe { Context::new(ctx) });
    });
}

unsafe extern "C" fn run<const N: usize>(ctx: *mut Ctx, argv: *mut *mut Str, argc: c_int) -> c_int {
    // SAFETY: the engine's context, for this call.
    let ctx = unsafe { Context::new(ctx) };
    let is_done = guarded(false, || {
        let argc = usize::try_from(argc).unwrap_or(0);
        // SAFETY: there are `argc` strings, the first of them the name.
        let argv = unsafe { std::slice::from_raw_parts(argv, argc) };
        if let Err(refusal) = commands::answer(ctx, N, argv) {
            reply::refuse(ctx, &refusal);
        }
        true
    });
    limits::end();
    if !is_done {
        ctx.reply_error("ERR internal error: the log has it");
    }
    OK
}
