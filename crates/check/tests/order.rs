//! Events and objects that go too early.

mod common;

use common::{Script, accesses};
use millpond_trace::{
    Accesses, HandleKind, Operation, Outcome, Position, Span, Stall, Target, TaskKind,
};

const ORDER: &[&str] = &[
    "event.*",
    "handle.destroyed-in-use",
    "handle.use-after-destroy",
    "stream.*",
];
const NEVER: &[&str] = &["event.never-recorded"];
const RESET: &[&str] = &["event.reset-in-use"];
const DESTROYED: &[&str] = &["handle.destroyed-in-use"];

fn reset(script: &mut Script, stream: u64, event: u64) -> Position {
    script.call("aclrtResetEvent");
    script.enqueue(
        stream,
        Accesses::none(TaskKind::ResetEvent),
        Some(event),
        None,
    )
}

fn destroy_event(script: &mut Script, event: u64) {
    script
        .call("aclrtDestroyEvent")
        .say(Operation::EventDestroyed { event });
}

fn synchronize_event(script: &mut Script, event: u64) {
    script
        .call("aclrtSynchronizeEvent")
        .say(Operation::Synchronized {
            target: Target::Event(event),
            outcome: Outcome::Done,
        });
}

#[test]
fn a_wait_that_was_skipped_is_reported() {
    let mut script = Script::about(ORDER);
    let (stream, event) = (script.stream(), script.event());
    script
        .call("aclrtStreamWaitEvent")
        .say(Operation::WaitSkipped { stream, event });
    // A loop that waits for what the round before has recorded begins so.
    script.expect(&[]);
    destroy_event(&mut script, event);
    script.expect(NEVER);
}

#[test]
fn a_loop_may_begin_with_a_wait_for_nothing() {
    let mut script = Script::about(ORDER);
    let (stream, event) = (script.stream(), script.event());
    script
        .call("aclrtStreamWaitEvent")
        .say(Operation::WaitSkipped { stream, event });
    script.record(stream, event);
    destroy_event(&mut script, event);
    script.end();
    script.expect(&[]);
}

#[test]
fn the_host_waits_for_events_that_are_recorded() {
    let mut script = Script::about(ORDER);
    let (stream, event) = (script.stream(), script.event());
    script.record(stream, event);
    script.complete(stream);
    synchronize_event(&mut script, event);
    script.expect(&[]);
    reset(&mut script, stream, event);
    synchronize_event(&mut script, event);
    script.end();
    script.expect(NEVER);
}

#[test]
fn a_wait_for_a_recording_that_never_comes_is_reported_once() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let other = script.event();
    script.wait(a, event, None);
    script.wait(b, other, None);
    script.record(a, other);
    script.say(Operation::ResetBegan { device: 1 });
    script.expect(&[]);
    script.say(Operation::ResetBegan { device: 0 });
    script.expect(NEVER);
    script.say(Operation::Finalized);
    script.end();
    script.expect(NEVER);
    assert_eq!(
        script.findings[0].operations[0].site.call,
        "aclrtStreamWaitEvent"
    );
}

#[test]
fn a_wait_for_a_recording_that_comes_is_silent() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    script.wait(a, event, None);
    script.record(b, event);
    destroy_event(&mut script, event);
    script.end();
    script.expect(&[]);
}

#[test]
fn a_wait_that_ran_out_of_time_or_was_aborted_waits_for_nothing() {
    for outcome in [Outcome::Failed("time".to_owned()), Outcome::Dropped] {
        let mut script = Script::about(ORDER);
        let (a, event) = (script.stream(), script.event());
        let position = script.wait(a, event, None);
        script
            .call("")
            .say(Operation::Completed { position, outcome });
        destroy_event(&mut script, event);
        script.end();
        script.expect(&[]);
    }
}

#[test]
fn an_event_is_reset_after_all_that_wait_for_it() {
    for fixed in [false, true] {
        let mut script = Script::about(ORDER);
        let (a, b, c) = (script.stream(), script.stream(), script.stream());
        let event = script.event();
        let at = script.record(a, event);
        script.wait(b, event, Some(at));
        script.wait(c, event, Some(at));
        if fixed {
            script.complete(a);
            script.synchronize(c);
        }
        reset(&mut script, b, event);
        script.expect(if fixed { &[] } else { RESET });
        if let Some(finding) = script.findings.first() {
            assert_eq!(finding.operations[0].stream, Some(b));
            assert_eq!(finding.operations[1].stream, Some(c));
        }
    }
}

