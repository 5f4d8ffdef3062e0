//! `docs/compatibility.md`: the compatibility table, to read.

use std::collections::HashMap;

use super::answers::Citations;
use super::header::Header;
use super::table::{Absent, Extra, Row, Status};

const INTRODUCTION: &str = "\
# Compatibility

How far Millpond implements each function of the AscendCL interface. This page is generated from the
headers in `include/` and from `crates/capi/compatibility.tsv` by `cargo xtask generate`. Functions that other
installations declare in one `acl_rt.h` are listed under our parts of it, `acl/rt/*.h`.

**Status**

- *implemented*: the function does what its rule says. A note says where we differ on purpose.
- *partial*: it does so except in the case that the note names; that case returns the error in the note.
- *refused*: the symbol exists, so that programs link and load. A call returns
  `ACL_ERROR_API_NOT_SUPPORT` (200001), or NULL, 0 or *undefined* where the function returns no
  status, and `aclGetRecentErrMsg` gives the note as the reason. Functions that programs try in order to find out whether the
  device has a feature return `ACL_ERROR_RT_FEATURE_NOT_SUPPORT` (207000), as their notes say.

No function returns success without having done its work.

**Rule**: where the behaviour comes from.

- *Doc*: public documentation of the interface.
- *Code*: what a public implementation does, where documentation is silent or says otherwise.
- *Doc+Code*: both agree, or the note says which one we follow.
- *ours*: nothing prescribes it; we chose.

Answers from hardware are cited after the rule: how many of a file's answers about the function agree with ours. A row without a
citation was never compared with an NPU. If you have one, [oracle.md](oracle.md) says how to ask it.
";

/// The whole page.
pub(crate) fn render(
    headers: &[Header],
    rows: &HashMap<String, Row>,
    extras: &[Extra],
    absent: &[Absent],
    citations: &Citations,
) -> String {
    let mut text = vec![INTRODUCTION.to_owned()];
    counts(&mut text, headers, rows, extras);
    for header in headers {
        text.push(format!(
            "\n## {}\n\n| function | status | note | rule |\n| --- | --- | --- | --- |\n",
            header.path
        ));
        for function in &header.functions {
            let Some(row) = rows.get(&function.name) else {
                continue;
            };
            let deprecated = match &function.deprecated {
                Some(advice) if row.note.is_empty() => format!("deprecated: {advice}"),
                Some(advice) => format!("deprecated: {advice}; "),
                None => String::new(),
            };
            text.push(format!(
                "| `{}` | {} | {deprecated}{} | {}{} |\n",
                function.name,
                row.status.name(),
                cell(&row.note),
                row.rule,
                citations.of(&function.name)
            ));
        }
    }
    if !extras.is_empty() {
        text.push(
            "\n## Symbols without a header\n\n\
             Programs bind these when they are loaded, so they exist, but all are refused.\n\n\
             | symbol | bound by | note |\n| --- | --- | --- |\n"
                .to_owned(),
        );
        for extra in extras {
            let Extra { symbol, client, .. } = extra;
            text.push(format!(
                "| `{symbol}` | {client} | {} |\n",
                cell(&extra.reason)
            ));
        }
    }
    text.push(
        "\n## Symbols that are absent on purpose\n\n\
         Programs look these up and take another path when they find them. That path would fail, so they do not exist.\n\n\
         | symbol | reason |\n| --- | --- |\n"
            .to_owned(),
    );
    for Absent { symbol, reason } in absent {
        text.push(format!("| `{symbol}` | {} |\n", cell(reason)));
    }
    text.concat()
}

/// What a line of README.md begins with that has the counts.
const COUNTED: &str = "[docs/compatibility.md](docs/compatibility.md) has one row per function";

/// README.md with the counts of today. `operators` is docs/functions.md.
pub(crate) fn counted(
    readme: &str,
    operators: &str,
    headers: &[Header],
    rows: &HashMap<String, Row>,
    extras: &[Extra],
) -> Result<String, String> {
    let functions = headers.iter().flat_map(|header| &header.functions);
    let of = |status: Status| {
        let all = functions.clone();
        all.filter(|function| {
            let row = rows.get(&function.name);
            row.is_some_and(|row| row.status == status)
        })
        .count()
    };
    let [implemented, partial, refused] = Status::ALL.map(of);
    let refused = refused + extras.len();
    let number = |after: &str| -> Result<&str, String> {
        let (_, rest) = operators
            .split_once(after)
            .ok_or_else(|| format!("docs/functions.md has no '{after}'"))?;
        rest.split(' ').next().ok_or_else(|| "no number".to_owned())
    };
    let (computed, more) = (
        number("Millpond computes ")?,
        number("layout of their tensors. ")?,
    );
    let line = format!(
        "{COUNTED}: {implemented} implemented, {partial} in part, {refused} refused with a reason. \
         [docs/functions.md](docs/functions.md) lists {computed} operators by function, and {more} that refuse."
    );
    let mut found = false;
    let lines = readme.lines().map(|old| {
        if old.starts_with(COUNTED) {
            found = true;
            line.as_str()
        } else {
            old
        }
    });
    let text = lines.collect::<Vec<_>>().join("\n") + "\n";
    if found {
        Ok(text)
    } else {
        Err(format!(
            "README.md has no line that begins with '{COUNTED}'"
        ))
    }
}

fn counts(
    text: &mut Vec<String>,
    headers: &[Header],
    rows: &HashMap<String, Row>,
    extras: &[Extra],
) {
    text.push(
        "\n| header | implemented | partial | refused |\n| --- | ---: | ---: | ---: |\n".to_owned(),
    );
    let mut totals = [0; 3];
    for header in headers {
        let counts = Status::ALL.map(|status| {
            let of = |name: &String| rows.get(name).is_some_and(|row| row.status == status);
            header.functions.iter().filter(|f| of(&f.name)).count()
        });
        for (total, count) in totals.iter_mut().zip(counts) {
            *total += count;
        }
        let [implemented, partial, refused] = counts;
        text.push(format!(
            "| {} | {implemented} | {partial} | {refused} |\n",
            header.path
        ));
    }
    text.push(format!("| without a header | 0 | 0 | {} |\n", extras.len()));
    let [implemented, partial, refused] = totals;
    let refused = refused + extras.len();
    text.push(format!(
        "| **all** | **{implemented}** | **{partial}** | **{refused}** |\n"
    ));
}

/// A cell's text: a bar would end it.
fn cell(note: &str) -> String {
    note.replace('|', "\\|")
}
