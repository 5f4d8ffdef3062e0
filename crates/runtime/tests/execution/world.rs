//! Graphs, tensors on a device, and an allocator that counts.

use std::any::Any;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;

use millpond::{
    AllocatorBlock, Argument, ComputesOn, Config, Data, Destination, Device, DeviceBlock, Element,
    LoadOptions, Model, Output, Runtime, Schedule, Stream, StreamAllocator, WorkspaceSource,
};
use millpond_model::onnx::{Dim, Graph};

use crate::common;

/// A small device under `schedule` whose runtime finds the engine.
pub(crate) fn open(schedule: Schedule) -> (Runtime, Device) {
    let named = std::env::var_os("MILLPOND_ONNXRUNTIME").map(PathBuf::from);
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venv");
    let config = Config {
        onnxruntime: Some(named.unwrap_or(own)),
        ..common::config(schedule)
    };
    let runtime = Runtime::new(config).expect("a configuration that is in order");
    let device = runtime.device(0).expect("address space for a small device");
    (runtime, device)
}

/// The same, under the eager schedule, with a stream.
pub(crate) fn open_eager() -> (Runtime, Device, Stream) {
    let (runtime, device) = open(Schedule::Eager);
    let stream = device.create_stream().unwrap();
    (runtime, device, stream)
}

pub(crate) fn load(runtime: &Runtime, name: &str, file: &[u8]) -> Model {
    let options = LoadOptions {
        name: name.to_owned(),
        ..LoadOptions::default()
    };
    runtime.load_model(file, &options).unwrap_or_else(|error| {
        panic!("cargo xtask engine installs what these tests need: {error}")
    })
}

/// Whether it computes on the GPU that has the device's memory.
pub(crate) fn is_on_gpu(model: &Model, device: &Device) -> bool {
    matches!(model.computes_on(device), ComputesOn::Gpu(_))
}

/// The same, and says that the test is skipped because of it.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn skipped_on_gpu(model: &Model, device: &Device, why: &str) -> bool {
    let skips = is_on_gpu(model, device);
    if skips {
        eprintln!("skipped where a GPU computes: {why}");
    }
    skips
}

/// y = a + b, element by element, of any shape with `rank` dimensions.
pub(crate) fn add(runtime: &Runtime, rank: usize) -> Model {
    let dims = vec![Dim::Any; rank];
    let mut graph = Graph::new("add");
    let a = graph.input("a", Element::F32, &dims);
    let b = graph.input("b", Element::F32, &dims);
    let y = graph.node("Add", &[&a, &b], &[]);
    graph.output("y", &y, Element::F32, Some(&dims));
    load(runtime, "Add", &graph.finish())
}

/// y = x times its transpose, over and over: what is between needs memory.
pub(crate) fn chain(runtime: &Runtime, nodes: usize) -> Model {
    load(runtime, "chain", &chain_file(nodes))
}

/// The same, with memory from somewhere else.
pub(crate) fn chain_from(runtime: &Runtime, nodes: usize, workspace: WorkspaceSource) -> Model {
    let options = LoadOptions {
        name: "chain".to_owned(),
        workspace,
        ..LoadOptions::default()
    };
    runtime.load_model(&chain_file(nodes), &options).unwrap()
}

fn chain_file(nodes: usize) -> Vec<u8> {
    let mut graph = Graph::new("chain");
    let mut value = graph.input("x", Element::F32, &[Dim::Any, Dim::Any]);
    for _ in 0..nodes {
        let turned = graph.node("Transpose", &[&value], &[("perm", vec![1_i64, 0].into())]);
        value = graph.node("MatMul", &[&value, &turned], &[]);
    }
    graph.output("y", &value, Element::F32, Some(&[Dim::Any, Dim::Any]));
    graph.finish()
}

/// y = x[i] for each i.
pub(crate) fn gather(runtime: &Runtime) -> Model {
    let mut graph = Graph::new("gather");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let i = graph.input("i", Element::I64, &[Dim::Any]);
    let y = graph.node("Gather", &[&x, &i], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any]));
    load(runtime, "gather", &graph.finish())
}

/// Where x is not 0: how many those are depends on x.
pub(crate) fn non_zero(runtime: &Runtime) -> Model {
    let mut graph = Graph::new("non_zero");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let y = graph.node("NonZero", &[&x], &[]);
    graph.output("y", &y, Element::I64, Some(&[Dim::Any, Dim::Any]));
    load(runtime, "NonZero", &graph.finish())
}

/// x in another shape, which is an input.
pub(crate) fn reshape(runtime: &Runtime) -> Model {
    let mut graph = Graph::new("reshape");
    let x = graph.input("x", Element::F32, &[Dim::Any]);
    let shape = graph.input("shape", Element::I64, &[Dim::Any]);
    let y = graph.node("Reshape", &[&x, &shape], &[]);
    graph.output("y", &y, Element::F32, None);
    load(runtime, "Reshape", &graph.finish())
}

