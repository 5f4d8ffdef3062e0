//! Frames of a Python script in a process whose calls come from another extension, such as PyTorch's.
//!
//! Our own extension supplies its frames (`provider`). Others do not know of us, and most of them release the
//! interpreter's lock (GIL) before they call, so the interpreter's API cannot be used. But while a thread is
//! inside such a call, its frames do not change and the objects they refer to stay alive. So they are read directly from
//! memory. The layout is known for the versions that were examined, and searched for in others (`layout`). If
//! neither works, only calls that hold the GIL have frames.
//!
//! PyTorch computes gradients on threads of its own, where no script runs. They work while the script's main thread waits in
//! `backward()`. Their stack is a frame that says so, followed by the last known stack of the main thread.
//!
//! Invariant: nothing here waits for the GIL. A thread that calls us may hold other locks, and a thread that holds the GIL
//! may wait for those.
#![expect(unsafe_code, reason = "reads the interpreter's memory")]

mod api;
mod layout;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond_trace::{StackRef, Tap};
use parking_lot::Mutex;

use self::api::{Gil, Interface};
use self::layout::{Layout, SearchResult};
use crate::numbers::{self, ScriptFrame};
use crate::{MOST_FRAMES, epoch};

/// How many functions' names a thread remembers before it starts over.
const MOST_NAMES: usize = 1 << 14;
/// The most different texts that are stored. Further ones are empty.
const MOST_TEXTS: usize = 1 << 16;
/// How many lines of a function are remembered.
const MOST_LINES: usize = 64;
/// How often the search for the layout may fail before it is given up.
const TRIES: u32 = 64;

static LAYOUT: OnceLock<Layout> = OnceLock::new();
static TRIED: AtomicU32 = AtomicU32::new(0);
/// Interned texts: equal texts have the same address.
static TEXTS: Mutex<Option<HashSet<&'static CStr>>> = Mutex::new(None);

/// The last known stack of the main thread.
static MAIN: Mutex<Vec<ScriptFrame>> = Mutex::new(Vec::new());
/// What the names of PyTorch's autograd threads begin with.
const AUTOGRAD: &[u8] = b"pt_autograd_";
/// The frame of such a thread. The main thread's frames follow.
const IN_BACKWARD: ScriptFrame = ScriptFrame {
    function: c"(autograd thread, called from)",
    file: c"",
    line: 0,
};

thread_local! {
    static ROLE: Cell<Option<Role>> = const { Cell::new(None) };
    static NAMES: RefCell<HashMap<usize, CodeNames>> = RefCell::new(HashMap::new());
}

/// What a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Main,
    Autograd,
    Other,
}

impl Role {
    fn of_thread() -> Self {
        ROLE.try_with(|role| {
            let known = role.get().unwrap_or_else(Self::find);
            role.set(Some(known));
            known
        })
        .unwrap_or(Self::Other)
    }

    fn find() -> Self {
        // SAFETY: takes nothing and cannot fail.
        let thread = unsafe { libc::gettid() };
        // SAFETY: as above.
        let process = unsafe { libc::getpid() };
        if thread == process {
            return Self::Main;
        }
        let mut name = [0_u8; 16];
        // SAFETY: the kernel writes a name of at most 16 bytes.
        let result = unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
        if result == 0 && name.starts_with(AUTOGRAD) {
            return Self::Autograd;
        }
        Self::Other
    }
}

/// The names of a code object.
struct CodeNames {
    /// Words that differ if another code object is at this address later.
    fingerprint: [usize; 3],
    function: &'static CStr,
    file: &'static CStr,
    /// Whether it belongs to an installed package and not to the program.
    library: bool,
    /// Lines by offset into its instructions.
    lines: Vec<(usize, u32)>,
}

/// A frame as read from memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RawFrame {
    pub(super) code: usize,
    pub(super) at: At,
}

/// Where a frame executes: the offset into its instructions, or its line if only that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Offset(usize),
    Line(u32),
}

