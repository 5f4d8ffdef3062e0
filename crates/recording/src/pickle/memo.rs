//! What a pickle put aside by number, to name it again.

use std::collections::HashMap;

use super::Value;
use crate::event::{StackId, TextId};

/// Only objects that can be named again with a use are kept: of a snapshot's events there are millions, and each was
/// put aside.
#[derive(Debug, Default)]
pub(super) struct Memo {
    kept: HashMap<u32, Slim>,
    /// All numbers below were used.
    next: u32,
    /// The highest that was used explicitly.
    highest: Option<u32>,
}

/// A value in eight bytes.
#[derive(Debug, Clone, Copy)]
enum Slim {
    Text(u32),
    Object(u32),
    Frame(u32),
    Stack(u32),
}

impl Memo {
    /// The number that the next object without an explicit one gets.
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    pub(super) fn put(&mut self, number: u32, value: Value) {
        // MEMOIZE numbers by how many there are; explicit numbers come in order.
        self.next = self.next.max(number.saturating_add(1));
        self.highest = self.highest.max(Some(number));
        self.replace(number, value);
    }

    /// What an object became.
    pub(super) fn replace(&mut self, number: u32, value: Value) {
        let slim = match value {
            Value::Text(TextId(text)) => Slim::Text(text),
            Value::Object(place) => Slim::Object(place),
            Value::Frame(frame) => Slim::Frame(frame),
            Value::Stack(StackId(stack)) => Slim::Stack(stack),
            _ => {
                self.kept.remove(&number);
                return;
            }
        };
        self.kept.insert(number, slim);
    }

    /// None if nothing was put there.
    pub(super) fn get(&self, number: u32) -> Option<Value> {
        match self.kept.get(&number) {
            Some(&Slim::Text(text)) => Some(Value::Text(TextId(text))),
            Some(&Slim::Object(place)) => Some(Value::Object(place)),
            Some(&Slim::Frame(frame)) => Some(Value::Frame(frame)),
            Some(&Slim::Stack(stack)) => Some(Value::Stack(StackId(stack))),
            None => (Some(number) <= self.highest).then_some(Value::Used),
        }
    }
}
