//! `millpond atc`, with real files.

mod common;

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use common::{Stage, output, stderr, stdout};
use millpond_model::compiled::{self, Contents};
use millpond_model::onnx::{Dim, Graph};
use millpond_model::{Element, Format};

/// An image with an open batch and open sizes, scaled, with one weight.
fn image_model() -> Vec<u8> {
    let mut graph = Graph::new("image");
    let dims = [Dim::Any, Dim::Is(3), Dim::Any, Dim::Any];
    let x = graph.input("x", Element::F32, &dims);
    let w = graph.constant(Element::F32, &[1, 3, 1, 1], &[0; 12]);
    let y = graph.node("Mul", &[&x, &w], &[]);
    graph.output("y", &y, Element::F32, Some(&dims));
    graph.finish()
}

struct Bench {
    stage: Stage,
}

impl Bench {
    fn new(name: &str) -> Self {
        let stage = Stage::bare(name);
        fs::write(stage.folder.join("x.onnx"), image_model()).expect("a model");
        Self { stage }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.stage.folder.join(name)
    }

    /// Runs the command in the folder of the test.
    fn atc(&self, arguments: &[&str]) -> Output {
        let mut command = self.stage.millpond(&["atc"]);
        output(command.args(arguments).current_dir(&self.stage.folder))
    }

    fn fine(&self, arguments: &[&str]) -> String {
        let result = self.atc(arguments);
        assert_eq!(result.status.code(), Some(0), "{}", stderr(&result));
        let text = stdout(&result);
        assert!(text.ends_with("ATC run success\n"), "{text}");
        text
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let result = self.atc(arguments);
        assert_eq!(result.status.code(), Some(1), "{}", stdout(&result));
        assert!(!stdout(&result).contains("success"));
        let text = stderr(&result);
        assert!(
            text.starts_with("ATC error: ") || text.contains("\nATC error: "),
            "{text}"
        );
        assert!(text.ends_with("ATC run failed\n"), "{text}");
        text
    }
}

