//! Memory that runs work in: written like any other, and without a content afterwards.

mod common;

use common::{Block, HOST, Script, accesses};
use millpond_trace::{Accesses, Bytes, Operation, Outcome, TaskKind};

const RACE: &str = "stream.race";
const UNREAD: &str = "memory.uninitialised-read";

/// A run that works in some bytes.
fn working_in(scratch: Bytes) -> Accesses {
    Accesses {
        scratch: 1,
        name: "SquareSumV1".into(),
        ..accesses(TaskKind::Compute, &[], &[scratch])
    }
}

/// Two streams and an arena that was written.
fn setting() -> (Script, u64, u64, Block) {
    let mut script = Script::about(&["stream.*", "memory.*", "heap.*"]);
    script.open();
    let (a, b) = (script.stream(), script.stream());
    let arena = script.alloc(4096);
    script.fill_now(arena.range);
    (script, a, b, arena)
}

#[test]
fn two_runs_in_the_same_bytes_need_an_order() {
    let (mut script, a, b, arena) = setting();
    script.call("aclopExecuteV2");
    script.enqueue(a, working_in(arena.part(0, 1024)), None, None);
    script.enqueue(b, working_in(arena.part(1024, 1024)), None, None);
    script.expect(&[]);
    script.enqueue(b, working_in(arena.part(512, 1024)), None, None);
    script.expect(&[RACE]);
    assert_eq!(script.findings[0].bytes, Some(arena.part(512, 512)));
}

#[test]
fn a_copy_into_memory_that_a_run_works_in_needs_an_order() {
    let (mut script, a, _, arena) = setting();
    script.call("aclopExecuteV2");
    script.enqueue(a, working_in(arena.part(0, 1024)), None, None);
    script.copy_now(arena.part(0, 64), HOST);
    script.expect(&[RACE]);
    let (mut script, a, _, arena) = setting();
    script.call("aclopExecuteV2");
    script.enqueue(a, working_in(arena.part(0, 1024)), None, None);
    script.synchronize(a);
    script.copy_now(arena.part(0, 64), HOST);
    script.expect(&[]);
}

#[test]
fn what_a_run_worked_in_has_no_content_until_it_is_written() {
    let (mut script, a, _, arena) = setting();
    script.call("aclopExecuteV2");
    script.enqueue(a, working_in(arena.part(0, 1024)), None, None);
    script.synchronize(a);
    script.fill_now(arena.part(0, 512));
    let part = |bytes| Bytes { bytes, ..HOST };
    script.copy_now(part(512), arena.part(0, 512));
    script.copy_now(part(512), arena.part(1024, 512));
    script.expect(&[]);
    script.copy_now(part(512), arena.part(512, 512));
    script.expect(&[UNREAD]);
    let what = &script.findings[0].operations[1].what;
    assert!(what.contains("as scratch"), "{what}");
}

#[test]
fn results_beside_it_have_one() {
    let (mut script, a, _, arena) = setting();
    let result = script.alloc(512);
    let mut run = working_in(arena.part(0, 1024));
    run.writes.insert(0, result.range.into());
    script.call("aclopExecuteV2").enqueue(a, run, None, None);
    script.synchronize(a);
    let to = Bytes { bytes: 512, ..HOST };
    script.copy_now(to, result.range);
    script.expect(&[]);
}

#[test]
fn a_run_that_was_waited_for_leaves_no_content_either() {
    let (mut script, _, _, arena) = setting();
    script.call("aclmdlExecute").say(Operation::Moved {
        accesses: working_in(arena.range),
        outcome: Outcome::Done,
    });
    let to = Bytes { bytes: 512, ..HOST };
    script.copy_now(to, arena.part(0, 512));
    script.expect(&[UNREAD]);
}

#[test]
fn memory_that_went_back_inside_the_call_is_not_reported_as_live() {
    let (mut script, a, b, arena) = setting();
    let heap = script.heap(arena.range);
    let region = script.region(heap, arena.part(0, 1024));
    script.end_region(region);
    let gone = script.alloc(512);
    script.fill_now(gone.range);
    script.free(gone);
    let mut run = working_in(arena.part(0, 1024));
    run.writes.push(gone.range.into());
    run.scratch = 2;
    script
        .call("aclopExecuteV2")
        .enqueue(a, run.clone(), None, None);
    script.synchronize(a);
    script.call("aclopExecuteV2").enqueue(b, run, None, None);
    script.expect(&[]);
}

#[test]
fn a_run_in_work_memory_that_was_freed_is_reported_as_that() {
    let (mut script, _, _, work) = setting();
    script.free(work);
    let reason = format!("no live block is at {:#x} on device 0", work.range.start);
    script.refuse("aclmdlExecute", working_in(work.range), reason);
    script.expect(&["memory.use-after-free"]);
}

#[test]
fn weights_are_there_when_a_model_is_loaded_and_may_be_loaded_again() {
    let (mut script, a, b, _) = setting();
    let weights = script.alloc(512);
    for stream in [a, b] {
        script
            .call("aclmdlLoadFromFileWithMem")
            .say(Operation::Moved {
                accesses: accesses(TaskKind::Compute, &[], &[weights.range]),
                outcome: Outcome::Done,
            });
        script.compute(stream, &[weights.range], &[]);
    }
    script.expect(&[]);
    script.free(weights);
    script.expect(&["memory.freed-in-use"]);
}
