//! The symbols and lines of one file.

use std::fmt;
use std::path::Path;
use std::time::SystemTime;

use addr2line::{Loader, demangle_auto};

use crate::frame::ResolvedFrame;

/// Files larger than this are not read: their tables alone would take seconds.
const LARGEST: u64 = 4 << 30;

/// How many inlined frames are shown for one address.
const MOST_INLINED: usize = 16;

/// A file that was read.
pub(crate) struct Code(Loader);

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

impl Code {
    /// `None` if it cannot be read, or was changed after a time.
    pub(crate) fn load(file: &str, until: Option<SystemTime>) -> Option<Self> {
        let path = Path::new(file);
        let about = path.metadata().ok()?;
        if !about.is_file() || about.len() > LARGEST {
            return None;
        }
        if until.is_some_and(|until| about.modified().is_ok_and(|changed| changed > until)) {
            return None;
        }
        Loader::new(path).ok().map(Self)
    }

    /// The frames at an address of the file: first those that were inlined, then the function itself.
    pub(crate) fn resolve(&self, address: u64) -> Vec<ResolvedFrame> {
        let mut resolved = Vec::new();
        // No file has such an address, but a file of records may: the search would count beyond it.
        if address > i64::MAX.unsigned_abs() {
            return resolved;
        }
        if let Ok(mut frames) = self.0.find_frames(address) {
            while resolved.len() < MOST_INLINED
                && let Ok(Some(frame)) = frames.next()
            {
                let mut entry = ResolvedFrame {
                    inlined: true,
                    ..ResolvedFrame::default()
                };
                if let Some(location) = frame.location {
                    location
                        .file
                        .unwrap_or_default()
                        .clone_into(&mut entry.file);
                    entry.line = location.line.unwrap_or(0);
                }
                if let Some(name) = frame.function
                    && let Ok(raw) = name.raw_name()
                {
                    entry.function = demangle_auto(raw, name.language).into_owned();
                }
                resolved.push(entry);
            }
        }
        // Without debug information there are at least the names of functions.
        if resolved
            .last()
            .is_none_or(|entry| entry.function.is_empty())
            && let Some(symbol) = self.0.find_symbol(address)
        {
            let name = demangle_auto(symbol.into(), None).into_owned();
            match resolved.last_mut() {
                Some(entry) => entry.function = name,
                None => resolved.push(ResolvedFrame {
                    function: name,
                    ..ResolvedFrame::default()
                }),
            }
        }
        if let Some(last) = resolved.last_mut() {
            last.inlined = false;
        }
        resolved
    }
}
