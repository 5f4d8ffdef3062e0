//! Addresses and physical memory as two things, joined by mapping.
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

#[path = "../common/mod.rs"]
mod common;

mod failing;
mod gpu;
mod mapping;
mod misuse;
mod records;
mod retired;
mod sharing;
mod threads;
mod unified;

use millpond::{Error, MappingError, Runtime, Slice, Stream};

pub(crate) const PIECE: u64 = 2 << 20;

/// What virtual memory was refused for.
fn refusal<T: std::fmt::Debug>(outcome: Result<T, Error>) -> MappingError {
    match outcome {
        Err(Error::Mapping(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// The bytes of a slice, after everything that is queued.
fn bytes_of(runtime: &Runtime, stream: &Stream, slice: Slice<'_>) -> Vec<u8> {
    let mut host = runtime.alloc_host(slice.bytes()).unwrap();
    stream.copy(host.all(), slice).unwrap();
    stream.synchronize().unwrap();
    host.bytes().unwrap().to_vec()
}

/// The one value that all bytes of a slice have. Panics if they differ.
fn value_of(runtime: &Runtime, stream: &Stream, slice: Slice<'_>) -> u8 {
    let bytes = bytes_of(runtime, stream, slice);
    assert!(bytes.iter().all(|byte| *byte == bytes[0]));
    bytes[0]
}
