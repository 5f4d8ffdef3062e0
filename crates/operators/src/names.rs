//! Names that are close to one that does not exist.

/// Up to three of `known` that look like `name`, the closest first.
pub(crate) fn closest(name: &str, known: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let wanted = name.to_lowercase();
    // What is further away than this is another word.
    let limit = 1 + wanted.len() / 4;
    let mut found: Vec<(usize, &'static str)> = known
        .map(|candidate| (distance(&wanted, &candidate.to_lowercase()), candidate))
        .filter(|(distance, _)| *distance <= limit)
        .collect();
    found.sort_unstable();
    found.truncate(3);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}

/// How many letters must be added, removed or replaced to get from `a` to `b`.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, to) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(from != *to);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_letters() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn close_names_are_found_and_far_ones_are_not() {
        let known = || ["Relu", "ReluGrad", "Relu6", "MatMul"].into_iter();
        assert_eq!(closest("relu", known()), ["Relu", "Relu6"]);
        assert_eq!(closest("Matmul", known()), ["MatMul"]);
        assert!(closest("Convolution", known()).is_empty());
    }
}
