//! Operators by function: everything that follows from `crates/functions/functions.tsv`.
//!
//! ```text
//! functions.tsv ─┬─> crates/functions/src/table.rs       one Rust function per row, which calls the row's formula
//!                ├─> crates/capi/src/aclnn/functions.rs  the two exported functions of each row
//!                ├─> include/aclnnop/**.h                their prototypes, in the headers that programs include
//!                └─> docs/functions.md                   the list
//! ```
//!
//! A row has the function's name, its header, its arguments as C declares them (before `workspaceSize` and `executor`), the
//! arguments that may be NULL, the formula, and a note for the list. A formula is an expression over the arguments in `snake_case`, or
//! the path of a function that takes them all as one structure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::rust;

const TABLE: &str = "crates/functions/functions.tsv";
const COLUMNS: [&str; 6] = ["name", "header", "arguments", "optional", "formula", "note"];

struct Row {
    /// The name that C sees: `aclnnAdd`, or `aclStft` for one of the few without the letters.
    exported: String,
    /// The name without its prefix.
    name: String,
    header: String,
    arguments: Vec<Argument>,
    formula: String,
    note: String,
}

struct Argument {
    /// As C declares it.
    c_type: String,
    name: String,
    optional: bool,
}

/// How an argument travels: the type in the exported function, the type in the table, and how one becomes the other.
struct Passing {
    exported: &'static str,
    table: String,
    converted: String,
}

impl Argument {
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let start =
            text.rfind(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')? + 1;
        let (c_type, name) = text.split_at(start);
        Some(Self {
            c_type: c_type
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .replace(" *", "*"),
            name: name.to_owned(),
            optional: false,
        })
    }

    fn rust_name(&self) -> String {
        let name = snake(&self.name);
        match name.as_str() {
            "self" | "type" | "ref" | "in" | "where" | "use" | "move" | "mod" | "fn" | "loop"
            | "match" | "unsafe" => name + "_",
            _ => name,
        }
    }

    fn passing(&self) -> Result<Passing, String> {
        let (rust_name, name) = (self.rust_name(), &self.name);
        let plain = |exported: &'static str| Passing {
            exported,
            table: exported.to_owned(),
            converted: rust_name.clone(),
        };
        let object = |exported, table: &str, get: &str| {
            if self.optional {
                Passing {
                    exported,
                    table: format!("Option<&{table}>"),
                    converted: format!(
                        "arguments::optional_{get}({rust_name}, {name:?})?.as_deref()"
                    ),
                }
            } else {
                Passing {
                    exported,
                    table: format!("&{table}"),
                    converted: format!("&*arguments::{get}({rust_name}, {name:?})?"),
                }
            }
        };
        let list = |exported, table: &str, get: &str| Passing {
            exported,
            table: format!("&[&{table}]"),
            converted: format!(
                "&arguments::{get}({rust_name}, {name:?}, {})?.references()",
                !self.optional
            ),
        };
        Ok(match self.c_type.trim_start_matches("const ") {
            "aclTensor*" => object("*const abi::aclTensor", "Tensor", "tensor"),
            "aclScalar*" => object("*const abi::aclScalar", "Scalar", "scalar"),
            "aclIntArray*" => object("*const abi::aclIntArray", "[i64]", "ints"),
            "aclFloatArray*" => object("*const abi::aclFloatArray", "[f32]", "floats"),
            "aclBoolArray*" => object("*const abi::aclBoolArray", "[bool]", "bools"),
            "aclTensorList*" => list("*const abi::aclTensorList", "Tensor", "tensors"),
            "aclScalarList*" => list("*const abi::aclScalarList", "Scalar", "scalars"),
            "char*" => Passing {
                exported: "*const c_char",
                table: "&str".to_owned(),
                converted: format!("&arguments::string({rust_name})"),
            },
            "bool" => Passing {
                exported: "u8",
                table: "bool".to_owned(),
                converted: format!("{rust_name} != 0"),
            },
            "int64_t" => plain("i64"),
            "uint64_t" => plain("u64"),
            "int32_t" | "int" | "aclDataType" => plain("i32"),
            "int8_t" => plain("i8"),
            "double" => plain("f64"),
            "float" => plain("f32"),
            other => {
                return Err(format!(
                    "{TABLE}: no passing for arguments of type '{other}'"
                ));
            }
        })
    }
}

