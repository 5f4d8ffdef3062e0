//! Operators and models on the GPU that has the device's memory.
//!
//! These need a GPU, ONNX Runtime's build for GPUs and the libraries that it uses: `MILLPOND_DEVICE=cuda`, and
//! `MILLPOND_ONNXRUNTIME` with the folder of the build. Without them they are skipped, unless `MILLPOND_REQUIRE` names
//! `onnxruntime-cuda`. Results are compared with those of the CPU provider of the same library.
#![expect(unsafe_code, reason = "native work on memory by address")]

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use millpond::{
    AllocatorBlock, Argument, ComputesOn, Config, Data, Destination, Device, DeviceBlock, Element,
    Error, LoadOptions, Model, Output, Runtime, Schedule, Stream, StreamAllocator, Touch,
    WorkspaceSource,
};
use millpond_model::onnx::{Attribute, Dim, Graph};

use crate::common::{self, on_gpu};
use crate::world::{
    Counting, Floats, add, chain, chain_from, chained, is_on_gpu, load, non_zero, open, reshape,
};

/// Prints why nothing is tested.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn skip(why: &str) {
    let required = std::env::var("MILLPOND_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(',').any(|one| one == "onnxruntime-cuda"),
        "MILLPOND_REQUIRE=onnxruntime-cuda, but {why}"
    );
    eprintln!("skipped: {why}");
}

/// A runtime whose operators compute on its GPU.
fn gpu(schedule: Schedule) -> Option<(Runtime, Device)> {
    if !on_gpu() {
        skip("MILLPOND_DEVICE names no GPU");
        return None;
    }
    let (runtime, device) = open(schedule);
    match add(&runtime, 1).computes_on(&device) {
        ComputesOn::Gpu(_) => Some((runtime, device)),
        ComputesOn::Cpu { reason } => {
            skip(
                reason
                    .as_deref()
                    .unwrap_or("this build of ONNX Runtime is for CPUs"),
            );
            None
        }
    }
}

/// The same, with a stream.
fn gpu_eager() -> Option<(Runtime, Device, Stream)> {
    let (runtime, device) = gpu(Schedule::Eager)?;
    let stream = device.create_stream().unwrap();
    Some((runtime, device, stream))
}

/// A tensor of any type.
struct Tensor {
    element: Element,
    dims: Vec<i64>,
    bytes: Vec<u8>,
}

/// Distinct numbers that are no small integers, the same on every run.
fn floats(dims: &[i64], seed: u32) -> Tensor {
    let count = dims.iter().product::<i64>();
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let high = u16::try_from(state >> 16).unwrap();
        f32::from(high) / 32768.0 - 1.0
    };
    Tensor {
        element: Element::F32,
        dims: dims.to_vec(),
        bytes: (0..count).flat_map(|_| next().to_le_bytes()).collect(),
    }
}

fn ints(dims: &[i64], seed: i32) -> Tensor {
    let count = i32::try_from(dims.iter().product::<i64>()).unwrap();
    Tensor {
        element: Element::I32,
        dims: dims.to_vec(),
        bytes: (0..count)
            .flat_map(|index| (index.wrapping_mul(seed) % 1000 - 400).to_le_bytes())
            .collect(),
    }
}

fn longs(dims: &[i64], values: &[i64]) -> Tensor {
    Tensor {
        element: Element::I64,
        dims: dims.to_vec(),
        bytes: values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect(),
    }
}

