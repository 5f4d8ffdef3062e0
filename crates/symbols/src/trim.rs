//! Removes frames that do not help: those of program and thread start-up, and those of the standard libraries of C++ and
//! Rust between the program's own.

use std::path::Path;

use crate::frame::ResolvedFrame;

/// Our own library, in any version.
const OURS: &str = "libascendcl.so";

/// Functions in which programs and threads start.
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

/// Removes frames that do not help. `named` says that an interpreter reported the script's frames: its own are removed too.
pub fn trim(mut resolved: Vec<ResolvedFrame>, named: bool) -> Vec<ResolvedFrame> {
    resolved.retain(|frame| {
        let file = base(&frame.module);
        !(file.starts_with(OURS) || named && interpreter(file))
    });
    // Everything that called this is start-up code.
    if let Some(start) = resolved
        .iter()
        .position(|frame| frame.function.starts_with("__libc_start_main"))
    {
        resolved.truncate(start + 1);
    }
    while resolved.len() > 1 && resolved.last().is_some_and(beginning) {
        resolved.pop();
    }
    if resolved.iter().any(|frame| !library(frame)) {
        resolved.retain(|frame| !library(frame));
    }
    let wrappers = resolved
        .iter()
        .take_while(|frame| annotation(frame))
        .count();
    resolved.drain(..wrappers.min(resolved.len().saturating_sub(1)));
    resolved
}

/// An MSTX function that the header compiled into the program. Its caller is what helps.
fn annotation(frame: &ResolvedFrame) -> bool {
    let name = frame.function.strip_prefix("mstx");
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// A function of a standard library that calls code of the program. It is recognised by its file: a program may add
/// functions to such a namespace, and inlined functions often have names without one. Without a file, the name decides.
fn library(frame: &ResolvedFrame) -> bool {
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
    if !frame.file.is_empty() {
        return FOLDERS.iter().any(|folder| frame.file.contains(folder));
    }
    starts(base(&frame.module), &FILES) || starts(qualified(&frame.function), &NAMESPACES)
}

/// The name of a function without return type and parameters: the text before the first parenthesis outside of all
/// brackets, after the last space there.
fn qualified(function: &str) -> &str {
    let mut depth = 0_usize;
    let mut start = 0;
    for (index, character) in function.char_indices() {
        match character {
            // Names of operators contain characters that are not brackets.
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

/// The name of the file, without the offset.
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

fn beginning(frame: &ResolvedFrame) -> bool {
    let name = frame.function.split(['@', '<', '{']).next();
    let name = name.unwrap_or_default().trim_end_matches("::");
    BEGINNINGS.contains(&name)
        // The C library without symbols, below main.
        || (frame.function.is_empty() && base(&frame.module).starts_with("libc.so"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(function: &str, module: &str) -> ResolvedFrame {
        ResolvedFrame {
            function: function.to_owned(),
            module: module.to_owned(),
            ..ResolvedFrame::default()
        }
    }

    fn names(resolved: &[ResolvedFrame]) -> Vec<&str> {
        resolved
            .iter()
            .map(|frame| frame.function.as_str())
            .collect()
    }

    #[test]
    fn our_own_frames_and_how_programs_begin_are_left_out() {
        let stack = vec![
            frame("aclrtMalloc", "/opt/lib64/libascendcl.so"),
            frame("step", "/home/a/train"),
            frame("main", "/home/a/train"),
            frame("__libc_start_call_main", "/lib/libc.so.6"),
            frame("", "/lib/libc.so.6+0x1234"),
            frame("_start", "/home/a/train"),
        ];
        assert_eq!(names(&trim(stack, false)), ["step", "main"]);
    }

    #[test]
    fn nothing_is_left_of_the_start_of_a_program_without_symbols() {
        let stack = vec![
            frame("", "/home/a/train+0x1318"),
            frame("", "/lib/libc.so.6+0x2724a"),
            frame("__libc_start_main", "/lib/libc.so.6+0x27305"),
            frame("", "/home/a/train+0x14d1"),
            frame("", "0x1"),
        ];
        let left = trim(stack, false);
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].module, "/home/a/train+0x1318");
    }

    #[test]
    fn functions_of_mstx_in_the_program_are_left_out() {
        let stack = vec![
            frame("mstxMemHeapRegister", "/home/a/train"),
            frame("mstx_pool_made", "/home/a/train"),
            frame("main", "/home/a/train"),
        ];
        assert_eq!(names(&trim(stack, false)), ["mstx_pool_made", "main"]);
        let alone = vec![frame("mstxMarkA", "/home/a/train")];
        assert_eq!(trim(alone, false).len(), 1);
    }

    #[test]
    fn an_interpreter_is_left_out_only_if_it_registered_itself() {
        let stack = || {
            vec![
                frame("train", ""),
                frame("_PyEval_EvalFrameDefault", "/usr/bin/python3.12"),
            ]
        };
        assert_eq!(names(&trim(stack(), true)), ["train"]);
        assert_eq!(trim(stack(), false).len(), 2);
    }

    #[test]
    fn frames_of_standard_libraries_are_left_out() {
        let in_header = |function: &str| ResolvedFrame {
            file: "/usr/include/c++/12/bits/invoke.h".to_owned(),
            line: 61,
            ..frame(function, "/home/a/train")
        };
        let stack = vec![
            frame("main::{lambda()#1}::operator()() const", "/home/a/train"),
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
            frame(
                "run_all(std::vector<std::function<void ()> >&)",
                "/home/a/train",
            ),
            ResolvedFrame {
                file: "/home/a/key.h".to_owned(),
                ..frame(
                    "std::hash<Key>::operator()(Key const&) const",
                    "/home/a/train",
                )
            },
            frame("(anonymous namespace)::step(std::string)", "/home/a/train"),
            frame(
                "Buffer<std::string>::grow(int) [clone .part.0]",
                "/home/a/train",
            ),
            frame("execute_native_thread_routine", "/lib/libstdc++.so.6"),
            frame("start_thread", "/lib/libc.so.6"),
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
            frame("train::step", "/home/a/train"),
            ResolvedFrame {
                file: "/rustc/1/library/core/src/ops/function.rs".to_owned(),
                ..frame("<core::option::Option<T>>::map", "/home/a/train")
            },
            frame(
                "core::ops::function::impls::{impl#3}::call_once<()>",
                "/home/a/train",
            ),
            frame("train::main", "/home/a/train"),
        ];
        assert_eq!(names(&trim(rust, false)), ["train::step", "train::main"]);
    }

    #[test]
    fn a_stack_of_nothing_but_a_beginning_keeps_one_line() {
        assert_eq!(trim(vec![frame("_start", "/bin/x")], false).len(), 1);
    }
}
