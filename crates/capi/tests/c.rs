//! The calls as C and C++ programmers make them: each program here is compiled against the header, with all warnings as
//! errors, and run with the static and with the shared library.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compilers are found by the variables that C programmers set.
fn compiler(variable: &str, usual: &str) -> Command {
    Command::new(std::env::var_os(variable).unwrap_or_else(|| usual.into()))
}

fn run(command: &mut Command) {
    let output = command.output();
    let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(
        output.status.success(),
        "{command:?}: {}\n{said}",
        output.status
    );
}

/// Compiles a program, and runs it with both libraries. Cargo builds them beside this test.
fn run_program(mut compiler: Command, standard: &str, source: &str) {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let this = std::env::current_exe().expect("a path");
    let libraries = this.parent().expect("a folder");
    let program: PathBuf =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(source.replace(['.', '/'], "_"));
    compiler.args([
        standard,
        "-Wall",
        "-Wextra",
        "-Werror",
        "-pedantic",
        "-g",
        "-I",
    ]);
    compiler
        .arg(here.join("include"))
        .arg(here.join("tests").join(source));
    for library in ["liblockfree_cuckoo_c.a", "liblockfree_cuckoo_c.so"] {
        let program = program.with_extension(library);
        let mut link = Command::new(compiler.get_program());
        link.args(compiler.get_args()).arg(libraries.join(library));
        run(link.args(["-lpthread", "-lm", "-ldl", "-o"]).arg(&program));
        run(Command::new(&program).env("LD_LIBRARY_PATH", libraries));
    }
}

#[test]
fn calls_answer_as_the_header_says() {
    run_program(compiler("CC", "gcc"), "-std=c11", "calls.c");
}

#[test]
fn each_error_has_its_number() {
    run_program(compiler("CC", "gcc"), "-std=c11", "errors.c");
}

#[test]
fn threads_share_a_filter() {
    run_program(compiler("CC", "gcc"), "-std=c11", "threads.c");
}

#[test]
fn the_wrapper_for_cpp_does_the_same() {
    run_program(compiler("CXX", "g++"), "-std=c++20", "wrapper.cpp");
}

/// The program of the guide's page.
#[test]
fn the_guide_compiles() {
    let (_, page) = include_str!("../../../src/guide/c.rs")
        .split_once("```c\n")
        .expect("a program");
    let lines = page.lines().map_while(|line| line.strip_prefix("//!"));
    let program: Vec<&str> = lines.take_while(|line| !line.contains("```")).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("guide.c");
    std::fs::write(&path, program.join("\n")).expect("written");
    run_program(
        compiler("CC", "gcc"),
        "-std=c11",
        path.to_str().expect("UTF-8"),
    );
}