#[test]
fn a_fixed_shape_is_in_the_file_and_in_the_report() {
    let bench = Bench::new("atc-fixed");
    let text = bench.fine(&[
        "--model=x.onnx",
        "--framework=5",
        "--output=made/x",
        "--input_shape=x:2,3,8,8",
        "--soc_version=Ascend310P3",
    ]);
    for line in [
        "  input  0 x float 2,3,8,8 NCHW\n",
        "  output 0 y float",
        "  weights  12 bytes\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let bytes = fs::read(bench.path("made/x.om")).unwrap();
    let (about, contents) = compiled::read(&bytes).unwrap();
    assert_eq!(
        (about.name.as_str(), about.soc_version.as_deref()),
        ("x", Some("Ascend310P3"))
    );
    let Contents::Model {
        interface, model, ..
    } = contents
    else {
        panic!("no model");
    };
    assert_eq!(interface.inputs[0].dims(), Some(vec![2, 3, 8, 8]));
    assert_eq!(interface.inputs[0].format, Format::Nchw);
    assert_eq!(model.inputs[0].dims, Some(vec![2, 3, 8, 8]));
    let left: Vec<_> = fs::read_dir(bench.path("made")).unwrap().collect();
    assert_eq!(left.len(), 1, "no draft is left: {left:?}");
}

#[test]
fn ranges_gears_and_open_shapes_are_told() {
    let bench = Bench::new("atc-shapes");
    for (options, expected) in [
        (&["--output=open"][..], "input  0 x float -1,3,-1,-1 NCHW"),
        (
            &["--output=range", "--input_shape", "x:1~8,3,2~-1,-1"],
            "input  0 x float 1~8,3,2~-1,-1 NCHW",
        ),
        (
            &["--output=older", "--input_shape_range=x:[1~8,3,-1,-1]"],
            "input  0 x float 1~8,3,-1,-1 NCHW",
        ),
        (
            &[
                "--output=batch",
                "--input_shape=x:-1,3,8,8",
                "--dynamic_batch_size=1,2,4",
            ],
            "gears    dynamic_batch_size 1;2;4",
        ),
        (
            &[
                "--output=image",
                "--input_shape=x:1,3,-1,-1",
                "--dynamic_image_size=8,8;16,16",
            ],
            "input  1 ascend_mbatch_shape_data int32 2 selects the gear",
        ),
        (
            &[
                "--output=dims",
                "--input_shape=x:-1,3,8,-1",
                "--dynamic_dims=1,8;2,16",
                "--input_format=ND",
            ],
            "gears    dynamic_dims 1,8;2,16",
        ),
    ] {
        let text = bench.fine(&[&["--model", "x.onnx", "--framework", "5"], options].concat());
        assert!(text.contains(expected), "{expected} in {text}");
    }
    let bytes = fs::read(bench.path("batch.om")).unwrap();
    let (_, Contents::Model { interface, .. }) = compiled::read(&bytes).unwrap() else {
        panic!("no model");
    };
    assert_eq!(interface.input_bytes(0), Some(4 * 3 * 64 * 4));
}

#[test]
fn element_types_change_at_the_edges() {
    let bench = Bench::new("atc-types");
    let text = bench.fine(&[
        "--model=x.onnx",
        "--output=x",
        "--input_fp16_nodes=x",
        "--output_type=FP16",
    ]);
    assert!(text.contains("input  0 x float16"), "{text}");
    assert!(text.contains("output 0 y float16"), "{text}");
    let text = bench.fine(&["--model=x.onnx", "--output=x", "--output_type=y:0:UINT8"]);
    assert!(text.contains("output 0 y uint8"), "{text}");
}

/// A model with something behind its useful part: what contents decide, and a weight that only that part uses.
fn long_model() -> Vec<u8> {
    let mut graph = Graph::new("long");
    let x = graph.input("x", Element::F32, &[Dim::Is(2), Dim::Is(6)]);
    let parts = graph.node_with("Split", &[&x], &[("axis", 1_i64.into())], 2);
    let sum = graph.node("Relu", &[&parts[1]], &[]);
    let w = graph.constant(Element::F32, &[2, 3], &[0; 24]);
    let scaled = graph.node("Mul", &[&sum, &w], &[]);
    let places = graph.node("NonZero", &[&scaled], &[]);
    graph.output("places", &places, Element::I64, None);
    graph.finish()
}

#[test]
fn outputs_may_be_values_inside_of_the_model() {
    let bench = Bench::new("atc-out-nodes");
    fs::write(bench.path("long.onnx"), long_model()).unwrap();
    let common = ["--framework=5", "--model=long.onnx", "--output=cut"];
    let with = |out_nodes: &str| {
        let mut words = common.to_vec();
        words.push(out_nodes);
        bench.fine(&words)
    };
    // By node and number, in the order of the option. The rest of the model is gone, with its weight.
    let text = with("--out_nodes=Relu_2:0;Split_1:0");
    assert!(text.contains("output 0 Relu_3 float"), "{text}");
    assert!(text.contains("output 1 Split_1 float"), "{text}");
    assert!(text.contains("weights  0 bytes"), "{text}");
    assert!(!text.contains("shapes depend on contents"), "{text}");
    // By the name of the value; a node with one output needs no number.
    let text = with("--out_nodes=Split_2;NonZero_4");
    assert!(text.contains("output 0 Split_2 float"), "{text}");
    assert!(text.contains("output 1 NonZero_6 int64"), "{text}");
    let mut words = common.to_vec();
    words.push("--out_nodes=");
    assert!(bench.fine(&words).contains("output 0 places int64"));
    for (option, expected) in [
        ("--out_nodes=Relu_9:0", "no node or value 'Relu_9:0'"),
        ("--out_nodes=Split_1:2", "node 'Split_1' has 2 outputs"),
        ("--out_nodes=Relu_2:0;Relu_3", "'Relu_3' appears twice"),
        ("--out_nodes=x", "'x' is an input"),
    ] {
        words[3] = option;
        let text = bench.refused(&words);
        assert!(text.contains(expected), "{option}: {text}");
    }
}

#[test]
fn an_option_may_have_one_dash() {
    let bench = Bench::new("atc-one-dash");
    let text = bench.fine(&[
        "-framework=5",
        "--model",
        "x.onnx",
        "-output",
        "y",
        "-output_type=FP16",
    ]);
    assert!(text.contains("output 0 y float16"), "{text}");
    let text = bench.refused(&["--model", "-output=y"]);
    assert!(text.contains("missing value for --model"), "{text}");
}

#[test]
fn options_without_effect_are_noted_in_one_line() {
    let bench = Bench::new("atc-notes");
    let result = bench.atc(&[
        "--model=x.onnx",
        "--output=x",
        "--log=error",
        "--precision_mode=allow_fp32_to_fp16",
    ]);
    assert_eq!(
        stderr(&result),
        "ATC note: ignored options: --log, --precision_mode\n"
    );
    assert_eq!(result.status.code(), Some(0));
}

/// A field of an ONNX file that holds bytes, fewer than 128.
fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let length = u8::try_from(bytes.len()).expect("a short field");
    [&[number << 3 | 2, length], bytes].concat()
}

