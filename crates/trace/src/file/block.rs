//! The records of one block, as they are read.

use crate::{Record, Site};

use super::frame::BlockHeader;
use super::input::{Input, Texts, Unfit, number};
use super::names::{self, Name};
use super::reader::End;
use super::{END, FIRST_RECORD, SITE, TEXT, kinds};

/// A block with a correct checksum, and how far it has been read.
#[derive(Debug, Default)]
pub(super) struct Block {
    payload: Vec<u8>,
    /// Where the next entry begins.
    next: usize,
    texts: Texts,
    /// By number of the text, once a record needed it as the name of its call.
    names: Vec<Option<Name>>,
    /// None for a malformed one.
    sites: Vec<Option<Known>>,
    order: u64,
    nanoseconds: u64,
    end: Option<End>,
}

/// A call site of the block.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The number of the text with the call's name.
    call: u64,
    caller: u64,
    stack: u32,
}

/// A record that could not be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Broken {
    pub(super) unfit: Unfit,
    /// Where its entry begins in the payload.
    pub(super) start: usize,
    pub(super) bytes: usize,
}

impl Block {
    /// Starts with the next block. `fill` writes its payload into an empty buffer, or returns false; then the block is empty.
    pub(super) fn load(
        &mut self,
        header: &BlockHeader,
        fill: impl FnOnce(&mut Vec<u8>) -> bool,
    ) -> bool {
        self.payload.clear();
        let filled = fill(&mut self.payload);
        if !filled {
            self.payload.clear();
        }
        self.next = 0;
        self.texts.clear();
        self.names.clear();
        self.sites.clear();
        self.order = header.order;
        self.nanoseconds = header.nanoseconds;
        self.end = None;
        filled
    }

    /// The order number of the next record.
    pub(super) fn order(&self) -> u64 {
        self.order
    }

    /// The content of the end mark, if one was read.
    pub(super) fn end(&self) -> Option<End> {
        self.end
    }

    /// Reads the next record into `into`, which is undefined after an error. None at the end of the block.
    pub(super) fn entry(&mut self, into: &mut Record) -> Option<Result<(), Broken>> {
        while self.next < self.payload.len() {
            let start = self.next;
            let mut rest = &self.payload[start..];
            let length = number(&mut rest).ok();
            let length = length.and_then(|length| usize::try_from(length).ok());
            let Some(length) = length.filter(|&length| length <= rest.len()) else {
                // The start of the next entry is unknown.
                self.next = self.payload.len();
                return Some(Err(self.broken(Unfit::Malformed, start)));
            };
            let from = self.payload.len() - rest.len();
            self.next = from + length;
            match self.understand(from, length, into) {
                Ok(false) => {}
                Ok(true) => return Some(Ok(())),
                Err(unfit) => return Some(Err(self.broken(unfit, start))),
            }
        }
        None
    }

    fn broken(&self, unfit: Unfit, start: usize) -> Broken {
        Broken {
            unfit,
            start,
            bytes: self.next - start,
        }
    }

    /// Reads an entry: returns true for a record, false for something that later records refer to.
    fn understand(&mut self, from: usize, length: usize, into: &mut Record) -> Result<bool, Unfit> {
        let bytes = &self.payload[from..from + length];
        let mut input = Input::new(bytes, &self.texts, &self.payload);
        match input.number()? {
            TEXT => {
                let text = input.left();
                self.texts.add(from + length - text, text);
                Ok(false)
            }
            SITE => {
                let mut read = || {
                    Ok(Known {
                        call: input.number()?,
                        caller: input.number()?,
                        stack: input.small()?,
                    })
                };
                let site: Result<_, Unfit> = read();
                self.sites.push(site.ok());
                Ok(false)
            }
            END => {
                self.end = Some(End {
                    records: input.number()?,
                    lost: input.number()?,
                });
                Ok(false)
            }
            // An entry that only newer versions know, and that no record we know refers to.
            0..FIRST_RECORD => Ok(false),
            kind => {
                let order = self.order.wrapping_add(input.number()?);
                let nanoseconds = self.nanoseconds.wrapping_add(input.number()?);
                self.order = order.wrapping_add(1);
                self.nanoseconds = nanoseconds;
                let thread = input.number()?;
                let site = match input.number()?.checked_sub(1) {
                    None => Site::default(),
                    Some(number) => {
                        let number = usize::try_from(number).map_err(|_| Unfit::Malformed)?;
                        let known = self.sites.get(number).copied().flatten();
                        let known = known.ok_or(Unfit::Malformed)?;
                        let place = usize::try_from(known.call).map_err(|_| Unfit::Malformed)?;
                        let call = if let Some(Some(name)) = self.names.get(place) {
                            (*name).into()
                        } else {
                            let text = input.text_numbered(known.call)?;
                            let name = names::known(text);
                            if self.names.len() <= place {
                                self.names.resize(place + 1, None);
                            }
                            self.names[place] = name;
                            name.map_or_else(|| text.to_owned().into(), Into::into)
                        };
                        Site {
                            call,
                            caller: known.caller,
                            stack: known.stack,
                        }
                    }
                };
                into.order = order;
                into.nanoseconds = nanoseconds;
                into.thread = thread;
                into.site = site;
                kinds::read(kind, &mut input, &mut into.operation)?;
                Ok(true)
            }
        }
    }
}
