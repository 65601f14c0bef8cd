//! What a run prints and writes of the new packets.

use crate::args::Args;
use crate::report::{Problems, Status};
use crate::results::{Results, Target};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Why the new packets cannot go where they should.
pub(super) fn bad_target(args: &Args) -> Option<(Status, String)> {
    let target = args.target()?;
    let name = target.name();
    if args.print.is_some() && target.is_standard_output() {
        let words = "--print and --write - would both use standard output".to_owned();
        return Some((Status::BadOption, words));
    }
    if args.made_up.is_none() && target.is(args.capture().0) {
        let words = format!("cannot write {name}: it is the capture that is read");
        return Some((Status::BadOption, words));
    }
    None
}

/// Opens what the new packets go to, if anybody asked for them.
pub(super) fn open(
    args: &Args,
    stop: &Arc<AtomicBool>,
    problems: &mut Problems,
) -> Option<Option<Results>> {
    let target = args.target();
    if args.print.is_none() && target.is_none() {
        return Some(None);
    }
    let name = target.as_ref().map(Target::name).unwrap_or_default();
    Results::open(args.print, target.as_ref(), stop)
        .map_err(|error| format!("cannot write {name}: {error}"))
        .map_err(|words| problems.add(Status::Unreadable, words))
        .map(Some)
        .ok()
}
