//! Answers of AscendCL libraries to the questions of `oracle/`, and how two libraries differ.
//!
//! The programs in `oracle/` ask a library and write a file of answers. An answer is a list of facts, `name=value` with spaces
//! between them. A fact whose name begins with `~` describes the machine (how much memory there is, a version) and is not
//! compared. `missing=NAME` says that the library has no such function, `setup:…` that the process could not begin: neither is an
//! answer. `crashed=SIGNAL` and `timeout` are answers.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

/// The format of files that this crate reads.
const FORMAT: u32 = 1;

/// Our own answers, as committed.
pub const OURS: &str = include_str!("../../../oracle/answers/millpond.json");

/// A file of answers.
#[derive(Debug, Deserialize)]
pub struct File {
    format: u32,
    /// What answered.
    pub about: About,
    answers: Vec<Answer>,
}

/// The library and the machine behind a file.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct About {
    /// The name of the chip.
    pub soc: String,
    /// The release of the toolkit.
    pub cann: String,
    /// The version of the interface.
    pub api: String,
    /// The processor of the machine.
    pub machine: String,
    /// What the person who ran it adds.
    pub note: String,
}

/// One question and what a library answered.
#[derive(Clone, Debug, Deserialize)]
pub struct Answer {
    /// The name of the question.
    pub id: String,
    /// The functions that it is about.
    pub functions: Vec<String>,
    /// What it asks.
    pub asks: String,
    #[serde(rename = "answer")]
    text: String,
    /// Details, for people.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl File {
    /// Reads the text of a file.
    pub fn read(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text)
            .map_err(|error| format!("not a file of answers: {error}"))?;
        if file.format != FORMAT {
            return Err(format!(
                "the file has format {}, this version reads {FORMAT}",
                file.format
            ));
        }
        let mut seen = BTreeSet::new();
        for answer in &file.answers {
            if !seen.insert(answer.id.as_str()) {
                return Err(format!("{} is answered twice", answer.id));
            }
        }
        Ok(file)
    }

    /// All answers, in the order of the file.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }
}

impl Answer {
    /// Whether the library answered at all.
    pub fn is_answered(&self) -> bool {
        !self.text.is_empty()
            && !self.text.starts_with("setup:")
            && !self
                .text
                .split(' ')
                .any(|part| part.starts_with("missing="))
    }

    /// The facts that are compared, by name. A word without a value is a fact, too.
    pub fn facts(&self) -> BTreeMap<&str, &str> {
        self.text
            .split(' ')
            .filter(|part| !part.is_empty() && !part.starts_with('~'))
            .map(|part| part.split_once('=').unwrap_or((part, "yes")))
            .collect()
    }

    /// The whole answer as written.
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// How the answers to one question compare.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All facts are the same.
    Agrees,
    /// These facts are not, each with our value and theirs.
    Differs(Vec<Difference>),
    /// The other library did not answer.
    NotAnswered,
    /// One of the two files does not have the question.
    NotAsked,
}

/// A fact that differs. A side that does not state it is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of the fact.
    pub fact: String,
    /// What we say.
    pub ours: Option<String>,
    /// What the other library says.
    pub theirs: Option<String>,
}

/// One question in both files.
#[derive(Debug)]
pub struct Comparison<'files> {
    /// The question, as the file that has it states it.
    pub question: &'files Answer,
    /// How the answers compare.
    pub verdict: Verdict,
}

/// Compares two files, by question.
pub fn compare<'files>(ours: &'files File, theirs: &'files File) -> Vec<Comparison<'files>> {
    let by_id = |file: &'files File| -> BTreeMap<&'files str, &'files Answer> {
        file.answers
            .iter()
            .map(|answer| (answer.id.as_str(), answer))
            .collect()
    };
    let (ours, theirs) = (by_id(ours), by_id(theirs));
    let ids: BTreeSet<&str> = ours.keys().chain(theirs.keys()).copied().collect();
    ids.into_iter()
        .filter_map(|id| match (ours.get(id), theirs.get(id)) {
            (Some(our), Some(their)) => Some(Comparison {
                question: their,
                verdict: judge(our, their),
            }),
            (Some(question), None) | (None, Some(question)) => Some(Comparison {
                question,
                verdict: Verdict::NotAsked,
            }),
            (None, None) => None,
        })
        .collect()
}

