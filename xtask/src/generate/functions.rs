//! `crates/abi/src/functions.rs`: the type of every function.

use super::header::{Function, Header};
use super::rust;

const INTRODUCTION: &str = "\
//! The type of every function that the headers declare.
//!
//! Generated from `include/` by `cargo xtask generate`: change the header, not this file.

use core::ffi::{c_char, c_int, c_void};

";

/// The text of the module, before formatting.
pub(crate) fn render(headers: &[Header]) -> String {
    let mut text = vec![INTRODUCTION.to_owned(), imports(headers)];
    for header in headers {
        text.push(format!("\n// {}\n", header.path));
        for function in &header.functions {
            text.push(alias(function, &header.path));
        }
    }
    text.concat()
}

fn imports(headers: &[Header]) -> String {
    let mut names = Vec::new();
    for function in headers.iter().flat_map(|header| &header.functions) {
        for kind in function
            .returns
            .iter()
            .chain(function.parameters.iter().map(|parameter| &parameter.kind))
        {
            rust::mentioned(kind, &mut names);
        }
    }
    names.sort_unstable();
    names.dedup();
    format!("use crate::{{{}}};\n", names.join(", "))
}

fn alias(function: &Function, header: &str) -> String {
    let name = &function.name;
    let mut parameters: Vec<_> = function
        .parameters
        .iter()
        .map(|parameter| {
            let kind = rust::spelling(&parameter.kind, "");
            format!("{}: {kind}", rust::identifier(parameter))
        })
        .collect();
    if function.variadic {
        parameters.push("...".to_owned());
    }
    let parameters = parameters.join(", ");
    let returns = function.returns.as_ref().map_or_else(String::new, |kind| {
        format!(" -> {}", rust::spelling(kind, ""))
    });
    let deprecated = function
        .deprecated
        .as_ref()
        .map_or_else(String::new, |advice| format!(" Deprecated: {advice}."));
    format!(
        "\n/// `{name}` of `{header}`.{deprecated}\n\
         pub type {name}Fn = unsafe extern \"C\" fn({parameters}){returns};\n"
    )
}
