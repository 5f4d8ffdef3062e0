//! Where the interpreter keeps the frames of a thread.
//!
//! That is different in every version, and no header says it. For some versions it is known, and believed if a walk
//! by it meets code objects with names and nothing else. For others it is looked for, once, while the
//! interpreter's lock is held: for frames that its interface names, whose code and place are known, the words around them
//! are searched for these. What was found is believed only if a walk by it gives what the interface gives,
//! frame by frame and line by line. That is how the table was made. All this reads through the kernel, so that what is no address does no harm.

use super::api::{Held, Interface, Owned};
use super::{At, Raw, word};
use crate::mstx::probe;

/// Bytes of a word.
const WORD: usize = size_of::<usize>();
/// Words that are searched of a thread's state, of a frame and of a code object.
const OF_THREAD: usize = 64;
const OF_FRAME: usize = 16;
const OF_CODE: usize = 40;
/// Instructions begin within so many bytes of a code object.
const OF_HEADER: usize = 1024;
/// Frames that are compared.
const COMPARED: usize = 32;

/// Of the versions that were looked at, by their second number.
const KNOWN: [(u32, Layout); 5] = [
    (9, Layout::of_objects()),
    (10, Layout::of_objects()),
    (11, Layout::of_frames((56, Some(8)), (32, 48), 184)),
    (12, Layout::of_frames((56, Some(0)), (0, 8), 192)),
    (13, Layout::of_frames((72, None), (0, 8), 200)),
];

/// Where things lie, in bytes from the beginning of what they are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// The innermost frame, in a thread's state: directly, or one pointer further.
    innermost: (usize, Option<usize>),
    /// In a frame.
    code: usize,
    previous: usize,
    place: Place,
    /// In a code object.
    file: usize,
    function: usize,
}

/// How a frame says where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    /// A pointer to an instruction, and where instructions begin in a code object.
    Pointer { at: usize, begin: usize },
    /// Frames are objects of their own, and the interface reads the line from them: up to 3.10.
    Object,
}

/// How a search ended.
pub(super) enum Answer {
    Learned(Layout),
    /// There are too few frames at this moment to be sure.
    TooFew,
    No,
}

/// Words of memory, if they are there.
fn words(address: usize, count: usize) -> Option<Vec<usize>> {
    if address == 0 || !address.is_multiple_of(WORD) {
        return None;
    }
    probe::read_array(std::ptr::with_exposed_provenance::<usize>(address), count)
}

/// Where a value is among the words of something, the last place first where there are several.
fn places(address: usize, count: usize, value: usize) -> impl DoubleEndedIterator<Item = usize> {
    let words = words(address, count).unwrap_or_default();
    let found: Vec<usize> = words
        .iter()
        .enumerate()
        .filter(|(_, word)| **word == value)
        .map(|(index, _)| index * WORD)
        .collect();
    found.into_iter()
}

impl Layout {
    /// Up to 3.10.
    const fn of_objects() -> Self {
        Self {
            innermost: (24, None),
            code: 32,
            previous: 24,
            place: Place::Object,
            file: 104,
            function: 112,
        }
    }

    /// Since 3.11: where the innermost frame is, its code and the frame before it, and where instructions begin.
    const fn of_frames(
        innermost: (usize, Option<usize>),
        (code, previous): (usize, usize),
        begin: usize,
    ) -> Self {
        Self {
            innermost,
            code,
            previous,
            place: Place::Pointer { at: 56, begin },
            file: 112,
            function: 128,
        }
    }

    /// What is known of this version, if this thread's frames are what it says.
    pub(super) fn known(interface: &Interface, thread: usize) -> Option<Self> {
        let version = interface.version();
        let (_, layout) = KNOWN.iter().find(|(known, _)| *known == version)?;
        layout.plausible(interface, thread).then_some(*layout)
    }

