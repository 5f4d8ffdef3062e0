//! What a function exchanges with other ranks, before or after its steps. The plan only says it; whoever runs the plan does it.

use millpond_kernels::Element;

use crate::tensor::Tensor;

/// An operation between the ranks of a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchange {
    /// The name of the communicator.
    pub group: String,
    /// What the ranks do.
    pub kind: ExchangeKind,
    /// The type of the elements.
    pub element: Element,
    /// Elements of one rank's part; of the whole for sums over all ranks.
    pub count: u64,
    /// How many ranks there must be, if the shapes or the call say so.
    pub ranks: Option<u64>,
    /// Which rank the caller must be, if the call says so.
    pub rank: Option<u64>,
    /// What is sent.
    pub send: Side,
    /// Where the result goes.
    pub receive: Side,
    /// How many of the steps come before it.
    pub after: usize,
}

/// What ranks do together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub enum ExchangeKind {
    SumOverAll,
    GatherToAll,
    SumAndScatter,
    /// Every rank sends a part to every rank.
    Swap,
}

/// Memory of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The elements of a tensor.
    At(u64),
    /// So many bytes into the workspace.
    Workspace(u64),
}

impl Side {
    /// The elements of a tensor without gaps.
    pub(crate) fn of(tensor: &Tensor) -> Self {
        Self::At(tensor.address)
    }
}
