//! A finding with names instead of addresses: what is left of it when the process has ended.

mod parse;

use millpond_check::{Act, BlockStory, Finding, Rule, Severity};
use millpond_trace::{Bytes, Space};

use crate::Symbols;
use crate::json::Json;

/// A finding as reports tell it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The id of the rule. A file may come from another version, so it need not be one we know.
    pub rule: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: String,
    /// What the documentation asks for, in our words.
    pub sentence: String,
    /// Where the documentation says so.
    pub source: String,
    /// What happened, in one sentence.
    pub message: String,
    /// What was done, the offending first.
    pub operations: Vec<ToldAct>,
    /// The bytes that it is about.
    pub bytes: Option<Bytes>,
    /// The block that the bytes lie in or next to.
    pub block: Option<ToldBlock>,
    /// What was missing.
    pub missing: Option<String>,
    /// What to do about it.
    pub advice: Option<String>,
    /// How often it happened.
    pub times: u64,
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ToldAct {
    /// What it did.
    pub what: String,
    /// The number of its record.
    pub record: u64,
    /// The thread that asked for it.
    pub thread: u64,
    /// The stream that it is a task of.
    pub stream: Option<u64>,
    /// The function of the interface that the program called; may be empty.
    pub call: String,
    /// The program or library that called it; empty if it is not known.
    pub library: String,
    /// The program's call stack, the innermost first.
    pub stack: Vec<Place>,
}

/// One line of a call stack.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Place {
    /// The function; empty if it is not known.
    pub function: String,
    /// The source file; empty if it is not known.
    pub file: String,
    /// The line in it; 0 if it is not known.
    pub line: u32,
    /// The program or library, with the offset in it where nothing better is known; empty for
    /// languages that know themselves.
    pub module: String,
    /// It was inlined into the next one.
    pub inlined: bool,
}

/// A block and its story.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToldBlock {
    /// What it is called.
    pub name: String,
    /// Where it lies: `device 0`, `pinned host memory`, `memory of the program`.
    pub space: String,
    /// Its bytes.
    pub range: Bytes,
    /// Who allocated, registered or mapped it.
    pub made: ToldAct,
    /// Who freed it.
    pub ended: Option<ToldAct>,
}

impl Told {
    /// Looks up the names of a finding.
    pub fn of(finding: &Finding, symbols: &mut Symbols) -> Self {
        let Rule {
            id,
            severity: _,
            title,
            sentence,
            source,
        } = *finding.rule;
        Self {
            rule: id.to_owned(),
            severity: finding.severity,
            title: title.to_owned(),
            sentence: sentence.to_owned(),
            source: source.to_owned(),
            message: finding.message.clone(),
            operations: finding
                .operations
                .iter()
                .map(|act| ToldAct::of(act, symbols))
                .collect(),
            bytes: finding.bytes,
            block: finding
                .block
                .as_deref()
                .map(|block| ToldBlock::of(block, symbols)),
            missing: finding.missing.clone(),
            advice: finding.advice.clone(),
            times: finding.times,
        }
    }

    /// Whether it changes the exit status.
    pub fn counts(&self) -> bool {
        self.severity >= Severity::Warning
    }

    /// As an object; docs/report.md lists the fields.
    pub fn json(&self) -> Json {
        Json::object([
            ("rule", (&self.rule).into()),
            ("severity", self.severity.to_string().into()),
            ("title", (&self.title).into()),
            ("message", (&self.message).into()),
            (
                "operations",
                Json::list(self.operations.iter().map(ToldAct::json)),
            ),
            ("bytes", self.bytes.map(range).into()),
            ("block", self.block.as_ref().map(ToldBlock::json).into()),
            ("missing", self.missing.as_ref().into()),
            ("advice", self.advice.as_ref().into()),
            ("sentence", (&self.sentence).into()),
            ("source", (&self.source).into()),
            ("times", self.times.into()),
        ])
    }
}

