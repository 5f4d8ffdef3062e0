//! Functions that a stream runs and that make forbidden calls.
//!
//! Such a function blocks its stream, or a thread of the runtime. If it waits for work, or for what only the end of
//! the stream releases, it may deadlock. Queries, error texts and the like are allowed.

use std::sync::Arc;

use millpond_trace::{NumberMap, Operation, Position, Record, StreamRef, TaskKind};

use super::Judge;
use crate::Finding;
use crate::rules::stream;
use crate::verdict::Verdict;
use crate::world::{Origin, World};

/// Checks calls from inside functions that a stream runs.
#[derive(Debug, Default)]
pub(crate) struct CalledInside {
    /// Who queued the functions of each stream, by their tasks.
    functions: NumberMap<StreamRef, Vec<(u64, Arc<Origin>)>>,
    dropped_facts: u64,
}

/// Functions of one stream that are remembered.
const MOST: usize = 256;

impl Judge for CalledInside {
    fn sees_requests(&self) -> bool {
        true
    }

    fn record(&mut self, world: &World, record: &Record, verdict: &mut Verdict) {
        match &record.operation {
            Operation::Enqueued {
                position, accesses, ..
            } if matches!(accesses.task, TaskKind::HostFunction | TaskKind::Report) => {
                self.queued(world, *position, record);
            }
            Operation::StreamDestroyed { stream, .. } => {
                self.functions.remove(stream);
            }
            Operation::CalledInside { position } => {
                if let Some(kind) = forbidden(&record.site.call) {
                    self.judge(*position, kind, record, verdict);
                }
            }
            _ => {}
        }
    }

    fn state_bytes(&self) -> u64 {
        let each = size_of::<(u64, Arc<Origin>)>() + size_of::<Origin>();
        let functions: usize = self.functions.values().map(Vec::capacity).sum();
        (functions * each + self.functions.capacity() * 40) as u64
    }

    fn dropped_facts(&self) -> u64 {
        self.dropped_facts
    }
}

impl CalledInside {
    fn queued(&mut self, world: &World, position: Position, record: &Record) {
        let functions = self.functions.entry(position.stream).or_default();
        if functions.len() >= MOST {
            // Those that have ended call nothing any more, apart from a report that was only handed on.
            functions.retain(|(task, _)| {
                !world.host_knows(Position {
                    task: *task,
                    ..position
                })
            });
        }
        if functions.len() >= MOST {
            functions.remove(0);
            self.dropped_facts += 1;
        }
        functions.push((position.task, Origin::of(record)));
    }

    fn judge(&self, position: Position, kind: &str, record: &Record, verdict: &mut Verdict) {
        let (call, stream) = (&record.site.call, position.stream);
        let message =
            format!("a host function or callback of stream {stream} calls {call}, which {kind}");
        let operation = Origin::of(record).operation(format!("calls {call} inside the function"));
        let mut finding = Finding::new(&stream::CALLBACK_CALLS, message, operation);
        let functions = self.functions.get(&stream);
        let queued = functions.and_then(|it| it.iter().find(|(task, _)| *task == position.task));
        if let Some((_, origin)) = queued {
            let what = format!("queues the function in stream {stream}");
            finding.operations.push(origin.operation(what));
        }
        finding.advice = Some(
            "let the function set a flag or wake a thread of the program, and make the call in that thread"
                .to_owned(),
        );
        verdict.report(finding);
    }
}

/// What a call does that is forbidden in such a function, in words.
fn forbidden(call: &str) -> Option<&'static str> {
    let starts = |names: &[&str]| names.iter().any(|name| call.starts_with(name));
    if starts(&["aclrtSynchronize"]) {
        return Some("waits for work");
    }
    if starts(&["aclrtStreamAbort", "aclrtResetDevice", "aclFinalize"]) {
        return Some("ends work");
    }
    let queues = [
        "aclrtMemcpy",
        "aclrtMemset",
        "aclrtRecordEvent",
        "aclrtResetEvent",
        "aclrtStreamWaitEvent",
        "aclrtLaunch",
        "aclopExec",
        "aclopCompileAndExecute",
        "aclopCast",
        "aclblas",
        "aclmdlExecute",
        "aclnn",
    ];
    // Functions that only compute the workspace size of an operator enqueue nothing.
    if starts(&queues) && !call.ends_with("GetWorkspaceSize") && !call.contains("CreateHandle") {
        return Some("enqueues work");
    }
    let takes = [
        "aclrtMalloc",
        "aclrtMemPool",
        "aclrtReserveMemAddress",
        "aclrtMapMem",
        "acldvppMalloc",
        "aclrtCreate",
        "aclmdlLoad",
    ];
    if starts(&takes) {
        return Some("takes resources");
    }
    let gives = [
        "aclrtFree",
        "aclrtUnmapMem",
        "aclrtReleaseMemAddress",
        "acldvppFree",
        "aclrtDestroy",
        "aclmdlUnload",
    ];
    starts(&gives).then_some("releases resources")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_touches_the_device_is_forbidden_and_what_only_looks_is_not() {
        for call in [
            "aclrtMalloc",
            "aclrtFree",
            "aclrtMemcpyAsync",
            "aclrtSynchronizeStream",
            "aclrtSynchronizeDeviceWithTimeout",
            "aclrtStreamAbort",
            "aclopExecuteV2",
            "aclnnFlashAttentionScore",
            "aclrtMemPoolFreeAsync",
            "aclrtDestroyEvent",
        ] {
            assert!(forbidden(call).is_some(), "{call}");
        }
        for call in [
            "aclrtStreamQuery",
            "aclrtQueryEventStatus",
            "aclrtGetDevice",
            "aclrtSetDevice",
            "aclrtSetCurrentContext",
            "aclGetRecentErrMsg",
            "aclrtGetMemInfo",
            "aclAppLog",
            "aclDestroyDataBuffer",
            "aclnnFlashAttentionScoreGetWorkspaceSize",
            "aclrtProcessReport",
        ] {
            assert!(forbidden(call).is_none(), "{call}");
        }
    }
}
