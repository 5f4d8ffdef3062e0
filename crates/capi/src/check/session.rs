//! A check that the program starts itself: `millpond/check.h`.
//!
//! Invariant: texts that were handed out stay valid until the next session begins.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use millpond_check::Options;
use millpond_report::{Colour, Report, ReportFormat, ResolvedFinding, Style};
use millpond_trace::Sink;
use parking_lot::Mutex;

use super::settings::Settings;
use super::watch::{Watch, print};
use super::{look, pinned, prepared_for_session, settings};
use crate::boundary::CallError;
use crate::{caller, process};

static SESSION: Mutex<Session> = Mutex::new(Session {
    watch: None,
    runs: false,
    texts: Vec::new(),
});

struct Session {
    watch: Option<Arc<Watch>>,
    /// It has begun and has not ended.
    runs: bool,
    /// The texts that were handed out, by the index of the finding.
    texts: Vec<Option<Box<Texts>>>,
}

/// The texts of a finding, as C takes them.
pub(crate) struct Texts {
    pub(crate) rule: CString,
    pub(crate) message: CString,
    pub(crate) text: CString,
    pub(crate) call: CString,
    pub(crate) function: CString,
    pub(crate) file: CString,
    pub(crate) line: u32,
}

/// What the program requests.
pub(crate) struct Wanted {
    pub(crate) rules: String,
    pub(crate) suppressions: Option<String>,
    pub(crate) stacks: usize,
    pub(crate) leaks: bool,
    pub(crate) prints: bool,
}

impl Default for Wanted {
    fn default() -> Self {
        Self {
            rules: String::new(),
            suppressions: None,
            stacks: settings::STACKS,
            leaks: true,
            prints: false,
        }
    }
}

/// Begins a session. Returns false if one is running.
pub(crate) fn begin(wanted: &Wanted) -> Result<bool, CallError> {
    let mut session = SESSION.lock();
    if session.runs {
        return Ok(false);
    }
    let mut complaints = Vec::new();
    let rules = settings::chosen(&wanted.rules, &mut complaints);
    if let Some(complaint) = complaints.first() {
        return Err(CallError::coded(
            millpond_abi::ACL_ERROR_INVALID_PARAM,
            format!("invalid rule list '{}': {complaint}", wanted.rules),
        ));
    }
    let runtime = prepared_for_session(wanted.stacks)?;
    let watch = Watch::new(
        &Settings {
            options: Options {
                rules,
                leaks: wanted.leaks,
                part: true,
            },
            findings: None,
            suppressions: wanted.suppressions.as_ref().map(Into::into),
            colour: Colour::Auto,
            prints: wanted.prints,
            stacks: wanted.stacks,
            pinned: true,
        },
        false,
    );
    let watch = Arc::new(watch);
    runtime.tap().attach(Arc::clone(&watch) as Arc<dyn Sink>);
    // The new sink has not seen the stacks and modules that were recorded before.
    caller::emit_again();
    // The program may have pinned memory already.
    pinned::began_before();
    session.watch = Some(watch);
    session.runs = true;
    session.texts.clear();
    Ok(true)
}

/// Ends the session. Returns false if none is running.
pub(crate) fn end() -> bool {
    let mut session = SESSION.lock();
    let Some(watch) = session.watch.clone().filter(|_| session.runs) else {
        return false;
    };
    look();
    watch.end();
    if let Some(runtime) = process::known() {
        runtime.tap().detach(&(watch as Arc<dyn Sink>));
    }
    session.runs = false;
    true
}

/// The findings so far; `None` if no session was begun.
pub(crate) fn report() -> Option<Report> {
    let watch = SESSION.lock().watch.clone();
    watch.map(|watch| watch.report())
}

/// Calls `use_it` with a finding and its texts, which stay valid. `None` if no session was begun, or if there is no finding
/// with this index.
pub(crate) fn finding<T>(
    index: usize,
    use_it: impl FnOnce(&ResolvedFinding, &Texts) -> T,
) -> Option<T> {
    let mut session = SESSION.lock();
    let report = session.watch.as_ref()?.report();
    let finding = report.findings.get(index)?;
    if session.texts.len() <= index {
        session.texts.resize_with(index + 1, || None);
    }
    let texts = session.texts[index].get_or_insert_with(|| Box::new(Texts::of(finding)));
    Some(use_it(finding, texts))
}

impl Texts {
    fn of(finding: &ResolvedFinding) -> Self {
        let operation = finding.operations.first();
        let frames = operation.map_or(&[][..], |operation| &operation.stack);
        // Inlined functions count: the call is written there.
        let frame = frames.iter().find(|frame| !frame.file.is_empty());
        let frame = frame.or(frames.first());
        Self {
            rule: text(&finding.rule),
            message: text(&finding.message),
            text: text(&finding.text(&Style::plain())),
            call: text(operation.map_or("", |operation| &operation.call)),
            function: text(frame.map_or("", |frame| &frame.function)),
            file: text(frame.map_or("", |frame| &frame.file)),
            line: frame.map_or(0, |frame| frame.line),
        }
    }
}

fn text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// Writes a report to a file, or to stderr.
pub(crate) fn write(
    report: &Report,
    format: ReportFormat,
    path: Option<&Path>,
) -> Result<(), String> {
    let Some(path) = path else {
        let mut text = Vec::new();
        let written = report.write(format, &Style::plain(), &mut text);
        written.map_err(|error| format!("cannot write the report: {error}"))?;
        print(&String::from_utf8_lossy(&text));
        return Ok(());
    };
    write_file(report, format, path)
        .map_err(|error| format!("cannot write {}: {error}", path.display()))
}

fn write_file(report: &Report, format: ReportFormat, path: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(path)?);
    report.write(format, &Style::plain(), &mut out)?;
    out.flush()
}
