//! Functions that exchange elements with other ranks: the steps of their plan and an operation between ranks, one after the other.

use millpond::{Element as TensorElement, Stream, Touch};
use millpond_abi as abi;
use millpond_collective::{Element, Group, Kind, Reduction, Request};
use millpond_functions::{Exchange, ExchangeKind, Side};

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
    let [sent, received] = sides(&exchange, workspace);
    if exchange.first {
        queue(function, &exchange, [sent, received], stream)?;
        let kept = kept(exchange.receive, received, false);
        return compute(executor, touches, workspace, kept, stream);
    }
    let kept = kept(exchange.send, sent, true);
    compute(executor, touches, workspace, kept, stream)?;
    queue(function, &exchange, [sent, received], stream)
}

/// The part of the workspace that the steps share with the exchange.
fn kept(side: Side, touch: Touch, writes: bool) -> Option<Touch> {
    (side == Side::Workspace).then_some(Touch {
        reads: !writes,
        writes,
        ..touch
    })
}

fn element(exchange: &Exchange) -> Element {
    match exchange.element {
        TensorElement::F16 => Element::F16,
        TensorElement::BF16 => Element::Bf16,
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
    };
    let bytes = exchange.count * element(exchange).bytes() as u64;
    let side = |side: Side, parts: u64, writes: bool| Touch {
        address: match side {
            Side::At(address) => address,
            Side::Workspace => workspace,
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

fn queue(
    function: &'static str,
    exchange: &Exchange,
    touches: [Touch; 2],
    stream: &Stream,
) -> Result<(), CallError> {
    let queued = || -> Result<(), CallError> {
        let entry = communicators::find_named(&exchange.group, stream.device_index())?;
        let ranks = entry.communicator.ranks() as u64;
        if let Some(needed) = exchange.ranks.filter(|needed| *needed != ranks) {
            return Err(CallError::coded(
                abi::ACLNN_ERR_PARAM_INVALID,
                format!(
                    "the shapes are for {needed} ranks, but the group '{}' has {ranks}",
                    exchange.group
                ),
            ));
        }
        let kind = match exchange.kind {
            ExchangeKind::SumOverAll => Kind::AllReduce,
            ExchangeKind::GatherToAll => Kind::AllGather,
            ExchangeKind::SumAndScatter => Kind::ReduceScatter,
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
    queued().map_err(|fault| match fault.cause() {
        // What HCCL returns is not a code of these functions.
        Cause::Code { code, text } if *code < 1000 => {
            CallError::coded(abi::ACLNN_ERR_RUNTIME_ERROR, text.clone())
        }
        _ => fault,
    })
}
