//! Numbers for call stacks, and the records that say what they are.
//!
//! The same frames have the same number for the whole life of the process. A stack's record, and those of the
//! modules that its frames lie in, come out before anything that names them: the books are locked until then.
//! Sinks are called meanwhile, which may not call back.

use std::collections::HashMap;
use std::ffi::CStr;

use millpond::trace::{Bytes, Frame, Operation, StackRef};
use parking_lot::Mutex;

use super::modules::{Module, Modules};
use crate::process;

/// Stacks that get a number. A program that has more calls from too many places to be read by anybody; the rest
/// have their caller alone.
const MOST_STACKS: usize = 1 << 16;

static BOOKS: Mutex<Option<Books>> = Mutex::new(None);

/// A frame of a language that knows itself. The same text has the same address, for ever.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Named {
    pub(super) function: &'static CStr,
    pub(super) file: &'static CStr,
    pub(super) line: u32,
}

#[derive(Debug)]
struct Books {
    /// Each stack's number, and when it was last told.
    stacks: HashMap<Box<[u64]>, (StackRef, u32)>,
    /// The same for stacks of named frames.
    named: HashMap<Box<[Named]>, (StackRef, u32)>,
    modules: Modules,
    /// Modules that were told, and when.
    told: Vec<(Module, u32)>,
}

impl Books {
    fn new() -> Self {
        Self {
            stacks: HashMap::new(),
            named: HashMap::new(),
            modules: Modules::new(),
            told: Vec::new(),
        }
    }

    /// Tells of the module that an address lies in, if it was not told in this epoch. False if there is none.
    fn tell_module(&mut self, address: u64, epoch: u32) -> bool {
        let Some(module) = usize::try_from(address)
            .ok()
            .and_then(|address| self.modules.of(address))
        else {
            return false;
        };
        let known = self
            .told
            .iter_mut()
            .find(|(told, _)| told.range == module.range && told.file == module.file);
        match known {
            Some((_, told)) if *told == epoch => return true,
            Some((_, told)) => *told = epoch,
            None => self.told.push((module.clone(), epoch)),
        }
        process::emit(|| Operation::ModuleSeen {
            range: Bytes {
                start: module.range.start as u64,
                bytes: module.range.len() as u64,
            },
            bias: module.bias as u64,
            file: module.file.clone(),
        });
        true
    }
}

/// Tells of the module that a caller lies in. False if the address is no code that is known.
#[cold]
pub(super) fn tell_caller(address: usize, epoch: u32) -> bool {
    let mut books = BOOKS.lock();
    let books = books.get_or_insert_with(Books::new);
    books.tell_module(address as u64, epoch)
}

/// The number of a stack; 0 if there are too many.
#[cold]
pub(super) fn number(frames: impl Iterator<Item = u64>, epoch: u32) -> StackRef {
    let frames: Box<[u64]> = frames.collect();
    let mut books = BOOKS.lock();
    let books = books.get_or_insert_with(Books::new);
    let count = books.stacks.len() + books.named.len();
    let next = StackRef::try_from(count + 1).unwrap_or(0);
    let number = match books.stacks.get_mut(&frames) {
        Some((number, told)) if *told == epoch => return *number,
        Some((number, told)) => {
            *told = epoch;
            *number
        }
        None if count >= MOST_STACKS => return 0,
        None => {
            books.stacks.insert(frames.clone(), (next, epoch));
            next
        }
    };
    for &address in &frames {
        books.tell_module(address, epoch);
    }
    process::emit(|| Operation::StackSeen {
        stack: number,
        frames: frames
            .iter()
            .map(|&address| Frame::Address(address))
            .collect(),
    });
    number
}

/// The number of a stack of named frames; 0 if there are too many.
pub(super) fn number_named(frames: &[Named], epoch: u32) -> StackRef {
    let mut books = BOOKS.lock();
    let books = books.get_or_insert_with(Books::new);
    let count = books.stacks.len() + books.named.len();
    let number = match books.named.get_mut(frames) {
        Some((number, told)) if *told == epoch => return *number,
        Some((number, told)) => {
            *told = epoch;
            *number
        }
        None if count >= MOST_STACKS => return 0,
        None => {
            let next = StackRef::try_from(count + 1).unwrap_or(0);
            books.named.insert(frames.into(), (next, epoch));
            next
        }
    };
    process::emit(|| Operation::StackSeen {
        stack: number,
        frames: frames
            .iter()
            .map(|frame| Frame::Named {
                function: frame.function.to_string_lossy().into_owned().into(),
                file: frame.file.to_string_lossy().into_owned().into(),
                line: frame.line,
            })
            .collect(),
    });
    number
}
