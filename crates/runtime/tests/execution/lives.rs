//! Who may go while a run is queued.

use crate::common::gate;
use crate::world::{Floats, add, chain, chained, open_eager};
use millpond::{Argument, Data, Element, LoadOptions};

#[test]
fn a_model_may_be_unloaded_while_runs_of_it_are_queued() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    y.set(&[0.0; 16]);
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    for _ in 0..10 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    drop(model);
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(4, 3)));
}

#[test]
fn inputs_and_outputs_may_be_freed_after_a_queued_run() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 1);
    let y = Floats::new(&device, &[1024], 0.0);
    let x = Floats::new(&device, &[1024], 1.0);
    add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
        .unwrap();
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
        .unwrap();
    drop(x);
    let other = Floats::new(&device, &[1024], 50.0);
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(2.0), "the input's bytes were still its own");
    assert!(other.is(50.0));
}

#[test]
fn runs_that_are_thrown_away_leave_nothing_behind() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 3);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    for _ in 0..5 {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    }
    stream.abort();
    stream.synchronize().unwrap();
    assert!(y.is(0.0));
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(4, 3)));
}

#[test]
fn what_is_mapped_stays_for_a_queued_run_that_names_it() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 1);
    let piece = device.alloc_physical(2 << 20).unwrap();
    let space = runtime.reserve(2 << 20).unwrap();
    let mapping = space.map(0, &piece).unwrap();
    let y = Floats::new(&device, &[16], 0.0);
    stream.fill(mapping.slice(..64), 0x40).unwrap();
    // 0x40404040 as a number.
    let value = f32::from_bits(0x4040_4040);
    let x = Argument {
        data: Data::At {
            address: mapping.address(),
            bytes: 64,
        },
        element: Element::F32,
        dims: &[16],
    };
    // Inside the call, and queued.
    add.run_on(&stream, &[x, x], &[y.output()]).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(value + value));
    y.set(&[0.0; 16]);
    let event = gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    add.run_on(&stream, &[x, x], &[y.output()]).unwrap();
    drop(mapping);
    drop(piece);
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(value + value));
}

#[test]
fn a_model_is_loaded_from_a_file_too() {
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, _) = open_eager();
    let negative = || {
        let mut graph = Graph::new("file");
        let x = graph.input("x", Element::F32, &[Dim::Any]);
        let y = graph.node("Neg", &[&x], &[]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Any]));
        graph.finish()
    };
    let file = std::env::temp_dir().join(format!("millpond-{}.onnx", std::process::id()));
    let options = LoadOptions {
        name: "neg".to_owned(),
        ..LoadOptions::default()
    };
    // So that a missing engine is not taken for this.
    runtime.load_model(&negative(), &options).unwrap();
    let error = runtime.load_model_file(&file, &options).unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
    std::fs::write(&file, negative()).unwrap();
    let model = runtime.load_model_file(&file, &options).unwrap();
    std::fs::remove_file(&file).unwrap();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4], value));
    model.run(&device, &[x.input()], &[y.output()]).unwrap();
    assert!(y.is(-1.0));
}