/// What a model makes of tensors in memory of the device, `times` times: in the call, on a busy stream, with a plan.
fn results(
    device: &Device,
    model: &Model,
    inputs: &[Tensor],
    room: u64,
    times: usize,
) -> Vec<(Vec<i64>, Vec<u8>)> {
    let stream = device.create_stream().unwrap();
    let blocks: Vec<DeviceBlock> = inputs
        .iter()
        .map(|tensor| {
            let block = device.alloc((tensor.bytes.len() as u64).max(1)).unwrap();
            block.write(&tensor.bytes).unwrap();
            block
        })
        .collect();
    let arguments: Vec<Argument<'_>> = inputs
        .iter()
        .zip(&blocks)
        .map(|(tensor, block)| Argument {
            data: Data::At {
                address: block.address(),
                bytes: tensor.bytes.len() as u64,
            },
            element: tensor.element,
            dims: &tensor.dims,
        })
        .collect();
    let output = device.alloc(room).unwrap();
    let open = Output {
        destination: Destination::At {
            address: output.address(),
            room,
        },
        dims: None,
        likely: None,
        whole: false,
    };
    let mut all = Vec::new();
    for _ in 0..times {
        stream.fill(output.all(), 0xee).unwrap();
        let shapes = model.run_on(&stream, &arguments, &[open]).unwrap();
        stream.synchronize().unwrap();
        let dims = shapes[0].to_vec();
        let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
        let mut bytes = vec![0; count * model.outputs()[0].element.bytes()];
        output.read(&mut bytes).unwrap();
        all.push((dims, bytes));
    }
    all
}

/// Runs a graph on the GPU and, staged, with the CPU provider, and compares.
#[track_caller]
fn compare(name: &str, file: &[u8], inputs: &[Tensor], tolerance: f32) {
    let Some((runtime, device)) = gpu(Schedule::Eager) else {
        return;
    };
    let model = load(&runtime, name, file);
    assert!(
        matches!(model.computes_on(&device), ComputesOn::Gpu(_)),
        "{name}: {:?}",
        model.computes_on(&device)
    );
    let room = 1 << 20;
    let here = results(&device, &model, inputs, room, 4);
    assert!(
        matches!(model.computes_on(&device), ComputesOn::Gpu(_)),
        "{name}, after runs: {:?}",
        model.computes_on(&device)
    );
    let config = Config {
        cuda_operators: false,
        onnxruntime: std::env::var_os("MILLPOND_ONNXRUNTIME").map(Into::into),
        ..common::config(Schedule::Eager)
    };
    let staged = Runtime::new(config).unwrap();
    let staged_device = staged.device(0).unwrap();
    let model = load(&staged, name, file);
    assert_eq!(
        model.computes_on(&staged_device),
        ComputesOn::Cpu { reason: None }
    );
    let expected = results(&staged_device, &model, inputs, room, 1).remove(0);
    let element = model.outputs()[0].element;
    for (dims, bytes) in &here {
        assert_eq!(*dims, expected.0, "{name}");
        if element != Element::F32 {
            assert_eq!(*bytes, expected.1, "{name}");
            continue;
        }
        let numbers = |bytes: &[u8]| -> Vec<f32> {
            let words = bytes.chunks_exact(4);
            words
                .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
                .collect()
        };
        for (index, (is, should)) in numbers(bytes).iter().zip(numbers(&expected.1)).enumerate() {
            assert!(
                (is - should).abs() <= tolerance * should.abs().max(1.0),
                "{name}: element {index} is {is} on the GPU and {should} on the CPU"
            );
        }
        assert_eq!(*bytes, here[0].1, "{name}: every run gives the same bits");
    }
}

/// A graph of one node.
fn single(
    op: &str,
    inputs: &[Tensor],
    attributes: &[(&str, Attribute)],
    result: Element,
) -> Vec<u8> {
    let mut graph = Graph::new(op);
    let values: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(index, tensor)| {
            let dims = vec![Dim::Any; tensor.dims.len()];
            graph.input(&format!("x{index}"), tensor.element, &dims)
        })
        .collect();
    let values: Vec<_> = values.iter().collect();
    let y = graph.node(op, &values, attributes);
    graph.output("y", &y, result, None);
    graph.finish()
}

#[track_caller]
fn compare_node(op: &str, inputs: &[Tensor], attributes: &[(&str, Attribute)], tolerance: f32) {
    let file = single(op, inputs, attributes, inputs[0].element);
    compare(op, &file, inputs, tolerance);
}

#[test]
fn element_by_element() {
    let [a, b] = [1, 2].map(|seed| floats(&[7, 33], seed));
    compare_node("Add", &[a, b], &[], 0.0);
    compare_node(
        "Mul",
        &[floats(&[5, 1, 9], 3), floats(&[4, 9], 4)],
        &[],
        0.0,
    );
    compare_node("Tanh", &[floats(&[1000], 5)], &[], 1e-5);
}

