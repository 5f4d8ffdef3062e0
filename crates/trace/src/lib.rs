//! Records of what happened, and the tap that emits them.
//!
//! Every operation that matters emits one [`Record`] where it is carried out, not where it was called from. Recorder,
//! checker and tests read the same records. Without listeners an emission costs one relaxed load and a branch, and the
//! record is never built.
#![forbid(unsafe_code)]

mod clean;
pub mod file;
mod numbers;
mod operation;
mod record;
mod span;
mod tap;
mod text;
mod words;

pub use clean::{clean, clean_lines};
pub use numbers::{NumberHasher, NumberMap};
pub use operation::Operation;
pub use record::{
    Accesses, AllocatorChange, BlockRef, Bytes, DescriptorField, DescriptorProblem, DomainRef,
    EventRef, Frame, GuardKind, HandleKind, HeapRef, Outcome, PieceRef, PoolRef, PoolSetting,
    Position, RankMessage, RankPart, RankProblem, Record, RegionRef, RunSource, Site, Space,
    StackRef, Stall, StreamRef, Target, TaskKind, Text,
};
pub use span::{Span, Spans};
pub use tap::{CallSite, Collector, Sink, Tap, thread_number};
pub use text::TextSink;
pub use words::{count, grouped, is_or_are, plural, was_or_were};
