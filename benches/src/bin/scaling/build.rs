//! For which processors the measured program is compiled.

use std::env;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::ValueEnum;
use serde::{Deserialize, Serialize};

/// A build of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Build {
    /// This one: for any processor of the architecture, unless somebody chose otherwise
    Default,
    /// For the processor of this machine, which this program compiles itself
    Native,
}

impl fmt::Display for Build {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Default => "the default build",
            Self::Native => "built for this processor",
        })
    }
}

impl Build {
    /// The program, which is compiled if it has to be.
    pub(crate) fn program(self) -> io::Result<PathBuf> {
        match self {
            Self::Default => env::current_exe(),
            Self::Native => compile(),
        }
    }
}

fn compile() -> io::Result<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    let target = package.join("../target/native");
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo
        .current_dir(package)
        .args(["build", "--release", "--locked", "--bin", "scaling"])
        .arg("--target-dir")
        .arg(&target)
        .env("RUSTFLAGS", "-C target-cpu=native");
    if cfg!(feature = "huge-pages") {
        cargo.args(["--features", "huge-pages"]);
    }
    let status = cargo.status()?;
    if status.success() {
        Ok(target.join("release/scaling"))
    } else {
        let what = format!("the build for this processor failed: {status}");
        Err(io::Error::other(what))
    }
}
