//! The commands: registered by the list of the commands crate, and done on what is under their key.
#![allow(unsafe_code)]

use std::ffi::{CStr, CString, c_int, c_void};
use std::sync::OnceLock;

use cf::{
    Absent, Answer, Command, Error, Filter, Operation, Origin, Reply, Rules, Settings, Spec,
    Transfers,
};

use crate::api::{Ctx, EVENT_CRON, Event, OK, RunCommand, Str};
use crate::boundary::guarded;
use crate::config;
use crate::context::{Context, bytes_of};
use crate::key::{Key, OtherType};
use crate::limits;
use crate::loading;
use crate::metrics;
use crate::names;
use crate::origin;
use crate::replicate;
use crate::reply::{self, Refusal};
use crate::sealing;
use crate::stored::NO_LIMIT;
use crate::value::{Content, Value};
use crate::workers;

/// One function for each command: a command may have another name where it is called.
static RUN: [RunCommand; 24] = {
    macro_rules! run {
        ($($n:literal)*) => { [$(run::<$n>),*] };
    }
    run!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23)
};

/// Dumps that clients take, in chunks that come back in requests of any engine.
static DUMPS: OnceLock<Transfers<()>> = OnceLock::new();

const LARGEST_REQUEST: usize = 2 << 20;

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
        let summary = CString::new(spec.summary).unwrap_or_default();
        let is_registered = ctx.create_command(name, run, kind.flags)
            && ctx.describe(name, spec.arity, &summary)
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

unsafe extern "C" fn forget_old_dumps(_: *mut Ctx, _: Event, _: u64, _: *mut c_void) {
    guarded((), || {
        if let Some(dumps) = DUMPS.get() {
            dumps.forget_old();
        }
    });
}

