//! From where in a program something was asked for to functions, files and lines.
//!
//! One way for both sources: modules are known from records, or, for the own process, from
//! `/proc/self/maps`. A module's symbols are read when the first of its addresses is asked for.

mod maps;
mod module;
mod trim;

use std::collections::HashMap;

use millpond_trace::{Frame, Operation, Record, Site, StackRef};

use crate::clean::put;
use crate::told::Place;
pub use maps::{Module, loaded_modules};
use module::Code;

/// Answers are forgotten when there are this many, so that a process that makes code as it runs
/// does not fill memory.
const MOST_ANSWERS: usize = 1 << 16;

/// As many different call stacks are kept.
const MOST_STACKS: usize = 1 << 18;

/// Names of addresses.
#[derive(Debug, Default)]
pub struct Symbols {
    live: bool,
    modules: Vec<Module>,
    code: HashMap<String, Option<Code>>,
    stacks: HashMap<StackRef, Vec<Frame>>,
    answers: HashMap<u64, Vec<Place>>,
}

impl Symbols {
    /// For records of another process or of a file: modules are learned from records.
    pub fn from_records() -> Self {
        Self::default()
    }

    /// For the own process: modules are found when they are needed, and stacks are learned.
    pub fn live() -> Self {
        Self {
            live: true,
            ..Self::default()
        }
    }

    /// Takes over what a record says of call stacks and modules; other records say nothing.
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
                // A later one at the same place replaces what was there.
                self.modules.retain(|other| !other.overlaps(&module));
                self.answers.clear();
                self.modules.push(module);
            }
            _ => {}
        }
    }

    /// The call stack of a site, the innermost first, without frames of our own library.
    pub fn places(&mut self, site: &Site) -> Vec<Place> {
        let frames = match self.stacks.get(&site.stack) {
            Some(frames) if site.stack != 0 => frames.clone(),
            _ if site.caller != 0 => vec![Frame::Address(site.caller)],
            _ => Vec::new(),
        };
        let mut places = Vec::with_capacity(frames.len());
        let mut named = false;
        for frame in frames {
            match frame {
                Frame::Address(address) => places.extend(self.at(address)),
                Frame::Named {
                    function,
                    file,
                    line,
                } => {
                    named = true;
                    places.push(Place {
                        function: function.into_owned(),
                        file: file.into_owned(),
                        line,
                        ..Place::default()
                    });
                }
            }
        }
        trim::trim(places, named)
    }

    /// The program or library that made a call; empty if it is not known.
    pub fn library(&mut self, site: &Site) -> String {
        let module = match site.caller {
            0 => None,
            caller => self.module(caller.saturating_sub(1)),
        };
        module.map(|module| module.file).unwrap_or_default()
    }

    /// The lines of one return address: the function, before it those that were inlined into it.
    fn at(&mut self, address: u64) -> Vec<Place> {
        if let Some(known) = self.answers.get(&address) {
            return known.clone();
        }
        let places = self.look_up(address);
        if self.answers.len() >= MOST_ANSWERS {
            self.answers.clear();
        }
        self.answers.insert(address, places.clone());
        places
    }

    fn look_up(&mut self, address: u64) -> Vec<Place> {
        // A call may be the last instruction of a function: what it returns to is another one's.
        let probe = address.saturating_sub(1);
        let Some(module) = self.module(probe) else {
            return vec![Place {
                module: format!("{address:#x}"),
                ..Place::default()
            }];
        };
        let inside = probe.wrapping_sub(module.bias);
        let code = self
            .code
            .entry(module.file.clone())
            .or_insert_with(|| Code::load(&module.file));
        let mut places = code
            .as_ref()
            .map(|code| code.places(inside))
            .unwrap_or_default();
        if places.is_empty() {
            places.push(Place::default());
        }
        for place in &mut places {
            place.module.clone_from(&module.file);
            // Two calls of one function look alike without a line.
            if place.file.is_empty() {
                put!(&mut place.module, "+{:#x}", inside.wrapping_add(1));
            }
        }
        places
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

    /// An address inside a function of this test program, a little behind its start.
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
    fn symbols_can_go_from_thread_to_thread() {
        fn goes<T: Send>() {}
        goes::<Symbols>();
    }

    #[test]
    fn an_address_of_this_process_has_its_function_file_and_line() {
        let places = Symbols::live().places(&site(address_here()));
        let last = places.last().unwrap();
        assert!(last.function.contains("address_here"), "{places:?}");
        assert!(last.file.ends_with("symbols/mod.rs"), "{places:?}");
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
        let places = from_records.places(&with_stack);
        let live = Symbols::live().places(&site(address));
        assert_eq!(places[..live.len()], live[..]);
        assert_eq!(places.last().unwrap().function, "train");
    }

    #[test]
    fn what_cannot_be_read_is_told_by_module_and_offset() {
        let mut symbols = Symbols::from_records();
        symbols.learn(&record(Operation::ModuleSeen {
            range: Bytes {
                start: 0x1000,
                bytes: 0x1000,
            },
            bias: 0x800,
            file: "/no/such/file.so".to_owned(),
        }));
        let places = symbols.places(&site(0x1234));
        assert_eq!(places[0].module, "/no/such/file.so+0xa34");
        assert_eq!(symbols.places(&site(0x9999))[0].module, "0x9999");
        assert!(symbols.places(&Site::default()).is_empty());
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
        assert_eq!(symbols.places(&site(0x1900))[0].module, "/new.so+0x100");
        assert_eq!(symbols.modules.len(), 1);
    }
}