/// What [`chain`] makes of a square of ones: all elements are this.
pub(crate) fn chained(size: usize, nodes: usize) -> f32 {
    let size = f32::from(u16::try_from(size).unwrap());
    (0..nodes).fold(1.0, |value, _| value * value * size)
}

/// Numbers on a device.
pub(crate) struct Floats {
    pub(crate) block: DeviceBlock,
    pub(crate) dims: Vec<i64>,
    count: usize,
}

impl Floats {
    pub(crate) fn new(device: &Device, dims: &[i64], value: f32) -> Self {
        let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
        let floats = Self {
            block: device.alloc((count.max(1) * 4) as u64).unwrap(),
            dims: dims.to_vec(),
            count,
        };
        floats.set(&vec![value; count]);
        floats
    }

    pub(crate) fn set(&self, values: &[f32]) {
        let bytes: Vec<u8> = values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        self.block.write(&bytes).unwrap();
    }

    pub(crate) fn get(&self) -> Vec<f32> {
        let mut bytes = vec![0; self.count * 4];
        self.block.read(&mut bytes).unwrap();
        let words = bytes.chunks_exact(4);
        words
            .map(|word| f32::from_le_bytes(word.try_into().unwrap()))
            .collect()
    }

    /// All elements are this.
    pub(crate) fn is(&self, value: f32) -> bool {
        self.get().iter().all(|one| *one == value)
    }

    pub(crate) fn input(&self) -> Argument<'_> {
        Argument {
            data: Data::At {
                address: self.block.address(),
                bytes: (self.count * 4) as u64,
            },
            element: Element::F32,
            dims: &self.dims,
        }
    }

    /// As an output whose dimensions the program knows.
    pub(crate) fn output(&self) -> Output<'_> {
        Output {
            dims: Some(&self.dims),
            ..self.open()
        }
    }

    /// As an output whose dimensions are not known.
    pub(crate) fn open(&self) -> Output<'static> {
        Output {
            destination: Destination::At {
                address: self.block.address(),
                room: (self.count * 4) as u64,
            },
            dims: None,
            likely: None,
            whole: false,
        }
    }
}

/// An allocator that counts, on memory of the device, and gives nothing from call number `refuses_at` on.
#[derive(Debug)]
pub(crate) struct Counting {
    runtime: Runtime,
    device: Device,
    pub(crate) refuses_at: AtomicU64,
    pub(crate) allocs: AtomicU64,
    pub(crate) frees: AtomicU64,
    state: Mutex<State>,
    /// Answers addresses this much beyond what it got.
    skew: u64,
}

#[derive(Debug, Default)]
struct State {
    live: HashMap<usize, u64>,
    threads: Vec<ThreadId>,
}

impl Counting {
    pub(crate) fn new(runtime: &Runtime, device: &Device) -> Arc<Self> {
        Self::skewed(runtime, device, 0)
    }

    pub(crate) fn skewed(runtime: &Runtime, device: &Device, skew: u64) -> Arc<Self> {
        Arc::new(Self {
            runtime: runtime.clone(),
            device: device.clone(),
            refuses_at: AtomicU64::new(u64::MAX),
            allocs: AtomicU64::new(0),
            frees: AtomicU64::new(0),
            state: Mutex::default(),
            skew,
        })
    }

    /// Puts it on a stream.
    pub(crate) fn register(self: &Arc<Self>, stream: &Stream) {
        stream.set_allocator(Some(Arc::clone(self) as Arc<dyn StreamAllocator>));
    }

    pub(crate) fn counts(&self) -> (u64, u64) {
        let count = |counter: &AtomicU64| counter.load(Ordering::SeqCst);
        (count(&self.allocs), count(&self.frees))
    }

    /// Blocks that were not given back.
    pub(crate) fn live(&self) -> usize {
        self.state.lock().unwrap().live.len()
    }

    /// Whether only this thread ever called.
    pub(crate) fn was_called_here_only(&self) -> bool {
        let here = std::thread::current().id();
        self.state
            .lock()
            .unwrap()
            .threads
            .iter()
            .all(|thread| *thread == here)
    }
}

impl StreamAllocator for Counting {
    fn alloc(&self, bytes: u64) -> Option<AllocatorBlock> {
        let call = self.allocs.fetch_add(1, Ordering::SeqCst) + 1;
        let mut state = self.state.lock().unwrap();
        state.threads.push(std::thread::current().id());
        if call >= self.refuses_at.load(Ordering::SeqCst) {
            return None;
        }
        let address = self
            .device
            .alloc_at(millpond::Request::of(bytes + self.skew))
            .unwrap();
        let token = usize::try_from(call).unwrap();
        state.live.insert(token, address);
        Some(AllocatorBlock {
            token,
            address: address + self.skew,
        })
    }

    fn free(&self, block: AllocatorBlock) {
        self.frees.fetch_add(1, Ordering::SeqCst);
        let mut state = self.state.lock().unwrap();
        state.threads.push(std::thread::current().id());
        let address = state.live.remove(&block.token).expect("a block of mine");
        drop(state);
        self.runtime.free_at(address).unwrap();
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
