use super::*;
use crate::shapes::show;
use crate::{Element, Format};
use proptest::prelude::*;

const ADD: &str = r#"[{
    "op": "Add",
    "input_desc": [
        {"format": "ND", "shape": [8, 16], "type": "float16"},
        {"format": "ND", "shape": [8, -1], "shape_range": [[1, 16]], "type": "float16"}
    ],
    "output_desc": [{"format": "ND", "shape": [-2], "type": "float16"}]
}]"#;

#[test]
fn an_operator_is_read_and_its_file_is_named_after_it() {
    let [add] = parse(ADD).unwrap().try_into().unwrap();
    assert_eq!(add.op, "Add");
    assert_eq!(add.inputs[0].element, Some(Element::F16));
    assert_eq!(add.inputs[0].format, Format::Nd);
    assert_eq!(show(add.inputs[1].spans.as_ref().unwrap()), "8,1~16");
    assert_eq!(add.outputs[0].spans, None);
    assert_eq!(add.file_name(3), "3_Add_1_2_8_16_1_2_8_-1_1_2_-2.om");
}

#[test]
fn attributes_of_every_type_are_kept() {
    let values = [
        ("bool", "true"),
        ("int", "-3"),
        ("float", "0.5"),
        ("string", "\"text\""),
        ("data_type", "\"DT_FLOAT16\""),
        ("list_bool", "[true,false]"),
        ("list_int", "[1,2]"),
        ("list_float", "[1,2.5]"),
        ("list_string", "[\"a\"]"),
        ("list_data_type", "[0,\"int8\"]"),
        ("list_list_int", "[[1],[2,3],[]]"),
    ];
    let attributes: Vec<String> = values
        .iter()
        .map(|(kind, value)| format!(r#"{{"name":"a_{kind}","type":"{kind}","value":{value}}}"#))
        .collect();
    let text = format!(
        r#"{{"op":"X","output_desc":[{{"type":"float"}}],"attr":[{}]}}"#,
        attributes.join(",")
    );
    let [operator] = parse(&text).unwrap().try_into().unwrap();
    for ((name, attribute), (kind, _)) in operator.attributes.iter().zip(values) {
        assert_eq!(
            (name.as_str(), attribute.type_name()),
            (&*format!("a_{kind}"), kind)
        );
    }
    assert_eq!(operator.attributes[4].1, Attribute::Element(Element::F16));
    let elements = vec![Element::F32, Element::I8];
    assert_eq!(operator.attributes[9].1, Attribute::Elements(elements));
    assert_eq!(Operator::from_json(&operator.to_json()), Ok(operator));
}

#[test]
fn constants_and_absent_inputs_are_kept() {
    let text = r#"[{"op":"X","input_desc":[
        {"type":"int64","shape":[2],"is_const":true,"const_value":[1,2],"name":"axes"},
        {"type":"float","shape":[],"is_const":true,"const_value":0.5},
        {"type":"UNDEFINED","format":"UNDEFINED"}],
        "output_desc":[{"type":"float","shape":[1],"format":"NCL"}]}]"#;
    let [operator] = parse(text).unwrap().try_into().unwrap();
    assert_eq!(operator.inputs[0].constant, Some(Numbers::Ints(vec![1, 2])));
    assert_eq!(operator.inputs[0].name.as_deref(), Some("axes"));
    assert_eq!(
        operator.inputs[1].constant,
        Some(Numbers::Floats(vec![0.5]))
    );
    assert_eq!(operator.inputs[2].element, None);
    assert_eq!(Operator::from_json(&operator.to_json()), Ok(operator));
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let tensor = r#"{"type":"float","shape":[1]}"#;
    for (text, expected) in [
        ("{", "invalid JSON"),
        ("3", "must be a JSON list"),
        ("[]", "0 operators"),
        ("[{}]", "operator 0 of the file: \"op\" must be"),
        (r#"[{"op":"../x"}]"#, "\"op\" must be"),
        (r#"[{"op":"X"}]"#, "\"output_desc\" is missing"),
        (
            r#"[{"op":"X","input_desc":3}]"#,
            "\"input_desc\" must be a list",
        ),
        (
            r#"[{"op":"X","input_desc":[{"shape":[1]}]}]"#,
            "X: input_desc 0: \"type\" is missing",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"floaty"}]}]"#,
            "unknown type 'floaty'",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"float","format":"FRACTAL_NZ"}]}]"#,
            "unsupported format 'FRACTAL_NZ'",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"float","shape":[1.5]}]}]"#,
            "a list of integers",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"float","shape":[1,-2]}]}]"#,
            "dimension -2",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"float","shape":[-1,-1,3],"shape_range":[[1,2]]}]}]"#,
            "1 ranges, but \"shape\" contains -1 2 times",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"float","shape":[-1],"shape_range":[[3,2]]}]}]"#,
            "[least, most]",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"int8","is_const":true}]}]"#,
            "needs a \"const_value\"",
        ),
        (
            r#"[{"op":"X","input_desc":[{"type":"int8","shape":[3],"const_value":[1]}]}]"#,
            "1 elements",
        ),
    ] {
        let error = parse(text).unwrap_err().to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
    for (attribute, expected) in [
        (r#"{"type":"int","value":1}"#, "no \"name\""),
        (
            r#"{"name":"a","type":"number","value":1}"#,
            "expected one of bool, int",
        ),
        (
            r#"{"name":"a","type":"int","value":1.5}"#,
            "'a' is not of type int",
        ),
        (
            r#"{"name":"a","type":"list_int"}"#,
            "'a' is not of type list_int",
        ),
    ] {
        let text = format!(r#"[{{"op":"X","output_desc":[{tensor}],"attr":[{attribute}]}}]"#);
        let error = parse(&text).unwrap_err().to_string();
        assert!(error.contains(expected), "{attribute}: {error}");
    }
}

#[test]
fn a_long_name_is_cut_and_still_the_only_one() {
    let mut add = parse(ADD).unwrap().remove(0);
    add.inputs = vec![add.inputs[0].clone(); 100];
    assert!(add.file_name(0).len() < 256);
    assert_ne!(add.file_name(0), add.file_name(1));
}

proptest! {
    #[test]
    fn altered_text_is_read_or_refused(at in any::<prop::sample::Index>(), to in "[ -~]{0,3}") {
        let mut text = ADD.to_owned();
        let at = at.index(text.len());
        text.replace_range(at..=at, &to);
        drop(parse(&text));
    }
}
