//! The functions that Python calls, in Rust.

use std::fmt::Write as _;

use super::table::{How, Kind, Parameter, Row};
use super::{Entry, words, wrapped};
use crate::generate::header::{Function, Type};
use crate::generate::rust::{identifier, spelling};

const GENERATED: &str = "Generated from `functions.tsv` and the headers by `cargo xtask generate`: \
                         change the table, not this file.";

/// The C functions, declared.
pub(crate) fn declarations(entries: &[Entry<'_>]) -> String {
    let mut text = format!(
        "//! The C functions that the module calls.\n//!\n//! {GENERATED}\n\
         #![expect(unsafe_code, reason = \"declares C functions\")]\n\
         #![allow(non_snake_case, reason = \"names are the C names\")]\n\n\
         use std::ffi::{{c_char, c_int, c_void}};\n\nuse millpond_abi as abi;\n\n\
         unsafe extern \"C-unwind\" {{\n"
    );
    for function in entries.iter().filter_map(|entry| entry.function) {
        let mut parameters: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| {
                let kind = spelling(&parameter.kind, "abi::");
                format!("{}: {kind}", identifier(parameter))
            })
            .collect();
        if function.variadic {
            parameters.push("...".to_owned());
        }
        let returns = function.returns.as_ref().map_or_else(String::new, |kind| {
            format!(" -> {}", spelling(kind, "abi::"))
        });
        let parameters = parameters.join(", ");
        writeln!(
            text,
            "pub(crate) fn {}({parameters}){returns};",
            function.name
        )
        .expect("writing to a String cannot fail");
    }
    text.push_str("}\n");
    text
}