#[test]
fn whole_numbers() {
    compare_node("Add", &[ints(&[6, 50], 7), ints(&[6, 50], 13)], &[], 0.0);
    compare_node("Mul", &[ints(&[300], 3), ints(&[300], 11)], &[], 0.0);
    let [a, b] = [&[5_i64, -7, 1 << 40, -9], &[2_i64, 3, 7, -2]].map(|values| longs(&[4], values));
    compare_node("Sub", &[a, b], &[], 0.0);
    // A division by zero gives some number instead of ending the process, on either processor.
    compare_node("Div", &[ints(&[40], 9), ints(&[40], 5)], &[], 0.0);
}

#[test]
fn matrix_products() {
    compare_node(
        "MatMul",
        &[floats(&[64, 96], 1), floats(&[96, 40], 2)],
        &[],
        1e-5,
    );
    compare_node(
        "MatMul",
        &[floats(&[3, 17, 31], 1), floats(&[3, 31, 5], 2)],
        &[],
        1e-5,
    );
    compare_node(
        "Gemm",
        &[floats(&[20, 30], 1), floats(&[10, 30], 2), floats(&[10], 3)],
        &[("transB", 1_i64.into()), ("alpha", 0.5_f32.into())],
        1e-5,
    );
}

#[test]
fn convolutions() {
    compare_node(
        "Conv",
        &[
            floats(&[2, 3, 17, 19], 1),
            floats(&[8, 3, 3, 3], 2),
            floats(&[8], 3),
        ],
        &[("pads", vec![1_i64, 1, 1, 1].into())],
        1e-4,
    );
    // The provider applies asymmetric padding in extra memory.
    compare_node(
        "Conv",
        &[floats(&[1, 2, 9, 9], 5), floats(&[4, 2, 3, 3], 6)],
        &[("pads", vec![0_i64, 1, 1, 0].into())],
        1e-4,
    );
    compare_node(
        "MaxPool",
        &[floats(&[1, 4, 12, 12], 4)],
        &[("kernel_shape", vec![2_i64, 2].into())],
        0.0,
    );
}

#[test]
fn softmax_and_reductions() {
    compare_node(
        "Softmax",
        &[floats(&[9, 130], 1)],
        &[("axis", (-1_i64).into())],
        1e-5,
    );
    compare_node(
        "ReduceSum",
        &[floats(&[9, 130], 2)],
        &[("keepdims", 0_i64.into())],
        1e-4,
    );
    compare_node("ReduceMax", &[floats(&[9, 130], 3)], &[], 0.0);
    // The axes are an input that the provider reads on this machine.
    compare_node(
        "ReduceMean",
        &[floats(&[4, 6, 8], 4), longs(&[1], &[1])],
        &[],
        1e-5,
    );
}

#[test]
fn dimensions_that_only_the_run_shows() {
    let values = longs(&[9], &[0, 3, 0, 0, 5, 1, 0, 0, 2]);
    let file = single("NonZero", std::slice::from_ref(&values), &[], Element::I64);
    compare("NonZero", &file, &[values], 0.0);
    let file = {
        let mut graph = Graph::new("compress");
        let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
        let zero = graph.float(0.0);
        let above = graph.node("Greater", &[&x, &zero], &[]);
        let line = graph.ints(&[-1]);
        let flat = graph.node("Reshape", &[&above, &line], &[]);
        let y = graph.node("Compress", &[&x, &flat], &[]);
        graph.output("y", &y, Element::F32, None);
        graph.finish()
    };
    compare("compress", &file, &[floats(&[8, 8], 6)], 0.0);
}

#[test]
fn nodes_that_the_provider_lacks_run_on_the_cpu_in_between() {
    let mut graph = Graph::new("mixed");
    let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
    let product = graph.node("MatMul", &[&x, &x], &[]);
    // The provider has no kernel for determinants.
    let det = graph.node("Det", &[&product], &[]);
    let sum = graph.node("Add", &[&product, &det], &[]);
    let y = graph.node("MatMul", &[&sum, &x], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Any]));
    compare("mixed", &graph.finish(), &[floats(&[3, 3], 1)], 1e-4);
}

