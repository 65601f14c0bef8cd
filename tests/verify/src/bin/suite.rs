//! `cargo suite`: runs the tests of one suite, then the mutants that they must kill.
//!
//! ```text
//! cargo suite loom|shuttle|steps|ordinary [--help | models | tests | mutants] [NAME]
//! ```

use std::process::ExitCode;

use verify::mutation;
use verify::suites::ALL;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let named = arguments.first().map(String::as_str);
    let Some(suite) = ALL.iter().find(|suite| Some(suite.name) == named) else {
        let names: Vec<&str> = ALL.iter().map(|suite| suite.name).collect();
        eprintln!("name one of the suites: {}", names.join(", "));
        return ExitCode::from(2);
    };
    mutation::main(suite, &arguments[1..])
}
