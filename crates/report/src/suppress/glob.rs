//! Patterns: `*` for any characters, `?` for one.

/// Whether the whole text matches. The time is at most the product of both lengths.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut read) = (0, 0);
    // The position of the last star, and up to where it has matched.
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == text[read] => {
                at += 1;
                read += 1;
            }
            _ => {
                let Some((frame, eaten)) = star else {
                    return false;
                };
                star = Some((frame, eaten + 1));
                at = frame + 1;
                read = eaten + 1;
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn stars_and_question_marks_stand_for_text() {
        for (pattern, text, expected) in [
            ("", "", true),
            ("*", "", true),
            ("*", "any/thing", true),
            ("a*c", "abc", true),
            ("a*c", "ac", true),
            ("a*c", "abd", false),
            ("a?c", "ac", false),
            ("a?c", "abc", true),
            ("*.c", "dir/x.c", true),
            ("*a*b*", "xxaxxbxx", true),
            ("*a*b*", "xxbxxaxx", false),
            ("abc", "abcd", false),
            ("ü*", "über", true),
        ] {
            assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_take_no_more_than_the_product_of_the_lengths() {
        let text = "a".repeat(2000);
        let pattern = "a*".repeat(200) + "b";
        assert!(!matches(&pattern, &text));
    }
}
