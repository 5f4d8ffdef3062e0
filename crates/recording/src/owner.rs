//! Who allocated: the source line that answers for a call stack.

use std::path::Path;

use crate::event::StackId;
use crate::tables::{Frame, Tables};

/// What stands for a stack that was not recorded.
pub const UNKNOWN: &str = "(no call stack recorded)";

/// Code that the user did not write: an installed package, or the interpreter's library.
fn is_installed(file: &str) -> bool {
    ["/site-packages/", "/dist-packages/", "/lib/python3"]
        .iter()
        .any(|part| file.contains(part))
        || file.starts_with('<')
}

/// The frame that a user would name as the one that allocated: the innermost line of their own Python code, else the innermost Python
/// line, else the innermost frame.
pub fn owner(tables: &Tables, stack: StackId) -> Option<Frame> {
    let file = |frame: &Frame| tables.text(frame.file);
    let is_python = |frame: &Frame| {
        Path::new(file(frame))
            .extension()
            .is_some_and(|end| end == "py")
    };
    let own = tables
        .stack(stack)
        .find(|frame| is_python(frame) && !is_installed(file(frame)));
    own.or_else(|| tables.stack(stack).find(is_python))
        .or_else(|| tables.stack(stack).next())
}

/// A frame as people write it: file and line, or the function where those are not known.
pub fn place(tables: &Tables, frame: Frame) -> String {
    match (tables.text(frame.file), frame.line) {
        ("", _) => tables.text(frame.function).to_owned(),
        (file, 0) => file.to_owned(),
        (file, line) => format!("{file}:{line}"),
    }
}

/// The place of [`owner`].
pub fn owner_place(tables: &Tables, stack: StackId) -> String {
    owner(tables, stack).map_or_else(|| UNKNOWN.to_owned(), |frame| place(tables, frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_is_the_users_own_line() {
        let mut tables = Tables::default();
        let library = "/env/lib/python3.11/site-packages/torch/nn/functional.py";
        let mut frame = |function: &str, file: &str, line| {
            let frame = Frame {
                function: tables.add_text(function),
                file: tables.add_text(file),
                line,
            };
            tables.add_frame(frame)
        };
        let malloc = frame("malloc", "", 0);
        let linear = frame("linear", library, 5);
        let step = frame("step", "/home/me/train.py", 42);
        let main = frame("main", "/home/me/train.py", 90);
        let place = |tables: &mut Tables, frames: &[u32]| {
            let stack = tables.add_stack(frames);
            owner_place(tables, stack)
        };
        assert_eq!(place(&mut tables, &[]), UNKNOWN);
        let whole = place(&mut tables, &[malloc, linear, step, main]);
        assert_eq!(whole, "/home/me/train.py:42");
        assert_eq!(
            place(&mut tables, &[malloc, linear]),
            format!("{library}:5")
        );
        assert_eq!(place(&mut tables, &[malloc]), "malloc");
    }
}
