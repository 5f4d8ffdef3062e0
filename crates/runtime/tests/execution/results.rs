//! What comes out, under every schedule.

use millpond::{Argument, Data, Destination, Element, Output};

use crate::common::SCHEDULES;
use crate::world::{Floats, add, chain, chained, load, open, open_eager, reshape};

#[test]
fn operators_run_in_the_order_of_the_stream_under_every_schedule() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let add = add(&runtime, 1);
        let [x, y, z] = [1.0, 0.0, 0.0].map(|value| Floats::new(&device, &[8], value));
        for _ in 0..10 {
            // y = x + z; z = y + x: z grows by 2 each time.
            add.run_on(&stream, &[x.input(), z.input()], &[y.output()])
                .unwrap();
            add.run_on(&stream, &[y.input(), x.input()], &[z.output()])
                .unwrap();
        }
        stream.synchronize().unwrap();
        assert!(z.is(20.0), "{schedule:?}: {:?}", z.get());
    }
}

#[test]
fn a_model_runs_on_changing_shapes_under_every_schedule() {
    for schedule in SCHEDULES {
        let (runtime, device) = open(schedule);
        let stream = device.create_stream().unwrap();
        let model = chain(&runtime, 3);
        for size in [2, 5, 2, 8, 5, 2] {
            let dims = [i64::try_from(size).unwrap(); 2];
            let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &dims, value));
            let shapes = model.run_on(&stream, &[x.input()], &[y.open()]).unwrap();
            assert_eq!(*shapes[0], dims);
            stream.synchronize().unwrap();
            assert!(y.is(chained(size, 3)), "{schedule:?} {size}: {:?}", y.get());
        }
    }
}

#[test]
fn outputs_that_overlap_inputs_come_out_right() {
    let (runtime, device, stream) = open_eager();
    let model = chain(&runtime, 1);
    let x = Floats::new(&device, &[4, 4], 0.0);
    let values: Vec<f32> = (0..16_u8).map(f32::from).collect();
    for _ in 0..3 {
        x.set(&values);
        model.run_on(&stream, &[x.input()], &[x.output()]).unwrap();
        stream.synchronize().unwrap();
        // The first row of x is 0, 1, 2, 3: its square is 14.
        assert_eq!(x.get()[..2], [14.0, 38.0]);
    }
    x.set(&values);
    let produced = model.run(&device, &[x.input()], &[x.output()]).unwrap();
    assert_eq!(*produced.shapes[0], [4, 4]);
    assert_eq!(x.get()[..2], [14.0, 38.0]);
}

#[test]
fn host_inputs_are_taken_by_value() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[2], value));
    for _ in 0..3 {
        let mut host = Vec::from(41_f32.to_le_bytes());
        host.extend(1_f32.to_le_bytes());
        let by_value = Argument {
            data: Data::Host(&host),
            element: Element::F32,
            dims: &[2],
        };
        add.run_on(&stream, &[x.input(), by_value], &[y.output()])
            .unwrap();
        host.fill(0);
        drop(host);
        stream.synchronize().unwrap();
        assert_eq!(y.get(), [42.0, 2.0]);
    }
}

#[test]
fn a_shape_that_comes_by_value_is_part_of_the_plan() {
    let (runtime, device, stream) = open_eager();
    let model = reshape(&runtime);
    assert!(model.is_by_contents());
    let [x, y] = [3.0, 0.0].map(|value| Floats::new(&device, &[6], value));
    for shape in [[2_i64, 3], [3, 2], [2, 3], [6, 1]] {
        let bytes: Vec<u8> = shape.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let by_value = Argument {
            data: Data::Host(&bytes),
            element: Element::I64,
            dims: &[2],
        };
        let shapes = model
            .run_on(&stream, &[x.input(), by_value], &[y.open()])
            .unwrap();
        assert_eq!(*shapes[0], shape);
    }
    stream.synchronize().unwrap();
    assert!(y.is(3.0));
}

#[test]
fn a_run_that_is_waited_for_allocates_its_outputs_if_asked() {
    let (runtime, device, _) = open_eager();
    let model = chain(&runtime, 2);
    let x = Floats::new(&device, &[3, 3], 1.0);
    let new = Output {
        destination: Destination::New,
        dims: None,
        likely: None,
        whole: false,
    };
    let blocks = device.usage().blocks;
    for _ in 0..3 {
        let produced = model.run(&device, &[x.input()], &[new]).unwrap();
        assert_eq!(*produced.shapes[0], [3, 3]);
        let block = produced.blocks[0].unwrap();
        assert_eq!(block.requested, 36);
        assert_eq!(device.usage().blocks, blocks + 1, "nothing else is left");
        runtime.free_at(block.address).unwrap();
    }
}

#[test]
fn inputs_and_constants_that_are_outputs_arrive_in_the_buffers() {
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, stream) = open_eager();
    let mut graph = Graph::new("through");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let two = graph.constant(Element::F32, &[1], &2_f32.to_le_bytes());
    let four = graph.node("Mul", &[&two, &two], &[]);
    graph.output("same", &x, Element::F32, Some(&[Dim::Any]));
    graph.output("four", &four, Element::F32, Some(&[Dim::Is(1)]));
    let model = load(&runtime, "through", &graph.finish());
    let x = Floats::new(&device, &[3], 5.0);
    for run in 0..6 {
        let same = Floats::new(&device, &[3], 0.0);
        let four = Floats::new(&device, &[1], 0.0);
        let outputs = match run % 2 {
            0 => [same.open(), four.open()],
            _ => [same.output(), four.output()],
        };
        if run < 4 {
            model.run_on(&stream, &[x.input()], &outputs).unwrap();
            stream.synchronize().unwrap();
        } else {
            model.run(&device, &[x.input()], &outputs).unwrap();
        }
        assert!(same.is(5.0) && four.is(4.0), "run {run}");
    }
}

