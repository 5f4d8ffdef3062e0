//! Resolves call sites to functions, files and lines: for findings, and for recordings of memory.
//!
//! Modules are known from records or, for this process, from `/proc/self/maps`. A module's symbols are read when the
//! first of its addresses is resolved.

mod frame;
mod maps;
mod module;
mod trim;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::SystemTime;

use millpond_trace::{Frame, Operation, Record, Site, StackRef};

pub use frame::ResolvedFrame;
pub use maps::{Module, loaded_modules};
use module::Code;
pub use trim::trim;

/// The cache is cleared at this size, so that a process that generates code does not fill memory.
const MOST_CACHED: usize = 1 << 16;

/// How many different call stacks are kept.
const MOST_STACKS: usize = 1 << 18;

/// The files of modules. Each is read when the first of its addresses is looked up.
#[derive(Debug, Default)]
pub struct Files {
    code: HashMap<String, Option<Code>>,
    /// Files that are younger are not those that ran.
    until: Option<SystemTime>,
    /// Nothing is read.
    closed: bool,
}

impl Files {
    /// Reads no file: every frame is a module and a distance.
    pub fn closed() -> Self {
        Self {
            closed: true,
            ..Self::default()
        }
    }

    /// Reads files that have not changed since then.
    pub fn until(time: SystemTime) -> Self {
        Self {
            until: Some(time),
            ..Self::default()
        }
    }

    /// The frames of a return address: first those that were inlined, then the function itself. `after` is the address as it is in the
    /// file. What has no line has it in its module.
    pub fn frames(&mut self, file: &str, after: u64) -> Vec<ResolvedFrame> {
        // A call may be the last instruction of a function: its return address is then in the next function.
        let inside = after.wrapping_sub(1);
        if !self.code.contains_key(file) {
            let code = (!self.closed)
                .then(|| Code::load(file, self.until))
                .flatten();
            self.code.insert(file.to_owned(), code);
        }
        let code = self.code.get(file).and_then(Option::as_ref);
        let mut resolved = code.map(|code| code.resolve(inside)).unwrap_or_default();
        if resolved.is_empty() {
            resolved.push(ResolvedFrame::default());
        }
        for frame in &mut resolved {
            file.clone_into(&mut frame.module);
            // Without a line, two calls in one function would look the same.
            if frame.file.is_empty() {
                // Writing to a text cannot fail.
                write!(frame.module, "+{after:#x}").unwrap_or_default();
            }
        }
        resolved
    }
}

/// Resolves addresses.
#[derive(Debug, Default)]
pub struct Symbols {
    live: bool,
    modules: Vec<Module>,
    files: Files,
    stacks: HashMap<StackRef, Vec<Frame>>,
    cache: HashMap<u64, Vec<ResolvedFrame>>,
}

impl Symbols {
    /// For records of another process or of a file. Modules come from records.
    pub fn from_records() -> Self {
        Self::default()
    }

    /// For this process. Modules are read on demand, and stacks come from records.
    pub fn live() -> Self {
        Self {
            live: true,
            ..Self::default()
        }
    }

    /// Stores call stacks and modules from a record; ignores other records.
    pub fn learn(&mut self, record: &Record) {
        match &record.operation {
            Operation::StackSeen { stack, frames } if self.stacks.len() < MOST_STACKS => {
                self.stacks.insert(*stack, frames.clone());
            }
            Operation::ModuleSeen { range, bias, file } => {
                let module = Module {
                    range: *range,
                    bias: *bias,
                    file: file.clone(),
                };
                // A later one at the same addresses replaces earlier ones.
                self.modules.retain(|other| !other.overlaps(&module));
                self.cache.clear();
                self.modules.push(module);
            }
            _ => {}
        }
    }

    /// The call stack of a site, innermost frame first, without frames of our own library.
    pub fn frames(&mut self, site: &Site) -> Vec<ResolvedFrame> {
        let frames = match self.stacks.get(&site.stack) {
            Some(frames) if site.stack != 0 => frames.clone(),
            _ if site.caller != 0 => vec![Frame::Address(site.caller)],
            _ => Vec::new(),
        };
        let mut resolved = Vec::with_capacity(frames.len());
        let mut named = false;
        for frame in frames {
            match frame {
                Frame::Address(address) => resolved.extend(self.at(address)),
                Frame::Named {
                    function,
                    file,
                    line,
                } => {
                    named = true;
                    resolved.push(ResolvedFrame {
                        function: function.into_owned(),
                        file: file.into_owned(),
                        line,
                        ..ResolvedFrame::default()
                    });
                }
            }
        }
        trim::trim(resolved, named)
    }

    /// The program or library that made a call; empty if unknown.
    pub fn library(&mut self, site: &Site) -> String {
        let module = match site.caller {
            0 => None,
            caller => self.module(caller.saturating_sub(1)),
        };
        module.map(|module| module.file).unwrap_or_default()
    }

    /// The frames of one return address: first those that were inlined, then the function itself.
    fn at(&mut self, address: u64) -> Vec<ResolvedFrame> {
        if let Some(known) = self.cache.get(&address) {
            return known.clone();
        }
        let resolved = self.look_up(address);
        if self.cache.len() >= MOST_CACHED {
            self.cache.clear();
        }
        self.cache.insert(address, resolved.clone());
        resolved
    }

