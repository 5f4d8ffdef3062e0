use super::*;
use crate::onnx::{Dim, Graph, set_input_dims};
use crate::shapes::{GearKind, Wishes, parse_gears, parse_shapes};
use crate::{Element, singleop};
use proptest::prelude::*;

fn graph() -> Vec<u8> {
    let mut graph = Graph::new("g");
    let x = graph.input("x", Element::F32, &[Dim::Any, Dim::Is(3)]);
    let w = graph.constant(Element::F32, &[3], &[0; 12]);
    let y = graph.node("Mul", &[&x, &w], &[]);
    graph.output("y", &y, Element::F32, Some(&[Dim::Any, Dim::Is(3)]));
    graph.finish()
}

fn about() -> About {
    About {
        name: "small".to_owned(),
        soc_version: Some("Ascend310P3".to_owned()),
    }
}

/// A compiled model with these shapes and gears.
fn compile(shapes: &str, gears: Option<&str>) -> Result<(Interface, Vec<u8>), Error> {
    let wishes = Wishes {
        shapes: parse_shapes(shapes)?,
        gears: match gears {
            Some(text) => Some((GearKind::Batch, parse_gears(GearKind::Batch, text)?)),
            None => None,
        },
        format: None,
    };
    let interface = Interface::with(&onnx::read(&graph())?, &wishes)?;
    let dims = interface.inputs[0].dims().unwrap();
    let bytes = set_input_dims(&graph(), &[("x", &dims)])?;
    let compiled = write_model(&about(), &interface, &bytes)?;
    Ok((interface, compiled))
}

#[test]
fn a_model_is_read_as_it_was_written() {
    for (shapes, gears) in [
        ("x:2,3", None),
        ("x:-1,3", None),
        ("x:1~10,3", None),
        ("x:2~-1,-1", None),
        ("x:-1,3", Some("1,2,4")),
    ] {
        let (interface, bytes) = compile(shapes, gears).unwrap();
        let (about_read, contents) = read(&bytes).unwrap();
        assert_eq!(about_read, about());
        let Contents::Model {
            interface: interface_read,
            model,
            onnx,
        } = contents
        else {
            panic!("{shapes}: no model");
        };
        assert_eq!(interface_read, interface, "{shapes}");
        assert_eq!(onnx::read(onnx).unwrap(), *model);
        assert_eq!(model.weight_bytes, 12);
    }
}

#[test]
fn an_operator_is_read_as_it_was_written() {
    let text = r#"[{"op":"Add","input_desc":[{"type":"float16","shape":[-1],"shape_range":[[1,4]]}],
        "output_desc":[{"type":"float16","shape":[-2]}],"attr":[{"name":"n","type":"int","value":-1}]}]"#;
    let [operator] = singleop::parse(text).unwrap().try_into().unwrap();
    let bytes = write_operator(&About::default(), &operator);
    assert_eq!(
        read(&bytes),
        Ok((About::default(), Contents::Operator(operator)))
    );
}

#[test]
fn every_cut_and_every_addition_is_an_error() {
    let (_, bytes) = compile("x:-1,3", Some("1,2")).unwrap();
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "{end} of {}", bytes.len());
    }
    assert!(read(&[bytes, vec![0]].concat()).is_err());
}

#[test]
fn every_bit_counts() {
    let (_, mut bytes) = compile("x:1~4,3", None).unwrap();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "bit {bit} of byte {at}");
            bytes[at] ^= 1 << bit;
        }
    }
    assert!(read(&bytes).is_ok());
}

#[test]
fn another_version_says_so() {
    let (_, mut bytes) = compile("x:2,3", None).unwrap();
    bytes[8] = 2;
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)));
    assert!(error.to_string().contains("version 2"), "{error}");
}

#[test]
fn a_header_that_does_not_fit_its_graph_is_an_error() {
    let (interface, _) = compile("x:-1,3", Some("1,2")).unwrap();
    let open = set_input_dims(&graph(), &[("x", &[-1, 3])]).unwrap();
    let change = |edit: &dyn Fn(&mut Interface)| {
        let mut other = interface.clone();
        edit(&mut other);
        // Written past the check, as another program could.
        read(&assemble(&header::of_model(&about(), &other), &open)).map(drop)
    };
    assert_eq!(change(&|_| {}), Ok(()));
    let gears = |other: &mut Interface| other.gears.clone().unwrap();
    for (what, result) in [
        ("name", change(&|other| other.inputs[0].name.push('x'))),
        ("rank", change(&|other| other.inputs[0].spans = None)),
        (
            "format",
            change(&|other| other.inputs[0].format = Format::Nchw),
        ),
        ("inputs", change(&|other| other.inputs.clear())),
        (
            "no gears",
            change(&|other| other.gears.as_mut().unwrap().rows.clear()),
        ),
        (
            "zero",
            change(&|other| other.gears.as_mut().unwrap().rows[0][0] = 0),
        ),
        (
            "slot",
            change(&|other| other.gears.as_mut().unwrap().slots[0].input = 9),
        ),
        (
            "value",
            change(&|other| other.gears.as_mut().unwrap().slots[0].value = 9),
        ),
        (
            "unused",
            change(&|other| {
                let mut gears = gears(other);
                gears.slots.clear();
                other.gears = Some(gears);
            }),
        ),
    ] {
        assert!(
            matches!(result, Err(Error::Damaged(_))),
            "{what}: {result:?}"
        );
    }
    for text in [
        "",
        "{}",
        "[]",
        "{\"kind\":\"model\",\"name\":\"x\"}",
        "{\"kind\":\"zoo\",\"name\":\"x\"}",
    ] {
        assert!(read(&assemble(text, &open)).is_err(), "{text}");
    }
}

#[test]
fn keys_that_nobody_knows_are_passed_over() {
    let (interface, _) = compile("x:-1,3", None).unwrap();
    let open = set_input_dims(&graph(), &[("x", &[-1, 3])]).unwrap();
    let header = header::of_model(&about(), &interface);
    let header = header.replacen('{', "{\"later\":[1,{\"x\":2}],", 1);
    assert!(read(&assemble(&header, &open)).is_ok());
}

proptest! {
    #[test]
    fn any_choice_survives(least in 0_i64..50, more in prop::option::of(0_i64..50), gears in prop::collection::btree_set(1_i64..1000, 2..20), with_gears: bool) {
        let most = more.map_or(-1, |more| least + more);
        let shapes = if with_gears { "x:-1,3".to_owned() } else { format!("x:{least}~{most},3") };
        let texts: Vec<String> = gears.iter().map(ToString::to_string).collect();
        let text = texts.join(",");
        let (interface, bytes) = compile(&shapes, with_gears.then_some(&*text)).unwrap();
        let (_, contents) = read(&bytes).unwrap();
        let is_same = matches!(contents, Contents::Model { interface: read, .. } if read == interface);
        prop_assert!(is_same);
    }

    /// Also with a checksum that fits: the header may come from anybody.
    #[test]
    fn any_header_is_read_or_refused(at in any::<prop::sample::Index>(), to in "[ -~]{0,3}") {
        let (interface, _) = compile("x:-1,3", Some("1,2")).unwrap();
        let mut header = header::of_model(&about(), &interface);
        let at = at.index(header.len());
        header.replace_range(at..=at, &to);
        drop(read(&assemble(&header, &graph())));
    }
}
