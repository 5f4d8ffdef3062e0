//! Injected tools: found at the first call, then called in order.
//!
//! The order of the search is the documented one: the files that `MSTX_INJECTION_PATH` names, then,
//! if none of them could be opened, the symbol `InitInjectionMstx` in global scope.
//! Several files may be named, separated by colons. `MILLPOND_MSTX_TOOLS` names more of them, for
//! when the first variable has to name this library. Our own symbol is not a tool.
#![expect(unsafe_code, reason = "opens libraries and calls their entry")]

use std::cell::Cell;
use std::ffi::{CStr, CString, OsStr, OsString, c_int, c_void};
use std::io::Write;
use std::mem::transmute;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;
use std::sync::OnceLock;

use millpond_abi as abi;
use millpond_report::clean;

use parking_lot::Mutex;

use super::slots::{MAX_TOOLS, Tool};
use crate::caller;

const ENTRY: &CStr = c"InitInjectionMstx";
const VARIABLES: [&str; 2] = ["MSTX_INJECTION_PATH", "MILLPOND_MSTX_TOOLS"];

type Entry = unsafe extern "C-unwind" fn(abi::mstxGetModuleFuncTableFunc) -> c_int;

static TOOLS: OnceLock<Vec<Tool>> = OnceLock::new();

/// The modules that have attached to us. A tool among them forwards to us, so it must not be called
/// from here.
static ATTACHED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
const MAX_ATTACHED: usize = 256;

thread_local! {
    /// Set while this thread attaches tools.
    static ATTACHING: Cell<bool> = const { Cell::new(false) };
}

/// Notes that the module of this function has attached to us.
pub(super) fn attached(function: usize) {
    let mut attached = ATTACHED.lock();
    let module = caller::module_of(function);
    if attached.len() < MAX_ATTACHED && !attached.contains(&module) {
        attached.push(module);
    }
}

/// The tools. The first call finds them, and concurrent calls wait for that.
/// `None` on the thread that is attaching one: the tool itself is calling.
#[inline]
pub(super) fn tools() -> Option<&'static [Tool]> {
    match TOOLS.get() {
        Some(tools) => Some(tools),
        None => first(),
    }
}

#[cold]
fn first() -> Option<&'static [Tool]> {
    if ATTACHING.get() {
        return None;
    }
    ATTACHING.set(true);
    let tools = TOOLS.get_or_init(look);
    ATTACHING.set(false);
    Some(tools)
}

fn look() -> Vec<Tool> {
    let mut tools = Vec::new();
    let mut opened = false;
    for variable in VARIABLES {
        for path in paths(std::env::var_os(variable).unwrap_or_default()) {
            match open(&path) {
                Opened::Missing(reason) => note(variable, &path, &reason),
                Opened::Ours => {}
                Opened::Theirs(entry) => {
                    opened = true;
                    attach(entry, variable, &path, &mut tools);
                }
            }
        }
    }
    if !opened && let Some(entry) = global() {
        attach(Some(entry), "", OsStr::new(""), &mut tools);
    }
    tools
}

fn attach(entry: Option<Entry>, variable: &str, path: &OsStr, tools: &mut Vec<Tool>) {
    let Some(entry) = entry else {
        note(variable, path, "it has no InitInjectionMstx");
        return;
    };
    if ATTACHED
        .lock()
        .contains(&caller::module_of(entry as *const () as usize))
    {
        return;
    }
    if tools.len() == MAX_TOOLS {
        note(
            variable,
            path,
            &format!("at most {MAX_TOOLS} tools can be attached"),
        );
        return;
    }
    // SAFETY: a symbol of this name is the entry of a tool.
    tools.extend(unsafe { Tool::attach(tools.len(), entry) });
}

/// The files of a list. A single file may have a colon in its name.
fn paths(list: OsString) -> Vec<OsString> {
    if Path::new(&list).exists() {
        return vec![list];
    }
    list.into_vec()
        .split(|&byte| byte == b':')
        .filter(|path| !path.is_empty())
        .map(|path| OsString::from_vec(path.to_vec()))
        .collect()
}

enum Opened {
    Missing(String),
    Ours,
    Theirs(Option<Entry>),
}

fn open(path: &OsStr) -> Opened {
    let Ok(name) = CString::new(path.as_bytes()) else {
        return Opened::Missing("its path contains a NUL".to_owned());
    };
    // The loader would block on a pipe.
    let is_path = path.as_bytes().contains(&b'/');
    if is_path && std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
        return Opened::Missing("it is not a regular file".to_owned());
    }
    // SAFETY: the name ends in a NUL. What the library does when it is loaded is what was asked for.
    let library = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) };
    if library.is_null() {
        return Opened::Missing(last_error());
    }
    match symbol(library) {
        Found::Nothing => Opened::Theirs(None),
        Found::Ours => Opened::Ours,
        Found::Theirs(entry) => Opened::Theirs(Some(entry)),
    }
}

fn own_place() -> usize {
    look as *const () as usize
}

/// A symbol of that name in what is loaded globally, other than our own.
fn global() -> Option<Entry> {
    [libc::RTLD_DEFAULT, libc::RTLD_NEXT]
        .into_iter()
        .find_map(|scope| match symbol(scope) {
            Found::Theirs(entry) => Some(entry),
            Found::Ours | Found::Nothing => None,
        })
}

enum Found {
    Nothing,
    Ours,
    Theirs(Entry),
}

/// The entry of a tool. Ours is recognised by its address, because its name is the same.
fn symbol(library: *mut c_void) -> Found {
    // SAFETY: the name ends in a NUL; the handle is the loader's.
    let symbol = unsafe { libc::dlsym(library, ENTRY.as_ptr()) };
    if symbol.is_null() {
        return Found::Nothing;
    }
    if caller::module_of(symbol.addr()) == caller::module_of(own_place()) {
        return Found::Ours;
    }
    // SAFETY: a symbol of this name has this type: that is the interface.
    Found::Theirs(unsafe { transmute::<*mut c_void, Entry>(symbol) })
}

fn last_error() -> String {
    // SAFETY: takes nothing, and returns a text of this thread or null.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return "it cannot be loaded".to_owned();
    }
    // SAFETY: not null, and it ends in a NUL.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}

/// Reports a tool that cannot be used. The program continues.
fn note(variable: &str, path: &OsStr, reason: &str) {
    drop(writeln!(
        std::io::stderr(),
        "millpond: note: cannot use {} in {variable} as an MSTX tool: {}",
        clean(&path.to_string_lossy()),
        clean(reason)
    ));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_has_colons_and_a_file_may_have_one_too() {
        let words = |list: &str| paths(OsString::from(list));
        assert_eq!(words("/a/b.so:/c.so"), ["/a/b.so", "/c.so"]);
        assert_eq!(words("libx.so"), ["libx.so"]);
        assert!(words("").is_empty() && words(":").is_empty());
        let folder = std::env::temp_dir().join("millpond:with:colons");
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(paths(folder.clone().into()), [folder.into_os_string()]);
    }
}