fn query_waits(script: &mut Script, event: u64, outcome: Outcome) {
    script
        .call("aclrtQueryEventWaitStatus")
        .say(Operation::Queried {
            target: Target::Waits(event),
            outcome,
        });
}

#[test]
fn a_query_that_says_that_the_waits_have_passed_is_knowledge() {
    for outcome in [Outcome::Done, Outcome::NotReady] {
        let mut script = Script::about(ORDER);
        let (a, b, event) = (script.stream(), script.stream(), script.event());
        let (made, seen) = (script.alloc(64), script.alloc(64));
        script.fill(a, made.range);
        let at = script.record(a, event);
        script.fill(b, seen.range);
        script.wait(b, event, Some(at));
        script.complete(a).complete(b);
        let known = outcome == Outcome::Done;
        query_waits(&mut script, event, outcome);
        // The reset comes behind the wait, and what came before the wait has passed.
        reset(&mut script, a, event);
        script.fill_now(made.range);
        script.fill_now(seen.range);
        let unknown = &["event.reset-in-use", "stream.race", "stream.race"][..];
        script.expect(if known { &[] } else { unknown });
    }
}

#[test]
fn a_wait_that_comes_after_the_query_is_not_known() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.complete(a).complete(b);
    query_waits(&mut script, event, Outcome::Done);
    script.wait(b, event, Some(at));
    reset(&mut script, a, event);
    script.expect(RESET);
}

#[test]
fn an_event_alternates_between_two_streams() {
    let mut script = Script::about(ORDER);
    let (a, b) = (script.stream(), script.stream());
    let (forth, back) = (script.event(), script.event());
    let block = script.alloc(64);
    for _ in 0..100 {
        script.fill(a, block.part(0, 64));
        let at = script.record(a, forth);
        script.wait(b, forth, Some(at));
        reset(&mut script, b, forth);
        script.fill(b, block.part(0, 64));
        let at = script.record(b, back);
        script.wait(a, back, Some(at));
        reset(&mut script, a, back);
    }
    script.expect(&[]);
}

#[test]
fn a_reset_after_a_recording_to_come_is_judged_when_its_turn_comes() {
    let mut script = Script::about(ORDER);
    let (a, b, c) = (script.stream(), script.stream(), script.stream());
    let (gate, event) = (script.event(), script.event());
    let at = script.record(a, event);
    script.wait(b, event, Some(at));
    script.wait(c, gate, None);
    reset(&mut script, c, event);
    // The recording that lets the reset go comes behind the wait.
    script.record(b, gate);
    script.expect(&[]);
}

#[test]
fn an_event_that_nobody_can_record_any_more_is_not_destroyed() {
    let mut script = Script::about(ORDER);
    let (a, event) = (script.stream(), script.event());
    script.wait(a, event, None);
    destroy_event(&mut script, event);
    script.expect(DESTROYED);
    // It is told once.
    script.end();
    script.expect(DESTROYED);
}

#[test]
fn an_event_that_is_recorded_may_go_at_any_time() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let gate = script.event();
    let block = script.alloc(64);
    script.fill(a, block.part(0, 64));
    let at = script.record(a, event);
    // The wait stays behind another, and many events come and go meanwhile.
    script.wait(b, gate, None);
    script.wait(b, event, Some(at));
    script.fill(b, block.part(0, 64));
    destroy_event(&mut script, event);
    for _ in 0..1000 {
        let event = script.event();
        script.record(a, event);
        destroy_event(&mut script, event);
    }
    script.record(a, gate);
    script.expect(&[]);
}

