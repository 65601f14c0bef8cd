//! Commands: run on the values of their keys.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use cf::{Absent, Command, Error, Filter, Operation, Reply, Rules, Settings, Spec, Transfers};

use crate::api::Str;
use crate::config;
use crate::context::{Context, bytes_of};
use crate::key::{Key, OtherType};
use crate::limits::{self, NO_LIMIT};
use crate::loading;
use crate::metrics;
use crate::names;
use crate::own::{self, Own};
use crate::replicate;
use crate::reply::{self, Refusal};
use crate::rotation;
use crate::value::{Content, Value};

/// The dumps of clients, in chunks that fit into requests of any engine.
static DUMPS: OnceLock<Transfers<Lent>> = OnceLock::new();

const LARGEST_REQUEST: usize = 2 << 20;

/// Frees the dumps that no client continues.
pub(crate) fn forget_old_dumps() {
    if let Some(dumps) = DUMPS.get() {
        dumps.forget_old();
    }
}

/// Runs a command, whose name is the first of its arguments, and replies to it.
pub(crate) fn answer(ctx: Context, number: usize, argv: &[*mut Str]) -> Result<(), Refusal> {
    let act = |arguments: &[&[u8]]| act(ctx, &cf::COMMANDS[number], argv, arguments);
    // The key is closed before this: listeners may use it.
    if with_arguments(argv, act)? {
        ctx.signal_modified(argv[1]);
        ctx.notify(&names::all()[number], argv[1]);
    }
    Ok(())
}

/// Calls with the bytes of all arguments but the name. A short list allocates nothing.
fn with_arguments<T>(argv: &[*mut Str], call: impl FnOnce(&[&[u8]]) -> T) -> T {
    // SAFETY: they live as long as the command.
    let bytes = |&part: &*mut Str| unsafe { bytes_of(part) };
    match &argv[1..] {
        [a] => call(&[bytes(a)]),
        [a, b] => call(&[bytes(a), bytes(b)]),
        all => call(&all.iter().map(bytes).collect::<Vec<_>>()),
    }
}

/// Replies to a command. Returns whether it has changed the value of its key.
///
/// Most commands use an existing filter, and have no work for the other cases. Their calls and
/// replies are not moved: a processor waits for bytes that it stores and then loads in other
/// portions.
fn act(
    ctx: Context,
    spec: &'static Spec,
    argv: &[*mut Str],
    arguments: &[&[u8]],
) -> Result<bool, Refusal> {
    limits::begin(ctx);
    if own::has_some(spec.name, arguments) {
        let (arguments, own) = own::split(spec.name, arguments)?;
        return work(ctx, spec, argv, &arguments, own);
    }
    work(ctx, spec, argv, arguments, Own::default())
}

fn work(
    ctx: Context,
    spec: &'static Spec,
    argv: &[*mut Str],
    arguments: &[&[u8]],
    own: Own,
) -> Result<bool, Refusal> {
    let parsed = spec.parse(arguments, &rules(arguments));
    let command = match parsed {
        Ok(ref call) => &call.command,
        Err(error) => return Err(error.into()),
    };
    let mut key = Key::open(ctx, argv[1], spec.writes);
    match (command, key.value()) {
        (Command::Use(operation), Ok(Some(value))) => use_filter(ctx, argv, operation, value),
        (command, Err(OtherType)) => read(ctx, &command.on_other_type()?),
        (Command::Use(operation), Ok(None)) => without_filter(ctx, argv, operation, key),
        (command, Ok(_)) => whole_filter(ctx, argv, command, own, key),
    }
}

fn read(ctx: Context, reply: &Reply) -> Result<bool, Refusal> {
    reply::reply(ctx, reply);
    Ok(false)
}

fn changed(ctx: Context, reply: &Reply) -> Result<bool, Refusal> {
    reply::reply(ctx, reply);
    Ok(true)
}

/// Runs an operation on a key without a value.
#[cold]
fn without_filter(
    ctx: Context,
    argv: &[*mut Str],
    operation: &Operation<'_>,
    mut key: Key,
) -> Result<bool, Refusal> {
    match operation.absent() {
        Absent::Reply(reply) => read(ctx, &reply?),
        Absent::Create(settings) => {
            let seed = own::random();
            let value = create(settings, seed)?;
            let reply = operation.on(whole(&value)?, 0)?;
            count_refused(&reply);
            value.count();
            key.set(value);
            replicate::creation(ctx, argv[1], settings, seed);
            replicate::done(ctx, argv, operation, &reply, true);
            changed(ctx, &reply)
        }
    }
}

