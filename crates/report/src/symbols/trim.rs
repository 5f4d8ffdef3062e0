//! What of a call stack helps: the program's own lines, and nothing of how it was started.

use std::path::Path;

use crate::told::Place;

/// Our own library, under whatever version.
const OURS: &str = "libascendcl.so";

/// How programs and threads begin. They say nothing at the end of a stack.
const BEGINNINGS: &[&str] = &[
    "_start",
    "__libc_start_main",
    "__libc_start_call_main",
    "start_thread",
    "clone",
    "clone3",
    "__clone3",
    "__GI___clone3",
    "std::rt::lang_start",
    "std::rt::lang_start_internal",
    "std::panic::catch_unwind",
    "std::panicking::catch_unwind",
    "std::sys::backtrace::__rust_begin_short_backtrace",
    "core::ops::function::FnOnce::call_once",
];

/// Leaves out frames of our own library, and the interpreter's where it told of itself.
pub(crate) fn trim(mut places: Vec<Place>, named: bool) -> Vec<Place> {
    places.retain(|place| {
        let file = base(&place.module);
        !(file.starts_with(OURS) || named && interpreter(file))
    });
    // What called this is how the program was started, whatever its name.
    if let Some(start) = places
        .iter()
        .position(|place| place.function.starts_with("__libc_start_main"))
    {
        places.truncate(start + 1);
    }
    while places.len() > 1 && places.last().is_some_and(beginning) {
        places.pop();
    }
    let wrappers = places.iter().take_while(|place| annotation(place)).count();
    places.drain(..wrappers.min(places.len().saturating_sub(1)));
    places
}

/// A function of MSTX that its header put into the program: who called it is what helps.
fn annotation(place: &Place) -> bool {
    let name = place.function.strip_prefix("mstx");
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The name of the file, without the offset behind it.
fn base(module: &str) -> &str {
    Path::new(module)
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or(module)
}

fn interpreter(file: &str) -> bool {
    ["python", "libpython", "libffi", "_ctypes."]
        .iter()
        .any(|name| file.starts_with(name))
}

fn beginning(place: &Place) -> bool {
    let name = place.function.split(['@', '<', '{']).next();
    let name = name.unwrap_or_default().trim_end_matches("::");
    BEGINNINGS.contains(&name)
        // The C library without symbols, below main.
        || (place.function.is_empty() && base(&place.module).starts_with("libc.so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(function: &str, module: &str) -> Place {
        Place {
            function: function.to_owned(),
            module: module.to_owned(),
            ..Place::default()
        }
    }

    fn names(places: &[Place]) -> Vec<&str> {
        places.iter().map(|place| place.function.as_str()).collect()
    }

    #[test]
    fn our_own_frames_and_how_programs_begin_are_left_out() {
        let stack = vec![
            place("aclrtMalloc", "/opt/lib64/libascendcl.so"),
            place("step", "/home/a/train"),
            place("main", "/home/a/train"),
            place("__libc_start_call_main", "/lib/libc.so.6"),
            place("", "/lib/libc.so.6+0x1234"),
            place("_start", "/home/a/train"),
        ];
        assert_eq!(names(&trim(stack, false)), ["step", "main"]);
    }

    #[test]
    fn nothing_is_left_of_the_start_of_a_program_without_symbols() {
        let stack = vec![
            place("", "/home/a/train+0x1318"),
            place("", "/lib/libc.so.6+0x2724a"),
            place("__libc_start_main", "/lib/libc.so.6+0x27305"),
            place("", "/home/a/train+0x14d1"),
            place("", "0x1"),
        ];
        let left = trim(stack, false);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].module, "/home/a/train+0x1318");
    }

    #[test]
    fn functions_of_mstx_in_the_program_are_left_out() {
        let stack = vec![
            place("mstxMemHeapRegister", "/home/a/train"),
            place("mstx_pool_made", "/home/a/train"),
            place("main", "/home/a/train"),
        ];
        assert_eq!(names(&trim(stack, false)), ["mstx_pool_made", "main"]);
        let alone = vec![place("mstxMarkA", "/home/a/train")];
        assert_eq!(trim(alone, false).len(), 1);
    }

    #[test]
    fn an_interpreter_is_left_out_only_where_it_told_of_itself() {
        let stack = || {
            vec![
                place("train", ""),
                place("_PyEval_EvalFrameDefault", "/usr/bin/python3.12"),
            ]
        };
        assert_eq!(names(&trim(stack(), true)), ["train"]);
        assert_eq!(trim(stack(), false).len(), 2);
    }

    #[test]
    fn a_stack_of_nothing_but_a_beginning_keeps_one_line() {
        assert_eq!(trim(vec![place("_start", "/bin/x")], false).len(), 1);
    }
}
