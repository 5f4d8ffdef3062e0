//! What goes wrong between ranks, as records for the checker.
//!
//! One rank reports for all. The call sites of the others come through shared memory, as text: what people read, a unit separator, and
//! what is needed to name the same code in this process.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use millpond_collective::{
    Caller, Communicator, Doing, EventWaits, Kind, MeetingError, Member, Observer, Problem,
    Request, Trouble, element_name, reduction_title,
};
use millpond_sharing::hex;
use millpond_trace::{
    CallSite, Operation, Position, RankMessage, RankPart, RankProblem, StackRef, Text,
};
use parking_lot::Mutex;

use super::communicators::Entry;
use crate::{caller, process};

/// Texts of call sites: a program has few.
static SITES: LazyLock<Mutex<HashMap<(u64, StackRef), String>>> = LazyLock::new(Mutex::default);
const MOST_SITES: usize = 4096;
/// Bytes of a site: what fits into the memory that ranks share, with room for what the call is.
const MOST: usize = 640;
const SEPARATOR: char = '\u{1f}';

/// Who calls: empty if nobody records.
pub(super) fn caller(stream: u64) -> Caller {
    if !process::listening() {
        return Caller::default();
    }
    Caller {
        site: site(),
        lane: lane(stream),
    }
}

/// A number for a stream that no other one of the machine has. Streams are numbered from 1 in each process.
fn lane(stream: u64) -> u64 {
    (u64::from(std::process::id()) << 32) | (stream & 0xffff_ffff)
}

/// Streams of this process that wait for events of others.
pub(super) fn event_waits() -> EventWaits {
    EventWaits(Box::new(|| {
        let waits = process::known().map(millpond::Runtime::event_waits);
        let place = |it: Position| (lane(it.stream), it.task);
        let waits = waits.unwrap_or_default().into_iter();
        waits
            .map(|(waits, records)| [place(waits), place(records)])
            .collect()
    }))
}

fn site() -> String {
    let (address, stack) = CallSite::current();
    let mut sites = SITES.lock();
    if let Some(known) = sites.get(&(address, stack)) {
        return known.clone();
    }
    let frames = caller::portable(address, stack, MOST);
    let readable = readable(&frames).unwrap_or_else(|| caller::describe(address));
    let process = std::process::id();
    let text = format!("{readable}{SEPARATOR}{process} {address:x} {stack}{SEPARATOR}{frames}");
    if sites.len() < MOST_SITES {
        sites.insert((address, stack), text.clone());
    }
    text
}

/// `train.py:17 in main`, if a script called: its own line, not that of an installed package.
fn readable(frames: &str) -> Option<String> {
    let mut lines = frames.lines();
    let own = lines.clone().find(|line| !line.contains("/site-packages/"));
    let (line, rest) = own.or_else(|| lines.next())?.split_once(':')?;
    let (function, file) = rest.split_once(':')?;
    let name = file.rsplit('/').next().unwrap_or(file);
    line.parse::<u32>().ok()?;
    Some(format!("{name}:{line} in {function}"))
}

/// The call site of any rank, as an address and a stack of this process.
fn here(site: &str) -> (u64, StackRef) {
    let mut parts = site.split(SEPARATOR).skip(1);
    let (Some(numbers), Some(frames)) = (parts.next(), parts.next()) else {
        return (0, 0);
    };
    let mut numbers = numbers.split(' ');
    let process = numbers.next().and_then(|it| it.parse::<u32>().ok());
    if process == Some(std::process::id()) {
        let address = numbers
            .next()
            .and_then(|it| u64::from_str_radix(it, 16).ok());
        let stack = numbers.next().and_then(|it| it.parse().ok());
        return (address.unwrap_or(0), stack.unwrap_or(0));
    }
    let stack = process::tap().map_or(0, |tap| caller::adopt(frames, tap));
    (0, stack)
}

/// Who hears of problems: nobody if nobody records.
pub(super) fn observer() -> Option<Observer> {
    process::listening().then(|| Observer(Arc::new(record)))
}

fn record(problem: &Problem) {
    let parts: Vec<RankPart> = problem.doings.iter().map(part).collect();
    let own = problem
        .doings
        .iter()
        .position(|doing| doing.rank == problem.rank);
    let (caller, stack) = own.map_or((0, 0), |own| (parts[own].caller, parts[own].stack));
    let _site = CallSite::note("", caller, stack);
    process::emit(|| Operation::RanksFailed {
        problem: match problem.trouble {
            Trouble::Mismatch => RankProblem::Mismatch,
            Trouble::Message => RankProblem::Message,
            Trouble::Gone => RankProblem::Gone,
            Trouble::Cycle => RankProblem::Cycle,
            Trouble::TimedOut => RankProblem::TimedOut,
            Trouble::Closed => RankProblem::Closed,
            Trouble::NotANumber => RankProblem::NotANumber,
        },
        communicator: problem.communicator.clone(),
        rank: number(problem.rank),
        ranks: number(problem.ranks),
        reason: problem.reason.clone(),
        parts,
        before: problem.before.clone(),
        place: problem.place,
    });
}

fn part(doing: &Doing) -> RankPart {
    let (caller, stack) = here(&doing.site);
    RankPart {
        rank: number(doing.rank),
        what: doing.what.clone(),
        caller,
        stack,
        also: doing.also.iter().copied().map(number).collect(),
    }
}

/// Records that a rank of this process has joined a communicator.
pub(super) fn joined(communicator: &Communicator) {
    process::emit(|| Operation::RankJoined {
        communicator: hex(&communicator.id()),
        name: communicator.name().to_owned(),
        rank: number(communicator.rank()),
        ranks: number(communicator.ranks()),
    });
}