impl ToldAct {
    /// Looks up the names of an operation.
    pub fn of(act: &Act, symbols: &mut Symbols) -> Self {
        Self {
            what: act.what.clone(),
            record: act.order,
            thread: act.thread,
            stream: act.stream,
            call: act.site.call.to_string(),
            library: symbols.library(&act.site),
            stack: symbols.places(&act.site),
        }
    }

    fn json(&self) -> Json {
        Json::object([
            ("what", (&self.what).into()),
            ("record", self.record.into()),
            ("thread", self.thread.into()),
            ("stream", self.stream.into()),
            ("call", (&self.call).into()),
            (
                "library",
                (!self.library.is_empty()).then_some(&self.library).into(),
            ),
            ("stack", Json::list(self.stack.iter().map(Place::json))),
        ])
    }
}

/// Places of a stack that help most, at most `most`, in their order: the innermost, and then those of the program itself
/// rather than of packages that it uses.
pub(crate) fn telling(stack: &[Place], most: usize) -> Vec<&Place> {
    let counts = |index: usize| index == 0 || !stack[index].is_package();
    let own = (0..stack.len()).filter(|&index| counts(index)).count();
    let mut room = most.saturating_sub(own);
    let mut found = Vec::new();
    for (index, place) in stack.iter().enumerate() {
        if found.len() == most {
            break;
        }
        if counts(index) {
            found.push(place);
        } else if room > 0 {
            room -= 1;
            found.push(place);
        }
    }
    found
}

/// The innermost place of the program itself, or else the innermost with a file, or else the innermost.
pub(crate) fn own(stack: &[Place]) -> Option<&Place> {
    let known = |place: &&Place| !place.file.is_empty();
    let mut own = stack.iter().filter(known);
    own.find(|place| !place.is_package())
        .or_else(|| stack.iter().find(known))
        .or(stack.first())
}

impl Place {
    /// Whether it is Python of an installed package, or of Python itself.
    fn is_package(&self) -> bool {
        const FOLDERS: [&str; 3] = ["/site-packages/", "/dist-packages/", "/lib/python3."];
        self.file.starts_with("<frozen") || FOLDERS.iter().any(|it| self.file.contains(it))
    }

    fn json(&self) -> Json {
        let known = |text: &String| (!text.is_empty()).then(|| text.clone());
        Json::object([
            ("function", known(&self.function).into()),
            ("file", known(&self.file).into()),
            ("line", (self.line > 0).then_some(self.line).into()),
            ("module", known(&self.module).into()),
            ("inlined", self.inlined.then_some(true).into()),
        ])
    }
}

impl ToldBlock {
    fn of(block: &BlockStory, symbols: &mut Symbols) -> Self {
        Self {
            name: block.name.clone(),
            space: match block.space {
                Space::Device(index) => format!("device {index}"),
                Space::Pinned => "pinned host memory".to_owned(),
                Space::Foreign => "memory of the program".to_owned(),
            },
            range: block.range,
            made: ToldAct::of(&block.made, symbols),
            ended: block.ended.as_ref().map(|act| ToldAct::of(act, symbols)),
        }
    }

    fn json(&self) -> Json {
        let Json::Object(bytes) = range(self.range) else {
            return Json::Null;
        };
        let mut fields = vec![
            ("name", Json::from(&self.name)),
            ("space", (&self.space).into()),
        ];
        fields.extend(bytes);
        fields.push(("made", self.made.json()));
        fields.push(("ended", self.ended.as_ref().map(ToldAct::json).into()));
        Json::object(fields)
    }
}

/// Addresses are text: a number of 64 bits is rounded by many readers of JSON.
fn range(bytes: Bytes) -> Json {
    Json::object([
        ("start", format!("{:#x}", bytes.start).into()),
        ("count", bytes.bytes.into()),
    ])
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        Self::list(items)
    }
}
