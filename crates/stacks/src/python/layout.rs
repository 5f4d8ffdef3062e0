//! Where the interpreter keeps the frames of a thread.
//!
//! The layout differs between versions and no header describes it. For the versions in [`KNOWN`] it is taken from the table, and
//! accepted if a walk by it meets only code objects with names. For others it is searched for while the GIL is
//! held: the API names the frames with their code objects and instruction offsets, and the words around them are searched for
//! those values. What was found is accepted only if a walk by it gives the same frames and lines as the API. The table was made
//! by this search. All of it reads through the kernel (`probe`), so that a wrong guess cannot crash the process.

use super::api::{Gil, Interface, Owned};
use super::{At, RawFrame, word};
use crate::probe;

/// Bytes of a word.
const WORD: usize = size_of::<usize>();
/// How many words of a thread's state, of a frame and of a code object are searched.
const OF_THREAD: usize = 64;
const OF_FRAME: usize = 16;
const OF_CODE: usize = 40;
/// Instructions begin within this many bytes of a code object.
const OF_HEADER: usize = 1024;
/// The most frames that are compared.
const COMPARED: usize = 32;

/// The layouts of versions that were examined, by minor version.
const KNOWN: [(u32, Layout); 5] = [
    (9, Layout::of_objects()),
    (10, Layout::of_objects()),
    (11, Layout::of_frames((56, Some(8)), (32, 48), 184)),
    (12, Layout::of_frames((56, Some(0)), (0, 8), 192)),
    (13, Layout::of_frames((72, None), (0, 8), 200)),
];

/// Offsets in bytes into the structures of the interpreter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Layout {
    /// In a thread's state: the pointer to the innermost frame, or to a structure that has this pointer.
    innermost: (usize, Option<usize>),
    /// In a frame.
    code: usize,
    previous: usize,
    instruction: Instruction,
    /// In a code object.
    file: usize,
    function: usize,
}

/// How to find where a frame executes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Instruction {
    /// The frame has a pointer to an instruction; `begin` is where instructions begin in a code object.
    Pointer { at: usize, begin: usize },
    /// Frames are objects, and the API reads the line from them: up to 3.10.
    Object,
}

/// How a search ended.
pub(super) enum SearchResult {
    Found(Layout),
    /// This thread has too few frames to be sure. Worth another try later.
    TooFewFrames,
    NotFound,
}

/// Words of memory, if they are mapped.
fn words(address: usize, count: usize) -> Option<Vec<usize>> {
    if address == 0 || !address.is_multiple_of(WORD) {
        return None;
    }
    probe::read_array(std::ptr::with_exposed_provenance::<usize>(address), count)
}

