//! Correct programs of several streams, made at random, are silent; without one edge that they need
//! they are not. What is needed is said by a plain graph, which shares nothing with the checker.

#[path = "../common/mod.rs"]
mod common;
mod graph;
mod program;

use std::collections::HashMap;
use std::io::Write;

use common::{Block, Script, accesses};
use graph::{Part, Step, Unordered};
use millpond_trace::{Bytes, Operation, Outcome, Position, Space, Target, TaskKind};
use program::{BLOCK, Program, Random};

/// Tells a program to a checker, without one of its steps. Answers what was found, with the steps and
/// the bytes that it is about.
fn run(program: &Program, left_out: Option<usize>) -> (Script, HashMap<u64, usize>, Vec<Block>) {
    let mut script = Script::about(&["stream.*", "event.*", "memory.freed-in-use"]);
    let streams: Vec<_> = (0..program.streams).map(|_| script.stream()).collect();
    let mut events: HashMap<usize, u64> = HashMap::new();
    let mut blocks: Vec<Block> = Vec::new();
    let mut at: HashMap<usize, Position> = HashMap::new();
    // Which record is of which step.
    let mut steps: HashMap<u64, usize> = HashMap::new();
    for (number, step) in program.steps.iter().enumerate() {
        if Some(number) == left_out {
            continue;
        }
        let first = script.order();
        let mut event_of = |script: &mut Script, event: usize| {
            *events.entry(event).or_insert_with(|| script.event())
        };
        match step {
            Step::Touch {
                stream,
                reads,
                writes,
            } => {
                let bytes = |parts: &[Part]| -> Vec<Bytes> {
                    let part = |it: &Part| blocks[it.block].part(it.start, it.bytes);
                    parts.iter().map(part).collect()
                };
                let task = match (reads.len(), writes.len()) {
                    (1, 1) => TaskKind::Copy,
                    (0, _) => TaskKind::Fill,
                    _ => TaskKind::Compute,
                };
                let accesses = accesses(task, &bytes(reads), &bytes(writes));
                if let Some(stream) = stream {
                    script.call("aclrtMemcpyAsync");
                    let position = script.enqueue(streams[*stream], accesses, None, None);
                    at.insert(number, position);
                } else {
                    let outcome = Outcome::Done;
                    script
                        .call("aclrtMemcpy")
                        .say(Operation::Moved { accesses, outcome });
                }
            }
            Step::Record { stream, event } => {
                let event = event_of(&mut script, *event);
                at.insert(number, script.record(streams[*stream], event));
            }
            Step::Wait { stream, event, of } => {
                let event = event_of(&mut script, *event);
                script.wait(streams[*stream], event, of.map(|of| at[&of]));
            }
            Step::Synchronize { stream, query } => {
                let stream = streams[*stream];
                if *query {
                    script.complete(stream);
                    let (target, outcome) = (Target::Stream(stream), Outcome::Done);
                    script.say(Operation::Queried { target, outcome });
                } else {
                    script.synchronize(stream);
                }
            }
            Step::SynchronizeEvent { event, of } => {
                script.complete_to(at[of]);
                let target = Target::Event(event_of(&mut script, *event));
                let outcome = Outcome::Done;
                script.say(Operation::Synchronized { target, outcome });
            }
            Step::SynchronizeDevice => {
                for stream in &streams {
                    script.complete(*stream);
                }
                let (target, outcome) = (Target::Device(0), Outcome::Done);
                script.say(Operation::Synchronized { target, outcome });
            }
            Step::Function { stream } => {
                at.insert(number, script.function(streams[*stream]));
            }
            Step::FunctionDone { of } => {
                let position = at[of];
                script.say(Operation::FunctionBegan { position });
                script.complete_to(position);
            }
            Step::Alloc { ordered, .. } => {
                let ordered = ordered.map(|stream| script.last(streams[stream]));
                let pinned = ordered.is_none() && blocks.len() % 4 == 3;
                let space = if pinned {
                    Space::Pinned
                } else {
                    Space::Device(0)
                };
                let pool = ordered.map(|_| 1);
                script.call("aclrtMalloc");
                blocks.push(script.alloc_in(space, BLOCK, pool, ordered));
            }
            Step::Free { block, ordered } => {
                let ordered = ordered.map(|stream| script.last(streams[stream]));
                let Block { number, range } = blocks[*block];
                script.call("aclrtFree").say(Operation::Freed {
                    block: number,
                    range,
                    retired: false,
                    ordered,
                });
            }
            Step::RecordUse { block, stream } => {
                let position = script.last(streams[*stream]);
                let address = blocks[*block].range.start;
                script.say(Operation::UseRecorded { address, position });
            }
        }
        for record in first + 1..=script.order() {
            steps.insert(record, number);
        }
    }
    script.end();
    (script, steps, blocks)
}