/// Runs a command on a whole filter.
#[cold]
fn whole_filter(
    ctx: Context,
    argv: &[*mut Str],
    command: &Command<'_>,
    own: Own,
    mut key: Key,
) -> Result<bool, Refusal> {
    let name = argv[1];
    // It is a filter, or nothing.
    let found = key.value().ok().flatten();
    match (command, found) {
        (Command::Reserve(_), Some(_)) => Err(Error::Exists.into()),
        (&Command::Reserve(settings), None) => {
            let seed = own.seed.unwrap_or_else(own::random);
            let mut value = create(settings, seed)?;
            rotation::list(ctx, name, &mut value);
            rotation::elapse(&value, own.at);
            key.set(value);
            replicate::creation(ctx, name, settings, seed);
            changed(ctx, &Reply::Done)
        }
        (Command::Compact, None) => Err(Error::NothingToCompact.into()),
        (Command::Compact, Some(value)) => {
            if !compact(value)? {
                return read(ctx, &Reply::Done);
            }
            value.count();
            ctx.replicate_verbatim();
            changed(ctx, &Reply::Done)
        }
        (Command::Rotate(_), None) => Err(Error::NoFilter.into()),
        (&Command::Rotate(number), Some(value)) => {
            let filter = whole(value)?;
            let has_rotated = rotation::rotate(value, number)?;
            if has_rotated {
                rotation::elapse(value, own.at);
                replicate::rotation(ctx, name, filter, filter.rotations());
            }
            reply::reply(ctx, &Reply::Integer(filter.rotations() as i64));
            Ok(has_rotated)
        }
        (Command::ScanDump(_), None) => Err(Error::NoFilter.into()),
        (&Command::ScanDump(iterator), Some(value)) => {
            // Commands run one after another.
            let dumps = DUMPS.get_or_init(|| Transfers::new(LARGEST_REQUEST).at_rest());
            let chunk = dumps.next_chunk(whole(value)?, ctx.client(), iterator, lend)?;
            read(ctx, &Reply::chunk(chunk))
        }
        (&Command::LoadChunk { end, chunk }, found) => {
            let new = loading::take_chunk(found, end, chunk)?;
            if let Some(new) = new {
                key.set(new);
            }
            load_chunk(ctx, argv, own, &mut key);
            changed(ctx, &Reply::Done)
        }
        (Command::Use(_), _) => unreachable!("done elsewhere"),
    }
}

/// Updates the window after a chunk: with the last one, its filter begins to rotate here.
fn load_chunk(ctx: Context, argv: &[*mut Str], own: Own, key: &mut Key) {
    match key.value() {
        Ok(Some(value)) if value.window().is_some() => {
            rotation::list(ctx, argv[1], value);
            rotation::elapse(value, own.at);
            replicate::last_chunk(ctx, argv);
        }
        _ => ctx.replicate_verbatim(),
    }
}

/// The memory of a dump, counted until this is dropped.
#[derive(Debug)]
struct Lent(u64);

impl Drop for Lent {
    fn drop(&mut self) {
        metrics::DUMPS.subtract(1);
        metrics::DUMP_BYTES.subtract(self.0);
    }
}

/// Checks that there is memory for a dump.
fn lend(bytes: usize) -> Result<Lent, Error> {
    let dumps = usize::try_from(metrics::DUMP_BYTES.now()).unwrap_or(usize::MAX);
    let allowed = config::MAX_DUMP_BYTES.get().saturating_sub(dumps);
    let left = limits::memory_left().min(allowed);
    if bytes > left {
        let words = format!(
            "not enough memory: the dump takes {bytes} bytes, and {left} are left (cf.max-dump-bytes, maxmemory)"
        );
        return Err(Error::NoMemoryToTransfer(words));
    }
    metrics::DUMPS.add(1);
    metrics::DUMP_BYTES.add(bytes as u64);
    Ok(Lent(bytes as u64))
}

fn rules(arguments: &[&[u8]]) -> Rules {
    let mut defaults = Settings::new(config::CAPACITY.get(), true);
    defaults.expansion = cf::expansion(config::EXPANSION.get() as u16);
    let longest = config::MAX_ITEM_BYTES.get();
    let is_longer = arguments.iter().any(|argument| argument.len() > longest);
    Rules {
        defaults,
        longest: if is_longer && limits::obeys() {
            usize::MAX
        } else {
            longest
        },
    }
}

fn whole(value: &Value) -> Result<&Filter, Refusal> {
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
    value: &mut Value,
) -> Result<bool, Refusal> {
    if let Some(listed) = value.listed_mut() {
        rotation::follow(ctx, argv[1], listed);
    }
    let outcome = operation.on(whole(value)?, 0);
    if value.listed().is_some() && outcome.is_ok() {
        rotation::touch(value);
    }
    // A removal moves buckets of a doubling, and may end it.
    let grows = whole(value)?.settings().grows();
    if limits::take_growth() || grows && matches!(operation, Operation::Delete(_)) {
        value.count();
    }
    let reply = match outcome {
        Ok(ref reply) => reply,
        Err(error) => return Err(error.into()),
    };
    count_refused(reply);
    let has_changed = replicate::done(ctx, argv, operation, reply, false);
    reply::reply(ctx, reply);
    // There is nothing to free, and checking for that takes a jump that the processor cannot
    // predict.
    if matches!(reply, Reply::Boolean(_)) {
        std::mem::forget(outcome);
    }
    Ok(has_changed)
}

fn count_refused(reply: &Reply) {
    if let Reply::Array(answers) = reply {
        let refused = answers
            .iter()
            .filter(|&answer| *answer == Reply::Integer(-1));
        metrics::REFUSED_ITEMS.add(refused.count() as u64);
    }
}

/// Makes a filter as small as its items allow. Returns whether that changed it.
fn compact(value: &mut Value) -> Result<bool, Refusal> {
    whole(value)?;
    // A filter with a window may be shared, and keeps its size.
    let Some(filter) = value.alone() else {
        return Ok(false);
    };
    // The end of a doubling changes the memory, and no slot.
    let size = |filter: &Filter| (filter.slots(), filter.memory_usage());
    let before = size(filter);
    filter.shrink_to_fit();
    Ok(size(filter) != before)
}

/// Makes a new filter. It has no limit of its own, so that it is the same on every node.
fn create(settings: Settings, seed: u64) -> Result<Value, Error> {
    let filter = Filter::with_seed(settings, seed, limits::left(), NO_LIMIT)?;
    Ok(Value::new(filter))
}
