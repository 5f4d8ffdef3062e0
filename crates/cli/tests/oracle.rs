//! `millpond oracle compare`: what it shows of two files, and its exit status. That our library still gives the committed answers
//! is the step `oracle` of `cargo xtask test`.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn compare(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_millpond"))
        .args(["oracle", "compare"])
        .args(arguments)
        .output()
        .unwrap()
}

#[test]
fn a_file_that_differs_is_shown_with_both_answers() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("other.json");
    let text = r#"{"format": 1, "about": {"soc": "Other", "cann": "1.0", "machine": "x"}, "answers": [
        {"id": "memory.malloc_zero", "functions": ["aclrtMalloc"], "asks": "?", "answer": "code=0 written=no"},
        {"id": "memory.free_null", "functions": ["aclrtFree"], "asks": "?", "answer": "missing=aclrtFree"}]}"#;
    fs::write(&file, text).unwrap();
    let output = compare(&["--all", file.to_str().unwrap()]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains("code: Millpond 100000, this file 0"),
        "{said}"
    );
    assert!(said.contains("memory.free_null: not answered"), "{said}");
    assert!(said.contains(" 1 differ, 1 not answered"), "{said}");
}

#[test]
fn our_own_file_agrees_with_itself_and_nonsense_is_refused() {
    let ours = repository().join("oracle/answers/millpond.json");
    let output = compare(&[ours.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    let output = compare(&[env!("CARGO_MANIFEST_PATH")]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("not a file of answers")
    );
}
