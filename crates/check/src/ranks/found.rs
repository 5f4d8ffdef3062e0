//! Findings of a job.

use std::collections::BTreeMap;

use millpond_trace::{RankMessage, RankProblem, Text};

use super::job::{Description, Gone, Job, Place, Row, Step, Work};
use super::picture::{
    RankCell, RankColumn, RankLane, RankMatrix, RankPicture, RankState, chosen, listed,
};
use crate::judge::rank_rule;
use crate::{Finding, ReportedOperation};

/// A finding about ranks of several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RankFinding {
    /// The finding. Call sites are addresses and stacks of the file that each operation is from.
    pub finding: Finding,
    /// The file of each operation.
    pub files: Vec<usize>,
}

/// Operations of a finding: more would not be read.
const MOST_OPERATIONS: usize = 8;

impl Description {
    /// In words.
    pub(super) fn summary(&self) -> String {
        if self.element.is_empty() {
            return self.function.to_string();
        }
        let mut text = vec![format!("count {}", self.count), self.element.to_string()];
        if !self.reduction.is_empty() {
            text.push(self.reduction.to_string());
        }
        if let Some(root) = self.root {
            text.push(format!("root {root}"));
        }
        format!("{}({})", self.function, text.join(", "))
    }

    /// The first field in which two ranks differ, with both values.
    fn difference(&self, other: &Self) -> (&'static str, String, String) {
        let both = |field, one: &dyn ToString, two: &dyn ToString| {
            (field, one.to_string(), two.to_string())
        };
        let root = |root: Option<u32>| root.map_or_else(String::new, |root| root.to_string());
        if self.function != other.function {
            both("operation", &self.function, &other.function)
        } else if self.count != other.count {
            both("count", &self.count, &other.count)
        } else if self.element != other.element {
            both("data type", &self.element, &other.element)
        } else if self.reduction != other.reduction {
            both("reduction", &self.reduction, &other.reduction)
        } else if self.root != other.root {
            both("root", &root(self.root), &root(other.root))
        } else {
            both("counts and displacements", &"", &"")
        }
    }
}

/// What a call with messages is, in words.
pub(super) fn title(function: &Text, messages: &[RankMessage]) -> String {
    let one = |it: &RankMessage| {
        let way = if it.sends { "to" } else { "from" };
        format!(
            "{} bytes of {} {way} rank {}",
            it.bytes, it.element, it.peer
        )
    };
    match messages {
        [only] => format!("{function}({})", one(only)),
        [first, rest @ ..] => format!(
            "{function}({} and {} more messages)",
            one(first),
            rest.len()
        ),
        [] => function.to_string(),
    }
}

fn what(job: &Job, call: u64) -> String {
    let Some(found) = job.calls.get(&call) else {
        return String::new();
    };
    match &found.work {
        Work::Messages { what, .. } => what.clone(),
        Work::Together { place, sort } => job
            .place(found.communicator, *place)
            .and_then(|place| place.sorts.get(*sort))
            .map_or_else(String::new, Description::summary),
    }
}

/// An operation of a finding: what a rank calls.
fn operation(job: &Job, call: u64, text: &str) -> Option<(ReportedOperation, usize)> {
    let found = job.calls.get(&call)?;
    let mut operation = found
        .origin
        .operation(format!("rank {}: {text}", found.rank));
    if operation.site.call.is_empty() {
        let function = text.split('(').next().unwrap_or_default();
        operation.site.call = Text::Owned(function.to_owned());
    }
    Some((operation, found.file))
}

fn finding(
    job: &Job,
    problem: RankProblem,
    message: String,
    operations: Vec<(ReportedOperation, usize)>,
    mut picture: RankPicture,
    index: usize,
) -> RankFinding {
    let it = &job.communicators[index];
    picture.communicator.clone_from(&it.name);
    picture.ranks = it.ranks;
    let message = match it.recent.back() {
        Some(before) => format!("{message}; the last operation that matched is {before}"),
        None => message,
    };
    let (rule, advice) = rank_rule(problem);
    let (operations, files): (Vec<_>, Vec<_>) = operations.into_iter().unzip();
    let mut operations = operations.into_iter();
    let first = operations.next().unwrap_or_else(|| ReportedOperation {
        what: format!("communicator {}", it.name),
        order: 0,
        thread: 0,
        stream: None,
        site: millpond_trace::Site::default(),
    });
    let mut finding = Finding::new(rule, message, first);
    finding.operations.extend(operations);
    finding.advice = Some(advice.to_owned());
    finding.ranks = Some(std::sync::Arc::new(picture));
    RankFinding { finding, files }
}

