//! Records of captures and launches become findings about graphs.

mod common;

use common::{Block, Script};
use millpond_trace::{Operation, Position};

const GRAPH: u64 = 900;

fn launch(script: &mut Script, stream: u64, before: Option<Position>) {
    script
        .call("aclmdlRIExecuteAsync")
        .say(Operation::GraphLaunched {
            graph: GRAPH,
            stream,
            before,
        });
}

/// A launch of a graph that fills a block, after the launch that ended at this place.
fn launch_fill(
    script: &mut Script,
    stream: u64,
    block: Block,
    before: Option<Position>,
) -> Position {
    launch(script, stream, before);
    script.fill(stream, block.range)
}

/// The runtime orders launches on two streams itself.
fn ordered_by_the_runtime(script: &mut Script, from: u64, to: u64) {
    let event = script.event();
    let recorded = script.record(from, event);
    script.wait(to, event, Some(recorded));
}

fn failed(script: &mut Script, call: &'static str, code: i32) {
    let reason = format!("reason {code}");
    script
        .call(call)
        .say(Operation::CallFailed { code, reason });
}

#[test]
fn calls_that_break_the_rules_of_a_capture_are_found_by_their_codes() {
    for code in [107_024, 107_027, 107_028, 107_030, 107_031] {
        let mut script = Script::about(&["graph.*"]);
        failed(&mut script, "aclrtSynchronizeStream", code);
        script.expect(&["graph.illegal-call"]);
        let finding = &script.findings[0];
        assert_eq!(finding.message, format!("reason {code}"));
        assert_eq!(finding.operations[0].site.call, "aclrtSynchronizeStream");
        assert!(finding.advice.is_some());
    }
    let mut script = Script::about(&["graph.*"]);
    failed(&mut script, "aclmdlRICaptureEnd", 107_025);
    script.expect(&["graph.unjoined"]);
}

/// They repeat what was found before, or have nothing to do with captures.
#[test]
fn other_failures_are_no_findings_about_graphs() {
    for code in [
        507_903, 107_026, 107_029, 107_036, 107_038, 100_000, 507_000,
    ] {
        let mut script = Script::about(&["graph.*"]);
        failed(&mut script, "aclmdlRICaptureEnd", code);
        script.expect(&[]);
    }
}

#[test]
fn launches_on_one_stream_are_ordered() {
    let mut script = Script::new();
    let (stream, block) = (script.stream(), script.alloc(512));
    let mut before = None;
    for _ in 0..3 {
        before = Some(launch_fill(&mut script, stream, block, before));
    }
    script.synchronize(stream);
    script.expect(&[]);
}

#[test]
fn a_launch_on_another_stream_without_an_order_names_both_launches() {
    let mut script = Script::new();
    let (first, second, block) = (script.stream(), script.stream(), script.alloc(512));
    let before = launch_fill(&mut script, first, block, None);
    let launched = script.order() - 1;
    launch(&mut script, second, Some(before));
    let again = script.order();
    ordered_by_the_runtime(&mut script, first, second);
    script.fill(second, block.range);
    // The accesses are ordered by the runtime, so there is no race as well.
    script.expect(&["graph.two-streams"]);
    let [this, other] = &script.findings[0].operations[..] else {
        panic!("{:?}", script.findings[0].operations);
    };
    assert_eq!((this.order, other.order), (again, launched));
    assert!(this.what.contains(&format!("stream {second}")));
    assert!(other.what.contains(&format!("stream {first}")));
}

#[test]
fn an_event_between_two_streams_orders_their_launches() {
    let mut script = Script::new();
    let (first, second, block) = (script.stream(), script.stream(), script.alloc(512));
    let event = script.event();
    let before = launch_fill(&mut script, first, block, None);
    let recorded = script.record(first, event);
    script.wait(second, event, Some(recorded));
    launch_fill(&mut script, second, block, Some(before));
    script.expect(&[]);
}

/// The event was recorded too early.
#[test]
fn an_event_from_before_the_launch_does_not_order_it() {
    let mut script = Script::new();
    let (first, second, block) = (script.stream(), script.stream(), script.alloc(512));
    let event = script.event();
    let recorded = script.record(first, event);
    let before = launch_fill(&mut script, first, block, None);
    script.wait(second, event, Some(recorded));
    launch(&mut script, second, Some(before));
    script.expect(&["graph.two-streams"]);
}

#[test]
fn a_synchronisation_orders_launches_on_two_streams() {
    let mut script = Script::new();
    let (first, second, block) = (script.stream(), script.stream(), script.alloc(512));
    let before = launch_fill(&mut script, first, block, None);
    script.synchronize(first);
    launch_fill(&mut script, second, block, Some(before));
    script.expect(&[]);
}

/// Another graph, launched beside it, is no second launch.
#[test]
fn two_graphs_on_two_streams_are_fine() {
    let mut script = Script::new();
    let (first, second) = (script.stream(), script.stream());
    launch(&mut script, first, None);
    script.call("aclmdlRIExecuteAsync");
    script.say(Operation::GraphLaunched {
        graph: GRAPH + 1,
        stream: second,
        before: None,
    });
    script.expect(&[]);
}

#[test]
fn freed_memory_names_the_captured_call_and_the_launch() {
    for reused in [false, true] {
        let mut script = Script::about(&["graph.*"]);
        let (stream, block) = (script.stream(), script.alloc(512));
        script.free(block);
        launch(&mut script, stream, None);
        let launched = script.order();
        script
            .call("aclrtMemsetAsync")
            .say(Operation::GraphMemoryFreed {
                graph: GRAPH,
                name: "fill".into(),
                range: block.range,
                reused,
            });
        let captured = script.order();
        script.expect(&["graph.freed-memory"]);
        let finding = &script.findings[0];
        assert_eq!(finding.message.contains("another block"), reused);
        assert_eq!(finding.bytes, Some(block.range));
        let records: Vec<u64> = finding.operations.iter().map(|one| one.order).collect();
        assert_eq!(records, [launched, captured]);
    }
}

/// Tasks of a launch are judged as any others.
#[test]
fn a_launch_that_reads_what_another_stream_writes_is_a_race() {
    let mut script = Script::new();
    let (worker, loader) = (script.stream(), script.stream());
    let (input, output) = (script.alloc(512), script.alloc(512));
    let event = script.event();
    script.fill(loader, input.range);
    let loaded = script.record(loader, event);
    script.wait(worker, event, Some(loaded));
    launch(&mut script, worker, None);
    script.copy(worker, output.range, input.range);
    script.fill(loader, input.range);
    script.expect(&["stream.race"]);
}