#[test]
fn inputs_by_value_and_shapes_by_value() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let add = add(&runtime, 1);
    let reshape = reshape(&runtime);
    let [x, y] = [3.0, 0.0].map(|value| Floats::new(&device, &[6], value));
    let host: Vec<u8> = [1_f32; 6]
        .iter()
        .flat_map(|one| one.to_le_bytes())
        .collect();
    for shape in [[2_i64, 3], [3, 2], [2, 3]] {
        let by_value = Argument {
            data: Data::Host(&host),
            element: Element::F32,
            dims: &[6],
        };
        add.run_on(&stream, &[x.input(), by_value], &[y.output()])
            .unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(4.0));
        let bytes: Vec<u8> = shape.iter().flat_map(|dim| dim.to_le_bytes()).collect();
        let dims = Argument {
            data: Data::Host(&bytes),
            element: Element::I64,
            dims: &[2],
        };
        let shapes = reshape
            .run_on(&stream, &[x.input(), dims], &[y.open()])
            .unwrap();
        assert_eq!(*shapes[0], shape);
        stream.synchronize().unwrap();
        assert!(y.is(3.0));
    }
}

#[test]
fn inputs_by_value_without_elements_follow_others() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let mut graph = Graph::new("parts");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let [first, rest] = ["first", "rest"].map(|name| graph.input(name, Element::I64, &[Dim::Any]));
    let shape = graph.node("Concat", &[&first, &rest], &[("axis", Attribute::Int(0))]);
    let y = graph.node("Reshape", &[&x, &shape], &[]);
    graph.output("y", &y, Element::F32, None);
    let model = load(&runtime, "parts", &graph.finish());
    let [x, y] = [3.0, 0.0].map(|value| Floats::new(&device, &[6], value));
    let six = 6_i64.to_le_bytes();
    let first = Argument {
        data: Data::Host(&six),
        element: Element::I64,
        dims: &[1],
    };
    let rest = Argument {
        data: Data::Host(&[]),
        element: Element::I64,
        dims: &[0],
    };
    for _ in 0..2 {
        let shapes = model.run_on(&stream, &[x.input(), first, rest], &[y.open()]);
        assert_eq!(*shapes.unwrap()[0], [6]);
        stream.synchronize().unwrap();
        assert!(y.is(3.0));
    }
}

#[test]
fn a_registered_allocator_serves_the_workspace() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    let model = chain(&runtime, 4);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[16, 16], value));
    for run in 0..5 {
        let before = counting.counts().0;
        y.set(&[0.0; 256]);
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        let asked = counting.counts().0 - before;
        if run == 0 {
            assert!(asked > 1, "a run inside the call asks piece by piece");
        } else {
            assert_eq!(asked, 1, "run {run}: a planned run has one block");
        }
        stream.synchronize().unwrap();
        assert!(y.is(chained(16, 4)), "run {run}");
        assert_eq!(counting.live(), 0);
    }
    assert!(counting.was_called_here_only());
}

#[test]
fn a_first_run_on_a_busy_stream_is_planned_by_a_trial() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    let model = chain(&runtime, 3);
    let [x, y] = [0.0, 0.0].map(|value| Floats::new(&device, &[8, 8], value));
    let ones = Floats::new(&device, &[8, 8], 1.0);
    // Busy for as long as the session and the trial take.
    let event = common::gate(&runtime);
    stream.wait_event(&event, None).unwrap();
    stream.copy(x.block.all(), ones.block.all()).unwrap();
    model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
    assert_eq!(counting.counts(), (1, 1), "one block for the planned run");
    assert!(y.is(0.0), "it has not begun");
    device.create_stream().unwrap().record(&event).unwrap();
    stream.synchronize().unwrap();
    assert!(y.is(chained(8, 3)));
}

