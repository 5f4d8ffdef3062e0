//! Suggestions for misspelled words.

use strsim::osa_distance;

/// The candidate that is nearest to a word, if it is near enough.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Longer words are not typing errors, and the time is the product of both lengths.
    let word: String = word.chars().take(64).collect();
    let most = (word.chars().count() / 3).max(2);
    candidates
        .into_iter()
        .map(|candidate| (osa_distance(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The candidates that are nearest to a word, the nearest first, as far as they are near enough.
pub fn near<'a>(
    word: &str,
    candidates: impl IntoIterator<Item = &'a str>,
    most: usize,
) -> Vec<&'a str> {
    let word: String = word.chars().take(64).collect();
    let far = (word.chars().count() / 3).max(2);
    let mut near: Vec<_> = candidates
        .into_iter()
        .map(|candidate| (osa_distance(&word, candidate), candidate))
        .filter(|(distance, _)| *distance <= far)
        .collect();
    near.sort_unstable();
    near.into_iter()
        .map(|(_, candidate)| candidate)
        .take(most)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_word_has_a_suggestion_and_an_unrelated_one_has_none() {
        let ids = || millpond_check::rules::all().map(|rule| rule.id);
        assert_eq!(nearest("stream.rase", ids()), Some("stream.race"));
        assert_eq!(nearest("memory.leaks", ids()), Some("memory.leak"));
        assert_eq!(nearest("banana", ids()), None);
        assert_eq!(nearest("", ids()), None);
    }
}
