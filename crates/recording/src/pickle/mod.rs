//! Reads Python's pickles without Python: protocols 0 to 5, nothing but data.
//!
//! A pickle is a program for a machine with a stack. [`Machine`] runs the part of it that builds numbers, texts, lists,
//! tuples and dictionaries. It has no instruction that imports, calls or builds anything else: such an instruction is an
//! error that names its byte. So reading a pickle cannot run code.
//!
//! Nothing is kept as a tree. When an object is complete, because the object around it takes it, [`Meaning`] turns it into
//! one [`Value`] of 16 bytes. So a list of a million dictionaries takes the memory of the thousand that Python writes
//! before it appends them.

mod machine;
mod memo;
mod opcode;

pub(crate) use machine::Machine;

use crate::error::Fault;
use crate::event::{StackId, TextId};

/// What an object became.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Value {
    None,
    Bool(bool),
    Int(i64),
    /// A number from 2^63 to 2^64 - 1.
    Large(u64),
    Float(f64),
    Text(TextId),
    /// A list or dictionary that is not complete: its place in the machine.
    Object(u32),
    /// A frame, by its place in the tables.
    Frame(u32),
    /// A list of frames.
    Stack(StackId),
    /// A list of events, by its number.
    Lane(u32),
    /// A list of blocks, by its number.
    Blocks(u32),
    /// Something that was complete and meant nothing, or was used up.
    Used,
}

impl Value {
    pub(crate) fn unsigned(self) -> Option<u64> {
        match self {
            Self::Int(number) => u64::try_from(number).ok(),
            Self::Large(number) => Some(number),
            Self::Bool(yes) => Some(u64::from(yes)),
            _ => None,
        }
    }
}

/// What objects mean. Every function gets the byte at which the object was complete.
pub(crate) trait Meaning {
    /// A list while it grows.
    type List: Default;

    /// A text.
    fn text(&mut self, text: &str) -> TextId;
    /// The text with that number.
    fn spell(&self, text: TextId) -> &str;
    /// A dictionary is complete.
    fn dict(&mut self, fields: &[(TextId, Value)], at: u64) -> Result<Value, Fault>;
    /// A list gets an item.
    fn item(&mut self, list: &mut Self::List, item: Value, at: u64) -> Result<(), Fault>;
    /// A list is complete.
    fn list(&mut self, list: Self::List, at: u64) -> Result<Value, Fault>;
}
