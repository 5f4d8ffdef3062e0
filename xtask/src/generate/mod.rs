//! `cargo xtask generate`: what is derived from the C headers and the compatibility table.
//!
//! ```text
//! include/**/*.h ──────────────┬─> crates/abi/src/functions.rs   a function type per prototype
//! crates/capi/compatibility.tsv┼─> crates/capi/src/refused.rs    the functions we do not offer
//! crates/capi/extra_symbols.tsv┼─> docs/compatibility.md         the same table, to read, and absent_symbols.tsv
//! oracle/answers/*.json ───────┘                                 with what hardware answered
//! include, compatibility.tsv ─────> oracle/questions/zeros.inc    every function called with zeros
//! crates/capi/tests/c/wrong_input.tsv ─> crates/capi/tests/c/wrong_input.h  a call of each with wrong input
//! crates/check/src/rules ─────────> docs/rules/README.md          the list of rules
//! crates/functions/functions.tsv ─> operators by function: see `aclnn.rs`
//! crates/python/functions.tsv ────> crates/python/{src/bindings,python/acl/*.pyi}
//! ```
//!
//! The results are committed, so that building needs no generator; `--check` proves them fresh.

mod aclnn;
mod answers;
mod document;
mod functions;
mod header;
mod oracle;
mod python;
mod refused;
mod rules;
mod rust;
mod table;
mod wrong_input;

use std::fs;
use std::path::Path;

/// README.md, of which one line is generated from the others.
fn readme(
    root: &Path,
    files: &[(String, String)],
    counted: impl FnOnce(&str, &str) -> Result<String, String>,
) -> Result<(String, String), String> {
    let path = "README.md".to_owned();
    let old = fs::read_to_string(root.join(&path)).map_err(|error| format!("{path}: {error}"))?;
    let operators = files.iter().find(|(path, _)| path == "docs/functions.md");
    let (_, operators) = operators.ok_or("docs/functions.md is not generated")?;
    Ok((path, counted(&old, operators)?))
}

/// Writes the generated files under `root`, or with `check` reports the first one that is stale.
///
/// Fails when a header cannot be read, and when the headers and the tables disagree.
pub(crate) fn run(root: &Path, check: bool) -> Result<(), String> {
    let headers = header::read_all(&root.join("include"), &aclnn::generated_headers(root)?)?;
    let rows = table::read_rows(&root.join("crates/capi/compatibility.tsv"), &headers)?;
    let extras = table::read_extras(&root.join("crates/capi/extra_symbols.tsv"), &headers)?;
    let absent = table::read_absent(
        &root.join("crates/capi/absent_symbols.tsv"),
        &headers,
        &extras,
    )?;

    let files = [
        (
            "crates/abi/src/functions.rs",
            rust::format(root, &functions::render(&headers))?,
        ),
        (
            "crates/capi/src/refused.rs",
            rust::format(root, &refused::render(&headers, &rows, &extras)?)?,
        ),
        (
            "docs/compatibility.md",
            document::render(&headers, &rows, &extras, &absent, &answers::read(root)?),
        ),
        ("docs/rules/README.md", rules::render()),
        (
            "crates/capi/tests/c/wrong_input.h",
            wrong_input::render(root, &headers)?,
        ),
        (
            "oracle/questions/zeros.inc",
            oracle::render(&headers, &rows),
        ),
    ];
    let files = files
        .into_iter()
        .map(|(path, text)| (path.to_owned(), text))
        .chain(python::files(root, &headers, &rows)?)
        .chain(aclnn::files(root)?);
    let mut files: Vec<(String, String)> = files.collect();
    files.push(readme(root, &files, |old, operators| {
        document::counted(old, operators, &headers, &rows, &extras)
    })?);
    for (path, text) in files {
        let target = root.join(&path);
        // A file that is not there yet is stale like any other.
        if fs::read_to_string(&target).is_ok_and(|old| old == text) {
            continue;
        }
        if check {
            return Err(format!("{path} is stale: run `cargo xtask generate`"));
        }
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)
                .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        }
        fs::write(&target, text).map_err(|error| format!("cannot write {path}: {error}"))?;
    }
    Ok(())
}
