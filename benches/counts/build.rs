//! Build script: records the compiler and its flags, on which the counts depend.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").expect("cargo names the compiler");
    let version = Command::new(compiler).arg("--version").output();
    let version = version.expect("the compiler starts").stdout;
    let version = String::from_utf8_lossy(&version);
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    let flags = flags.replace('\x1f', " ");
    println!("cargo::rustc-env=COMPILER={} {flags}", version.trim());
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rerun-if-changed=build.rs");
}
