//! One finding on at most a screen.
//!
//! The two operations are joined by a line at the left, and what is missing stands on that line:
//! the order that is not there is the first thing to see.

use millpond_trace::Bytes;

use super::source;
use super::style::{Ink, Style};
use crate::clean::{clean, put};
use crate::told::{self, Place, Told, ToldAct, ToldBlock};

/// Lines of a call stack that are shown of an operation.
const MOST_LINES: usize = 4;

/// Callers that are shown of who allocated or freed a block.
const MOST_CALLERS: usize = 2;

/// Operations that are shown.
const MOST_OPERATIONS: usize = 3;

/// Function names are put in a column that is at most this wide.
const WIDEST_NAME: usize = 36;

/// Sentences are broken at this width.
const WIDTH: usize = 96;

/// The space where a label would be.
const UNDER_LABEL: &str = "           ";

/// Very long names of templates are cut here.
const LONGEST_NAME: usize = 100;

impl Told {
    /// The finding as text of several lines. The last one is empty, to keep findings apart.
    pub fn text(&self, style: &Style) -> String {
        let mut page = Page {
            style,
            out: String::new(),
        };
        page.head(self);
        page.operations(self);
        if let Some(bytes) = self.bytes {
            page.label("bytes", &bytes_text(bytes, self.block.as_ref()));
        }
        if let Some(block) = &self.block {
            page.block(block);
        }
        // A rule of another version may be known by its id alone.
        if !self.sentence.is_empty() {
            page.label("rule", &self.sentence);
        }
        if !self.source.is_empty() {
            let source = style.paint(Ink::Faint, &self.source);
            page.line(&format!("{UNDER_LABEL}{source}"));
        }
        if let Some(advice) = &self.advice {
            page.painted("help", Ink::Advice, advice);
        }
        page.line("");
        page.out
    }
}

struct Page<'a> {
    style: &'a Style,
    out: String,
}

