//! What records say of runs: what they are called, what they touch, and whose memory they get.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use millpond::trace::{Bytes, Collector, Operation, RunSource, Span, Target};
use millpond::{LoadOptions, Runtime, Schedule, TrialInput, WorkspaceSource};

use crate::common::SCHEDULES;
use crate::world::{Counting, Floats, add, chain, chain_from, non_zero, open, open_eager};

fn listen(runtime: &Runtime) -> Arc<Collector> {
    let collector = Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());
    collector
}

/// Where the memory of each run was from, and why.
fn places(operations: &[Operation]) -> Vec<(Option<u64>, RunSource, String)> {
    let placed = operations.iter().filter_map(|operation| match operation {
        Operation::RunPlaced {
            stream,
            source,
            reason,
            ..
        } => Some((*stream, *source, reason.to_string())),
        _ => None,
    });
    placed.collect()
}

#[test]
fn every_answer_of_an_allocator_is_told_and_every_return() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let model = chain(&runtime, 4);
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
        let collector = listen(&runtime);
        for _ in 0..3 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            stream.synchronize().unwrap();
        }
        counting.refuses_at.store(0, Ordering::SeqCst);
        assert!(model.run_on(&stream, &[x.input()], &[y.output()]).is_err());
        let (allocs, frees) = counting.counts();
        let operations = collector.operations();
        let mut live = Vec::new();
        let (mut asked, mut given_back, mut refused) = (0, 0, 0);
        for operation in &operations {
            match operation {
                Operation::AllocatorAsked { token: 0, .. } => refused += 1,
                Operation::AllocatorAsked {
                    stream: on,
                    token,
                    address,
                    bytes,
                    ..
                } => {
                    assert_eq!(*on, stream.id());
                    assert!(*bytes >= 64 && *address != 0);
                    live.push((*token, *address));
                    asked += 1;
                }
                Operation::AllocatorReturned {
                    position,
                    token,
                    address,
                    address_now,
                    ..
                } => {
                    assert_eq!((position.stream, address), (stream.id(), address_now));
                    let known = live.iter().position(|one| *one == (*token, *address));
                    live.swap_remove(known.expect("it was given before"));
                    given_back += 1;
                }
                _ => {}
            }
        }
        assert_eq!((asked + refused, given_back), (allocs, frees));
        assert_eq!((refused, live.len()), (1, 0), "{schedule:?}");
        assert!(
            places(&operations)
                .iter()
                .all(|place| (place.0, place.1) == (Some(stream.id()), RunSource::Allocator)),
            "{schedule:?}"
        );
    }
}

/// The places of a run in what was recorded: asked for memory, put into the stream, gave memory back.
fn story(operations: &[Operation]) -> Vec<(&'static str, u64)> {
    let told = operations.iter().filter_map(|operation| match operation {
        Operation::AllocatorAsked { .. } => Some(("asked", 0)),
        Operation::AllocatorReturned { .. } => Some(("returned", 0)),
        Operation::Enqueued { accesses, .. } => Some(("enqueued", accesses.scratch)),
        _ => None,
    });
    let mut told: Vec<_> = told.collect();
    told.dedup();
    told
}

#[test]
fn the_first_run_of_a_shape_is_told_as_later_ones_are() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let counting = Counting::new(&runtime, &device);
        counting.register(&stream);
        let model = chain(&runtime, 4);
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
        for run in 0..3 {
            let collector = listen(&runtime);
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            stream.synchronize().unwrap();
            let operations = collector.operations();
            let told = story(&operations);
            let words: Vec<_> = told.iter().map(|(word, _)| *word).collect();
            assert_eq!(words, ["asked", "enqueued", "returned"], "run {run}");
            assert!(told[1].1 > 0, "run {run}: {told:?}");
            for operation in &operations {
                let Operation::AllocatorAsked { address, bytes, .. } = operation else {
                    continue;
                };
                let inside = |span: &Span| span.start < address + bytes && *address <= span.start;
                let named = operations.iter().any(|operation| {
                    matches!(operation, Operation::Enqueued { accesses, .. } if accesses.written().1.iter().any(inside))
                });
                assert!(named, "run {run} works in {address:#x}");
            }
        }
    }
}

#[test]
fn memory_of_our_own_pool_is_not_told_as_what_a_run_works_in() {
    let (runtime, device, stream) = open_eager();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let model = chain(&runtime, 4);
    let collector = listen(&runtime);
    for _ in 0..3 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        stream.synchronize().unwrap();
    }
    assert_eq!(story(&collector.operations()), [("enqueued", 0)]);
}

#[test]
fn memory_that_a_model_was_given_is_named_by_every_run_and_has_to_be_there() {
    let (runtime, device, stream) = open_eager();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let given = Floats::new(&device, &[1024], 0.0);
    let start = given.block.address();
    let from = WorkspaceSource::Provided {
        address: start,
        bytes: 4096,
    };
    let model = chain_from(&runtime, 4, from);
    let collector = listen(&runtime);
    for _ in 0..2 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        stream.synchronize().unwrap();
        model.run(&device, &[x.input()], &[y.output()]).unwrap();
    }
    let input = TrialInput {
        contents: None,
        element: x.input().element,
        dims: x.input().dims,
    };
    assert_eq!(model.shapes_of(&[input]).unwrap().len(), 1);
    drop(given);
    assert!(model.run_on(&stream, &[x.input()], &[y.output()]).is_err());
    assert!(model.run(&device, &[x.input()], &[y.output()]).is_err());
    let whole = Span::from(Bytes { start, bytes: 4096 });
    let named: Vec<bool> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::Enqueued { accesses, .. }
            | Operation::Moved { accesses, .. }
            | Operation::WorkRefused { accesses, .. } => Some(accesses.written().1 == [whole]),
            _ => None,
        })
        .collect();
    assert_eq!(named, [true; 6]);
}

