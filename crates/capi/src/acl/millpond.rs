//! `millpond/millpond.h`: what Millpond adds to AscendCL.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::ffi::{c_char, c_void};

use millpond::{ClassCount, ComputesOn, Element, LoadOptions, Statistics};
use millpond_abi as abi;
use millpond_model::onnx::{Dim, Graph};

use crate::boundary::{CallError, bad_value, entry, not_null, out};
use crate::handles::{POOLS, resolve};
use crate::registry::Kind;
use crate::{current, process};

/// The version of this library.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondVersion() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}
const _: abi::millpondVersionFn = millpondVersion;

/// Which GPU computes operators by name and models of the current device, or why none does.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondOperatorsGpu(gpu: *mut i32) -> abi::aclError {
    entry("millpondOperatorsGpu", || {
        let out = out!(gpu);
        let device = current::with(|entry| Ok(entry.context.device().clone()))?;
        let mut graph = Graph::new("probe");
        let x = graph.input("x", Element::F32, &[Dim::Is(1)]);
        let y = graph.node("Abs", &[&x], &[]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Is(1)]));
        let model = process::runtime()?.load_model(&graph.finish(), &LoadOptions::default())?;
        let reason = match model.computes_on(&device) {
            ComputesOn::Gpu(number) => {
                out.write(i32::try_from(number).unwrap_or(i32::MAX));
                return Ok(());
            }
            ComputesOn::Cpu { reason } => reason,
        };
        let reason = reason.unwrap_or_else(|| {
            "the device's memory is not a GPU's, this ONNX Runtime is a build for CPUs, or MILLPOND_CUDA_OPERATORS is cpu".to_owned()
        });
        let text = format!("operators are computed on the CPU: {reason}");
        Err(CallError::coded(
            abi::ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
            text,
        ))
    })
}
const _: abi::millpondOperatorsGpuFn = millpondOperatorsGpu;

/// Returns idle pages of the current device, and of pinned host memory, to the operating system.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondMemTrim(bytesReturned: *mut usize) -> abi::aclError {
    entry("millpondMemTrim", || {
        let device = current::with(|entry| Ok(entry.context.device().trim()?))?;
        let bytes = device + process::runtime()?.trim_host()?;
        if !bytesReturned.is_null() {
            out!(bytesReturned).write(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        Ok(())
    })
}
const _: abi::millpondMemTrimFn = millpondMemTrim;

/// Work that the runtime cannot see uses a block.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondRecordUse(
    ptr: *mut c_void,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("millpondRecordUse", || {
        let address = not_null(ptr, "ptr")?;
        current::on_stream(stream, "stream", |stream| Ok(stream.record_use(address)?))
    })
}
const _: abi::millpondRecordUseFn = millpondRecordUse;

/// The numbers of a pool, or of the current device's own memory.
fn statistics_of(pool: abi::aclrtMemPool) -> Result<Statistics, CallError> {
    if pool.is_null() {
        return current::with(|entry| Ok(entry.context.device().statistics()));
    }
    Ok(resolve(&POOLS, Kind::MemoryPool, pool, "pool")?.statistics()?)
}

fn count(count: ClassCount) -> abi::millpondCount {
    abi::millpondCount {
        current: count.current,
        peak: count.peak,
        total: count.total,
    }
}

/// Answers a memory's numbers.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondMemGetStatistics(
    pool: abi::aclrtMemPool,
    statistics: *mut abi::millpondMemStatistics,
) -> abi::aclError {
    entry("millpondMemGetStatistics", || {
        let out = out!(statistics);
        let numbers = statistics_of(pool)?;
        out.write(abi::millpondMemStatistics {
            charged: numbers.charged,
            chargedPeak: numbers.peak,
            limit: numbers.limit,
            reserved: numbers.reserved,
            reservedPeak: numbers.peak_reserved,
            blocks: numbers.blocks,
            pagesMoved: numbers.pages_moved,
            streams: numbers.streams.len() as u64,
        });
        Ok(())
    })
}
const _: abi::millpondMemGetStatisticsFn = millpondMemGetStatistics;

/// Answers what one stream has been handed of a memory.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn millpondMemGetStreamStatistics(
    pool: abi::aclrtMemPool,
    part: u64,
    statistics: *mut abi::millpondStreamStatistics,
) -> abi::aclError {
    entry("millpondMemGetStreamStatistics", || {
        let out = out!(statistics);
        let numbers = statistics_of(pool)?;
        let at = usize::try_from(part).unwrap_or(usize::MAX);
        let Some(stream) = numbers.streams.get(at) else {
            return bad_value(
                "part",
                part,
                "it must be below the number that millpondMemGetStatistics returns",
            );
        };
        let mut blocks = [count(ClassCount::default()); abi::MILLPOND_SIZE_CLASSES];
        for (to, from) in blocks.iter_mut().zip(&stream.classes) {
            *to = count(*from);
        }
        out.write(abi::millpondStreamStatistics {
            stream: stream.stream,
            bytes: count(stream.bytes),
            pendingBlocks: stream.pending.0 as u64,
            pendingBytes: stream.pending.1,
            keptBlocks: stream.kept as u64,
            blocks,
        });
        Ok(())
    })
}
const _: abi::millpondMemGetStreamStatisticsFn = millpondMemGetStreamStatistics;
