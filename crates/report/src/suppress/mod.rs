//! Findings that somebody knows of and does not want to see.

mod glob;
mod parse;

use std::fmt;

use crate::told::{Place, Told, ToldAct};
pub use parse::{SuppressionError, known_rule};

/// What to leave out, in the order of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suppressions(Vec<Suppression>);

/// One block of a file. What it does not name matches everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// A rule's id, a group with a star, or a star.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// The file it stands in.
    pub origin: String,
    /// The line of its first line.
    pub line: usize,
    function: Option<String>,
    file: Option<String>,
    call: Option<String>,
    library: Option<String>,
    message: Option<String>,
    top_only: bool,
    /// It came with this program.
    shipped: bool,
}

/// What is known of programs as they are published.
const KNOWN: &str = include_str!("known.txt");

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}]", self.origin, self.line, self.rule)
    }
}

impl Suppressions {
    /// Adds those of another file.
    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// These, and behind them those that came with this program.
    #[must_use]
    pub fn with_shipped(mut self) -> Self {
        if self.0.iter().any(|one| one.shipped) {
            return self;
        }
        let mut known = Self::parse(KNOWN, "millpond").unwrap_or_default();
        for one in &mut known.0 {
            one.shipped = true;
        }
        self.extend(known);
        self
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Suppression> {
        self.0.iter()
    }

    /// The number of the first one that hides this finding.
    pub fn hides(&self, told: &Told) -> Option<usize> {
        self.0.iter().position(|one| one.matches(told))
    }
}

impl Suppression {
    fn new(rule: &str, origin: &str, line: usize) -> Self {
        Self {
            rule: rule.to_owned(),
            reason: String::new(),
            origin: origin.to_owned(),
            line,
            function: None,
            file: None,
            call: None,
            library: None,
            message: None,
            top_only: false,
            shipped: false,
        }
    }

    /// Whether it came with this program, so that nobody has to know whether it is needed.
    pub fn is_shipped(&self) -> bool {
        self.shipped
    }

    /// Everything it names has to match. Function, file, call and library belong together: one line of the
    /// call stack of one operation has to match all of them.
    fn matches(&self, told: &Told) -> bool {
        glob::matches(&self.rule, &told.rule)
            && fits(self.message.as_ref(), &told.message)
            && (self.names_no_place() || told.operations.iter().any(|act| self.matches_act(act)))
    }

    fn names_no_place(&self) -> bool {
        self.function.is_none()
            && self.file.is_none()
            && self.call.is_none()
            && self.library.is_none()
    }

    fn matches_act(&self, act: &ToldAct) -> bool {
        if !fits(self.call.as_ref(), &act.call) || !fits(self.library.as_ref(), &act.library) {
            return false;
        }
        if self.function.is_none() && self.file.is_none() {
            return true;
        }
        let most = if self.top_only { 1 } else { usize::MAX };
        let mut lines = act.stack.iter().take(most);
        lines.any(|place| self.matches_place(place))
    }