    fn look_up(&mut self, address: u64) -> Vec<ResolvedFrame> {
        // The call itself: its return address may be in the next module.
        let Some(module) = self.module(address.saturating_sub(1)) else {
            return vec![ResolvedFrame {
                module: format!("{address:#x}"),
                ..ResolvedFrame::default()
            }];
        };
        let inside = address.wrapping_sub(module.bias);
        self.files.frames(&module.file, inside)
    }

    fn module(&mut self, address: u64) -> Option<Module> {
        let find =
            |modules: &[Module]| modules.iter().find(|module| module.holds(address)).cloned();
        let found = find(&self.modules);
        if found.is_some() || !self.live {
            return found;
        }
        self.modules = loaded_modules();
        find(&self.modules)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use millpond_trace::Bytes;

    fn record(operation: Operation) -> Record {
        Record {
            order: 1,
            nanoseconds: 0,
            thread: 1,
            site: Site::default(),
            operation,
        }
    }

    /// An address inside a function of this test, a little after its start.
    fn address_here() -> u64 {
        (address_here as fn() -> u64 as usize as u64) + 4
    }

    fn site(caller: u64) -> Site {
        Site {
            caller,
            ..Site::default()
        }
    }

    #[test]
    fn symbols_can_be_sent_to_other_threads() {
        fn goes<T: Send>() {}
        goes::<Symbols>();
    }

    #[test]
    fn an_address_of_this_process_has_its_function_file_and_line() {
        let resolved = Symbols::live().frames(&site(address_here()));
        let last = resolved.last().unwrap();
        assert!(last.function.contains("address_here"), "{resolved:?}");
        assert!(last.file.ends_with("symbols/src/lib.rs"), "{resolved:?}");
        assert!(last.line > 0);
    }

    #[test]
    fn records_give_the_same_names_as_the_process_itself() {
        let address = address_here();
        let mut from_records = Symbols::from_records();
        for module in loaded_modules() {
            from_records.learn(&record(Operation::ModuleSeen {
                range: module.range,
                bias: module.bias,
                file: module.file,
            }));
        }
        from_records.learn(&record(Operation::StackSeen {
            stack: 7,
            frames: vec![
                Frame::Address(address),
                Frame::Named {
                    function: "train".into(),
                    file: "train.py".into(),
                    line: 3,
                },
            ],
        }));
        let with_stack = Site {
            stack: 7,
            ..site(address)
        };
        let resolved = from_records.frames(&with_stack);
        let live = Symbols::live().frames(&site(address));
        assert_eq!(resolved[..live.len()], live[..]);
        assert_eq!(resolved.last().unwrap().function, "train");
    }

    #[test]
    fn what_cannot_be_read_is_reported_by_module_and_offset() {
        let mut symbols = Symbols::from_records();
        symbols.learn(&record(Operation::ModuleSeen {
            range: Bytes {
                start: 0x1000,
                bytes: 0x1000,
            },
            bias: 0x800,
            file: "/no/such/file.so".to_owned(),
        }));
        let resolved = symbols.frames(&site(0x1234));
        assert_eq!(resolved[0].module, "/no/such/file.so+0xa34");
        assert_eq!(symbols.frames(&site(0x9999))[0].module, "0x9999");
        assert!(symbols.frames(&Site::default()).is_empty());
    }

    /// A file of records may be from anybody.
    #[test]
    fn any_address_of_any_file_has_a_frame() {
        let own = std::env::current_exe().unwrap();
        let own = own.to_str().unwrap();
        let mut files = Files::default();
        for file in [
            own,
            "",
            "/",
            "/dev/zero",
            "/proc/self/mem",
            "no\0file",
            "/etc/passwd",
        ] {
            for address in [0, 1, 0x40, 0x1000, u64::MAX / 2, u64::MAX - 1, u64::MAX] {
                let frames = files.frames(file, address);
                assert!(!frames.is_empty() && frames.len() <= 17, "{frames:?}");
            }
        }
    }

    #[test]
    fn files_that_are_closed_or_younger_than_the_records_are_not_read() {
        let own = std::env::current_exe().unwrap();
        let own = own.to_str().unwrap();
        let module = loaded_modules()
            .into_iter()
            .find(|it| it.holds(address_here()));
        let inside = address_here() - module.unwrap().bias;
        let named = |mut files: Files| !files.frames(own, inside)[0].function.is_empty();
        assert!(named(Files::default()));
        assert!(named(Files::until(SystemTime::now())));
        assert!(!named(Files::until(SystemTime::UNIX_EPOCH)));
        assert!(!named(Files::closed()));
    }

    #[test]
    fn a_module_that_is_loaded_over_another_replaces_it() {
        let mut symbols = Symbols::from_records();
        for (start, file) in [(0x1000, "/old.so"), (0x1800, "/new.so")] {
            symbols.learn(&record(Operation::ModuleSeen {
                range: Bytes {
                    start,
                    bytes: 0x1000,
                },
                bias: start,
                file: file.to_owned(),
            }));
        }
        assert_eq!(symbols.frames(&site(0x1900))[0].module, "/new.so+0x100");
        assert_eq!(symbols.modules.len(), 1);
    }
}