/// The offsets at which a structure of `count` words has a value.
fn offsets_of(
    address: usize,
    count: usize,
    value: usize,
) -> impl DoubleEndedIterator<Item = usize> {
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
            instruction: Instruction::Object,
            file: 104,
            function: 112,
        }
    }

    /// Since 3.11: the innermost frame, a frame's code and caller, and where instructions begin.
    const fn of_frames(
        innermost: (usize, Option<usize>),
        (code, previous): (usize, usize),
        begin: usize,
    ) -> Self {
        Self {
            innermost,
            code,
            previous,
            instruction: Instruction::Pointer { at: 56, begin },
            file: 112,
            function: 128,
        }
    }

    /// The layout of this version from the table, if this thread's frames agree with it.
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
            // The mark of a call from C may have something else there.
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

    /// Searches for the frames of this thread.
    pub(super) fn search(gil: &Gil, thread: usize) -> SearchResult {
        if gil.is_failing() {
            return SearchResult::TooFewFrames;
        }
        let frames = gil.frames(COMPARED);
        if frames.len() < 3 {
            return SearchResult::TooFewFrames;
        }
        match Self::candidate(gil, thread, &frames) {
            Some(layout) if layout.agrees(gil, thread, &frames) => SearchResult::Found(layout),
            _ => SearchResult::NotFound,
        }
    }

    fn candidate(gil: &Gil, thread: usize, frames: &[(Owned<'_>, Owned<'_>)]) -> Option<Self> {
        let [(first, code), (second, _), ..] = frames else {
            return None;
        };
        let address = code.address();
        let file = gil.attribute(code, c"co_filename")?;
        let file = offsets_of(address, OF_CODE, file.address()).next()?;
        let function = gil.attribute(code, c"co_qualname");
        let function = function.or_else(|| gil.attribute(code, c"co_name"))?;
        // Both names may be one object; the longer one comes last.
        let function = offsets_of(address, OF_CODE, function.address()).next_back()?;
        let whole = |innermost, code, previous, instruction| Self {
            innermost,
            code,
            previous,
            instruction,
            file,
            function,
        };
        // Up to 3.10 the object is the frame.
        if let Some(innermost) = innermost(thread, first.address())
            && let Some(at) = offsets_of(first.address(), OF_FRAME, address).next()
            && let Some(previous) = offsets_of(first.address(), OF_FRAME, second.address()).next()
        {
            return Some(whole(innermost, at, previous, Instruction::Object));
        }
        // Since 3.11 the object points to the frame.
        let inner = |frame: &Owned<'_>, at: usize| {
            let words = words(frame.address(), OF_FRAME)?;
            words.get(at / WORD).copied()
        };
        for link in (2 * WORD..6 * WORD).step_by(WORD) {
            let Some(frame) = inner(first, link) else {
                continue;
            };
            let Some(at) = offsets_of(frame, OF_FRAME, address).next() else {
                continue;
            };
            let Some(innermost) = innermost(thread, frame) else {
                continue;
            };
            let behind = inner(second, link)?;
            let previous = (0..OF_FRAME).map(|index| index * WORD).find(|&previous| {
                let next = words(frame + previous, 1).map(|it| it[0]);
                let direct = next == Some(behind);
                // There may be a mark of a call from C between them.
                let between = next.and_then(|next| words(next.wrapping_add(previous), 1));
                direct || between.is_some_and(|it| it[0] == behind)
            })?;
            let instruction = find_instruction(gil, frames, |frame| inner(frame, link))?;
            return Some(whole(innermost, at, previous, instruction));
        }
        None
    }

    /// Whether a walk gives the same frames and lines as the API.
    fn agrees(&self, gil: &Gil, thread: usize, frames: &[(Owned<'_>, Owned<'_>)]) -> bool {
        let mut next = self.first(thread);
        for (frame, code) in frames {
            // Marks of calls from C have code of their own, or none.
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
            // A walk recognises code objects by their type, which free-threaded interpreters store elsewhere.
            let kind = words(code.address() + WORD, 1).map(|it| it[0]);
            if kind != Some(gil.interface.code_type()) {
                return false;
            }
            let line = match self.at(here, code.address()) {
                Some(At::Offset(offset)) => gil.interface.line(code.address(), offset),
                Some(At::Line(line)) => line,
                None => return false,
            };
            if matches!(self.instruction, Instruction::Pointer { .. }) && line != gil.line(frame) {
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

    /// The frames of this thread, innermost first.
    pub(super) fn walk(&self, interface: &Interface, thread: usize, most: usize) -> Vec<RawFrame> {
        let mut found = Vec::with_capacity(16);
        let mut next = self.first(thread);
        while next != 0 && found.len() < most {
            let code = word(next + self.code);
            // The mark of a call from C may have something else there.
            if code != 0
                && code.is_multiple_of(WORD)
                && word(code + WORD) == interface.code_type()
                && let Some(at) = self.at(next, code)
            {
                let at = match at {
                    At::Line(_) => At::Line(interface.line_of_frame(next)),
                    offset @ At::Offset(_) => offset,
                };
                found.push(RawFrame { code, at });
            }
            next = word(next + self.previous);
        }
        found
    }

    /// Where a frame executes.
    fn at(&self, frame: usize, code: usize) -> Option<At> {
        match self.instruction {
            Instruction::Object => Some(At::Line(0)),
            Instruction::Pointer { at, begin } => {
                let offset = word(frame + at).checked_sub(code + begin);
                // A frame that has not begun points before its first instruction.
                offset.map_or(Some(At::Offset(0)), |offset| Some(At::Offset(offset)))
            }
        }
    }

    /// Words that differ if another code object is at this address later.
    pub(super) fn fingerprint(&self, code: usize) -> [usize; 3] {
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

/// How a thread's state leads to its innermost frame.
fn innermost(thread: usize, frame: usize) -> Option<(usize, Option<usize>)> {
    if let Some(at) = offsets_of(thread, OF_THREAD, frame).next() {
        return Some((at, None));
    }
    let state = words(thread, OF_THREAD)?;
    state.iter().enumerate().find_map(|(index, &next)| {
        let there = offsets_of(next, 2, frame).next()?;
        Some((index * WORD, Some(there)))
    })
}

/// Where frames have the pointer to their instruction. The offset at which instructions begin is the same for all code objects.
fn find_instruction(
    gil: &Gil,
    frames: &[(Owned<'_>, Owned<'_>)],
    inner: impl Fn(&Owned<'_>) -> Option<usize>,
) -> Option<Instruction> {
    let mut known: Option<Vec<(usize, usize)>> = None;
    for (frame, code) in frames {
        let last = gil.number(frame, c"f_lasti")?;
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
        [(at, begin)] => Some(Instruction::Pointer { at, begin }),
        _ => None,
    }
}