#[test]
fn threads_of_the_engine_use_the_same_memory() {
    use crate::world::Counting;
    use millpond::{LoadOptions, Threads};
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, device, stream) = open_eager();
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    for threads in [Threads::Shared, Threads::Own(2)] {
        let mut graph = Graph::new("threads");
        let mut value = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
        for _ in 0..3 {
            let product = graph.node("MatMul", &[&value, &value], &[]);
            value = graph.node("Softmax", &[&product], &[]);
        }
        graph.output("y", &value, Element::F32, Some(&[Dim::Any, Dim::Any]));
        let options = LoadOptions {
            name: "threads".to_owned(),
            threads,
            ..LoadOptions::default()
        };
        let model = runtime.load_model(&graph.finish(), &options).unwrap();
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[128, 128], value));
        for _ in 0..20 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        }
        stream.synchronize().unwrap();
        assert!(y.is(1.0 / 128.0), "{threads:?}");
    }
    assert_eq!(counting.live(), 0);
    assert!(counting.was_called_here_only());
}

#[test]
fn empty_tensors_are_no_trouble() {
    let (runtime, device, stream) = open_eager();
    let add = add(&runtime, 2);
    let [x, y] = [0.0, 0.0].map(|value| Floats::new(&device, &[0, 4], value));
    for _ in 0..3 {
        let shapes = add
            .run_on(&stream, &[x.input(), x.input()], &[y.open()])
            .unwrap();
        assert_eq!(*shapes[0], [0, 4]);
    }
    stream.synchronize().unwrap();
}

#[test]
fn sizes_of_work_and_weights_are_reported() {
    use millpond_model::onnx::{Dim, Graph};
    let (runtime, _, _) = open_eager();
    let mut graph = Graph::new("sizes");
    let x = graph.input("x", Element::F32, &[Dim::Is(16), Dim::Is(16)]);
    let w = graph.constant(Element::F32, &[16, 16], &[0; 1024]);
    let a = graph.node("MatMul", &[&x, &w], &[]);
    let b = graph.node("MatMul", &[&a, &x], &[]);
    graph.output("y", &b, Element::F32, None);
    let model = load(&runtime, "sizes", &graph.finish());
    assert_eq!(model.weight_size(), 1024);
    assert_eq!(
        model.work_size(None),
        1024,
        "what lies between the two products"
    );
    assert_eq!(model.outputs()[0].dims, Some(vec![16, 16]));
}

/// The process would end at the least number divided by -1, and the run fail at 0.
#[test]
fn integers_are_divided_by_anything() {
    use millpond::LoadOptions;
    use millpond_model::onnx::{Attribute, Dim, Graph};
    let file = |op: &str, fmod: bool| {
        let mut graph = Graph::new("divide");
        let a = graph.input("a", Element::I64, &[Dim::Any]);
        let b = graph.input("b", Element::I64, &[Dim::Any]);
        let fmod = [("fmod", Attribute::from(fmod))];
        let fmod = if op == "Mod" { &fmod[..] } else { &[] };
        let y = graph.node(op, &[&a, &b], fmod);
        let y = graph.node("Cast", &[&y], &[("to", Element::F32.into())]);
        graph.output("y", &y, Element::F32, Some(&[Dim::Any]));
        graph.finish()
    };
    let bytes = |numbers: &[i64]| -> Vec<u8> {
        let bytes = numbers.iter().flat_map(|number| number.to_le_bytes());
        bytes.collect()
    };
    let (runtime, device, stream) = open_eager();
    let [a, b] = [
        bytes(&[i64::MIN, i64::MIN, 7, -7, 0, -7]),
        bytes(&[-1, 0, 0, 2, 0, -1]),
    ];
    let least = -9_223_372_036_854_775_808.0;
    for (op, fmod, expected) in [
        ("Div", false, [least, 0.0, 0.0, -3.0, 0.0, 7.0]),
        ("Mod", false, [0.0, 0.0, 0.0, 1.0, 0.0, 0.0]),
        ("Mod", true, [0.0, 0.0, 0.0, -1.0, 0.0, 0.0]),
    ] {
        let file = file(op, fmod);
        let name = format!("millpond-divide-{}.onnx", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, &file).unwrap();
        let from_file = runtime.load_model_file(&path, &LoadOptions::default());
        std::fs::remove_file(&path).unwrap();
        for model in [load(&runtime, op, &file), from_file.unwrap()] {
            let arguments = [&a, &b].map(|data| Argument {
                data: Data::Host(data),
                element: Element::I64,
                dims: &[6],
            });
            let y = Floats::new(&device, &[6], 9.0);
            model.run_on(&stream, &arguments, &[y.output()]).unwrap();
            stream.synchronize().unwrap();
            assert_eq!(y.get(), expected, "{op} {fmod}");
        }
    }
}
