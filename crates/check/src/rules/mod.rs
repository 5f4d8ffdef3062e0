//! The rules: what is forbidden, and the documented requirement behind it.
//!
//! A rule's id is its name everywhere: on the command line, in reports, in suppressions, and as the
//! page `docs/rules/<id>.md`, which has a program that breaks it and one that does not.

pub mod allocator;
pub mod collective;
pub mod event;
pub mod graph;
pub mod handle;
pub mod heap;
pub mod memory;
pub mod segment;
pub mod stream;

use std::fmt;

/// How bad a broken rule is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing. Reported, but the program is not at fault.
    Hint,
    /// It works here, but the documentation does not guarantee it elsewhere.
    Warning,
    /// It is wrong.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// One documented restriction.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Its name: a group, a dot, and what is wrong.
    pub id: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The problem in a few words.
    pub title: &'static str,
    /// What the documentation requires, in our words.
    pub requirement: &'static str,
    /// Where it is documented.
    pub source: &'static str,
}

impl Rule {
    /// Finds a rule by its id.
    pub fn find(id: &str) -> Option<&'static Self> {
        all().find(|rule| rule.id == id)
    }

    /// The part of the id before the dot.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }
}

/// Every rule, in the order of the documentation.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    [
        memory::ALL,
        handle::ALL,
        stream::ALL,
        event::ALL,
        graph::ALL,
        allocator::ALL,
        heap::ALL,
        segment::ALL,
        collective::ALL,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// Declares the rules of a group: constants, and the list of them.
macro_rules! rules {
    ($($name:ident: $id:literal, $severity:ident, $title:literal, $requirement:literal, $source:literal;)*) => {
        $(
            #[doc = concat!("`", $id, "`: ", $title, ".")]
            pub static $name: $crate::rules::Rule = $crate::rules::Rule {
                id: $id,
                severity: $crate::rules::Severity::$severity,
                title: $title,
                requirement: $requirement,
                source: $source,
            };
        )*
        /// All of them.
        pub static ALL: &[&$crate::rules::Rule] = &[$(&$name),*];
    };
}
use rules;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_found_again() {
        let ids: BTreeSet<_> = all().map(|rule| rule.id).collect();
        assert_eq!(ids.len(), all().count());
        for rule in all() {
            assert_eq!(Rule::find(rule.id), Some(rule));
            assert!(
                rule.id
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || b".-".contains(&byte)),
                "{}",
                rule.id
            );
            assert!(rule.requirement.ends_with('.'), "{}", rule.id);
        }
    }
}
