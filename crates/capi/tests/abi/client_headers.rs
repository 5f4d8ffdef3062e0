//! The headers of `client_headers.tsv`, which published programs include one by one, are there and declare what their names say.

use std::fs;
use std::process::Command;

use crate::tools;

/// One row: the header as programs include it, the functions that they expect in it, or why it is not there.
struct Row {
    header: String,
    functions: Vec<String>,
    missing: String,
}

fn rows() -> Vec<Row> {
    let cells = tools::table("tests/abi/client_headers.tsv").into_iter();
    let rows = cells.map(|cells| {
        let [header, functions, missing] = &cells[..] else {
            panic!("{cells:?} has not three cells");
        };
        Row {
            header: header.clone(),
            functions: functions.split_whitespace().map(str::to_owned).collect(),
            missing: missing.clone(),
        }
    });
    rows.collect()
}

/// A file that includes nothing but one header, and compiles only if it declares the functions.
fn source(row: &Row) -> String {
    let uses = row.functions.iter().map(|name| {
        if name.starts_with("aclnn") {
            format!("sizeof(&{name}) + sizeof(&{name}GetWorkspaceSize)")
        } else {
            format!("sizeof(&{name})")
        }
    });
    let uses: Vec<_> = uses.collect();
    format!(
        "#include <{}>\nchar millpond_declared[{}];\n",
        row.header,
        uses.join(" + ")
    )
}

fn compiles(compiler: &str, language: &str, standard: &str) {
    let scratch = tools::scratch(&format!("client-headers-{standard}"));
    let mut failures = Vec::new();
    for row in rows().iter().filter(|row| row.missing.is_empty()) {
        let file = scratch.join("client.c");
        fs::write(&file, source(row)).unwrap();
        let result = tools::output(
            Command::new(compiler)
                .args(["-x", language, &format!("-std={standard}")])
                .args(["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only"])
                .arg("-I")
                .arg(tools::include())
                .arg(&file),
        );
        failures.extend(result.err());
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn headers_of_clients_declare_their_functions_in_c() {
    if let Some(compiler) = tools::c_compiler() {
        compiles(&compiler, "c", "c11");
    }
}

#[test]
fn headers_of_clients_declare_their_functions_in_cplusplus() {
    if let Some(compiler) = tools::cxx_compiler() {
        compiles(&compiler, "c++", "c++17");
    }
}

#[test]
fn a_header_of_clients_is_there_or_says_why_not() {
    for row in rows() {
        let exists = tools::include().join(&row.header).exists();
        assert_eq!(
            exists,
            row.missing.is_empty(),
            "{}: the file {}, client_headers.tsv says otherwise",
            row.header,
            if exists { "exists" } else { "does not exist" }
        );
        assert_eq!(exists, !row.functions.is_empty(), "{}", row.header);
    }
}
