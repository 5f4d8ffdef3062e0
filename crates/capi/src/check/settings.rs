//! The variables of the checking mode.

use std::path::PathBuf;

use millpond_check::Options;
use millpond_report::{Colour, known_rule};

use crate::caller::MOST_FRAMES;

/// The settings.
#[derive(Debug, Clone)]
pub(super) struct Settings {
    /// What to check.
    pub(super) options: Options,
    /// The findings file.
    pub(super) findings: Option<PathBuf>,
    /// The suppression file.
    pub(super) suppressions: Option<PathBuf>,
    pub(super) colour: Colour,
    /// Whether findings are printed. If not, the reader of the findings file does it.
    pub(super) prints: bool,
    /// How many frames of a call stack are recorded; 0 for only the return address.
    pub(super) stacks: usize,
    /// Whether pinned memory is closed to the program while queued work uses it.
    pub(super) pinned: bool,
}

/// Enough to understand what a program was doing.
pub(super) const STACKS: usize = 8;

impl Settings {
    /// The settings, with a sentence for each invalid value; `None` if the mode is not enabled.
    pub(super) fn from_variables(
        get: impl Fn(&str) -> Option<String>,
    ) -> Option<(Self, Vec<String>)> {
        let get = |name: &str| {
            get(name)
                .map(|value| value.trim().to_owned())
                .filter(|value| !value.is_empty())
        };
        if matches!(get("MILLPOND_CHECK").as_deref(), None | Some("0")) {
            return None;
        }
        let mut complaints = Vec::new();
        let mut settings = Self {
            findings: get("MILLPOND_CHECK_FINDINGS").map(|name| expand(&name).into()),
            suppressions: get("MILLPOND_CHECK_SUPPRESSIONS").map(PathBuf::from),
            options: Options::default(),
            colour: Colour::default(),
            prints: true,
            stacks: STACKS,
            pinned: true,
        };
        if let Some(list) = get("MILLPOND_CHECK_RULES") {
            settings.options.rules = chosen(&list, &mut complaints);
        }
        let mut decide =
            |name: &str, decided: &mut bool, otherwise: &str| match get(name).as_deref() {
                None => {}
                Some("yes" | "1") => *decided = true,
                Some("no" | "0") => *decided = false,
                Some(value) => complaints.push(format!(
                    "invalid {name} '{value}': expected yes or no; {otherwise}"
                )),
            };
        let leaks = &mut settings.options.leaks;
        decide("MILLPOND_CHECK_LEAKS", leaks, "leaks are checked");
        decide(
            "MILLPOND_CHECK_TEXT",
            &mut settings.prints,
            "findings are printed",
        );
        settings.stacks = stacks(get, &mut complaints);
        settings.pinned = pinned(get, &mut complaints);
        if let Some(colour) = get("MILLPOND_CHECK_COLOUR") {
            match Colour::parse(&colour) {
                Some(wish) => settings.colour = wish,
                None => complaints.push(format!(
                    "invalid MILLPOND_CHECK_COLOUR '{colour}': expected always, never or auto; auto is used"
                )),
            }
        }
        Some((settings, complaints))
    }
}

/// How many frames of a call stack are recorded, with or without the mode.
pub(super) fn stacks(get: impl Fn(&str) -> Option<String>, complaints: &mut Vec<String>) -> usize {
    let Some(stacks) = get("MILLPOND_CHECK_STACKS").filter(|stacks| !stacks.is_empty()) else {
        return STACKS;
    };
    match stacks.trim().parse() {
        Ok(number) if number <= MOST_FRAMES => number,
        _ => {
            complaints.push(format!(
                "invalid MILLPOND_CHECK_STACKS '{stacks}': expected a number from 0 to {MOST_FRAMES}; \
                 {STACKS} is used"
            ));
            STACKS
        }
    }
}