#[test]
fn refusals_of_an_allocator_end_the_run_as_on_the_host() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let counting = Counting::new(&runtime, &device);
    counting.register(&stream);
    let model = chain(&runtime, 4);
    for at in 1..=3 {
        // Powers of two, so that every product is exact, however it is rounded.
        let size = 2 << at;
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[size, size], value));
        let asked = counting.counts().0;
        counting.refuses_at.store(asked + at, Ordering::SeqCst);
        let first = model.run_on(&stream, &[x.input()], &[y.output()]);
        if let Err(error) = first {
            assert!(matches!(*error, Error::AllocatorRefused { .. }), "{error}");
        } else {
            assert!(at > 1, "the first request was refused");
        }
        stream.synchronize().unwrap();
        assert_eq!(counting.live(), 0);
        counting.refuses_at.store(u64::MAX, Ordering::SeqCst);
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        counting.refuses_at.store(0, Ordering::SeqCst);
        assert!(model.run_on(&stream, &[x.input()], &[y.output()]).is_err());
        counting.refuses_at.store(u64::MAX, Ordering::SeqCst);
        stream.synchronize().unwrap();
        let expected = chained(usize::try_from(size).unwrap(), 4);
        assert!(y.is(expected), "{expected} expected: {:?}", y.get());
        assert_eq!(counting.live(), 0);
    }
}

#[test]
fn a_node_that_fails_is_a_failure_of_the_stream() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let model = reshape(&runtime);
    let [x, y] = [3.0, 0.0].map(|value| Floats::new(&device, &[6], value));
    for round in 0..3 {
        let bytes: Vec<u8> = [4_i64, 2]
            .iter()
            .flat_map(|dim| dim.to_le_bytes())
            .collect();
        let shape = |bytes| Argument {
            data: Data::Host(bytes),
            element: Element::I64,
            dims: &[2],
        };
        let bad = model.run_on(&stream, &[x.input(), shape(&bytes)], &[y.open()]);
        let failed = bad.map_err(|error| *error).map(drop);
        let failed = failed.and_then(|()| stream.synchronize()).unwrap_err();
        assert!(failed.to_string().contains("Reshape"), "{round}: {failed}");
        let bytes: Vec<u8> = [3_i64, 2]
            .iter()
            .flat_map(|dim| dim.to_le_bytes())
            .collect();
        model
            .run_on(&stream, &[x.input(), shape(&bytes)], &[y.open()])
            .unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(3.0), "{round}");
    }
}

/// An allocator that waits for native work of another stream whenever it is called.
#[derive(Debug)]
struct Waiting {
    runtime: Runtime,
    device: Device,
    other: Stream,
    block: DeviceBlock,
}

impl Waiting {
    fn wait(&self) {
        let all = Touch {
            address: self.block.address(),
            bytes: self.block.len(),
            reads: true,
            writes: true,
        };
        let nothing = |_: &[u64], _| Ok(());
        self.other
            .compute("nothing", &[all], None, false, nothing)
            .unwrap();
        self.other.synchronize().unwrap();
    }
}

impl StreamAllocator for Waiting {
    fn alloc(&self, bytes: u64) -> Option<AllocatorBlock> {
        self.wait();
        let address = self.device.alloc_at(millpond::Request::of(bytes)).unwrap();
        Some(AllocatorBlock { token: 1, address })
    }

    fn free(&self, block: AllocatorBlock) {
        self.wait();
        self.runtime.free_at(block.address).unwrap();
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

#[test]
fn an_allocator_may_wait_for_native_work() {
    common::within(common::LONG, || {
        let Some((runtime, device, stream)) = gpu_eager() else {
            return;
        };
        stream.set_allocator(Some(Arc::new(Waiting {
            runtime: runtime.clone(),
            device: device.clone(),
            other: device.create_stream().unwrap(),
            block: device.alloc(4096).unwrap(),
        })));
        let model = chain(&runtime, 4);
        for size in [4, 8] {
            let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[size, size], value));
            for _ in 0..3 {
                model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
                stream.synchronize().unwrap();
                assert!(y.is(chained(usize::try_from(size).unwrap(), 4)));
            }
        }
        stream.set_allocator(None);
    });
}

