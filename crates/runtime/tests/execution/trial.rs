//! Trials: what shapes come out, without memory of the program.

use millpond::trace::Collector;
use millpond::{Element, Error, Model, TrialInput};

use crate::world::{add, gather, non_zero, open_eager, reshape};

fn bytes(values: &[i64]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values
        .iter()
        .flat_map(|value| value.to_le_bytes())
        .collect()
}

/// The dimensions of the only output, for inputs of which some contents are known.
fn shape(model: &Model, inputs: &[(&[i64], Option<&[u8]>)]) -> Result<Vec<i64>, Box<Error>> {
    let slots = model.inputs().iter().zip(inputs);
    let inputs: Vec<TrialInput<'_>> = slots
        .map(|(slot, &(dims, contents))| TrialInput {
            contents,
            element: slot.element,
            dims,
        })
        .collect();
    model.shapes_of(&inputs).map(|shapes| shapes[0].to_vec())
}

#[test]
fn shapes_come_out_of_made_up_and_known_contents() {
    let (runtime, device, _stream) = open_eager();
    let before = device.usage();
    let collector = std::sync::Arc::new(Collector::default());
    runtime.tap().attach(collector.clone());
    let sum = add(&runtime, 2);
    for _ in 0..2 {
        assert_eq!(
            shape(&sum, &[(&[3, 1], None), (&[1, 4], None)]).unwrap(),
            [3, 4]
        );
    }
    // Place 1 is not there, place 0 is.
    assert_eq!(
        shape(&gather(&runtime), &[(&[1], None), (&[5], None)]).unwrap(),
        [5]
    );
    // Contents decide: ones where nobody says anything.
    let x = floats(&[0.0, 2.0, 3.0]);
    let places = non_zero(&runtime);
    assert_eq!(shape(&places, &[(&[3], Some(&x))]).unwrap(), [1, 2]);
    assert_eq!(shape(&places, &[(&[3], None)]).unwrap(), [1, 3]);
    let changed = reshape(&runtime);
    for dims in [[2_i64, 3], [3, 2]] {
        let wanted = bytes(&dims);
        let inputs = [(&[6_i64][..], None), (&[2], Some(&wanted[..]))];
        assert_eq!(shape(&changed, &inputs).unwrap(), dims);
    }
    assert_eq!(device.usage(), before, "no memory of the device");
    assert!(
        collector.operations().is_empty(),
        "nothing was run for the program"
    );
}

#[test]
fn a_trial_that_cannot_be_says_why() {
    let (runtime, _device, _stream) = open_eager();
    let sum = add(&runtime, 1);
    let error = shape(&sum, &[(&[3], None), (&[4], None)]).unwrap_err();
    assert!(matches!(*error, Error::ComputationFailed(_)), "{error}");
    let error = shape(&sum, &[(&[3], None)]).unwrap_err().to_string();
    assert!(error.contains("2 inputs"), "{error}");
    let error = shape(&sum, &[(&[3, 3], None), (&[3], None)]).unwrap_err();
    assert!(error.to_string().contains("dimensions"), "{error}");
    let short = floats(&[1.0]);
    let error = shape(&sum, &[(&[3], Some(&short)), (&[3], None)]).unwrap_err();
    assert!(matches!(*error, Error::InputTooSmall { .. }), "{error}");
    // As many bytes as no machine has.
    let error = shape(&sum, &[(&[1 << 45], None), (&[1 << 45], None)]).unwrap_err();
    assert!(error.to_string().contains("there is no memory"), "{error}");
    assert_eq!(sum.inputs()[0].element, Element::F32);
}