#[test]
fn an_event_is_recorded_again_and_again_while_a_wait_stays_behind() {
    let mut script = Script::about(ORDER);
    let (a, b, c) = (script.stream(), script.stream(), script.stream());
    let (gate, event, first) = (script.event(), script.event(), script.event());
    let block = script.alloc(64);
    // What c did is known to a, and by the event to b.
    script.fill(c, block.part(0, 64));
    let at = script.record(c, first);
    script.wait(a, first, Some(at));
    let at = script.record(a, event);
    script.wait(b, gate, None);
    script.wait(b, event, Some(at));
    script.fill(b, block.part(0, 64));
    for _ in 0..1000 {
        script.record(a, event);
    }
    let d = script.stream();
    script.record(d, gate);
    script.expect(&[]);
}

#[test]
fn a_model_is_unloaded_after_its_runs() {
    for fixed in [false, true] {
        let mut script = Script::about(ORDER);
        let a = script.stream();
        let mut run = accesses(TaskKind::Compute, &[], &[]);
        run.model = 3;
        script.call("aclmdlExecuteAsync");
        script.enqueue(a, run, None, None);
        if fixed {
            script.synchronize(a);
        }
        script.call("aclmdlUnload").say(Operation::HandleDestroyed {
            kind: HandleKind::Model,
            handle: 3,
        });
        script.expect(if fixed { &[] } else { DESTROYED });
    }
}

#[test]
fn very_many_waits_without_a_turn_are_given_up() {
    let mut script = Script::about(ORDER);
    let (a, b, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(64);
    script.wait(b, event, None);
    for _ in 0..(1 << 18) + 10 {
        script.fill(b, block.part(0, 64));
    }
    script.fill(a, block.part(0, 64));
    script.expect(&[]);
    let statistics = script.checker().statistics();
    assert!(statistics.state_bytes < 16 << 20);
    assert!(statistics.dropped_facts > 0, "and that is said");
}

/// A thread waits for an event, and meanwhile another thread records it again: in another stream, or
/// behind a function that has not ended.
#[test]
fn a_wait_that_was_for_an_earlier_recording_is_known() {
    for again_in_the_same in [true, false] {
        let mut script = Script::about(ORDER);
        let (one, two, event) = (script.stream(), script.stream(), script.event());
        let block = script.alloc(512);
        script.function(one);
        script.fill(one, block.range);
        let recorded = script.record(one, event);
        // Here the second thread begins to wait.
        let again = if again_in_the_same { one } else { two };
        let held = script.function(again);
        script.record(again, event);
        script.complete_to(recorded);
        script.thread(2);
        synchronize_event(&mut script, event);
        script.fill_now(block.range);
        script.expect(&[]);
        script.thread(1).complete_to(held).complete(again);
    }
}

#[test]
fn a_thread_that_records_again_waits_for_that() {
    let mut script = Script::about(ORDER);
    let (one, two, event) = (script.stream(), script.stream(), script.event());
    let block = script.alloc(512);
    script.fill(one, block.range);
    script.record(one, event);
    script.record(two, event);
    script.complete(two);
    synchronize_event(&mut script, event);
    script.fill_now(block.range);
    script.expect(&["stream.race"]);
}

fn expire(script: &mut Script, call: &'static str, what: &'static str, handle: u64) {
    let what = what.into();
    script
        .call(call)
        .say(Operation::HandleExpired { what, handle });
}

fn stale(script: &mut Script, call: &'static str, what: &'static str, handle: u64) {
    let what = what.into();
    script
        .call(call)
        .say(Operation::HandleStale { what, handle });
}

#[test]
fn a_destroyed_thing_is_not_used_and_both_places_are_reported() {
    let mut script = Script::about(ORDER);
    expire(&mut script, "aclrtDestroyStream", "stream", 7);
    stale(&mut script, "aclrtMemcpyAsync", "stream", 7);
    script.expect(&["handle.use-after-destroy"]);
    let calls: Vec<_> = script.findings[0]
        .operations
        .iter()
        .map(|operation| &*operation.site.call)
        .collect();
    assert_eq!(calls, ["aclrtMemcpyAsync", "aclrtDestroyStream"]);
    // A description has the older record, and a handle whose end was not seen says nothing.
    script
        .call("aclDestroyDataBuffer")
        .say(Operation::HandleDestroyed {
            kind: HandleKind::DataBuffer,
            handle: 9,
        });
    stale(&mut script, "aclGetDataBufferAddr", "data buffer", 9);
    stale(&mut script, "aclrtSynchronizeStream", "stream", 11);
    script.expect(&["handle.use-after-destroy", "handle.use-after-destroy"]);
}

#[test]
fn what_went_with_its_device_may_be_destroyed_once_more_but_not_used() {
    for ender in ["aclrtResetDevice", "aclFinalize", "aclrtDestroyContext"] {
        let mut script = Script::about(ORDER);
        expire(&mut script, ender, "stream", 7);
        for clean_up in [
            "aclrtSynchronizeStream",
            "aclrtStreamQuery",
            "aclrtDestroyStream",
        ] {
            stale(&mut script, clean_up, "stream", 7);
        }
        script.expect(&[]);
        stale(&mut script, "aclrtMemsetAsync", "stream", 7);
        script.expect(&["handle.use-after-destroy"]);
    }
    // The context itself was destroyed by that call.
    let mut script = Script::about(ORDER);
    expire(&mut script, "aclrtDestroyContext", "context", 3);
    stale(&mut script, "aclrtDestroyContext", "context", 3);
    script.expect(&["handle.use-after-destroy"]);
}

#[test]
fn a_function_of_a_stream_looks_but_does_not_touch() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    let position = script.function(a);
    script.say(Operation::FunctionBegan { position });
    for call in ["aclrtStreamQuery", "aclrtGetDevice", "aclGetRecentErrMsg"] {
        script.call(call).say(Operation::CalledInside { position });
    }
    script.expect(&[]);
    script
        .call("aclrtSynchronizeDevice")
        .say(Operation::CalledInside { position });
    script.expect(&["stream.callback-calls"]);
    let calls: Vec<_> = script.findings[0]
        .operations
        .iter()
        .map(|operation| &*operation.site.call)
        .collect();
    assert_eq!(calls, ["aclrtSynchronizeDevice", "aclrtLaunchHostFunc"]);
}

