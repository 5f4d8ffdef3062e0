//! One finding of the page: collapsed it is a line, expanded it has everything.

use super::{lanes, ranks};
use crate::clean::put;
use crate::forms::escape::escape;
use crate::forms::page;
use crate::resolved::{self, ResolvedFinding, ResolvedFrame, ResolvedOperation};
use crate::text::finding::{begun, bytes_text, count, over, where_text};
use crate::text::{Style, source};

/// Lines of the source before and after the highlighted one.
const BESIDE: u32 = 2;

pub(super) fn write(out: &mut String, finding: &ResolvedFinding, style: &Style, open: bool) {
    let rule = escape(&finding.rule);
    put!(
        out,
        "<details class=\"finding {0}\" data-rule=\"{rule}\" data-severity=\"{0}\"{1}>\n\
         <summary><span class=\"badge\">{0}</span> <code>{rule}</code> \
         <span class=\"message\">{2}</span>",
        finding.severity,
        if open { " open" } else { "" },
        escape(&finding.message),
    );
    let top = finding.operations.first();
    let top = top.and_then(|operation| resolved::own(&operation.stack));
    if let Some(frame) = top {
        put!(
            out,
            " <span class=\"at\">{}</span>",
            escape(&where_text(frame, style))
        );
    }
    if finding.times > 1 {
        put!(out, " <span class=\"times\">{} times</span>", finding.times);
    }
    out.push_str("</summary>\n<article>\n");
    put!(
        out,
        "<p class=\"requirement\"><b>{}.</b> {} <em>{}</em> <code class=\"faint\">{}</code></p>\n",
        escape(&finding.title),
        escape(&finding.requirement),
        escape(&finding.source),
        escape(&page(&finding.rule))
    );
    match &finding.ranks {
        Some(picture) => ranks::write(out, picture, finding, style),
        None => lanes::write(out, finding),
    }
    if let Some(missing) = &finding.missing {
        put!(
            out,
            "<p class=\"missing\"><b>missing</b> {}</p>\n",
            escape(missing)
        );
    }
    out.push_str("<div class=\"operations\">\n");
    for operation in &finding.operations {
        write_operation(out, &operation.what, operation, style);
    }
    out.push_str("</div>\n");
    facts(out, finding);
    lifetime(out, finding, style);
    if let Some(advice) = &finding.advice {
        put!(
            out,
            "<p class=\"help\"><b>help</b> {}</p>\n",
            escape(advice)
        );
    }
    out.push_str("</article>\n</details>\n");
}

fn facts(out: &mut String, finding: &ResolvedFinding) {
    if finding.bytes.is_none() && finding.block.is_none() {
        return;
    }
    out.push_str("<dl>\n");
    if let Some(bytes) = finding.bytes {
        let text = bytes_text(bytes, finding.block.as_ref());
        put!(out, "<dt>bytes<dd>{}\n", escape(&text));
    }
    if let Some(block) = &finding.block {
        let text = format!(
            "{}: {} at {:#x}, {}",
            block.name,
            count(block.range.bytes),
            block.range.start,
            block.space
        );
        put!(out, "<dt>block<dd>{}\n", escape(&text));
    }
    out.push_str("</dl>\n");
}

/// Who allocated and freed the block.
fn lifetime(out: &mut String, finding: &ResolvedFinding, style: &Style) {
    let Some(block) = &finding.block else {
        return;
    };
    out.push_str("<div class=\"operations\">\n");
    let verb = begun(&block.allocated.call);
    write_operation(
        out,
        &format!("{} was {verb}", block.name),
        &block.allocated,
        style,
    );
    if let Some(freed) = &block.freed {
        let verb = over(&freed.call);
        write_operation(out, &format!("{} was {verb}", block.name), freed, style);
    }
    out.push_str("</div>\n");
}

fn write_operation(out: &mut String, title: &str, operation: &ResolvedOperation, style: &Style) {
    out.push_str("<section class=\"operation\"><h3>");
    if let Some(stream) = operation.stream {
        put!(out, "<span class=\"stream\">stream {stream}</span> ");
    }
    put!(out, "{}</h3>\n<p class=\"faint\">", escape(title));
    if !operation.call.is_empty() {
        put!(out, "<code>{}</code>, ", escape(&operation.call));
    }
    if operation.thread > 0 {
        put!(out, "thread {}, ", operation.thread);
    }
    put!(out, "record {}</p>\n", operation.record);
    if let Some(lines) = operation.stack.iter().find_map(quote) {
        out.push_str(&lines);
    }
    if !operation.stack.is_empty() {
        out.push_str("<ol class=\"stack\">\n");
        for frame in &operation.stack {
            write_frame(out, frame, style);
        }
        out.push_str("</ol>\n");
    }
    out.push_str("</section>\n");
}

fn write_frame(out: &mut String, frame: &ResolvedFrame, style: &Style) {
    let function = if frame.function.is_empty() {
        "(unknown function)"
    } else {
        &frame.function
    };
    let inlined = if frame.inlined {
        " <em>inlined</em>"
    } else {
        ""
    };
    put!(
        out,
        "<li><b>{}</b> <span class=\"at\">{}</span>{inlined}</li>\n",
        escape(function),
        escape(&where_text(frame, style))
    );
}

/// The lines of the source around a frame, with its line highlighted.
fn quote(frame: &ResolvedFrame) -> Option<String> {
    let lines = source::around(&frame.file, frame.line, BESIDE);
    if lines.is_empty() {
        return None;
    }
    let mut out = String::from("<pre>");
    for (number, text) in lines {
        let text = escape(&text);
        if number == frame.line {
            put!(&mut out, "<mark><i>{number:>5}</i> {text}</mark>\n");
        } else {
            put!(&mut out, "<i>{number:>5}</i> {text}\n");
        }
    }
    out.push_str("</pre>\n");
    Some(out)
}
