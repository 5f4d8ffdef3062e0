//! `MILLPOND_RECORD`: every record goes to a file that can be judged later.

use std::sync::{Arc, OnceLock};

use millpond::Runtime;
use millpond_trace::file::Writer;

use super::settings::expand;
use super::watch::print;

static WRITER: OnceLock<Arc<Writer>> = OnceLock::new();

/// Attaches the file, if the variable names one; answers whether it does. One that cannot be written is said on
/// stderr and does not stop the program.
pub(super) fn start(runtime: &Runtime) -> bool {
    let Some(path) = std::env::var_os("MILLPOND_RECORD").filter(|path| !path.is_empty()) else {
        return false;
    };
    let path = expand(&path.to_string_lossy());
    match Writer::create(&path) {
        Ok(writer) => {
            let writer = WRITER.get_or_init(|| Arc::new(writer));
            runtime.tap().attach(Arc::clone(writer) as Arc<_>);
            true
        }
        Err(error) => {
            print(&format!(
                "millpond: nothing is recorded, because {path} cannot be written: {error}\n"
            ));
            false
        }
    }
}

/// Writes what waits.
pub(super) fn flush() {
    if let Some(writer) = WRITER.get() {
        writer.flush();
    }
}

/// The process ends in order.
pub(super) fn end() {
    let Some(writer) = WRITER.get() else { return };
    writer.close();
    if let Some(problem) = writer.problem() {
        let lost = writer.lost();
        print(&format!(
            "millpond: {lost} records are missing in the file of MILLPOND_RECORD: {problem}\n"
        ));
    }
}
