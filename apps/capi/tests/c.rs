//! The calls as C and C++ programmers make them: each program here is compiled against the header,
//! with all warnings as errors, and run with the static and with the shared library.

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
        run(Command::new(&program)
            .env("LD_LIBRARY_PATH", libraries)
            .env(
                "GOLDEN_VECTORS",
                here.join("../../tests/golden/vectors/fixed.tsv"),
            ));
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
fn hashes_are_as_documented() {
    run_program(compiler("CC", "gcc"), "-std=c11", "hashes.c");
}

#[test]
fn a_clock_forgets_nothing_early() {
    run_program(compiler("CC", "gcc"), "-std=c11", "clock.c");
}

#[test]
fn threads_share_a_filter() {
    run_program(compiler("CC", "gcc"), "-std=c11", "threads.c");
}

#[test]
fn processes_share_a_filter() {
    run_program(compiler("CC", "gcc"), "-std=c11", "shared.c");
}

#[test]
fn the_wrapper_for_cpp_does_the_same() {
    run_program(compiler("CXX", "g++"), "-std=c++20", "wrapper.cpp");
}

/// The wrapper for C++ refuses integers of another width.
///
/// Each case of the program, in a line that says "refused", and the program without a case.
#[test]
fn the_wrapper_refuses_other_widths() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = here.join("tests/refused.cpp");
    let text = include_str!("refused.cpp");
    let compile = |case: usize| {
        let mut compiler = compiler("CXX", "g++");
        compiler.args(["-std=c++20", "-fsyntax-only", "-I"]);
        compiler.arg(here.join("include")).arg(&source);
        let output = compiler.arg(format!("-DCASE={case}")).output();
        output.expect("a compiler")
    };
    assert!(compile(0).status.success());
    let refused = text.lines().enumerate();
    let refused = refused.filter(|(_, line)| line.contains("// refused"));
    for (case, (line, text)) in refused.enumerate() {
        let output = compile(case + 1);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{text} compiles");
        // The compiler names this line, and so nothing else is wrong.
        let place = format!("refused.cpp:{}:", line + 1);
        assert!(said.contains(&place), "{text}: {said}");
    }
}

/// The programs of the guide's pages, in C and in C++.
#[test]
fn the_programs_of_the_guide_run() {
    let page = include_str!("../../../docs/guide/c.md");
    // A file of this test only.
    let own = format!("/dev/shm/nonces-{}", std::process::id());
    let processes = include_str!("../../../docs/guide/processes.md");
    let processes = &*processes.replace("/dev/shm/nonces", &own);
    for (page, language, variable, usual, standard, count) in [
        (page, "c", "CC", "gcc", "-std=c11", 4),
        (page, "cpp", "CXX", "g++", "-std=c++20", 1),
        (processes, "c", "CC", "gcc", "-std=c11", 1),
    ] {
        let begin = format!("```{language}\n");
        let programs = page.split(&begin).skip(1);
        let programs: Vec<&str> = programs
            .map(|rest| rest.split("```").next().expect("its start"))
            .collect();
        assert_eq!(programs.len(), count, "programs in {language}");
        for (number, program) in programs.into_iter().enumerate() {
            let name = format!("guide{number}.{language}");
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            std::fs::write(&path, program).expect("written");
            let path = path.to_str().expect("UTF-8");
            run_program(compiler(variable, usual), standard, path);
        }
    }
}

/// The file for CMake has the version of the package.
#[test]
fn versions_agree() {
    let file = include_str!("../cmake/lockfree-cuckoo-config-version.cmake");
    let version = concat!("set(PACKAGE_VERSION \"", env!("CARGO_PKG_VERSION"), "\")\n");
    assert!(file.contains(version), "{version}");
}

/// No text for C programmers names an item of the library for Rust. (`status` tests the errors.)
#[test]
fn headers_and_readme_name_no_items_of_rust() {
    let texts = [
        include_str!("../include/lockfree_cuckoo.h"),
        include_str!("../include/lockfree_cuckoo.hpp"),
        include_str!("../README.md"),
    ];
    for (text, line) in texts
        .iter()
        .flat_map(|text| text.lines().map(move |line| (text, line)))
    {
        let is_cpp = std::ptr::eq(*text, texts[1]);
        let names = [
            "RandomState",
            "CuckooFilter",
            "DynFilter",
            "SemiSorted",
            "Lanes<",
            "build_smallest",
            "&self",
        ];
        for name in names {
            assert!(!line.contains(name), "{line}");
        }
        let cpp = line
            .replace("std::", "")
            .replace("lockfree_cuckoo::", "")
            .replace("lockfree-cuckoo::", "");
        assert!(is_cpp || !cpp.contains("::"), "{line}");
    }
}
