//! Each method of a filter has an example.

use std::fs;
use std::path::Path;

#[test]
fn methods_have_examples() {
    let mut methods = 0;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/filter");
    for source in fs::read_dir(sources).expect("the facade") {
        let text = fs::read_to_string(source.expect("a file").path()).expect("a text");
        let mut documentation = String::new();
        for line in text.lines() {
            let trimmed = line.trim_start();
            if let Some(method) = line.strip_prefix("    pub fn ") {
                let name = method.split(['(', '<']).next().expect("a name");
                assert!(documentation.contains("```"), "`{name}` has no example");
                methods += 1;
            }
            if trimmed.starts_with("///") {
                documentation.push_str(trimmed);
            } else if !trimmed.starts_with("#[") && !trimmed.starts_with("// ") {
                documentation.clear();
            }
        }
    }
    assert!(methods > 80, "{methods} methods are not all");
}
