//! Models of the size that people run, with made-up weights.

use millpond_model::Element;
use millpond_model::onnx::{Dim, Graph, Value};

/// Weights come from a small generator, so that every run has the same.
struct Maker {
    graph: Graph,
    state: u64,
}

impl Maker {
    fn new(name: &str) -> Self {
        Self {
            graph: Graph::new(name),
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    fn random(&mut self) -> f32 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        let bits = u16::try_from(self.state >> 48).unwrap_or(0);
        f32::from(bits) / 32768.0 - 1.0
    }

    /// Spread so that numbers neither grow nor vanish from layer to layer.
    fn weights(&mut self, dims: &[i64], inputs: i64) -> Value {
        let scale = (3.0 / f64::from(u32::try_from(inputs).unwrap_or(1))).sqrt();
        let count: i64 = dims.iter().product();
        let mut data = Vec::new();
        for _ in 0..count {
            let weight = f64::from(self.random()) * scale;
            data.extend_from_slice(&narrow(weight).to_le_bytes());
        }
        self.graph.constant(Element::F32, dims, &data)
    }

    fn filled(&mut self, count: i64, value: f32) -> Value {
        let data: Vec<u8> = (0..count).flat_map(|_| value.to_le_bytes()).collect();
        self.graph.constant(Element::F32, &[count], &data)
    }

    fn convolution(&mut self, x: &Value, shape: [i64; 4], stride: i64) -> Value {
        let [out, into, height, width] = shape;
        let weights = self.weights(&shape, into * height * width);
        let shift = self.filled(out, 0.01);
        let border = height / 2;
        let attributes = [
            ("strides", vec![stride, stride].into()),
            ("pads", vec![border; 4].into()),
        ];
        self.graph.node("Conv", &[x, &weights, &shift], &attributes)
    }

    fn linear(&mut self, x: &Value, into: i64, out: i64) -> Value {
        let weights = self.weights(&[into, out], into);
        let shift = self.filled(out, 0.01);
        let product = self.graph.node("MatMul", &[x, &weights], &[]);
        self.graph.node("Add", &[&product, &shift], &[])
    }

    fn norm(&mut self, x: &Value, width: i64) -> Value {
        let (scale, shift) = (self.filled(width, 1.0), self.filled(width, 0.0));
        let axis = [("axis", (-1_i64).into())];
        self.graph
            .node("LayerNormalization", &[x, &scale, &shift], &axis)
    }

    fn heads(&mut self, x: &Value, shape: &Value, order: [i64; 4]) -> Value {
        let split = self.graph.node("Reshape", &[x, shape], &[]);
        let order = [("perm", order.to_vec().into())];
        self.graph.node("Transpose", &[&split], &order)
    }

    fn relu(&mut self, x: &Value) -> Value {
        self.graph.node("Relu", &[x], &[])
    }
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "weights need no more digits"
)]
fn narrow(number: f64) -> f32 {
    number as f32
}

/// What goes in and what comes out.
pub(crate) struct Sized {
    pub(crate) bytes: Vec<u8>,
    pub(crate) input: Vec<i64>,
    pub(crate) output: Vec<i64>,
}

/// As ResNet-50: 53 convolutions and a linear layer, 25 million weights. The batch is open.
pub(crate) fn resnet50() -> Sized {
    let mut maker = Maker::new("resnet50");
    let dims = [Dim::Any, Dim::Is(3), Dim::Is(224), Dim::Is(224)];
    let x = maker.graph.input("x", Element::F32, &dims);
    let x = maker.convolution(&x, [64, 3, 7, 7], 2);
    let x = maker.relu(&x);
    let pooling = [
        ("kernel_shape", vec![3, 3].into()),
        ("strides", vec![2, 2].into()),
        ("pads", vec![1; 4].into()),
    ];
    let mut x = maker.graph.node("MaxPool", &[&x], &pooling);
    let mut channels = 64;
    for (stage, blocks) in [(0, 3), (1, 4), (2, 6), (3, 3)] {
        let (middle, out) = (64 << stage, 256 << stage);
        for block in 0..blocks {
            let stride = if stage > 0 && block == 0 { 2 } else { 1 };
            let kept = if block == 0 {
                maker.convolution(&x, [out, channels, 1, 1], stride)
            } else {
                x.clone()
            };
            let y = maker.convolution(&x, [middle, channels, 1, 1], 1);
            let y = maker.relu(&y);
            let y = maker.convolution(&y, [middle, middle, 3, 3], stride);
            let y = maker.relu(&y);
            let y = maker.convolution(&y, [out, middle, 1, 1], 1);
            // Halved, so that sixteen sums in a row stay small.
            let half = maker.graph.float(0.5);
            let sum = maker.graph.node("Add", &[&kept, &y], &[]);
            let sum = maker.graph.node("Mul", &[&sum, &half], &[]);
            x = maker.relu(&sum);
            channels = out;
        }
    }
    let x = maker.graph.node("GlobalAveragePool", &[&x], &[]);
    let x = maker.graph.node("Flatten", &[&x], &[]);
    let y = maker.linear(&x, 2048, 1000);
    maker
        .graph
        .output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Is(1000)]));
    Sized {
        bytes: maker.graph.finish(),
        input: vec![1, 3, 224, 224],
        output: vec![1, 1000],
    }
}