/// One module: its functions and its table.
pub(crate) fn module(module: &str, entries: &[Entry<'_>]) -> Result<String, String> {
    let title = if module.is_empty() { "acl" } else { module };
    let mut functions = String::new();
    let mut rows = String::new();
    let mut count = 1;
    for entry in entries {
        let mut own = entry
            .row
            .names
            .iter()
            .filter(|(of, _)| of == module)
            .peekable();
        if entry.row.how == How::Python || own.peek().is_none() {
            continue;
        }
        let (first_module, first) = &entry.row.names[0];
        let by_hand = entry.row.how == How::Hand;
        let run = if by_hand {
            let prefix = if first_module.is_empty() {
                "acl"
            } else {
                first_module
            };
            format!("crate::hand::{prefix}_{first}")
        } else {
            functions.push_str(&body(entry)?);
            first.clone()
        };
        let (parameters, least) = if by_hand {
            entry.row.signature_parameters()
        } else {
            let arguments = entry.row.arguments();
            let names = arguments.iter().map(|argument| words(&argument.name));
            (names.collect(), entry.row.least())
        };
        for (of, name) in own {
            count += 1;
            let full = if of.is_empty() {
                name.clone()
            } else {
                format!("{of}.{name}")
            };
            let list: Vec<_> = parameters
                .iter()
                .map(|name| format!("\"{name}\""))
                .collect();
            let with_defaults = parameters.iter().enumerate().map(|(index, name)| {
                let default = if index < least { "" } else { "=None" };
                format!("{name}{default}")
            });
            let mut shown = with_defaults.collect::<Vec<_>>().join(", ");
            if !shown.is_empty() {
                shown.push_str(", /");
            }
            let doc = format!("{name}({shown})\n--\n\n{}", wrapped(&entry.text, 96, ""));
            let doc = doc
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', "\\n");
            writeln!(
                rows,
                "row(c\"{name}\", method!(\"{full}\" ({}) least {least}, {run}), c\"{doc}\"),",
                list.join(", ")
            )
            .expect("writing to a String cannot fail");
        }
    }
    Ok(format!(
        "//! The functions of `{title}`.\n//!\n//! {GENERATED}\n\
         #![expect(unsafe_code, reason = \"calls C functions\")]\n\n\
         use std::ffi::{{c_char, c_void}};\n\n\
         use millpond_abi as abi;\n\n\
         use super::c;\n\
         use crate::arguments::{{Args, Text, pointer_to}};\n\
         use crate::items::Truth;\n\
         use crate::methods::{{END, Methods, method, row}};\n\
         use crate::object::{{Answer, Owned, ToObject, text_in, text_or_none, tuple}};\n\
         use crate::structs::{{Element, Struct, zeroed}};\n\
         use crate::gil;\n\n\
         pub(crate) static METHODS: Methods<{count}> = Methods([\n{rows}END,\n]);\n{functions}"
    ))
}

/// A name that Rust allows.
fn local(name: &str) -> String {
    match words(name).as_str() {
        name @ ("type" | "fn" | "in" | "ref" | "match" | "args" | "ret" | "c") => {
            format!("{name}_")
        }
        name => name.to_owned(),
    }
}

fn body(entry: &Entry<'_>) -> Result<String, String> {
    let row = &entry.row;
    let Some(function) = entry.function else {
        return Err(format!(
            "functions.tsv: {} needs a C function",
            row.names[0].1
        ));
    };
    let (declared, given) = (function.parameters.len(), row.parameters.len());
    let names_agree = function
        .parameters
        .iter()
        .zip(&row.parameters)
        .all(|(one, other)| one.name == other.name);
    if declared != given || !names_agree {
        return Err(format!(
            "functions.tsv: the parameters of {} are not those of the header",
            row.c
        ));
    }

    let (mut before, mut counts) = (String::new(), String::new());
    let mut passed = Vec::new();
    let mut results = Vec::new();
    for (parameter, declared) in row.parameters.iter().zip(&function.parameters) {
        let constant = matches!(declared.kind, Type::Pointer { constant: true, .. });
        let by_value = matches!(declared.kind, Type::Named(_));
        let (statement, argument, result) = one(row, parameter, constant, by_value)?;
        // A list may come after its count among C's parameters.
        if matches!(parameter.kind, Kind::CountOf(_)) {
            counts.push_str(&statement);
        } else {
            before.push_str(&statement);
        }
        passed.push(argument);
        results.extend(result);
    }
    let call = format!("c::{}({})", row.c, passed.join(", "));
    let safety = "// SAFETY: what is passed lives until the call returns; addresses are the script's own affair.\n";
    let call = match &row.how {
        How::Wait => format!("gil::detach(|| {{\n{safety}unsafe {{ {call} }}\n}})"),
        How::Large(count) => format!(
            "gil::detach_if({} >= gil::LARGE, || {{\n{safety}unsafe {{ {call} }}\n}})",
            local(count)
        ),
        _ => format!("unsafe {{ {call} }}"),
    };
    let before_call = if row.how == How::Hold { safety } else { "" };
    let answer = answer(function, &results);
    let args = if row.arguments().is_empty() {
        "_"
    } else {
        "args"
    };
    let name = &row.names[0].1;
    let answered = if function.returns.is_some() {
        "let ret = "
    } else {
        ""
    };
    Ok(format!(
        "\nfn {name}({args}: Args<'_>) -> Answer {{\n{before}{counts}{before_call}{answered}{call};\n{answer}\n}}\n"
    ))
}

/// The statement that prepares a parameter, what is passed to C, and the result it becomes.
fn one(
    row: &Row,
    parameter: &Parameter,
    constant: bool,
    by_value: bool,
) -> Result<(String, String, Option<String>), String> {
    let name = local(&parameter.name);
    let index_of = |wanted: &str| {
        row.arguments()
            .iter()
            .position(|argument| argument.name == wanted)
            .ok_or_else(|| format!("functions.tsv: {} has no argument {wanted}", row.c))
    };
    let access = if constant { "const" } else { "mut" };
    Ok(match &parameter.kind {
        Kind::Plain(kind) => {
            let index = index_of(&parameter.name)?;
            let method = match kind.as_str() {
                "ptr" if constant => "constant",
                "ptr" => "pointer",
                kind => kind,
            };
            let line = format!("let {name} = args.{method}({index})?;\n");
            (line, name, None)
        }
        Kind::Text => {
            let index = index_of(&parameter.name)?;
            let cast = if constant { "" } else { ".cast_mut()" };
            let line =
                format!("let {name} = args.text({index})?;\nlet {name}_text = {name}.as_ptr();\n");
            (line, format!("{name}_text{cast}"), None)
        }
        Kind::TextOrNone => {
            let index = index_of(&parameter.name)?;
            let line = format!(
                "let {name} = args.text_or_none({index})?;\n\
                 let {name}_text = pointer_to({name}.as_ref());\n"
            );
            (line, format!("{name}_text"), None)
        }
        Kind::Struct(kind) => {
            let index = index_of(&parameter.name)?;
            let mutable = if constant || by_value { "" } else { "mut " };
            let line = format!("let {mutable}{name}: abi::{kind} = args.structure({index})?;\n");
            let passed = if by_value {
                name
            } else {
                format!("&raw {access} {name}")
            };
            (line, passed, None)
        }
        Kind::List(kind, same) => list(
            &name,
            index_of(&parameter.name)?,
            kind,
            same.as_deref(),
            constant,
            &index_of,
        )?,
        Kind::CountOf(list) => {
            let index = index_of(list)?;
            let of = local(list);
            let line = format!("let {name} = args.count({index}, {of}.len())?;\n");
            (line, name, None)
        }
        Kind::Out(kind) => {
            let zero = match kind.as_str() {
                "ptr" => "std::ptr::null_mut()",
                "f32" => "0.0",
                _ => "0",
            };
            let line = format!("let mut {name} = {zero};\n");
            (
                line,
                format!("&raw mut {name}"),
                Some(format!("{name}.object()?")),
            )
        }
        Kind::OutStruct(kind) => {
            let line = format!("let mut {name}: abi::{kind} = zeroed();\n");
            (
                line,
                format!("&raw mut {name}"),
                Some(format!("{name}.dict()?")),
            )
        }
        Kind::OutText(length) => {
            let room = match length.strip_prefix('@') {
                Some(parameter) => format!("args.room({})?", index_of(parameter)?),
                None => format!("vec![0; {length}]"),
            };
            let line = format!("let mut {name}: Vec<c_char> = {room};\n");
            let result = format!("text_in(&{name})?");
            (line, format!("{name}.as_mut_ptr()"), Some(result))
        }
    })
}

fn list(
    name: &str,
    index: usize,
    kind: &str,
    same: Option<&str>,
    constant: bool,
    index_of: &impl Fn(&str) -> Result<usize, String>,
) -> Result<(String, String, Option<String>), String> {
    let structure = kind
        .strip_prefix('{')
        .and_then(|kind| kind.strip_suffix('}'));
    let element = match kind {
        "ptr" => "*mut c_void".to_owned(),
        "str" => "Text".to_owned(),
        "bool" => "Truth".to_owned(),
        "pair" => "[i64; 2]".to_owned(),
        _ => structure.map_or_else(|| kind.to_owned(), |kind| format!("Element<abi::{kind}>")),
    };
    let mutable = if constant || kind == "str" {
        ""
    } else {
        "mut "
    };
    let mut line = format!("let {mutable}{name}: Vec<{element}> = args.list({index})?;\n");
    if let Some(other) = same {
        let other_index = index_of(other)?;
        let other = local(other);
        writeln!(
            line,
            "args.same_length({index}, {name}.len(), ({other_index}, {other}.len()))?;"
        )
        .expect("writing to a String cannot fail");
    }
    let mut passed = name.to_owned();
    if kind == "str" {
        passed = format!("{name}_texts");
        let mutable = if constant { "" } else { "mut " };
        writeln!(
            line,
            "let {mutable}{passed}: Vec<*const c_char> = {name}.iter().map(Text::as_ptr).collect();"
        )
        .expect("writing to a String cannot fail");
    }
    let access = if constant { "as_ptr" } else { "as_mut_ptr" };
    Ok((line, format!("{passed}.{access}().cast()"), None))
}

fn answer(function: &Function, results: &[String]) -> String {
    let is_status = function.returns == Some(Type::Named("aclError".to_owned()));
    match &function.returns {
        _ if is_status && !results.is_empty() => {
            format!("tuple([{}, ret.object()?])", results.join(", "))
        }
        None => "Owned::none()".to_owned(),
        Some(Type::Pointer { to, .. }) if **to == Type::Named("char".to_owned()) => {
            "text_or_none(ret)".to_owned()
        }
        Some(_) => "ret.object()".to_owned(),
    }
}