/// A model whose output is one weight, and the weight is the first twelve bytes of another file.
fn model_with_weights_in(location: &str) -> Vec<u8> {
    const IS_EXTERNAL: [u8; 2] = [14 << 3, 1];
    let pair = [field(1, b"location"), field(2, location.as_bytes())].concat();
    let weight = [
        &[1 << 3, 3, 2 << 3, 1][..],
        &field(8, b"w"),
        &field(13, &pair),
        &IS_EXTERNAL,
    ];
    let node = [field(1, b"w"), field(2, b"y"), field(4, b"Identity")].concat();
    let kind = field(1, &[1 << 3, 1]);
    let output = [field(1, b"y"), field(2, &kind)].concat();
    let graph = [
        field(1, &node),
        field(5, &weight.concat()),
        field(12, &output),
    ]
    .concat();
    [
        &[1 << 3, 8][..],
        &field(7, &graph),
        &field(8, &[2 << 3, 18]),
    ]
    .concat()
}

#[test]
fn weights_beside_the_model_are_put_into_the_file() {
    let bench = Bench::new("atc-weights");
    fs::create_dir(bench.path("model")).unwrap();
    fs::write(bench.path("model/w.bin"), b"twelve bytes and more").unwrap();
    fs::write(bench.path("secret"), b"twelve bytes and more").unwrap();
    fs::write(bench.path("model/x.onnx"), model_with_weights_in("w.bin")).unwrap();
    let text = bench.fine(&["--model=model/x.onnx", "--output=x"]);
    assert!(text.contains("weights  12 bytes"), "{text}");
    let bytes = fs::read(bench.path("x.om")).unwrap();
    let (_, Contents::Model { model, onnx, .. }) = compiled::read(&bytes).unwrap() else {
        panic!("no model");
    };
    assert!(model.externals.is_empty());
    assert!(onnx.windows(12).any(|window| window == b"twelve bytes"));
    for (location, expected) in [
        ("../secret", "outside the model's folder"),
        ("none", "cannot be read"),
    ] {
        fs::write(bench.path("model/x.onnx"), model_with_weights_in(location)).unwrap();
        let text = bench.refused(&["--model=model/x.onnx", "--output=y"]);
        assert!(text.contains(expected), "{text}");
    }
}

