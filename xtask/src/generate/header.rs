//! Reads the prototypes of our own headers.
//!
//! This is not a C parser. It relies on how the headers are written: comments in `/* */`, one
//! prototype per statement, every parameter named, no function pointers outside typedefs. What does
//! not fit is an error with the statement in it, never skipped.

use std::fs;
use std::path::{Path, PathBuf};

/// One header and what it declares, in the order of the file.
pub(crate) struct Header {
    /// Path below `include/`, as a program includes it.
    pub(crate) path: String,
    pub(crate) functions: Vec<Function>,
}

/// One prototype.
#[derive(Debug, PartialEq)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// `None` is `void`.
    pub(crate) returns: Option<Type>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) variadic: bool,
    /// What to use instead, when the header marks the function as deprecated.
    pub(crate) deprecated: Option<String>,
}

/// One named parameter. Arrays have become pointers, as C passes them.
#[derive(Debug, PartialEq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Type,
}

/// A C type, reduced to what the binary interface sees.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Type {
    /// A typedef or a built-in type.
    Named(String),
    /// A pointer, to something constant or not.
    Pointer { constant: bool, to: Box<Type> },
    /// An array inside a pointer, with its length as written.
    Array { of: Box<Type>, length: String },
}

/// The parts of `include/`, in the order in which the documentation lists them.
const PARTS: [&str; 7] = [
    "acl", "aclnn", "aclnnop", "driver", "hccl", "mstx", "millpond",
];

/// Headers of other libraries than `libascendcl.so`, and those that are code of the program that
/// includes them: nothing is derived from them.
const OTHERS: [&str; 5] = [
    "millpond/cuda.h",
    "millpond/plugin.h",
    "mstx/mstx_detail/mstx_disabled.h",
    "mstx/mstx_detail/mstx_impl.h",
    "mstx/mstx_detail/mstx_impl_core.h",
];

/// All headers of `libascendcl.so` that declare functions, but for those that are generated themselves.
pub(crate) fn read_all(include: &Path, generated: &[String]) -> Result<Vec<Header>, String> {
    let mut headers = Vec::new();
    for part in PARTS {
        let mut files = Vec::new();
        let folder = include.join(part);
        if folder.is_dir() {
            collect(&folder, &mut files)?;
        }
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file)
                .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
            let path = file.strip_prefix(include).unwrap_or(&file);
            let path = path.to_string_lossy().into_owned();
            if OTHERS.contains(&path.as_str()) || generated.contains(&path) {
                continue;
            }
            let functions = parse(&text).map_err(|error| format!("{path}: {error}"))?;
            if !functions.is_empty() {
                headers.push(Header { path, functions });
            }
        }
    }
    Ok(headers)
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |error| format!("cannot list {}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "h") {
            files.push(path);
        }
    }
    Ok(())
}

/// The prototypes in the text of one header.
pub(crate) fn parse(text: &str) -> Result<Vec<Function>, String> {
    let mut functions = Vec::new();
    for statement in statements(&without_directives(&without_comments(text))) {
        let tokens = tokens(&statement);
        match tokens.first().map(String::as_str) {
            None | Some("typedef" | "struct" | "union" | "enum" | "static") => {}
            Some(_) => functions.push(
                prototype(&tokens).ok_or_else(|| format!("cannot read `{}`", statement.trim()))?,
            ),
        }
    }
    Ok(functions)
}