#[test]
fn what_a_run_writes_is_not_lost_to_native_work_around_it() {
    const PART: u64 = 4096;
    const ALL: usize = 12288;
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let model = add(&runtime, 1);
    let count = i64::try_from(PART / 4).unwrap();
    let x = Floats::new(&device, &[count], 1.0);
    // Native work owns the first part and names all three, as for a tensor with gaps; runs write the second.
    let block = device.alloc(3 * PART).unwrap();
    block.write(&[0; ALL]).unwrap();
    let dims = [count];
    let middle = Output {
        destination: Destination::At {
            address: block.address() + PART,
            room: PART,
        },
        dims: Some(&dims),
        likely: None,
        whole: false,
    };
    let other = device.create_stream().unwrap();
    for round in 1..=50_u32 {
        x.set(&vec![1.0 / f32::from(u16::try_from(round).unwrap()); 1024]);
        for _ in 0..4 {
            let all = Touch {
                address: block.address(),
                bytes: 3 * PART,
                reads: true,
                writes: true,
            };
            other
                .compute("count", &[all], None, false, |touches, _| {
                    let first = usize::try_from(touches[0]).unwrap();
                    let first = std::ptr::with_exposed_provenance_mut::<u32>(first);
                    // SAFETY: the task has the block to itself where it writes, at a multiple of 4.
                    unsafe { *first += 1 };
                    Ok(())
                })
                .unwrap();
            model
                .run_on(&stream, &[x.input(), x.input()], &[middle])
                .unwrap();
        }
        other.synchronize().unwrap();
        stream.synchronize().unwrap();
        let mut bytes = vec![0; ALL];
        block.read(&mut bytes).unwrap();
        let word = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).unwrap();
        assert_eq!(u32::from_le_bytes(word(0)), 4 * round);
        let expected = 2.0 / f32::from(u16::try_from(round).unwrap());
        for at in (PART..2 * PART).step_by(4) {
            let at = usize::try_from(at).unwrap();
            assert_eq!(
                f32::from_le_bytes(word(at)),
                expected,
                "round {round}, byte {at}"
            );
        }
    }
}

#[test]
fn threads_run_models_of_their_own_and_one_together() {
    let Some((runtime, device)) = gpu(Schedule::Eager) else {
        return;
    };
    let shared = chain(&runtime, 2);
    std::thread::scope(|scope| {
        for number in 0..4_u8 {
            let (runtime, device, shared) = (&runtime, &device, &shared);
            scope.spawn(move || {
                let stream = device.create_stream().unwrap();
                let own = chain(runtime, 1 + usize::from(number));
                for size in [2_i64, 16, 4, 32] {
                    let [x, y] = [1.0, 0.0].map(|value| Floats::new(device, &[size, size], value));
                    let width = usize::try_from(size).unwrap();
                    for _ in 0..4 {
                        shared.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
                        stream.synchronize().unwrap();
                        assert!(y.is(chained(width, 2)));
                        own.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
                        stream.synchronize().unwrap();
                        assert!(y.is(chained(width, 1 + usize::from(number))));
                    }
                }
            });
        }
    });
}

#[test]
fn two_streams_run_one_model_at_once() {
    let Some((runtime, device)) = gpu(Schedule::Eager) else {
        return;
    };
    let model = chain(&runtime, 3);
    let streams = [0, 1].map(|_| device.create_stream().unwrap());
    let pairs: Vec<_> = (0..2_u8)
        .map(|index| {
            let value = 1.0 + f32::from(index);
            [value, 0.0].map(|value| Floats::new(&device, &[32, 32], value))
        })
        .collect();
    for _ in 0..50 {
        for (stream, [x, y]) in streams.iter().zip(&pairs) {
            stream.fill(y.block.all(), 0).unwrap();
            model.run_on(stream, &[x.input()], &[y.output()]).unwrap();
        }
    }
    for stream in &streams {
        stream.synchronize().unwrap();
    }
    let expected = |start: f32| (0..3).fold(start, |value, _| value * value * 32.0);
    for ([_, y], start) in pairs.iter().zip([1.0, 2.0]) {
        assert!(y.is(expected(start)));
    }
}

