//! Every refused function says so: by its result, and by name in `aclGetRecentErrMsg`.

use std::fs;
use std::process::Command;

use crate::{prototypes, tools};

/// The program around the calls. A refusal looks at none of its arguments, so one pointer type
/// with many null arguments serves all of them: the calling conventions of Linux let a caller pass
/// more than the callee takes.
const PROGRAM: &str = r#"
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define ZERO4 0, 0, 0, 0
#define ZERO20 ZERO4, ZERO4, ZERO4, ZERO4, ZERO4
typedef uintptr_t W;
typedef W (*Any)(W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W, W);

static void *library;
static const char *(*message)(void);
static int failures;

static void fail(const char *name, const char *what) {
    printf("%s: %s\n", name, what);
    failures++;
}

/* What the result must be: the code 200001, 207000, HCCL's 5, another error, zero in a whole or
 * half register, -1 as an enumeration, nothing. */
enum Kind { STATUS, FEATURE, HCCL, ERROR, ZERO, ZERO32, NONE3, UNDEFINED, NOTHING };

static void refused(const char *name, enum Kind kind) {
    Any function = (Any)dlsym(library, name);
    const char *text;
    W result;
    if (function == NULL) { fail(name, "is not exported"); return; }
    message();
    result = function(ZERO20);
    text = message();
    if (kind == STATUS && (int)result != 200001) fail(name, "does not return 200001");
    if (kind == FEATURE && (int)result != 207000) fail(name, "does not return 207000");
    if (kind == HCCL && (int)result != 5) fail(name, "does not return 5");
    if (kind == ERROR && (int)result == 0) fail(name, "returns success");
    if (kind == ZERO && result != 0) fail(name, "does not return 0");
    if (kind == ZERO32 && (uint32_t)result != 0) fail(name, "does not return 0");
    if (kind == NONE3 && (int)result != 3) fail(name, "does not return ACL_SUBSCRIBE_NONE");
    if (kind == UNDEFINED && (int)result != -1) fail(name, "does not return -1");
    if (text == NULL) fail(name, "leaves no message");
    else if (strstr(text, name) == NULL) fail(name, "is not named in its message");
}

int main(int argc, char **argv) {
    library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) { printf("%s\n", argc == 2 ? dlerror() : "no library"); return 1; }
    message = (const char *(*)(void))dlsym(library, "aclGetRecentErrMsg");
    if (message == NULL) { fail("aclGetRecentErrMsg", "is not exported"); return 1; }
@CALLS@
    return failures != 0;
}
"#;

#[test]
fn refused_functions_say_so() {
    let Some(declared) = prototypes::declared("refusals") else {
        return;
    };
    let Some(compiler) = tools::c_compiler() else {
        return;
    };
    let mut calls = Vec::new();
    let mut call = |name: &str, kind: &str| {
        calls.push(format!("    refused(\"{name}\", {kind});\n"));
    };
    for row in tools::table("compatibility.tsv") {
        let [function, _, status, note, ..] = row.as_slice() else {
            panic!("a row should have five cells: {row:?}");
        };
        if status == "refused" {
            let kind = declared[function].rsplit_once(" -> ").map(|(_, kind)| kind);
            let kind = match expected(kind) {
                "STATUS" if note.starts_with("returns 207000: ") => "FEATURE",
                kind => kind,
            };
            call(function, kind);
        }
    }
    for row in tools::table("extra_symbols.tsv") {
        let [symbol, returns, ..] = row.as_slice() else {
            panic!("a row should have four cells: {row:?}");
        };
        let kind = match returns.as_str() {
            "int" if symbol.starts_with("acl") => "STATUS",
            "int" => "ERROR",
            "aclDataType" => "UNDEFINED",
            "void" => "NOTHING",
            _ => "ZERO",
        };
        call(symbol, kind);
    }

    let scratch = tools::scratch("refusals");
    let source = scratch.join("refusals.c");
    let program = scratch.join("refusals");
    fs::write(&source, PROGRAM.replace("@CALLS@", &calls.concat())).unwrap();
    tools::output(
        Command::new(compiler)
            .args(["-std=gnu11", "-w"])
            .arg(&source)
            .arg("-o")
            .arg(&program)
            .arg("-ldl"),
    )
    .unwrap();
    let result = Command::new(&program)
        .arg(tools::library())
        .output()
        .unwrap();
    let report = String::from_utf8_lossy(&result.stdout);
    assert!(result.status.success(), "{}\n{report}", result.status);
}

/// The class of a result, by its Rust type.
fn expected(returns: Option<&str>) -> &'static str {
    match returns {
        None => "NOTHING",
        Some("aclError") => "STATUS",
        Some("HcclResult") => "HCCL",
        Some("aclDataType" | "aclFormat") => "UNDEFINED",
        Some("aclprofSubscribeOpFlag") => "NONE3",
        Some("u32" | "i32") => "ZERO32",
        Some(_) => "ZERO",
    }
}