    /// Where the source file is not known, the pattern is held against the module, with and without the
    /// place in it.
    fn matches_place(&self, place: &Place) -> bool {
        let fits_file = |text: &str| fits(self.file.as_ref(), text);
        let file = if place.file.is_empty() {
            let bare = place.module.rsplit_once("+0x").map(|(bare, _)| bare);
            fits_file(&place.module) || bare.is_some_and(fits_file)
        } else {
            fits_file(&place.file)
        };
        file && fits(self.function.as_ref(), &place.function)
    }
}

fn fits(pattern: Option<&String>, text: &str) -> bool {
    pattern.is_none_or(|pattern| glob::matches(pattern, text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn hides(text: &str) -> bool {
        let suppressions = Suppressions::parse(text, "s").unwrap();
        suppressions.hides(&sample::race()).is_some()
    }

    #[test]
    fn everything_that_is_named_has_to_match() {
        for (text, expected) in [
            ("[stream.race]\nreason = known", true),
            ("[stream.*]\nreason = known", true),
            ("[*]\nreason = known", true),
            ("[memory.leak]\nreason = known", false),
            ("[*]\nreason = k\nfunction = consume", true),
            ("[*]\nreason = k\nfunction = produce(*", true),
            ("[*]\nreason = k\nfunction = \"main\"", true),
            ("[*]\nreason = k\nfunction = main\nframes = top", false),
            ("[*]\nreason = k\nfunction = consume\nframes = top", true),
            ("[*]\nreason = k\nfile = */race.c", true),
            ("[*]\nreason = k\nfile = race.c", false),
            ("[*]\nreason = k\nfile = */race.c\nfunction = other", false),
            ("[*]\nreason = k\ncall = aclrtMemset*", true),
            (
                "[*]\nreason = k\ncall = aclrtMemset*\nfunction = consume",
                false,
            ),
            ("[*]\nreason = k\nmessage = stream 3 *", true),
            ("[*]\nreason = k\nmessage = stream 4 *", false),
            ("# nothing\n\n", false),
        ] {
            assert_eq!(hides(text), expected, "{text}");
        }
    }

    #[test]
    fn a_library_without_lines_is_named_with_or_without_the_place_in_it() {
        let mut told = sample::race();
        let place = &mut told.operations[0].stack[0];
        place.file.clear();
        place.module = "/opt/lib/libvendor.so+0x1318".to_owned();
        for (pattern, expected) in [
            ("*/libvendor.so", true),
            ("*/libvendor.so*", true),
            ("*+0x1318", true),
            ("*/libvendor", false),
        ] {
            let text = format!("[*]\nreason = k\nfile = {pattern}\nfunction = consume");
            let suppressions = Suppressions::parse(&text, "s").unwrap();
            assert_eq!(suppressions.hides(&told).is_some(), expected, "{pattern}");
        }
    }

    #[test]
    fn the_first_that_matches_is_named() {
        let text = "[memory.*]\nreason = a\n[stream.*]\nreason = b\n[*]\nreason = c";
        let suppressions = Suppressions::parse(text, "s").unwrap();
        assert_eq!(suppressions.hides(&sample::race()), Some(1));
        let second = suppressions.iter().nth(1).unwrap();
        assert_eq!(second.to_string(), "s:3: [stream.*]");
    }

    #[test]
    fn errors_name_the_line_and_what_was_expected() {
        for (text, line, part) in [
            ("reason = x", 1, "expected [rule] first"),
            ("\n[stream.race", 2, "between [ and ]"),
            ("[stream.rase]", 1, "did you mean stream.race?"),
            ("[steam.*]", 1, "did you mean stream.*?"),
            ("[stream.race]\nfunction = x", 1, "needs a reason"),
            ("[stream.race]\n[*]\nreason = x", 1, "needs a reason"),
            ("[*]\nreason", 2, "key = value"),
            ("[*]\nreason =", 2, "expected a value"),
            ("[*]\nreasn = x", 2, "did you mean reason?"),
            ("[*]\nfrobnicate = x", 2, "expected one of reason"),
            ("[*]\nframes = some", 2, "any or top"),
            ("[*]\nreason = a\nfile = a\nfile = b", 4, "twice"),
        ] {
            let error = Suppressions::parse(text, "s").unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.what.contains(part), "{text}: {error}");
        }
        let error = Suppressions::read(std::path::Path::new("/no/such/file")).unwrap_err();
        assert!(error.to_string().starts_with("/no/such/file: "), "{error}");
    }

    #[test]
    fn the_library_that_made_the_call_can_be_named_whatever_the_stack_shows() {
        let mut told = sample::race();
        told.operations[0].library = "/env/torch_npu/lib/libtorch_npu.so".to_owned();
        let hides = |text: &str, told: &Told| {
            let suppressions = Suppressions::parse(text, "s").unwrap();
            suppressions.hides(told).is_some()
        };
        let text = "[*]\nreason = k\nlibrary = */libtorch_npu.so";
        assert!(hides(text, &told));
        assert!(!hides(text, &sample::race()));
        assert!(!hides(&format!("{text}\ncall = aclrtFree"), &told));
    }

    #[test]
    fn what_comes_with_the_program_hides_only_what_it_names_and_is_never_unused() {
        let shipped = Suppressions::default().with_shipped();
        assert!(shipped.iter().len() > 0, "the file is read");
        assert!(
            shipped
                .iter()
                .all(|one| one.is_shipped() && one.library.is_some())
        );
        assert_eq!(shipped.clone().with_shipped(), shipped, "once");
        assert!(shipped.hides(&sample::race()).is_none());
        let report = crate::Report::new("train", Suppressions::default());
        assert!(report.unused().is_empty());
    }
}
