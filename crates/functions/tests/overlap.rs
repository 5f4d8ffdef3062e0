//! Tensors that share memory: what is read is what was there before.
#![expect(unsafe_code, reason = "runs plans on memory of the test")]
#![expect(clippy::unwrap_used, reason = "a test")]

use millpond_functions::kernels::Element;
use millpond_functions::{Plan, Scalar, Tensor, table};

/// Runs a plan where its tensors are, with scratch memory of its own.
fn run(plan: &Plan) {
    let words = usize::try_from(plan.scratch()).unwrap() / 8 + 16;
    let mut scratch = vec![0_u64; words];
    let base = scratch.as_mut_ptr().expose_provenance() as u64;
    let addresses: Vec<u64> = plan
        .operands()
        .iter()
        .map(|operand| operand.address)
        .collect();
    // SAFETY: the tests' tensors are in vectors that live longer, and the scratch memory has room for its alignment.
    unsafe { plan.run(&addresses, base.next_multiple_of(64)) }.unwrap();
}

fn tensor<T>(data: &mut [T], element: Element, dims: &[i64]) -> Tensor {
    Tensor::dense(element, dims, data.as_mut_ptr().expose_provenance() as u64)
}

fn counted() -> Vec<f32> {
    (0..9_u8).map(f32::from).collect()
}

#[test]
fn a_matrix_becomes_its_transpose() {
    let mut data = counted();
    let x = tensor(&mut data, Element::F32, &[3, 3]);
    let mut turned = tensor(&mut data, Element::F32, &[3, 3]);
    turned.strides.swap(0, 1);
    run(&table::inplace_copy(&x, &turned).unwrap());
    assert_eq!(data, [0.0, 3.0, 6.0, 1.0, 4.0, 7.0, 2.0, 5.0, 8.0]);
}

#[test]
fn elements_move_by_one() {
    let mut data = counted();
    let from = tensor(&mut data[..8], Element::F32, &[8]);
    let to = tensor(&mut data[1..], Element::F32, &[8]);
    run(&table::inplace_copy(&to, &from).unwrap());
    assert_eq!(data, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
}

#[test]
fn a_number_is_one_of_those_it_fills() {
    let mut data = counted();
    let x = tensor(&mut data, Element::F32, &[9]);
    let one = tensor(&mut data[4..5], Element::F32, &[]);
    run(&table::inplace_fill_tensor(&x, &one).unwrap());
    assert_eq!(data, [4.0; 9]);
    let mut mask = [1_u8, 0, 1];
    let mask = tensor(&mut mask, Element::Bool, &[3]);
    let mut data = vec![5.0_f32, 6.0, 7.0];
    let x = tensor(&mut data, Element::F32, &[3]);
    let one = tensor(&mut data[2..], Element::F32, &[1]);
    run(&table::inplace_masked_fill_tensor(&x, &mask, &one).unwrap());
    assert_eq!(data, [7.0, 6.0, 7.0]);
}

#[test]
fn a_tensor_is_scattered_into_itself() {
    let mut index = [1_i64, 2, 0];
    let index = tensor(&mut index, Element::I64, &[3]);
    let mut data = vec![1.0_f32, 2.0, 3.0];
    let x = tensor(&mut data, Element::F32, &[3]);
    run(&table::inplace_scatter(&x, 0, &index, &x, 0).unwrap());
    assert_eq!(data, [3.0, 1.0, 2.0]);
    run(&table::index_put_impl(&x, &[&index], &x, true, false).unwrap());
    assert_eq!(data, [5.0, 4.0, 3.0]);
    run(&table::index_add(&x, 0, &index, &x, &Scalar::int(2), &x).unwrap());
    assert_eq!(data, [11.0, 14.0, 11.0]);
    run(&table::roll(&x, &[1], &[0], &x).unwrap());
    assert_eq!(data, [11.0, 11.0, 14.0]);
}

#[test]
fn the_same_memory_through_two_tensors() {
    let mut index = [1_i64, 1, 0];
    let index = tensor(&mut index, Element::I64, &[3]);
    let mut data = vec![1.0_f32, 2.0, 3.0];
    let (x, out) = (
        tensor(&mut data, Element::F32, &[3]),
        tensor(&mut data, Element::F32, &[3]),
    );
    let mut source = vec![10.0_f32, 20.0, 30.0];
    let source = tensor(&mut source, Element::F32, &[3]);
    let plan = table::scatter_add(&x, 0, &index, &source, &out).unwrap();
    run(&plan);
    assert_eq!(data, [31.0, 32.0, 3.0]);
}
