//! Floats that are too large for their type, or no numbers, in what a plan has written.
#![cfg_attr(
    test,
    expect(unsafe_code, reason = "tests look at memory of their own")
)]

use millpond_kernels::{Element, View, read_block, write_block};

/// How many elements are looked at together.
const BLOCK: usize = 512;

/// The largest number of a type of floats.
fn largest(element: Element) -> Option<f64> {
    const BF16: u32 = 0x7f7f_0000;
    match element {
        Element::F16 => Some(65504.0),
        Element::BF16 => Some(f64::from(f32::from_bits(BF16))),
        Element::F32 => Some(f64::from(f32::MAX)),
        Element::F64 => Some(f64::MAX),
        _ => None,
    }
}

/// Whether an element is infinite or not a number. With `saturates`, infinities become the largest number of their sign, and what is no
/// number becomes 0.
pub(crate) fn overflowed(view: &View, saturates: bool) -> bool {
    if matches!(view.element(), Element::C32 | Element::C64 | Element::C128) {
        let [real, imaginary] =
            [false, true].map(|imaginary| overflowed(&view.part(imaginary), saturates));
        return real || imaginary;
    }
    let Some(largest) = largest(view.element()) else {
        return false;
    };
    let mut found = false;
    let count = view.count();
    let mut block = [0.0_f64; BLOCK];
    for start in (0..count).step_by(BLOCK) {
        let numbers = &mut block[..BLOCK.min(count - start)];
        read_block(view, start, numbers);
        if numbers.iter().all(|number| number.is_finite()) {
            continue;
        }
        found = true;
        if !saturates {
            break;
        }
        for number in numbers.iter_mut() {
            *number = if number.is_nan() {
                0.0
            } else {
                number.clamp(-largest, largest)
            };
        }
        write_block(view, start, numbers);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::plan::Plan;
    use crate::tensor::Tensor;
    use millpond_kernels::Element;

    /// The results of a plan whose only tensor is every second one of some floats.
    fn look(memory: &mut [f32], saturates: bool) -> bool {
        let address = memory.as_mut_ptr().expose_provenance() as u64;
        let count = i64::try_from(memory.len() / 2).unwrap();
        let tensor = Tensor::new(
            Element::F32,
            [count].as_slice().into(),
            [2].as_slice().into(),
            address,
            count * 2,
        );
        let plan = Plan::of_results([&tensor].into_iter());
        // SAFETY: the tensor is inside the floats, which are borrowed for the call.
        unsafe { plan.overflowed(&[address], saturates) }
    }

    #[test]
    fn what_is_between_the_elements_is_neither_seen_nor_changed() {
        let mut memory = vec![1.0; 4000];
        memory[1] = f32::INFINITY;
        memory[1501] = f32::NAN;
        assert!(!look(&mut memory, true));
        assert_eq!(memory[1], f32::INFINITY);
        assert!(memory[1501].is_nan());
    }

    #[test]
    fn infinities_become_the_largest_number_and_nan_becomes_0() {
        let mut memory = vec![1.5; 4000];
        (memory[0], memory[2000], memory[3998]) = (f32::INFINITY, f32::NEG_INFINITY, f32::NAN);
        assert!(look(&mut memory, false));
        assert_eq!(memory[0], f32::INFINITY, "it was only looked for");
        assert!(look(&mut memory, true));
        assert_eq!(
            [memory[0], memory[2000], memory[3998], memory[2]],
            [f32::MAX, f32::MIN, 0.0, 1.5]
        );
        assert!(!look(&mut memory, false));
    }

    #[test]
    fn every_type_has_its_own_largest_number() {
        let infinities = [0x7c00_u16, 0xfc00, 0x7c01, 0x3c00];
        let mut half = infinities;
        let mut brain = [0x7f80_u16, 0xff80, 0x7fc0, 0x3f80];
        for (element, memory) in [(Element::F16, &mut half), (Element::BF16, &mut brain)] {
            let address = memory.as_mut_ptr().expose_provenance() as u64;
            let tensor = Tensor::dense(element, &[4], address);
            let plan = Plan::of_results([&tensor].into_iter());
            // SAFETY: as above.
            assert!(unsafe { plan.overflowed(&[address], true) });
        }
        assert_eq!(half, [0x7bff, 0xfbff, 0, 0x3c00]);
        assert_eq!(brain, [0x7f7f, 0xff7f, 0, 0x3f80]);
        let mut whole = [-1_i32; 4];
        let address = whole.as_mut_ptr().expose_provenance() as u64;
        let tensor = Tensor::dense(Element::I32, &[4], address);
        let plan = Plan::of_results([&tensor].into_iter());
        // SAFETY: as above.
        assert!(!unsafe { plan.overflowed(&[address], true) });
    }
}