/// Whether a finding tells of two steps that the graph says have no order, and of bytes of theirs.
fn tells(
    finding: &millpond_check::Finding,
    unordered: &Unordered,
    steps: &HashMap<u64, usize>,
    blocks: &[Block],
) -> bool {
    let named: Vec<_> = finding
        .operations
        .iter()
        .filter_map(|operation| steps.get(&operation.order))
        .collect();
    let both = unordered.steps.iter().all(|step| named.contains(&step));
    let bytes = finding.bytes.expect("has bytes");
    both && unordered.bytes.iter().any(|part| {
        let range = blocks[part.block].part(part.start, part.bytes);
        range.start < bytes.start + bytes.bytes && bytes.start < range.start + range.bytes
    })
}

/// Judges a program, and the same without an edge that it needs. Answers how many steps it has, and
/// how much was found in the second.
fn judge(seed: u64) -> (usize, Option<usize>) {
    let program = Program::new(seed);
    let wrong = program.without(usize::MAX);
    assert!(
        wrong.is_empty(),
        "seed {seed}: the generator is wrong: {wrong:?}"
    );
    let (script, _, _) = run(&program, None);
    assert!(
        script.findings.is_empty(),
        "seed {seed}: {:?}\n{:?}",
        script.findings,
        program.steps
    );

    // The first edge, from a random one on, that is needed.
    let edges = program.edges();
    let from = Random::new(seed).below(edges.len().max(1));
    let order = edges.iter().cycle().skip(from).take(edges.len());
    let needed = order
        .map(|edge| (*edge, program.without(*edge)))
        .find(|(_, unordered)| !unordered.is_empty());
    let Some((edge, unordered)) = needed else {
        return (program.steps.len(), None);
    };
    let (script, steps, blocks) = run(&program, Some(edge));
    let told = script.findings.iter().filter(|it| it.bytes.is_some());
    let told: Vec<_> = told.collect();
    assert!(
        !told.is_empty(),
        "seed {seed}: without step {edge} there is no order in {unordered:?}, and nothing is found\n{:?}",
        program.steps
    );
    // And nothing is told that is not so.
    for finding in &told {
        let mut pairs = unordered.iter();
        assert!(
            pairs.any(|pair| tells(finding, pair, &steps, &blocks)),
            "seed {seed}: without step {edge} {finding:?} is not among {unordered:?}\n{:?}",
            program.steps
        );
    }
    (program.steps.len(), Some(told.len()))
}

const PROGRAMS: u64 = 2000;

#[test]
fn correct_programs_are_silent_and_without_a_needed_edge_they_are_not() {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let results: Vec<_> = std::thread::scope(|scope| {
        let seeds = |thread: usize| (1..=PROGRAMS).skip(thread).step_by(threads);
        let runs: Vec<_> = (0..threads)
            .map(|thread| scope.spawn(move || seeds(thread).map(judge).collect::<Vec<_>>()))
            .collect();
        let joined = runs.into_iter().map(|run| run.join().expect("was judged"));
        joined.flatten().collect()
    });
    let steps: usize = results.iter().map(|(steps, _)| steps).sum();
    let mutants: Vec<_> = results.iter().filter_map(|(_, found)| *found).collect();
    let findings: usize = mutants.iter().sum();
    assert!(mutants.len() * 10 > results.len() * 9, "{}", mutants.len());
    let told = writeln!(
        std::io::stderr(),
        "{} correct programs ({steps} steps) are silent; {} of them without one needed edge give {findings} findings, all of them true",
        results.len(),
        mutants.len()
    );
    told.expect("says how many");
}
