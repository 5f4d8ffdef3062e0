//! How C types and names are spelled in Rust.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::header::{Parameter, Type};

/// The Rust spelling of a type; `prefix` goes before the names that `millpond-abi` declares.
pub(crate) fn spelling(kind: &Type, prefix: &str) -> String {
    match kind {
        Type::Named(name) => {
            builtin(name).map_or_else(|| format!("{prefix}{name}"), ToOwned::to_owned)
        }
        Type::Pointer { constant, to } => {
            let access = if *constant { "const" } else { "mut" };
            format!("*{access} {}", spelling(to, prefix))
        }
        Type::Array { of, length } if length.parse::<usize>().is_ok() => {
            format!("[{}; {length}]", spelling(of, prefix))
        }
        Type::Array { of, length } => format!("[{}; {prefix}{length}]", spelling(of, prefix)),
    }
}

/// The names of `millpond-abi` that a type mentions.
pub(crate) fn mentioned<'a>(kind: &'a Type, names: &mut Vec<&'a str>) {
    match kind {
        Type::Named(name) if builtin(name).is_some() => {}
        Type::Named(name) => names.push(name),
        Type::Pointer { to, .. } => mentioned(to, names),
        Type::Array { of, length } => {
            if length.parse::<usize>().is_err() {
                names.push(length);
            }
            mentioned(of, names);
        }
    }
}

fn builtin(name: &str) -> Option<&'static str> {
    Some(match name {
        "void" => "c_void",
        "char" => "c_char",
        "int" => "c_int",
        "float" => "f32",
        "bool" => "bool",
        "double" => "f64",
        "int8_t" => "i8",
        "int16_t" => "i16",
        "int32_t" => "i32",
        "int64_t" => "i64",
        "uint8_t" => "u8",
        "uint16_t" => "u16",
        "uint32_t" => "u32",
        "uint64_t" => "u64",
        "size_t" => "usize",
        _ => return None,
    })
}

/// A parameter's name, escaped where Rust reserves it.
pub(crate) fn identifier(parameter: &Parameter) -> String {
    match parameter.name.as_str() {
        name @ ("fn" | "type" | "ref" | "in" | "match" | "mod" | "move" | "use" | "where") => {
            format!("r#{name}")
        }
        name => name.to_owned(),
    }
}

/// The text as `cargo fmt` wants it.
pub(crate) fn format(root: &Path, text: &str) -> Result<String, String> {
    let failed = |error| format!("cannot run rustfmt: {error}");
    let mut child = Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .arg(root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        // rustfmt reads everything before it writes, so this cannot fill the pipe both ways.
        input.write_all(text.as_bytes()).map_err(failed)?;
    }
    let output = child.wait_with_output().map_err(failed)?;
    if !output.status.success() {
        return Err("rustfmt refused the generated text".to_owned());
    }
    String::from_utf8(output.stdout).map_err(|error| format!("rustfmt wrote no text: {error}"))
}
