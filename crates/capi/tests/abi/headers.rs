//! Each header stands alone, in C and in C++, without a warning.
//!
//! Most headers are generated, by the thousand, and starting a compiler for each would take a minute. Headers that begin with the
//! same lines and declare nothing but functions are compiled together: what one of them needs can only come from those lines.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::process::Command;

use crate::tools;

const CPLUSPLUS: &str = "#ifdef __cplusplus";
/// The group of headers that only include another. No preamble is like it.
const OTHER_NAME: &str = "another name";

/// What a header has in common with those that may be compiled with it. `None` for one that gives others more than functions.
fn preamble(text: &str) -> Option<String> {
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    let [comment, guard, same_guard, rest @ .., "#endif"] = lines.as_slice() else {
        return None;
    };
    let name = guard.strip_prefix("#ifndef ")?;
    if !comment.starts_with("/*") || same_guard.strip_prefix("#define ") != Some(name) {
        return None;
    }
    // Only another name of one header, which is compiled, too.
    if let [include] = rest {
        return include
            .starts_with("#include ")
            .then(|| OTHER_NAME.to_owned());
    }
    let end = rest.iter().position(|line| *line == CPLUSPLUS)?;
    let (before, declarations) = rest.split_at(end);
    let plain = |line: &&str| {
        let directive = line.starts_with('#') && ![CPLUSPLUS, "#endif"].contains(line);
        let words = ["typedef", "struct", "union", "enum", "static", "inline"];
        let more = line.split_whitespace().any(|word| words.contains(&word));
        !directive && (!more || line.starts_with("/*"))
    };
    let includes = before.iter().all(|line| line.starts_with("#include "));
    (includes && declarations.iter().all(plain)).then(|| before.join("\n"))
}

/// The headers that are compiled together; most of those that people wrote are alone.
fn groups() -> Vec<Vec<String>> {
    let mut alone = Vec::new();
    let mut together: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for header in tools::headers() {
        let text = fs::read_to_string(tools::include().join(&header)).unwrap();
        match preamble(&text) {
            Some(preamble) => together.entry(preamble).or_default().push(header),
            None => alone.push(vec![header]),
        }
    }
    alone.extend(together.into_values());
    alone
}

/// Compiles a file that includes nothing but the headers of a group, for each group.
fn compiles(compiler: &str, language: &str, standard: &str) {
    let scratch = tools::scratch(&format!("headers-{standard}"));
    let mut failures = Vec::new();
    for group in groups() {
        let source = scratch.join("alone.c");
        let mut text = String::new();
        for header in group {
            // Twice, for guards.
            writeln!(text, "#include \"{header}\"\n#include \"{header}\"").unwrap();
        }
        // The declaration is there because pedantic C wants one in every file.
        fs::write(&source, format!("{text}int millpond_unused;\n")).unwrap();
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
fn headers_are_compiled_together_only_if_they_declare_nothing_but_functions() {
    let header = |body: &str| format!("/* c */\n#ifndef A_H\n#define A_H\n{body}\n#endif\n");
    let functions = "#include \"x.h\"\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n/* a struct */\nint f(void);";
    assert_eq!(
        preamble(&header(functions)).as_deref(),
        Some("#include \"x.h\"")
    );
    assert_eq!(
        preamble(&header("#include \"y.h\"")).as_deref(),
        Some(OTHER_NAME)
    );
    for more in ["typedef int t;", "struct s;", "#define D 1"] {
        let behind = header(&format!("{functions}\n{more}"));
        assert_eq!(preamble(&behind), None, "{more}");
        let before = header(&format!("{more}\n{functions}"));
        assert_eq!(preamble(&before), None, "{more}");
    }
    let late = header(&format!("{functions}\n#include \"z.h\""));
    assert_eq!(preamble(&late), None);
    let generated = groups().iter().map(Vec::len).max();
    assert!(generated > Some(500), "the generated headers are together");
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
