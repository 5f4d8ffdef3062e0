//! What events refer to by number: texts, frames, stacks, streams and devices.
//!
//! Tables only grow. A number that an event has is in the tables when the event is delivered, and keeps its meaning.

use std::collections::HashMap;

use crate::event::{StackId, TextId};

/// One frame of a call stack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame {
    /// The function.
    pub function: TextId,
    /// The source file.
    pub file: TextId,
    /// The line in it; 0 if it is not known.
    pub line: u32,
}

/// One node of the tree of all call stacks: a frame, and who called it.
///
/// Stacks that begin alike share nodes, so a million stacks take little memory, and a flame graph is a sum over this tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node {
    /// The place of the frame in [`Tables::frames`].
    pub frame: u32,
    /// The caller; 0 if this is the outermost frame.
    pub parent: StackId,
}

/// A stream.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Its device.
    pub device: u16,
    /// Its handle or number, as the program had it.
    pub number: u64,
}

/// A device of a process. With several ranks, each has its own.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Device {
    /// The rank that used it, if the recording says so.
    pub rank: Option<u32>,
    /// Its index in its process.
    pub index: u32,
    /// How many bytes it has; 0 if that is not known.
    pub capacity: u64,
}

/// Everything that events refer to by number.
#[derive(Debug, Clone)]
pub struct Tables {
    texts: Vec<Box<str>>,
    text_numbers: HashMap<Box<str>, u32>,
    frames: Vec<Frame>,
    frame_numbers: HashMap<Frame, u32>,
    nodes: Vec<Node>,
    node_numbers: HashMap<Node, u32>,
    streams: Vec<Stream>,
    stream_numbers: HashMap<Stream, u32>,
    /// The place of the stream that was asked for last: most often it is the next one, too.
    latest_stream: u32,
    devices: Vec<Device>,
}

impl Default for Tables {
    fn default() -> Self {
        let none = Node {
            frame: u32::MAX,
            parent: StackId(0),
        };
        Self {
            texts: vec!["".into()],
            text_numbers: HashMap::from([("".into(), 0)]),
            frames: Vec::new(),
            frame_numbers: HashMap::new(),
            nodes: vec![none],
            node_numbers: HashMap::new(),
            streams: Vec::new(),
            stream_numbers: HashMap::new(),
            latest_stream: 0,
            devices: Vec::new(),
        }
    }
}

/// Devices of one recording; more would be a mistake or an attack.
pub(crate) const MOST_DEVICES: usize = 1 << 10;

/// Tables never get near this; a hostile file might.
pub(crate) const MOST: usize = u32::MAX as usize - 1;

fn number_of(length: usize) -> u32 {
    u32::try_from(length.min(MOST)).unwrap_or(u32::MAX - 1)
}

impl Tables {
    /// The text with that number; empty if there is none.
    pub fn text(&self, id: TextId) -> &str {
        self.texts.get(id.0 as usize).map_or("", |text| text)
    }

    /// All texts; the place is the number.
    pub fn texts(&self) -> &[Box<str>] {
        &self.texts
    }

    /// All frames.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// All nodes of stacks; the place is the number. The first stands for no stack.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The frames of a stack, the innermost first.
    pub fn stack(&self, id: StackId) -> impl Iterator<Item = Frame> + '_ {
        let mut next = id;
        std::iter::from_fn(move || {
            let node = *self.nodes.get(next.0 as usize)?;
            // A parent is older than its children, so this ends.
            next = node.parent;
            self.frames.get(node.frame as usize).copied()
        })
    }

    /// All streams.
    pub fn streams(&self) -> &[Stream] {
        &self.streams
    }

    /// All devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// The number of a text.
    pub fn add_text(&mut self, text: &str) -> TextId {
        if let Some(&number) = self.text_numbers.get(text) {
            return TextId(number);
        }
        let number = number_of(self.texts.len());
        self.texts.push(text.into());
        self.text_numbers.insert(text.into(), number);
        TextId(number)
    }

    /// The place of a frame.
    pub fn add_frame(&mut self, frame: Frame) -> u32 {
        let next = number_of(self.frames.len());
        let number = *self.frame_numbers.entry(frame).or_insert(next);
        if number == next {
            self.frames.push(frame);
        }
        number
    }

    /// The stack that is `frame` called by `parent`.
    pub fn add_node(&mut self, frame: u32, parent: StackId) -> StackId {
        let node = Node { frame, parent };
        let next = number_of(self.nodes.len());
        let number = *self.node_numbers.entry(node).or_insert(next);
        if number == next {
            self.nodes.push(node);
        }
        StackId(number)
    }

    /// The stack with these frames, the innermost first.
    pub fn add_stack(&mut self, frames: &[u32]) -> StackId {
        let outermost = StackId(0);
        frames
            .iter()
            .rev()
            .fold(outermost, |parent, &frame| self.add_node(frame, parent))
    }

    /// The place of a stream.
    pub fn add_stream(&mut self, device: u16, number: u64) -> u32 {
        let stream = Stream { device, number };
        if self.streams.get(self.latest_stream as usize) == Some(&stream) {
            return self.latest_stream;
        }
        let next = number_of(self.streams.len());
        let place = *self.stream_numbers.entry(stream.clone()).or_insert(next);
        if place == next {
            self.streams.push(stream);
        }
        self.latest_stream = place;
        place
    }

    /// The place of a device. Its other properties are those of the first call with this rank and index.
    pub fn add_device(&mut self, device: &Device) -> u16 {
        let same = |other: &Device| other.rank == device.rank && other.index == device.index;
        let place = self.devices.iter().position(same).unwrap_or_else(|| {
            self.devices.push(device.clone());
            self.devices.len() - 1
        });
        u16::try_from(place).unwrap_or(u16::MAX)
    }

    /// A device of its own, even if there is one with the same index: its place.
    pub(crate) fn push_device(&mut self, device: Device) -> u16 {
        self.devices.push(device);
        u16::try_from(self.devices.len() - 1).unwrap_or(u16::MAX)
    }

    /// What is known of a device, to complete it.
    pub fn device_mut(&mut self, place: u16) -> Option<&mut Device> {
        self.devices.get_mut(usize::from(place))
    }
}