impl Page<'_> {
    fn line(&mut self, text: &str) {
        self.out.push_str(text.trim_end());
        self.out.push('\n');
    }

    fn head(&mut self, told: &Told) {
        let severity = Ink::Severity(told.severity);
        let word = self
            .style
            .paint(severity, &format!("{}[{}]", told.severity, told.rule));
        let mut head = word;
        if !told.title.is_empty() {
            let title = format!(": {}", told.title);
            head.push_str(&self.style.paint(Ink::Strong, &title));
        }
        if told.times > 1 {
            let times = format!(" ({} times)", told.times);
            head.push_str(&self.style.paint(Ink::Faint, &times));
        }
        self.line(&head);
        if !told.message.is_empty() {
            self.wrapped("  ", "  ", None, &told.message);
        }
    }

    /// The operations, joined by a line from the first to the last.
    fn operations(&mut self, told: &Told) {
        let style = self.style;
        let count = told.operations.len();
        let shown = count.min(MOST_OPERATIONS);
        let joined = shown > 1 || told.missing.is_some();
        for (index, act) in told.operations.iter().take(shown).enumerate() {
            let last = index + 1 == shown && !(index == 0 && told.missing.is_some());
            let corner = match (joined, index, last) {
                (false, ..) => style.draw("──", "--"),
                (true, 0, _) => style.draw("┌─", ",-"),
                (true, _, false) => style.draw("├─", "|-"),
                (true, _, true) => style.draw("└─", "'-"),
            };
            let beside = if joined && !last {
                style.draw("│", "|")
            } else {
                " "
            };
            self.act(corner, beside, act);
            if index == 0
                && let Some(missing) = &told.missing
            {
                let cross = if shown > 1 {
                    style.draw("╳", "X")
                } else {
                    style.draw("└╳", "'X")
                };
                let beside = if shown > 1 {
                    style.draw("│", "|")
                } else {
                    " "
                };
                let beside = format!("  {}  ", style.paint(Ink::Margin, beside));
                let cross = format!("  {}  ", style.paint(Ink::Missing, cross));
                let missing = format!("missing: {missing}");
                self.wrapped(&cross, &beside, Some(Ink::Missing), &missing);
            }
        }
        if count > shown {
            let more = format!("{} more operations", count - shown);
            self.label("and", &more);
        }
    }

    fn act(&mut self, corner: &str, beside: &str, act: &ToldAct) {
        let style = self.style;
        let corner = style.paint(Ink::Margin, corner);
        let beside = style.paint(Ink::Margin, beside);
        let mut head = String::new();
        if let Some(stream) = act.stream {
            head.push_str(&style.paint(Ink::Strong, &format!("stream {stream}: ")));
        }
        head.push_str(&style.paint(Ink::Strong, &act.what));
        let mut aside = Vec::new();
        if !act.call.is_empty() {
            aside.push(act.call.clone());
        }
        if act.thread > 0 {
            aside.push(format!("thread {}", act.thread));
        }
        aside.push(format!("record {}", act.record));
        let aside = style.paint(Ink::Faint, &format!(" ({})", aside.join(", ")));
        self.line(&format!("  {corner} {head}{aside}"));
        self.stack(&format!("  {beside}    "), &act.stack);
    }

    fn stack(&mut self, indent: &str, stack: &[Place]) {
        let style = self.style;
        let shown = told::telling(stack, MOST_LINES);
        let width = shown
            .iter()
            .map(|place| name(place).chars().count())
            .max()
            .unwrap_or(0)
            .min(WIDEST_NAME);
        let quoted = told::own(stack).filter(|own| source::line(&own.file, own.line).is_some());
        let quoted = quoted.map(|own| (own.file.as_str(), own.line));
        let mut done = false;
        for place in &shown {
            let name = name(place);
            let space = " ".repeat(width.saturating_sub(name.chars().count()));
            let name = style.paint(Ink::Strong, &name);
            let inlined = if place.inlined { " (inlined)" } else { "" };
            self.line(&format!(
                "{indent}{name}{space}  {}{}",
                style.paint(Ink::Place, &where_text(place, style)),
                style.paint(Ink::Faint, inlined),
            ));
            let here = (place.file.as_str(), place.line);
            if quoted.is_none_or(|wanted| wanted == here)
                && !done
                && let Some(text) = source::line(&place.file, place.line)
            {
                done = true;
                let bar = style.draw("│", "|");
                let margin = style.paint(Ink::Margin, &format!("{:>5} {bar}", place.line));
                self.line(&format!("{indent}{margin} {text}"));
            }
        }
        if stack.len() > shown.len() {
            let more = format!("{} more", stack.len() - shown.len());
            let more = style.paint(Ink::Faint, &more);
            self.line(&format!("{indent}{more}"));
        }
    }

    fn block(&mut self, block: &ToldBlock) {
        let text = format!(
            "{}: {} at {:#x}, {}",
            block.name,
            count(block.range.bytes),
            block.range.start,
            block.space
        );
        self.label("block", &text);
        self.origin(begun(&block.made.call), &block.made);
        if let Some(ended) = &block.ended {
            self.origin(over(&ended.call), ended);
        }
    }

    /// Who did something to a block, and who called that.
    fn origin(&mut self, verb: &str, act: &ToldAct) {
        let call = if act.call.is_empty() {
            &act.what
        } else {
            &act.call
        };
        let mut line = format!("{UNDER_LABEL}{verb} by {}", clean(call));
        let told = told::telling(&act.stack, 1 + MOST_CALLERS);
        if let Some(place) = told.first() {
            let at = self.style.paint(Ink::Place, &where_text(place, self.style));
            put!(&mut line, " in {}  {at}", clean(&name(place)));
        }
        if let Some(stream) = act.stream {
            put!(&mut line, " (stream {stream})");
        }
        self.line(&line);
        // In a program with a class for its buffers all of them are allocated at one line.
        for place in told.iter().skip(1) {
            let at = self.style.paint(Ink::Place, &where_text(place, self.style));
            let name = name(place);
            self.line(&format!(
                "{UNDER_LABEL}  called from {}  {at}",
                clean(&name)
            ));
        }
    }

    fn label(&mut self, label: &str, text: &str) {
        let label = self.style.paint(Ink::Margin, &format!("{label:>7}"));
        self.wrapped(&format!("  {label}  "), UNDER_LABEL, None, text);
    }

    fn painted(&mut self, label: &str, ink: Ink, text: &str) {
        let label = self.style.paint(ink, &format!("{label:>7}"));
        self.wrapped(&format!("  {label}  "), UNDER_LABEL, Some(ink), text);
    }

    /// A text on as many lines as it needs, with something before the first and the others.
    fn wrapped(&mut self, first: &str, others: &str, ink: Option<Ink>, text: &str) {
        for (index, part) in wrap(text).iter().enumerate() {
            let before = if index == 0 { first } else { others };
            let part = match ink {
                Some(ink) => self.style.paint(ink, part),
                None => clean(part).into_owned(),
            };
            self.line(&format!("{before}{part}"));
        }
    }
}

