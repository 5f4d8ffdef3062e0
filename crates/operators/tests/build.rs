//! What a request may look like, and what is said when it does not fit.

use millpond_operators::{
    Attributes, Built, Element, Refusal, Request, Tensor, Value, Why, build, described, known,
};
use proptest::prelude::*;

fn tensor(dims: &[i64]) -> Tensor<'_> {
    Tensor {
        element: Element::F32,
        dims,
        format: 2,
        constant: None,
    }
}

fn ask(kind: &str, inputs: &[Option<Tensor>], outputs: &[Tensor]) -> Result<Built, Refusal> {
    let attributes = &Attributes::new();
    build(&Request {
        kind,
        inputs,
        outputs,
        attributes,
    })
}

#[test]
fn an_unknown_type_names_the_closest_ones() {
    let refusal = ask("ReluGard", &[], &[]).unwrap_err();
    let text = refusal.to_string();
    assert!(text.contains("there is no operator of this type"), "{text}");
    assert!(text.contains("ReluGrad"), "{text}");
    let far = ask("Xyzzyxyzzy", &[], &[]).unwrap_err();
    assert!(matches!(far.why, Why::Unknown { closest, .. } if closest.is_empty()));
}

#[test]
fn an_unknown_type_says_what_it_was_given_and_how_to_add_it() {
    let bytes = 3_i32.to_le_bytes();
    let axis = Tensor {
        element: Element::I32,
        constant: Some(&bytes),
        ..tensor(&[1])
    };
    let mut attributes = Attributes::new();
    attributes.set("mode", Value::Text("fast".into()));
    attributes.set("k", Value::Int(4));
    let refusal = build(&Request {
        kind: "Xyzzyxyzzy",
        inputs: &[Some(tensor(&[2, 3])), None, Some(axis)],
        outputs: &[tensor(&[2])],
        attributes: &attributes,
    });
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "Xyzzyxyzzy: there is no operator of this type. It has inputs: float [2, 3], left out, int32 [1] (constant); \
         outputs: float [2]; attributes: k = 4, mode = \"fast\". Compute it on the host instead (in PyTorch, on x.cpu()), or \
         add it to Millpond: write a row in crates/operators/src/table; docs/operators.md says how, under \"Adding a row\""
    );
    // What the sentence names is there.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert!(root.join("crates/operators/src/table/mod.rs").exists());
    let page = std::fs::read_to_string(root.join("docs/operators.md")).unwrap();
    assert!(page.contains("## Adding a row"));
}

/// What a row says to one attribute.
fn with_attribute(kind: &str, name: &str, value: Value) -> Result<Built, Refusal> {
    let x = Some(tensor(&[2, 3, 4, 4]));
    let mut attributes = Attributes::new();
    attributes.set(name, value);
    build(&Request {
        kind,
        inputs: &[x, Some(tensor(&[2, 3, 3, 3]))],
        outputs: &[tensor(&[2, 2, 2, 2])],
        attributes: &attributes,
    })
}

#[test]
fn attributes_that_could_change_the_result_are_refused() {
    let refusal = with_attribute("Conv2D", "stride", Value::Int(2)).unwrap_err();
    assert_eq!(
        refusal.why,
        Why::UnknownAttribute {
            name: "stride".into(),
            takes: "x, filter, bias?; strides, pads, dilations, groups = 1, data_format: that of x, or NHWC",
        }
    );
    // Known, and harmless with one value only.
    assert!(with_attribute("Conv2D", "offset_x", Value::Int(0)).is_ok());
    let refusal = with_attribute("Conv2D", "offset_x", Value::Int(3)).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "Conv2D: the attribute `offset_x` is 3, but it must be 0"
    );
    // Hints to a compiler, and what operators of one stream need not know.
    assert!(with_attribute("Add", "_exclude_engines", Value::Text("AiCore".into())).is_ok());
    assert!(with_attribute("Assign", "use_locking", Value::Bool(true)).is_ok());
    // A row whose line names another's attributes.
    let known = with_attribute("Conv2DBackpropFilter", "pads", Value::Ints(vec![0; 4]));
    assert!(!matches!(
        known.unwrap_err().why,
        Why::UnknownAttribute { .. }
    ));
}

#[test]
fn the_documentation_names_every_row() {
    let text = include_str!("../../../docs/operators.md");
    let missing = known().filter(|name| !text.contains(&format!("`{name}`")));
    assert_eq!(
        missing.collect::<Vec<_>>(),
        Vec::<&str>::new(),
        "rows that docs/operators.md does not name"
    );
    assert!(
        text.contains(&format!("{} operator types", known().count())),
        "docs/operators.md says how many there are"
    );
}

#[test]
fn a_graph_says_what_feeds_it_and_what_it_fills() {
    let (x, y) = (tensor(&[2, 3]), tensor(&[3]));
    let built = ask("Add", &[Some(x), Some(y)], &[x]).unwrap();
    assert_eq!((built.inputs, built.outputs), (vec![0, 1], vec![0]));
    assert!(built.asked.is_empty(), "Add serves every shape");
    assert!(!built.data_dependent);
}

