//! What somebody meant who misspelled a word.

/// The candidate that is nearest to a word, if it is near enough to be meant.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(64).collect();
    let most = (word.len() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// How many letters have to be added, removed or changed.
fn distance(word: &[char], other: &str) -> usize {
    let mut row: Vec<usize> = (0..=word.len()).collect();
    for (line, letter) in other.chars().enumerate() {
        let mut corner = line;
        row[0] = line + 1;
        for (column, own) in word.iter().enumerate() {
            let changed = corner + usize::from(*own != letter);
            corner = row[column + 1];
            row[column + 1] = changed.min(corner + 1).min(row[column] + 1);
        }
    }
    row[word.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_word_finds_its_neighbour_and_a_foreign_one_finds_none() {
        let ids = || millpond_check::rules::all().map(|rule| rule.id);
        assert_eq!(nearest("stream.rase", ids()), Some("stream.race"));
        assert_eq!(nearest("memory.leaks", ids()), Some("memory.leak"));
        assert_eq!(nearest("banana", ids()), None);
        assert_eq!(nearest("", ids()), None);
    }
}
