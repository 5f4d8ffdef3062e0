//! Tensors of a caching allocator that a graph uses: a launch after one of them was freed is found, although the memory is there.

mod common;

use common::{Block, Script, accesses};
use millpond_trace::{Bytes, Operation, TaskKind};

const DOMAIN: u64 = 9;
const GRAPH: u64 = 900;
const RULE: &[&str] = &["graph.freed-memory"];

/// A script with an allocator that has a block.
fn torch() -> (Script, Block, u64) {
    let mut script = Script::about(&["graph.*", "memory.use-after-free", "memory.out-of-bounds"]);
    script.open();
    script.say(Operation::DomainCreated {
        domain: DOMAIN,
        name: "ptaCaching".into(),
    });
    let block = script.alloc(1 << 20);
    let stream = script.stream();
    (script, block, stream)
}

fn tensor(script: &mut Script, range: Bytes) -> u64 {
    let region = script.number();
    script.say(Operation::RegionRegistered {
        region,
        domain: DOMAIN,
        heap: None,
        device: 0,
        range,
    });
    region
}

fn begin(script: &mut Script, stream: u64) {
    let graph = GRAPH;
    script
        .call("aclmdlRICaptureBegin")
        .say(Operation::CaptureBegan { graph, stream });
}

fn capture(script: &mut Script, graph: u64, reads: &[Bytes], writes: &[Bytes]) {
    let mut work = accesses(TaskKind::Compute, reads, writes);
    work.name = "aclnnAdd".into();
    script.call("aclnnAdd").say(Operation::WorkCaptured {
        graph,
        accesses: work,
    });
}

fn end(script: &mut Script) {
    let graph = GRAPH;
    script
        .call("aclmdlRICaptureEnd")
        .say(Operation::CaptureEnded { graph });
}

/// A launch that does what was captured.
fn launch(script: &mut Script, stream: u64, reads: &[Bytes], writes: &[Bytes]) {
    let graph = GRAPH;
    script.call("aclmdlRIExecuteAsync");
    script.say(Operation::GraphLaunched {
        graph,
        stream,
        before: None,
    });
    script.call("aclnnAdd");
    script.compute(stream, reads, writes);
    script.say(Operation::GraphIssued { graph });
    script.synchronize(stream);
}

#[test]
fn a_tensor_that_was_freed_before_a_launch_is_found() {
    for reused in [false, true] {
        let (mut script, block, stream) = torch();
        let (one, two) = (block.part(0, 512), block.part(512, 512));
        let input = tensor(&mut script, one);
        tensor(&mut script, two);
        begin(&mut script, stream);
        capture(&mut script, GRAPH, &[one], &[two]);
        end(&mut script);
        launch(&mut script, stream, &[one], &[two]);
        script.expect(&[]);
        script.call("mstxMemRegionsUnregister").end_region(input);
        let freed = script.order();
        if reused {
            tensor(&mut script, one);
        }
        launch(&mut script, stream, &[one], &[two]);
        script.expect(RULE);
        let finding = &script.findings[0];
        let calls: Vec<&str> = finding
            .operations
            .iter()
            .map(|operation| &*operation.site.call)
            .collect();
        assert_eq!(calls, ["aclmdlRIExecuteAsync", "aclnnAdd", "torch_npu"]);
        assert_eq!(finding.operations[2].order, freed);
        assert_eq!(finding.message.contains("is there now"), reused);
        assert_eq!(finding.bytes, Some(one));
        let lifetime = finding.block.as_ref().expect("its lifetime");
        assert!(lifetime.freed.is_some() && lifetime.range == one);
        // It was said.
        launch(&mut script, stream, &[one], &[two]);
        script.expect(RULE);
    }
}

/// An output that nobody wants any more: the launch still writes there.
#[test]
fn a_tensor_that_is_only_written_counts_too() {
    let (mut script, block, stream) = torch();
    let (one, two) = (block.part(0, 512), block.part(512, 512));
    tensor(&mut script, one);
    let output = tensor(&mut script, two);
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &[one], &[two]);
    end(&mut script);
    script.end_region(output);
    launch(&mut script, stream, &[one], &[two]);
    script.expect(RULE);
}

