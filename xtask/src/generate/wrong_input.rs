//! `crates/capi/tests/c/wrong_input.h`: a call of every exported function, for a C program that passes wrong input to each.
//!
//! Which arguments may be NULL, and which functions are not called, is in `crates/capi/tests/c/wrong_input.tsv`, each with the reason. A function
//! that is in neither the table of calls nor that list cannot exist: both come from the headers.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use super::header::{Function, Header, Type};

/// Functions that return codes.
const CODES: [&str; 3] = ["aclError", "aclnnStatus", "HcclResult"];

/// What the list says of a function: cases that are no errors, or that it is not called at all.
#[derive(Debug, Default)]
struct Allowed {
    cases: Vec<String>,
    skipped: bool,
}

/// The header.
pub(crate) fn render(root: &Path, headers: &[Header]) -> Result<String, String> {
    let path = root.join("crates/capi/tests/c/wrong_input.tsv");
    let list = fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let functions: Vec<&Function> = headers.iter().flat_map(|it| &it.functions).collect();
    let allowed = read(&list, &functions)?;
    let mut text = vec![
        "/* Generated from the headers and wrong_input.tsv by `cargo xtask generate`. */\n\n"
            .to_owned(),
    ];
    for header in headers {
        text.push(format!("#include <{}>\n", header.path));
    }
    let mut table = vec!["\nstatic const struct function functions[] = {\n".to_owned()];
    for function in functions {
        let name = &function.name;
        let none = Allowed::default();
        let allowed = allowed.get(name.as_str()).unwrap_or(&none);
        if function.variadic || allowed.skipped {
            continue;
        }
        text.push(format!(
            "\nstatic long call_{name}(const struct variant *v)\n{{\n"
        ));
        let mut arguments = Vec::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let kind = c_type(&parameter.kind);
            let role = role(&parameter.kind);
            text.push(format!(
                "    {kind} a{index};\n    SET(v, a{index}, {index}, {role});\n"
            ));
            arguments.push(format!("a{index}"));
        }
        if function.parameters.is_empty() {
            text.push("    (void)v;\n".to_owned());
        }
        let call = format!("{name}({})", arguments.join(", "));
        let code =
            matches!(&function.returns, Some(Type::Named(kind)) if CODES.contains(&kind.as_str()));
        if code {
            text.push(format!("    return (long){call};\n}}\n"));
        } else {
            text.push(format!("    (void){call};\n    return NO_CODE;\n}}\n"));
        }
        let names: Vec<String> = function
            .parameters
            .iter()
            .map(|parameter| format!("\"{}\"", parameter.name))
            .collect();
        let names = if names.is_empty() {
            "NULL".to_owned()
        } else {
            names.join(", ")
        };
        table.push(format!(
            "    {{\"{name}\", call_{name}, {}, \" {} \", {{{names}}}}},\n",
            function.parameters.len(),
            allowed.cases.join(" ")
        ));
    }
    table.push("};\n".to_owned());
    text.extend(table);
    Ok(text.concat())
}

/// Reads the list and checks that it speaks of functions and arguments that exist.
fn read<'a>(list: &'a str, functions: &[&Function]) -> Result<HashMap<&'a str, Allowed>, String> {
    let mut all: HashMap<&str, Allowed> = HashMap::new();
    for line in list.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let mut columns = line.split('\t');
        let (Some(name), Some(cases), Some(reason)) =
            (columns.next(), columns.next(), columns.next())
        else {
            return Err(format!("wrong_input.tsv: '{line}' must have three columns"));
        };
        let Some(function) = functions.iter().find(|function| function.name == name) else {
            return Err(format!("wrong_input.tsv: there is no function '{name}'"));
        };
        if reason.trim().is_empty() {
            return Err(format!("wrong_input.tsv: '{name}' has no reason"));
        }
        let allowed = all.entry(name).or_default();
        for case in cases.split(' ') {
            let known = ["zero", "stale", "huge", "-"].contains(&case)
                || function.parameters.iter().any(|it| it.name == case);
            if !known {
                return Err(format!(
                    "wrong_input.tsv: '{name}' has no argument '{case}'"
                ));
            }
            allowed.skipped |= case == "-";
            allowed.cases.push(case.to_owned());
        }
    }
    Ok(all)
}

/// What a pointer of this type is: 0 for memory, 1 for a handle, 2 for a function of the program.
fn role(kind: &Type) -> u8 {
    const FUNCTIONS: [&str; 6] = ["Func", "Fn", "Callback", "CallBack", "Hook", "Provider"];
    match kind {
        Type::Named(name) if FUNCTIONS.iter().any(|word| name.contains(word)) => 2,
        Type::Named(_) => 1,
        Type::Pointer { .. } | Type::Array { .. } => 0,
    }
}

fn c_type(kind: &Type) -> String {
    match kind {
        Type::Named(name) => name.clone(),
        Type::Pointer { constant, to } => {
            let constant = if *constant { " const" } else { "" };
            match &**to {
                // A pointer to an array is only handed on.
                Type::Array { .. } => "void *".to_owned(),
                to => format!("{}{constant} *", c_type(to)),
            }
        }
        Type::Array { of, .. } => format!("{} *", c_type(of)),
    }
}
