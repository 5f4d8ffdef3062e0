//! A check that the program asks for itself: `millpond/check.h`.
//!
//! What must always hold: texts that were handed out stay until the next session begins.

use std::ffi::CString;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use millpond_check::Options;
use millpond_report::{Colour, Report, Style, Told};
use millpond_trace::Sink;
use parking_lot::Mutex;

use super::settings::Settings;
use super::watch::{Watch, print};
use super::{look, pinned, prepared_for_session, settings};
use crate::boundary::Fault;
use crate::{caller, process};

static SESSION: Mutex<Session> = Mutex::new(Session {
    watch: None,
    runs: false,
    texts: Vec::new(),
});

struct Session {
    watch: Option<Arc<Watch>>,
    /// It has begun and not ended.
    runs: bool,
    /// What was handed out, by the number of the finding.
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

/// What a program asks for.
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

/// Begins; false if it has begun.
pub(crate) fn begin(wanted: &Wanted) -> Result<bool, Fault> {
    let mut session = SESSION.lock();
    if session.runs {
        return Ok(false);
    }
    let mut complaints = Vec::new();
    let rules = settings::chosen(&wanted.rules, &mut complaints);
    if let Some(complaint) = complaints.first() {
        return Err(Fault::coded(
            millpond_abi::ACL_ERROR_INVALID_PARAM,
            format!("the rules '{}' cannot be: {complaint}", wanted.rules),
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
    // It has not heard what was told before it listened.
    caller::retell();
    // There may be pinned memory already.
    pinned::began_before();
    session.watch = Some(watch);
    session.runs = true;
    session.texts.clear();
    Ok(true)
}

/// Ends; false if it has not begun.
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

/// What was found so far; `None` if it never began.
pub(crate) fn report() -> Option<Report> {
    let watch = SESSION.lock().watch.clone();
    watch.map(|watch| watch.report())
}

/// One finding, with its texts, which stay. `None` if it never began, or there is none with this number.
pub(crate) fn finding<T>(index: usize, act: impl FnOnce(&Told, &Texts) -> T) -> Option<T> {
    let mut session = SESSION.lock();
    let report = session.watch.as_ref()?.report();
    let told = report.findings.get(index)?;
    if session.texts.len() <= index {
        session.texts.resize_with(index + 1, || None);
    }
    let texts = session.texts[index].get_or_insert_with(|| Box::new(Texts::of(told)));
    Some(act(told, texts))
}

impl Texts {
    fn of(told: &Told) -> Self {
        let act = told.operations.first();
        let places = act.map_or(&[][..], |act| &act.stack);
        // Inlined functions count: they are where the call is written.
        let place = places.iter().find(|place| !place.file.is_empty());
        let place = place.or(places.first());
        Self {
            rule: text(&told.rule),
            message: text(&told.message),
            text: text(&told.text(&Style::plain())),
            call: text(act.map_or("", |act| &act.call)),
            function: text(place.map_or("", |place| &place.function)),
            file: text(place.map_or("", |place| &place.file)),
            line: place.map_or(0, |place| place.line),
        }
    }
}

fn text(text: &str) -> CString {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    CString::new(bytes).unwrap_or_default()
}

/// All findings and the summary as text.
pub(crate) fn as_text(report: &Report, style: &Style) -> String {
    let findings = report.findings.iter().map(|told| told.text(style));
    let mut all: String = findings.collect();
    all += &report.summary(style);
    all
}

/// Writes a report to a file, or to stderr.
pub(crate) fn write(text: &str, path: Option<&Path>) -> Result<(), String> {
    let Some(path) = path else {
        print(text);
        return Ok(());
    };
    fs::write(path, text).map_err(|error| format!("{} cannot be written: {error}", path.display()))
}