#[test]
fn a_run_is_over_when_its_task_is() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let model = chain(&runtime, 6);
    let size = 1024_usize;
    let dims = [1024_i64, 1024];
    // Small enough that no product overflows.
    let [x, y] = [1.0 / 1024.0, 0.0].map(|value| Floats::new(&device, &dims, value));
    let copied = Floats::new(&device, &dims, 0.0);
    let expected = {
        let size = f32::from(u16::try_from(size).unwrap());
        (0..6).fold(1.0 / size, |value, _| value * value * size)
    };
    for _ in 0..10 {
        stream.fill(y.block.all(), 0xff).unwrap();
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        // Another stream of the driver reads it.
        stream.copy(copied.block.all(), y.block.all()).unwrap();
        stream.synchronize().unwrap();
        assert!(copied.is(expected));
    }
}

#[test]
fn an_output_may_be_an_input() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let model = add(&runtime, 1);
    let x = Floats::new(&device, &[100], 1.0);
    for _ in 0..4 {
        model
            .run_on(&stream, &[x.input(), x.input()], &[x.output()])
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert!(x.is(16.0));
}

#[test]
fn memory_that_is_not_the_gpus_is_staged() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let model = add(&runtime, 1);
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4], value));
    let mut pinned = runtime.alloc_host(16).unwrap();
    let twos = [2_f32; 4].map(f32::to_le_bytes).concat();
    pinned.bytes().unwrap()[..16].copy_from_slice(&twos);
    let other = Argument {
        data: Data::At {
            address: pinned.info().address,
            bytes: 16,
        },
        element: Element::F32,
        dims: &[4],
    };
    for _ in 0..3 {
        model
            .run_on(&stream, &[x.input(), other], &[y.output()])
            .unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(3.0));
    }
}

#[test]
fn work_memory_of_the_program_serves_a_planned_run() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let file = {
        let mut graph = Graph::new("fixed");
        let dims = [Dim::Is(64), Dim::Is(64)];
        let x = graph.input("x", Element::F32, &dims);
        let a = graph.node("MatMul", &[&x, &x], &[]);
        let b = graph.node("MatMul", &[&a, &x], &[]);
        graph.output("y", &b, Element::F32, Some(&dims));
        graph.finish()
    };
    let bytes = load(&runtime, "fixed", &file).work_size(Some(&device));
    assert!(bytes >= 64 * 64 * 4, "{bytes}");
    let work = device.alloc(bytes).unwrap();
    let options = LoadOptions {
        name: "fixed".to_owned(),
        workspace: WorkspaceSource::Provided {
            address: work.address(),
            bytes,
        },
        ..LoadOptions::default()
    };
    let model = runtime.load_model(&file, &options).unwrap();
    let value = 1.0 / 64.0;
    let [x, y] = [value, 0.0].map(|value| Floats::new(&device, &[64, 64], value));
    let used = device.usage().blocks;
    for _ in 0..3 {
        work.write(&vec![0; usize::try_from(bytes).unwrap()])
            .unwrap();
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(value));
    }
    let mut seen = vec![0; usize::try_from(bytes).unwrap()];
    work.read(&mut seen).unwrap();
    assert!(seen.iter().any(|byte| *byte != 0), "the run worked there");
    assert_eq!(device.usage().blocks, used);
}