/// The columns of what matched before, and one more.
fn columns(job: &Job, index: usize) -> Vec<RankColumn> {
    let it = &job.communicators[index];
    let first = it.base - it.recent.len() as u64;
    let matched = it
        .recent
        .iter()
        .zip(first + 1..)
        .map(|(what, place)| RankColumn {
            place,
            what: what.clone(),
        });
    matched
        .chain([RankColumn {
            place: it.base + 1,
            what: String::new(),
        }])
        .collect()
}

/// The lanes of ranks that all did the columns before the last.
fn lanes(columns: &[RankColumn], shown: &[u32], last: impl Fn(u32) -> RankCell) -> Vec<RankLane> {
    let lane = |rank: &u32| {
        let before = &columns[..columns.len() - 1];
        let matched = before.iter().map(|column| {
            Some(RankCell {
                what: column.what.clone(),
                state: RankState::Matched,
                operation: None,
            })
        });
        RankLane {
            rank: *rank,
            cells: matched.chain([Some(last(*rank))]).collect(),
        }
    };
    shown.iter().map(lane).collect()
}

/// Ranks do different things.
pub(super) fn mismatch(job: &Job, index: usize, place: &Place) -> RankFinding {
    let it = &job.communicators[index];
    let sort = |call: &u64| match job.calls.get(call).map(|call| &call.work) {
        Some(Work::Together { sort, .. }) => *sort,
        _ => 0,
    };
    let sorts: BTreeMap<u32, usize> = place
        .calls
        .iter()
        .map(|(rank, call)| (*rank, sort(call)))
        .collect();
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for (rank, sort) in &sorts {
        groups.entry(*sort).or_default().push(*rank);
    }
    let mut groups: Vec<(usize, Vec<u32>)> = groups.into_iter().collect();
    // The sentence is about most ranks and one of the others.
    groups.sort_by_key(|(_, ranks)| std::cmp::Reverse(ranks.len()));
    let mut named = [&groups[0], &groups[1]];
    named.sort_by_key(|(_, ranks)| ranks[0]);
    let [(one, these), (two, those)] = named;
    let (low, high) = (these[0], those[0]);
    let (field, here, there) = place.sorts[*one].difference(&place.sorts[*two]);
    let (number, name) = (it.base + 1, &it.name);
    let message = match field {
        "operation" => format!(
            "rank {low} calls {here} as operation {number} of communicator {name}, and rank {high} calls {there}"
        ),
        _ if here.is_empty() => format!(
            "the {field} of operation {number} of communicator {name} differ between rank {low} and rank {high}"
        ),
        _ => format!(
            "the {field} of operation {number} of communicator {name} is {here} on rank {low} and {there} on rank {high}"
        ),
    };
    groups.sort_by_key(|(_, ranks)| ranks[0]);
    let summary = |sort: usize| place.sorts[sort].summary();
    let operations = groups
        .iter()
        .take(MOST_OPERATIONS)
        .filter_map(|(sort, ranks)| {
            let mut text = summary(*sort);
            if ranks.len() > 1 {
                text = format!("{text}, also on {}", listed(&ranks[1..]));
            }
            operation(job, place.calls[&ranks[0]], &text)
        });
    let operations: Vec<_> = operations.collect();
    let (shown, more, like) = chosen(&sorts);
    let columns = columns(job, index);
    let number_of = |sort: usize| {
        let at = groups.iter().position(|(other, _)| *other == sort);
        at.filter(|at| *at < operations.len())
            .and_then(|at| u32::try_from(at).ok())
    };
    let picture = RankPicture {
        lanes: lanes(&columns, &shown, |rank| RankCell {
            what: summary(sorts[&rank]),
            state: RankState::Differs,
            operation: number_of(sorts[&rank]),
        }),
        columns,
        more,
        like,
        ..RankPicture::default()
    };
    finding(
        job,
        RankProblem::Mismatch,
        message,
        operations,
        picture,
        index,
    )
}

fn how(gone: Gone) -> &'static str {
    match gone {
        Gone::Left => "has destroyed its communicator",
        Gone::Ended | Gone::Unknown => "has ended",
    }
}