#[test]
fn what_a_row_looks_at_is_noted() {
    let bytes = [1_i64, 0].map(i64::to_le_bytes).concat();
    let perm = Tensor {
        element: Element::I64,
        constant: Some(&bytes),
        ..tensor(&[2])
    };
    let built = ask(
        "Transpose",
        &[Some(tensor(&[2, 3])), Some(perm)],
        &[tensor(&[3, 2])],
    )
    .unwrap();
    assert!(built.asked.constants.has(1) && !built.asked.constants.has(0));
    assert!(built.asked.input_dims.is_empty() && built.asked.output_dims.is_empty());
    assert_eq!(built.inputs, [0], "the order is part of the graph");
    let built = ask("Reshape", &[Some(tensor(&[2, 3]))], &[tensor(&[6])]).unwrap();
    assert!(built.asked.output_dims.has(0));
}

/// A type, inputs, outputs, and what is said.
type Case<'a> = (&'a str, &'a [Option<Tensor<'a>>], &'a [Tensor<'a>], &'a str);

#[test]
fn refusals_are_sentences() {
    let x = Some(tensor(&[2]));
    let complex = Some(Tensor {
        element: Element::C64,
        ..tensor(&[2])
    });
    let bits = Some(Tensor {
        element: Element::I64,
        constant: Some(&[1, 2, 3]),
        ..tensor(&[2])
    });
    let blocks = Some(Tensor {
        format: 3,
        ..tensor(&[1, 1, 8, 8, 16])
    });
    let kernel = Some(tensor(&[4, 3, 3, 3]));
    let cases: &[Case] = &[
        (
            "Conv2D",
            &[blocks, kernel],
            &[tensor(&[1, 4, 6, 6])],
            "Conv2D: input 0 is stored in format 3, which is not a plain layout",
        ),
        ("Add", &[x], &[tensor(&[2])], "Add: input 1 is missing"),
        (
            "Add",
            &[x, None],
            &[tensor(&[2])],
            "Add: input 1 is missing",
        ),
        (
            "Add",
            &[x, x, x],
            &[tensor(&[2])],
            "Add: it takes at most 2 inputs, but 3 are given",
        ),
        ("Add", &[x, x], &[], "Add: output 0 is missing"),
        (
            "Add",
            &[x, complex],
            &[tensor(&[2])],
            "Add: input 1 has elements of type complex64, but a real type is needed",
        ),
        (
            "Axpy",
            &[x, x],
            &[tensor(&[2])],
            "Axpy: the attribute `alpha` is not set",
        ),
        (
            "Transpose",
            &[x, x],
            &[tensor(&[2])],
            "Transpose: input 1 must be constant: its contents decide what is computed",
        ),
        (
            "Transpose",
            &[x, bits],
            &[tensor(&[2])],
            "Transpose: the contents of input 1 are invalid: 3 bytes for [2] of int64",
        ),
        (
            "Fill",
            &[None, x],
            &[tensor(&[-1])],
            "Fill: the shape of output 0 is not known",
        ),
    ];
    for (kind, inputs, outputs, text) in cases {
        assert_eq!(ask(kind, inputs, outputs).unwrap_err().to_string(), *text);
    }
    let mut attributes = Attributes::new();
    attributes.set("alpha", Value::Text("one".into()));
    let refusal = build(&Request {
        kind: "Axpy",
        inputs: &[x, x],
        outputs: &[tensor(&[2])],
        attributes: &attributes,
    });
    let text = "Axpy: the attribute `alpha` is a string, but a float is needed";
    assert_eq!(refusal.unwrap_err().to_string(), text);
}

#[test]
fn absent_inputs_at_the_end_are_not_counted() {
    let x = Some(tensor(&[2]));
    assert!(ask("Add", &[x, x, None, None], &[tensor(&[2])]).is_ok());
}

#[test]
fn every_row_describes_itself() {
    assert_eq!(described().count(), known().count());
    assert!(known().count() > 400);
}

