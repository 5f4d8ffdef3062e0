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

/// A library that ends or holds up whoever calls some of its functions, and lacks most.
const LIBRARY: &str = r"
#include <stdlib.h>
#include <unistd.h>
int aclInit(const char *path) { (void)path; return 0; }
int aclrtSetDevice(int device) { return device; }
int aclrtMalloc(void **block, size_t size, int policy) { (void)block; (void)size; (void)policy; abort(); }
int aclrtMallocHost(void **block, size_t size) { (void)block; (void)size; for (;;) pause(); }
int aclrtFree(void *block) { return block ? 0 : 107000; }
";

#[test]
fn a_crash_and_a_hang_are_answers_and_the_next_question_is_asked() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("oracle");
    fs::create_dir_all(&folder).unwrap();
    let oracle = repository().join("oracle");
    let cc = || Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
    fs::write(folder.join("library.c"), LIBRARY).unwrap();
    let mut library = cc();
    library.args(["-shared", "-fPIC", "library.c", "-o", "libcrashes.so"]);
    assert!(library.current_dir(&folder).status().unwrap().success());
    let mut program = cc();
    program
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(repository().join("include"))
        .args(["main.c", "questions/memory.c", "-ldl", "-lpthread", "-o"])
        .arg(folder.join("oracle"));
    assert!(program.current_dir(&oracle).status().unwrap().success());
    let ask = |only: &str, seconds: &str| {
        let mut command = Command::new(folder.join("oracle"));
        command.arg("--library").arg(folder.join("libcrashes.so"));
        let output = command
            .args(["--only", only, "--seconds", seconds])
            .output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    // The limit is generous where nothing hangs: the machine may be busy.
    let said = [
        "memory.malloc_zero",
        "memory.free_null",
        "memory.free_twice",
    ]
    .map(|id| ask(id, "300"))
    .concat();
    let answer = |id: &str| {
        let line = said
            .lines()
            .find(|line| line.starts_with(&format!("{id}\t")));
        line.and_then(|line| line.split('\t').nth(3))
            .unwrap_or_default()
    };
    assert_eq!(answer("memory.malloc_zero"), "crashed=6", "{said}");
    assert_eq!(
        answer("memory.free_null"),
        "free=107000 missing=aclrtFreeHost",
        "{said}"
    );
    assert_eq!(answer("memory.free_twice"), "crashed=6", "{said}");
    // One run: the second question is asked although the first one ended its process.
    let said = ask("memory.malloc_p", "300");
    let answers: Vec<&str> = said
        .lines()
        .filter_map(|line| line.split('\t').nth(3))
        .collect();
    assert_eq!(answers, ["crashed=6", "crashed=6"], "{said}");
    let said = ask("memory.malloc_host_zero", "2");
    assert!(said.trim_end().ends_with("\ttimeout"), "{said}");
}

#[test]
fn functions_are_found_in_whichever_library_has_them() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("divided");
    fs::create_dir_all(&folder).unwrap();
    for (name, value) in [("first", 1), ("second", 2)] {
        let source = folder.join(format!("{name}.c"));
        let text = format!(
            "int {name}(void) {{ return {value}; }}\nint both(void) {{ return {value}; }}\n"
        );
        fs::write(&source, text).unwrap();
        let mut cc = Command::new(std::env::var_os("CC").unwrap_or("cc".into()));
        cc.args(["-shared", "-fPIC"])
            .arg(&source)
            .arg("-o")
            .arg(folder.join(format!("lib{name}.so")));
        assert!(cc.status().unwrap().success());
    }
    let script = "import sys; sys.path.insert(0, sys.argv[1])\n\
        from libraries import Libraries\n\
        all = Libraries(['./libfirst.so', './libmissing.so', './libsecond.so'])\n\
        print(all.first(), all.second(), all.both(), hasattr(all, 'third'))\n\
        try: Libraries(['./libmissing.so'])\n\
        except OSError as error: print('libmissing.so' in str(error))\n";
    let output = Command::new("python3")
        .args(["-c", script])
        .arg(repository().join("tests/functions"))
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        "1 2 1 False\nTrue\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
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
