//! The commands, done on what is under their key.
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
use crate::replicate;
use crate::reply::Refusal;
use crate::seed;
use crate::value::{Content, Value};

/// Dumps that clients take, in chunks that come back in requests of any engine.
static DUMPS: OnceLock<Transfers<Lent>> = OnceLock::new();

const LARGEST_REQUEST: usize = 2 << 20;

/// Frees the dumps that nobody asks for any more.
pub(crate) fn forget_old_dumps() {
    if let Some(dumps) = DUMPS.get() {
        dumps.forget_old();
    }
}

/// The reply to a command, and whether it has changed what is under its key.
type Outcome = (Reply, bool);

const fn read(reply: Reply) -> Outcome {
    (reply, false)
}

const fn changed(reply: Reply) -> Outcome {
    (reply, true)
}

/// Does a command, whose name is the first of its arguments.
pub(crate) fn answer(
    ctx: Context,
    spec: &'static Spec,
    argv: &[*mut Str],
) -> Result<Reply, Refusal> {
    let (reply, has_changed) = act(ctx, spec, argv)?;
    // The key is closed: who is told may do something to it.
    if has_changed {
        ctx.signal_modified(argv[1]);
        ctx.notify(names::of(spec.name), argv[1]);
    }
    Ok(reply)
}

fn act(ctx: Context, spec: &'static Spec, argv: &[*mut Str]) -> Result<Outcome, Refusal> {
    // SAFETY: they are there for as long as the command.
    let mut arguments: Vec<&[u8]> = argv[1..]
        .iter()
        .map(|&part| unsafe { bytes_of(part) })
        .collect();
    let mut seed = None;
    if spec.name == "CF.RESERVE" {
        (arguments, seed) = seed::split(&arguments)?;
    }
    let seed = || seed.unwrap_or_else(seed::random);
    let obeys = spec.writes && ctx.obeys();
    limits::set_obeys(obeys);
    let call = spec.parse(&arguments, &rules(obeys))?;
    let mut key = Key::open(ctx, argv[1], spec.writes);
    let found = match key.value() {
        Ok(found) => found,
        Err(OtherType) => return Ok(read(call.command.on_other_type()?)),
    };
    Ok(match (call.command, found) {
        (Command::Use(operation), Some(value)) => {
            return use_filter(ctx, argv, &operation, value);
        }
        (Command::Use(operation), None) => match operation.absent() {
            Absent::Reply(reply) => read(reply?),
            Absent::Create(settings) => {
                let seed = seed();
                let mut value = create(settings, seed)?;
                let reply = operate(&operation, whole(&mut value)?)?;
                value.count();
                key.set(value);
                replicate::creation(ctx, argv[1], settings, seed);
                replicate::done(ctx, argv, &operation, &reply, true);
                changed(reply)
            }
        },
        (Command::Reserve(_), Some(_)) => return Err(Error::Exists.into()),
        (Command::Reserve(settings), None) => {
            let seed = seed();
            let value = create(settings, seed)?;
            key.set(value);
            replicate::creation(ctx, argv[1], settings, seed);
            changed(Reply::Done)
        }
        (Command::Compact, None) => return Err(Error::NothingToCompact.into()),
        (Command::Compact, Some(value)) => {
            if !compact(whole(value)?) {
                return Ok(read(Reply::Done));
            }
            value.count();
            ctx.replicate_verbatim();
            changed(Reply::Done)
        }
        (Command::ScanDump(_), None) => return Err(Error::NoFilter.into()),
        (Command::ScanDump(iterator), Some(value)) => {
            // Commands are done one after another.
            let dumps = DUMPS.get_or_init(|| Transfers::new(LARGEST_REQUEST).at_rest());
            let chunk = dumps.next_chunk(whole(value)?, ctx.client(), iterator, lend)?;
            read(Reply::chunk(chunk))
        }
        (Command::LoadChunk { end, chunk }, found) => {
            let new = loading::take_chunk(found, end, chunk)?;
            if let Some(new) = new {
                key.set(new);
            }
            ctx.replicate_verbatim();
            changed(Reply::Done)
        }
    })
}

/// The memory of a dump, which is counted while this is there.
#[derive(Debug)]
struct Lent(u64);

impl Drop for Lent {
    fn drop(&mut self) {
        metrics::DUMPS.subtract(1);
        metrics::DUMP_BYTES.subtract(self.0);
    }
}

/// Looks that there is memory for a dump.
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

fn rules(obeys: bool) -> Rules {
    let mut defaults = Settings::new(config::CAPACITY.get(), true);
    defaults.expansion = cf::expansion(config::EXPANSION.get() as u16);
    Rules {
        defaults,
        longest: if obeys {
            usize::MAX
        } else {
            config::MAX_ITEM_BYTES.get()
        },
    }
}

fn whole(value: &mut Value) -> Result<&mut Filter, Refusal> {
    match value.content_mut() {
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
) -> Result<Outcome, Refusal> {
    let reply = operate(operation, whole(value)?)?;
    let has_changed = replicate::done(ctx, argv, operation, &reply, false);
    if has_changed {
        value.count();
    }
    Ok((reply, has_changed))
}

fn operate(operation: &Operation<'_>, filter: &Filter) -> Result<Reply, Error> {
    let reply = operation.on(filter, 0)?;
    if let Reply::Array(answers) = &reply {
        let refused = answers
            .iter()
            .filter(|&answer| *answer == Reply::Integer(-1));
        metrics::REFUSED_ITEMS.add(refused.count() as u64);
    }
    Ok(reply)
}

/// Makes a filter as small as its items allow. Returns whether that changed it.
fn compact(filter: &mut Filter) -> bool {
    // A doubling that ends takes memory and no slot.
    let size = |filter: &Filter| (filter.slots(), filter.memory_usage());
    let before = size(filter);
    filter.shrink_to_fit();
    size(filter) != before
}

/// A new filter. It has no limit of its own, so that it is the same wherever it is made.
fn create(settings: Settings, seed: u64) -> Result<Value, Error> {
    let filter = Filter::with_seed(settings, seed, limits::left(0), NO_LIMIT)?;
    Ok(Value::new(filter))
}