#[test]
fn records_say_where_the_memory_of_a_run_is_from_and_why() {
    let (runtime, device, stream) = open_eager();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let given = Floats::new(&device, &[1024], 0.0);
    let block = |bytes| WorkspaceSource::Provided {
        address: given.block.address(),
        bytes,
    };
    let collector = listen(&runtime);
    let froms = [
        (WorkspaceSource::Allocator, RunSource::Pool, "no allocator"),
        (WorkspaceSource::Pool, RunSource::Pool, "fixed"),
        (block(4096), RunSource::Provided, "provided a block"),
        (block(64), RunSource::Pool, "too small"),
    ];
    for (from, source, why) in froms {
        let model = chain_from(&runtime, 4, from);
        for _ in 0..3 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            stream.synchronize().unwrap();
        }
        let last = places(&collector.operations()).pop().unwrap();
        assert_eq!((last.0, last.1), (Some(stream.id()), source), "{from:?}");
        assert!(last.2.contains(why), "{from:?}: {}", last.2);
    }
    let waited = chain(&runtime, 4);
    waited.run(&device, &[x.input()], &[y.output()]).unwrap();
    let simple = add(&runtime, 2);
    let inputs = [x.input(), x.input()];
    simple.run_on(&stream, &inputs, &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    let operations = collector.operations();
    let last: Vec<_> = places(&operations).into_iter().rev().take(2).collect();
    assert_eq!(
        (last[0].0, last[0].1),
        (Some(stream.id()), RunSource::Nothing)
    );
    assert_eq!((last[1].0, last[1].1), (None, RunSource::Pool));
}

#[test]
fn a_run_names_its_model_and_what_it_touches() {
    let (runtime, device, stream) = open_eager();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let options = LoadOptions {
        name: "resnet".to_owned(),
        number: 7,
        ..LoadOptions::default()
    };
    let file = {
        use millpond::Element;
        use millpond_model::onnx::{Dim, Graph};
        let mut graph = Graph::new("twice");
        let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
        let y = graph.node("Add", &[&x, &x], &[]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Any]));
        graph.finish()
    };
    let model = runtime.load_model(&file, &options).unwrap();
    let collector = listen(&runtime);
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    model.run(&device, &[x.input()], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    let span = |floats: &Floats| {
        Span::from(Bytes {
            start: floats.block.address(),
            bytes: 64,
        })
    };
    let mut seen = 0;
    for operation in collector.operations() {
        if let Operation::Enqueued { accesses, .. } | Operation::Moved { accesses, .. } = operation
        {
            assert_eq!((&*accesses.name, accesses.model), ("resnet", 7));
            assert_eq!(accesses.reads.as_slice(), [span(&x)]);
            assert_eq!(accesses.writes[0], span(&y));
            seen += 1;
        }
    }
    assert_eq!(seen, 2);
}

#[test]
fn a_run_that_is_refused_for_its_buffers_is_told() {
    let (runtime, device, stream) = open_eager();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let small = Floats::new(&device, &[2, 2], 0.0);
    let model = add(&runtime, 2);
    let collector = listen(&runtime);
    let far = [4_i64, 4];
    // The block has 64 bytes and the buffer says so, but the shape needs more.
    let short = millpond::Argument {
        dims: &[4, 8],
        ..x.input()
    };
    // Nothing is allocated there.
    let wild = millpond::Argument {
        data: millpond::Data::At {
            address: y.block.address() + (128 << 20),
            bytes: 64,
        },
        dims: &far,
        ..x.input()
    };
    for (inputs, outputs) in [
        ([short, short], [y.open()]),
        ([x.input(), wild], [y.open()]),
        ([x.input(), x.input()], [small.open()]),
    ] {
        assert!(model.run_on(&stream, &inputs, &outputs).is_err());
        assert!(model.run(&device, &inputs, &outputs).is_err());
    }
    let refused: Vec<_> = collector
        .operations()
        .into_iter()
        .filter_map(|operation| match operation {
            Operation::WorkRefused {
                stream, accesses, ..
            } => Some((
                stream,
                accesses.reads.iter().map(|span| span.width).collect(),
                accesses.writes[0].width,
                accesses.room,
            )),
            _ => None,
        })
        .collect();
    let both = |reads: Vec<u64>, writes, room| {
        [
            (Some(stream.id()), reads.clone(), writes, room),
            (None, reads, writes, room),
        ]
    };
    let expected = [
        both(vec![128, 128], 64, 64),
        both(vec![64, 64], 64, 0),
        both(vec![64, 64], 64, 16),
    ];
    assert_eq!(refused, expected.concat());
}

/// Whether the stream was idle or not: the call waits because it must.
#[test]
fn a_call_that_waits_because_contents_decide_says_so() {
    for schedule in [Schedule::Eager, Schedule::Latest] {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let x = Floats::new(&device, &[4], 1.0);
        let y = Floats::new(&device, &[16], 0.0);
        let model = non_zero(&runtime);
        let collector = listen(&runtime);
        for _ in 0..2 {
            model.run_on(&stream, &[x.input()], &[y.open()]).unwrap();
        }
        let waited = collector.operations().into_iter().filter(|operation| {
            matches!(
                operation,
                Operation::Synchronized { target: Target::Stream(number), .. }
                    if *number == stream.id()
            )
        });
        assert_eq!(waited.count(), 2, "{schedule:?}");
    }
}