/// Breaks a text between words. At most a few lines: it is one sentence.
fn wrap(text: &str) -> Vec<String> {
    const MOST_LINES: usize = 6;
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let full = lines.len() >= MOST_LINES;
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if full || line.chars().count() + word.chars().count() < WIDTH {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}

/// What a call did that began a block's story.
pub(crate) fn begun(call: &str) -> &'static str {
    if call.contains("Reserve") {
        "reserved"
    } else if call.contains("Regist") {
        "registered"
    } else if call.contains("Map") {
        "mapped"
    } else {
        "allocated"
    }
}

/// What a call did that ended it.
pub(crate) fn over(call: &str) -> &'static str {
    if call.contains("Release") {
        "released"
    } else if call.contains("Unregist") {
        "unregistered"
    } else if call.contains("Unmap") {
        "unmapped"
    } else if call.contains("Reset") || call.contains("Destroy") {
        "ended"
    } else {
        "freed"
    }
}

fn name(place: &Place) -> String {
    if place.function.is_empty() {
        return "(unknown function)".to_owned();
    }
    let mut name: String = place.function.chars().take(LONGEST_NAME).collect();
    if name.len() < place.function.len() {
        name.push_str("...");
    }
    name
}

/// `file:line`, or the module where the file is not known.
pub(crate) fn where_text(place: &Place, style: &Style) -> String {
    match (place.file.is_empty(), place.line) {
        (true, _) => style.path(&place.module).into_owned(),
        (false, 0) => style.path(&place.file).into_owned(),
        (false, line) => format!("{}:{line}", style.path(&place.file)),
    }
}

pub(crate) fn count(bytes: u64) -> String {
    millpond_trace::count(bytes, "byte")
}

/// The bytes, and where in the block they are.
pub(crate) fn bytes_text(bytes: Bytes, block: Option<&ToldBlock>) -> String {
    let mut text = format!("{} at {:#x}", count(bytes.bytes), bytes.start);
    let Some(block) = block else {
        return text;
    };
    let (start, end) = (bytes.start, bytes.start.saturating_add(bytes.bytes));
    let limit = block.range.start.saturating_add(block.range.bytes);
    if start == limit {
        put!(&mut text, ", just past the end of {}", block.name);
    } else if start > limit {
        put!(
            &mut text,
            ", {} past the end of {}",
            count(start - limit),
            block.name
        );
    } else if start < block.range.start {
        let before = block.range.start - start;
        put!(&mut text, ", {} before {}", count(before), block.name);
    } else {
        put!(
            &mut text,
            ", offset {} of {}",
            millpond_trace::grouped(start - block.range.start),
            block.name
        );
        if end > limit {
            let beyond = millpond_trace::grouped(end - limit);
            put!(&mut text, "; the last {beyond} lie past it");
        }
    }
    text
}