fn snake(name: &str) -> String {
    let letters: Vec<char> = name.chars().collect();
    let mut snake = String::new();
    for (index, letter) in letters.iter().enumerate() {
        let before = index.checked_sub(1).map(|before| letters[before]);
        let after = letters.get(index + 1);
        let begins = letter.is_ascii_uppercase()
            && before.is_some_and(|before| {
                before != '_'
                    && (!before.is_ascii_uppercase() || after.is_some_and(char::is_ascii_lowercase))
            });
        if begins {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

fn read(root: &Path) -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(root.join(TABLE))
        .map_err(|error| format!("cannot read {TABLE}: {error}"))?;
    let mut lines = text.lines();
    if lines.next() != Some(&COLUMNS.join("\t")) {
        return Err(format!(
            "{TABLE}: the first line must be the columns {}",
            COLUMNS.join(", ")
        ));
    }
    let mut rows: Vec<Row> = lines.map(parse).collect::<Result<_, _>>()?;
    if let Some(pair) = rows.windows(2).find(|pair| pair[0].name >= pair[1].name) {
        return Err(format!(
            "{TABLE}: rows are sorted by name, but {} comes after {}",
            pair[1].name, pair[0].name
        ));
    }
    rows.retain(|row| !row.name.is_empty());
    Ok(rows)
}

fn parse(line: &str) -> Result<Row, String> {
    let bad = |what: &str| format!("{TABLE}: {what} in the row `{line}`");
    let cells: Vec<&str> = line.split('\t').collect();
    let [name, header, arguments, optional, formula, note] = cells[..] else {
        return Err(bad(&format!(
            "expected {} cells, found {}",
            COLUMNS.len(),
            cells.len()
        )));
    };
    let arguments = arguments
        .split(',')
        .map(|text| Argument::parse(text).ok_or_else(|| bad("an argument has no name")));
    let mut arguments: Vec<Argument> = arguments.collect::<Result<_, _>>()?;
    for optional in optional
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
    {
        let argument = arguments
            .iter_mut()
            .find(|argument| argument.name == optional);
        argument
            .ok_or_else(|| bad(&format!("there is no argument '{optional}'")))?
            .optional = true;
    }
    let short = name
        .strip_prefix("aclnn")
        .or_else(|| name.strip_prefix("acl"))
        .ok_or_else(|| bad("the name does not begin with aclnn"))?;
    Ok(Row {
        exported: name.to_owned(),
        name: short.to_owned(),
        header: header.to_owned(),
        arguments,
        formula: formula.to_owned(),
        note: note.to_owned(),
    })
}

/// The generated files.
pub(super) fn files(root: &Path) -> Result<Vec<(String, String)>, String> {
    let rows = read(root)?;
    let mut files = vec![
        (
            "crates/functions/src/table.rs".to_owned(),
            rust::format(root, &table(&rows)?)?,
        ),
        (
            "crates/capi/src/aclnn/functions.rs".to_owned(),
            rust::format(root, &exports(&rows)?)?,
        ),
        ("docs/functions.md".to_owned(), document(&rows)),
    ];
    let mut headers: BTreeMap<&str, Vec<&Row>> = BTreeMap::new();
    for row in &rows {
        headers.entry(&row.header).or_default().push(row);
    }
    for (header, rows) in headers {
        files.push((
            format!("include/aclnnop/{header}"),
            prototypes(header, &rows),
        ));
        // Programs include some of them from a folder of their own.
        files.push((format!("include/aclnnop/level2/{header}"), forward(header)));
    }
    Ok(files)
}

const GENERATED: &str =
    "Generated by `cargo xtask generate` from crates/functions/functions.tsv: change that instead.";

fn table(rows: &[Row]) -> Result<String, String> {
    let mut text = format!(
        "//! {GENERATED}\n#![allow(unused_variables, reason = \"some arguments do not change results here\")]\n\
         #![allow(clippy::too_many_arguments, reason = \"as many as the functions of C have\")]\n\
         #![allow(clippy::wildcard_imports, reason = \"rows name formulas by their family\")]\n\
         #![allow(clippy::struct_excessive_bools, clippy::fn_params_excessive_bools, reason = \"as many as the functions of C have\")]\n\
         #![allow(missing_docs, reason = \"arguments are those of the functions of C\")]\n\n\
         use crate::formulas::*;\nuse crate::plan::Planned;\nuse crate::scalar::Scalar;\nuse crate::tensor::Tensor;\n\n"
    );
    for row in rows {
        let whole = !row.formula.contains('(');
        let passings: Vec<Passing> = row
            .arguments
            .iter()
            .map(Argument::passing)
            .collect::<Result<_, _>>()?;
        let arguments = || row.arguments.iter().zip(&passings);
        if whole {
            let with_life = |kind: &str| kind.replace('&', "&'a ");
            let fields: Vec<String> = arguments()
                .map(|(argument, passing)| {
                    format!(
                        "pub {}: {},\n",
                        argument.rust_name(),
                        with_life(&passing.table)
                    )
                })
                .collect();
            let fields = fields.concat();
            let life = if fields.contains("'a") { "<'a>" } else { "" };
            writeln!(text, "/// The arguments of `{}`.\n#[derive(Debug, Clone, Copy)]\npub struct {}{life} {{\n{fields}}}\n", row.exported, row.name)
                .unwrap_or_default();
        }
        let parameters: Vec<String> = arguments()
            .map(|(argument, passing)| format!("{}: {}, ", argument.rust_name(), passing.table))
            .collect();
        let parameters = parameters.concat();
        let names: String = row
            .arguments
            .iter()
            .map(|argument| argument.rust_name() + ", ")
            .collect();
        let body = if whole {
            format!("{}({} {{ {names} }})", row.formula, row.name)
        } else {
            row.formula.clone()
        };
        writeln!(
            text,
            "/// `{}`.\npub fn {}({parameters}) -> Planned {{\n    {body}\n}}\n",
            row.exported,
            snake(&row.name)
        )
        .unwrap_or_default();
    }
    Ok(text)
}

fn exports(rows: &[Row]) -> Result<String, String> {
    let mut text = format!(
        "//! {GENERATED}\n#![expect(unsafe_code, reason = \"exported C symbols; pointers are checked where they are resolved\")]\n\
         #![allow(non_snake_case, reason = \"names are the C names\")]\n\
         #![allow(clippy::too_many_arguments, reason = \"as many as the functions of C have\")]\n\
         #![allow(clippy::explicit_auto_deref, reason = \"one text for all kinds of arguments\")]\n\
         #![allow(clippy::many_single_char_names, reason = \"arguments are those of the functions of C\")]\n\
         #![allow(unused_imports, reason = \"which kinds of arguments occur depends on the rows\")]\n\n\
         use std::ffi::{{c_char, c_void}};\n\nuse millpond_abi as abi;\nuse millpond_functions::table;\n\n\
         use super::arguments;\nuse super::executor::{{execute, plan, plan_most}};\n\n"
    );
    for row in rows {
        let exported = &row.exported;
        let passings: Vec<Passing> = row
            .arguments
            .iter()
            .map(Argument::passing)
            .collect::<Result<_, _>>()?;
        let arguments = || row.arguments.iter().zip(&passings);
        let parameters: Vec<String> = arguments()
            .map(|(argument, passing)| format!("{}: {}, ", argument.rust_name(), passing.exported))
            .collect();
        let parameters = parameters.concat();
        let converted: Vec<String> = arguments()
            .map(|(_, passing)| format!("{}, ", passing.converted))
            .collect();
        let converted = converted.concat();
        writeln!(
            text,
            "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {exported}GetWorkspaceSize({parameters}workspaceSize: *mut u64, executor: *mut *mut \
             abi::aclOpExecutor) -> abi::aclnnStatus {{\n    plan(\"{exported}\", \"{exported}GetWorkspaceSize\", workspaceSize, executor, || Ok(table::{}({converted})?))\n}}\n\n\
             #[unsafe(no_mangle)]\nunsafe extern \"C\" fn {exported}(workspace: *mut c_void, workspaceSize: u64, executor: *mut \
             abi::aclOpExecutor, stream: abi::aclrtStream) -> abi::aclnnStatus {{\n    execute(\"{exported}\", workspace, workspaceSize, executor, stream)\n}}\n",
            snake(&row.name)
        )
        .unwrap_or_default();
        if has_most(exported) {
            writeln!(
                text,
                "#[unsafe(no_mangle)]\nunsafe extern \"C\" fn {exported}GetMaxWorkspaceSize({parameters}workspaceSize: *mut u64, executor: *mut \
                 *mut abi::aclOpExecutor) -> abi::aclnnStatus {{\n    plan_most(\"{exported}\", \"{exported}GetMaxWorkspaceSize\", workspaceSize, executor, || \
                 Ok(table::{}({converted})?))\n}}\n",
                snake(&row.name)
            )
            .unwrap_or_default();
        }
    }
    Ok(text)
}

/// Whether a function has a third form, which says how much workspace it needs whatever the lengths of its sequences are. Programs that
/// update captured calls use it.
fn has_most(exported: &str) -> bool {
    const FUNCTIONS: [&str; 5] = [
        "aclnnFusedInferAttentionScoreV3",
        "aclnnFusedInferAttentionScoreV4",
        "aclnnFusedInferAttentionScoreV5",
        "aclnnFlashAttentionVarLenScoreV5",
        "aclnnFlashAttentionUnpaddingScoreGradV5",
    ];
    FUNCTIONS.contains(&exported)
}

fn guard(header: &str, folder: &str) -> String {
    format!(
        "MILLPOND_ACLNNOP_{folder}{}",
        header.replace('.', "_").to_uppercase()
    )
}

fn prototypes(header: &str, rows: &[&Row]) -> String {
    let guard = guard(header, "");
    let mut text = format!(
        "/* {GENERATED} */\n#ifndef {guard}\n#define {guard}\n\n#include \"../aclnn/acl_meta.h\"\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    );
    for row in rows {
        let declared: Vec<String> = row
            .arguments
            .iter()
            .map(|argument| {
                // One star belongs to the name, as everywhere in these headers.
                let kind = argument.c_type.replace('*', " *");
                if kind.ends_with('*') {
                    format!("{kind}{}", argument.name)
                } else {
                    format!("{kind} {}", argument.name)
                }
            })
            .collect();
        let note = if row.note.is_empty() {
            String::new()
        } else {
            format!("/* {} */\n", row.note)
        };
        write!(
            text,
            "\n{note}aclnnStatus {}GetWorkspaceSize({},\n    uint64_t *workspaceSize, aclOpExecutor **executor);\n\
             aclnnStatus {}(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream);\n",
            row.exported,
            wrapped(&declared),
            row.exported
        )
        .unwrap_or_default();
        if has_most(&row.exported) {
            write!(
                text,
                "\n/* Enough workspace for any lengths. */\naclnnStatus {}GetMaxWorkspaceSize({},\n    uint64_t *workspaceSize, aclOpExecutor **executor);\n",
                row.exported,
                wrapped(&declared)
            )
            .unwrap_or_default();
        }
    }
    text.push_str("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    text
}

/// Arguments in lines of at most 110 characters.
fn wrapped(arguments: &[String]) -> String {
    let mut text = String::new();
    let mut width = 60;
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            text.push(',');
            if width + argument.len() > 108 {
                text.push_str("\n    ");
                width = 4;
            } else {
                text.push(' ');
                width += 1;
            }
        }
        text.push_str(argument);
        width += argument.len() + 1;
    }
    text
}

fn forward(header: &str) -> String {
    let guard = guard(header, "LEVEL2_");
    format!(
        "/* {GENERATED} */\n#ifndef {guard}\n#define {guard}\n\n#include \"../{header}\"\n\n#endif\n"
    )
}

fn document(rows: &[Row]) -> String {
    let refused = rows.iter().filter(|row| row.note.starts_with("refused"));
    let refused = refused.count();
    let mut text = format!(
        "<!-- {GENERATED} -->\n# Operators by function\n\nMillpond computes {} functions natively, in any layout of their tensors. {refused} \
         more are exported but refused: every call fails with a sentence that says why, and the notes say it too. \
         [operators.md](operators.md) describes the interface. A function that is not listed is not exported, so programs that look \
         functions up by name take another path.\n\n| function | header | notes |\n| --- | --- | --- |\n",
        rows.len() - refused
    );
    for row in rows {
        writeln!(
            text,
            "| `{}` | `aclnnop/{}` | {} |",
            row.exported, row.header, row.note
        )
        .unwrap_or_default();
    }
    text
}

/// The headers that rows declare, below `include/`.
pub(super) fn generated_headers(root: &Path) -> Result<Vec<String>, String> {
    let rows = read(root)?;
    let both = |row: Row| {
        [
            format!("aclnnop/{}", row.header),
            format!("aclnnop/level2/{}", row.header),
        ]
    };
    Ok(rows.into_iter().flat_map(both).collect())
}

#[cfg(test)]
mod tests {
    use super::snake;

    #[test]
    fn names_in_snake_case() {
        let names = [
            ("selfRef", "self_ref"),
            ("Relu", "relu"),
            ("NLLLoss2d", "nll_loss2d"),
            ("cubeMathType", "cube_math_type"),
            ("N", "n"),
        ];
        for (name, expected) in names {
            assert_eq!(snake(name), expected);
        }
    }
}
