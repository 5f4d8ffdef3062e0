//! Functions that exchange elements with other ranks: the steps of their plan and an operation between ranks, one after the other.

use std::ops::Range;
use std::sync::Arc;

use millpond::{Element as TensorElement, Stream, Touch};
use millpond_abi as abi;
use millpond_collective::{Element, Group, Kind, Reduction, Request, Transfer};
use millpond_functions::{Exchange, ExchangeKind, Side};
use smallvec::SmallVec;

use super::executor::{Executor, compute};
use crate::boundary::{CallError, Cause};
use crate::hccl::{communicators, launch};
use crate::registry::HandleGuard;

/// Queues both, in the order that the plan says.
pub(super) fn run(
    executor: HandleGuard<'static, Executor>,
    touches: &[Touch],
    workspace: u64,
    stream: &Stream,
) -> Result<(), CallError> {
    let (function, exchange, is_moved) = executor.exchange();
    let Some(exchange) = exchange.cloned() else {
        return compute(executor, touches, workspace, None, stream);
    };
    if is_moved {
        return Err(CallError::coded(
            abi::ACLNN_ERR_PARAM_INVALID,
            "tensors of a function that communicates cannot be moved: make a new executor",
        ));
    }
    check_group(&exchange, stream)?;
    let [sent, received] = sides(&exchange, workspace);
    let all = executor.steps();
    if exchange.after == 0 {
        queue(function, &exchange, [sent, received], stream)?;
        let kept = kept(exchange.receive, received, false);
        return compute(executor, touches, workspace, kept, stream);
    }
    if exchange.after == all {
        let kept = kept(exchange.send, sent, true);
        compute(executor, touches, workspace, kept, stream)?;
        return queue(function, &exchange, [sent, received], stream);
    }
    let executor = Arc::new(executor);
    let before = 0..exchange.after;
    compute_some(&executor, touches, workspace, before, stream)?;
    queue(function, &exchange, [sent, received], stream)?;
    compute_some(&executor, touches, workspace, exchange.after..all, stream)
}

/// Queues some of the steps. What they leave in the workspace is for the exchange and the other steps.
fn compute_some(
    executor: &Arc<HandleGuard<'static, Executor>>,
    touches: &[Touch],
    workspace: u64,
    steps: Range<usize>,
    stream: &Stream,
) -> Result<(), CallError> {
    let mut touches: SmallVec<[Touch; 8]> = touches.into();
    touches.push(Touch {
        address: workspace,
        bytes: executor.scratch(),
        reads: steps.start > 0,
        writes: true,
    });
    let (function, _, _) = executor.exchange();
    let executor = Arc::clone(executor);
    Ok(
        stream.compute(function, &touches, None, false, move |operands, _| {
            executor.run_some(operands, steps.clone())
        })?,
    )
}

/// The part of the workspace that the steps share with the exchange: it is at the beginning.
fn kept(side: Side, touch: Touch, writes: bool) -> Option<Touch> {
    (side == Side::Workspace(0)).then_some(Touch {
        reads: !writes,
        writes,
        ..touch
    })
}

fn element(exchange: &Exchange) -> Element {
    match exchange.element {
        TensorElement::F16 => Element::F16,
        TensorElement::BF16 => Element::Bf16,
        TensorElement::U8 => Element::U8,
        _ => Element::F32,
    }
}

/// What the exchange reads and what it writes.
fn sides(exchange: &Exchange, workspace: u64) -> [Touch; 2] {
    let ranks = exchange.ranks.unwrap_or(1);
    let (sent, received) = match exchange.kind {
        ExchangeKind::SumOverAll => (1, 1),
        ExchangeKind::GatherToAll => (1, ranks),
        ExchangeKind::SumAndScatter => (ranks, 1),
        ExchangeKind::Swap => (ranks, ranks),
    };
    let bytes = exchange.count * element(exchange).bytes() as u64;
    let side = |side: Side, parts: u64, writes: bool| Touch {
        address: match side {
            Side::At(address) => address,
            Side::Workspace(offset) => workspace + offset,
        },
        bytes: bytes * parts,
        reads: !writes,
        writes,
    };
    [
        side(exchange.send, sent, false),
        side(exchange.receive, received, true),
    ]
}

/// Refuses a group that the call is not made for. Nothing has been queued then.
fn check_group(exchange: &Exchange, stream: &Stream) -> Result<(), CallError> {
    let found = communicators::find_named(&exchange.group, stream.device_index());
    let entry = found.map_err(own_code)?;
    let (ranks, rank) = (
        entry.communicator.ranks() as u64,
        entry.communicator.rank() as u64,
    );
    let wrong = |text: String| Err(CallError::coded(abi::ACLNN_ERR_PARAM_INVALID, text));
    if let Some(needed) = exchange.ranks.filter(|needed| *needed != ranks) {
        return wrong(format!(
            "the shapes are for {needed} ranks, but the group '{}' has {ranks}",
            exchange.group
        ));
    }
    if let Some(given) = exchange.rank.filter(|given| *given != rank) {
        return wrong(format!(
            "the call is for rank {given}, but this is rank {rank} of the group '{}'",
            exchange.group
        ));
    }
    Ok(())
}

/// What HCCL returns is not a code of these functions.
fn own_code(fault: CallError) -> CallError {
    match fault.cause() {
        Cause::Code { code, text } if *code < 1000 => {
            CallError::coded(abi::ACLNN_ERR_RUNTIME_ERROR, text.clone())
        }
        _ => fault,
    }
}

/// The messages of an exchange in which each rank sends one part to each rank.
fn swaps(exchange: &Exchange, ranks: u64) -> Vec<Transfer> {
    let element = element(exchange);
    let bytes = exchange.count * element.bytes() as u64;
    let parts = |sends: bool| {
        (0..ranks).map(move |peer| Transfer {
            peer: u32::try_from(peer).unwrap_or(u32::MAX),
            sends,
            buffer: usize::from(!sends),
            offset: peer * bytes,
            bytes,
            element,
        })
    };
    parts(true).chain(parts(false)).collect()
}

fn queue(
    function: &'static str,
    exchange: &Exchange,
    touches: [Touch; 2],
    stream: &Stream,
) -> Result<(), CallError> {
    let queued = || -> Result<(), CallError> {
        let entry = communicators::find_named(&exchange.group, stream.device_index())?;
        let kind = match exchange.kind {
            ExchangeKind::SumOverAll => Kind::AllReduce,
            ExchangeKind::GatherToAll => Kind::AllGather,
            ExchangeKind::SumAndScatter => Kind::ReduceScatter,
            ExchangeKind::Swap => {
                let ranks = entry.communicator.ranks() as u64;
                let request = Request::Transfers(swaps(exchange, ranks));
                return launch::launch_on(function, &entry, stream, &touches, request);
            }
        };
        let request = Request::Group(Group {
            kind,
            count: exchange.count,
            element: element(exchange),
            reduction: Reduction::Sum,
            root: 0,
            parts: Vec::new(),
        });
        launch::launch_on(function, &entry, stream, &touches, request)
    };
    queued().map_err(own_code)
}