/// The names of attributes that rows read, so that requests get past the first question.
const ATTRIBUTES: &[&str] = &[
    "axis",
    "axes",
    "dim",
    "dims",
    "keep_dims",
    "keepdim",
    "perm",
    "shape",
    "strides",
    "pads",
    "dilations",
    "ksize",
    "groups",
    "data_format",
    "padding",
    "padding_mode",
    "ceil_mode",
    "global_pooling",
    "exclusive",
    "divisor_override",
    "begin",
    "end",
    "offsets",
    "size",
    "begin_mask",
    "end_mask",
    "ellipsis_mask",
    "new_axis_mask",
    "shrink_axis_mask",
    "paddings",
    "mode",
    "p",
    "maxnorm",
    "reduction",
    "num_groups",
    "num_weights",
    "padding_idx",
    "scale_grad_by_freq",
    "depth",
    "k",
    "block_size",
    "multiples",
    "shifts",
    "value",
    "alpha",
    "concat_dim",
    "split_dim",
    "size_splits",
    "dimension",
    "gate_order",
    "direction",
    "numsamples",
    "replacement",
    "dst_type",
    "output_size",
    "orig_input_shape",
    "input_size",
    "filter_size",
    "threshold",
    "epsilon",
    "boundaries",
    "batch_dims",
    "equation",
    "dtype",
    "start",
    "limit",
    "delta",
    "keep_prob",
    "accumulate",
    "diagonal",
    "decimals",
    "base",
    "sizes",
    "original_size",
    "kernel_size",
    "padding",
    "stride",
    "ksizes",
    "dilation",
    "interpolation_mode",
    "align_corners",
    "half_pixel_centers",
    "coordinate_transformation_mode",
];

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![8 => -2_i64..9, 1 => Just(i64::MAX), 1 => Just(i64::MIN), 1 => any::<i64>()]
}

fn numbers() -> impl Strategy<Value = Vec<i64>> {
    prop::collection::vec(number(), 0..7)
}

fn value() -> impl Strategy<Value = Value> {
    let texts = [
        "",
        "NCHW",
        "NHWC",
        "SAME",
        "VALID",
        "CALCULATED",
        "mean",
        "sum",
        "none",
        "edge",
        "reflect",
        "ijfo",
        "rzh",
        "cubic",
        "linear",
    ];
    prop_oneof![
        1 => any::<bool>().prop_map(Value::Bool),
        3 => number().prop_map(Value::Int),
        1 => any::<f32>().prop_map(Value::Float),
        2 => prop::sample::select(texts.to_vec()).prop_map(|text| Value::Text(text.into())),
        1 => (-2_i32..40).prop_map(Value::Element),
        5 => numbers().prop_map(Value::Ints),
        1 => prop::collection::vec(any::<f32>(), 0..4).prop_map(Value::Floats),
        1 => prop::collection::vec(numbers(), 0..3).prop_map(Value::IntLists),
    ]
}

fn element() -> impl Strategy<Value = Element> {
    use Element::{BF16, Bool, C64, F16, F32, F64, I8, I32, I64, U8, U16};
    prop_oneof![4 => Just(F32), 1 => prop::sample::select([F16, BF16, F64, I8, I32, I64, U8, U16, Bool, C64].to_vec())]
}

#[derive(Debug, Clone)]
struct Owned(Element, Vec<i64>, i32, Option<Vec<u8>>);

fn owned() -> impl Strategy<Value = Owned> {
    let dims = prop_oneof![6 => prop::collection::vec(0_i64..6, 0..6), 1 => numbers()];
    let plain =
        (element(), dims, -1_i32..31, Just(None)).prop_map(|(a, b, c, d)| Owned(a, b, c, d));
    let constant = numbers().prop_map(|list| {
        let bytes = list
            .iter()
            .flat_map(|number| number.to_le_bytes())
            .collect();
        Owned(
            Element::I64,
            vec![list.len().cast_signed() as i64],
            2,
            Some(bytes),
        )
    });
    let odd = (
        element(),
        numbers(),
        prop::collection::vec(any::<u8>(), 0..20),
    );
    let odd = odd.prop_map(|(element, dims, bytes)| Owned(element, dims, 2, Some(bytes)));
    prop_oneof![6 => plain, 3 => constant, 1 => odd]
}

fn lend(Owned(element, dims, format, constant): &Owned) -> Tensor<'_> {
    Tensor {
        element: *element,
        dims,
        format: *format,
        constant: constant.as_deref(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Any row, any tensors, any attributes: a model or a sentence, never a panic.
    #[test]
    fn no_request_brings_a_row_down(
        place in any::<prop::sample::Index>(),
        inputs in prop::collection::vec(prop::option::weighted(0.95, owned()), 0..16),
        outputs in prop::collection::vec(owned(), 0..6),
        attributes in prop::collection::vec((prop::sample::select(ATTRIBUTES), value()), 0..60),
    ) {
        let names: Vec<&str> = known().collect();
        let mut set = Attributes::new();
        for (name, value) in attributes {
            set.set(name, value);
        }
        let inputs: Vec<Option<Tensor>> = inputs.iter().map(|input| input.as_ref().map(lend)).collect();
        let outputs: Vec<Tensor> = outputs.iter().map(lend).collect();
        let request = Request { kind: place.get::<&str>(&names), inputs: &inputs, outputs: &outputs, attributes: &set };
        match build(&request) {
            Ok(built) => prop_assert!(!built.model.is_empty() && !built.outputs.is_empty()),
            Err(refusal) => prop_assert!(!refusal.to_string().is_empty()),
        }
    }
}
