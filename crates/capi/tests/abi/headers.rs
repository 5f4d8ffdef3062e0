//! Each header stands alone, in C and in C++, without a warning.

use std::fs;
use std::process::Command;

use crate::tools;

/// Compiles a file that includes nothing but one header, for each header.
fn compiles(compiler: &str, language: &str, standard: &str) {
    let scratch = tools::scratch(&format!("headers-{standard}"));
    let mut failures = Vec::new();
    for header in tools::headers() {
        let source = scratch.join("alone.c");
        // The declaration is there because pedantic C wants one in every file. Twice, for guards.
        let text = format!("#include \"{header}\"\n#include \"{header}\"\nint millpond_unused;\n");
        fs::write(&source, text).unwrap();
        let result = tools::output(
            Command::new(compiler)
                .args(["-x", language, &format!("-std={standard}")])
                .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"])
                .arg("-I")
                .arg(tools::include())
                .arg(&source),
        );
        failures.extend(result.err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn each_header_compiles_alone_as_c() {
    if let Some(compiler) = tools::c_compiler() {
        compiles(&compiler, "c", "c99");
        compiles(&compiler, "c", "c11");
    }
}

#[test]
fn each_header_compiles_alone_as_cplusplus() {
    if let Some(compiler) = tools::cxx_compiler() {
        compiles(&compiler, "c++", "c++11");
        compiles(&compiler, "c++", "c++17");
    }
}

#[test]
fn deprecated_functions_warn_on_request() {
    let Some(compiler) = tools::c_compiler() else {
        return;
    };
    let scratch = tools::scratch("deprecated");
    let source = scratch.join("old.c");
    let text = "#include \"acl/acl.h\"\n\
                aclError old(aclrtEvent e, aclrtEventStatus *s) { return aclrtQueryEvent(e, s); }\n";
    fs::write(&source, text).unwrap();
    let compile = |define: &[&str]| {
        tools::output(
            Command::new(&compiler)
                .args(["-Wall", "-Werror", "-fsyntax-only", "-I"])
                .arg(tools::include())
                .args(define)
                .arg(&source),
        )
    };
    compile(&[]).unwrap();
    let warned = compile(&["-DACL_DEPRECATED_MESSAGE(m)=__attribute__((deprecated(m)))"]);
    assert!(warned.unwrap_err().contains("use aclrtQueryEventStatus"));
}
