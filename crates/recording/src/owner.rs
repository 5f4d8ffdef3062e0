//! Who allocated: the source line that answers for a call stack.
//!
//! The page, `millpond advise` and the column `owner` of exported tables use the same words, so that one is found in the others.

use std::collections::HashMap;
use std::path::Path;

use crate::event::{Event, StackId, TextId};
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

/// How a stack was found, and the allocator itself: functions in front of those that a user would name.
fn is_machinery(function: &str) -> bool {
    [
        "torch::unwind::",
        "torch::CapturedTraceback::",
        "<unwind unsupported>",
        "c10::cuda::CUDACachingAllocator::",
        "c10_npu::NPUCachingAllocator::",
    ]
    .iter()
    .any(|begin| function.starts_with(begin))
}

/// The frame that a user would name as the one that allocated: the innermost line of their own Python code, else the innermost Python
/// line, else the innermost line of other code, else the innermost frame.
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
    let has_line = |frame: &Frame| frame.line > 0 && !file(frame).is_empty();
    let is_told = |frame: &Frame| !is_machinery(tables.text(frame.function));
    own.or_else(|| tables.stack(stack).find(is_python))
        .or_else(|| tables.stack(stack).find(has_line))
        .or_else(|| tables.stack(stack).find(is_told))
        .or_else(|| tables.stack(stack).next())
}

/// A frame as people write it: file and line, or the function where the line is not known: a program is one file.
pub fn place(tables: &Tables, frame: Frame) -> String {
    match (tables.text(frame.file), tables.text(frame.function)) {
        (file, "") if frame.line == 0 => file.to_owned(),
        ("", function) => function.to_owned(),
        (_, function) if frame.line == 0 => function.to_owned(),
        (file, _) => format!("{file}:{}", frame.line),
    }
}

/// The place of [`owner`].
pub fn owner_place(tables: &Tables, stack: StackId) -> String {
    owner(tables, stack).map_or_else(|| UNKNOWN.to_owned(), |frame| place(tables, frame))
}

/// Who asked for the block of an allocation: the line, a name, or, if the recording has neither, the size.
pub fn name(tables: &Tables, event: &Event) -> String {
    if let Some(frame) = owner(tables, event.stack) {
        return place(tables, frame);
    }
    match tables.text(event.label) {
        "" => format!("blocks of {} bytes", event.bytes),
        label => label.to_owned(),
    }
}

/// [`name`] as a number, remembered for stacks, labels and sizes that were seen.
#[derive(Debug, Default)]
pub struct Owners {
    stacks: HashMap<StackId, u32>,
    labels: HashMap<TextId, u32>,
    sizes: HashMap<u64, u32>,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Owners {
    /// The number of who asked for the block of this allocation.
    pub fn of(&mut self, event: &Event, tables: &Tables) -> u32 {
        let known = if event.stack != StackId(0) {
            self.stacks.get(&event.stack)
        } else if event.label != TextId(0) {
            self.labels.get(&event.label)
        } else {
            self.sizes.get(&event.bytes)
        };
        if let Some(number) = known {
            return *number;
        }
        let number = self.number(name(tables, event));
        if event.stack != StackId(0) {
            self.stacks.insert(event.stack, number);
        } else if event.label != TextId(0) {
            self.labels.insert(event.label, number);
        } else {
            self.sizes.insert(event.bytes, number);
        }
        number
    }

    fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            next
        })
    }

    /// What an owner is called: the words that `millpond replay --without` takes.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Kind;

    #[test]
    fn the_owner_is_the_users_own_line() {
        let mut tables = Tables::default();
        let library = "/env/lib/python3.11/site-packages/torch/nn/functional.py";
        let frame = |tables: &mut Tables, function: &str, file: &str, line| {
            let frame = Frame {
                function: tables.add_text(function),
                file: tables.add_text(file),
                line,
            };
            tables.add_frame(frame)
        };
        let malloc = frame(&mut tables, "malloc", "", 0);
        let linear = frame(&mut tables, "linear", library, 5);
        let step = frame(&mut tables, "step", "/home/me/train.py", 42);
        let main = frame(&mut tables, "main", "/home/me/train.py", 90);
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
        let program = "/home/me/train";
        let foreign = frame(&mut tables, "at::empty", "??", 0);
        let native = frame(&mut tables, "train+0x11c9", program, 0);
        let inner = frame(&mut tables, "fill", "/home/me/fill.c", 7);
        let bare = frame(&mut tables, "", program, 0);
        let unwind = frame(&mut tables, "torch::unwind::unwind()", "??", 0);
        assert_eq!(place(&mut tables, &[unwind, foreign]), "at::empty");
        assert_eq!(place(&mut tables, &[native]), "train+0x11c9");
        assert_eq!(place(&mut tables, &[native, inner]), "/home/me/fill.c:7");
        assert_eq!(place(&mut tables, &[bare]), program);
    }
    #[test]
    fn without_a_stack_the_label_or_the_size_stands_for_the_owner() {
        let mut tables = Tables::default();
        let label = tables.add_text("weights");
        let event = |bytes, label| Event {
            time_ns: 0,
            address: 0,
            bytes,
            stream: 0,
            stack: StackId(0),
            label,
            device: 0,
            kind: Kind::Alloc,
        };
        let mut owners = Owners::default();
        let rows = [
            (event(8, TextId(0)), "blocks of 8 bytes"),
            (event(16, TextId(0)), "blocks of 16 bytes"),
            (event(16, label), "weights"),
        ];
        for (event, expected) in rows {
            let number = owners.of(&event, &tables);
            assert_eq!(owners.name(number), expected);
            assert_eq!(owners.of(&event, &tables), number);
        }
    }
}
