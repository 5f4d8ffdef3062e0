//! How PyTorch rounds a request: to 512 bytes, or to a part of the power of two below it (`roundup_power2_divisions`).

pub(super) const ROUND: u64 = 512;

/// Sizes below the first interval's end, 2 MiB, use its divisions; those from the last interval's begin on, 32 GiB, use its.
const INTERVALS: usize = 16;
const FIRST_INTERVAL: u32 = 20;

/// For each power of two from 1 MiB on, into how many parts it is divided. 0 or 1: only to 512 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Divisions([u64; INTERVALS]);

impl Divisions {
    /// The same for all sizes.
    pub const fn all(divisions: u64) -> Self {
        Self([divisions; INTERVALS])
    }

    /// From pairs of MiB and divisions, as in `[256:1,512:2,>:4]`; the last counts for all sizes above.
    ///
    /// A pair counts for its own interval. Intervals before the first pair get its divisions; those between or behind pairs get
    /// those of the pair in front of them, unless `above` says otherwise.
    pub fn by_size(pairs: &[(u64, u64)], above: Option<u64>) -> Self {
        let mut divisions = [0; INTERVALS];
        let mut next = 0;
        let mut latest = pairs.first().map_or(0, |pair| pair.1);
        for &(mebibytes, value) in pairs {
            let at = interval(mebibytes.saturating_mul(1 << 20));
            let fill = if next == 0 { value } else { latest };
            for slot in divisions.iter_mut().take(at).skip(next) {
                *slot = fill;
            }
            divisions[at] = value;
            latest = value;
            next = at + 1;
        }
        for slot in divisions.iter_mut().skip(next) {
            *slot = above.unwrap_or(latest);
        }
        Self(divisions)
    }

    /// The size of the block that serves a request.
    pub fn round(&self, bytes: u64) -> u64 {
        let bytes = bytes.max(1);
        let divisions = self.0[interval(bytes)];
        if divisions > 1 && bytes > ROUND.saturating_mul(divisions) {
            let floor = 1 << bytes.ilog2();
            let part = floor >> divisions.ilog2();
            bytes
                .checked_next_multiple_of(part.max(ROUND))
                .unwrap_or(bytes)
        } else {
            bytes.checked_next_multiple_of(ROUND).unwrap_or(bytes)
        }
    }
}

fn interval(bytes: u64) -> usize {
    let above = bytes.max(1).ilog2().saturating_sub(FIRST_INTERVAL);
    (above as usize).min(INTERVALS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn requests_are_rounded_to_512_bytes_or_a_part_of_a_power_of_two() {
        let rows = [
            (0, 1, 512),
            (0, 513, 1024),
            (0, 3 * MIB + 1, 3 * MIB + 512),
            // 1200 lies between 1024 and 2048; quarters are 256 bytes, but none is smaller than 512: not above 4 × 512.
            (4, 1200, 1536),
            // PyTorch's own example: 1200 with four divisions of 1024 would be 1280.
            (4, 5 * MIB, 5 * MIB),
            (4, 5 * MIB + 1, 6 * MIB),
            (2, 5 * MIB, 6 * MIB),
            (8, 1100 * 1024, 1152 * 1024),
            (1, 5 * MIB + 1, 5 * MIB + 512),
            (4, 8 * MIB, 8 * MIB),
        ];
        for (divisions, bytes, expected) in rows {
            let found = Divisions::all(divisions).round(bytes);
            assert_eq!(found, expected, "{bytes} bytes, {divisions} divisions");
        }
    }

    #[test]
    fn divisions_may_differ_by_size() {
        let by_size = Divisions::by_size(&[(256, 1), (512, 2), (1024, 4)], Some(8));
        let rows = [
            (100 * MIB + 1, 100 * MIB + 512),
            (300 * MIB + 1, 300 * MIB + 512),
            (600 * MIB, 768 * MIB),
            (1100 * MIB, 1280 * MIB),
            (2100 * MIB, 2304 * MIB),
        ];
        for (bytes, expected) in rows {
            assert_eq!(by_size.round(bytes), expected, "{bytes}");
        }
    }
}