fn without_comments(text: &str) -> String {
    let mut rest = text;
    let mut kept = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        kept.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// Drops preprocessor lines, and what only C++ sees.
fn without_directives(text: &str) -> String {
    let mut kept = String::new();
    let mut only_cplusplus = false;
    let mut continued = false;
    for line in text.lines() {
        let directive = continued || line.trim_start().starts_with('#');
        continued = directive && line.ends_with('\\');
        if line.starts_with("#ifdef __cplusplus") {
            only_cplusplus = true;
        } else if line.starts_with("#endif") || line.starts_with("#else") {
            only_cplusplus = false;
        }
        if !directive && !only_cplusplus {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

/// Splits at the semicolons outside braces; the body of an inline function ends one, too.
fn statements(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current = String::new();
    let mut depth = 0_usize;
    for character in text.chars() {
        let mut ended = false;
        match character {
            '{' => depth += 1,
            '}' => {
                depth = depth.saturating_sub(1);
                ended = depth == 0 && current.trim_start().starts_with("static");
            }
            ';' => ended = depth == 0,
            _ => {}
        }
        if ended {
            found.push(std::mem::take(&mut current));
        } else {
            current.push(character);
        }
    }
    found
}

/// Words, string literals, `...` and single characters.
fn tokens(statement: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = statement.trim_start();
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if rest.starts_with("...") {
            3
        } else {
            first.len_utf8()
        };
        let (token, after) = rest.split_at(length);
        found.push(token.to_owned());
        rest = after.trim_start();
    }
    found
}

fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

fn prototype(tokens: &[String]) -> Option<Function> {
    let (deprecated, tokens) = match tokens {
        [marker, open, message, close, rest @ ..]
            if marker == "ACL_DEPRECATED_MESSAGE" && open == "(" && close == ")" =>
        {
            (Some(message.trim_matches('"').to_owned()), rest)
        }
        _ => (None, tokens),
    };
    let open = tokens.iter().position(|token| token == "(")?;
    let (head, list) = tokens.split_at(open);
    let [_, list @ .., close] = list else {
        return None;
    };
    if close != ")" || list.iter().any(|token| token == "(") {
        return None;
    }
    let Parameter { name, kind } = declaration(head)?;
    let returns = (kind != Type::Named("void".to_owned())).then_some(kind);

    let mut parameters = Vec::new();
    let mut variadic = false;
    if list.iter().ne(["void"]) {
        for tokens in list.split(|token| token == ",") {
            if tokens.iter().eq(["..."]) {
                variadic = true;
            } else {
                parameters.push(declaration(tokens)?);
            }
        }
    }
    Some(Function {
        name,
        returns,
        parameters,
        variadic,
        deprecated,
    })
}

/// Reads `const char *const names[][2]` and everything simpler.
fn declaration(tokens: &[String]) -> Option<Parameter> {
    let brackets = tokens
        .iter()
        .position(|token| token == "[")
        .unwrap_or(tokens.len());
    let (declarator, brackets) = tokens.split_at(brackets);
    let (name, declarator) = declarator.split_last()?;

    let mut kind = None;
    let mut constant = false;
    for token in declarator {
        match token.as_str() {
            "const" => constant = true,
            "*" => {
                kind = Some(Type::Pointer {
                    constant,
                    to: Box::new(kind?),
                });
                constant = false;
            }
            word if kind.is_none() => kind = Some(Type::Named(word.to_owned())),
            _ => return None,
        }
    }
    let mut kind = kind?;

    // Of several dimensions all but the first belong to the element.
    let mut lengths = Vec::new();
    for (index, token) in brackets.iter().enumerate() {
        match token.as_str() {
            "[" if brackets.get(index + 1).is_some_and(|next| next == "]") => {
                lengths.push(String::new());
            }
            "[" | "]" => {}
            length => lengths.push(length.to_owned()),
        }
    }
    for length in lengths.iter().skip(1).rev() {
        kind = Type::Array {
            of: Box::new(kind),
            length: length.clone(),
        };
    }
    if !lengths.is_empty() {
        kind = Type::Pointer {
            constant,
            to: Box::new(kind),
        };
    }
    is_word(name.chars().next()?).then(|| Parameter {
        name: name.clone(),
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Function {
        let mut functions = parse(text).unwrap();
        assert_eq!(functions.len(), 1, "{text}");
        functions.remove(0)
    }

    fn named(name: &str) -> Type {
        Type::Named(name.to_owned())
    }

    fn pointer(constant: bool, to: Type) -> Type {
        Type::Pointer {
            constant,
            to: Box::new(to),
        }
    }

    #[test]
    fn constness_belongs_to_what_is_pointed_at() {
        let function = one("aclError f(const T *const a[], T *b[], const char **c, T *const d);");
        let kinds: Vec<_> = function.parameters.into_iter().map(|p| p.kind).collect();
        assert_eq!(
            kinds,
            [
                pointer(true, pointer(true, named("T"))),
                pointer(false, pointer(false, named("T"))),
                pointer(false, pointer(true, named("char"))),
                pointer(false, named("T")),
            ]
        );
    }

    #[test]
    fn a_matrix_is_a_pointer_to_rows() {
        let function = one("void f(int64_t range[][NUM]);");
        assert_eq!(function.returns, None);
        let row = Type::Array {
            of: Box::new(named("int64_t")),
            length: "NUM".to_owned(),
        };
        assert_eq!(function.parameters[0].kind, pointer(false, row));
    }

    #[test]
    fn comments_directives_and_types_are_passed_over() {
        let function = one("/* a; b */\n#define X(a) \\\n    f(a);\n\
            #ifdef __cplusplus\nextern \"C\" {\n#endif\n\
            typedef struct S { int a; } S;\nstatic inline int g(void) { return 1; }\n\
            ACL_DEPRECATED_MESSAGE(\"use h\")\nvoid *f(const char *fmt, ...);\n");
        assert_eq!(function.name, "f");
        assert_eq!(function.returns, Some(pointer(false, named("void"))));
        assert!(function.variadic);
        assert_eq!(function.deprecated.as_deref(), Some("use h"));
    }

    #[test]
    fn what_does_not_fit_is_an_error() {
        assert!(parse("int f(void (*callback)(int));").is_err());
        assert!(parse("int f(int);").is_err());
    }
}
