//! Numbers and nouns in sentences.

/// `1 byte`, `1,536 bytes`, `3 pieces of memory`: a number and a noun. `of` is the singular.
pub fn count(number: u64, of: &str) -> String {
    format!("{} {}", grouped(number), plural(number, of))
}

/// `byte`, `bytes`, `pieces of memory`: the form of a noun for a number. The part before ` of ` takes the plural.
pub fn plural(number: u64, of: &str) -> String {
    if number == 1 {
        return of.to_owned();
    }
    let (noun, rest) = of.find(" of ").map_or((of, ""), |end| of.split_at(end));
    let end = match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => {
            return format!("{stem}ies{rest}");
        }
        _ if noun.ends_with(['s', 'x']) || noun.ends_with("ch") || noun.ends_with("sh") => "es",
        _ => "s",
    };
    format!("{noun}{end}{rest}")
}

/// The verb after [`count`].
pub fn is_or_are(number: u64) -> &'static str {
    if number == 1 { "is" } else { "are" }
}

/// The same in the past.
pub fn was_or_were(number: u64) -> &'static str {
    if number == 1 { "was" } else { "were" }
}

/// `1,536`: digits in groups of three.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_separators_and_nouns_their_plural() {
        assert_eq!(count(1, "byte"), "1 byte");
        assert_eq!(count(0, "block"), "0 blocks");
        assert_eq!(count(123_456_789, "byte"), "123,456,789 bytes");
        assert_eq!(count(1536, "byte"), "1,536 bytes");
        let piece = "piece of physical memory";
        assert_eq!(count(1, piece), "1 piece of physical memory");
        assert_eq!(count(3, piece), "3 pieces of physical memory");
        assert_eq!(count(2, "process"), "2 processes");
        assert_eq!(count(2, "memory"), "2 memories");
        assert_eq!(count(2, "key"), "2 keys");
        assert_eq!((is_or_are(1), was_or_were(0)), ("is", "were"));
    }
}
