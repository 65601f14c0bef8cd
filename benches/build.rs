//! Compiles the C++ filter of the paper's authors, for the feature `authors`. `benches/measure`
//! gets the source.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "authors")]
    {
        const SOURCE: &str = "../target/authors/package/src";
        println!("cargo::rerun-if-changed={SOURCE}");
        println!("cargo::rerun-if-changed=src/rivals/authors.cc");
        let mut build = cc::Build::new();
        build
            .cpp(true)
            .file("src/rivals/authors.cc")
            .include(SOURCE);
        build.opt_level(3).define("NDEBUG", None).warnings(false);
        // It reads its tags through pointers to other types.
        for flag in ["-std=c++17", "-march=native", "-fno-strict-aliasing"] {
            build.flag(flag);
        }
        build.compile("authors");
    }
}
