//! Failures inside the engine are the stream's.

use millpond::{Argument, Data, Element, Error, OnFailure, TaskFailure};

use crate::common::SCHEDULES;
use crate::world::{Floats, add, gather, load, open, open_eager, skipped_on_gpu};

/// `gpu.rs` tests a node that fails on a GPU.
const OUT_OF_RANGE: &str = "the CUDA provider's Gather gives 0 for an index that is out of range";

#[test]
fn a_failing_node_surfaces_at_the_synchronisation_with_its_name() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let model = gather(&runtime);
        if skipped_on_gpu(&model, &device, OUT_OF_RANGE) {
            return;
        }
        let x = Floats::new(&device, &[4], 7.0);
        let y = Floats::new(&device, &[1], 0.0);
        let good = 1_i64.to_le_bytes();
        let bad = 9_i64.to_le_bytes();
        let index = |bytes| Argument {
            data: Data::Host(bytes),
            element: Element::I64,
            dims: &[1],
        };
        // At the first run, which is made inside the call, and at later ones, which are queued.
        for _ in 0..3 {
            model
                .run_on(&stream, &[x.input(), index(&bad)], &[y.output()])
                .unwrap();
            let error = stream.synchronize().unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains("gather failed") && text.contains("Gather_1"),
                "{text}"
            );
            let cause = TaskFailure::Computation(String::new());
            assert!(
                matches!(&error, Error::TaskFailed { cause: found, .. }
                    if std::mem::discriminant(found) == std::mem::discriminant(&cause)),
                "{error:?}"
            );
            model
                .run_on(&stream, &[x.input(), index(&good)], &[y.output()])
                .unwrap();
            stream.synchronize().unwrap();
            assert!(y.is(7.0));
        }
    }
}

#[test]
fn a_stream_that_stops_at_failures_runs_nothing_after_one() {
    let (runtime, device, stream) = open_eager();
    stream.set_on_failure(OnFailure::Stop);
    let (model, add) = (gather(&runtime), add(&runtime, 1));
    if skipped_on_gpu(&model, &device, OUT_OF_RANGE) {
        return;
    }
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[1], value));
    let bad = 9_i64.to_le_bytes();
    let index = Argument {
        data: Data::Host(&bad),
        element: Element::I64,
        dims: &[1],
    };
    model
        .run_on(&stream, &[x.input(), index], &[y.output()])
        .unwrap();
    assert!(stream.synchronize().is_err());
    let behind = add.run_on(&stream, &[x.input(), x.input()], &[y.output()]);
    assert!(behind.is_err(), "a run inside the call is not made, either");
    assert!(stream.synchronize().is_err());
    assert!(y.is(0.0));
}

#[test]
fn a_file_that_is_not_a_model_is_refused_with_its_name() {
    let (runtime, _, _) = open_eager();
    // So that a missing engine is not taken for this.
    add(&runtime, 1);
    let options = millpond::LoadOptions {
        name: "noise.onnx".to_owned(),
        ..millpond::LoadOptions::default()
    };
    let error = runtime.load_model(b"noise", &options).unwrap_err();
    assert!(matches!(error, Error::ModelRefused { .. }));
    assert!(
        error.to_string().starts_with("noise.onnx cannot be loaded"),
        "{error}"
    );
}

#[test]
fn a_failing_run_that_is_waited_for_says_so_itself() {
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, _) = open_eager();
    let mut graph = Graph::new("g");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let shape = graph.ints(&[3, 3]);
    let y = graph.node("Reshape", &[&x, &shape], &[]);
    graph.output("y", &y, Element::F32, None);
    let model = load(&runtime, "nine", &graph.finish());
    let x = Floats::new(&device, &[4], 7.0);
    let y = Floats::new(&device, &[9], 0.0);
    let blocks = device.usage().blocks;
    let error = model.run(&device, &[x.input()], &[y.open()]).unwrap_err();
    let text = error.to_string();
    assert!(
        text.contains("nine failed") && text.contains("Reshape"),
        "{text}"
    );
    assert_eq!(device.usage().blocks, blocks);
}