    /// Whether a walk meets code objects with names, and ends.
    fn plausible(&self, interface: &Interface, thread: usize) -> bool {
        let one = |address: usize| words(address, 1).map(|it| it[0]);
        let is = |object: usize, kind: usize| one(object.wrapping_add(WORD)) == Some(kind);
        let (at, further) = self.innermost;
        let first = one(thread + at).and_then(|found| match further {
            Some(further) => one(found.wrapping_add(further)),
            None => Some(found),
        });
        let Some(mut next) = first else { return false };
        let mut met = 0;
        for _ in 0..COMPARED {
            if next == 0 {
                break;
            }
            let (Some(code), Some(back)) = (
                one(next.wrapping_add(self.code)),
                one(next.wrapping_add(self.previous)),
            ) else {
                return false;
            };
            next = back;
            // What marks a call of C may have something else there.
            if !is(code, interface.code_type()) {
                continue;
            }
            let named = [self.file, self.function]
                .into_iter()
                .all(|name| one(code + name).is_some_and(|text| is(text, interface.text_type())));
            if !named {
                return false;
            }
            met += 1;
        }
        met > 0
    }

    /// Looks where the frames of this thread lie.
    pub(super) fn learn(held: &Held, thread: usize) -> Answer {
        if held.is_failing() {
            return Answer::TooFew;
        }
        let frames = held.frames(COMPARED);
        if frames.len() < 3 {
            return Answer::TooFew;
        }
        match Self::search(held, thread, &frames) {
            Some(layout) if layout.holds(held, thread, &frames) => Answer::Learned(layout),
            _ => Answer::No,
        }
    }

    fn search(held: &Held, thread: usize, frames: &[(Owned<'_>, Owned<'_>)]) -> Option<Self> {
        let [(first, code), (second, _), ..] = frames else {
            return None;
        };
        let address = code.address();
        let file = held.attribute(code, c"co_filename")?;
        let file = places(address, OF_CODE, file.address()).next()?;
        let function = held.attribute(code, c"co_qualname");
        let function = function.or_else(|| held.attribute(code, c"co_name"))?;
        // Both names may be one object; the longer one comes last.
        let function = places(address, OF_CODE, function.address()).next_back()?;
        let whole = |innermost, code, previous, place| Self {
            innermost,
            code,
            previous,
            place,
            file,
            function,
        };
        // Up to 3.10 the object is the frame.
        if let Some(innermost) = innermost(thread, first.address())
            && let Some(at) = places(first.address(), OF_FRAME, address).next()
            && let Some(previous) = places(first.address(), OF_FRAME, second.address()).next()
        {
            return Some(whole(innermost, at, previous, Place::Object));
        }
        // Since then it leads to the frame.
        let inner = |frame: &Owned<'_>, at: usize| {
            let words = words(frame.address(), OF_FRAME)?;
            words.get(at / WORD).copied()
        };
        for link in (2 * WORD..6 * WORD).step_by(WORD) {
            let Some(frame) = inner(first, link) else {
                continue;
            };
            let Some(at) = places(frame, OF_FRAME, address).next() else {
                continue;
            };
            let Some(innermost) = innermost(thread, frame) else {
                continue;
            };
            let behind = inner(second, link)?;
            let previous = (0..OF_FRAME).map(|index| index * WORD).find(|&previous| {
                let next = words(frame + previous, 1).map(|it| it[0]);
                let direct = next == Some(behind);
                // There may be one between them that marks a call of C.
                let between = next.and_then(|next| words(next.wrapping_add(previous), 1));
                direct || between.is_some_and(|it| it[0] == behind)
            })?;
            let place = place(held, frames, |frame| inner(frame, link))?;
            return Some(whole(innermost, at, previous, place));
        }
        None
    }

    /// Whether a walk gives what the interface does.
    fn holds(&self, held: &Held, thread: usize, frames: &[(Owned<'_>, Owned<'_>)]) -> bool {
        let mut next = self.first(thread);
        for (frame, code) in frames {
            // Those that mark a call of C have code of their own, or none.
            let mut found = None;
            for _ in 0..3 {
                let (Some(own), Some(back)) = (
                    words(next.wrapping_add(self.code), 1).map(|it| it[0]),
                    words(next.wrapping_add(self.previous), 1).map(|it| it[0]),
                ) else {
                    return false;
                };
                let here = next;
                next = back;
                if own == code.address() {
                    found = Some(here);
                    break;
                }
            }
            let Some(here) = found else { return false };
            // A walk knows code objects by their type, which interpreters without a lock have elsewhere.
            let kind = words(code.address() + WORD, 1).map(|it| it[0]);
            if kind != Some(held.interface.code_type()) {
                return false;
            }
            let line = match self.at(here, code.address()) {
                Some(At::Offset(offset)) => held.interface.line(code.address(), offset),
                Some(At::Line(line)) => line,
                None => return false,
            };
            if matches!(self.place, Place::Pointer { .. }) && line != held.line(frame) {
                return false;
            }
        }
        true
    }

    /// The innermost frame of a thread.
    fn first(&self, thread: usize) -> usize {
        let (at, further) = self.innermost;
        let found = word(thread + at);
        match further {
            Some(further) if found != 0 => word(found + further),
            _ => found,
        }
    }

    /// The frames of this thread, the innermost first.
    pub(super) fn walk(&self, interface: &Interface, thread: usize, most: usize) -> Vec<Raw> {
        let mut found = Vec::with_capacity(16);
        let mut next = self.first(thread);
        while next != 0 && found.len() < most {
            let code = word(next + self.code);
            // The mark of a call of C may have something else in its place.
            if code != 0
                && code.is_multiple_of(WORD)
                && word(code + WORD) == interface.code_type()
                && let Some(at) = self.at(next, code)
            {
                let at = match at {
                    At::Line(_) => At::Line(interface.line_of_frame(next)),
                    offset @ At::Offset(_) => offset,
                };
                found.push(Raw { code, at });
            }
            next = word(next + self.previous);
        }
        found
    }

    /// Where a frame is.
    fn at(&self, frame: usize, code: usize) -> Option<At> {
        match self.place {
            Place::Object => Some(At::Line(0)),
            Place::Pointer { at, begin } => {
                let offset = word(frame + at).checked_sub(code + begin);
                // A frame that has not begun stands before its first instruction.
                offset.map_or(Some(At::Offset(0)), |offset| Some(At::Offset(offset)))
            }
        }
    }

    /// What tells a code object apart from another that lies there later.
    pub(super) fn mark(&self, code: usize) -> [usize; 3] {
        [
            word(code + self.file),
            word(code + self.function),
            word(code + self.function + WORD),
        ]
    }

    /// Function and file of a code object.
    pub(super) fn names(&self, interface: &Interface, code: usize) -> (String, String) {
        let function = interface.text(word(code + self.function));
        (function, interface.text(word(code + self.file)))
    }
}