/// As the encoder of BERT's small sister: 6 layers of width 512 with 8 heads, 128 tokens, 19 million weights.
/// The batch is open.
pub(crate) fn transformer() -> Sized {
    const WIDTH: i64 = 512;
    const TOKENS: i64 = 128;
    let mut maker = Maker::new("transformer");
    let dims = [Dim::Any, Dim::Is(TOKENS), Dim::Is(WIDTH)];
    let mut x = maker.graph.input("x", Element::F32, &dims);
    let apart = maker.graph.ints(&[0, 0, 8, WIDTH / 8]);
    let together = maker.graph.ints(&[0, 0, WIDTH]);
    let scale = maker.graph.float(0.125);
    for _ in 0..6 {
        let y = maker.norm(&x, WIDTH);
        let [query, key, value] = [0; 3].map(|_| maker.linear(&y, WIDTH, WIDTH));
        let query = maker.heads(&query, &apart, [0, 2, 1, 3]);
        let key = maker.heads(&key, &apart, [0, 2, 3, 1]);
        let value = maker.heads(&value, &apart, [0, 2, 1, 3]);
        let scores = maker.graph.node("MatMul", &[&query, &key], &[]);
        let scores = maker.graph.node("Mul", &[&scores, &scale], &[]);
        let scores = maker
            .graph
            .node("Softmax", &[&scores], &[("axis", (-1_i64).into())]);
        let mixed = maker.graph.node("MatMul", &[&scores, &value], &[]);
        let order = [("perm", vec![0, 2, 1, 3].into())];
        let mixed = maker.graph.node("Transpose", &[&mixed], &order);
        let mixed = maker.graph.node("Reshape", &[&mixed, &together], &[]);
        let mixed = maker.linear(&mixed, WIDTH, WIDTH);
        x = maker.graph.node("Add", &[&x, &mixed], &[]);
        let y = maker.norm(&x, WIDTH);
        let y = maker.linear(&y, WIDTH, 4 * WIDTH);
        let y = maker.graph.node("Gelu", &[&y], &[]);
        let y = maker.linear(&y, 4 * WIDTH, WIDTH);
        x = maker.graph.node("Add", &[&x, &y], &[]);
    }
    let y = maker.norm(&x, WIDTH);
    let dims = [Dim::Any, Dim::Is(TOKENS), Dim::Is(WIDTH)];
    maker.graph.output("y", &y, Element::F32, Some(&dims));
    Sized {
        bytes: maker.graph.finish(),
        input: vec![1, TOKENS, WIDTH],
        output: vec![1, TOKENS, WIDTH],
    }
}

/// Two small layers over an open number of rows: what needs memory between them, but hardly computes.
pub(crate) fn small() -> Vec<u8> {
    let mut maker = Maker::new("small");
    let x = maker
        .graph
        .input("x", Element::F32, &[Dim::Any, Dim::Is(16)]);
    let y = maker.linear(&x, 16, 16);
    let y = maker.relu(&y);
    let y = maker.linear(&y, 16, 16);
    let dims = [Dim::Any, Dim::Is(16)];
    maker.graph.output("y", &y, Element::F32, Some(&dims));
    maker.graph.finish()
}

/// One operator with two inputs of one rank.
pub(crate) fn single(kind: &str, rank: usize) -> Vec<u8> {
    let mut graph = Graph::new(kind);
    let dims = vec![Dim::Any; rank];
    let a = graph.input("a", Element::F32, &dims);
    let b = graph.input("b", Element::F32, &dims);
    let y = graph.node(kind, &[&a, &b], &[]);
    graph.output("y", &y, Element::F32, Some(&dims));
    graph.finish()
}
