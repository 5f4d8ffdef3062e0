//! Running models.
#![expect(
    unsafe_code,
    reason = "exported C symbols; pointers are checked at the boundary"
)]
#![allow(non_snake_case, reason = "names are the C names")]

use std::time::Duration;

use millpond::{Device, Stream};
use millpond_abi as abi;

use super::{dataset, models, options, run};
use crate::acl::{capture_mode, overflow};
use crate::boundary::{CallError, entry};
use crate::current;

/// Runs a model on this thread and waits for it. No registered allocator is asked.
fn run_now(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
    device: &Device,
) -> Result<(), CallError> {
    let input = dataset::find(input, "input")?;
    let output = dataset::find(output, "output")?;
    let loaded = models::find(modelId)?;
    let prepared = run::prepare(modelId, &loaded, &input, &output)?;
    prepared.need_outputs(false)?;
    let produced = loaded
        .model
        .run(device, &prepared.arguments(), &prepared.places())?;
    let found = produced.blocks.iter();
    let found = found.map(|block| block.as_ref().map(|block| block.address));
    prepared.finish(&produced.shapes, &found.collect::<Vec<_>>(), &output)
}

/// Queues a run of a model.
fn run_on(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
    stream: &Stream,
) -> Result<(), CallError> {
    let input = dataset::find(input, "input")?;
    let output = dataset::find(output, "output")?;
    let loaded = models::find(modelId)?;
    let prepared = run::prepare(modelId, &loaded, &input, &output)?;
    prepared.need_outputs(true)?;
    let shapes = loaded
        .model
        .run_on(stream, &prepared.arguments(), &prepared.places())?;
    overflow::watch_results(stream, prepared.results(&shapes))?;
    let found = vec![None; shapes.len()];
    prepared.finish(&shapes, &found, &output)
}

/// Runs a model and returns when its outputs are there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlExecute(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
) -> abi::aclError {
    entry("aclmdlExecute", || {
        capture_mode::forbid("aclmdlExecute")?;
        let device = current::with(|entry| Ok(entry.context.device().clone()))?;
        run_now(modelId, input, output, &device)
    })
}
const _: abi::aclmdlExecuteFn = aclmdlExecute;

/// Runs a model behind what is in a stream, and returns when its outputs are there.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlExecuteV2(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
    stream: abi::aclrtStream,
    handle: *const abi::aclmdlExecConfigHandle,
) -> abi::aclError {
    entry("aclmdlExecuteV2", || {
        let options = options::run_options(handle, "handle")?;
        capture_mode::forbid("aclmdlExecuteV2")?;
        let device = current::with(|entry| Ok(entry.context.device().clone()))?;
        let limit = options
            .patience
            .and_then(|patience| u64::try_from(patience).ok());
        let limit = limit.filter(|limit| *limit > 0).map(Duration::from_millis);
        current::on_stream(stream, "stream", |stream| {
            stream.synchronize_within(limit).map_err(CallError::from)
        })?;
        run_now(modelId, input, output, &device)
    })
}
const _: abi::aclmdlExecuteV2Fn = aclmdlExecuteV2;

/// Queues a run of a model.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlExecuteAsync(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
    stream: abi::aclrtStream,
) -> abi::aclError {
    entry("aclmdlExecuteAsync", || {
        current::on_stream(stream, "stream", |stream| {
            run_on(modelId, input, output, stream)
        })
    })
}
const _: abi::aclmdlExecuteAsyncFn = aclmdlExecuteAsync;

/// Queues a run of a model, with options.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aclmdlExecuteAsyncV2(
    modelId: u32,
    input: *const abi::aclmdlDataset,
    output: *mut abi::aclmdlDataset,
    stream: abi::aclrtStream,
    handle: *const abi::aclmdlExecConfigHandle,
) -> abi::aclError {
    entry("aclmdlExecuteAsyncV2", || {
        options::run_options(handle, "handle")?;
        current::on_stream(stream, "stream", |stream| {
            run_on(modelId, input, output, stream)
        })
    })
}
const _: abi::aclmdlExecuteAsyncV2Fn = aclmdlExecuteAsyncV2;