/// Whether pinned memory is closed to the program, with or without the mode.
pub(super) fn pinned(get: impl Fn(&str) -> Option<String>, complaints: &mut Vec<String>) -> bool {
    match get("MILLPOND_CHECK_PINNED").as_deref().map(str::trim) {
        None | Some("" | "yes" | "1") => true,
        Some("no" | "0") => false,
        Some(value) => {
            complaints.push(format!(
                "invalid MILLPOND_CHECK_PINNED '{value}': expected yes or no; accesses to pinned memory are checked"
            ));
            true
        }
    }
}

/// The known rules of a list. Unknown ones are complaints.
pub(super) fn chosen(list: &str, complaints: &mut Vec<String>) -> Vec<String> {
    let mut known = Vec::new();
    for word in list
        .split(',')
        .map(str::trim)
        .filter(|word| !word.is_empty())
    {
        match known_rule(word) {
            Ok(()) => known.push(word.to_owned()),
            Err(complaint) => complaints.push(complaint),
        }
    }
    if known.iter().any(|word| word == "*") {
        known.clear();
    } else if known.is_empty() && !complaints.is_empty() {
        complaints.push("the rule list has no known rule; all rules are checked".to_owned());
    }
    known
}

/// Replaces `%p` in a file name by the process id, so that processes do not share a file.
pub(super) fn expand(name: &str) -> String {
    name.replace("%p", &std::process::id().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Option<(Settings, Vec<String>)> {
        Settings::from_variables(|name| {
            let pair = pairs.iter().find(|(known, _)| *known == name)?;
            Some(pair.1.to_owned())
        })
    }

    #[test]
    fn the_mode_is_off_unless_it_is_asked_for() {
        assert!(with(&[]).is_none());
        assert!(with(&[("MILLPOND_CHECK", "0"), ("MILLPOND_CHECK_LEAKS", "x")]).is_none());
        assert!(with(&[("MILLPOND_CHECK", "")]).is_none());
        let (settings, complaints) = with(&[("MILLPOND_CHECK", "1")]).unwrap();
        assert!(complaints.is_empty());
        assert!(settings.options.leaks && settings.options.rules.is_empty());
    }

    #[test]
    fn values_are_understood() {
        let (settings, complaints) = with(&[
            ("MILLPOND_CHECK", "1"),
            ("MILLPOND_CHECK_RULES", "memory.leak, stream.*"),
            ("MILLPOND_CHECK_LEAKS", "no"),
            ("MILLPOND_CHECK_COLOUR", "never"),
            ("MILLPOND_CHECK_PINNED", "no"),
            ("MILLPOND_CHECK_FINDINGS", "/tmp/found.%p.json"),
        ])
        .unwrap();
        assert!(complaints.is_empty(), "{complaints:?}");
        assert_eq!(settings.options.rules, ["memory.leak", "stream.*"]);
        assert!(!settings.options.leaks);
        assert_eq!(settings.colour, Colour::Never);
        assert!(!settings.pinned);
        let file = format!("/tmp/found.{}.json", std::process::id());
        assert_eq!(settings.findings, Some(file.into()));
    }

    #[test]
    fn what_cannot_be_understood_is_said_and_changes_nothing() {
        let (settings, complaints) = with(&[
            ("MILLPOND_CHECK", "1"),
            ("MILLPOND_CHECK_RULES", "memory.leek,stroam.*"),
            ("MILLPOND_CHECK_LEAKS", "perhaps"),
            ("MILLPOND_CHECK_COLOUR", "blue"),
            ("MILLPOND_CHECK_STACKS", "many"),
            ("MILLPOND_CHECK_PINNED", "rarely"),
        ])
        .unwrap();
        let all = complaints.join("\n");
        for word in [
            "memory.leek",
            "stroam",
            "all rules are checked",
            "perhaps",
            "blue",
            "'many'",
            "rarely",
        ] {
            assert!(all.contains(word), "{word}: {all}");
        }
        assert!(settings.options.rules.is_empty() && settings.options.leaks);
    }
}