#[test]
fn single_operators_get_a_file_each() {
    let bench = Bench::new("atc-singleop");
    let tensor = r#"{"format":"ND","shape":[8,16],"type":"float16"}"#;
    let add =
        format!(r#"{{"op":"Add","input_desc":[{tensor},{tensor}],"output_desc":[{tensor}]}}"#);
    let neg = format!(r#"{{"op":"Neg","input_desc":[{tensor}],"output_desc":[{tensor}]}}"#);
    fs::write(bench.path("ops.json"), format!("[{add},{neg}]")).unwrap();
    bench.fine(&[
        "--singleop=ops.json",
        "--output=ops",
        "--soc_version=Ascend910B2",
    ]);
    for (name, op) in [
        ("0_Add_1_2_8_16_1_2_8_16_1_2_8_16.om", "Add"),
        ("1_Neg_1_2_8_16_1_2_8_16.om", "Neg"),
    ] {
        let bytes = fs::read(bench.path("ops").join(name)).unwrap();
        let (_, Contents::Operator(operator)) = compiled::read(&bytes).unwrap() else {
            panic!("no operator");
        };
        assert_eq!(operator.op, op);
    }
    let text = bench.refused(&["--singleop=ops.json", "--output=ops", "--input_shape=x:1"]);
    assert!(text.contains("cannot be used together"), "{text}");
    fs::write(bench.path("ops.json"), "[{}]").unwrap();
    let text = bench.refused(&["--singleop=ops.json", "--output=ops"]);
    assert!(text.contains("ops.json: operator 0"), "{text}");
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let bench = Bench::new("atc-refused");
    fs::write(bench.path("npu.om"), [&b"IMOD"[..], &[0; 300]].concat()).unwrap();
    fs::write(bench.path("cut.onnx"), &image_model()[..100]).unwrap();
    bench.fine(&["--model=x.onnx", "--output=done"]);
    for (arguments, expected) in [
        (&["--output=x"][..], "missing --model"),
        (&["--model=x.onnx"], "missing --output"),
        (
            &["--model=none.onnx", "--output=x"],
            "cannot read none.onnx",
        ),
        (
            &["--model=npu.om", "--output=x"],
            "compiled for an Ascend NPU",
        ),
        (&["--model=done.om", "--output=x"], "already compiled"),
        (&["--model=cut.onnx", "--output=x"], "truncated"),
        (
            &["--model=x.onnx", "--output=x", "--framework=3"],
            "TensorFlow",
        ),
        (&["--model=x.onnx", "--output=x", "--framework=0"], "Caffe"),
        (
            &["--model=x.onnx", "--output=x", "--framework=1"],
            "MindSpore",
        ),
        (
            &["--model=x.onnx", "--output=x", "--framework=9"],
            "unsupported --framework 9; use 5 (ONNX)",
        ),
        (
            &["--model=x.onnx", "--output=x", "--imput_shape=x:1"],
            "did you mean --input_shape?",
        ),
        (
            &["--model=x.onnx", "--output=x", "--input_shape=z:1"],
            "its inputs are: x",
        ),
        (
            &["--model=x.onnx", "--output=x", "--input_shape=x:1"],
            "4 dimensions in the model",
        ),
        (
            &["--model=x.onnx", "--output=x", "--input_format=NC1HWC0"],
            "expected NCHW",
        ),
        (
            &["--model=x.onnx", "--output=x", "--output_type=FP9"],
            "unknown type 'FP9'",
        ),
        (
            &["--model=x.onnx", "--output=x", "--output_type=z:FP16"],
            "its outputs are: y",
        ),
        (
            &[
                "--model=x.onnx",
                "--output=x",
                "--input_shape=x:-1,3,8,8",
                "--dynamic_batch_size=1,2",
                "--dynamic_dims=1;2",
            ],
            "one kind of gears",
        ),
        (
            &[
                "--model=x.onnx",
                "--output=x",
                "--input_shape=x:1~4,3,8,8",
                "--dynamic_batch_size=1,2",
            ],
            "cannot be combined with gears",
        ),
        (
            &[
                "--model=x.onnx",
                "--output=x",
                "--input_shape_range=x:[-1,3,8,8]",
                "--dynamic_batch_size=1,2",
            ],
            "ranges or gears",
        ),
        (&["--model=x.onnx", "--output=x.onnx/y"], "cannot write"),
    ] {
        let text = bench.refused(arguments);
        assert!(text.contains(expected), "{arguments:?}: {text}");
    }
    assert!(!bench.path("x.om").exists(), "nothing was written");
}

#[test]
fn help_explains_the_options() {
    let bench = Bench::new("atc-help");
    for words in [&["--help"][..], &["-h"], &[]] {
        let result = bench.atc(words);
        assert_eq!(result.status.code(), Some(0));
        let text = stdout(&result);
        for option in ["--model", "--input_shape", "--dynamic_dims", "--singleop"] {
            assert!(text.contains(option), "{text}");
        }
    }
}
