//! The stubs: types and descriptions, for editors and type checkers.

use std::fmt::Write as _;

use super::table::{How, Kind, Row};
use super::{Entry, MODULES, words, wrapped};
use crate::generate::header::Type;

/// One stub file.
pub(crate) fn module(module: &str, entries: &[Entry<'_>]) -> String {
    let title = if module.is_empty() {
        "acl".to_owned()
    } else {
        format!("acl.{module}")
    };
    let mut text = format!(
        "\"\"\"The functions of {title}.\n\n\
         Generated from functions.tsv and the C headers by `cargo xtask generate`.\n\"\"\"\n\n\
         import os\n\
         from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union\n\n\
         _Text = Union[str, bytes, os.PathLike[str]]\n"
    );
    if module.is_empty() {
        text.push('\n');
        for submodule in MODULES {
            if !matches!(submodule, "" | "millpond") {
                writeln!(text, "from . import {submodule} as {submodule}")
                    .expect("writing to a String cannot fail");
            }
        }
        text.push_str("\n__version__: str\n");
    }
    for entry in entries {
        for (_, name) in entry.row.names.iter().filter(|(of, _)| of == module) {
            let signature = signature(entry);
            let doc = entry.text.replace('\\', "\\\\").replace("\"\"\"", "'''");
            let doc = wrapped(&doc, 96, "    ");
            write!(text, "\ndef {name}{signature}:\n    \"\"\"{doc}\"\"\"\n")
                .expect("writing to a String cannot fail");
        }
    }
    text
}

fn signature(entry: &Entry<'_>) -> String {
    let row = &entry.row;
    if matches!(row.how, How::Hand | How::Python) {
        return row.signature.clone();
    }
    let arguments = row.arguments();
    let least = row.least();
    let mut parameters: Vec<String> = arguments
        .iter()
        .enumerate()
        .map(|(index, argument)| {
            let default = if index >= least { " = ..." } else { "" };
            format!(
                "{}: {}{default}",
                words(&argument.name),
                type_of(&argument.kind)
            )
        })
        .collect();
    if !parameters.is_empty() {
        parameters.push("/".to_owned());
    }
    format!("({}) -> {}", parameters.join(", "), returns(row, entry))
}

fn type_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Plain(kind) | Kind::Out(kind) => match kind.as_str() {
            "f32" => "float",
            "bool" => "Union[bool, int]",
            _ => "int",
        },
        Kind::Text => "_Text",
        Kind::OutText(_) => "str",
        Kind::TextOrNone => "Optional[_Text]",
        Kind::Struct(_) | Kind::OutStruct(_) => "Dict[str, Any]",
        Kind::List(kind, _) => match kind.as_str() {
            "f32" => "Sequence[float]",
            "str" => "Sequence[_Text]",
            "bool" => "Sequence[Union[bool, int]]",
            "pair" => "Sequence[Sequence[int]]",
            kind if kind.starts_with('{') => "Sequence[Dict[str, Any]]",
            _ => "Sequence[int]",
        },
        Kind::CountOf(_) => "int",
    }
}

fn returns(row: &Row, entry: &Entry<'_>) -> String {
    let results: Vec<&str> = row
        .parameters
        .iter()
        .filter(|parameter| parameter.kind.is_result())
        .map(|parameter| type_of(&parameter.kind))
        .collect();
    let returned = entry
        .function
        .and_then(|function| function.returns.as_ref());
    let own = match returned {
        None => "None",
        Some(Type::Pointer { to, .. }) if **to == Type::Named("char".to_owned()) => "Optional[str]",
        Some(Type::Named(name)) if name == "float" => "float",
        Some(_) => "int",
    };
    if results.is_empty() {
        return own.to_owned();
    }
    format!("Tuple[{}, {own}]", results.join(", "))
}
