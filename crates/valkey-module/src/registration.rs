//! The commands as the engine calls them, by the list of the commands crate.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_int, c_void};

use cf::Spec;

use crate::api::{Ctx, EVENT_CRON, Event, OK, RunCommand, Str, key_flags};
use crate::boundary::guarded;
use crate::commands;
use crate::context::Context;
use crate::limits;
use crate::metrics;
use crate::names;
use crate::reply;

/// One function for each command: a command may have another name where it is called.
static RUN: [RunCommand; 24] = {
    macro_rules! run {
        ($($n:literal)*) => { [$(run::<$n>),*] };
    }
    run!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
};

/// Registers all commands, in the category `@cuckoo` where there can be one.
pub(crate) fn register(ctx: Context) -> bool {
    let has_category = ctx.add_category(c"cuckoo");
    let commands = cf::COMMANDS.iter().zip(names::all()).zip(RUN);
    let mut registered = 0;
    for ((spec, name), run) in commands {
        let kind = kind(spec);
        let categories = if has_category {
            kind.with_own
        } else {
            kind.categories
        };
        let is_registered = ctx.create_command(name, run, kind.flags)
            && ctx.describe(name, spec, key(spec))
            && ctx.categorize(name, categories);
        if !is_registered {
            return false;
        }
        registered += 1;
    }
    registered == cf::COMMANDS.len() && ctx.subscribe(EVENT_CRON, forget_old_dumps)
}

/// What the engine is told of a command.
struct Kind {
    flags: &'static CStr,
    categories: &'static CStr,
    with_own: &'static CStr,
}

fn kind(spec: &Spec) -> Kind {
    let of = |flags, categories, with_own| Kind {
        flags,
        categories,
        with_own,
    };
    match spec.name {
        "CF.ADD" | "CF.ADDNX" => of(c"write deny-oom fast", c"write fast", c"cuckoo write fast"),
        "CF.DEL" => of(c"write fast", c"write fast", c"cuckoo write fast"),
        "CF.COMPACT" => of(c"write", c"write slow", c"cuckoo write slow"),
        "CF.EXISTS" | "CF.COUNT" | "CF.INFO" => {
            of(c"readonly fast", c"read fast", c"cuckoo read fast")
        }
        _ if spec.writes => of(c"write deny-oom", c"write slow", c"cuckoo write slow"),
        _ => of(c"readonly", c"read slow", c"cuckoo read slow"),
    }
}

/// What it does to its key, by which users may do it.
fn key(spec: &Spec) -> u64 {
    match spec.name {
        "CF.DEL" => key_flags::RW | key_flags::DELETE,
        "CF.COMPACT" => key_flags::RW | key_flags::UPDATE,
        _ if spec.writes => key_flags::RW | key_flags::INSERT,
        _ => key_flags::RO | key_flags::ACCESS,
    }
}

unsafe extern "C" fn forget_old_dumps(_: *mut Ctx, _: Event, _: u64, _: *mut c_void) {
    guarded((), commands::forget_old_dumps);
}

unsafe extern "C" fn run<const N: usize>(ctx: *mut Ctx, argv: *mut *mut Str, argc: c_int) -> c_int {
    // SAFETY: the engine's, for as long as this call lasts.
    let ctx = unsafe { Context::new(ctx) };
    let is_done = guarded(false, || {
        let argc = usize::try_from(argc).unwrap_or(0);
        // SAFETY: as many strings as it says, the first of them the name.
        let argv = unsafe { std::slice::from_raw_parts(argv, argc) };
        match commands::answer(ctx, &cf::COMMANDS[N], argv) {
            Ok(Some(answer)) => reply::reply(ctx, answer),
            // A worker replies.
            Ok(None) => {}
            Err(refusal) => {
                if refusal.is_for_memory() {
                    metrics::REFUSED_FOR_MEMORY.add(1);
                }
                reply::refuse(ctx, &refusal);
            }
        }
        true
    });
    limits::set_obeys(false);
    if !is_done {
        ctx.reply_error("ERR internal error: the log has it");
    }
    OK
}