#[test]
fn only_so_many_models_have_a_session_at_a_time() {
    if gpu(Schedule::Eager).is_none() {
        return;
    }
    let config = Config {
        cuda_sessions: Some(2),
        onnxruntime: std::env::var_os("MILLPOND_ONNXRUNTIME").map(Into::into),
        ..common::config(Schedule::Eager)
    };
    let runtime = Runtime::new(config).unwrap();
    let device = runtime.device(0).unwrap();
    let stream = device.create_stream().unwrap();
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    let mut models: Vec<_> = (1..=4)
        .map(|nodes| (nodes, chain(&runtime, nodes)))
        .collect();
    for _ in 0..3 {
        for (nodes, model) in &models {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
            stream.synchronize().unwrap();
            assert!(y.is(chained(4, *nodes)));
        }
    }
    assert!(is_on_gpu(&models[0].1, &device) && is_on_gpu(&models[1].1, &device));
    let staged = models[2].1.computes_on(&device);
    assert!(
        matches!(&staged, ComputesOn::Cpu { reason: Some(why) } if why.contains("MILLPOND_CUDA_SESSIONS")),
        "{staged:?}"
    );
    // A model that goes makes room at once.
    models.remove(0);
    assert!(is_on_gpu(&models[1].1, &device));
    // One that no recent run used makes room, too.
    let (_, last) = &models[2];
    assert!(!is_on_gpu(last, &device));
    for _ in 0..1100 {
        models[0]
            .1
            .run_on(&stream, &[x.input()], &[y.output()])
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert!(is_on_gpu(last, &device));
    for (nodes, model) in &models {
        model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        stream.synchronize().unwrap();
        assert!(y.is(chained(4, *nodes)));
    }
}

#[test]
fn models_come_and_go() {
    let Some((runtime, device, stream)) = gpu_eager() else {
        return;
    };
    let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[4, 4], value));
    for nodes in 1..8 {
        let model = chain_from(&runtime, nodes, WorkspaceSource::Pool);
        for _ in 0..3 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        }
        drop(model);
        stream.synchronize().unwrap();
        assert!(y.is(chained(4, nodes)));
    }
    let model = Arc::new(non_zero(&runtime));
    let out = device.alloc(1024).unwrap();
    let open = Output {
        destination: Destination::At {
            address: out.address(),
            room: 1024,
        },
        dims: None,
        likely: None,
        whole: false,
    };
    let line = Floats::new(&device, &[16], 1.0);
    let shapes = model.run_on(&stream, &[line.input()], &[open]).unwrap();
    assert_eq!(*shapes[0], [1, 16]);
}

#[test]
fn a_build_for_cpus_says_that_it_has_no_provider() {
    // Everywhere: what a device without a GPU gets.
    let (runtime, device) = open(Schedule::Eager);
    if on_gpu() {
        return;
    }
    let model = add(&runtime, 1);
    assert_eq!(
        model.computes_on(&device),
        ComputesOn::Cpu { reason: None },
        "only devices that are GPUs compute on one"
    );
}

#[test]
#[ignore = "prints figures and tests nothing: run it alone, with --ignored --nocapture"]
#[expect(clippy::print_stderr, reason = "that is what it is for")]
fn what_sessions_and_runs_cost() {
    if gpu(Schedule::Eager).is_none() {
        return;
    }
    for cuda_operators in [true, false] {
        let config = Config {
            whole_gpus: true,
            cuda_operators,
            onnxruntime: std::env::var_os("MILLPOND_ONNXRUNTIME").map(Into::into),
            ..common::config(Schedule::Eager)
        };
        let runtime = Runtime::new(config).unwrap();
        let device = runtime.device(0).unwrap();
        let stream = device.create_stream().unwrap();
        let [x, y] = [1.0 / 1024.0, 0.0].map(|value| Floats::new(&device, &[1024, 1024], value));
        let before = device.room().0;
        let mut models = Vec::new();
        for count in [1, 2, 10, 40] {
            let began = Instant::now();
            let more = count - models.len();
            for _ in 0..more {
                let model = chain(&runtime, 1);
                model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
                models.push(model);
            }
            stream.synchronize().unwrap();
            eprintln!(
                "GPU {cuda_operators}: {count} models take {} MiB; {more} took {:?} to load and run once",
                before.saturating_sub(device.room().0) >> 20,
                began.elapsed()
            );
        }
        let model = models.swap_remove(0);
        let began = Instant::now();
        for _ in 0..200 {
            model.run_on(&stream, &[x.input()], &[y.output()]).unwrap();
        }
        stream.synchronize().unwrap();
        eprintln!(
            "GPU {cuda_operators}: 1024 x 1024 by its transpose: {:?} each",
            began.elapsed() / 200
        );
        let add = add(&runtime, 1);
        let [x, y] = [1.0, 0.0].map(|value| Floats::new(&device, &[256], value));
        add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
            .unwrap();
        let began = Instant::now();
        for _ in 0..1000 {
            add.run_on(&stream, &[x.input(), x.input()], &[y.output()])
                .unwrap();
        }
        stream.synchronize().unwrap();
        eprintln!(
            "GPU {cuda_operators}: 256 additions: {:?} each",
            began.elapsed() / 1000
        );
        drop((model, models, add));
        eprintln!(
            "GPU {cuda_operators}: {} MiB are not back after all models are gone",
            before.saturating_sub(device.room().0) >> 20
        );
    }
}
