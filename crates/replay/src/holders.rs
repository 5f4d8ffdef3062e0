//! Who holds the memory: at the peak, and at the end.

use std::collections::HashMap;

use millpond_recording::owner::Owners;
use millpond_recording::{Event, Kind};

use crate::recorded::Recording;

/// Somebody with blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// What `--without` takes.
    pub name: String,
    /// On which device: its place in the recording's table.
    pub device: u16,
    /// How many blocks.
    pub blocks: u64,
    /// With how many bytes together.
    pub bytes: u64,
}

/// Who stands out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Holders {
    /// Who has most bytes on one device at that device's peak.
    pub owner: Option<Holder>,
    /// Whose blocks on one device are never freed and keep growing until the end.
    pub leak: Option<Holder>,
}

/// A recording is divided in as many parts, by its events.
pub const PARTS: usize = 4;
/// A leak has at least so many blocks: who keeps one or two does so on purpose.
const LEAST_BLOCKS: u64 = 8;

/// Blocks and their bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub blocks: u64,
    /// Their bytes together.
    pub bytes: u64,
}

impl Sum {
    /// Adds a block.
    pub fn add(&mut self, bytes: u64) {
        self.blocks += 1;
        self.bytes += bytes;
    }
}

/// Looks through a recording. Each device is looked at on its own, as the page does: devices have their peaks at different times.
pub fn holders(recording: &Recording) -> Holders {
    let events = recording.events();
    let peaks = peaks(events);
    let mut owners = Owners::default();
    // By device, and then by address: owner and bytes.
    let mut live: HashMap<u16, HashMap<u64, (u32, u64)>> = HashMap::new();
    let mut at_peak: HashMap<(u16, u32), Sum> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        let live = live.entry(event.device).or_default();
        match event.kind {
            Kind::Alloc => {
                let owner = owners.of(event, recording.tables());
                live.insert(event.address, (owner, event.bytes));
            }
            Kind::FreeRequested => {
                live.remove(&event.address);
            }
            _ => {}
        }
        if peaks.get(&event.device) == Some(&number) {
            for (owner, bytes) in live.values() {
                let sum = at_peak.entry((event.device, *owner)).or_default();
                sum.add(*bytes);
            }
        }
    }
    let mut left: HashMap<(u16, u32), [Sum; PARTS]> = HashMap::new();
    for number in left_behind(events) {
        let event = &events[number];
        let owner = owners.of(event, recording.tables());
        let parts = left.entry((event.device, owner)).or_default();
        parts[part(number, events)].add(event.bytes);
    }
    let holder = |((device, owner), sum): ((u16, u32), Sum)| Holder {
        name: owners.name(owner).to_owned(),
        device,
        blocks: sum.blocks,
        bytes: sum.bytes,
    };
    let most = |(who, sum): &((u16, u32), Sum)| (sum.bytes, std::cmp::Reverse(*who));
    Holders {
        owner: at_peak.into_iter().max_by_key(most).map(holder),
        leak: left
            .into_iter()
            .filter_map(|(who, parts)| Some((who, leak(&parts)?)))
            .max_by_key(most)
            .map(holder),
    }
}

/// The numbers of the events that allocate blocks which are never freed. Blocks of no bytes hold nothing.
pub fn left_behind(events: &[Event]) -> Vec<usize> {
    let mut live: HashMap<(u16, u64), usize> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        let place = (event.device, event.address);
        match event.kind {
            Kind::Alloc if event.bytes > 0 => drop(live.insert(place, number)),
            Kind::FreeRequested if event.bytes > 0 => drop(live.remove(&place)),
            _ => {}
        }
    }
    let mut left: Vec<usize> = live.into_values().collect();
    left.sort_unstable();
    left
}

/// The part of a recording in which an event is.
pub fn part(number: usize, events: &[Event]) -> usize {
    number * PARTS / events.len().max(1)
}

/// Of the blocks that an owner left behind in each part: those after the first part, if each of these parts left some, and none far fewer
/// than the others. That is a leak; what was there from the beginning is not.
pub fn leak(parts: &[Sum; PARTS]) -> Option<Sum> {
    let later = &parts[1..];
    let most = later.iter().map(|it| it.blocks).max()?;
    let sum = Sum {
        blocks: later.iter().map(|it| it.blocks).sum(),
        bytes: later.iter().map(|it| it.bytes).sum(),
    };
    let steady = later
        .iter()
        .all(|it| it.blocks > 0 && it.blocks * 4 >= most);
    (steady && sum.blocks >= LEAST_BLOCKS).then_some(sum)
}

/// The event at which most bytes of a device are live, by device.
fn peaks(events: &[Event]) -> HashMap<u16, usize> {
    // What is live, the most that was, and when.
    let mut devices: HashMap<u16, (u64, u64, usize)> = HashMap::new();
    for (number, event) in events.iter().enumerate() {
        let (live, most, at) = devices.entry(event.device).or_default();
        match event.kind {
            Kind::Alloc => *live = live.saturating_add(event.bytes),
            Kind::FreeRequested => *live = live.saturating_sub(event.bytes),
            _ => {}
        }
        if *live > *most {
            (*most, *at) = (*live, number);
        }
    }
    let some = devices.into_iter().filter(|(_, (_, most, _))| *most > 0);
    some.map(|(device, (_, _, at))| (device, at)).collect()
}
