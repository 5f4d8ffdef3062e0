//! Suppressions: known findings that should not be reported.

mod glob;
mod parse;

use std::fmt;

use crate::resolved::{ResolvedFinding, ResolvedFrame, ResolvedOperation};
pub use parse::{SuppressionError, known_rule};

/// The suppressions, in the order of the files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Suppressions(Vec<Suppression>);

/// One block of a file. Keys that it does not have match everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suppression {
    /// A rule id, a group such as `stream.*`, or `*`.
    pub rule: String,
    /// Why.
    pub reason: String,
    /// Its file.
    pub origin: String,
    /// The number of its first line.
    pub line: usize,
    function: Option<String>,
    file: Option<String>,
    call: Option<String>,
    library: Option<String>,
    message: Option<String>,
    top_only: bool,
    /// It is built in.
    shipped: bool,
}

/// The built-in suppressions, for published libraries.
const KNOWN: &str = include_str!("known.txt");

impl fmt::Display for Suppression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: [{}]", self.origin, self.line, self.rule)
    }
}

impl Suppressions {
    /// Appends those of another file.
    pub fn extend(&mut self, more: Self) {
        self.0.extend(more.0);
    }

    /// These, followed by the built-in ones.
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

    /// The index of the first one that matches this finding.
    pub fn hides(&self, finding: &ResolvedFinding) -> Option<usize> {
        self.0.iter().position(|one| one.matches(finding))
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

    /// Whether it is built in: then it is not reported as unused.
    pub fn is_shipped(&self) -> bool {
        self.shipped
    }

    /// All its keys must match. Function, file, call and library belong together: one frame of the call stack of one
    /// operation must match all of them.
    fn matches(&self, finding: &ResolvedFinding) -> bool {
        glob::matches(&self.rule, &finding.rule)
            && fits(self.message.as_ref(), &finding.message)
            && (self.names_no_frame()
                || finding
                    .operations
                    .iter()
                    .any(|operation| self.matches_act(operation)))
    }

    fn names_no_frame(&self) -> bool {
        self.function.is_none()
            && self.file.is_none()
            && self.call.is_none()
            && self.library.is_none()
    }

    fn matches_act(&self, operation: &ResolvedOperation) -> bool {
        if !fits(self.call.as_ref(), &operation.call)
            || !fits(self.library.as_ref(), &operation.library)
        {
            return false;
        }
        if self.function.is_none() && self.file.is_none() {
            return true;
        }
        let most = if self.top_only { 1 } else { usize::MAX };
        let mut lines = operation.stack.iter().take(most);
        lines.any(|frame| self.matches_place(frame))
    }

    /// If the source file is unknown, the pattern is compared with the module, with and without the offset.
    fn matches_place(&self, frame: &ResolvedFrame) -> bool {
        let fits_file = |text: &str| fits(self.file.as_ref(), text);
        let file = if frame.file.is_empty() {
            let bare = frame.module.rsplit_once("+0x").map(|(bare, _)| bare);
            fits_file(&frame.module) || bare.is_some_and(fits_file)
        } else {
            fits_file(&frame.file)
        };
        file && fits(self.function.as_ref(), &frame.function)
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
        let mut finding = sample::race();
        let frame = &mut finding.operations[0].stack[0];
        frame.file.clear();
        frame.module = "/opt/lib/libvendor.so+0x1318".to_owned();
        for (pattern, expected) in [
            ("*/libvendor.so", true),
            ("*/libvendor.so*", true),
            ("*+0x1318", true),
            ("*/libvendor", false),
        ] {
            let text = format!("[*]\nreason = k\nfile = {pattern}\nfunction = consume");
            let suppressions = Suppressions::parse(&text, "s").unwrap();
            assert_eq!(
                suppressions.hides(&finding).is_some(),
                expected,
                "{pattern}"
            );
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
            ("[stream.race]\nfunction = x", 1, "has no reason"),
            ("[stream.race]\n[*]\nreason = x", 1, "has no reason"),
            ("[*]\nreason", 2, "key = value"),
            ("[*]\nreason =", 2, "expected a value"),
            ("[*]\nreasn = x", 2, "did you mean reason?"),
            ("[*]\nfrobnicate = x", 2, "expected one of reason"),
            ("[*]\nframes = some", 2, "any or top"),
            ("[*]\nreason = a\nfile = a\nfile = b", 4, "duplicate"),
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
        let mut finding = sample::race();
        finding.operations[0].library = "/env/torch_npu/lib/libtorch_npu.so".to_owned();
        let hides = |text: &str, finding: &ResolvedFinding| {
            let suppressions = Suppressions::parse(text, "s").unwrap();
            suppressions.hides(finding).is_some()
        };
        let text = "[*]\nreason = k\nlibrary = */libtorch_npu.so";
        assert!(hides(text, &finding));
        assert!(!hides(text, &sample::race()));
        assert!(!hides(&format!("{text}\ncall = aclrtFree"), &finding));
    }

    #[test]
    fn what_comes_with_the_program_hides_only_what_it_names_and_is_never_unused() {
        let shipped = Suppressions::default().with_shipped();
        assert!(shipped.iter().len() > 0, "the file is read");
        assert!(
            shipped
                .iter()
                .all(|one| one.is_shipped() && (one.library.is_some() || one.file.is_some()))
        );
        assert_eq!(shipped.clone().with_shipped(), shipped, "once");
        assert!(shipped.hides(&sample::race()).is_none());
        let report = crate::Report::new("train", Suppressions::default());
        assert!(report.unused().is_empty());
    }
}