fn judge(ours: &Answer, theirs: &Answer) -> Verdict {
    if !theirs.is_answered() {
        return if ours.is_answered() {
            Verdict::NotAnswered
        } else {
            Verdict::Agrees
        };
    }
    let (our_facts, their_facts) = (ours.facts(), theirs.facts());
    let names: BTreeSet<&str> = our_facts
        .keys()
        .chain(their_facts.keys())
        .copied()
        .collect();
    let differences: Vec<Difference> = names
        .into_iter()
        .filter(|name| our_facts.get(name) != their_facts.get(name))
        .map(|name| Difference {
            fact: name.to_owned(),
            ours: our_facts.get(name).map(|&value| value.to_owned()),
            theirs: their_facts.get(name).map(|&value| value.to_owned()),
        })
        .collect();
    if differences.is_empty() {
        Verdict::Agrees
    } else {
        Verdict::Differs(differences)
    }
}

/// How many answers about each function agree with ours, and how many there are. Questions without an answer do not count.
pub fn by_function(comparisons: &[Comparison<'_>]) -> BTreeMap<String, (usize, usize)> {
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for comparison in comparisons {
        let agrees = match comparison.verdict {
            Verdict::Agrees => 1,
            Verdict::Differs(_) => 0,
            Verdict::NotAnswered | Verdict::NotAsked => continue,
        };
        for function in &comparison.question.functions {
            let count = counts.entry(function.clone()).or_default();
            count.0 += agrees;
            count.1 += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(answers: &[(&str, &str)]) -> File {
        let rows: Vec<String> = answers
            .iter()
            .map(|(id, answer)| {
                format!(r#"{{"id":"{id}","functions":["f"],"asks":"?","answer":"{answer}"}}"#)
            })
            .collect();
        let rows = rows.join(",");
        File::read(&format!(
            r#"{{"format":1,"about":{{}},"answers":[{rows}]}}"#
        ))
        .unwrap()
    }

    fn verdict(ours: &str, theirs: &str) -> Verdict {
        let (ours, theirs) = (file(&[("q", ours)]), file(&[("q", theirs)]));
        compare(&ours, &theirs).remove(0).verdict
    }

    #[test]
    fn facts_are_compared_by_name_without_what_describes_the_machine() {
        assert_eq!(verdict("a=1 b=2 ~m=3", "b=2 a=1 ~m=4"), Verdict::Agrees);
        let Verdict::Differs(found) = verdict("a=1 b=2", "a=1 b=3 c=4") else {
            panic!("two facts differ");
        };
        let names: Vec<&str> = found.iter().map(|one| one.fact.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(found[1].ours, None);
    }

    #[test]
    fn a_crash_is_an_answer_and_a_missing_function_is_not() {
        assert!(matches!(
            verdict("a=1", "a=1 crashed=11"),
            Verdict::Differs(_)
        ));
        assert!(matches!(verdict("a=1", "timeout"), Verdict::Differs(_)));
        assert_eq!(verdict("a=1", "missing=f"), Verdict::NotAnswered);
        assert_eq!(
            verdict("a=1", "setup:stopped=aclInit:500"),
            Verdict::NotAnswered
        );
        assert_eq!(verdict("a=1", ""), Verdict::NotAnswered);
    }

    #[test]
    fn functions_count_the_questions_that_were_answered() {
        let ours = file(&[("a", "x=1"), ("b", "x=1"), ("c", "x=1"), ("d", "x=1")]);
        let theirs = file(&[("a", "x=1"), ("b", "x=2"), ("c", "missing=f")]);
        let compared = compare(&ours, &theirs);
        assert_eq!(by_function(&compared)["f"], (1, 2));
        assert_eq!(compared[3].verdict, Verdict::NotAsked);
    }

    #[test]
    fn files_of_another_format_and_double_answers_are_refused() {
        assert!(File::read("{}").is_err());
        assert!(File::read(r#"{"format":2,"about":{},"answers":[]}"#).is_err());
        let twice = r#"{"id":"q","functions":[],"asks":"","answer":""}"#;
        let text = format!(r#"{{"format":1,"about":{{}},"answers":[{twice},{twice}]}}"#);
        assert!(File::read(&text).unwrap_err().contains("twice"));
    }
}
