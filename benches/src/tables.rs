//! Programs that measure a table for each number of items: their options, and what they all do.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::builder::RangedU64ValueParser;
use harness::machine::cores;
use harness::markdown;
use harness::race::Watch;

use crate::keys::Keys;
use crate::options::Common;
use crate::report::{machine, print_cores};

/// The options of a program that measures a table for each number of items.
#[derive(Clone, Debug, Args)]
pub struct Tables {
    #[command(flatten)]
    common: Common,

    /// Numbers of threads [default: 1 and the number of processors]
    #[arg(long, value_delimiter = ',', value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024))]
    threads: Vec<usize>,

    /// The directory for the table [default: the program's in target]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Files with marks for the table, which is written there
    #[arg(long, value_delimiter = ',', value_name = "FILES")]
    into: Vec<PathBuf>,
}

impl Tables {
    /// Measures the tables of the program of this name, prints them, and writes them to the files.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn measure(
        self,
        name: &str,
        measure: impl Fn(&Arc<Keys>, &[usize], Duration) -> String,
    ) -> Result<(), Box<dyn Error>> {
        let mut threads = self.threads;
        if threads.is_empty() {
            threads = vec![1, cores()];
            threads.dedup();
        }
        let out = self.out.unwrap_or_else(|| Path::new("target").join(name));
        fs::create_dir_all(&out)?;
        let mut watch = Watch::default();
        let command: Vec<String> = env::args().skip(1).collect();
        let mut text = format!("{}; `{name} {}`:\n", machine(), command.join(" "));
        for &items in &self.common.sizes {
            let keys = Arc::new(Keys::generate(items));
            text += &format!("\n{}", measure(&keys, &threads, self.common.time));
            watch.look();
        }
        println!("{text}");
        print_cores(&[watch.speedup()]);
        fs::write(out.join(name).with_extension("md"), &text)?;
        for file in &self.into {
            markdown::write_between_marks(file, &[(name, text.clone())])?;
        }
        Ok(())
    }
}
