//! Collective operations between ranks: how ranks meet, exchange bytes and reduce.
//!
//! A rank is a thread or a process. The ranks of one machine share a segment of memory (`board.rs`): each writes its bytes into its own
//! outbox and reads those of the others, in rounds (`rounds.rs`) or in pairs (`transfers.rs`). Nobody polls: a rank that waits is woken
//! through the bell of its process (`hub.rs`). With ranks on several machines, each machine has such a segment, and relays copy between them
//! (`machines`).
//!
//! This crate knows no streams, devices or C types. `capi/hccl` makes an operation a task of its stream, and calls [`Call::begin`]
//! when the stream reaches it.

mod board;
mod communicator;
mod element;
mod hub;
mod machines;
mod meeting;
mod numbers;
mod operation;
mod rounds;
mod transfers;
mod trouble;
mod waits;

pub use communicator::{Abandoned, Call, Communicator, Ended, Host, Settings};
pub use element::{Element, Reduction, reduce};
pub use hub::{EventWaits, Hub};
pub use machines::{NO_COMPANION, Network, Ports, choose_address, has_companion, own_machine};
pub use meeting::{Invitation, MeetingError, Member, join, join_named, join_named_at};
pub use operation::{
    Description, Group, Kind, Part, Request, Transfer, element_name, reduction_title,
};
pub use trouble::{Caller, Doing, Observer, Problem, Trouble};
