//! Filters that processes share: what one process does, the others find, whatever happens to it.
//!
//! A child is this program again: it runs the test [`child`] with a role.

#![cfg(target_os = "linux")]
#![allow(
    clippy::disallowed_types,
    reason = "the atomics of the tests, not of the filter"
)]

mod attaching;
mod copying;
mod death;
mod forks;
mod generations;
mod golden;
mod headers;
mod hostile;
mod languages;
mod pages;
mod readers;
mod refusals;
mod rotating;
mod seats;

use std::env;
use std::fs::File;
use std::os::fd::{AsFd, AsRawFd};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use lockfree_cuckoo::SharedFilter;

const ROLE: &str = "LOCKFREE_CUCKOO_TEST_ROLE";
const MEMORY: &str = "LOCKFREE_CUCKOO_TEST_MEMORY";

/// A filter in new memory.
fn filter(items: usize) -> SharedFilter {
    let builder = lockfree_cuckoo::CuckooFilter::builder();
    builder
        .capacity(items)
        .seed(7)
        .build_shared()
        .expect("memory")
}

/// The path by which any process of this user opens the memory of a filter.
fn path_of(filter: &impl AsFd) -> PathBuf {
    let (own, fd) = (std::process::id(), filter.as_fd().as_raw_fd());
    format!("/proc/{own}/fd/{fd}").into()
}

/// The memory of a filter, to read and to write.
fn opened(filter: &impl AsFd) -> File {
    open(path_of(filter))
}

fn open(path: impl AsRef<Path>) -> File {
    let opened = File::options().read(true).write(true).open(path);
    opened.expect("one of this user")
}

/// This program again, in a role.
fn this_program(role: &str) -> Command {
    let mut command = Command::new(env::current_exe().expect("this program"));
    command
        .args([
            "--exact",
            "child",
            "--ignored",
            "--nocapture",
            "--test-threads",
            "1",
        ])
        .env(ROLE, role);
    command
}

/// The same with the memory of a filter, for one who reads what it prints.
fn with_memory(role: &str, filter: &impl AsFd) -> Command {
    let mut command = this_program(role);
    command.env(MEMORY, path_of(filter)).stdout(Stdio::piped());
    command
}

/// Starts a process with a role and the memory of a filter.
fn spawn(role: &str, filter: &impl AsFd) -> Child {
    with_memory(role, filter).spawn().expect("a process")
}

/// The memory that a child was given.
fn memory() -> File {
    open(env::var_os(MEMORY).expect("given"))
}

#[test]
#[ignore = "a process of other tests"]
fn child() {
    match env::var(ROLE).as_deref() {
        Ok("insert") => attaching::insert(),
        Ok("work") => death::work(),
        Ok("part") => death::part(),
        Ok("work apart") => death::work_apart(),
        Ok("rotating") => rotating::insert(),
        Ok("small files") => refusals::in_small_files(),
        Ok("another root") => refusals::in_another_root(),
        Ok(role) => match role.strip_prefix("hop ") {
            Some(shape) => languages::hop_until_killed(shape),
            None => panic!("no role {role}"),
        },
        Err(_) => {}
    }
}
