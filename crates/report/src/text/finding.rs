//! One finding as text that fits on a screen.
//!
//! A line at the left joins the two operations, and what is missing is on that line: the missing order is the first
//! thing to see.

use millpond_trace::Bytes;

use super::source;
use super::style::{Ink, Style};
use crate::clean::{clean, put};
use crate::resolved::{self, ResolvedBlock, ResolvedFinding, ResolvedFrame, ResolvedOperation};

/// Frames that are shown of an operation.
const MOST_LINES: usize = 4;

/// Callers that are shown of an allocation or a free.
const MOST_CALLERS: usize = 2;

/// Operations that are shown.
const MOST_OPERATIONS: usize = 3;

/// The widest column of function names.
const WIDEST_NAME: usize = 36;

/// Sentences are wrapped at this width.
const WIDTH: usize = 96;

/// Indentation below a label.
const UNDER_LABEL: &str = "           ";

/// Longer names, such as those of templates, are truncated.
const LONGEST_NAME: usize = 100;

impl ResolvedFinding {
    /// The finding as text of several lines. The last line is empty.
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
        // Only the id may be known of a rule of another version.
        if !self.requirement.is_empty() {
            page.label("rule", &self.requirement);
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

    fn head(&mut self, finding: &ResolvedFinding) {
        let severity = Ink::Severity(finding.severity);
        let word = self
            .style
            .paint(severity, &format!("{}[{}]", finding.severity, finding.rule));
        let mut head = word;
        if !finding.title.is_empty() {
            let title = format!(": {}", finding.title);
            head.push_str(&self.style.paint(Ink::Strong, &title));
        }
        if finding.times > 1 {
            let times = format!(" ({} times)", finding.times);
            head.push_str(&self.style.paint(Ink::Faint, &times));
        }
        self.line(&head);
        if !finding.message.is_empty() {
            self.wrapped("  ", "  ", None, &finding.message);
        }
    }

    /// The operations, joined by a line from the first to the last.
    fn operations(&mut self, finding: &ResolvedFinding) {
        let style = self.style;
        let count = finding.operations.len();
        let shown = count.min(MOST_OPERATIONS);
        let joined = shown > 1 || finding.missing.is_some();
        for (index, operation) in finding.operations.iter().take(shown).enumerate() {
            let last = index + 1 == shown && !(index == 0 && finding.missing.is_some());
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
            self.operation(corner, beside, operation);
            if index == 0
                && let Some(missing) = &finding.missing
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

    fn operation(&mut self, corner: &str, beside: &str, operation: &ResolvedOperation) {
        let style = self.style;
        let corner = style.paint(Ink::Margin, corner);
        let beside = style.paint(Ink::Margin, beside);
        let mut head = String::new();
        if let Some(stream) = operation.stream {
            head.push_str(&style.paint(Ink::Strong, &format!("stream {stream}: ")));
        }
        head.push_str(&style.paint(Ink::Strong, &operation.what));
        let mut aside = Vec::new();
        if !operation.call.is_empty() {
            aside.push(operation.call.clone());
        }
        if operation.thread > 0 {
            aside.push(format!("thread {}", operation.thread));
        }
        aside.push(format!("record {}", operation.record));
        let aside = style.paint(Ink::Faint, &format!(" ({})", aside.join(", ")));
        self.line(&format!("  {corner} {head}{aside}"));
        self.stack(&format!("  {beside}    "), &operation.stack);
    }

    fn stack(&mut self, indent: &str, stack: &[ResolvedFrame]) {
        let style = self.style;
        let shown = resolved::relevant(stack, MOST_LINES);
        let width = shown
            .iter()
            .map(|frame| name(frame).chars().count())
            .max()
            .unwrap_or(0)
            .min(WIDEST_NAME);
        let quoted = resolved::own(stack).filter(|own| source::line(&own.file, own.line).is_some());
        let quoted = quoted.map(|own| (own.file.as_str(), own.line));
        let mut done = false;
        for frame in &shown {
            let name = name(frame);
            let space = " ".repeat(width.saturating_sub(name.chars().count()));
            let name = style.paint(Ink::Strong, &name);
            let inlined = if frame.inlined { " (inlined)" } else { "" };
            self.line(&format!(
                "{indent}{name}{space}  {}{}",
                style.paint(Ink::Location, &where_text(frame, style)),
                style.paint(Ink::Faint, inlined),
            ));
            let here = (frame.file.as_str(), frame.line);
            if quoted.is_none_or(|wanted| wanted == here)
                && !done
                && let Some(text) = source::line(&frame.file, frame.line)
            {
                done = true;
                let bar = style.draw("│", "|");
                let margin = style.paint(Ink::Margin, &format!("{:>5} {bar}", frame.line));
                self.line(&format!("{indent}{margin} {text}"));
            }
        }
        if stack.len() > shown.len() {
            let more = format!("{} more", stack.len() - shown.len());
            let more = style.paint(Ink::Faint, &more);
            self.line(&format!("{indent}{more}"));
        }
    }

    fn block(&mut self, block: &ResolvedBlock) {
        let text = format!(
            "{}: {} at {:#x}, {}",
            block.name,
            count(block.range.bytes),
            block.range.start,
            block.space
        );
        self.label("block", &text);
        self.origin(begun(&block.allocated.call), &block.allocated);
        if let Some(freed) = &block.freed {
            self.origin(over(&freed.call), freed);
        }
    }

    /// The call that allocated or freed a block, and its callers.
    fn origin(&mut self, verb: &str, operation: &ResolvedOperation) {
        let call = if operation.call.is_empty() {
            &operation.what
        } else {
            &operation.call
        };
        let mut line = format!("{UNDER_LABEL}{verb} by {}", clean(call));
        let finding = resolved::relevant(&operation.stack, 1 + MOST_CALLERS);
        if let Some(frame) = finding.first() {
            let at = self
                .style
                .paint(Ink::Location, &where_text(frame, self.style));
            put!(&mut line, " in {}  {at}", clean(&name(frame)));
        }
        if let Some(stream) = operation.stream {
            put!(&mut line, " (stream {stream})");
        }
        self.line(&line);
        // A program with a buffer class allocates all its buffers at one line.
        for frame in finding.iter().skip(1) {
            let at = self
                .style
                .paint(Ink::Location, &where_text(frame, self.style));
            let name = name(frame);
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

    /// A wrapped text, with a prefix for the first line and one for the others.
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

/// Wraps a text between words, on at most a few lines.
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

/// What a call did that began the lifetime of a block.
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

fn name(frame: &ResolvedFrame) -> String {
    if frame.function.is_empty() {
        return "(unknown function)".to_owned();
    }
    let mut name: String = frame.function.chars().take(LONGEST_NAME).collect();
    if name.len() < frame.function.len() {
        name.push_str("...");
    }
    name
}

/// `file:line`, or the module if the file is unknown.
pub(crate) fn where_text(frame: &ResolvedFrame, style: &Style) -> String {
    match (frame.file.is_empty(), frame.line) {
        (true, _) => style.path(&frame.module).into_owned(),
        (false, 0) => style.path(&frame.file).into_owned(),
        (false, line) => format!("{}:{line}", style.path(&frame.file)),
    }
}

pub(crate) fn count(bytes: u64) -> String {
    millpond_trace::count(bytes, "byte")
}

/// The bytes, and their position in the block.
pub(crate) fn bytes_text(bytes: Bytes, block: Option<&ResolvedBlock>) -> String {
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