/// The number of this thread's Python stack; `None` if no script runs on it or its frames cannot be read.
pub(crate) fn number(depth: usize, tap: &Tap) -> Option<StackRef> {
    let interface = Interface::get()?;
    let role = Role::of_thread();
    let frames = match frames(interface, depth) {
        Some(frames) => frames,
        None if role == Role::Autograd => {
            let main = MAIN.lock();
            let backward = std::iter::once(IN_BACKWARD).chain(main.iter().copied());
            backward.take(depth.max(2)).collect()
        }
        None => return None,
    };
    if role == Role::Main {
        let mut main = MAIN.lock();
        main.clear();
        main.extend_from_slice(&frames);
    }
    (frames.len() > usize::from(role == Role::Autograd))
        .then(|| numbers::number_script(&frames, epoch(), tap))
}

/// The interpreter's state of this thread, 0 if it has none; `None` if no interpreter was found yet. May be called in a
/// signal handler: it only reads.
pub(crate) fn this_thread() -> Option<usize> {
    Interface::known().map(|interface| interface.thread().unwrap_or(0))
}

/// The number of the stack of another thread, which is stopped meanwhile.
pub(crate) fn number_of(thread: usize, depth: usize, tap: &Tap) -> Option<StackRef> {
    let interface = Interface::get().filter(|_| thread != 0)?;
    if LAYOUT.get().is_none()
        && let Some(layout) = Layout::known(interface, thread)
    {
        LAYOUT.get_or_init(|| layout);
    }
    let raw = LAYOUT.get()?.walk(interface, thread, MOST_FRAMES);
    // That thread may hold the GIL; this one may not.
    let frames = names_of(&raw, interface, None, depth)?;
    Some(numbers::number_script(&frames, epoch(), tap))
}

/// The frames of this thread; `None` if no script runs on it or its frames cannot be read.
fn frames(interface: &'static Interface, depth: usize) -> Option<Vec<ScriptFrame>> {
    let thread = interface.thread()?;
    let layout = LAYOUT.get().or_else(|| find_layout(interface, thread));
    let raw = match layout {
        Some(layout) => layout.walk(interface, thread, MOST_FRAMES),
        None => Gil::held(interface, thread)?.walk(MOST_FRAMES),
    };
    let gil = Gil::held(interface, thread);
    names_of(&raw, interface, gil.as_ref(), depth)
}

/// Frames with their names, as many as are wanted.
fn names_of(
    raw: &[RawFrame],
    interface: &'static Interface,
    gil: Option<&Gil>,
    depth: usize,
) -> Option<Vec<ScriptFrame>> {
    let layout = LAYOUT.get();
    let found = NAMES.try_with(|names| {
        let names = &mut *names.try_borrow_mut().ok()?;
        let mut frames = Vec::with_capacity(raw.len());
        for frame in raw {
            frames.extend(named(*frame, names, interface, layout, gil));
        }
        Some(choose(&frames, depth))
    });
    let frames = found.ok().flatten()?;
    (!frames.is_empty()).then_some(frames)
}

