//! The committed answers cover what the compatibility table claims.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use millpond_oracle::{File, OURS};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Functions of a table that we offer: names from the first column of rows that `keep` takes.
fn functions(table: &str, keep: impl Fn(&[&str]) -> bool) -> BTreeSet<String> {
    fs::read_to_string(repository().join(table))
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .filter(|cells| keep(cells))
        .map(|cells| cells[0].to_owned())
        .collect()
}

/// Functions of the compatibility table that other libraries have, too: those of our own are in no other library.
fn offered() -> BTreeSet<String> {
    functions("crates/capi/compatibility.tsv", |cells| {
        cells[2] != "refused" && !cells[1].starts_with("millpond/")
    })
}

/// Functions of the questions whose id `keep` takes.
fn asked(keep: impl Fn(&str) -> bool) -> BTreeSet<String> {
    File::read(OURS)
        .unwrap()
        .answers()
        .iter()
        .filter(|answer| keep(&answer.id))
        .flat_map(|answer| answer.functions.clone())
        .collect()
}

#[test]
fn every_function_that_we_offer_has_a_question() {
    let asked = asked(|_| true);
    let offered = offered();
    let by_function = functions("crates/functions/functions.tsv", |_| true);
    let missing: Vec<&String> = offered
        .union(&by_function)
        .filter(|name| !asked.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no question asks about {missing:?}");
    let known: BTreeSet<String> = offered.union(&by_function).cloned().collect();
    let unknown: Vec<&String> = asked.difference(&known).collect();
    assert!(
        unknown.is_empty(),
        "questions name {unknown:?}, which we do not offer"
    );
}

/// A call with nothing but zeros is usually refused, which says little about a function. Functions without another question are in
/// `unasked.tsv`, each with a reason.
#[test]
fn every_function_is_asked_with_more_than_zeros() {
    let asked = asked(|id| !id.starts_with("zero.") && !id.starts_with("early."));
    let offered = offered();
    let unasked = functions("crates/oracle/tests/unasked.tsv", |cells| {
        assert!(
            cells.len() == 2 && !cells[1].is_empty(),
            "{cells:?}: a function and the reason why no question asks about it"
        );
        true
    });
    let missing: Vec<&String> = offered
        .iter()
        .filter(|name| !asked.contains(*name) && !unasked.contains(*name))
        .collect();
    assert!(
        missing.is_empty(),
        "only questions with zeros ask about {missing:?}: add questions to oracle/questions"
    );
    let stale: Vec<&String> = unasked
        .iter()
        .filter(|name| asked.contains(*name) || !offered.contains(*name))
        .collect();
    assert!(
        stale.is_empty(),
        "tests/unasked.tsv names {stale:?}, which have questions or are not offered: remove them there"
    );
}

#[test]
fn our_own_answers_are_answers_and_their_results_match() {
    for answer in File::read(OURS).unwrap().answers() {
        assert!(answer.is_answered(), "{}: {}", answer.id, answer.text());
        assert!(!answer.text().contains("timeout"), "{} hangs", answer.id);
        assert!(!answer.asks.is_empty(), "{} asks nothing", answer.id);
        if answer.id.starts_with("result.") {
            let facts = answer.facts();
            assert_eq!(
                facts["match"], facts["of"],
                "{}: {:?}",
                answer.id, answer.notes
            );
        }
    }
}
