//! The library exports what the headers declare, what clients bind besides, and nothing else.

use std::collections::BTreeSet;
use std::process::Command;

use crate::{prototypes, tools};

#[test]
fn the_library_exports_what_is_declared() {
    let Some(nm) = tools::binutil("nm") else {
        return;
    };
    let Some(declared) = prototypes::declared("symbols") else {
        return;
    };
    let extras = tools::table("extra_symbols.tsv");
    let mut expected: BTreeSet<String> = declared.into_keys().collect();
    expected.extend(extras.into_iter().filter_map(|row| row.into_iter().next()));

    let listing = tools::output(
        Command::new(nm)
            .args(["-D", "--defined-only"])
            .arg(tools::library()),
    )
    .unwrap();
    let exported: BTreeSet<String> = listing
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .map(ToOwned::to_owned)
        .collect();

    let missing: Vec<_> = expected.difference(&exported).collect();
    let leaked: Vec<_> = exported.difference(&expected).collect();
    assert!(missing.is_empty(), "declared but not exported: {missing:?}");
    assert!(leaked.is_empty(), "exported but not declared: {leaked:?}");
}

#[test]
fn the_library_is_named_as_programs_ask_for_it() {
    let Some(readelf) = tools::binutil("readelf") else {
        return;
    };
    let dynamic = tools::output(Command::new(readelf).arg("-dW").arg(tools::library())).unwrap();
    let name = dynamic.lines().find(|line| line.contains("(SONAME)"));
    assert!(
        name.is_some_and(|line| line.contains("[libascendcl.so]")),
        "{dynamic}"
    );
}
