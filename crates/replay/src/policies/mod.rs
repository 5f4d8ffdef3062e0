//! The policies, one module each. The comment at the top of a module has its rules and where they come from.

pub mod best_fit;
pub mod buddy;
pub mod millpond;
pub mod mindspore;
pub mod per_stream;
pub mod pytorch;
pub mod rmm_arena;
pub mod rmm_pool;
pub mod stream_ordered;
pub mod tlsf;
pub mod touched;

const MIB: u64 = 1 << 20;