/// Where a thread's state leads to its innermost frame.
fn innermost(thread: usize, frame: usize) -> Option<(usize, Option<usize>)> {
    if let Some(at) = places(thread, OF_THREAD, frame).next() {
        return Some((at, None));
    }
    let state = words(thread, OF_THREAD)?;
    state.iter().enumerate().find_map(|(index, &next)| {
        let there = places(next, 2, frame).next()?;
        Some((index * WORD, Some(there)))
    })
}

/// Where frames point to their instructions: the distance from the code object is one for all of them.
fn place(
    held: &Held,
    frames: &[(Owned<'_>, Owned<'_>)],
    inner: impl Fn(&Owned<'_>) -> Option<usize>,
) -> Option<Place> {
    let mut known: Option<Vec<(usize, usize)>> = None;
    for (frame, code) in frames {
        let last = held.number(frame, c"f_lasti")?;
        let words = words(inner(frame)?, OF_FRAME)?;
        let possible = words.iter().enumerate().filter_map(|(index, &word)| {
            let begin = word.checked_sub(code.address())?.checked_sub(last)?;
            (begin > 0 && begin < OF_HEADER).then_some((index * WORD, begin))
        });
        let possible: Vec<_> = possible.collect();
        known = Some(match known {
            None => possible,
            Some(before) => before
                .into_iter()
                .filter(|it| possible.contains(it))
                .collect(),
        });
    }
    match known?[..] {
        [(at, begin)] => Some(Place::Pointer { at, begin }),
        _ => None,
    }
}
