//! `crates/python`: what is derived from its table of functions.
//!
//! ```text
//! crates/python/functions.tsv ─┬─> crates/python/src/bindings/*.rs   functions that Python calls
//! include/**/*.h ──────────────┴─> crates/python/python/acl/*.pyi    their types and descriptions
//! ```

mod rust;
mod stubs;
mod table;

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::header::{Function, Header, Type};
use super::table::{Row, Status};

/// The modules, in the order in which they are made. The first is `acl` itself.
pub(crate) const MODULES: [&str; 9] = [
    "", "rt", "mdl", "op", "blas", "media", "prof", "util", "millpond",
];

/// Everything a row leads to.
pub(crate) struct Entry<'a> {
    pub(crate) row: table::Row,
    /// The C function, if there is one.
    pub(crate) function: Option<&'a Function>,
    /// What it is, in sentences.
    pub(crate) text: String,
}

/// The generated files and their text.
pub(crate) fn files(
    root: &Path,
    headers: &[Header],
    rows: &HashMap<String, Row>,
) -> Result<Vec<(String, String)>, String> {
    let crate_folder = root.join("crates/python");
    let table = table::read(&crate_folder.join("functions.tsv"))?;
    let comments = comments(&root.join("include"), headers)?;
    let functions: HashMap<&str, &Function> = headers
        .iter()
        .flat_map(|header| &header.functions)
        .map(|function| (function.name.as_str(), function))
        .collect();
    let mut entries = Vec::new();
    for row in table {
        let function = functions.get(row.c.as_str()).copied();
        if function.is_none() && row.c != "-" {
            return Err(format!("functions.tsv: no header declares {}", row.c));
        }
        let prototype = prototype(&row, function);
        let text = text(&row, prototype, rows.get(&row.c), comments.get(&row.c));
        entries.push(Entry {
            row,
            function,
            text,
        });
    }
    complete(&entries, headers, rows)?;

    let mut files = Vec::new();
    let mut rust_file = |name: &str, text: String| -> Result<(), String> {
        let path = format!("crates/python/src/bindings/{name}.rs");
        files.push((path, super::rust::format(root, &text)?));
        Ok(())
    };
    rust_file("c", rust::declarations(&entries))?;
    for module in MODULES {
        if module != "util" {
            let name = if module.is_empty() { "acl" } else { module };
            rust_file(name, rust::module(module, &entries)?)?;
        }
    }
    for module in MODULES {
        if module != "millpond" {
            let name = if module.is_empty() {
                "__init__"
            } else {
                module
            };
            files.push((
                format!("crates/python/python/acl/{name}.pyi"),
                stubs::module(module, &entries),
            ));
        }
    }
    Ok(files)
}