/// It was allocated before the capture, and freed in it: its memory belongs to others from then on.
#[test]
fn a_tensor_of_the_ordinary_pool_that_is_freed_during_the_capture_is_found() {
    let (mut script, block, stream) = torch();
    let one = block.part(0, 512);
    let input = tensor(&mut script, one);
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &[one], &[]);
    script.end_region(input);
    end(&mut script);
    launch(&mut script, stream, &[one], &[]);
    script.expect(RULE);
}

#[test]
fn a_tensor_of_the_pool_of_the_graph_may_be_freed() {
    // During the capture, after it, and its memory may have been used twice in it.
    let (mut script, block, stream) = torch();
    let (one, two) = (block.part(0, 512), block.part(512, 512));
    begin(&mut script, stream);
    let first = tensor(&mut script, one);
    capture(&mut script, GRAPH, &[], &[one]);
    script.end_region(first);
    let second = tensor(&mut script, one);
    let output = tensor(&mut script, two);
    capture(&mut script, GRAPH, &[one], &[two]);
    script.end_region(second);
    end(&mut script);
    launch(&mut script, stream, &[one], &[two]);
    script.end_region(output);
    launch(&mut script, stream, &[one], &[two]);
    script.expect(&[]);
}

/// A second graph reads what the first one, whose pool it shares, has made.
#[test]
fn a_tensor_that_another_capture_has_made_may_be_freed() {
    let (mut script, block, stream) = torch();
    let one = block.part(0, 512);
    begin(&mut script, stream);
    let middle = tensor(&mut script, one);
    end(&mut script);
    let other = GRAPH + 1;
    script.say(Operation::CaptureBegan {
        graph: other,
        stream,
    });
    capture(&mut script, other, &[one], &[]);
    script.say(Operation::CaptureEnded { graph: other });
    script.end_region(middle);
    script.call("aclmdlRIExecuteAsync");
    script.say(Operation::GraphLaunched {
        graph: other,
        stream,
        before: None,
    });
    script.expect(&[]);
}

#[test]
fn several_tensors_are_one_finding_that_counts_them() {
    let (mut script, block, stream) = torch();
    let ranges = [0, 1, 2].map(|index| block.part(512 * index, 512));
    let tensors = ranges.map(|range| tensor(&mut script, range));
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &ranges, &[]);
    end(&mut script);
    for one in tensors {
        script.end_region(one);
    }
    launch(&mut script, stream, &ranges, &[]);
    script.expect(RULE);
    assert!(
        script.message().contains("2 others"),
        "{}",
        script.message()
    );
}

#[test]
fn nothing_is_said_of_a_graph_that_is_not_launched_or_is_gone() {
    let (mut script, block, stream) = torch();
    let one = block.part(0, 512);
    let input = tensor(&mut script, one);
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &[one], &[]);
    end(&mut script);
    script.end_region(input);
    script.say(Operation::GraphDestroyed { graph: GRAPH });
    // Numbers are never reused; nothing is left of it.
    launch(&mut script, stream, &[], &[]);
    script.expect(&[]);
}

/// Then the runtime says itself that the memory is gone.
#[test]
fn memory_that_the_allocator_has_returned_is_found_by_the_runtime() {
    let (mut script, block, stream) = torch();
    let one = block.part(0, 512);
    let input = tensor(&mut script, one);
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &[one], &[]);
    end(&mut script);
    script.end_region(input);
    script.free(block);
    launch(&mut script, stream, &[], &[]);
    script.expect(&[]);
}

#[test]
fn annotations_that_cannot_be_trusted_are_not_judged() {
    let (mut script, block, stream) = torch();
    let one = block.part(0, 512);
    let input = tensor(&mut script, one);
    begin(&mut script, stream);
    capture(&mut script, GRAPH, &[one], &[]);
    end(&mut script);
    script.end_region(input);
    script.say(Operation::AnnotationStrange {
        domain: DOMAIN,
        what: "its queue is on".into(),
    });
    launch(&mut script, stream, &[], &[]);
    script.expect(&[]);
}
