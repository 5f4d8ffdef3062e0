//! Frames of a Python script in a process whose calls come from somebody else's extension, such as PyTorch's.
//!
//! Our own extension says where its calls come from (`frames`). Others do not know of us, and most of them let the
//! interpreter's lock go before they call, so that its interface may not be used. But while a thread is
//! inside such a call nobody changes its own frames, and what they name stays alive. So they are read where
//! they lie. Where that is, is known for the versions that were looked at, and looked for in others (`layout`). With
//! an interpreter where neither helps frames are known only to calls that hold the lock.
//!
//! PyTorch computes gradients on threads of its own, where no script is. They work while the script's main thread stands in the call
//! that asked for it; so they are told with the line at which that was seen last, and that this is so.
//!
//! What must always hold: nothing here waits for the interpreter's lock. Threads that call us hold locks of
//! their own, and others that hold the interpreter's may wait for those.
#![expect(unsafe_code, reason = "reads what the interpreter has in memory")]

mod api;
mod layout;

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::ffi::{CStr, CString};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use millpond::trace::StackRef;
use parking_lot::Mutex;

use self::api::{Held, Interface};
use self::layout::{Answer, Layout};
use super::stacks::{self, Named};
use super::{EPOCH, MOST_FRAMES};

/// Functions of which a thread remembers the names. Then it begins anew.
const MOST_NAMES: usize = 1 << 14;
/// Different texts that are kept. Later ones are empty.
const MOST_TEXTS: usize = 1 << 16;
/// Lines of a function that are remembered.
const MOST_LINES: usize = 64;
/// So often it is tried to learn where frames lie.
const TRIES: u32 = 64;

static LAYOUT: OnceLock<Layout> = OnceLock::new();
static TRIED: AtomicU32 = AtomicU32::new(0);
/// The same text has the same address.
static TEXTS: Mutex<Option<HashSet<&'static CStr>>> = Mutex::new(None);

/// The stack that the main thread was last seen with.
static MAIN: Mutex<Vec<Named>> = Mutex::new(Vec::new());
/// How PyTorch's threads for gradients are called.
const GRADIENTS: &[u8] = b"pt_autograd_";
/// What stands in place of the frames of such a thread.
const IN_BACKWARD: Named = Named {
    function: c"(a thread of autograd, for)",
    file: c"",
    line: 0,
};

thread_local! {
    static ROLE: Cell<Option<Role>> = const { Cell::new(None) };
    static NAMES: RefCell<HashMap<usize, Known>> = RefCell::new(HashMap::new());
}

/// What a thread is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    Main,
    Gradients,
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
        let told = unsafe { libc::prctl(libc::PR_GET_NAME, name.as_mut_ptr()) };
        if told == 0 && name.starts_with(GRADIENTS) {
            return Self::Gradients;
        }
        Self::Other
    }
}

/// What is known of a code object.
struct Known {
    /// What told it apart from another that came to lie there later.
    mark: [usize; 3],
    function: &'static CStr,
    file: &'static CStr,
    /// Whether it belongs to a package that is installed, and not to the program.
    library: bool,
    /// Lines by place in its instructions.
    lines: Vec<(usize, u32)>,
}

/// A frame as it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Raw {
    pub(super) code: usize,
    /// Where in its instructions the frame is, or its line if that is all that is known.
    pub(super) at: At,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum At {
    Offset(usize),
    Line(u32),
}

