//! The counts are those of one compiler: this one.

use std::env;
use std::process::Command;

fn main() {
    let compiler = env::var_os("RUSTC").expect("cargo names the compiler");
    let version = Command::new(compiler).arg("--version").output();
    let version = version.expect("the compiler starts").stdout;
    let version = String::from_utf8_lossy(&version);
    println!("cargo::rustc-env=COMPILER={}", version.trim());
    println!("cargo::rerun-if-changed=build.rs");
}
