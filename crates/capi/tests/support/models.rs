//! The models that the C programs run, written into a folder when the tests start.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use millpond_model::compile::{Options, compile};
use millpond_model::compiled::{About, write_model, write_operator};
use millpond_model::onnx::{Dim, Graph, read, set_input_dims};
use millpond_model::shapes::{GearKind, Interface, Wishes, parse_gears, parse_shapes};
use millpond_model::{Element, singleop};

/// The folder with all of them.
pub(crate) fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        // One per process, because the tests of several profiles may run at once.
        let name = format!("models-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(folder.join("ops")).unwrap();
        fs::create_dir_all(folder.join("npu_ops")).unwrap();
        for (name, bytes) in files() {
            fs::write(folder.join(name), bytes).unwrap();
        }
        folder
    })
}

fn files() -> Vec<(&'static str, Vec<u8>)> {
    let batch = Some((GearKind::Batch, "1,2,4"));
    let image = Some((GearKind::Image, "2,2;4,6"));
    let dims = Some((GearKind::Dims, "1,3;4,5"));
    let ratios = Some((GearKind::Dims, "2,2;4,4"));
    let mut cut = compiled(&two_layers(), "x:1~16,4", None);
    cut.truncate(cut.len() - 7);
    vec![
        ("add.onnx", add()),
        ("mlp.onnx", two_layers()),
        ("mlp.om", compiled(&two_layers(), "x:1~16,4", None)),
        ("fixed.om", compiled(&two_layers(), "x:3,4", None)),
        (
            "batch.om",
            compiled(&doubled(&[Dim::Any, Dim::Is(3)]), "x:-1,3", batch),
        ),
        (
            "image.om",
            compiled(
                &doubled(&[Dim::Is(1), Dim::Is(1), Dim::Any, Dim::Any]),
                "x:1,1,-1,-1",
                image,
            ),
        ),
        ("dims.om", compiled(&product(), "a:-1,2;b:2,-1", dims)),
        ("nonzero.onnx", nonzero()),
        ("ratio.om", compiled(&ratio(), "a:-1;b:-1", ratios)),
        ("empty.onnx", Vec::new()),
        ("garbage.onnx", b"this is no model of any kind".to_vec()),
        ("cut.om", cut),
        ("npu.om", npu()),
        ("ops/add.om", operator()),
        ("npu_ops/add.om", npu()),
        ("aipp_yuv.om", with_image("1,3,24,32", AIPP_YUV)),
        ("aipp_rgb.om", with_image("2,3,6,8", AIPP_RGB)),
        ("aipp_xrgb.om", with_image("1,4,6,8", AIPP_XRGB)),
        ("aipp_gray.om", with_image("1,1,6,8", AIPP_GRAY)),
        ("aipp_luma.om", with_image("1,1,6,8", AIPP_LUMA)),
        ("420.jpg", sample("420")),
        ("odd.jpg", sample("odd")),
        ("444.jpg", sample("444")),
        ("gray.jpg", sample("gray")),
        ("progressive.jpg", sample("progressive")),
    ]
}

/// A JPEG file of the media crate's tests.
fn sample(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../media/samples");
    fs::read(folder.join(name).with_extension("jpg")).unwrap()
}

// The program `classify.c` repeats what these do.
const AIPP_YUV: &str = "aipp_op { aipp_mode: static input_format: YUV420SP_U8 src_image_size_w: 40 src_image_size_h: 32
    crop: true load_start_pos_w: 4 load_start_pos_h: 2 crop_size_w: 28 crop_size_h: 20
    padding: true left_padding_size: 1 right_padding_size: 3 top_padding_size: 2 bottom_padding_size: 2 padding_value: 7
    csc_switch: true matrix_r0c0: 256 matrix_r0c1: 0 matrix_r0c2: 359 matrix_r1c0: 256 matrix_r1c1: -88
    matrix_r1c2: -183 matrix_r2c0: 256 matrix_r2c1: 454 matrix_r2c2: 0 input_bias_0: 0 input_bias_1: 128
    input_bias_2: 128
    mean_chn_0: 104 mean_chn_1: 117 mean_chn_2: 123 min_chn_1: 0.5 var_reci_chn_0: 0.5 var_reci_chn_2: 0.25 }";
const AIPP_RGB: &str = "aipp_op { aipp_mode: static input_format: RGB888_U8 rbuv_swap_switch: true
    min_chn_0: 123.675 min_chn_1: 116.28 min_chn_2: 103.53 var_reci_chn_0: 0.0171 var_reci_chn_1: 0.0175 }";
const AIPP_XRGB: &str =
    "aipp_op { aipp_mode: static input_format: XRGB8888_U8 ax_swap_switch: true mean_chn_3: 10 }";
const AIPP_LUMA: &str =
    "aipp_op { aipp_mode: static input_format: RGB888_U8 csc_switch: true matrix_r0c0: 76
    matrix_r0c1: 150 matrix_r0c2: 30 output_bias_0: 5 }";
const AIPP_GRAY: &str = "aipp_op { aipp_mode: static input_format: YUV400_U8 var_reci_chn_0: 2 }";

