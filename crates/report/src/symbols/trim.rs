//! What of a call stack helps: the program's own lines, and nothing of how it was started or of what the standard
//! libraries of C++ and Rust put between them.

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
    if places.iter().any(|place| !library(place)) {
        places.retain(|place| !library(place));
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

/// A function of a standard library, which calls what the program gave it. The file says so: the program may put
/// functions into such a namespace, and what was inlined often has a name without one. Without a file the name does.
fn library(place: &Place) -> bool {
    const FOLDERS: [&str; 4] = ["/include/c++/", "/c++/v1/", "/libstdc++-v3/", "/rustc/"];
    const FILES: [&str; 3] = ["libstdc++.so", "libc++.so", "libc++abi.so"];
    const NAMESPACES: [&str; 7] = [
        "std::",
        "__gnu_cxx::",
        "__cxxabiv1::",
        "core::",
        "alloc::",
        "<core::",
        "<alloc::",
    ];
    let starts = |text: &str, with: &[&str]| with.iter().any(|one| text.starts_with(one));
    if !place.file.is_empty() {
        return FOLDERS.iter().any(|folder| place.file.contains(folder));
    }
    starts(base(&place.module), &FILES) || starts(qualified(&place.function), &NAMESPACES)
}

/// The name of a function without what it returns and takes: what stands before the first parenthesis outside of
/// all brackets, behind the last space there.
fn qualified(function: &str) -> &str {
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, character) in function.char_indices() {
        match character {
            // Names of operators have brackets that are none.
            '<' | '{' | '[' if !function[..index].ends_with("operator") => depth += 1,
            '>' | '}' | ']' if !function[..index].ends_with(['-', '=']) => {
                depth = depth.saturating_sub(1);
            }
            '(' if depth == 0 => {
                // `decltype (...)` and `(anonymous namespace)` are parts of a type or a name.
                let before = function[start..index].trim_end();
                if !(before.is_empty() || before.ends_with("::") || before == "decltype") {
                    return before;
                }
                depth += 1;
            }
            ')' => depth = depth.saturating_sub(1),
            '(' => depth += 1,
            ' ' if depth == 0 && function[index + 1..].starts_with(|next: char| next != '(') => {
                start = index + 1;
            }
            _ => {}
        }
    }
    &function[start..]
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
    fn frames_of_standard_libraries_are_left_out() {
        let in_header = |function: &str| Place {
            file: "/usr/include/c++/12/bits/invoke.h".to_owned(),
            line: 61,
            ..place(function, "/home/a/train")
        };
        let stack = vec![
            place("main::{lambda()#1}::operator()() const", "/home/a/train"),
            in_header(
                "void std::__invoke_impl<void, main::{lambda()#1}&>(std::__invoke_other, main::{lambda()#1}&)",
            ),
            in_header(
                "std::enable_if<is_invocable_r_v<void, main::{lambda()#1}&>, void>::type std::__invoke_r<void>()",
            ),
            in_header(
                "std::_Function_handler<void (), main::{lambda()#1}>::_M_invoke(std::_Any_data const&)",
            ),
            in_header("std::function<void ()>::operator()() const"),
            in_header("__gnu_cxx::__normal_iterator<int*, std::vector<int> >::operator*() const"),
            in_header("__invoke_impl<void, (lambda at a.cpp:3:5)>"),
            place(
                "run_all(std::vector<std::function<void ()> >&)",
                "/home/a/train",
            ),
            Place {
                file: "/home/a/key.h".to_owned(),
                ..place(
                    "std::hash<Key>::operator()(Key const&) const",
                    "/home/a/train",
                )
            },
            place("(anonymous namespace)::step(std::string)", "/home/a/train"),
            place(
                "Buffer<std::string>::grow(int) [clone .part.0]",
                "/home/a/train",
            ),
            place("execute_native_thread_routine", "/lib/libstdc++.so.6"),
            place("start_thread", "/lib/libc.so.6"),
        ];
        assert_eq!(
            names(&trim(stack, false)),
            [
                "main::{lambda()#1}::operator()() const",
                "run_all(std::vector<std::function<void ()> >&)",
                "std::hash<Key>::operator()(Key const&) const",
                "(anonymous namespace)::step(std::string)",
                "Buffer<std::string>::grow(int) [clone .part.0]",
            ]
        );
        let nothing_else = vec![in_header("std::vector<int>::push_back(int const&)")];
        assert_eq!(trim(nothing_else, false).len(), 1);
        let rust = vec![
            place("train::step", "/home/a/train"),
            Place {
                file: "/rustc/1/library/core/src/ops/function.rs".to_owned(),
                ..place("<core::option::Option<T>>::map", "/home/a/train")
            },
            place(
                "core::ops::function::impls::{impl#3}::call_once<()>",
                "/home/a/train",
            ),
            place("train::main", "/home/a/train"),
        ];
        assert_eq!(names(&trim(rust, false)), ["train::step", "train::main"]);
    }

    #[test]
    fn a_stack_of_nothing_but_a_beginning_keeps_one_line() {
        assert_eq!(trim(vec![place("_start", "/bin/x")], false).len(), 1);
    }
}
