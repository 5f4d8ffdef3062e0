//! What happened: records, and the tap they come out of.
//!
//! Every operation that matters emits one [`Record`] where it is carried out, not where it was
//! called from. Recorder, checker and tests read the same records. With nobody listening an
//! emission costs one relaxed load and a branch, and the record is never built.
#![forbid(unsafe_code)]

mod clean;
pub mod file;
mod numbers;
mod record;
mod span;
mod tap;
mod text;
mod words;

pub use clean::{clean, clean_lines};
pub use numbers::{NumberHasher, NumberMap};
pub use record::{
    AllocatorAct, BlockRef, Bytes, Deed, DescriptorField, DescriptorProblem, DomainRef, EventRef,
    Frame, HandleKind, HeapRef, Operation, Outcome, PieceRef, Planted, PoolRef, PoolSetting,
    Position, Record, RegionRef, RunSource, Site, Space, StackRef, Stall, StreamRef, Target,
    TaskKind, Text,
};
pub use span::{Span, Spans};
pub use tap::{CallSite, Collector, Sink, Tap};
pub use text::TextSink;
pub use words::{count, grouped, plural};
