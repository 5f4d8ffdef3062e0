//! Reads `functions.tsv`. The head of that file says what its columns mean.

use std::fs;
use std::path::Path;

/// One function of Python.
pub(crate) struct Row {
    /// Its names, with the module before the point: `rt.malloc`. The first is the one that messages use.
    pub(crate) names: Vec<(String, String)>,
    /// The C function, or `-`.
    pub(crate) c: String,
    pub(crate) how: How,
    /// Of a function that is written by hand: its types, as a stub has them.
    pub(crate) signature: String,
    /// Of all others: what C's parameters are, in C's order.
    pub(crate) parameters: Vec<Parameter>,
    /// What it does, where the header's comment does not say it.
    pub(crate) text: String,
}

/// Who calls C, and whether the interpreter's lock is let go meanwhile.
#[derive(PartialEq, Eq)]
pub(crate) enum How {
    /// Generated; the lock is kept.
    Hold,
    /// Generated; the lock is let go.
    Wait,
    /// Generated; the lock is let go if this parameter is large.
    Large(String),
    /// Written in Rust.
    Hand,
    /// Written in Python.
    Python,
}

/// One parameter of C.
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// What a parameter is for a script.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// `usize`, `u64`, `u32`, `u16`, `u8`, `i64`, `i32`, `i8`, `f32`, `bool` or `ptr`.
    Plain(String),
    Text,
    TextOrNone,
    /// A dictionary.
    Struct(String),
    /// A list of the kind inside the brackets, which must be as long as another.
    List(String, Option<String>),
    /// How many a list has. No argument of Python's.
    CountOf(String),
    /// A result.
    Out(String),
    OutStruct(String),
    /// A text that C writes: as many bytes, or as the named parameter says.
    OutText(String),
}

impl Kind {
    pub(crate) fn is_result(&self) -> bool {
        matches!(self, Self::Out(_) | Self::OutStruct(_) | Self::OutText(_))
    }

    pub(crate) fn is_argument(&self) -> bool {
        !self.is_result() && !matches!(self, Self::CountOf(_))
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with('#') || line.is_empty() || line.starts_with("python\t") {
            continue;
        }
        let place = || format!("functions.tsv:{}", index + 1);
        rows.push(row(line).ok_or_else(|| format!("{}: cannot read `{line}`", place()))?);
    }
    Ok(rows)
}

fn row(line: &str) -> Option<Row> {
    let mut columns = line.split('\t');
    let names = columns.next()?.split('|').map(|name| {
        let (module, name) = name.split_once('.').unwrap_or(("", name));
        (module.to_owned(), name.to_owned())
    });
    let names = names.collect();
    let c = columns.next()?.to_owned();
    let how = match columns.next()? {
        "hold" => How::Hold,
        "wait" => How::Wait,
        "hand" => How::Hand,
        "python" => How::Python,
        other => How::Large(other.strip_prefix("large:")?.to_owned()),
    };
    let list = columns.next().unwrap_or_default();
    let text = columns.next().unwrap_or_default().to_owned();
    let by_hand = matches!(how, How::Hand | How::Python);
    let parameters = if by_hand {
        Some(Vec::new())
    } else {
        list.split_whitespace().map(parameter).collect()
    };
    Some(Row {
        names,
        c,
        how,
        signature: if by_hand {
            list.to_owned()
        } else {
            String::new()
        },
        parameters: parameters?,
        text,
    })
}

fn parameter(word: &str) -> Option<Parameter> {
    let (name, kind) = word.split_once(':')?;
    let structure = |kind: &str| {
        let name = kind.strip_prefix('{')?.strip_suffix('}')?;
        Some(name.to_owned())
    };
    if let Some(name) = name.strip_prefix('>') {
        let kind = if let Some(length) = kind.strip_prefix("text") {
            Kind::OutText(length.to_owned())
        } else if let Some(name) = structure(kind) {
            Kind::OutStruct(name)
        } else {
            Kind::Out(plain(kind)?)
        };
        let name = name.to_owned();
        return Some(Parameter { name, kind });
    }
    let kind = if kind == "str" {
        Kind::Text
    } else if kind == "str?" {
        Kind::TextOrNone
    } else if let Some(list) = kind.strip_prefix('#') {
        Kind::CountOf(list.to_owned())
    } else if let Some(name) = structure(kind) {
        Kind::Struct(name)
    } else if let Some(list) = kind.strip_prefix('[') {
        let (inner, rest) = list.split_once(']')?;
        Kind::List(inner.to_owned(), rest.strip_prefix('=').map(str::to_owned))
    } else {
        Kind::Plain(plain(kind)?)
    };
    let name = name.to_owned();
    Some(Parameter { name, kind })
}

fn plain(kind: &str) -> Option<String> {
    [
        "usize", "u64", "u32", "u16", "u8", "i64", "i32", "i8", "f32", "bool", "ptr",
    ]
    .contains(&kind)
    .then(|| kind.to_owned())
}

impl Row {
    /// The arguments that a script passes.
    pub(crate) fn arguments(&self) -> Vec<&Parameter> {
        let list = self.parameters.iter();
        list.filter(|parameter| parameter.kind.is_argument())
            .collect()
    }

    /// How many of them must be there: those at the end that may be `None` may be left out.
    pub(crate) fn least(&self) -> usize {
        let arguments = self.arguments();
        let optional = arguments
            .iter()
            .rev()
            .take_while(|argument| argument.kind == Kind::TextOrNone)
            .count();
        arguments.len() - optional
    }

    /// Names of parameters in a signature that is written by hand, and how many have no default.
    pub(crate) fn signature_parameters(&self) -> (Vec<String>, usize) {
        let list = self.signature.split(") ->").next().unwrap_or_default();
        let list = list.trim_start_matches('(');
        let mut depth = 0_i32;
        let parts = list.split(|letter| {
            depth += match letter {
                '[' => 1,
                ']' => -1,
                _ => 0,
            };
            letter == ',' && depth == 0
        });
        let parts: Vec<&str> = parts
            .map(str::trim)
            .filter(|part| !part.is_empty() && *part != "/")
            .collect();
        let names = parts
            .iter()
            .map(|part| part.split(':').next().unwrap_or_default().to_owned());
        let least = parts.iter().filter(|part| !part.contains('=')).count();
        (names.collect(), least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_says_what_each_parameter_is() {
        let line = "rt.f|rt.g\taclrtF\twait\tnum:#list list:[ptr] other:[ptr]=list path:str? >out:u32 >s:{S}";
        let row = row(line).unwrap();
        assert_eq!(row.names[1], ("rt".to_owned(), "g".to_owned()));
        assert!(row.how == How::Wait);
        let names: Vec<_> = row
            .arguments()
            .iter()
            .map(|one| one.name.as_str())
            .collect();
        assert_eq!(names, ["list", "other", "path"]);
        assert_eq!(row.least(), 2);
        let results = row.parameters.iter().filter(|one| one.kind.is_result());
        assert_eq!(results.count(), 2);
    }

    #[test]
    fn what_does_not_fit_is_no_row() {
        assert!(row("rt.f\taclrtF\tsometimes\t").is_none());
        assert!(row("rt.f\taclrtF\thold\ta:number").is_none());
        assert!(row("rt.f\taclrtF").is_none());
    }

    #[test]
    fn a_signature_by_hand_names_its_parameters() {
        let line = "f\t-\thand\t(a: Callable[[Any, int], Any], b: int = ..., /) -> int";
        let (names, least) = row(line).unwrap().signature_parameters();
        assert_eq!((names, least), (vec!["a".to_owned(), "b".to_owned()], 1));
    }
}
