//! Who asked for a block: a line of the program, a name, or, if the recording has neither, the size.

use std::collections::HashMap;

use millpond_recording::{Event, StackId, Tables, TextId, owner};

/// Finds out who asked, and remembers it for stacks that it has seen.
#[derive(Debug, Default)]
pub struct Owners {
    stacks: HashMap<StackId, u32>,
    labels: HashMap<TextId, u32>,
    sizes: HashMap<u64, u32>,
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Owners {
    /// The number of who asked for the block of this event.
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
        let line = line(event.stack, tables);
        if let Some(line) = line {
            let number = self.number(line);
            self.stacks.insert(event.stack, number);
            number
        } else if event.label == TextId(0) {
            let number = self.number(format!("blocks of {} bytes", event.bytes));
            self.sizes.insert(event.bytes, number);
            number
        } else {
            let number = self.number(tables.text(event.label).to_owned());
            self.labels.insert(event.label, number);
            number
        }
    }

    fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let names = &mut self.names;
        *self.numbers.entry(name).or_insert_with_key(|name| {
            names.push(name.clone());
            next
        })
    }

    /// What an owner is called: the words that `--without` takes.
    pub fn name(&self, number: u32) -> &str {
        self.names.get(number as usize).map_or("", String::as_str)
    }
}

/// The line that answers for a stack, with its function.
fn line(stack: StackId, tables: &Tables) -> Option<String> {
    let frame = owner::owner(tables, stack)?;
    let (place, function) = (owner::place(tables, frame), tables.text(frame.function));
    Some(if place == function || function.is_empty() {
        place
    } else {
        format!("{place} {function}")
    })
}
