//! Times of records by the clock that the folder of a profile names.
//!
//! Records count nanoseconds of a clock that the system adjusts to run at the right speed; programs that are profiled beside us use the one
//! that it does not adjust. The two drift apart by hundreds of microseconds a second. A profile compares them often, and in between
//! times are interpolated.

/// Turns times of records into nanoseconds since 1970.
#[derive(Debug, Clone, Default)]
pub struct Clock {
    /// Times of records, and the raw clock then, in order.
    compared: Vec<(u64, u64)>,
    /// What is added to the raw clock to get nanoseconds since 1970.
    offset: i128,
}

impl Clock {
    /// A clock that starts at a raw time and the time since 1970 that belongs to it.
    pub fn new(raw: u64, wall: u64) -> Self {
        Self {
            compared: Vec::new(),
            offset: i128::from(wall) - i128::from(raw),
        }
    }

    /// Learns what the raw clock was at the time of a record.
    pub fn compare(&mut self, record: u64, raw: u64) {
        let later = self
            .compared
            .last()
            .is_none_or(|last| last.0 < record && last.1 < raw);
        if later {
            self.compared.push((record, raw));
        }
    }

    /// Nanoseconds since 1970.
    pub fn wall(&self, record: u64) -> u64 {
        let raw = match self.compared.partition_point(|pair| pair.0 <= record) {
            // Before the first comparison and after the last the speeds count as equal.
            0 => match self.compared.first() {
                Some(&(at, raw)) => i128::from(raw) - i128::from(at - record),
                None => i128::from(record),
            },
            next => {
                let (at, raw) = self.compared[next - 1];
                let since = i128::from(record - at);
                match self.compared.get(next) {
                    Some(&(to, raw_to)) => {
                        i128::from(raw) + since * i128::from(raw_to - raw) / i128::from(to - at)
                    }
                    None => i128::from(raw) + since,
                }
            }
        };
        u64::try_from(raw + self.offset).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_between_two_comparisons_are_interpolated_and_keep_their_order() {
        let mut clock = Clock::new(1_000, 5_000_000);
        clock.compare(100, 1_100);
        clock.compare(200, 1_300);
        // Nothing goes back.
        clock.compare(150, 9_999);
        let expected = [
            (90, 1_090),
            (100, 1_100),
            (150, 1_200),
            (200, 1_300),
            (260, 1_360),
        ];
        for (record, raw) in expected {
            assert_eq!(clock.wall(record), raw - 1_000 + 5_000_000, "{record}");
        }
        let times: Vec<u64> = (0..400).map(|record| clock.wall(record)).collect();
        assert!(times.is_sorted());
    }
}