/// Ranks wait for others that call nothing more.
pub(super) fn waits(
    job: &Job,
    index: usize,
    place: &Place,
    missing: &[u32],
    gone: &BTreeMap<u32, Gone>,
) -> RankFinding {
    let it = &job.communicators[index];
    let summary = place.sorts[0].summary();
    let waiting: Vec<u32> = place.calls.keys().copied().collect();
    let why = missing.first().and_then(|rank| gone.get(rank)).copied();
    let why = how(why.unwrap_or(Gone::Ended));
    let message = format!(
        "{summary} of {} on communicator {} waits for {}, which {why}",
        listed(&waiting),
        it.name,
        listed(missing)
    );
    let text = match waiting.len() {
        1 => format!("{summary} waits"),
        _ => format!("{summary} waits, also on {}", listed(&waiting[1..])),
    };
    let first = operation(job, place.calls[&waiting[0]], &text);
    let sorts = waiting
        .iter()
        .map(|rank| (*rank, 0))
        .chain(missing.iter().map(|rank| (*rank, 1)));
    let (shown, more, like) = chosen(&sorts.collect());
    let columns = columns(job, index);
    let picture = RankPicture {
        lanes: lanes(&columns, &shown, |rank| {
            if place.calls.contains_key(&rank) {
                RankCell {
                    what: summary.clone(),
                    state: RankState::Waits,
                    operation: Some(0),
                }
            } else {
                RankCell {
                    what: how(gone.get(&rank).copied().unwrap_or(Gone::Ended)).to_owned(),
                    state: RankState::Missing,
                    operation: None,
                }
            }
        }),
        columns,
        more,
        like,
        ..RankPicture::default()
    };
    let mut operations: Vec<_> = first.into_iter().collect();
    operations.extend(last(job, index, missing));
    finding(job, RankProblem::Gone, message, operations, picture, index)
}

/// The last calls of ranks.
fn last(job: &Job, index: usize, ranks: &[u32]) -> Vec<(ReportedOperation, usize)> {
    let known = ranks.iter().filter_map(|rank| {
        let (origin, file) = job.communicators[index].last.get(rank)?;
        let call = &origin.site.call;
        let text = format!("rank {rank}: {call} is its last call");
        Some((origin.operation(text), *file))
    });
    known.take(MOST_OPERATIONS - 1).collect()
}

/// A message waits for a rank that calls nothing more.
pub(super) fn message_waits(
    job: &Job,
    index: usize,
    call: u64,
    misses: u32,
    gone: Gone,
) -> RankFinding {
    let it = &job.communicators[index];
    let text = what(job, call);
    let rank = job.calls.get(&call).map_or(0, |call| call.rank);
    let message = format!(
        "{text} of rank {rank} on communicator {} waits for rank {misses}, which {}",
        it.name,
        how(gone)
    );
    let operations = operation(job, call, &format!("{text} waits"));
    let mut lanes = vec![
        lane(rank, &text, RankState::Waits, Some(0)),
        lane(misses, how(gone), RankState::Missing, None),
    ];
    lanes.sort_by_key(|lane| lane.rank);
    let picture = RankPicture {
        columns: vec![RankColumn::default()],
        lanes,
        ..RankPicture::default()
    };
    let mut operations: Vec<_> = operations.into_iter().collect();
    operations.extend(last(job, index, &[misses]));
    finding(job, RankProblem::Gone, message, operations, picture, index)
}

fn lane(rank: u32, what: &str, state: RankState, operation: Option<u32>) -> RankLane {
    RankLane {
        rank,
        cells: vec![Some(RankCell {
            what: what.to_owned(),
            state,
            operation,
        })],
    }
}

/// A message is received in another way than it was sent.
pub(super) fn unequal(
    job: &Job,
    index: usize,
    (from, send, sent, one): (u32, u64, u64, &Text),
    (to, receive, expected, other): (u32, u64, u64, &Text),
    matrix: Option<RankMatrix>,
) -> RankFinding {
    let it = &job.communicators[index];
    let mut message = format!(
        "the message from rank {from} to rank {to} of communicator {} does not match: rank {from} sends {sent} bytes of {one}, and the \
         receive expects {expected} bytes of {other}",
        it.name
    );
    if let Some(matrix) = &matrix {
        let differences = matrix.differences();
        let others = differences
            .iter()
            .filter(|(one, two, ..)| (*one, *two) != (from, to));
        let others: Vec<String> = others
            .take(MOST_OPERATIONS)
            .map(|(from, to, sent, expected)| {
                format!("rank {from} sends {sent} elements to rank {to}, which expects {expected}")
            })
            .collect();
        if !others.is_empty() {
            message = format!("{message}; {}", others.join("; "));
        }
    }
    let calls = [(from, send), (to, receive)];
    let operations: Vec<_> = calls
        .iter()
        .filter_map(|(_, call)| operation(job, *call, &what(job, *call)))
        .collect();
    let lanes = calls.iter().zip(0..).map(|((rank, call), number)| {
        lane(*rank, &what(job, *call), RankState::Differs, Some(number))
    });
    let mut lanes: Vec<RankLane> = lanes.collect();
    lanes.sort_by_key(|lane| lane.rank);
    lanes.dedup_by_key(|lane| lane.rank);
    let picture = RankPicture {
        columns: vec![RankColumn::default()],
        lanes,
        matrix,
        ..RankPicture::default()
    };
    finding(
        job,
        RankProblem::Message,
        message,
        operations,
        picture,
        index,
    )
}

