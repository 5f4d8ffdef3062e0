//! Reads `compatibility.tsv`, `extra_symbols.tsv` and `absent_symbols.tsv`, and holds them against the headers.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::Path;

use super::header::Header;

/// What we do about one function of the headers.
pub(crate) struct Row {
    pub(crate) status: Status,
    /// Refused: the reason a program reads. Partial: the missing case and its code. Implemented:
    /// how we differ, or empty.
    pub(crate) note: String,
    /// Where the behaviour comes from: `Doc`, `Code`, `Doc+Code` or `ours`.
    pub(crate) rule: String,
}

/// How far a function is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Implemented,
    Partial,
    Refused,
}

impl Status {
    pub(crate) const ALL: [Self; 3] = [Self::Implemented, Self::Partial, Self::Refused];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Implemented => "implemented",
            Self::Partial => "partial",
            Self::Refused => "refused",
        }
    }
}

/// A symbol that programs bind when they are loaded, though no header of ours declares it.
pub(crate) struct Extra {
    pub(crate) symbol: String,
    pub(crate) returns: Returns,
    pub(crate) client: String,
    pub(crate) reason: String,
}

/// The class of an undeclared function's result, which is all that a refusal needs.
#[derive(Clone, Copy)]
pub(crate) enum Returns {
    /// A status code: refused with one that is not success.
    Int,
    /// A count or a size: 0.
    Size,
    /// A pointer: null.
    Pointer,
    /// An element type: undefined.
    DataType,
    Void,
}

const ROW_COLUMNS: [&str; 5] = ["function", "header", "status", "note", "rule"];
const ABSENT_COLUMNS: [&str; 2] = ["symbol", "reason"];
const EXTRA_COLUMNS: [&str; 4] = ["symbol", "returns", "client", "reason"];

/// The rows by function name. Every declared function has exactly one, under its header.
pub(crate) fn read_rows(path: &Path, headers: &[Header]) -> Result<HashMap<String, Row>, String> {
    let mut rows = HashMap::new();
    let mut unused: HashMap<&str, &str> = headers
        .iter()
        .flat_map(|header| {
            let path = header.path.as_str();
            header
                .functions
                .iter()
                .map(move |f| (f.name.as_str(), path))
        })
        .collect();
    for (place, [function, header, status, note, rule]) in read(path, ROW_COLUMNS)? {
        match unused.remove(function.as_str()) {
            Some(declared) if declared == header => {}
            Some(declared) => return Err(format!("{place}: {function} is declared in {declared}")),
            None if rows.contains_key(&function) => {
                return Err(format!("{place}: {function} has a row already"));
            }
            None => return Err(format!("{place}: no header declares {function}")),
        }
        let status = Status::ALL
            .into_iter()
            .find(|known| known.name() == status)
            .ok_or_else(|| format!("{place}: unknown status `{status}`"))?;
        if note.is_empty() && status != Status::Implemented {
            return Err(format!("{place}: {function} needs a note"));
        }
        if !["Doc", "Code", "Doc+Code", "ours"].contains(&rule.as_str()) {
            return Err(format!("{place}: unknown rule `{rule}`"));
        }
        rows.insert(function, Row { status, note, rule });
    }
    match unused.into_iter().min() {
        Some((function, header)) => Err(format!(
            "{} has no row for {function} of {header}",
            path.display()
        )),
        None => Ok(rows),
    }
}

/// The undeclared symbols, in the order of the file.
pub(crate) fn read_extras(path: &Path, headers: &[Header]) -> Result<Vec<Extra>, String> {
    let mut known: HashSet<String> = headers
        .iter()
        .flat_map(|header| header.functions.iter().map(|f| f.name.clone()))
        .collect();
    let mut extras = Vec::new();
    for (place, [symbol, returns, client, reason]) in read(path, EXTRA_COLUMNS)? {
        if !known.insert(symbol.clone()) {
            return Err(format!("{place}: {symbol} is declared or listed already"));
        }
        let returns = match returns.as_str() {
            "int" => Returns::Int,
            "size" => Returns::Size,
            "ptr" => Returns::Pointer,
            "aclDataType" => Returns::DataType,
            "void" => Returns::Void,
            other => return Err(format!("{place}: unknown result `{other}`")),
        };
        extras.push(Extra {
            symbol,
            returns,
            client,
            reason,
        });
    }
    Ok(extras)
}

/// A symbol that is left out on purpose: programs take another path when it exists.
pub(crate) struct Absent {
    pub(crate) symbol: String,
    pub(crate) reason: String,
}

/// The symbols that are left out on purpose. None of them may be declared, or refused by name.
pub(crate) fn read_absent(
    path: &Path,
    headers: &[Header],
    extras: &[Extra],
) -> Result<Vec<Absent>, String> {
    let mut absent = Vec::new();
    for (place, [symbol, reason]) in read(path, ABSENT_COLUMNS)? {
        let mut functions = headers.iter().flat_map(|header| &header.functions);
        if functions.any(|function| function.name == symbol)
            || extras.iter().any(|extra| extra.symbol == symbol)
        {
            return Err(format!(
                "{place}: {symbol} exists, although it is to be absent"
            ));
        }
        absent.push(Absent { symbol, reason });
    }
    Ok(absent)
}

/// The lines of a tab-separated file below its heading, each with its place for messages.
fn read<const N: usize>(
    path: &Path,
    columns: [&str; N],
) -> Result<Vec<(String, [String; N])>, String> {
    let name = path.display();
    let text = fs::read_to_string(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let mut lines = text.lines();
    if lines.next() != Some(columns.join("\t").as_str()) {
        return Err(format!("{name}: the first line must name the columns"));
    }
    lines
        .zip(2..)
        .map(|(line, number)| {
            let place = format!("{name}:{number}");
            let cells: Vec<String> = line
                .split('\t')
                .map(|cell| cell.trim().to_owned())
                .collect();
            match cells.try_into() {
                Ok(cells) => Ok((place, cells)),
                Err(_) => Err(format!("{place}: {N} columns are expected")),
            }
        })
        .collect()
}