/// Records that it has left.
pub(super) fn left(communicator: &Communicator) {
    process::emit(|| Operation::RankLeft {
        communicator: hex(&communicator.id()),
        rank: number(communicator.rank()),
    });
}

/// The record of a call, apart from its position; none if nobody records.
pub(super) fn call(function: &'static str, entry: &Entry, request: &Request) -> Option<Operation> {
    if !process::listening() {
        return None;
    }
    let communicator = &entry.communicator;
    let (id, rank) = (hex(&communicator.id()), number(communicator.rank()));
    let position = Position { stream: 0, task: 0 };
    Some(match request {
        Request::Group(group) => Operation::RankCalled {
            communicator: id,
            rank,
            position,
            function: Text::Borrowed(group.kind.name()),
            count: group.count,
            element: match group.kind {
                Kind::Barrier => Text::default(),
                _ => Text::Borrowed(element_name(group.element)),
            },
            reduction: if group.kind.reduces() {
                Text::Borrowed(reduction_title(group.reduction))
            } else {
                Text::default()
            },
            root: group.kind.has_root().then_some(group.root),
            parts: group.parts_number(),
            messages: Vec::new(),
        },
        Request::Transfers(transfers) => Operation::RankCalled {
            communicator: id,
            rank,
            position,
            function: Text::Borrowed(function),
            count: 0,
            element: Text::default(),
            reduction: Text::default(),
            root: None,
            parts: 0,
            messages: transfers
                .iter()
                .map(|transfer| RankMessage {
                    peer: transfer.peer,
                    sends: transfer.sends,
                    bytes: transfer.bytes,
                    element: Text::Borrowed(element_name(transfer.element)),
                })
                .collect(),
        },
    })
}

/// Records a call that was queued. Called under the communicator's lock: records have the order of the calls.
pub(super) fn called(record: Option<Operation>, queued: Position) {
    if let Some(mut operation) = record {
        if let Operation::RankCalled { position, .. } = &mut operation {
            *position = queued;
        }
        process::emit(|| operation);
    }
}

fn number(rank: usize) -> u32 {
    u32::try_from(rank).unwrap_or(u32::MAX)
}

/// Records that ranks did not meet.
pub(super) fn did_not_meet(member: &Member, error: &MeetingError) {
    // What the machine lacks is not the program's mistake.
    if matches!(
        error,
        MeetingError::System(_)
            | MeetingError::Network(_)
            | MeetingError::Port(_)
            | MeetingError::Unavailable(_)
    ) {
        return;
    }
    let text = error.to_string();
    let reason = match text.split_once(": ") {
        Some((code, rest)) if code.starts_with("EI") => rest.to_owned(),
        _ => text,
    };
    process::emit(|| Operation::RanksFailed {
        problem: RankProblem::Meeting,
        communicator: member.settings.name.clone(),
        rank: member.rank,
        ranks: member.ranks,
        reason,
        parts: Vec::new(),
        before: String::new(),
        place: 0,
    });
}

/// The number of a device among all of the machine.
pub(super) fn device(index: u32) -> Option<u32> {
    let settings = process::settings().ok()?;
    settings.physical(i64::from(index)).ok()
}

/// Records that another rank uses this rank's device. The highest of them does.
pub(super) fn share_device(communicator: &Communicator) {
    let others = communicator.on_same_device();
    if others.is_empty() || others.iter().any(|&other| other > communicator.rank()) {
        return;
    }
    let others: Vec<String> = others.iter().map(usize::to_string).collect();
    process::emit(|| Operation::RanksFailed {
        problem: RankProblem::SharedDevice,
        communicator: communicator.name().to_owned(),
        rank: number(communicator.rank()),
        ranks: number(communicator.ranks()),
        reason: format!(
            "rank {} of communicator {} uses the same device as rank {}",
            communicator.rank(),
            communicator.name(),
            others.join(", ")
        ),
        parts: Vec::new(),
        before: String::new(),
        place: 0,
    });
}

/// Records that an operation was queued in a stream of another device.
pub(super) fn on_other_device(function: &str, entry: &Entry, device: u32) {
    let communicator = &entry.communicator;
    process::emit(|| Operation::RanksFailed {
        problem: RankProblem::OtherDevice,
        communicator: communicator.name().to_owned(),
        rank: number(communicator.rank()),
        ranks: number(communicator.ranks()),
        reason: format!(
            "{function} uses a stream of device {device}, but communicator {} was created on device {}",
            communicator.name(),
            entry.device
        ),
        parts: Vec::new(),
        before: String::new(),
        place: 0,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_named_by_its_line() {
        let frames = "17:main:/a/train.py\n3:<module>:/a/train.py\n";
        assert_eq!(readable(frames).as_deref(), Some("train.py:17 in main"));
        let installed = format!("9:call:/x/site-packages/y.py\n{frames}");
        assert_eq!(readable(&installed).as_deref(), Some("train.py:17 in main"));
        assert_eq!(readable("+1f:/a/program\n"), None);
        assert_eq!(readable(""), None);
    }

    #[test]
    fn a_site_of_this_process_is_what_it_was() {
        let site = format!("x{SEPARATOR}{} ff 7{SEPARATOR}", std::process::id());
        assert_eq!(here(&site), (255, 7));
        for nonsense in ["", "x", "\u{1f}", "\u{1f}\u{1f}", "\u{1f}x y z\u{1f}"] {
            assert_eq!(here(nonsense), (0, 0), "{nonsense:?}");
        }
    }
}
