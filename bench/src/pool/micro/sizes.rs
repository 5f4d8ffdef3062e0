//! The sizes that are asked for: from 512 bytes to 16 MiB, as many small as large ones on a
//! logarithmic scale, in whole 512 bytes.

use std::collections::HashSet;

use millpond_replay::patterns::Numbers;

const UNIT: u64 = 512;
/// 16 MiB is 512 bytes, doubled 15 times.
const DOUBLINGS: f64 = 15.0;

/// `count` sizes; with `distinct`, no two the same.
pub(crate) fn sizes(count: usize, distinct: bool) -> Vec<u64> {
    let mut numbers = Numbers::new(7);
    let mut seen = HashSet::new();
    let mut sizes = Vec::with_capacity(count);
    while sizes.len() < count {
        let bytes = one(&mut numbers);
        if !distinct || seen.insert(bytes) {
            sizes.push(bytes);
        }
    }
    sizes
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 1 to 32,768"
)]
fn one(numbers: &mut Numbers) -> u64 {
    let part = (numbers.draw() >> 11) as f64 / (1_u64 << 53) as f64;
    (DOUBLINGS * part).exp2().round() as u64 * UNIT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_as_is_said() {
        let many = sizes(4096, false);
        assert!(
            many.iter()
                .all(|it| it % 512 == 0 && (512..=16 << 20).contains(it))
        );
        let small = many.iter().filter(|it| **it < 92_682).count();
        assert!(
            (1948..2148).contains(&small),
            "half lie below the middle: {small}"
        );
        let distinct = sizes(4096, true);
        assert_eq!(distinct.iter().collect::<HashSet<_>>().len(), 4096);
    }
}