unsafe extern "C" fn run<const N: usize>(ctx: *mut Ctx, argv: *mut *mut Str, argc: c_int) -> c_int {
    // SAFETY: the engine's, for as long as this call lasts.
    let ctx = unsafe { Context::new(ctx) };
    let is_done = guarded(false, || {
        let argc = usize::try_from(argc).unwrap_or(0);
        // SAFETY: as many strings as it says, the first of them the name.
        let argv = unsafe { std::slice::from_raw_parts(argv, argc) };
        match answer(ctx, &cf::COMMANDS[N], argv) {
            Ok(Some(answer)) => reply::reply(ctx, answer),
            // A worker replies.
            Ok(None) => {}
            Err(refusal) => {
                let for_memory =
                    |error: &Error| matches!(error, Error::NoMemory(_) | Error::NoMemoryToGrow(_));
                if matches!(&refusal, Refusal::Command(error) if for_memory(error)) {
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

fn answer(ctx: Context, spec: &'static Spec, argv: &[*mut Str]) -> Result<Option<Reply>, Refusal> {
    // SAFETY: they are there for as long as the command.
    let mut arguments: Vec<&[u8]> = argv[1..]
        .iter()
        .map(|&part| unsafe { bytes_of(part) })
        .collect();
    let mut origin = None;
    if spec.name == "CF.RESERVE" {
        let (rest, given) = origin::split(&arguments)?;
        (arguments, origin) = (rest, Some(given));
    }
    let obeys = spec.writes && ctx.obeys();
    limits::set_obeys(obeys);
    let call = spec.parse(&arguments, &rules(obeys))?;
    let mut key = Key::open(ctx, argv[1], spec.writes);
    let found = match key.value() {
        Ok(found) => found,
        Err(OtherType) => return Ok(Some(call.command.on_other_type()?)),
    };
    let reply = match (call.command, found) {
        (Command::Use(operation), Some(value)) => {
            return use_filter(ctx, argv, &operation, value);
        }
        (Command::Use(operation), None) => match operation.absent() {
            Absent::Reply(reply) => reply?,
            Absent::Create(settings) => {
                let origin = origin::unless_said();
                let (value, settings) = create(settings, origin)?;
                let reply = operate(&operation, filter_of(&value)?)?;
                value.count();
                key.set(value);
                replicate::creation(ctx, argv[1], settings, origin);
                replicate::done(ctx, argv, &operation, &reply, true);
                ctx.signal_modified(argv[1]);
                reply
            }
        },
        (Command::Reserve(_), Some(_)) => return Err(Error::Exists.into()),
        (Command::Reserve(settings), None) => {
            let origin = origin.unwrap_or_else(origin::unless_said);
            let (value, settings) = create(settings, origin)?;
            key.set(value);
            replicate::creation(ctx, argv[1], settings, origin);
            ctx.signal_modified(argv[1]);
            Reply::Done
        }
        (Command::ScanDump(_), None) => return Err(Error::NoFilter.into()),
        (Command::ScanDump(iterator), Some(value)) => {
            let dumps = DUMPS.get_or_init(|| Transfers::new(LARGEST_REQUEST));
            let filter = filter_of(value)?;
            Reply::Chunk(dumps.next_chunk(call.key, filter, iterator, lend)?)
        }
        (Command::LoadChunk { end, chunk }, found) => {
            let new = take_chunk(found, end, chunk)?;
            if let Some(new) = new {
                key.set(new);
            }
            ctx.replicate_verbatim();
            ctx.signal_modified(argv[1]);
            Reply::Done
        }
    };
    Ok(Some(reply))
}

/// Looks that there is memory for a dump.
fn lend(bytes: usize) -> Result<(), Error> {
    let left = limits::memory_left();
    if bytes <= left {
        return Ok(());
    }
    let words =
        format!("not enough memory: the dump takes {bytes} bytes, and {left} are left (maxmemory)");
    Err(Error::Other(words))
}

fn rules(obeys: bool) -> Rules {
    let mut defaults = Settings::new(config::CAPACITY.get(), true);
    defaults.expansion = match config::EXPANSION.get() as u16 {
        0 => 0,
        factor => factor.next_power_of_two().max(2),
    };
    Rules {
        defaults,
        longest: if obeys {
            usize::MAX
        } else {
            config::MAX_ITEM_BYTES.get()
        },
    }
}

fn filter_of(value: &Value) -> Result<&std::sync::Arc<Filter>, Refusal> {
    match value.content() {
        Content::Filter(filter) => Ok(filter),
        Content::Loading(loading) => Err(Refusal::HalfLoaded {
            have: loading.bytes().len(),
            total: loading.total(),
        }),
    }
}

fn use_filter(
    ctx: Context,
    argv: &[*mut Str],
    operation: &Operation<'_>,
    value: &Value,
) -> Result<Option<Reply>, Refusal> {
    let filter = filter_of(value)?;
    if let Operation::ManyExist(items) = operation
        && items.len() >= config::OFFLOAD_ITEMS.get()
        && ctx.may_block()
        && workers::look_up(ctx, filter, items)
    {
        return Ok(None);
    }
    let reply = operate(operation, filter)?;
    if replicate::done(ctx, argv, operation, &reply, false) {
        value.count();
        ctx.signal_modified(argv[1]);
    }
    Ok(Some(reply))
}

fn operate(operation: &Operation<'_>, filter: &Filter) -> Result<Reply, Error> {
    let slots = filter.slots();
    let reply = match operation {
        Operation::Compact => sealing::alone(|| operation.on(filter, 0)),
        _ => operation.on(filter, 0),
    };
    sealing::end_growth(filter, slots);
    let reply = reply?;
    if let Reply::Each(answers) | Reply::Numbers(answers) = &reply {
        let refused = answers.iter().filter(|&&answer| answer == Answer::Refused);
        metrics::REFUSED_ITEMS.add(refused.count() as u64);
    }
    Ok(reply)
}

/// A new filter, with the settings that it has in the end. It has no limit of its own, so that it is the same wherever it
/// is made.
fn create(mut settings: Settings, origin: Origin) -> Result<(Value, Settings), Error> {
    let left = limits::left(0);
    let mut filter = Filter::with_origin(settings, origin, left, NO_LIMIT)?;
    // So that it can grow at least once. Where limits do not count, this was done.
    let bytes = filter.reserved();
    let times = (left.saturating_sub(bytes) / bytes).max(2);
    if usize::from(settings.expansion) > times {
        settings.expansion = 1 << times.ilog2();
        filter = Filter::with_origin(settings, origin, left, NO_LIMIT)?;
    }
    Ok((Value::new(filter), settings))
}

/// Takes a chunk for what is under a key. Returns the value to put there, if there is none yet.
fn take_chunk(
    found: Option<&mut Value>,
    end: usize,
    chunk: &[u8],
) -> Result<Option<Value>, Refusal> {
    let Some(value) = found else {
        return Ok(Some(match loading::begin(end, chunk)? {
            (loading, None) => Value::loading(loading),
            (_, Some(filter)) => Value::new(filter),
        }));
    };
    let next = match value.content_mut() {
        Content::Filter(_) => return Err(Error::Exists.into()),
        Content::Loading(loading) => loading::take(loading, end, chunk)?,
    };
    if let Some(filter) = next {
        value.complete(filter);
    } else {
        value.count();
    }
    Ok(None)
}
