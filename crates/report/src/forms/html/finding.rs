//! One finding of the page: closed it is a line, open it has everything.

use super::lanes;
use crate::clean::put;
use crate::forms::junit::escape;
use crate::forms::page;
use crate::text::finding::{begun, bytes_text, count, over, where_text};
use crate::text::{Style, source};
use crate::told::{self, Place, Told, ToldAct};

/// Lines of the source on each side of the one that is meant.
const BESIDE: u32 = 2;

pub(super) fn write(out: &mut String, told: &Told, style: &Style, open: bool) {
    let rule = escape(&told.rule);
    put!(
        out,
        "<details class=\"finding {0}\" data-rule=\"{rule}\" data-severity=\"{0}\"{1}>\n\
         <summary><span class=\"badge\">{0}</span> <code>{rule}</code> \
         <span class=\"message\">{2}</span>",
        told.severity,
        if open { " open" } else { "" },
        escape(&told.message),
    );
    let top = told.operations.first();
    let top = top.and_then(|act| told::own(&act.stack));
    if let Some(place) = top {
        put!(
            out,
            " <span class=\"at\">{}</span>",
            escape(&where_text(place, style))
        );
    }
    if told.times > 1 {
        put!(out, " <span class=\"times\">{} times</span>", told.times);
    }
    out.push_str("</summary>\n<article>\n");
    put!(
        out,
        "<p class=\"sentence\"><b>{}.</b> {} <em>{}</em> <code class=\"faint\">{}</code></p>\n",
        escape(&told.title),
        escape(&told.sentence),
        escape(&told.source),
        escape(&page(&told.rule))
    );
    lanes::write(out, told);
    if let Some(missing) = &told.missing {
        put!(
            out,
            "<p class=\"missing\"><b>missing</b> {}</p>\n",
            escape(missing)
        );
    }
    out.push_str("<div class=\"acts\">\n");
    for act in &told.operations {
        operation(out, &act.what, act, style);
    }
    out.push_str("</div>\n");
    facts(out, told);
    story(out, told, style);
    if let Some(advice) = &told.advice {
        put!(
            out,
            "<p class=\"help\"><b>help</b> {}</p>\n",
            escape(advice)
        );
    }
    out.push_str("</article>\n</details>\n");
}

fn facts(out: &mut String, told: &Told) {
    if told.bytes.is_none() && told.block.is_none() {
        return;
    }
    out.push_str("<dl>\n");
    if let Some(bytes) = told.bytes {
        let text = bytes_text(bytes, told.block.as_ref());
        put!(out, "<dt>bytes<dd>{}\n", escape(&text));
    }
    if let Some(block) = &told.block {
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
fn story(out: &mut String, told: &Told, style: &Style) {
    let Some(block) = &told.block else {
        return;
    };
    out.push_str("<div class=\"acts\">\n");
    let verb = begun(&block.made.call);
    operation(
        out,
        &format!("{} was {verb}", block.name),
        &block.made,
        style,
    );
    if let Some(ended) = &block.ended {
        let verb = over(&ended.call);
        operation(out, &format!("{} was {verb}", block.name), ended, style);
    }
    out.push_str("</div>\n");
}

fn operation(out: &mut String, title: &str, act: &ToldAct, style: &Style) {
    out.push_str("<section class=\"act\"><h3>");
    if let Some(stream) = act.stream {
        put!(out, "<span class=\"stream\">stream {stream}</span> ");
    }
    put!(out, "{}</h3>\n<p class=\"faint\">", escape(title));
    if !act.call.is_empty() {
        put!(out, "<code>{}</code>, ", escape(&act.call));
    }
    if act.thread > 0 {
        put!(out, "thread {}, ", act.thread);
    }
    put!(out, "record {}</p>\n", act.record);
    if let Some(lines) = act.stack.iter().find_map(quote) {
        out.push_str(&lines);
    }
    if !act.stack.is_empty() {
        out.push_str("<ol class=\"stack\">\n");
        for place in &act.stack {
            frame(out, place, style);
        }
        out.push_str("</ol>\n");
    }
    out.push_str("</section>\n");
}

fn frame(out: &mut String, place: &Place, style: &Style) {
    let function = if place.function.is_empty() {
        "(unknown function)"
    } else {
        &place.function
    };
    let inlined = if place.inlined {
        " <em>inlined</em>"
    } else {
        ""
    };
    put!(
        out,
        "<li><b>{}</b> <span class=\"at\">{}</span>{inlined}</li>\n",
        escape(function),
        escape(&where_text(place, style))
    );
}

/// The lines of the source around a place, the one that is meant marked.
fn quote(place: &Place) -> Option<String> {
    let lines = source::around(&place.file, place.line, BESIDE);
    if lines.is_empty() {
        return None;
    }
    let mut out = String::from("<pre>");
    for (number, text) in lines {
        let text = escape(&text);
        if number == place.line {
            put!(&mut out, "<mark><i>{number:>5}</i> {text}</mark>\n");
        } else {
            put!(&mut out, "<i>{number:>5}</i> {text}\n");
        }
    }
    out.push_str("</pre>\n");
    Some(out)
}
