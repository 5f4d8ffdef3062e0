//! Numbers for call stacks, and the records that describe them.
//!
//! The same frames have the same number as long as the process runs. The record of a stack, and those of the
//! modules of its frames, are emitted before any record that names the stack: the registry stays locked until they are.
//! Sinks run under that lock and must not call back.

use std::collections::HashMap;
use std::ffi::CStr;

use millpond_trace::{Bytes, Frame, Operation, StackRef, Tap};
use parking_lot::Mutex;

use crate::modules::{Module, Modules};

/// The most stacks that get a number. Nobody reads more different stacks than that; calls from further ones
/// are recorded with their caller only.
const MOST_STACKS: usize = 1 << 16;

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

/// A frame of a script. Equal texts have the same address, and live as long as the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScriptFrame {
    pub(crate) function: &'static CStr,
    pub(crate) file: &'static CStr,
    pub(crate) line: u32,
}

/// What has a number, and in which epoch it was last emitted.
#[derive(Debug)]
struct Registry {
    stacks: HashMap<Box<[u64]>, (StackRef, u32)>,
    script_stacks: HashMap<Box<[ScriptFrame]>, (StackRef, u32)>,
    /// Stacks of other processes, as they came.
    adopted: HashMap<Box<str>, (StackRef, u32)>,
    /// The modules of this moment.
    modules: Modules,
    /// Modules that were emitted.
    emitted: Vec<(Module, u32)>,
}

impl Registry {
    fn new() -> Self {
        Self {
            stacks: HashMap::new(),
            script_stacks: HashMap::new(),
            adopted: HashMap::new(),
            modules: Modules::new(),
            emitted: Vec::new(),
        }
    }

    fn count(&self) -> usize {
        self.stacks.len() + self.script_stacks.len() + self.adopted.len()
    }

