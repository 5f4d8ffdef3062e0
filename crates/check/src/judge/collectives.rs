//! Operations between ranks that cannot end.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use millpond_trace::{Operation, RankPart, RankProblem, Record, Site};

use super::Judge;
use crate::ranks::{RankCell, RankColumn, RankLane, RankPicture, RankState, chosen};
use crate::rules::collective;
use crate::verdict::Verdict;
use crate::world::{Origin, World};
use crate::{Finding, ReportedOperation, Rule};

/// Reports what one rank recorded for all of them.
#[derive(Debug, Default)]
pub(crate) struct Collectives;

impl Judge for Collectives {
    fn record(&mut self, _: &World, record: &Record, verdict: &mut Verdict) {
        let Operation::RanksFailed {
            problem,
            communicator,
            rank,
            ranks,
            reason,
            parts,
            before,
            place,
        } = &record.operation
        else {
            return;
        };
        let origin = Origin::of(record);
        let mut operations: Vec<ReportedOperation> =
            parts.iter().map(|part| operation(part, &origin)).collect();
        if operations.is_empty() {
            operations
                .push(origin.operation(format!("rank {rank} of communicator {communicator}")));
        }
        let message = if before.is_empty() {
            reason.clone()
        } else {
            format!("{reason}; the last operation that matched is {before}")
        };
        let (rule, advice) = rule(*problem);
        let mut finding = Finding::new(rule, message, operations.remove(0));
        finding.operations.extend(operations);
        finding.advice = Some(advice.to_owned());
        finding.ranks = picture(*problem, *rank, parts, before, *place).map(|picture| {
            Arc::new(RankPicture {
                communicator: communicator.clone(),
                ranks: *ranks,
                ..picture
            })
        });
        verdict.report(finding);
    }
}

/// What ranks did, as far as the record says.
fn picture(
    problem: RankProblem,
    own: u32,
    parts: &[RankPart],
    before: &str,
    place: u64,
) -> Option<RankPicture> {
    let state = |rank: u32| match problem {
        RankProblem::Mismatch | RankProblem::Message | RankProblem::NotANumber => {
            RankState::Differs
        }
        RankProblem::Cycle | RankProblem::Closed => RankState::Waits,
        _ if rank == own => RankState::Waits,
        _ => RankState::Missing,
    };
    let mut columns = Vec::new();
    if !before.is_empty() {
        columns.push(RankColumn {
            place: place.saturating_sub(1),
            what: before.to_owned(),
        });
    }
    columns.push(RankColumn {
        place,
        what: String::new(),
    });
    let lane = |rank: u32, number: usize, part: &RankPart| {
        let matched = columns
            .iter()
            .take(columns.len() - 1)
            .map(|column| RankCell {
                what: column.what.clone(),
                state: RankState::Matched,
                operation: None,
            });
        // The part's text names the others.
        let what = part.what.split(", also on ").next().unwrap_or_default();
        let last = RankCell {
            what: what.to_owned(),
            state: state(rank),
            operation: u32::try_from(number).ok(),
        };
        RankLane {
            rank,
            cells: matched.chain([last]).map(Some).collect(),
        }
    };
    if problem == RankProblem::Cycle {
        // A rank may wait in several streams.
        let lanes = parts.iter().enumerate();
        let lanes: Vec<RankLane> = lanes.map(|(at, part)| lane(part.rank, at, part)).collect();
        return (!lanes.is_empty()).then_some(RankPicture {
            columns,
            lanes,
            ..RankPicture::default()
        });
    }
    let mut sorts = BTreeMap::new();
    for (at, part) in parts.iter().enumerate() {
        for rank in part.also.iter().chain([&part.rank]) {
            sorts.insert(*rank, at);
        }
    }
    if sorts.is_empty() {
        return None;
    }
    let (shown, more, like) = chosen(&sorts);
    let lanes = shown.iter().map(|rank| {
        let at = sorts[rank];
        lane(*rank, at, &parts[at])
    });
    Some(RankPicture {
        lanes: lanes.collect(),
        columns,
        more,
        like,
        ..RankPicture::default()
    })
}

/// What one rank does. The address and the stack of another rank are those of this process for the same code.
fn operation(part: &RankPart, origin: &Origin) -> ReportedOperation {
    let what = format!("rank {}: {}", part.rank, part.what);
    let call = part.what.split('(').next().unwrap_or_default();
    let call = if call.starts_with("Hccl") { call } else { "" };
    ReportedOperation {
        what,
        order: origin.order,
        thread: 0,
        stream: None,
        site: Site {
            call: Cow::Owned(call.to_owned()),
            caller: part.caller,
            stack: part.stack,
        },
    }
}

/// The rule of a problem, and how to fix it.
pub(crate) fn rule(problem: RankProblem) -> (&'static Rule, &'static str) {
    match problem {
        RankProblem::Mismatch => (
            &collective::MISMATCH,
            "make every rank call the same operations in the same order, with the same arguments; look for a branch that depends on the rank, \
             and for batches of different sizes",
        ),
        RankProblem::Message => (
            &collective::MESSAGE_MISMATCH,
            "receive the same count and type as the other rank sends",
        ),
        RankProblem::Gone => (
            &collective::RANK_GONE,
            "find out why that rank left, and make every rank take part in every operation before it ends",
        ),
        RankProblem::Cycle => (
            &collective::DEADLOCK,
            "let one rank receive while the other sends, or put both messages into one HcclBatchSendRecv or one group; use communicators in the \
             same order on all ranks",
        ),
        RankProblem::TimedOut => (
            &collective::TIMEOUT,
            "find out why the missing ranks do not call the operation",
        ),
        RankProblem::Meeting => (
            &collective::MEETING,
            "join the communicator once on every rank, with the same number of ranks and the root info of one HcclGetRootInfo call",
        ),
        RankProblem::Closed => (
            &collective::DESTROYED_IN_USE,
            "synchronise the streams of its operations before HcclCommDestroy",
        ),
        RankProblem::OtherDevice => (
            &collective::WRONG_DEVICE,
            "create the stream on the device that was current when the communicator was created",
        ),
        RankProblem::SharedDevice => (
            &collective::SHARED_DEVICE,
            "call aclrtSetDevice with the rank's own device before the communicator is created; LOCAL_RANK is its number under torchrun",
        ),
        RankProblem::NotANumber => (
            &collective::NOT_A_NUMBER,
            "look for the operation that computes the first NaN on that rank, before this call; the NaN of every other rank comes from there",
        ),
    }
}
