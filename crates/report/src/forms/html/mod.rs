//! The report as one HTML page that needs no network. Everything is readable without scripts.

mod finding;
mod lanes;
mod ranks;

use millpond_check::{Severity, limits};
use millpond_trace::plural;

use super::VERSION;
use super::escape::escape;
use crate::clean::put;
use crate::report::Report;
use crate::text::Style;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Report {
    pub(super) fn html(&self, style: &Style) -> String {
        let mut out = String::new();
        put!(
            &mut out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
             style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n\
             <title>millpond check: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n",
            escape(&self.program)
        );
        self.head(&mut out);
        self.filters(&mut out);
        out.push_str("<main>\n");
        if self.findings.is_empty() {
            let none = if self.nothing_checked {
                "Nothing was checked."
            } else if self.losses().is_empty() {
                "No findings."
            } else {
                "No findings, but the check is incomplete."
            };
            put!(&mut out, "<p class=\"none\">{none}</p>\n");
        }
        for (index, finding) in self.findings.iter().take(limits::HTML_FINDINGS).enumerate() {
            finding::write(&mut out, finding, style, index < 3);
        }
        let more = self.findings.len().saturating_sub(limits::HTML_FINDINGS);
        if more > 0 {
            put!(
                &mut out,
                "<p class=\"none\">{more} more {} in the other forms of this report.</p>\n",
                if more == 1 {
                    "finding is"
                } else {
                    "findings are"
                }
            );
        }
        out.push_str("</main>\n");
        self.rest(&mut out);
        put!(
            &mut out,
            "<footer>millpond {VERSION}</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        );
        out
    }

    fn head(&self, out: &mut String) {
        put!(
            out,
            "<header>\n<h1>millpond check</h1>\n<p class=\"program\"><code>{}</code></p>\n\
             <ul class=\"counts\">\n",
            escape(&self.program)
        );
        for (severity, word) in [
            (Severity::Error, "error"),
            (Severity::Warning, "warning"),
            (Severity::Hint, "hint"),
        ] {
            let count = self.count(severity);
            let word = plural(count as u64, word);
            let empty = if count == 0 { " zero" } else { "" };
            put!(
                out,
                "<li class=\"{severity}{empty}\"><b>{count}</b> {word}</li>\n"
            );
        }
        for (count, word) in [
            (self.suppressed.len() as u64, "suppressed"),
            (self.repeats(), "repeats folded"),
            (self.records, "records judged"),
        ] {
            if count > 0 {
                put!(out, "<li><b>{count}</b> {word}</li>\n");
            }
        }
        out.push_str("</ul>\n");
        for loss in self.losses() {
            put!(out, "<p class=\"lost\">Lost: {}</p>\n", escape(&loss.what));
        }
        for note in self.dropped_facts_note().iter().chain(&self.notes) {
            put!(out, "<p class=\"note\">{}</p>\n", escape(note));
        }
        out.push_str("</header>\n");
    }

    /// The script shows the filters, because without it they do nothing.
    fn filters(&self, out: &mut String) {
        if self.findings.is_empty() {
            return;
        }
        out.push_str("<form id=\"filters\" hidden>\n<div>");
        for severity in [Severity::Error, Severity::Warning, Severity::Hint] {
            let count = self.count(severity);
            if count > 0 {
                put!(
                    out,
                    "<label><input type=\"checkbox\" name=\"severity\" value=\"{severity}\" \
                     checked> {severity} <span>{count}</span></label>\n"
                );
            }
        }
        out.push_str("</div><div><select name=\"rule\"><option value=\"\">all rules</option>\n");
        for (rule, _, count) in self.by_rule() {
            let rule = escape(rule);
            put!(out, "<option value=\"{rule}\">{rule} ({count})</option>\n");
        }
        out.push_str(
            "</select>\n<input type=\"search\" name=\"text\" placeholder=\"function, file, words\" \
             aria-label=\"search\">\n<button type=\"button\" id=\"toggle\">open all</button>\n\
             <output id=\"shown\"></output></div>\n</form>\n",
        );
    }

    /// The part below the findings: runs, suppressions, rules without findings.
    fn rest(&self, out: &mut String) {
        if !self.runs.is_empty() {
            out.push_str(
                "<section><h2>Runs</h2><table><tr><th>schedule<th>findings<th>exit</tr>\n",
            );
            for run in &self.runs {
                put!(
                    out,
                    "<tr><td><code>{}</code><td>{}<td>{}</tr>\n",
                    escape(&run.schedule),
                    run.findings,
                    escape(&run.exit)
                );
            }
            out.push_str("</table></section>\n");
        }
        if !self.suppressed.is_empty() || self.suppressions().iter().len() > 0 {
            out.push_str("<section><h2>Suppressions</h2><ul>\n");
            for (by, finding) in &self.suppressed {
                if let Some(by) = self.suppressions().iter().nth(*by) {
                    put!(
                        out,
                        "<li><code>{}</code> {} <em>hidden by {}: {}</em></li>\n",
                        escape(&finding.rule),
                        escape(&finding.message),
                        escape(&by.to_string()),
                        escape(&by.reason)
                    );
                }
            }
            for unused in self.unused() {
                put!(
                    out,
                    "<li>never used: <code>{}</code></li>\n",
                    escape(&unused)
                );
            }
            out.push_str("</ul></section>\n");
        }
        let held: Vec<String> = self
            .rules
            .iter()
            .filter(|rule| !self.findings.iter().any(|finding| finding.rule == rule.id))
            .map(|rule| {
                format!(
                    "<code title=\"{}\">{}</code>",
                    escape(rule.requirement),
                    escape(rule.id)
                )
            })
            .collect();
        if !held.is_empty() {
            put!(
                out,
                "<section><details><summary>{} rules without findings</summary>\
                 <p class=\"rules\">{}</p></details></section>\n",
                held.len(),
                held.join(" ")
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn page() -> String {
        let mut report = sample::report();
        report.add(sample::ranks());
        report.html(&Style::plain())
    }

    #[test]
    fn nothing_is_loaded_from_anywhere() {
        let html = page();
        for word in [
            "http://", "https://", "src=", "@import", "url(", "href=", "<link",
        ] {
            assert!(!html.contains(word), "{word}");
        }
    }

    #[test]
    fn text_of_a_program_is_escaped() {
        let html = page();
        assert_eq!(html.matches("<script>").count(), 1);
        assert_eq!(html.matches("</script>").count(), 1);
        assert!(!html.contains("<b>\u{1b}") && !html.contains("<b>\\u"));
        assert!(html.contains("&lt;/script&gt;"));
        assert!(html.contains("Lost: process 7 (&lt;b&gt;sleep"));
        assert!(html.contains("3 facts were dropped"));
        assert!(html.chars().all(|c| c == '\n' || !c.is_control()));
    }

    #[test]
    fn tags_that_need_an_end_have_one() {
        let html = page();
        for tag in [
            "details", "summary", "section", "article", "svg", "ul", "table", "form", "select",
            "div", "ol", "pre", "dl", "g", "main", "header",
        ] {
            let open = html.matches(&format!("<{tag}>")).count()
                + html.matches(&format!("<{tag} ")).count();
            let closed = html.matches(&format!("</{tag}>")).count();
            assert_eq!(open, closed, "{tag}");
        }
    }

    #[test]
    fn findings_beyond_the_limit_are_counted() {
        let mut report = Report::default();
        for index in 0..=limits::HTML_FINDINGS {
            let mut finding = sample::hint();
            finding.message = index.to_string();
            report.add(finding);
        }
        let html = report.html(&Style::plain());
        assert!(html.contains("1 more finding is in the other forms"));
    }

    #[test]
    fn a_clean_report_says_so() {
        let html = Report::new("train", crate::Suppressions::default()).html(&Style::plain());
        assert!(html.contains("No findings."));
    }
}
