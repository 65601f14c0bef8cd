//! The entrance: the function with which the engine loads the module.
#![allow(unsafe_code)]

use std::ffi::c_int;

use crate::api::{Ctx, ERR, OK, Str, api, load, options};
use crate::config;
use crate::context::{Context, bytes_of, guarded};
use crate::datatype;
use crate::limits;
use crate::metrics;
use crate::names;
use crate::registration;
use crate::rotation;

/// The name, also of its settings and its section of INFO.
const NAME: &std::ffi::CStr = c"cf";
const VERSION: c_int = 1;
const API_VERSION: c_int = 1;

/// Loads the module: the engine calls it.
///
/// # Safety
///
/// The engine calls it, with a context and this many strings.
#[unsafe(no_mangle)]
#[allow(non_snake_case, reason = "the engine calls it so")]
unsafe extern "C" fn RedisModule_OnLoad(ctx: *mut Ctx, argv: *mut *mut Str, argc: c_int) -> c_int {
    // SAFETY: the context of this call. Nothing is allocated before.
    if !unsafe { load(ctx) } {
        return ERR;
    }
    // SAFETY: as above.
    let ctx = unsafe { Context::new(ctx) };
    let is_loaded = guarded(false, || {
        let argc = usize::try_from(argc).unwrap_or(0);
        let strings = if argc == 0 {
            &[]
        } else {
            // SAFETY: there are `argc` strings.
            unsafe { std::slice::from_raw_parts(argv, argc) }
        };
        // SAFETY: they live as long as this call.
        let arguments: Vec<&[u8]> = strings
            .iter()
            .map(|&part| unsafe { bytes_of(part) })
            .collect();
        register(ctx, &arguments)
    });
    if is_loaded { OK } else { ERR }
}

fn register(ctx: Context, arguments: &[&[u8]]) -> bool {
    let all = options::HANDLE_IO_ERRORS
        | options::NO_IMPLICIT_SIGNAL_MODIFIED
        | options::HANDLE_REPL_ASYNC_LOAD
        | options::HANDLE_ATOMIC_SLOT_MIGRATION;
    // SAFETY: the name is static; options are bits that the engine knows or ignores.
    unsafe {
        if (api().is_module_name_busy)(NAME.as_ptr()) != 0 {
            return false;
        }
        (api().set_module_attribs)(ctx.raw(), NAME.as_ptr(), VERSION, API_VERSION);
        (api().set_module_options)(ctx.raw(), all);
    }
    if !names::take(arguments) {
        ctx.warn("the arguments of the module are: none, or `prefix` and a word for what the commands begin with");
        return false;
    }
    log_panics();
    datatype::register(ctx)
        && config::register(ctx)
        && limits::register(ctx)
        && metrics::register(ctx)
        && rotation::register(ctx)
        && registration::register(ctx)
}

/// Writes panics to the engine's log.
fn log_panics() {
    std::panic::set_hook(Box::new(|panic| {
        metrics::PANICS.add(1);
        // SAFETY: the engine's log takes lines from any thread, without a context.
        let log = unsafe { Context::new(std::ptr::null_mut()) };
        log.warn(&format!("panic: {panic}"));
    }));
}
