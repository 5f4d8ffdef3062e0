//! Sizes in words: `64GiB`, `1.5 GB`, `512`.

/// Reads a size: a number with at most one decimal point, then nothing or B for bytes, K, M, G, T (or `KiB` …) for powers of 1024,
/// or `kB`, `MB`, `GB`, `TB` for powers of 1000.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size; write for example 64GiB, 512M or 2097152");
    let text = text.trim();
    let digits = text
        .find(|it: char| !it.is_ascii_digit() && it != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let unit: u64 = match unit.trim() {
        "" | "B" => 1,
        "K" | "k" | "KiB" => 1 << 10,
        "M" | "m" | "MiB" => 1 << 20,
        "G" | "g" | "GiB" => 1 << 30,
        "T" | "t" | "TiB" => 1 << 40,
        "kB" | "KB" => 1000,
        "MB" => 1_000_000,
        "GB" => 1_000_000_000,
        "TB" => 1_000_000_000_000,
        _ => return Err(wrong()),
    };
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    if (whole.is_empty() && part.is_empty()) || part.contains('.') || part.len() > 9 {
        return Err(wrong());
    }
    let whole: u64 = if whole.is_empty() {
        0
    } else {
        whole.parse().map_err(|_| wrong())?
    };
    let mut bytes = whole.checked_mul(unit).ok_or_else(wrong)?;
    if !part.is_empty() {
        let tenths: u64 = part.parse().map_err(|_| wrong())?;
        let scale = 10_u64.pow(u32::try_from(part.len()).map_err(|_| wrong())?);
        let more = u128::from(tenths) * u128::from(unit) / u128::from(scale);
        bytes = bytes
            .checked_add(u64::try_from(more).map_err(|_| wrong())?)
            .ok_or_else(wrong)?;
    }
    Ok(bytes)
}

/// A size for people, with its unit: three digits that count.
#[expect(clippy::cast_precision_loss, reason = "no device has 2^53 bytes")]
pub fn text(bytes: u64) -> String {
    let units = [(1_u64 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    for (unit, name) in units {
        if bytes >= unit {
            return format!("{:.2} {name}", bytes as f64 / unit as f64);
        }
    }
    format!("{bytes} bytes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let rows = [
            ("512", 512),
            ("64GiB", 64 << 30),
            ("64G", 64 << 30),
            ("1.5 GiB", 3 << 29),
            ("80GB", 80_000_000_000),
            ("0.5M", 1 << 19),
        ];
        for (text, bytes) in rows {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in [
            "",
            "GiB",
            "-1",
            "1..5G",
            "1.2.3",
            "64 apples",
            "99999999999999999999",
            "999999999T",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
        assert_eq!(text(3 << 29), "1.50 GiB");
        assert_eq!(text(100), "100 bytes");
    }
}