    /// Emits the module that contains an address, unless this epoch has it. False if no module does.
    fn emit_module(&mut self, address: u64, epoch: u32, tap: &Tap) -> bool {
        let Some(module) = usize::try_from(address)
            .ok()
            .and_then(|address| self.modules.of(address))
        else {
            return false;
        };
        let known = self
            .emitted
            .iter_mut()
            .find(|(known, _)| known.range == module.range && known.file == module.file);
        match known {
            Some((_, emitted)) if *emitted == epoch => return true,
            Some((_, emitted)) => *emitted = epoch,
            None => self.emitted.push((module.clone(), epoch)),
        }
        tap.emit(|| Operation::ModuleSeen {
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

/// Emits the module that contains a code address, unless this epoch has it. False if no module does.
#[cold]
pub(crate) fn emit_module(address: usize, epoch: u32, tap: &Tap) -> bool {
    let mut registry = REGISTRY.lock();
    let registry = registry.get_or_insert_with(Registry::new);
    registry.emit_module(address as u64, epoch, tap)
}

/// The number of a stack; 0 if there are too many.
#[cold]
pub(crate) fn number(frames: impl Iterator<Item = u64>, epoch: u32, tap: &Tap) -> StackRef {
    let frames: Box<[u64]> = frames.collect();
    let mut registry = REGISTRY.lock();
    let registry = registry.get_or_insert_with(Registry::new);
    let count = registry.count();
    let next = StackRef::try_from(count + 1).unwrap_or(0);
    let number = match registry.stacks.get_mut(&frames) {
        Some((number, emitted)) if *emitted == epoch => return *number,
        Some((number, emitted)) => {
            *emitted = epoch;
            *number
        }
        None if count >= MOST_STACKS => return 0,
        None => {
            registry.stacks.insert(frames.clone(), (next, epoch));
            next
        }
    };
    for &address in &frames {
        registry.emit_module(address, epoch, tap);
    }
    tap.emit(|| Operation::StackSeen {
        stack: number,
        frames: frames
            .iter()
            .map(|&address| Frame::Address(address))
            .collect(),
    });
    number
}

/// The number of a script's stack; 0 if there are too many.
pub(crate) fn number_script(frames: &[ScriptFrame], epoch: u32, tap: &Tap) -> StackRef {
    let mut registry = REGISTRY.lock();
    let registry = registry.get_or_insert_with(Registry::new);
    let count = registry.count();
    let number = match registry.script_stacks.get_mut(frames) {
        Some((number, emitted)) if *emitted == epoch => return *number,
        Some((number, emitted)) => {
            *emitted = epoch;
            *number
        }
        None if count >= MOST_STACKS => return 0,
        None => {
            let next = StackRef::try_from(count + 1).unwrap_or(0);
            registry.script_stacks.insert(frames.into(), (next, epoch));
            next
        }
    };
    tap.emit(|| Operation::StackSeen {
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

/// A stack as text that another process can use: a line per frame, the innermost first. At most `most` bytes, whole lines.
pub(crate) fn portable(stack: StackRef, caller: u64, most: usize) -> String {
    let mut registry = REGISTRY.lock();
    let registry = registry.get_or_insert_with(Registry::new);
    let scripted = registry.script_stacks.iter();
    let scripted = scripted.filter(|(_, (number, _))| stack != 0 && *number == stack);
    let mut lines: Vec<String> = Vec::new();
    if let Some((frames, _)) = scripted.into_iter().next() {
        lines.extend(frames.iter().map(|frame| {
            let (function, file) = (
                frame.function.to_string_lossy(),
                frame.file.to_string_lossy(),
            );
            format!("{}:{function}:{file}", frame.line)
        }));
    } else {
        let known = registry.stacks.iter();
        let known = known.filter(|(_, (number, _))| stack != 0 && *number == stack);
        let frames = known.into_iter().next().map(|(frames, _)| frames.to_vec());
        for address in frames.unwrap_or_else(|| vec![caller]) {
            let address = usize::try_from(address).unwrap_or(0);
            if let Some(module) = registry.modules.of(address) {
                lines.push(format!("+{:x}:{}", address - module.bias, module.file));
            }
        }
    }
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() + 1 > most {
            break;
        }
        text += &line;
        text.push('\n');
    }
    text
}

/// The number of a stack that another process gave as text, for the same code in this one; 0 if there are too many.
pub(crate) fn adopt(text: &str, epoch: u32, tap: &Tap) -> StackRef {
    let mut registry = REGISTRY.lock();
    let registry = registry.get_or_insert_with(Registry::new);
    let count = registry.count();
    let number = match registry.adopted.get_mut(text) {
        Some((number, emitted)) if *emitted == epoch => return *number,
        Some((number, emitted)) => {
            *emitted = epoch;
            *number
        }
        None if count >= MOST_STACKS || text.is_empty() => return 0,
        None => {
            let next = StackRef::try_from(count + 1).unwrap_or(0);
            registry.adopted.insert(text.into(), (next, epoch));
            next
        }
    };
    let mut frames = Vec::new();
    for line in text.lines() {
        let Some((first, rest)) = line.split_once(':') else {
            continue;
        };
        if let Some(offset) = first.strip_prefix('+') {
            let offset = usize::from_str_radix(offset, 16).unwrap_or(0);
            match registry.modules.loaded(rest) {
                Some(bias) => {
                    let address = bias.wrapping_add(offset) as u64;
                    registry.emit_module(address, epoch, tap);
                    frames.push(Frame::Address(address));
                }
                None => frames.push(Frame::Named {
                    function: format!("{rest}+{offset:#x}").into(),
                    file: "".into(),
                    line: 0,
                }),
            }
        } else if let Some((function, file)) = rest.split_once(':') {
            frames.push(Frame::Named {
                function: function.to_owned().into(),
                file: file.to_owned().into(),
                line: first.parse().unwrap_or(0),
            });
        }
    }
    tap.emit(|| Operation::StackSeen {
        stack: number,
        frames,
    });
    number
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use millpond_trace::Collector;
    use parking_lot::{Mutex, MutexGuard};

    use super::*;

    /// One test at a time, each with epochs of its own: the registry is the process's.
    static ALONE: Mutex<()> = Mutex::new(());

    fn tap() -> (Tap, Arc<Collector>, MutexGuard<'static, ()>) {
        let alone = ALONE.lock();
        let (tap, seen) = (Tap::default(), Arc::new(Collector::default()));
        tap.attach(seen.clone());
        (tap, seen, alone)
    }

    #[test]
    fn a_stack_of_another_process_is_the_same_code_here() {
        let (tap, seen, _alone) = tap();
        let code = number_script as *const () as u64;
        let native = number([code].into_iter(), 31, &tap);
        let text = portable(native, 0, 1000);
        let script = number_script(
            &[ScriptFrame {
                function: c"train",
                file: c"/a/train.py",
                line: 17,
            }],
            31,
            &tap,
        );
        let scripted = portable(script, 0, 1000);
        let adopted = [adopt(&text, 31, &tap), adopt(&scripted, 31, &tap)];
        assert!(![0, native, script].contains(&adopted[0]));
        assert_eq!(adopt(&text, 31, &tap), adopted[0], "known");
        assert_eq!(adopt("", 31, &tap), 0);
        let frames = |number| {
            let seen = seen.operations();
            seen.into_iter()
                .rev()
                .find_map(|operation| match operation {
                    Operation::StackSeen { stack, frames } if stack == number => Some(frames),
                    _ => None,
                })
        };
        assert_eq!(frames(adopted[0]), Some(vec![Frame::Address(code)]));
        assert_eq!(frames(adopted[1]), frames(script));
        assert_eq!(portable(script, 0, 5), "", "whole lines");
        assert_eq!(portable(0, code, 1000), text, "only a caller");
        let strange = adopt("+10:/no/such/file\nnonsense", 31, &tap);
        assert!(matches!(
            &frames(strange).unwrap()[..],
            [Frame::Named { .. }]
        ));
    }

    #[test]
    fn a_stack_is_emitted_once_per_epoch_after_its_modules() {
        let (tap, seen, _alone) = tap();
        let code = number_script as *const () as u64;
        let first = number([code].into_iter(), 1, &tap);
        assert_ne!(first, 0);
        let [
            Operation::ModuleSeen { range, .. },
            Operation::StackSeen { stack, frames },
        ] = &seen.operations()[..]
        else {
            panic!("{:?}", seen.operations());
        };
        assert!((range.start..range.start + range.bytes).contains(&code));
        assert_eq!((*stack, &frames[..]), (first, &[Frame::Address(code)][..]));

        assert_eq!(number([code].into_iter(), 1, &tap), first);
        assert_eq!(seen.operations().len(), 2, "known in this epoch");
        assert_eq!(number([code].into_iter(), 2, &tap), first);
        assert_eq!(seen.operations().len(), 4, "emitted again in the next");
        let second = number([code, code].into_iter(), 2, &tap);
        assert_ne!(second, first);
        assert_eq!(seen.operations().len(), 5, "the module is known");
    }

    #[test]
    fn an_address_outside_every_module_is_not_code() {
        let (tap, seen, _alone) = tap();
        assert!(!emit_module(0x10, 4, &tap));
        assert!(seen.operations().is_empty());
    }

    #[test]
    fn script_stacks_have_names_and_numbers_of_the_same_series() {
        let (tap, seen, _alone) = tap();
        let frame = ScriptFrame {
            function: c"train",
            file: c"train.py",
            line: 7,
        };
        let script = number_script(&[frame], 3, &tap);
        assert_eq!(number_script(&[frame], 3, &tap), script);
        let native = number([tap_address()].into_iter(), 3, &tap);
        assert_ne!(script, native);
        let operations = seen.operations();
        let Some(Operation::StackSeen { stack, frames }) = operations.first() else {
            panic!("{operations:?}");
        };
        assert_eq!(*stack, script);
        assert!(
            matches!(&frames[0], Frame::Named { line: 7, file, .. } if &file[..] == "train.py")
        );
    }

    fn tap_address() -> u64 {
        tap as *const () as u64
    }
}