/// Every function that works in C is there in Python.
fn complete(
    entries: &[Entry<'_>],
    headers: &[Header],
    rows: &HashMap<String, Row>,
) -> Result<(), String> {
    for header in headers
        .iter()
        // The vendor's module has no functions for channels.
        .filter(|header| header.path.starts_with("acl/") && header.path != "acl/acl_tdt.h")
    {
        for function in &header.functions {
            let works = rows
                .get(&function.name)
                .is_some_and(|row| row.status != Status::Refused);
            if works && !entries.iter().any(|entry| entry.row.c == function.name) {
                return Err(format!(
                    "functions.tsv: {} has no row, but works in C",
                    function.name
                ));
            }
        }
    }
    Ok(())
}

/// What a description says: the table's own words or the header's, and what differs.
fn text(
    row: &table::Row,
    prototype: Option<String>,
    compatibility: Option<&Row>,
    comment: Option<&String>,
) -> String {
    let mut parts: Vec<String> = prototype.into_iter().collect();
    if row.text.is_empty() {
        parts.extend(comment.cloned());
    } else {
        parts.push(row.text.clone());
    }
    if let Some(found) = compatibility {
        match found.status {
            Status::Refused => parts.push(format!("Refused: {}.", found.note)),
            Status::Partial | Status::Implemented if !found.note.is_empty() => {
                parts.push(format!("Note: {}.", found.note));
            }
            Status::Partial | Status::Implemented => {}
        }
    }
    if row.c != "-" {
        parts.push(format!("C: {}", row.c));
    }
    parts.join("\n\n")
}

/// A call as a script writes it, with the names of its results: `dev_ptr, ret = acl.rt.malloc(size, policy)`.
fn prototype(row: &table::Row, function: Option<&Function>) -> Option<String> {
    if matches!(row.how, table::How::Hand | table::How::Python) {
        return None;
    }
    let (module, name) = &row.names[0];
    let module = if module.is_empty() {
        String::new()
    } else {
        format!("{module}.")
    };
    let arguments = row.arguments();
    let arguments: Vec<_> = arguments.iter().map(|one| words(&one.name)).collect();
    let mut results: Vec<String> = row
        .parameters
        .iter()
        .filter(|one| one.kind.is_result())
        .map(|one| words(&one.name))
        .collect();
    match function.and_then(|function| function.returns.as_ref()) {
        Some(Type::Named(name)) if name == "aclError" => results.push("ret".to_owned()),
        Some(_) => results.push("value".to_owned()),
        None => {}
    }
    let call = format!("acl.{module}{name}({})", arguments.join(", "));
    Some(if results.is_empty() {
        call
    } else {
        format!("{} = {call}", results.join(", "))
    })
}

/// Lines of at most so many letters.
pub(crate) fn wrapped(text: &str, width: usize, indent: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| {
        let mut lines = vec![String::new()];
        for word in paragraph.split_whitespace() {
            let last = lines
                .last_mut()
                .filter(|line| line.len() + word.len() < width);
            match last {
                Some(line) if line.is_empty() => line.push_str(word),
                Some(line) => {
                    line.push(' ');
                    line.push_str(word);
                }
                None => lines.push(word.to_owned()),
            }
        }
        lines.join(&format!("\n{indent}"))
    });
    paragraphs
        .collect::<Vec<_>>()
        .join(&format!("\n\n{indent}"))
}

/// The comment above each prototype. One comment speaks for all prototypes up to the next empty line.
fn comments(include: &Path, headers: &[Header]) -> Result<HashMap<String, String>, String> {
    let mut found = HashMap::new();
    for header in headers {
        let path = include.join(&header.path);
        let text =
            fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        for paragraph in text.split("\n\n") {
            let Some((_, after)) = paragraph.split_once("/*") else {
                continue;
            };
            let Some((comment, code)) = after.split_once("*/") else {
                continue;
            };
            let words: Vec<&str> = comment
                .lines()
                .flat_map(|line| line.trim().trim_start_matches('*').split_whitespace())
                .collect();
            for function in &header.functions {
                if code.contains(&format!("{}(", function.name)) {
                    found.insert(function.name.clone(), words.join(" "));
                }
            }
        }
    }
    Ok(found)
}

/// `devPtr` as Python spells it: `dev_ptr`.
pub(crate) fn words(name: &str) -> String {
    let mut text = String::new();
    let letters: Vec<char> = name.chars().collect();
    for (index, letter) in letters.iter().enumerate() {
        if letter.is_ascii_uppercase() && index > 0 && !letters[index - 1].is_ascii_uppercase() {
            text.push('_');
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelled_as_python_does() {
        for (c, python) in [
            ("devPtr", "dev_ptr"),
            ("N", "n"),
            ("dataTypeA", "data_type_a"),
            ("ms", "ms"),
        ] {
            assert_eq!(words(c), python);
        }
    }

    #[test]
    fn lines_are_broken_between_words_and_paragraphs_stay() {
        let text = wrapped("one two three\n\nfour", 8, "  ");
        assert_eq!(text, "one two\n  three\n\n  four");
    }
}