#[cold]
fn find_layout(interface: &'static Interface, thread: usize) -> Option<&'static Layout> {
    if TRIED.load(Ordering::Relaxed) >= TRIES {
        return None;
    }
    if let Some(layout) = Layout::known(interface, thread) {
        return Some(LAYOUT.get_or_init(|| layout));
    }
    match Layout::search(&Gil::held(interface, thread)?, thread) {
        SearchResult::Found(layout) => return Some(LAYOUT.get_or_init(|| layout)),
        SearchResult::TooFewFrames => {}
        SearchResult::NotFound => {
            TRIED.fetch_add(1, Ordering::Relaxed);
        }
    }
    None
}

/// The names of a frame, and whether it belongs to a library.
fn named(
    frame: RawFrame,
    names: &mut HashMap<usize, CodeNames>,
    interface: &Interface,
    layout: Option<&Layout>,
    gil: Option<&Gil>,
) -> Option<(ScriptFrame, bool)> {
    let fingerprint = layout.map_or([0; 3], |layout| layout.fingerprint(frame.code));
    let cached = names.get(&frame.code);
    let known = cached.is_some_and(|it| it.fingerprint == fingerprint);
    if !known || layout.is_none() {
        let (function, file) = match (layout, gil) {
            (Some(layout), _) => layout.names(interface, frame.code),
            (None, Some(gil)) => gil.names(frame.code),
            (None, None) => return None,
        };
        if names.len() >= MOST_NAMES {
            names.clear();
        }
        let library = is_library(&file);
        let code = CodeNames {
            fingerprint,
            function: intern(function),
            file: intern(file),
            library,
            lines: Vec::new(),
        };
        names.insert(frame.code, code);
    }
    let known = names.get_mut(&frame.code)?;
    let line = match frame.at {
        At::Line(line) => line,
        At::Offset(offset) => {
            let seen = known.lines.iter().find(|(at, _)| *at == offset);
            let line = seen.map_or_else(|| interface.line(frame.code, offset), |(_, line)| *line);
            if seen.is_none() && known.lines.len() < MOST_LINES {
                known.lines.push((offset, line));
            }
            line
        }
    };
    // The interpreter's mark for a call from C.
    if known.function.to_bytes().starts_with(b"<interpreter") {
        return None;
    }
    let named = ScriptFrame {
        function: known.function,
        file: known.file,
        line,
    };
    Some((named, known.library))
}

/// Whether a file belongs to an installed package or the interpreter, and not to the program.
fn is_library(file: &str) -> bool {
    file.starts_with("<frozen")
        || ["/site-packages/", "/dist-packages/"]
            .iter()
            .any(|folder| file.contains(folder))
        || file
            .split_once("/lib/python3.")
            .is_some_and(|(_, rest)| rest.contains('/'))
}

/// At most `depth` frames. If there are more, the program's own frames go first, because there can be many library frames
/// between two of them. The innermost frame is always included.
fn choose(frames: &[(ScriptFrame, bool)], depth: usize) -> Vec<ScriptFrame> {
    let own = |index: usize, library: bool| index == 0 || !library;
    let own_frames = frames.iter().enumerate();
    let own_frames = own_frames
        .filter(|(index, (_, library))| own(*index, *library))
        .count();
    let mut room = depth.saturating_sub(own_frames);
    let mut found = Vec::with_capacity(depth.min(frames.len()));
    for (index, (frame, library)) in frames.iter().enumerate() {
        if found.len() == depth {
            break;
        }
        if own(index, *library) {
            found.push(*frame);
        } else if room > 0 {
            room -= 1;
            found.push(*frame);
        }
    }
    found
}

/// A text that lives as long as the process.
fn intern(text: String) -> &'static CStr {
    let text = CString::new(text).unwrap_or_default();
    let mut texts = TEXTS.lock();
    let texts = texts.get_or_insert_default();
    if let Some(&known) = texts.get(text.as_c_str()) {
        return known;
    }
    if texts.len() >= MOST_TEXTS {
        return c"";
    }
    let interned: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(interned);
    interned
}

/// A word of memory that is known to be mapped.
fn word(address: usize) -> usize {
    let place = std::ptr::with_exposed_provenance::<usize>(address);
    // SAFETY: callers pass fields of this thread's frames and of the code objects that these run, by a layout that was
    // verified. They are alive and do not change while the thread is inside this call.
    unsafe { place.read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(line: u32, library: bool) -> (ScriptFrame, bool) {
        let named = ScriptFrame {
            function: c"f",
            file: c"f.py",
            line,
        };
        (named, library)
    }

    fn lines(frames: &[(ScriptFrame, bool)], depth: usize) -> Vec<u32> {
        choose(frames, depth).iter().map(|it| it.line).collect()
    }

    #[test]
    fn the_programs_own_lines_are_not_pushed_out_by_those_of_libraries() {
        let frames = [
            frame(1, true),
            frame(2, true),
            frame(3, false),
            frame(4, true),
            frame(5, true),
            frame(6, false),
        ];
        assert_eq!(lines(&frames, 8), [1, 2, 3, 4, 5, 6]);
        assert_eq!(lines(&frames, 4), [1, 2, 3, 6]);
        assert_eq!(lines(&frames, 3), [1, 3, 6]);
        assert_eq!(lines(&frames, 1), [1]);
        assert!(lines(&[], 3).is_empty());
    }

    #[test]
    fn installed_packages_are_libraries_and_scripts_are_not() {
        for (file, library) in [
            (
                "/home/me/env/lib/python3.11/site-packages/torch/nn/modules/module.py",
                true,
            ),
            ("/usr/lib/python3/dist-packages/numpy/__init__.py", true),
            ("/usr/lib/python3.12/contextlib.py", true),
            ("<frozen importlib._bootstrap>", true),
            ("/home/me/train.py", false),
            ("<string>", false),
        ] {
            assert_eq!(is_library(file), library, "{file}");
        }
    }
}
