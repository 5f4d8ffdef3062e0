//! Names that are close to one that does not exist.

use strsim::osa_distance;

/// Up to three of `known` that look like `name`, the closest first.
pub(crate) fn closest(name: &str, known: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let wanted = name.to_lowercase();
    // What is further away than this is another word.
    let limit = 1 + wanted.len() / 4;
    let mut found: Vec<(usize, &'static str)> = known
        .map(|candidate| (osa_distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_unstable();
    found.truncate(3);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn close_names_are_found_and_far_ones_are_not() {
        let known = || ["Relu", "ReluGrad", "Relu6", "MatMul"].into_iter();
        assert_eq!(closest("relu", known()), ["Relu", "Relu6"]);
        assert_eq!(closest("Matmul", known()), ["MatMul"]);
        assert!(closest("Convolution", known()).is_empty());
    }
}