/// A model that returns its input, of this shape, after preprocessing.
fn with_image(shape: &str, config: &str) -> Vec<u8> {
    let mut graph = Graph::new("image");
    let dims: Vec<i64> = shape.split(',').map(|dim| dim.parse().unwrap()).collect();
    let dims: Vec<Dim> = dims.into_iter().map(Dim::Is).collect();
    let x = graph.input("x", Element::F32, &dims);
    graph.output("y", &x, Element::F32, Some(&dims));
    let name = format!(
        "aipp-{}-{}.cfg",
        std::process::id(),
        shape.replace(',', "x")
    );
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, config).unwrap();
    let mut options = Options::default();
    options
        .set("insert_op_conf", path.to_str().unwrap())
        .unwrap();
    let compiled = compile(graph.finish().into(), None, "image", &options).unwrap();
    fs::remove_file(path).unwrap();
    compiled.bytes
}

/// `z = x + y` of two rows of three.
fn add() -> Vec<u8> {
    let dims = [Dim::Is(2), Dim::Is(3)];
    let mut graph = Graph::new("add");
    let x = graph.input("x", Element::F32, &dims);
    let y = graph.input("y", Element::F32, &dims);
    let z = graph.node("Add", &[&x, &y], &[]);
    graph.output("z", &z, Element::F32, Some(&dims));
    graph.finish()
}

fn floats(values: impl Iterator<Item = f32>) -> Vec<u8> {
    values.flat_map(f32::to_le_bytes).collect()
}

/// `y = relu(x * one) * two` for any number of rows of four: `one` is four by eight of 0.5, `two` eight
/// by two of 0.25. There is something between input and output, which needs memory.
fn two_layers() -> Vec<u8> {
    let mut graph = Graph::new("mlp");
    let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Is(4)]);
    let one = graph.constant(Element::F32, &[4, 8], &floats((0..32).map(|_| 0.5)));
    let two = graph.constant(Element::F32, &[8, 2], &floats((0..16).map(|_| 0.25)));
    let hidden = graph.node("MatMul", &[&x, &one], &[]);
    let hidden = graph.node("Relu", &[&hidden], &[]);
    let y = graph.node("MatMul", &[&hidden, &two], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Is(2)]));
    graph.finish()
}

/// `y = x + x`.
fn doubled(dims: &[Dim]) -> Vec<u8> {
    let mut graph = Graph::new("doubled");
    let x = graph.input("x", Element::F32, dims);
    let y = graph.node("Add", &[&x, &x], &[]);
    graph.output("y", &y, Element::F32, Some(dims));
    graph.finish()
}

/// `y = a * b`.
fn product() -> Vec<u8> {
    let mut graph = Graph::new("product");
    let a = graph.input("a", Element::F32, &[Dim::Any, Dim::Is(2)]);
    let b = graph.input("b", Element::F32, &[Dim::Is(2), Dim::Any]);
    let y = graph.node("MatMul", &[&a, &b], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Any]));
    graph.finish()
}

/// `y = a / b` of integers.
fn ratio() -> Vec<u8> {
    let mut graph = Graph::new("ratio");
    let a = graph.input("a", Element::I32, &[Dim::Any]);
    let b = graph.input("b", Element::I32, &[Dim::Any]);
    let y = graph.node("Div", &[&a, &b], &[]);
    graph.output("y", &y, Element::I32, Some(&[Dim::Any]));
    graph.finish()
}

/// Where a vector of eight is not zero: contents decide the shape.
fn nonzero() -> Vec<u8> {
    let mut graph = Graph::new("nonzero");
    let x = graph.input("x", Element::F32, &[Dim::Is(8)]);
    let y = graph.node("NonZero", &[&x], &[]);
    graph.output("y", &y, Element::I64, Some(&[Dim::Is(1), Dim::Any]));
    graph.finish()
}

/// What `millpond atc` would write.
fn compiled(onnx: &[u8], shapes: &str, gears: Option<(GearKind, &str)>) -> Vec<u8> {
    let wishes = Wishes {
        shapes: parse_shapes(shapes).unwrap(),
        gears: gears.map(|(kind, text)| (kind, parse_gears(kind, text).unwrap())),
        format: None,
    };
    let interface = Interface::with(&read(onnx).unwrap(), &wishes).unwrap();
    let inputs = interface.inputs.iter();
    let dims: Vec<_> = inputs
        .map(|input| (input.name.clone(), input.dims().unwrap()))
        .collect();
    let dims: Vec<_> = dims
        .iter()
        .map(|(name, dims)| (name.as_str(), &dims[..]))
        .collect();
    let onnx = set_input_dims(onnx, &dims).unwrap();
    let about = About::default();
    write_model(&about, &interface, &onnx).unwrap()
}

/// The header of a file for an NPU, and nothing behind it.
fn npu() -> Vec<u8> {
    let mut bytes = vec![0; 256];
    bytes[..4].copy_from_slice(b"IMOD");
    bytes[4..8].copy_from_slice(&256_u32.to_le_bytes());
    bytes[84..90].copy_from_slice(b"resnet");
    bytes
}

/// `Add` of two vectors of four, compiled ahead of time.
fn operator() -> Vec<u8> {
    let tensor = r#"{"format": "ND", "shape": [4], "type": "float"}"#;
    let text = format!(
        r#"[{{"op": "Add", "input_desc": [{tensor}, {tensor}], "output_desc": [{tensor}]}}]"#
    );
    let operators = singleop::parse(&text).unwrap();
    write_operator(&About::default(), &operators[0])
}
