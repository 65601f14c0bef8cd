//! tokens: compares logs of tokens that are used once, [quinn's own](logs) and others.
//!
//! `cargo bench -p quinn-token-log` takes two minutes. Behind `--`, `--into FILE` writes the table
//! between its marks there, `--sizes` has other numbers of tokens, and `--threads` of threads.

mod logs;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use clap::builder::RangedU64ValueParser;
use harness::sizes::items_of;
use harness::{machine::machine, markdown};

/// Measures logs of tokens that are used once.
#[derive(Debug, Parser)]
struct Options {
    /// Numbers of tokens
    #[arg(long, value_delimiter = ',', value_parser = items_of, default_value = "1M,15.9M")]
    sizes: Vec<usize>,

    /// Numbers of threads
    #[arg(long, value_delimiter = ',', default_values_t = [1, 2, 8, 64])]
    #[arg(value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Vec<usize>,

    /// Files with marks for the table, which is written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    into: Vec<PathBuf>,

    /// Given by `cargo bench`
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let mut text = format!("{}:\n", machine());
    for &size in &options.sizes {
        let time = Duration::from_millis(500);
        text += &format!(
            "\n{}",
            logs::measure(&logs::tokens(size), &options.threads, time)
        );
    }
    println!("{text}");
    for file in &options.into {
        markdown::write_between_marks(file, &[("tokens", text.clone())])?;
    }
    Ok(())
}