#[test]
fn a_call_that_never_returns_is_reported_with_what_holds_it_up() {
    for (certain, rule) in [(true, "stream.deadlock"), (false, "stream.stalled")] {
        let mut script = Script::about(ORDER);
        let (a, event) = (script.stream(), script.event());
        let at = script.wait(a, event, None);
        script.call("aclrtMemcpyAsync").say(Operation::CallStalled {
            at,
            why: Stall::Unrecorded,
            certain,
        });
        script.expect(&[rule]);
        let finding = &script.findings[0];
        let calls: Vec<_> = finding
            .operations
            .iter()
            .map(|operation| &*operation.site.call)
            .collect();
        assert_eq!(calls, ["aclrtMemcpyAsync", "aclrtStreamWaitEvent"]);
        assert!(finding.message.contains(&format!("event {event}")));
    }
}

#[test]
fn a_callback_that_is_not_fetched_is_reported_with_where_it_was_queued() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    script.call("aclrtLaunchCallback");
    let at = script.enqueue(a, Accesses::none(TaskKind::Report), None, None);
    script
        .call("aclrtDestroyStream")
        .say(Operation::CallStalled {
            at,
            why: Stall::Report,
            certain: true,
        });
    script.expect(&["stream.deadlock"]);
    let operations = &script.findings[0].operations;
    assert_eq!(operations[1].site.call, "aclrtLaunchCallback");
}

#[test]
fn a_wait_for_something_outside_is_a_hint_with_its_word() {
    let mut script = Script::about(ORDER);
    let a = script.stream();
    script.call("aclrtValueWait");
    let word = Span {
        start: 0x4000,
        width: 8,
        pitch: 8,
        rows: 1,
    };
    let accesses = Accesses {
        name: "aclrtValueWait".into(),
        reads: [word].into_iter().collect(),
        ..Accesses::none(TaskKind::Compute)
    };
    let at = script.enqueue(a, accesses, None, None);
    script
        .call("aclrtSynchronizeStream")
        .say(Operation::CallStalled {
            at,
            why: Stall::Outside,
            certain: false,
        });
    let found = script.findings.last().unwrap();
    assert_eq!(found.rule.id, "stream.stalled");
    assert!(
        found
            .message
            .contains("aclrtValueWait, for the word at 0x4000")
    );
    assert_eq!(found.operations[1].site.call, "aclrtValueWait");
}