/// Streams wait for each other.
pub(super) fn cycle(job: &Job, communicators: &[usize], steps: &[Step]) -> RankFinding {
    let names: Vec<&str> = communicators
        .iter()
        .map(|index| &*job.communicators[*index].name)
        .collect();
    let message = format!(
        "ranks of communicator {} wait for each other, and none of them can continue",
        names.join(" and ")
    );
    let mut operations = Vec::new();
    let mut lanes = Vec::new();
    for (at, step) in steps.iter().enumerate() {
        let (Some(call), Some(needs)) = (step.call, step.needs) else {
            continue;
        };
        let Some(waiting) = job.calls.get(&call) else {
            continue;
        };
        let on = match names.len() {
            1 => String::new(),
            _ => format!(
                " on communicator {}",
                job.communicators[waiting.communicator].name
            ),
        };
        let peer = job.calls.get(&needs).map_or(0, |call| call.rank);
        let (_, stream) = step.streams();
        // Events lead from there to the next stream of the cycle.
        let through = steps[at + 1..]
            .iter()
            .chain(steps)
            .take_while(|step| step.call.is_none());
        let events: Vec<String> = through
            .map(Step::streams)
            .map(|(from, to)| format!("stream {from} waits for an event of stream {to}"))
            .collect();
        let behind = if events.is_empty() {
            "other waiting work".to_owned()
        } else {
            format!("a wait: {}", events.join(", "))
        };
        let text = format!(
            "{}{on} waits for rank {peer}, whose {} is queued in stream {stream} behind {behind}",
            what(job, call),
            what(job, needs)
        );
        let number = u32::try_from(operations.len()).ok();
        if operations.len() < MOST_OPERATIONS {
            operations.extend(operation(job, call, &text));
        }
        lanes.push(lane(
            waiting.rank,
            &format!("{}{on}", what(job, call)),
            RankState::Waits,
            number.filter(|number| (*number as usize) < MOST_OPERATIONS),
        ));
    }
    lanes.sort_by_key(|lane| lane.rank);
    let more = lanes.len().saturating_sub(super::MOST_LANES);
    lanes.truncate(super::MOST_LANES);
    let picture = RankPicture {
        columns: vec![RankColumn::default()],
        lanes,
        more: u32::try_from(more).unwrap_or(u32::MAX),
        ..RankPicture::default()
    };
    let first = communicators.first().copied().unwrap_or(0);
    let mut found = finding(job, RankProblem::Cycle, message, operations, picture, first);
    if names.len() > 1
        && let Some(picture) = &mut found.finding.ranks
    {
        std::sync::Arc::make_mut(picture).communicator = names.join(" and ");
    }
    found
}

/// Whether all counts of an all-to-all agree.
pub(super) fn agree(rows: &BTreeMap<u32, Row>) -> bool {
    rows.iter().all(|(from, row)| {
        row.sends.iter().all(|(to, bytes)| {
            let there = rows.get(to).and_then(|row| row.receives.get(from));
            there.is_none_or(|expected| expected == bytes)
        })
    })
}

/// The counts of an all-to-all in elements; none if types differ.
pub(super) fn matrix(rows: &BTreeMap<u32, Row>) -> Option<RankMatrix> {
    let element = &rows.values().next()?.element;
    if rows.values().any(|row| row.element != *element) {
        return None;
    }
    let size = size_of_element(element)?;
    let ranks: Vec<u32> = rows.keys().copied().collect();
    let table = |count: &dyn Fn(u32, u32) -> Option<u64>| {
        let row = |from: &u32| ranks.iter().map(|to| count(*from, *to)).collect();
        ranks.iter().map(row).collect()
    };
    let elements = |bytes: Option<&u64>| bytes.map(|bytes| bytes / size);
    Some(RankMatrix {
        sent: table(&|from, to| elements(rows[&from].sends.get(&to))),
        expected: table(&|from, to| elements(rows[&to].receives.get(&from))),
        ranks,
    })
}

fn size_of_element(name: &str) -> Option<u64> {
    Some(match name {
        "int8" | "uint8" | "an 8-bit float" => 1,
        "int16" | "uint16" | "float16" | "bfloat16" => 2,
        "int32" | "uint32" | "float32" => 4,
        "int64" | "uint64" | "float64" => 8,
        "int128" => 16,
        _ => return None,
    })
}