/// The number of this thread's stack of Python; `None` if no script is on it, or nobody may look.
pub(super) fn number(depth: usize) -> Option<StackRef> {
    let interface = Interface::get()?;
    let role = Role::of_thread();
    let frames = match frames(interface, depth) {
        Some(frames) => frames,
        None if role == Role::Gradients => {
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
    (frames.len() > usize::from(role == Role::Gradients))
        .then(|| stacks::number_named(&frames, EPOCH.load(Ordering::Relaxed)))
}

/// What the interpreter knows this thread by, 0 where it does not; `None` where none was found yet. Called in a
/// signal handler: reads, and looks for nothing.
pub(super) fn this_thread() -> Option<usize> {
    Interface::known().map(|interface| interface.thread().unwrap_or(0))
}

/// The number of the stack of another thread, which stands still.
pub(super) fn number_of(thread: usize, depth: usize) -> Option<StackRef> {
    let interface = Interface::get().filter(|_| thread != 0)?;
    if LAYOUT.get().is_none()
        && let Some(layout) = Layout::known(interface, thread)
    {
        LAYOUT.get_or_init(|| layout);
    }
    let raw = LAYOUT.get()?.walk(interface, thread, MOST_FRAMES);
    // The lock may be that thread's, which is not to say that it is ours.
    let frames = names_of(&raw, interface, None, depth)?;
    Some(stacks::number_named(&frames, EPOCH.load(Ordering::Relaxed)))
}

/// The frames of this thread; `None` if no script is on it, or nobody may look.
fn frames(interface: &'static Interface, depth: usize) -> Option<Vec<Named>> {
    let thread = interface.thread()?;
    let layout = LAYOUT.get().or_else(|| learn(interface, thread));
    let raw = match layout {
        Some(layout) => layout.walk(interface, thread, MOST_FRAMES),
        None => Held::by(interface, thread)?.walk(MOST_FRAMES),
    };
    let held = Held::by(interface, thread);
    names_of(&raw, interface, held.as_ref(), depth)
}

/// Frames with their names, as many as are wanted.
fn names_of(
    raw: &[Raw],
    interface: &'static Interface,
    held: Option<&Held>,
    depth: usize,
) -> Option<Vec<Named>> {
    let layout = LAYOUT.get();
    let found = NAMES.try_with(|names| {
        let names = &mut *names.try_borrow_mut().ok()?;
        let mut frames = Vec::with_capacity(raw.len());
        for frame in raw {
            frames.extend(named(*frame, names, interface, layout, held));
        }
        Some(chosen(&frames, depth))
    });
    let frames = found.ok().flatten()?;
    (!frames.is_empty()).then_some(frames)
}

#[cold]
fn learn(interface: &'static Interface, thread: usize) -> Option<&'static Layout> {
    if TRIED.load(Ordering::Relaxed) >= TRIES {
        return None;
    }
    if let Some(layout) = Layout::known(interface, thread) {
        return Some(LAYOUT.get_or_init(|| layout));
    }
    match Layout::learn(&Held::by(interface, thread)?, thread) {
        Answer::Learned(layout) => return Some(LAYOUT.get_or_init(|| layout)),
        Answer::TooFew => {}
        Answer::No => {
            TRIED.fetch_add(1, Ordering::Relaxed);
        }
    }
    None
}

/// The names of a frame, and whether it is a library's.
fn named(
    frame: Raw,
    names: &mut HashMap<usize, Known>,
    interface: &Interface,
    layout: Option<&Layout>,
    held: Option<&Held>,
) -> Option<(Named, bool)> {
    let mark = layout.map_or([0; 3], |layout| layout.mark(frame.code));
    let known = names.get(&frame.code).is_some_and(|it| it.mark == mark);
    if !known || layout.is_none() {
        let (function, file) = match (layout, held) {
            (Some(layout), _) => layout.names(interface, frame.code),
            (None, Some(held)) => held.names(frame.code),
            (None, None) => return None,
        };
        if names.len() >= MOST_NAMES {
            names.clear();
        }
        let library = is_library(&file);
        let function = Known {
            mark,
            function: kept(function),
            file: kept(file),
            library,
            lines: Vec::new(),
        };
        names.insert(frame.code, function);
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
    // How the interpreter marks that C begins here.
    if known.function.to_bytes().starts_with(b"<interpreter") {
        return None;
    }
    let named = Named {
        function: known.function,
        file: known.file,
        line,
    };
    Some((named, known.library))
}

/// Whether a file is of an installed package or of the interpreter, and not the program's own.
fn is_library(file: &str) -> bool {
    file.starts_with("<frozen")
        || ["/site-packages/", "/dist-packages/"]
            .iter()
            .any(|folder| file.contains(folder))
        || file
            .split_once("/lib/python3.")
            .is_some_and(|(_, rest)| rest.contains('/'))
}

/// As many frames as are wanted. If there are more, the program's own come before those of libraries, which
/// can be many between two lines of it; the innermost stays in any case.
fn chosen(frames: &[(Named, bool)], depth: usize) -> Vec<Named> {
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

/// A text that lives for ever.
fn kept(text: String) -> &'static CStr {
    let text = CString::new(text).unwrap_or_default();
    let mut texts = TEXTS.lock();
    let texts = texts.get_or_insert_default();
    if let Some(&known) = texts.get(text.as_c_str()) {
        return known;
    }
    if texts.len() >= MOST_TEXTS {
        return c"";
    }
    let kept: &'static CStr = Box::leak(text.into_boxed_c_str());
    texts.insert(kept);
    kept
}

/// A word of memory that is known to be there.
fn word(address: usize) -> usize {
    let place = std::ptr::with_exposed_provenance::<usize>(address);
    // SAFETY: callers name fields of this thread's own frames, and of the code that these run, at the places that the
    // interpreter has shown. They are alive and stay as they are while the thread is inside this call.
    unsafe { place.read_volatile() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(line: u32, library: bool) -> (Named, bool) {
        let named = Named {
            function: c"f",
            file: c"f.py",
            line,
        };
        (named, library)
    }

    fn lines(frames: &[(Named, bool)], depth: usize) -> Vec<u32> {
        chosen(frames, depth).iter().map(|it| it.line).collect()
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
