//! `crates/capi/src/refused.rs`: an exported function for everything we do not offer.
//!
//! A program that links such a function loads, and learns from the error what is missing.

use std::collections::HashMap;

use super::header::{Function, Header, Type};
use super::rust;
use super::table::{Extra, Returns, Row, Status};

const INTRODUCTION: &str = "\
//! The functions that this version does not support.
//!
//! Each returns an error, or the value that means *nothing*, and leaves its reason for
//! `aclGetRecentErrMsg`. Generated from `compatibility.tsv` and `extra_symbols.tsv` by
//! `cargo xtask generate`: change the tables, not this file.

#![expect(unsafe_code, reason = \"exported symbols have their C names\")]
#![allow(non_snake_case, reason = \"names are the C names\")]
#![allow(clippy::too_many_arguments, reason = \"signatures are the C signatures\")]

";

/// How the note of a function begins that is refused with `ACL_ERROR_RT_FEATURE_NOT_SUPPORT`.
const FEATURE: &str = "returns 207000: ";

const UNDECLARED: &str =
    "\n// No header declares these; programs bind them when they are loaded.\n";

/// The text of the module, before formatting.
pub(crate) fn render(
    headers: &[Header],
    rows: &HashMap<String, Row>,
    extras: &[Extra],
) -> Result<String, String> {
    let mut body = Vec::new();
    for header in headers {
        let refused: Vec<_> = header
            .functions
            .iter()
            .filter_map(|function| {
                let row = rows.get(&function.name)?;
                (row.status == Status::Refused).then_some((function, row))
            })
            .collect();
        if !refused.is_empty() {
            body.push(format!("\n// {}\n", header.path));
        }
        for (function, row) in refused {
            body.push(declared(function, &row.note)?);
        }
    }
    if !extras.is_empty() {
        body.push(UNDECLARED.to_owned());
    }
    for extra in extras {
        body.push(undeclared(extra));
    }
    let body = body.concat();

    let mut text = vec![INTRODUCTION.to_owned()];
    for (prefix, names) in [
        ("core::ffi::", &["c_char", "c_int", "c_void"][..]),
        ("core::ptr::", &["null", "null_mut"]),
    ] {
        let used: Vec<_> = names
            .iter()
            .copied()
            .filter(|name| uses(&body, name))
            .collect();
        if !used.is_empty() {
            text.push(format!("use {prefix}{{{}}};\n", used.join(", ")));
        }
    }
    text.push("\nuse millpond_abi as abi;\n\n".to_owned());
    let helpers: Vec<_> = ["refused", "refused_feature", "refused_value"]
        .into_iter()
        .filter(|name| body.contains(&format!(" {name}(")))
        .collect();
    if !helpers.is_empty() {
        text.push(format!(
            "use crate::boundary::{{{}}};\n",
            helpers.join(", ")
        ));
    }
    text.push(body);
    Ok(text.concat())
}

fn declared(function: &Function, note: &str) -> Result<String, String> {
    let name = &function.name;
    if function.variadic {
        return Err(format!(
            "{name} is variadic, and Rust cannot define a variadic function: implement it in C"
        ));
    }
    let parameters: Vec<_> = function
        .parameters
        .iter()
        .map(|parameter| {
            let kind = rust::spelling(&parameter.kind, "abi::");
            format!("_{}: {kind}", parameter.name)
        })
        .collect();
    let parameters = parameters.join(", ");
    let returns = function.returns.as_ref().map_or_else(String::new, |kind| {
        format!(" -> {}", rust::spelling(kind, "abi::"))
    });
    let body = match value(function.returns.as_ref()) {
        // Programs try these to see whether the device has the feature.
        Some("error") if note.starts_with(FEATURE) => {
            let note = note.trim_start_matches(FEATURE);
            format!("refused_feature({name:?}, {note:?})")
        }
        Some(value) => refusal(name, note, value),
        None => {
            return Err(format!(
                "{name}: no value of its result type means a refusal"
            ));
        }
    };
    Ok(format!(
        "\n#[unsafe(no_mangle)]\n\
         pub(crate) extern \"C\" fn {name}({parameters}){returns} {{ {body} }}\n\
         const _: abi::{name}Fn = {name};\n"
    ))
}

/// The body of a refused function that returns `value`.
fn refusal(name: &str, reason: &str, value: &str) -> String {
    match value {
        "error" => format!("refused({name:?}, {reason:?})"),
        "()" => format!("refused_value({name:?}, {reason:?}, ());"),
        _ => format!("refused_value({name:?}, {reason:?}, {value})"),
    }
}

/// What a refused function returns; `error` stands for the status code.
fn value(returns: Option<&Type>) -> Option<&'static str> {
    Some(match returns {
        None => "()",
        Some(Type::Pointer { constant: true, .. }) => "null()",
        Some(Type::Pointer { .. }) => "null_mut()",
        Some(Type::Array { .. }) => return None,
        Some(Type::Named(name)) => match name.as_str() {
            "aclError" => "error",
            "HcclResult" => "abi::HCCL_E_NOT_SUPPORT",
            "aclDataType" => "abi::ACL_DT_UNDEFINED",
            "aclFormat" => "abi::ACL_FORMAT_UNDEFINED",
            "aclprofSubscribeOpFlag" => "abi::ACL_SUBSCRIBE_NONE",
            "aclrtAllocatorDesc" | "aclrtBinary" => "null_mut()",
            "int32_t" | "int64_t" | "uint32_t" | "uint64_t" | "size_t" => "0",
            "float" => "0.0",
            _ => return None,
        },
    })
}

fn undeclared(extra: &Extra) -> String {
    let Extra { symbol, reason, .. } = extra;
    let (returns, value) = match extra.returns {
        Returns::Int if symbol.starts_with("acl") => (" -> abi::aclError", "error"),
        Returns::Int => (" -> c_int", "abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT"),
        Returns::Size => (" -> usize", "0"),
        Returns::Pointer => (" -> *mut c_void", "null_mut()"),
        Returns::DataType => (" -> abi::aclDataType", "abi::ACL_DT_UNDEFINED"),
        Returns::Void => ("", "()"),
    };
    let body = refusal(symbol, reason, value);
    format!(
        "\n#[unsafe(no_mangle)]\n\
         pub(crate) extern \"C\" fn {symbol}(){returns} {{ {body} }}\n"
    )
}

fn uses(body: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    body.split(|c| !word(c)).any(|found| found == name)
}
